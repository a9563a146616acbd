"""`.ci/release` releases one tagged commit with its dated changes, refuses all else before it begins, and sums all."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.rigs.needing import needs_tools
from tests.rigs.paths import ROOT

pytestmark = [pytest.mark.processes, needs_tools("git", "make")]


def changes(heading: str = "## 1.2.3 (2026-12-01)", entries: int = 1) -> str:
    """Return a changelog with a first section of `entries` and two lines, and a long one of an earlier release."""
    earlier = "## 1.2.2 (2026-11-01)\n\n" + "- Old.\n" * 90
    return f"# Changelog\n\n{heading}\n\n" + "- New.\n" * entries + "\n" + earlier


GIVEN = {
    ".gitignore": "build\ndist\n.venv\n",
    "pyproject.toml": '[build-system]\nrequires = ["hatchling==1"]\n\n[project]\nname = "cabinet"\nversion = "1.2.3"\n',
    "constraints.txt": "",
    "CHANGELOG.md": changes(),
    "Makefile": "setup build/baked/.ready-large:\ndocs:\n\tmkdir -p build/site && echo page >build/site/index.html\n",
    "image/make-image": """#!/bin/sh
[ "${1:-}" != --check ] || exit 0
mkdir -p build/image && cd build/image
touch cabinet-1.2.3-arm64.packages cabinet-1.2.3-arm64.files cabinet-1.2.3-arm64.img.zst
touch ../cabinet_1.2.3-1_arm64.deb ../cabinet-art_1.2.3-1_all.deb
""",
    "systemd/make-deb": "#!/bin/sh\ntouch build/cabinet_1.2.3-1_own.deb build/cabinet-art_1.2.3-1_all.deb\n",
    "systemd/venue/make-deb": "#!/bin/sh\ntouch build/cabinet-venue_1.2.3_own.deb\n",
}
"""A small project: what takes long is a stand-in that leaves files of the same names."""
NO_IMAGE = "#!/bin/sh\necho make-image: these are missing: mcopy >&2\nexit 1\n"
BACKEND = """
import sys
from pathlib import Path

