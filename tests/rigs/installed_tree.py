"""A machine's tree with an installed cabinet, small and signed, for whoever proves software."""

import os
import subprocess
from pathlib import Path

from controller.features.update.installed import (
    HOME,
    PARTS,
    PLATFORM,
    RELEASE,
    RELEASE_KEY,
    Installation,
    Part,
    release_of,
)
from controller.features.update.manifest import Manifest, decoded, measured
from controller.features.update.signing import SigningKey, signed_text, write_public_key, write_signed
from tests.rigs.paths import ROOT

SYSTEMD = ROOT / "systemd"
GAME = f"{HOME}/venv/lib/python3.13/site-packages/games/neptune.py"
LIBRARY = "/usr/lib/python3.13"
INTERPRETER = "/usr/bin/python3.13"


def put(root: Path, path: str, content: str = "", mode: int = 0o644) -> Path:
    """Put a file into a machine's tree, with the folders that it needs."""
    place = root / path.lstrip("/")
    folders = [folder for folder in place.parents if not folder.exists()]
    place.parent.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        folder.chmod(0o755)
    place.write_text(content, encoding="utf-8")
    place.chmod(mode)
    return place


def read_signed(folder: Path, public_key: bytes) -> Manifest:
    """Return the manifest in `folder`, signed by that key; raise `NotAuthenticError` or `ManifestError`."""
    return decoded(signed_text(folder, public_key))


class InstalledTree:
    """An installed cabinet below `root`, signed by `maker` and measured with a key that is thrown away."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.installation = Installation(root, os.getuid())
        self.maker = SigningKey.throwaway()
        put(root, GAME, "def play(): ...\n")
        put(root, f"{HOME}/version", "1.2.3\n")
        put(root, f"{HOME}/venv/bin/cabinet", "#!/opt/cabinet/venv/bin/python\n", 0o755)
        put(root, INTERPRETER, "interpreter", 0o755)
        put(root, f"{LIBRARY}/random.py", "def random(): ...\n")
        for name in ("etc/cabinet/platform", "etc/systemd/system", "run"):
            (root / name).mkdir(parents=True)
        subprocess.run([SYSTEMD / "place", root], check=True)
        self.placed = subprocess.check_output([SYSTEMD / "place", "--list"], text=True).splitlines()
        self.release()
        self.platform()

    def place(self, path: str) -> Path:
        """Return where a path of the machine lies."""
        return self.installation.at(path)

    def release(self, key: SigningKey | None = None, version: str = "1.2.3") -> None:
        """Sign the release as it is now, and have it trusted."""
        self._sign(RELEASE, release_of(self.root, self.placed, version), key or self.maker)

    def platform(self) -> None:
        """Measure the platform as it is now, and have it trusted."""
        plan = Manifest(kind=PLATFORM, version="3.13.5", trees=(LIBRARY,))
        self._sign(PLATFORM, measured(plan, [INTERPRETER], root=self.root), SigningKey.throwaway())

    def _sign(self, kind: str, manifest: Manifest, key: SigningKey) -> None:
        part = part_of(kind)
        write_signed(self.place(part.folder), manifest, key)
        write_public_key(self.place(part.key), key.public_key)
        if kind == RELEASE:
            write_public_key(self.place(f"{HOME}/{RELEASE_KEY}"), key.public_key)


def part_of(kind: str) -> Part:
    """Return the part of that kind."""
    return next(part for part in PARTS if part.kind == kind)
