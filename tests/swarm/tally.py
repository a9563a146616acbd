"""What is held against what at a quiet moment: the devices' and the hands' money against the books and their items."""

from collections.abc import Collection, Sequence
from math import inf
from typing import Final

from controller.books.audit import Proof
from controller.journal.open_items import OpenItem
from drivers.simulated.whereabouts import cents
from tests.swarm.world import World

NOTES_IN = frozenset({"note_unknown", "note_unexpected"})
NOTES_BACK = frozenset({"note_returned_after_credit"})
COINS_IN = frozenset({"coins_lost", "coins_forgotten", "coins_recount"})
PAID_MORE = frozenset({"hopper_overpaid", "hopper_recount", "payout_held", "payout_undecided"})

UNVALUED: Final = frozenset(
    {
        "credit_sensor_timeout",
        "second_close",
        "sensor_blinded",
        "credit_sequence_error",
        "too_fast",
        "too_slow",
        "swallowed",
        "no_credit_kept",
        "double_arrival_keeps_one",
        "routing_error",
    }
)
"""Rows after which a coin lies in the box and its device reports an error without a value."""
PULLED: Final = frozenset({"pulled_after_credit", "removed_after_credit"})
"""Rows after which what was credited is in a cheat's hand: its device reports the attempt."""


class WrongError(AssertionError):
    """What was found not to hold."""


def bounds(items: Sequence[OpenItem], kinds: Collection[str]) -> tuple[float, float]:
    """Return the least and the most that the items of these kinds are worth together."""
    of_kind = [item for item in items if item.kind in kinds]
    return sum(item.least_cents for item in of_kind), sum(
        inf if x.amount_cents is None else x.amount_cents for x in of_kind
    )


def compare(world: World, proof: Proof, items: Sequence[OpenItem]) -> None:
    """Raise `WrongError` if notes, coins or payments differ from the books by more than the open items say."""
    meters = proof.meters
    if proof.failures:
        raise WrongError(f"the audit fails: {proof.failures}")
    lies = {name: cents(part.money()) for name, part in world.parts.items()}
    for what, true_cents, booked, more, less in (
        ("notes", world.kept("notes"), meters.get("notes_in", 0), NOTES_IN, NOTES_BACK),
        ("coins", world.kept("coins"), meters.get("coins_in", 0), COINS_IN, frozenset()),
        ("payments", world.paid_cents, meters.get("hopper_out", 0), PAID_MORE, frozenset()),
    ):
        least, most = bounds(items, more)
        back_least, back_most = bounds(items, less)
        if what == "payments":
            recounted = any(item.kind == "hopper_recount" for item in items)
            least = 0 if recounted else bounds(items, {"hopper_overpaid"})[0]
        befallen = {mark.split()[1] for mark in world.marks}
        if what == "coins" and befallen & UNVALUED:
            most = inf
        if befallen & PULLED:
            back_most = inf
        hangs = 0 if what == "payments" else world.hangs(what)
        if not booked + least - back_most <= true_cents <= booked + most - back_least + hangs:
            said = [(item.kind, item.least_cents, item.amount_cents) for item in items]
            raise WrongError(f"{what}: {true_cents} cents, the books say {booked}, the items {said}; lies {lies}")