Path(sys.argv[sys.argv.index("--directory") + 1], "cabinet-1.2.3-py3-none-any.whl").touch()
"""
WHEEL = {
    "hatchling/__init__.py": "",
    "hatchling/__main__.py": BACKEND,
    "hatchling-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: hatchling\nVersion: 1\n",
    "hatchling-1.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "hatchling-1.dist-info/RECORD": "",
}
COMMON = {"cabinet-1.2.3-docs.tar.gz", "cabinet-1.2.3-py3-none-any.whl", "cabinet-art_1.2.3-1_all.deb"} | {
    "cabinet-venue_1.2.3_own.deb"
}
WITH_IMAGE = COMMON | {"cabinet-1.2.3-arm64.files", "cabinet-1.2.3-arm64.packages", "cabinet_1.2.3-1_arm64.deb"}


class Project:
    """A repository that may be released: the small project, committed and tagged."""

    def __init__(self, folder: Path) -> None:
        self.tree, wheels, tools = folder / "tree", folder / "wheels", folder / "tools"
        for place in (self.tree, wheels, tools):
            place.mkdir()
        for name, text in GIVEN.items():
            self.writes(name, text)
        for name in (".ci/release", "controller/features/demo/pip_install.py"):
            (self.tree / name).parent.mkdir(parents=True)
            shutil.copy(ROOT / name, self.tree / name)
        (self.tree / ".venv").symlink_to(sys.prefix)
        with ZipFile(wheels / "hatchling-1-py3-none-any.whl", "w") as wheel:
            for name, text in WHEEL.items():
                wheel.writestr(name, text)
        (tools / "dpkg-deb").symlink_to("/bin/true")
        people = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "GIT_"))},
            **people,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "PIP_FIND_LINKS": str(wheels),
            "PIP_NO_INDEX": "1",
            "PYTHON": sys.executable,
        }
        self.does("git init --quiet && git add . && git commit --quiet --message first")
        self.does("git tag --annotate v1.2.3 --message first")

    def writes(self, name: str, text: str) -> None:
        """Write a file of the tree; a script may be run."""
        (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / name).write_text(text)
        if text.startswith("#!"):
            (self.tree / name).chmod(0o755)

    def tags(self, name: str, text: str) -> None:
        """Write a file of the tree, commit it and move the tag there."""
        self.writes(name, text)
        self.does("git commit --quiet --all --message more && git tag --force --annotate v1.2.3 --message again")

    def does(self, script: str) -> None:
        """Run a script of the shell in the tree."""
        subprocess.run(["sh", "-e", "-c", script], cwd=self.tree, env=self.environment, check=True, capture_output=True)

    def released(self, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run `.ci/release` from another folder."""
        return subprocess.run(
            [self.tree / ".ci/release", *options],
            cwd=self.tree.parent,
            env=self.environment | variables,
            check=False,
            capture_output=True,
            text=True,
        )

    def refused(self, *options: str, **variables: str) -> str:
        """Return in which words a release is refused before anything is made."""
        done = self.released(*options, **variables)
        assert done.returncode == 1, done.stderr
        assert not {"dist", "build"} & {path.name for path in self.tree.iterdir()}
        return done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One that may be released."""
    return Project(tmp_path)


def summed(dist: Path) -> set[str]:
    """Return the files that SHA256SUMS names, each of which is as it says."""
    subprocess.run(["sha256sum", "--quiet", "--strict", "--check", "SHA256SUMS"], cwd=dist, check=True)
    return {line.split("  ")[1] for line in (dist / "SHA256SUMS").read_text().splitlines()}


OPTIONS = pytest.mark.parametrize("options", [(), ("--rehearse",)], ids=["release", "rehearsal"])


@OPTIONS
@pytest.mark.parametrize(
    ("spoils", "words"), [("echo >>constraints.txt", " M constraints.txt"), ("touch new.py", "?? new.py")]
)
def test_changes_are_refused(project: Project, spoils: str, words: str, options: tuple[str, ...]) -> None:
    """Untracked files too, which the wheel would take; in a rehearsal as well."""
    project.does(spoils)
    assert words in project.refused(*options)


@OPTIONS
def test_a_long_section_is_refused(project: Project, options: tuple[str, ...]) -> None:
    """In a rehearsal as well."""
    project.tags("CHANGELOG.md", changes(entries=79))
    said = project.refused(*options)
    assert said == 'release: CHANGELOG.md: the section "## 1.2.3 (2026-12-01)" has 81 lines; shorten it to 80\n'


def test_a_section_of_eighty_lines_is_released(project: Project) -> None:
    """Blank lines before the next section are not counted, nor the sections of earlier releases."""
    project.tags("CHANGELOG.md", changes(entries=78))
    assert project.released().returncode == 0


@pytest.mark.parametrize(
    "heading",
    ["## Unreleased: 1.2.3", "## 1.2.3", "## 1.2.3 (2026-..-..)", "## 1.2.4 (2026-12-01)", "## 1x2.3 (2026-12-01)"],
)
def test_a_first_section_that_is_not_the_dated_one_of_the_version_is_refused(project: Project, heading: str) -> None:
    """What is unreleased above it would be released without a word."""
    project.tags("CHANGELOG.md", changes(heading) + changes())
    assert f'CHANGELOG.md: the first section is "{heading}"; make it "## 1.2.3 (' in project.refused()


@pytest.mark.parametrize(
    ("spoils", "words"),
    [
        ("git tag --delete v1.2.3", "HEAD has no tag v1.2.3: git tag --annotate v1.2.3"),
        ("git tag --force v1.2.3", "the tag v1.2.3 is not annotated: git tag --delete v1.2.3"),
        (
            "git commit --allow-empty --message later",
            "the tag v1.2.3 is on another commit than HEAD: git checkout v1.2.3",
        ),
        ("git tag --delete v1.2.3 && git branch v1.2.3", "HEAD has no tag v1.2.3"),
    ],
    ids=["none", "light", "elsewhere", "branch"],
)
def test_a_commit_without_its_annotated_tag_is_refused(project: Project, spoils: str, words: str) -> None:
    """A release is found again by its tag."""
    project.does(spoils)
    assert words in project.refused()


def test_what_it_is_made_with_is_asked_for_first(project: Project) -> None:
    """The image's tools, an interpreter that makes environments, the maker's key."""
    assert "makes no environments: apt-get install python3-venv" in project.refused(PYTHON="/bin/false")
    assert "SIGNING_KEY: none.key cannot be read" in project.refused(SIGNING_KEY="none.key")
    project.tags("image/make-image", NO_IMAGE)
    said = project.refused()
    assert said.index("missing: mcopy") < said.index("no image can be made here")


@needs_tools("openssl")
def test_a_release_has_every_part_and_sums_that_are_signed(project: Project) -> None:
    """The cabinet's packages are the image's; what an earlier build left is not of the release."""
    project.does("mkdir build dist && touch build/cabinet_1.2.3-1_own.deb dist/cabinet-1.2.2-py3-none-any.whl")
    project.does("openssl genpkey -algorithm ed25519 -out build/maker.key")
    project.does("openssl pkey -in build/maker.key -pubout -out build/maker.pem")
    done = project.released(SIGNING_KEY=str(project.tree / "build/maker.key"))
    assert done.returncode == 0, done.stderr
    dist = project.tree / "dist"
    assert summed(dist) == WITH_IMAGE
    assert {path.name for path in dist.iterdir()} == WITH_IMAGE | {"SHA256SUMS", "SHA256SUMS.sig"}
    verify = "openssl pkeyutl -verify -pubin -inkey ../build/maker.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig"
    project.does(f"cd dist && {verify}")
    with tarfile.open(dist / "cabinet-1.2.3-docs.tar.gz") as site:
        assert site.getnames() == ["cabinet-1.2.3-docs", "cabinet-1.2.3-docs/index.html"]


def test_a_rehearsal_asks_for_neither_tag_nor_date_nor_image(project: Project) -> None:
    """It has packages of this machine in place of the image's, says so, and signs nothing without a key."""
    project.tags("image/make-image", NO_IMAGE)
    project.tags("CHANGELOG.md", changes("## Unreleased: 1.2.3"))
    project.does("git tag --delete v1.2.3")
    done = project.released("--rehearse")
    assert done.returncode == 0, done.stderr
    assert "this rehearsal goes on without the image" in done.stderr
    assert "SHA256SUMS is not signed" in done.stderr
    assert summed(project.tree / "dist") == COMMON | {"cabinet_1.2.3-1_own.deb"}


