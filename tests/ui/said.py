"""All that the display may say, gathered from the code: what a catalogue must have, in which forms."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import NamedTuple

from controller import faults
from controller.configuration.separators import DATES
from controller.display.link import TOO_LONG
from controller.features import diagnostics as testing
from controller.features.archive import page as archiving
from controller.features.cards import page as cards
from controller.features.cards.desk import REFUSALS
from controller.features.cards.journal import REASONS
from controller.features.care import preset_lines
from controller.features.care import presets as house_presets
from controller.features.copies import backup_page
from controller.features.doctor import guide_journal as guide
from controller.features.doctor.guide import devices, end
from controller.features.tickets import desk as tickets
from controller.features.tickets import slips_page as slips
from controller.features.update import updating_page as updating
from controller.features.venue import proposals
from controller.journal import event_words
from controller.journal.actor import Role
from controller.journal.diagnostics import Outcome
from controller.journal.event_catalogue import every_event
from controller.journal.transaction import MUST_END
from controller.machine import key_switches, view
from controller.media import sticks
from controller.service import (
    cabinet_key,
    configuration,
    lists,
    locked,
    messages,
    onto_sticks,
    pin_gate,
    recall,
    setting_lines,
    settings_log,
    tree,
    typed_days,
)
from controller.service.page import NOT_SHOWN
from controller.settings import settings
from controller.settings import settings_table as table
from controller.system.host import Departure
from controller.system.starts import Start
from drivers.wiring import BUTTONS, DOORS, KEYS
from gamekit import catalogue
from tests.ui.rehearsal import BAKED, MONEY
from ui import text
from ui.bake import worlds
from ui.baking.catalogues import words_of
from ui.baking.sources import read_folder
from ui.baking.wording import called, calls, constants, has_words, modules_of, worded
from ui.languages import Languages
from ui.protocol.values import Money
from ui.theme import load
from venue.page.kinds import KINDS, named

ROOT = Path(text.__file__).parent
_NO_WORDS = (
    "PAGES",
    "NAME",
    "COIN",
    "OLD",
    "FIRST",
    "SECOND",
    "UPDATES",
    "TEST",
    "LATCH",
    "MAIN_DOOR",
    "_GROUPS",
    "_BACK",
    "_WAYS",
    "_SEEN_HERE",
    "_MONEY_IN",
    "LEDGER",
    "ROUNDS",
    "PAYOUTS",
)
"""Constants of the service menu's modules that nobody reads."""


_AMONG_FIGURES = (
    "nobody touched it",
    "the key was turned back",
    "left",
    "itself",
    "the next play",
    "all on",
    "all blinking",
    "all off",
    "one after another",
    "whole",
    "cut off",
    "full clear",
    "its books were lost",
    "nothing is credited",
    "another note came into escrow before its end was reported",
    "the books that followed the backup are lost",
    "the books were lost",
)
"""Figures of events that are shown in the reader's language and are said nowhere else."""


class Said(NamedTuple):
    """What is said: texts, pairs of one and many, and words in pictures."""

    texts: frozenset[str]
    plurals: frozenset[tuple[str, str]]
    drawn: frozenset[str]


def said() -> Said:
    """Return all that the display may say."""
    found = worded(
        (*_modules(ROOT), *(module for name in catalogue.names() for module in modules_of(name))),
        (word for name in catalogue.names() for word in load(name).symbols.values()),
    )
    texts, plurals = set(found.texts), found.plurals
    texts.update(_of_the_controller())
    texts.update(_of_the_service_menu())
    texts.update(_of_the_venues_pages())
    texts -= {form for pair in plurals for form in pair}
    drawn = {words for folder in worlds().values() for source in read_folder(folder) for words in words_of(source)}
    return Said(frozenset(filter(has_words, texts)), plurals, frozenset(drawn))


def _of_the_controller() -> Iterator[str]:
    """Yield what the supervisor sends to be translated: notices, their places, and who must act."""
    yield from (fault.text for fault in (*faults.known_faults().values(), faults.explain("no such code")))
    yield from faults.LOCKS.values()
    yield view.SERVICE_CALL
    yield from (*tickets.REFUSALS.values(), tickets.OTHERWISE)
    yield from filter(None, view.WHO.values())
    places = (*faults.PLACES, *BUTTONS, *DOORS, *KEYS)
    yield from (faults.place_in_words(place) for place in places)


