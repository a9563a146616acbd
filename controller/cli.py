"""The command line. A command's module is imported only when that command runs, so `--help` stays instant."""

import io
import os
import sys
from importlib import import_module
from pathlib import Path

import click

from controller.system.extras import mend_of

# name → (module:attribute, what `cabinet --help` says)
COMMANDS: dict[str, tuple[str, str]] = {
    "audit": ("controller.commands.audit:audit", "Prove the journal: chain, meters, equation, every round."),
    "bake": ("controller.features.designer.bake:bake", "Rasterise the art and render the sounds."),
    "check-game": ("controller.features.designer.check_game:check_game", "Name all that a game lacks, with the mend."),
    "check-config": ("controller.commands.check_config:check_config", "Check a cabinet.toml."),
    "demo": ("controller.features.demo.command:demo", "The whole cabinet with simulated hardware."),
    "display": ("controller.commands.display:display", "The display process of a cabinet."),
    "doctor": ("controller.features.doctor.command:doctor", "What is really there, each with its mend."),
    "draws": ("controller.features.designer.draws:draws", "Draws of this machine's generator, for test batteries."),
    "export": ("controller.features.exports.command:export", "Write the journal's books as signed CSV and JSON."),
    "faults": ("controller.commands.faults:faults", "The list of error codes that hangs inside the cabinet."),
    "figures": (
        "controller.features.designer.figures:figures",
        "Work out what a game returns and may win, and keep it.",
    ),
    "highlights": ("controller.features.designer.highlights:highlights", "Find rounds that attract shows of a game."),
    "identity": ("controller.commands.identity:identity", "The cabinet's key pair, and what its journal is bound to."),
    "init": ("controller.commands.init:init", "Make the journal of a new cabinet."),
    "merge-exports": (
        "controller.features.exports.merge_command:merge_exports",
        "Prove many cabinets' exports, and merge them into one CSV.",
    ),
    "meters": ("controller.commands.meters:meters", "The list of all soft meters, as it is handed over."),
    "new-game": ("controller.features.designer.new_game:new_game", "Write a working game, which plays at once."),
    "par": ("controller.features.designer.par:par", "The PAR sheet of a game."),
    "rebuild": (
        "controller.features.copies.rebuild_command:rebuild_books",
        "Make lost books anew from their second copy.",
    ),
    "restore": (
        "controller.features.copies.restore_command:restore",
        "Restore a backup in place of lost or cleared books.",
    ),
    "run": ("controller.commands.run:run", "The supervisor of a real cabinet."),
    "service": (
        "controller.features.console.command:service",
        "The service menu of a running cabinet, on this console.",
    ),
    "simulate": (
        "controller.features.designer.simulate:simulate",
        "Play many rounds and compare with the exact figures.",
    ),
    "software": ("controller.features.update.command:software", "Prove what is installed; sign and bundle a release."),
    "tune": ("controller.features.designer.tune:tune", "Find reel strips for a return, hit frequency, sigma."),
    "venue": ("controller.features.venue.command:venue", "Set up and look after a venue of many cabinets."),
    "verify-export": (
        "controller.features.exports.command:verify_export",
        "Prove that files are what a cabinet signed.",
    ),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and one-liners, and imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, without importing anything."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command called `cmd_name`, or None where there is none."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for `--help` from the table, not from their modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


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
