"""The libraries with versions and licences: a list in CycloneDX by cyclonedx-py, and a table."""

import shutil
import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

from tests.dossier.chapter import Chapter, Run, Written, attached, table
from tests.dossier.tree import dated
from tests.rigs.paths import ROOT

SBOM = "sbom.cdx.json"
HEAD = ("library", "version", "licence", "locked")
MISSING = "There is no SBOM: cyclonedx-py is not installed (pip install -c constraints.txt -e '.[dossier]')."


def write(run: Run) -> Written:
    """Write the SBOM if the tool is there, and the table."""
    found = {one.metadata["Name"].lower(): one for one in distributions()}
    locked = dict(
        line.lower().split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").split() if "==" in line
    )
    rows = (
        (one.metadata["Name"], one.version, licence(one), locked.get(name, "no"))
        for name, one in sorted(found.items())
        if name != "cabinet"
    )
    tool = shutil.which("cyclonedx-py", path=str(Path(sys.executable).parent)) or shutil.which("cyclonedx-py")
    if tool is None:
        text, wanting = f"{MISSING} The table is from the metadata of what is installed.\n\n", [MISSING]
    else:
        write_sbom(run.out / SBOM, tool)
        text, wanting = f"{attached(run, SBOM)} is the list in CycloneDX, of the environment of this run.\n\n", []
    lock = f"constraints.txt, of {dated('constraints.txt')}, locks the versions.\n\n"
    return Written(f"## Software bill of materials\n\n{text}{lock}{table(HEAD, rows)}", wanting)


def write_sbom(file: Path, tool: str) -> None:
    """Write the list of the environment that runs this; raise `CalledProcessError` if the tool fails."""
    options = ["--pyproject", str(ROOT / "pyproject.toml"), "--output-format", "JSON", "--output-file", str(file)]
    subprocess.run([tool, "environment", *options, "--output-reproducible", sys.executable], check=True)


def licence(one: Distribution) -> str:
    """Return the licence that a library names in its metadata: an expression, a classifier, or a short text."""
    meta = one.metadata
    if expression := meta.get("License-Expression"):
        return expression
    classified = [
        line.rpartition(" :: ")[2] for line in meta.get_all("Classifier") or [] if line.startswith("License :: ")
    ]
    return ", ".join(classified) or (meta.get("License") or "not named").partition("\n")[0]


CHAPTER = Chapter(90, "Dependencies and licences", write)
