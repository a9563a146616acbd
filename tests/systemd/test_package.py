"""The Debian packages: each file is in one of the two, and lintian finds nothing but what the overrides name."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.rigs.needing import needs_tools
from tests.systemd.unit_files import SYSTEMD

ART = "/opt/cabinet/baked"
DEBIAN_OWN = ("/usr/share/doc/", "/usr/share/lintian/overrides/")
"""Where what Debian wants of a package lies, which is not of the staged tree."""

needs_dpkg = needs_tools("dpkg-deb", packages="dpkg")


class Packages(NamedTuple):
    """The program's package, the art's, and the files and links of the tree that they were made of."""

    program: Path
    art: Path
    staged: frozenset[str]

    def field(self, package: Path, name: str) -> str:
        """Return a field of a package's control file."""
        return subprocess.check_output(["dpkg-deb", "--field", package, name], text=True).strip()


def names(package: Path) -> set[str]:
    """Return the files and links in a package."""
    lines = subprocess.check_output(["dpkg-deb", "--contents", package], text=True).splitlines()
    rows = [line.split(maxsplit=5) for line in lines]
    return {row[5].split(" -> ")[0].removeprefix(".") for row in rows if not row[0].startswith("d")}


@pytest.fixture(scope="module", params=[{}, {"GIT_DIR": "/nowhere"}], ids=["repository", "archive"])
def packages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Packages]:
    """A tree with the system files in their places, a studio's game and a picture, and no library.

    It is packed from a repository, and from an archive of one, which has no history.
    """
    tree = tmp_path_factory.mktemp("package") / "tree"
    home = tree / "opt/cabinet"
    (home / "venv/lib/python3.13/site-packages").mkdir(parents=True)
    (home / "venv/bin").mkdir()
    cabinet = home / "venv/bin/cabinet"
    cabinet.write_text("#!/opt/cabinet/venv/bin/python\n", encoding="utf-8")
    cabinet.chmod(0o755)
    shutil.copytree(SYSTEMD, home / "system", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("version", "baked/studio/atlas.webp", "baked/sounds/spin.flac", "games/studio/game.toml"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("0.0.1\n", encoding="utf-8")
    subprocess.run([SYSTEMD / "place", tree], check=True)
    staged = {f"/{path.relative_to(tree)}" for path in tree.rglob("*") if path.is_symlink() or path.is_file()}
    command = [SYSTEMD / "make-deb", "--staged", tree, "--architecture", "arm64"]
    program, art = map(Path, subprocess.check_output(command, text=True, env=os.environ | request.param).splitlines())
    yield Packages(program, art, frozenset(staged))
    program.unlink()
    art.unlink()


@needs_dpkg
def test_each_file_is_in_one_of_the_packages(packages: Packages) -> None:
    """In neither it would be missing, in both dpkg would not install the second."""
    program, art = names(packages.program), names(packages.art)
    assert program & art == set()
    assert {name for name in program | art if not name.startswith(DEBIAN_OWN)} == packages.staged
    assert packages.staged


@needs_dpkg
def test_the_art_is_in_the_package_of_the_art_alone(packages: Packages) -> None:
    """A studio's baked game too, whose program is the other package's: its compiled files are of one Python."""
    own = {name for name in names(packages.art) if not name.startswith(DEBIAN_OWN)}
    assert own == {name for name in packages.staged if name.startswith(f"{ART}/")}
    assert own == {f"{ART}/studio/atlas.webp", f"{ART}/sounds/spin.flac"}
    assert packages.field(packages.art, "Architecture") == "all"
    assert packages.field(packages.program, "Architecture") == "arm64"


@needs_dpkg
def test_each_package_takes_the_other_of_its_own_version_alone(packages: Packages) -> None:
    """One signature covers both. The package of before, which had all in one, was of the program's bare version."""
    version = packages.field(packages.program, "Version")
    assert packages.field(packages.art, "Version") == version
    assert f"cabinet-art (= {version})" in packages.field(packages.program, "Depends").split(", ")
    assert packages.field(packages.art, "Breaks") == f"cabinet (<< {version}), cabinet (>> {version})"
    assert packages.field(packages.art, "Replaces") == f"cabinet (<< {version})"
    older = subprocess.run(["dpkg", "--compare-versions", "0.0.1", "lt", version], check=False)
    assert older.returncode == 0


@pytest.mark.parametrize(
    "script", sorted(SYSTEMD.glob("debian/*/p*")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_every_maintainer_script_is_sound_shell(script: Path) -> None:
    """The shell reads each to its end, and each stops at the first failure."""
    subprocess.run(["sh", "-n", script], check=True)
    assert "\nset -e\n" in script.read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["cabinet", "cabinet-art"])
def test_a_package_empties_nothing_before_its_own_files_are_there(package: str) -> None:
    """A failure while dpkg unpacks leaves a program in place: only `configure` takes away what is not listed."""
    assert "rm " not in (SYSTEMD / "debian" / package / "preinst").read_text("utf-8")
    assert "strays /opt/cabinet" in (SYSTEMD / "debian/cabinet/postinst").read_text("utf-8")


def removed(tree: Path, package: str, how: str = "remove") -> None:
    """Run a package's postrm on the machine below `tree`, as dpkg does after its files have gone."""
    script = (SYSTEMD / "debian" / package / "postrm").read_text(encoding="utf-8")
    for place in ("/opt/", "/etc/", "/usr/", "/var/", "/run/"):
        script = script.replace(f" {place}", f" {tree}{place}")
    subprocess.run(["sh", "-c", script, "postrm", how], check=True)


@pytest.mark.parametrize("first", ["cabinet", "cabinet-art"])
def test_a_removed_package_takes_what_an_update_has_left_and_nothing_of_the_other(tmp_path: Path, first: str) -> None:
    """In either order; with the second one the folder goes."""
    home = tmp_path / "opt/cabinet"
    for name in ("baked/ui/newer.webp", "games/newer/game.toml", "venv/lib/newer.py", ".newer"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    (tmp_path / "opt/other").mkdir()
    program = {"venv", "games", ".newer"}
    removed(tmp_path, first)
    assert {path.name for path in home.iterdir()} == (program if first == "cabinet-art" else {"baked"})
    removed(tmp_path, "cabinet" if first == "cabinet-art" else "cabinet-art")
    assert [path.name for path in (tmp_path / "opt").iterdir()] == ["other"]


def test_purged_art_leaves_the_art_of_an_older_cabinet(tmp_path: Path) -> None:
    """After a downgrade to the package that had all in one, the art's is removed and not purged yet."""
    picture = tmp_path / "opt/cabinet/baked/ui/older.webp"
    picture.parent.mkdir(parents=True)
    picture.touch()
    removed(tmp_path, "cabinet-art", "purge")
    assert picture.exists()


@pytest.mark.proof
@needs_tools("lintian", "dpkg-deb", packages="lintian dpkg")
@pytest.mark.parametrize("package", ["program", "art"])
def test_lintian_finds_nothing_else(packages: Packages, package: str) -> None:
    """Each override has its reason beside it."""
    judge = ["lintian", "--allow-root", "--fail-on", "error,warning", getattr(packages, package)]
    done = subprocess.run(judge, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
