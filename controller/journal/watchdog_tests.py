"""The watchdog's deliberate test: written before the feeding stops, and settled by the start that follows (T.16)."""

from enum import StrEnum
from typing import Final

import msgspec

from controller.journal import money
from controller.journal.errors import RefusedError
from controller.journal.key_value import device_state, keep_device_state
from controller.journal.transaction import Transaction

EVENT: Final = "watchdog_test"
PLACE: Final = "watchdog"


class Outcome(StrEnum):
    """What became of the newest test."""

    PENDING = "the feeding has stopped"
    ACTED = "the service manager started the program anew"
    FAILED = "nobody acted: the program was still running"
    LEFT = "it was left before the service manager had to act"
    POWER = "the power was off meanwhile: nothing is proved"
    STOPPED = "the program was stopped in order meanwhile: nothing is proved"


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The newest test: when it began, its outcome, and after how many seconds by the clock on the wall."""

    at_ms: int
    outcome: Outcome
    after_s: float = 0.0


def newest(tx: Transaction) -> Told | None:
    """Return the newest test, None where there never was one."""
    kept = device_state(tx, PLACE)
    return None if kept is None else msgspec.json.decode(kept, type=Told)


def begin(tx: Transaction, who: str, watchdog_s: float | None) -> None:
    """Write that the feeding stops now; raise `RefusedError` without a watchdog, or with money at risk."""
    if watchdog_s is None:
        raise RefusedError("No watchdog is set: nobody would start the program anew")
    if tx.credit_cents:
        raise RefusedError("There is credit on the machine: pay it out first")
    tx.refuse_in_play()
    if money.note_in_hand(tx) is not None:
        raise RefusedError("A note is on its way: wait until it is settled")
    _keep(tx, Told(at_ms=tx.at_ms, outcome=Outcome.PENDING))
    tx.event(EVENT, f"the {who} has the feeding of the watchdog ({watchdog_s:g} s) stopped", place=PLACE)


def is_pending(tx: Transaction) -> bool:
    """Whether a test has begun and nothing is known of its end."""
    told = newest(tx)
    return told is not None and told.outcome is Outcome.PENDING


def end(tx: Transaction, outcome: Outcome) -> None:
    """Write what became of the test that is pending; without one nothing is written."""
    told = newest(tx)
    if told is None or told.outcome is not Outcome.PENDING:
        return
    after_s = max(0, tx.at_ms - told.at_ms) / 1000
    _keep(tx, msgspec.structs.replace(told, outcome=outcome, after_s=after_s))
    tx.event(EVENT, f"{outcome}, after {after_s:.0f} s", place=PLACE)


def _keep(tx: Transaction, told: Told) -> None:
    keep_device_state(tx, PLACE, msgspec.json.encode(told).decode())
