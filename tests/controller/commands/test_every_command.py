"""Every command where something of the machine is missing: real processes, which end with words and no traceback."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from controller.cli import CHILDREN, commands
from controller.system.extras import EXTRAS
from tests.rigs import bare_program
from tests.rigs.own_mounts import own_mounts
from tests.rigs.paths import ROOT, SAMPLE
from tests.rigs.patience import PATIENCE_S

pytestmark = [pytest.mark.processes, pytest.mark.sampled(3)]

LATIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"}
"""A terminal that has no euro, text files that are not UTF-8 by themselves, and a Python that chooses nothing else."""
EACH = {
    "audit": "{journal}",
    "bake": "--world no-world",
    "check-config": "{sample}",
    "check-game": "no-game",
    "demo": "--run {place}/run --baked {place}/none",
    "display": "{config}",
    "doctor": "{config}",
    "draws": "--game neptune --count 3",
    "export": "{journal} {place}",
    "faults": "",
    "figures": "no-game",
    "highlights": "no-game",
    "identity": "show {config}",
    "init": "{place}/none.toml",
    "merge-exports": "{place}",
    "meters": "",
    "new-game": "coral_reef --in {place}/games",
    "par": "neptune",
    "rebuild": "{config} --reason lost --yes",
    "restore": "{config} {place}",
    "run": "{place}/none.toml",
    "service": "",
    "simulate": "neptune --rounds 100",
    "software": "verify",
    "tune": "neptune",
    "venue": "status --dsn host={place}",
    "verify-export": "{place}",
}
"""A call of each command that is soon over."""
READ_ONLY = (
    "bake --world ui",
    "bake --world ui --out {place}/baked",
    "demo --headless --baked {baked} --run {run}",
    "demo --headless --baked {baked} --run {place}/run",
    "demo --bake --headless --run {run}",
    "export {journal} {place}/exports",
    "new-game coral_reef --in {place}",
    "par neptune --sheet {place}/sheet.pdf",
    "run {config}",
    "software bundle {place} {place} --key {place}/key",
    "venue init --name V --folder {place}/keys --dsn host={place}",
)
"""Calls that write into the folder which they are given, or the current one."""
WITHOUT_EXTRAS = {
    "bake": "pip install 'cabinet[bake]'",
    "bake --help": "pip install 'cabinet[bake]'",
    "demo --bake": "pip install 'cabinet[bake]'",
    "demo --web --baked {baked} --run {place}/run": "pip install 'cabinet[web]'",
    "demo --tickets --baked {baked} --run {place}/run": "pip install 'cabinet[printer]'",
    "figures neptune": "pip install 'cabinet[bake]'",
    "par neptune --html {place}/sheet.html": "pip install 'cabinet[bake]'",
    "par neptune --sheet {place}/sheet.pdf": "pip install 'cabinet[sheets]'",
    "venue status": "pip install 'cabinet[venue]'",
    "venue init --name V": "pip install 'cabinet[venue]'",
    "run {config}": "cabinet[pi]",
}


class Shell:
    """A cabinet's configuration and books in one folder, and an empty `place` to work in."""

    def __init__(self, books: Path) -> None:
        self.place = books / "place"
        config = books / "cabinet.toml"
        text = SAMPLE.read_text("utf-8").replace("/var/lib/cabinet", str(books))
        config.write_text(text.replace("/run/cabinet", str(self.place)), "utf-8")
        self._words = {
            "place": self.place,
            "config": config,
            "journal": books / "journal.sqlite",
            "sample": SAMPLE,
            "baked": ROOT / "build" / "baked",
            "run": books / "run",
        }
        self.empty()
        self.run("init {config}", check=True)

    def empty(self) -> None:
        """Empty the place."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()

    def run(
        self,
        words: str,
        *,
        program: tuple[str, ...] = (sys.executable, "-m", "controller"),
        around: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
        check: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """Run `cabinet WORDS` in the place; `around` is a command that runs the rest."""
        return subprocess.run(
            [*around, *program, *words.format(**self._words).split()],
            cwd=self.place,
            env=os.environ | (variables or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=check,
        )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return Shell(tmp_path_factory.mktemp("books"))


@pytest.fixture
def shell(made: Shell) -> Shell:
    made.empty()
    return made


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The program of an installation without any extra."""
    return str(bare_program.make(tmp_path_factory.mktemp("bare") / "venv")), "-m", "controller"


def ends_in_words(ended: subprocess.CompletedProcess[str]) -> str:
    """Return all that was said, in which there is no traceback; a failure says something."""
    said = ended.stdout + ended.stderr
    assert "Traceback" not in said, said
    assert ended.returncode in {0, 1, 2}, said
    assert said or not ended.returncode
    return said


def calls(name: str) -> str:
    return f"{name} {EACH[name]}"


def test_every_command_is_called_here() -> None:
    """A new command is tried as well."""
    assert EACH.keys() == commands().keys()


