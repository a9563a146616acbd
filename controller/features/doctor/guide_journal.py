"""The progress of the set-up guide of a new cabinet; it survives a power cut at any step.

A demo has no guide.
"""

from enum import StrEnum

import msgspec

from controller.features.doctor.events import GuideEvent
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.transaction import Transaction

OVERVIEW = "U.14"
"""The code of the guide's first page."""


class Step(StrEnum):
    """A step of the guide, in order; the last one ends it."""

    SITE = "site"
    PEOPLE = "people"
    DEVICES = "devices"
    MONEY = "money"
    PANEL = "panel"
    END = "end"


IN_WORDS = {
    Step.SITE: "language and name",
    Step.PEOPLE: "people",
    Step.DEVICES: "devices",
    Step.MONEY: "money",
    Step.PANEL: "buttons and lamps",
    Step.END: "the end",
}
"""The steps as the event log names them."""


class _Way(msgspec.Struct, frozen=True):
    done: tuple[Step, ...] = ()


_GUIDE = Stored(SETTINGS, "guide", _Way)


def begin_guide(tx: Transaction) -> None:
    """Begin the guide, unless it was begun before or the books are simulated."""
    if not tx.is_simulated and _GUIDE.read(tx) is None:
        _GUIDE.write(tx, _Way())


def was_begun(tx: Transaction) -> bool:
    """Return whether the guide was ever begun."""
    return _GUIDE.read(tx) is not None


def steps_done(tx: Transaction) -> frozenset[Step]:
    """Return the steps that are done."""
    way = _GUIDE.read(tx)
    return frozenset() if way is None else frozenset(way.done)


def next_step(tx: Transaction) -> Step | None:
    """Return the next step of a begun guide, or None if no guide is in progress."""
    way = _GUIDE.read(tx)
    if way is None or Step.END in way.done:
        return None
    return next(step for step in Step if step not in way.done)


def step_done(tx: Transaction, step: Step, who: str) -> None:
    """Record that a step is done, once."""
    done = steps_done(tx)
    if step in done:
        return
    _GUIDE.write(tx, _Way(tuple(one for one in Step if one in done | {step})))
    tx.event(GuideEvent.GUIDE_STEP, step=IN_WORDS[step], who=who)
