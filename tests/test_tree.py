"""The tree is whole by itself: a clone into an empty folder has all that its code, tests and pages name."""

import re
import tomllib
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path

from tests.rigs.paths import ROOT

NOT_OF_THE_TREE = {".git", ".venv", "build", "dist", "demo"}
"""What is made beside the tree's own files, by name; caches begin with a dot."""
MADE_PAGES = {"frame_time.md", "processes.md", "report.md"}
"""Pages that commands write under build/."""
FOREIGN_PAGES = {"interface.md", "keyboard.md", "psu.md"}
"""Pages of other projects, which are cited with their address or their project."""
UPWARDS = re.compile(r"(?:\.\./)+[\w.-]*")
PARENTS = re.compile(r"__file__\)(?:\.resolve\(\))?\.parents\[(\d+)\]")
PAGE = re.compile(r"[\w-]+\.md\b")


def files() -> Iterator[tuple[Path, str]]:
    """Return the text files of the tree, with their texts."""
    waiting = [ROOT]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            if path.is_symlink() or path.name in NOT_OF_THE_TREE or path.name.endswith("cache"):
                continue
            if path.is_dir():
                if path.name == ".ci" or path.name[0] not in "._":
                    waiting.append(path)
                continue
            try:
                yield path, path.read_text("utf-8")
            except UnicodeDecodeError:
                continue  # a picture, a sound


def test_no_file_names_a_path_outside_of_the_tree() -> None:
    """A path with `..` ends within the tree, seen from the file that has it, and no module goes further up than it."""
    found = []
    for path, text in files():
        for up in UPWARDS.finditer(text):
            end = Path(normpath(path.parent / up.group()))
            if not end.is_relative_to(ROOT):
                found.append(f"{path.relative_to(ROOT)}: {up.group()}")
        depth = len(path.relative_to(ROOT).parts)
        found += [f"{path.relative_to(ROOT)}: {up.group()}" for up in PARENTS.finditer(text) if int(up[1]) >= depth]
    assert found == []


def test_every_page_that_is_cited_is_there() -> None:
    """Whoever is sent to a page by its name finds it in the tree; what has changed since keeps its words."""
    texts = list(files())
    pages = {path.name for path, _ in texts} | MADE_PAGES | FOREIGN_PAGES
    cited = (
        (path, page.group()) for path, text in texts if path.name != "CHANGELOG.md" for page in PAGE.finditer(text)
    )
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in cited if name not in pages] == []


OTHER_VERSIONS = {"CHANGELOG.md", "constraints.txt", "image/rpi-image-gen/layer/slot-cabinet.yaml"}
"""Files with versions of releases, of libraries, and of the layer itself, which may be the same by chance; so tests."""


def test_the_version_stands_in_one_place() -> None:
    """Packages, image, pages and program have it from pyproject.toml: nothing else is edited for a release."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    said = re.compile(rf"(?<![\d.]){re.escape(version)}(?![\d.]*\d)")
    names = {path.relative_to(ROOT).as_posix() for path, text in files() if said.search(text)}
    assert {name for name in names - OTHER_VERSIONS if not name.startswith("tests/")} == {"pyproject.toml"}


def test_every_package_says_that_it_is_typed() -> None:
    """A studio's type checker reads the annotations of what it imports."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert [name for name in packages if not (ROOT / name / "py.typed").is_file()] == []
