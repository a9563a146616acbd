import subprocess
import sys

import pytest
from click.testing import CliRunner

from controller import feature
from controller.cli import CORE, commands, main
from controller.service import tree

HEAVY = ("pygame", "numpy", "sqlite_utils", "gpiozero", "hypothesis")


def loaded_by(code: str) -> set[str]:
    """Return which heavy packages a fresh interpreter holds after `code`."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nsys.exit(' '.join({{*{HEAVY!r}}} & {{*sys.modules}}))"],
        capture_output=True,
        text=True,
        check=False,
    )
    return set(shown.stderr.split())


def test_help_lists_every_command() -> None:
    """The group's help names all commands, with what each is for."""
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    assert all(name in result.output and words in result.output for name, (_, words) in commands().items())


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_can_be_imported_under_its_own_name(name: str) -> None:
    """The table of commands points at commands that exist and are called what the table calls them."""
    command = main.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.name == name


def test_an_unknown_command_is_reported() -> None:
    """A misspelt command is a usage error, not a crash."""
    result = CliRunner().invoke(main, ["dmeo"])
    assert result.exit_code == 2
    assert "No such command 'dmeo'" in result.output


@pytest.mark.processes
def test_help_loads_nothing_heavy() -> None:
    """`cabinet --help` answers at once: no command's module is imported for it."""
    assert loaded_by("from controller.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass") == set()


@pytest.mark.processes
def test_the_supervisor_never_holds_a_screen_or_a_schema_tool() -> None:
    """What runs for months on a Pi carries neither pygame nor numpy nor sqlite-utils."""
    assert loaded_by("import controller.supervisor") <= {"gpiozero"}


def test_no_two_commands_and_no_two_pages_have_one_name() -> None:
    """Neither of two features, nor of a feature and the core: one would hide the other."""
    named = [*CORE, *(name for one in feature.features().values() for name in one.commands)]
    assert len(named) == len(set(named))
    codes = [page.code for module in tree.modules() for page in module.PAGES]
    assert len(codes) == len(set(codes))
