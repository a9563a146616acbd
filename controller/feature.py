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
    """A command of `cabinet`: the `place` that defines it, `module:attribute`, and what `cabinet --help` says of it."""

    place: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What a feature adds; whatever it has none of is left out.

    `commands` are those of `cabinet`, by their names. `tables` are those of `cabinet.toml`, each with its struct,
    `module:name`, and `rules` is the function that reports what else must hold of them. `schema` is the SQL of the
    feature's tables in the journal, and `journal` its `controller.journal.parts.JournalPart`. `pages` are the modules
    that define pages of the service menu, each in its `PAGES` (`controller.service.tree`). `lines` are the functions
    that return lines for pages of the core, by the page's number (`controller.service.page.added_lines`). `part` and
    `locked_part` are the functions that build what runs beside the cabinet, and beside one that is locked from the
    start (`controller.fitting`). Every start calls them: their modules import the rest of the feature only where this
    cabinet has it. `explained` names the tables of which an event repeats every row
    (`controller.journal.explained`): an audit compares both.
    """

    commands: Mapping[str, Command] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""
    schema: str = ""
    journal: str = ""
    pages: tuple[str, ...] = ()
    lines: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    locked_part: str = ""
    explained: str = ""


def commands() -> dict[str, Command]:
    """Return the commands of all features by their names, each with its whole place."""
    return {
        command: one._replace(place=f"{_PACKAGE}.{name}.{one.place}")
        for name, feature in features().items()
        for command, one in feature.commands.items()
    }


def tables() -> dict[str, type[msgspec.Struct]]:
    """Return the structs of all features' tables of `cabinet.toml`, by the names of the tables."""
    return {
        table: at(f"{_PACKAGE}.{name}.{place}")
        for name, feature in features().items()
        for table, place in feature.tables.items()
    }


def rules() -> list[Callable[..., Any]]:
    """Return the functions of all features that check their tables of `cabinet.toml`."""
    return [at(f"{_PACKAGE}.{name}.{feature.rules}") for name, feature in features().items() if feature.rules]


def schemas() -> list[str]:
    """Return the SQL of all features' tables in the journal."""
    return [at(f"{_PACKAGE}.{name}.{feature.schema}") for name, feature in features().items() if feature.schema]


def journal_parts() -> list[Any]:
    """Return the `JournalPart` of each feature that has one."""
    return [at(f"{_PACKAGE}.{name}.{feature.journal}") for name, feature in features().items() if feature.journal]


def pages() -> list[ModuleType]:
    """Return the modules of all features that define pages of the service menu."""
    return [
        import_module(f"{_PACKAGE}.{name}.{page}") for name, feature in features().items() for page in feature.pages
    ]


def lines(page: str) -> list[Callable[..., Any]]:
    """Return the functions of all features that return lines for that page of the core."""
    return [
        at(f"{_PACKAGE}.{name}.{feature.lines[page]}") for name, feature in features().items() if page in feature.lines
    ]


def each(member: Callable[[Feature], str]) -> Iterator[Any]:
    """Import and yield what the features name by one of their members."""
    return (at(f"{_PACKAGE}.{name}.{place}") for name, feature in features().items() if (place := member(feature)))


def at(place: str) -> Any:
    """Import and return what a `place`, `module:attribute`, names."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


@cache
def features() -> Mapping[str, Feature]:
    """Return the features of this program by their names, in the order of the alphabet."""
    names = sorted(path.parent.name for path in _FOLDER.glob("*/feature.py"))
    return {name: import_module(f"{_PACKAGE}.{name}.feature").FEATURE for name in names}