@pytest.mark.parametrize("name", sorted(EACH))
def test_a_command_without_any_extra(name: str, shell: Shell, bare: tuple[str, ...]) -> None:
    """On a machine that has only what the program needs."""
    ends_in_words(shell.run(calls(name), program=bare))


@pytest.mark.parametrize("words", WITHOUT_EXTRAS)
def test_a_missing_extra_is_named(words: str, shell: Shell, bare: tuple[str, ...]) -> None:
    """With how to install it, and nothing is begun."""
    ended = shell.run(words, program=bare)
    assert ended.returncode == 1
    assert WITHOUT_EXTRAS[words] in ends_in_words(ended)


@pytest.mark.parametrize("name", sorted(EACH))
def test_a_command_in_a_locale_without_utf_8(name: str, shell: Shell) -> None:
    """What the terminal cannot show is shown as another sign, and files are read as what they are."""
    ends_in_words(shell.run(calls(name), variables=LATIN))


def test_a_sign_that_the_locale_lacks_is_replaced(shell: Shell) -> None:
    """The rest of the line is there."""
    (shell.place / "bar.toml").write_text('[cabinet]\n"in €" = 1\n', "utf-8")
    ended = shell.run("check-config {place}/bar.toml", variables=LATIN)
    assert ended.returncode == 1
    assert "cabinet.in ?:" in ends_in_words(ended)


@pytest.mark.parametrize("words", sorted({*map(calls, EACH), *READ_ONLY}))
def test_a_command_in_a_read_only_folder(words: str, shell: Shell) -> None:
    """The folder is named; what need not write works."""
    script = f'mount -t tmpfs -o ro none "{shell.place}" && cd "{shell.place}" && exec "$@"'
    said = ends_in_words(shell.run(words, around=(*own_mounts(), "sh", "-c", script, "sh")))
    if words in READ_ONLY:
        assert "Read-only file system" in said or str(shell.place) in said


def test_the_version_is_the_installed_one(shell: Shell) -> None:
    """It stands in pyproject.toml alone."""
    assert shell.run("--version").stdout == f"cabinet {version('cabinet')}\n"
    (line,) = [line for line in (ROOT / "pyproject.toml").read_text("utf-8").splitlines() if line.startswith("version")]
    assert line == f'version = "{version("cabinet")}"'


def test_each_extra_is_known_by_its_modules() -> None:
    """What an import misses is named with the extra that brings it; those of the tests are imported by no command."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    modules: dict[str, set[str]] = {}
    for module, distributions in packages_distributions().items():
        for name in distributions:
            modules.setdefault(name.lower().replace("_", "-"), set()).add(module)
    for extra, lines in extras.items():
        if extra in {"dev", "dossier", "test"}:
            continue
        for line in lines:
            name = bare_program.NAME.match(line)[0].lower().replace("_", "-")
            assert name not in modules or modules[name] & set(EXTRAS[extra]), f"{name} of {extra}"


HOSTILE = ("random.py", "serial.py", "logging.py", "click.py", "multiprocessing.py")


@pytest.mark.parametrize(
    "words",
    [
        *("bake --help", "run {place}/none.toml", "display {config}", "init {place}/none.toml", "audit {journal}"),
        *("simulate neptune --rounds 20000 --jobs 2", "check-game neptune --baked {place}"),
    ],
)
def test_nothing_is_imported_from_the_current_folder(words: str, shell: Shell) -> None:
    """Neither by the command nor by any process that it starts, also not by the processes of a pool."""
    for name in HOSTILE:
        (shell.place / name).write_text("raise SystemExit('imported from the current folder')\n")
    script = shell.place.parent / "cabinet"
    script.write_text("from controller.cli import run\nif __name__ == '__main__':\n    run()\n")
    ended = shell.run(words, program=(sys.executable, str(script)))
    assert "imported from the current folder" not in ends_in_words(ended)


def test_children_are_started_as_the_units_start_them() -> None:
    """Each variable of the environment is the unit's."""
    unit = (ROOT / "systemd" / "units" / "cabinet.service").read_text("utf-8")
    assert all(f"{name}={value}" in unit for name, value in CHILDREN.items())


SAFELY = """
import subprocess, sys
from controller.cli import start_children_safely
start_children_safely()
subprocess.run([sys.executable, "-c", "import sys; print(*sys.path, sep=chr(10))"], check=True)
"""


@pytest.mark.parametrize("entry", ["", ".", "lib", "./lib/..", ":"])
def test_no_child_is_given_the_current_folder_by_pythonpath(entry: str, tmp_path: Path) -> None:
    """An entry that is empty or relative lies in it; whole paths are the user's own."""
    (tmp_path / "lib").mkdir()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{entry}"}
    done = subprocess.run(
        [sys.executable, "-c", SAFELY], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    found = done.stdout.splitlines()
    assert str(ROOT) in found
    assert not [folder for folder in found if not folder or Path(folder).is_relative_to(tmp_path)]
