"""The files of the tree with their digests, and an index of the modules by what each says of itself."""

import ast
import csv
import hashlib
from collections import defaultdict
from pathlib import Path

from tests.dossier.chapter import Chapter, Run, Written, attached, table
from tests.dossier.citations import PRODUCT
from tests.dossier.tree import changed, files
from tests.rigs.paths import ROOT

LIST = "files.csv"


def write(run: Run) -> Written:
    """Write the list of files, a line for each folder, and the index."""
    rows, folders = [], defaultdict(lambda: [0, 0, 0])
    for name in files():
        path = ROOT / name
        data = path.readlink().as_posix().encode() if path.is_symlink() else path.read_bytes()
        lines = 0 if b"\0" in data else data.count(b"\n")
        rows.append((name, len(data), lines, hashlib.sha256(data).hexdigest()))
        sums = folders[name.partition("/")[0] if "/" in name else "."]
        for place, value in enumerate((1, len(data), lines)):
            sums[place] += value
    with (run.out / LIST).open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("file", "bytes", "lines", "sha256"))
        writer.writerows(rows)
    digest = hashlib.sha256((run.out / LIST).read_bytes()).hexdigest()
    sums = ((folder, *(f"{value:,}" for value in values)) for folder, values in sorted(folders.items()))
    text = (
        f"## Files with their digests\n\n{attached(run, LIST)} has each of the {len(rows):,} files of the commit with"
        f" its SHA-256. The list's own is `{digest}`.\n\n{table(('folder', 'files', 'bytes', 'lines'), sums)}\n"
    )
    edited = [f"Not as in the commit: {name}." for name in changed()]
    return Written(text + "".join(index(folder, [name for name, *_ in rows]) for folder in PRODUCT), edited)


def index(folder: str, names: list[str]) -> str:
    """Return the modules of a folder, each with the first line of its docstring."""
    modules = [ROOT / name for name in names if name.startswith(f"{folder}/") and name.endswith(".py")]
    rows = ((path.relative_to(ROOT).as_posix(), lines_of(path), says(path)) for path in modules)
    return f"## Modules of {folder}\n\n{table(('module', 'lines', 'what it is'), rows)}\n"


def lines_of(path: Path) -> int:
    """Return how many lines a module has."""
    return path.read_bytes().count(b"\n")


def says(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]


CHAPTER = Chapter(110, "Files and source index", write)
