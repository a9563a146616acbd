"""The command line. A command's module is imported only when that command runs, so `--help` stays instant."""

import io
import os
import sys
from pathlib import Path

import click

from controller import feature
from controller.feature import Command
from controller.system.extras import mend_of

CORE = {
    "audit": Command("controller.commands.audit:audit", "Prove the journal: chain, meters, equation, every round."),
    "check-config": Command("controller.commands.check_config:check_config", "Check a cabinet.toml."),
    "display": Command("controller.commands.display:display", "The display process of a cabinet."),
    "faults": Command("controller.commands.faults:faults", "The list of error codes that hangs inside the cabinet."),
    "identity": Command(
        "controller.commands.identity:identity", "The cabinet's key pair, and what its journal is bound to."
    ),
    "init": Command("controller.commands.init:init", "Make the journal of a new cabinet."),
    "run": Command("controller.commands.run:run", "The supervisor of a real cabinet."),
}
"""The commands of every cabinet; the others come with their features."""


def commands() -> dict[str, Command]:
    """Return all commands by their names."""
    return CORE | feature.commands()


class LazyGroup(click.Group):
    """A group that knows its commands' names and one-liners, and imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, without importing anything."""
        del ctx
        return sorted(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command called `cmd_name`, or None where there is none."""
        del ctx
        found = commands().get(cmd_name)
        if found is None:
            return None
        command: click.Command = feature.import_attribute(found.target)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for `--help` from the table, not from their modules."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(sorted((name, one.help) for name, one in commands().items()))


def _look_in(_context: click.Context, _option: click.Parameter, folders: tuple[Path, ...]) -> None:
    if folders:
        from gamekit import catalogue  # noqa: PLC0415 - `--help` stays instant

        for folder in folders:
            catalogue.look_in(folder)


@click.group(cls=LazyGroup)
@click.option(
    "--games",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_look_in,
    help="Find games in this folder too (a studio's own).",
)
@click.version_option(package_name="cabinet", message="%(prog)s %(version)s")
def main() -> None:
    """Run, prove and look after a slot cabinet."""


CHILDREN = {"PYTHONSAFEPATH": "1"}
"""The environment of each Python that is started, as in the units: nothing is imported from the current folder."""


def start_children_safely() -> None:
    """Have each Python that is started import from the program alone, and from what PYTHONPATH names from / on.

    An entry of it that is empty or relative is the current folder, or lies there.
    """
    os.environ.update(CHILDREN)
    named = [entry for entry in os.environ.pop("PYTHONPATH", "").split(os.pathsep) if entry.startswith("/")]
    if named:
        os.environ["PYTHONPATH"] = os.pathsep.join(named)


def run() -> None:
    """Run `cabinet` as a program: its children start as safely as a unit's, and what it meets outside is an error line.

    A locale that has no word for a character gets another one; a folder that cannot be written, a file that is missing
    and an extra that is not installed are named, with exit code 1.
    """
    start_children_safely()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        main(prog_name="cabinet")
    except ModuleNotFoundError as error:
        if (mend := mend_of(error)) is None:
            raise
        sys.exit(f"Error: {mend}")
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        sys.exit(f"Error: {place}{error.strerror or error}")