def _of_the_venues_pages() -> Iterator[str]:
    """Yield the names that the codes of events and faults say; the venue's pages have them from this catalogue."""
    codes = {*(event.code for event in every_event()), *faults.known_faults()}
    yield from (named(code) for code in codes - KINDS.keys())


def _of_the_service_menu() -> Iterator[str]:
    """Yield the words of the attendant's and technician's pages, which the supervisor sends to be translated."""
    yield from (*messages.WORDS.values(), *pin_gate.WORDS.values())
    yield from (key_switches.HAND_PAY, key_switches.HOPPER, key_switches.LOCK_UP, tree.BY_CODE)
    yield from (NOT_SHOWN, TOO_LONG)
    yield from guide.IN_WORDS.values()
    yield from (words for order in typed_days.ORDERS.values() for words in order.labels.values())
    yield from Role
    yield from (*REASONS.values(), *REFUSALS.values())
    yield tree.title("")
    yield from (event.template for event in every_event())
    yield from (*event_words.NAMES.values(), *Start, *Departure, *Outcome, *_AMONG_FIGURES)
    yield from (*_refusals(), *MUST_END.values())
    yield from tree.SECTIONS.values()
    yield from _of_the_settings()
    tests = [import_module(f"{testing.__name__}.{found.name}") for found in iter_modules(testing.__path__)]
    modules = (module for module in tree.modules() if module not in (configuration, settings_log))
    shared = (
        archiving,
        backup_page,
        cabinet_key,
        cards,
        devices,
        end,
        lists,
        locked,
        messages,
        onto_sticks,
        pin_gate,
        recall,
        slips,
        sticks,
        updating,
    )
    for module in (*shared, *modules, *tests):
        syntax = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        if module not in (messages, pin_gate):
            yield from constants(syntax, module, but=_NO_WORDS)
        for call in calls(syntax):
            place = {
                "Line": 0,
                "Page": 1,
                "of_books": 1,
                "Entry": 1,
                "listed": 1,
                "device_test_page": 1,
                "to_sticks": 2,
            }.get(called(call), len(call.args))
            for argument in (
                *call.args[place : place + 1],
                *(word.value for word in call.keywords if word.arg in ("question", "empty")),
            ):
                if isinstance(argument, ast.Constant):
                    yield str(argument.value)


def _of_the_settings() -> Iterator[str]:
    """Yield the words of the pages of configuration: labels, choices, presets, and why something is refused."""
    named = {"Line": 0, "Page": 1, "of_books": 1, "Setting": 1, "_members": 1, "Preset": 0}
    own = (configuration, setting_lines, settings_log, settings, table)
    for module in (*own, preset_lines, proposals, house_presets):
        syntax = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        yield from constants(
            syntax,
            module,
            but=("PAGES", "SETTABLE", "MONEY", "AT_NEXT_START", "SYMBOLS", "PRESETS", "JURISDICTIONS"),
        )
        for call in calls(syntax):
            place = named.get(called(call), len(call.args))
            for argument in (
                *call.args[place : place + 1],
                *(word.value for word in call.keywords if word.arg == "question"),
            ):
                if isinstance(argument, ast.Constant):
                    yield str(argument.value)


def _refusals() -> Iterator[str]:
    """Yield why the books or the menu refuse something, which the menu shows."""
    for path in sorted(Path(faults.__file__).parent.rglob("*.py")):
        for call in calls(ast.parse(path.read_text("utf-8"))):
            if call.args and isinstance(call.args[0], ast.Constant) and called(call) == "RefusedError":
                yield str(call.args[0].value)


def _modules(root: Path) -> Iterator[ModuleType]:
    """Yield the display's own modules, but for those that are run."""
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        if parts[-1] != "__main__":
            yield import_module(".".join(parts).removesuffix(".__init__"))


@contextmanager
def spoken(language: str, baked: Path = BAKED) -> Iterator[None]:
    """Let the display speak a language whose catalogue is in `baked`, and English again."""
    text.speak(Languages(baked).catalogue(language), MONEY[language], DATES[language])
    try:
        yield
    finally:
        text.speak(NullTranslations(), Money())
