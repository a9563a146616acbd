"""An event in words that can be translated: a template and its figures, read from what the ledger has."""

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

from controller.faults import CATALOGUE, in_words, place_in_words
from controller.journal.event_log import LoggedEvent
from controller.service.event_table import FAULT_FORMS, FORMS, NAMES, Forms
from games.catalogue import NAMES as GAMES
from games.catalogue import load

_FIGURES = {"d": r"-?\d+", "w": r"[\w+-]+", "s": r"\S+", "c": r"[A-Z]\.\d+"}
_COUNTED = re.compile(r"(?P<text>.*) \((?P<times>\d+) times\)", re.DOTALL)
"""What `controller.machine.posts` writes of events that came too fast to be recorded one by one."""
_UNSAID = frozenset(("raised", "opened", "closed"))
"""Details of faults that say no more than the fault itself does."""


class Told(NamedTuple):
    """What an event says: a template that is translated, its figures, its place, and what is told as it is written."""

    template: str
    figures: Mapping[str, str | int] = {}
    place: str = ""
    detail: str = ""
    known: bool = True
    """Whether it has words that can be translated; else it is the ledger's English."""


def told(event: LoggedEvent) -> Told:
    """Return what an event says; one of a kind or a form that this program does not know says its English text."""
    counted = _COUNTED.fullmatch(event.text)
    if counted is not None:
        once = told(event._replace(text=counted["text"]))
        return once._replace(detail=f"{once.detail} {counted['times']} x".strip()) if once.known else _unknown(event)
    place = _place(event)
    forms = FORMS.get(event.code) or FAULT_FORMS.get(event.code, ())
    for written, template in forms:
        figures = _read(written, event.text)
        if figures is not None:
            wanted = {name for name, _ in _fields(template)}
            return Told(
                template, {name: _named(name, value) for name, value in figures.items() if name in wanted}, place
            )
    if event.code in CATALOGUE:
        same = event.text in _UNSAID or event.text == in_words(event.code, event.place)
        return Told(CATALOGUE[event.code].text, {}, place, "" if same else event.text)
    return _unknown(event)


def _unknown(event: LoggedEvent) -> Told:
    """Return what an event says that this program has no words for: its English text."""
    return Told(event.text, detail=_place(event), known=False)


def _read(written: str, text: str) -> dict[str, str | int] | None:
    """Return the figures of a text that was written in that form, None where it was not."""
    found = _pattern(written).fullmatch(text)
    if found is None:
        return None
    whole = {name for name, spec in _fields(written) if spec == "d"}
    return {name: int(value) if name in whole else value for name, value in found.groupdict().items()}


@cache
def _pattern(written: str) -> re.Pattern[str]:
    parts = []
    for before, name, spec, _ in Formatter().parse(written):
        parts.append(re.escape(before))
        if name is not None:
            parts.append(f"(?P<{name}>{_FIGURES.get(_kind(name, spec or ''), '.+?')})")
    return re.compile("".join(parts), re.DOTALL)


def _fields(written: str) -> list[tuple[str, str]]:
    return [(name, _kind(name, spec or "")) for _, name, spec, _ in Formatter().parse(written) if name is not None]


def _kind(name: str, spec: str) -> str:
    return "d" if name.endswith("_cents") else spec


def _named(name: str, value: str | int) -> str | int:
    """Return what a figure is called: the ledger's own words, a fault, a game."""
    if isinstance(value, int):
        return value
    if value in CATALOGUE:
        return CATALOGUE[value].text
    if value in GAMES:
        return load(value).title
    return NAMES.get(f"{name}:{value}") or NAMES.get(value, value)


def _place(event: LoggedEvent) -> str:
    return NAMES.get(event.place) or place_in_words(event.place)


def texts(forms: Mapping[str, Forms]) -> list[str]:
    """Return every template of these forms."""
    return [template for known in forms.values() for _, template in known]
