"""`make demo` installs into .venv whatever a user has set in pip's files: a real environment, a folder of wheels."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from controller.features.demo.pip_install import sources
from tests.rigs.needing import needs_tools
from tests.rigs.paths import ROOT

pytestmark = pytest.mark.processes

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "cabinet"
version = "1"
dependencies = ["toy"]
optional-dependencies = {bake = [], dev = []}
"""
BACKEND = """
from zipfile import ZipFile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "cabinet-1-py3-none-any.whl"
    with ZipFile(f"{folder}/{name}", "w") as wheel:
        about = "cabinet-1.dist-info"
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\\nName: cabinet\\nVersion: 1\\nRequires-Dist: toy\\n"
                       "Provides-Extra: bake\\nProvides-Extra: dev\\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\n"
                       "Tag: py3-none-any\\n")
        wheel.writestr(f"{about}/RECORD", "")
    return name

build_wheel = build_editable
"""
ELSEWHERE = (
    *("target = {elsewhere}", "prefix = {elsewhere}", "root = {elsewhere}", "user = true", "dry-run = true"),
    *("no-deps = true", "require-hashes = true", "python = {elsewhere}/python", "constraint = {elsewhere}/none.txt"),
    *("requirement = {elsewhere}/none.txt", "editable = {elsewhere}", "platform = any", "no-build-isolation = false"),
    *("[global] python = {elsewhere}/python", "[global] quiet = 3"),
)
"""Settings of a pip.conf with which pip would install elsewhere, something else, or not at all, or say nothing."""


class Newcomer:
    """A user with files of pip's own, and the project's Makefile with a package of one wheel besides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree, self.home, self.wheels = folder / "tree", folder / "home", folder / "wheels"
        for place in (self.tree / "ui", self.tree / "games", self.home / ".config/pip", self.wheels):
            place.mkdir(parents=True)
        for name in ("Makefile", "controller/features/demo/step.py", "controller/features/demo/pip_install.py"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        (self.tree / "pyproject.toml").write_text(PROJECT)
        (self.tree / "backend.py").write_text(BACKEND)
        (self.tree / "constraints.txt").write_text("toy==1\n")
        for version in (1, 2):
            self._make_wheel(version)

    def _make_wheel(self, version: int) -> None:
        about = f"toy-{version}.dist-info"
        with ZipFile(self.wheels / f"toy-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("toy.py", f"VERSION = {version}\n")
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: toy\nVersion: {version}\n")
            wheel.writestr(
                f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(f"{about}/RECORD", "")

    def made(self, *settings: str) -> "subprocess.CompletedProcess[str]":
        """Run the Makefile's installation with a pip.conf of these settings, whose wheels are in a folder."""
        for place in (self.tree / ".venv").glob("lib/*/site-packages/*"):
            if place.name.startswith(("toy", "cabinet")):
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        (self.tree / ".venv/.ready-to-play").unlink(missing_ok=True)
        self.sets(*settings)
        return self.run("make", f"PYTHON={sys.executable}", ".venv/.ready-to-play")

    def sets(self, *settings: str) -> None:
        """Write a pip.conf of these settings, with the wheels' folder."""
        whole = [one.removeprefix("[global] ") for one in settings if one.startswith("[global] ")]
        others = [one for one in settings if not one.startswith("[global] ")]
        lines = ["[global]", "no-index = true", f"find-links = {self.wheels}", *whole, "[install]", *others]
        (self.home / ".config/pip/pip.conf").write_text("\n".join(lines) + "\n")

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command in the tree as this user."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON", "XDG_"))}
        return subprocess.run(
            command,
            cwd=self.tree,
            env={**mine, "HOME": str(self.home)},
            check=False,
            capture_output=True,
            text=True,
        )

    @property
    def toy(self) -> str:
        """The version of the wheel in the environment."""
        command = [self.tree / ".venv/bin/python", "-I", "-c", "import toy; print(toy.VERSION)"]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """One for all settings."""
    return Newcomer(tmp_path_factory.mktemp("newcomer"))


