"""How the program and the card's image are built, and the digests of what lies in build/."""

import hashlib
import re
from datetime import UTC, datetime
from pathlib import Path

from tests.dossier.chapter import Chapter, Run, Written, table
from tests.rigs.paths import ROOT

TARGET = re.compile(r"((?:^# .+\n)+)^([a-z][a-z-]*):.*\n((?:\t.*\n)+)", re.MULTILINE)
BUILDING = ("deb", "venue-deb", "bundle", "image", "image-proof")
BUILT = ("*.deb", "*.cabinet", "image/*.img", "image/*.packages", "image/*.files")
NO_IMAGE = "No image lies in build/image: its digest is not shown (make image-proof SIGNING_KEY=FILE)."
CHUNK = 1 << 20


def write(_run: Run) -> Written:
    """Write the Makefile's targets and the digests."""
    targets = {name: (says, steps) for says, name, steps in TARGET.findall((ROOT / "Makefile").read_text("utf-8"))}
    parts = []
    for name in BUILDING:
        says, steps = targets[name]
        words = re.sub(r"^# ", "", says, flags=re.MULTILINE)
        parts.append(f"### make {name}\n\n{words}\n```\n{steps.replace(chr(9), '')}```\n")
    built = [path for pattern in BUILT for path in sorted((ROOT / "build").glob(pattern))]
    rows = ((path.relative_to(ROOT).as_posix(), f"{path.stat().st_size:,}", made(path), digest(path)) for path in built)
    digests = table(("file", "bytes", "made (UTC)", "SHA-256"), rows) if built else "Nothing.\n"
    missing = [] if any(path.suffix == ".img" for path in built) else [NO_IMAGE]
    text = "## Instructions\n\nThe [page on installing](install.md) says what each needs.\n\n"
    return Written(f"{text}{''.join(parts)}\n## What lies in build/\n\n{digests}", missing)


def made(path: Path) -> str:
    """Return when a file was written."""
    return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d %H:%M}"


def digest(path: Path) -> str:
    """Return the SHA-256 of a large file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            found.update(data)
    return found.hexdigest()


CHAPTER = Chapter(100, "Build", write)
