"""The places in the code that record an event of the catalogue, each with the figures that it passes."""

import ast
from pathlib import Path
from typing import NamedTuple

from controller import faults
from controller.journal.event_catalogue import EventKind, every_event

ROOT = Path(faults.__file__).parent
_CATALOGUE = "event_catalogue.py"
EVENTS = {f"{type(event).__name__}.{event.name}": event for event in every_event()}
"""All events, by the names under which the code mentions them."""


class EventCall(NamedTuple):
    """A call with an event among its arguments: where, of which function, and the names of the figures it passes."""

    event: EventKind
    line: str
    function: str
    figures: frozenset[str]
    passes_on: bool
    """Whether it passes on figures that its own caller has named."""


def event_calls() -> list[EventCall]:
    """Every call in `controller` with `Event.NAME` as an argument, alone or chosen by a condition."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if path.name != _CATALOGUE:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    found += _of(node, f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def named_events() -> set[str]:
    """The names of all events that the code mentions, such as `Event.POWER_UP`."""
    trees = (ast.parse(path.read_text("utf-8")) for path in ROOT.rglob("*.py") if path.name not in _CATALOGUE)
    return {name for tree in trees for node in ast.walk(tree) for name in _names(node)}


def _of(call: ast.Call, line: str) -> list[EventCall]:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    figures = frozenset(word.arg for word in call.keywords if word.arg is not None)
    passes_on = any(word.arg is None for word in call.keywords)
    arguments = [*call.args, *(word.value for word in call.keywords if word.arg == "event")]
    return [
        EventCall(EVENTS[name], line, function, figures, passes_on)
        for argument in arguments
        for name in _names(argument)
    ]


def _names(node: ast.AST) -> list[str]:
    match node:
        case ast.Attribute(value=ast.Name(id=catalogue), attr=name) if f"{catalogue}.{name}" in EVENTS:
            return [f"{catalogue}.{name}"]
        case ast.IfExp(body=one, orelse=other):
            return _names(one) + _names(other)
    return []
