"""What a feature adds to the cabinet, and which features this program has.

A feature is a folder of `controller/features/` with a `feature.py` that sets `FEATURE`. It is found by its folder: no
list names it, and a folder that is taken away takes its commands and pages with it. A feature names its modules, from
its own folder on; each is imported when it is needed, so that no start and no `--help` loads what nobody asks for.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

_PACKAGE = "controller.features"
_FOLDER = Path(__file__).parent / "features"


class Command(NamedTuple):
    """A command of `cabinet`: its `target`, `module:attribute`, and its line in `cabinet --help`."""

    target: str
    help: str


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What a feature adds; whatever it has none of is left out.

    A field of the form `module:attribute` is a target: what the core imports, and calls or reads.
    """

    commands: Mapping[str, Command] = field(default_factory=dict)
    """The commands of `cabinet`, by their names."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """The tables of `cabinet.toml`, each with its struct."""
    events: str = ""
    """What the feature logs: its `controller.journal.event_catalogue.EventKind`."""
    faults: str = ""
    """What the feature can raise: each `controller.faults.Fault` by its code."""
    rules: str = ""
    """Reports problems of these tables that no field's own bounds catch."""
    schema: str = ""
    """The SQL of the feature's tables in the journal."""
    journal: str = ""
    """The feature's `controller.journal.parts.JournalPart`."""
    pages: tuple[str, ...] = ()
    """The modules that define pages of the service menu, each in its `PAGES` (`controller.service.tree`)."""
    lines: Mapping[str, str] = field(default_factory=dict)
    """By the core's page of the menu, what returns the lines that it also has (`controller.service.page`)."""
    extend_menu: str = ""
    """Adds to what the menu works with (`controller.service.serviced_machine`)."""
    part: str = ""
    """Builds what runs beside the cabinet (`controller.fitting`). Every start calls it: its module imports the rest of
    the feature only where this cabinet has it."""
    locked_part: str = ""
    """Builds what runs beside a cabinet that is locked from the start."""
    proof: str = ""
    """Verifies the program of a cabinet that is locked from the start: `async (Config) -> bool` (P7)."""
    is_on_trial: str = ""
    """Returns whether this program is on trial, so that its books may be rolled back."""
    sessions: str = ""
    """The class that keeps the player's session (`controller.session.player_session`)."""
    session_pages: str = ""
    """The class of the pages of the player's session (`controller.machine.ports.SessionPages`)."""
    check: str = ""
    """Compares the computer with `cabinet.toml` for `cabinet doctor` (`controller.system.findings.Check`)."""
    finish_closed_books: str = ""
    """Completes what was decided about closed books (`controller.books.opening.finish`)."""
    settle: str = ""
    """Brings the feature's files beside the books into line with them, at each opening for play."""
    archiving: str = ""
    """Builds what archives the past of books, from `[storage]` (`controller.books.opening.Archiving`)."""
    rows_kept_by_restore: str = ""
    """Reads what stays as it is when a restore replaces the books (`controller.journal.carried_rows`)."""
    explained: str = ""
    """The tables of which an event repeats every row (`controller.journal.explained`); an audit compares both."""


def commands() -> dict[str, Command]:
    """Return the commands of all features by their names, each with its whole target."""
    return {
        command: one._replace(target=f"{_PACKAGE}.{name}.{one.target}")
        for name, feature in features().items()
        for command, one in feature.commands.items()
    }


def tables() -> dict[str, type[msgspec.Struct]]:
    """Return the structs of all features' tables of `cabinet.toml`, by the names of the tables."""
    return {
        table: import_attribute(f"{_PACKAGE}.{name}.{target}")
        for name, feature in features().items()
        for table, target in feature.tables.items()
    }


def pages() -> list[ModuleType]:
    """Return the modules of all features that define pages of the service menu."""
    return [
        import_module(f"{_PACKAGE}.{name}.{page}") for name, feature in features().items() for page in feature.pages
    ]


def imported(target_of: Callable[[Feature], str]) -> Iterator[Any]:
    """Import and yield what each feature names in one of its fields; features without it are skipped.

    Example: `imported(lambda one: one.faults)`.
    """
    return (
        import_attribute(f"{_PACKAGE}.{name}.{target}")
        for name, feature in features().items()
        if (target := target_of(feature))
    )


def import_attribute(target: str) -> Any:
    """Import and return what a `target`, `module:attribute`, names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


@cache
def features() -> Mapping[str, Feature]:
    """Return the features of this program by their names, in the order of the alphabet."""
    names = sorted(path.parent.name for path in _FOLDER.glob("*/feature.py"))
    return {name: import_module(f"{_PACKAGE}.{name}.feature").FEATURE for name in names}