def test_a_part_that_fails_ends_it_without_sums(project: Project) -> None:
    """Nobody takes what is there for a release."""
    project.tags("systemd/venue/make-deb", "#!/bin/sh\nexit 3\n")
    assert project.released().returncode == 3
    assert not (project.tree / "dist/SHA256SUMS").exists()


def test_another_option_is_refused(project: Project) -> None:
    """A rehearsal that is misspelt is no release."""
    done = project.released("--rehearsal")
    assert (done.returncode, done.stderr) == (2, "usage: .ci/release [--rehearse]\n")


@pytest.mark.proof
@needs_tools("dpkg-deb", packages="dpkg")
def test_a_rehearsal_of_this_commit(tmp_path: Path) -> None:
    """In a clone, with libraries from the index and the art that is baked here. Ten minutes, hours with the image."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "-c", "safe.directory=*", "clone", "--quiet", ROOT, clone], check=True)
    if (ROOT / "build/baked").is_dir():
        shutil.copytree(ROOT / "build/baked", clone / "build/baked", symlinks=True)
    has_image = subprocess.run([clone / "image/make-image", "--check"], check=False).returncode == 0
    subprocess.run(["make", "release", "OPTIONS=--rehearse"], cwd=clone, check=True)
    (version,) = [
        line.split('"')[1] for line in (clone / "pyproject.toml").read_text().splitlines() if line.startswith("version")
    ]
    own = subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
    cabinets = "arm64" if has_image else own
    expected = {
        *(f"cabinet-{version}-docs.tar.gz", f"cabinet-{version}-py3-none-any.whl"),
        *(
            f"cabinet_{version}-1_{cabinets}.deb",
            f"cabinet-art_{version}-1_all.deb",
            f"cabinet-venue_{version}_{own}.deb",
        ),
        *((f"cabinet-{version}-arm64.packages", f"cabinet-{version}-arm64.files") if has_image else ()),
    }
    assert summed(clone / "dist") == expected
    with ZipFile(clone / f"dist/cabinet-{version}-py3-none-any.whl") as wheel:
        assert f"\nVersion: {version}\n" in wheel.read(f"cabinet-{version}.dist-info/METADATA").decode()
        assert "controller/cli.py" in wheel.namelist()
    venue = ["dpkg-deb", "--contents", clone / f"dist/cabinet-venue_{version}_{own}.deb"]
    contents = subprocess.check_output(venue, text=True)
    assert "/opt/cabinet-venue/baked/ui/1/" in contents
    assert "/opt/cabinet-venue/baked/ui/1.5/" not in contents