@needs_tools("make")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("setting", ELSEWHERE)
def test_packages_land_in_the_environment_whatever_pips_file_says(newcomer: Newcomer, setting: str) -> None:
    """The project and what it needs, of the version that its constraints name; the wheels' folder is the user's."""
    elsewhere = newcomer.folder / "elsewhere"
    made = newcomer.made(setting.format(elsewhere=elsewhere))
    assert (made.returncode, newcomer.toy) == (0, "1"), made.stdout + made.stderr
    assert not elsewhere.exists()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("setting", ELSEWHERE)
def test_another_environment_and_a_mere_folder_are_filled_whatever_pips_file_says(tmp_path: Path, setting: str) -> None:
    """As the packages are built: an environment without a pip of its own, and a folder for another machine."""
    newcomer = Newcomer(tmp_path)
    elsewhere, other, folder = tmp_path / "elsewhere", tmp_path / "other", tmp_path / "folder"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", other], check=True)
    newcomer.sets(setting.format(elsewhere=elsewhere))
    wanted = ("--quiet", "--constraint", "constraints.txt", "toy")
    for arguments in (("--into", str(other / "bin/python"), "toy", *wanted), ("-", *wanted, "--target", str(folder))):
        done = newcomer.run(sys.executable, "-I", "controller/features/demo/pip_install.py", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    filled = [next(other.glob("lib/*/site-packages")), folder]
    assert ["VERSION = 1" in (place / "toy.py").read_text("utf-8") for place in filled] == [True, True]
    assert not elsewhere.exists()


def test_every_script_that_installs_goes_that_one_way() -> None:
    """No script has pip install, download or uninstall by itself, with whatever a user has set for it."""
    folders = ("systemd", "image", "tests/pi", ".ci")
    scripts = [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    own = re.compile(r"-m pip\b(?! --version)|\bpip3? (install|uninstall|download)\b")
    found = {
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in [ROOT / "Makefile", *scripts]
        if b"\0" not in (content := path.read_bytes())
        for line in content.decode().splitlines()
        if own.search(line)
    }
    # in a tree of the image's own, with an environment that is empty but for where the wheels are; and without any
    assert [line.partition(":")[0] for line in sorted(found)] == ["image/make-image", "systemd/venue/make-deb"]
    assert "PIP_CONFIG_FILE=/dev/null" in max(found)
    assert "--isolated" in max(found)


@needs_tools("make")
def test_an_installation_that_went_elsewhere_ends_in_words(newcomer: Newcomer) -> None:
    """Where pip ends well and the package is not there, and where there are no wheels."""
    assert newcomer.made().returncode == 0
    command = [str(newcomer.tree / ".venv/bin/python"), "-I", "controller/features/demo/pip_install.py"]
    wheel = str(newcomer.wheels / "toy-1-py3-none-any.whl")
    done = subprocess.run([*command, "other", wheel], cwd=newcomer.tree, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"other is not in {newcomer.tree}/.venv, though pip ended well" in done.stderr
    assert newcomer.made(f"find-links = {newcomer.folder}/none").returncode != 0


def test_where_packages_come_from_stays_the_users() -> None:
    """From the nearest place that sets it; nothing else of pip's settings counts."""
    listed = (
        "global.index-url='https://all.example/simple'\nglobal.cert='/etc/own.pem'\ninstall.target='/elsewhere'\n"
        "install.index-url='https://install.example/simple'\n:env:.proxy='http://proxy:3128'\n:env:.user='yes'\n"
        "global.find-links='/a\\n/b'\nfreeze.timeout='10'\n"
    )
    assert sources(listed) == {
        "PIP_INDEX_URL": "https://install.example/simple",
        "PIP_CERT": "/etc/own.pem",
        "PIP_PROXY": "http://proxy:3128",
        "PIP_FIND_LINKS": "/a\n/b",
    }
