"""What is held against what at a quiet moment: the devices' and the hands' money against the books and their items."""

from collections.abc import Collection, Mapping, Sequence
from math import inf
from typing import Final

from controller.books.audit import Proof
from controller.journal.open_items import TICKET, OpenItem
from drivers.simulated.whereabouts import Spot, cents
from tests.swarm.errors import WrongError
from tests.swarm.script import RECYCLER
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
        "deposit_unreported",
    }
)
"""Rows after which a coin lies in the box or a tube, and its device reports nothing or an error without a value."""
PULLED: Final = frozenset({"pulled_after_credit", "removed_after_credit"})
"""Rows after which what was credited is in a cheat's hand: its device reports the attempt."""


MISCOUNTED: Final = frozenset({"falls_uncounted", "falls_at_cut", "counts_without_fall"})
"""Rows after which a payer has paid more or less than its own sensor says."""
BY_LEVEL: Final = frozenset({"smart_hopper", RECYCLER})
"""Payers that miscount by `runs_on`, too: they have no lifetime count."""


ABOUT: Final = {
    **dict.fromkeys(NOTES_IN | NOTES_BACK, ("notes",)),
    **dict.fromkeys(COINS_IN, ("coins",)),
    **dict.fromkeys(PAID_MORE, ("payments",)),
    TICKET: ("notes", "payments"),
}
"""What an item of each kind is about."""


def bounds(items: Sequence[OpenItem], kinds: Collection[str]) -> tuple[float, float]:
    """Return the least and the most that the items of these kinds are worth together."""
    of_kind = [item for item in items if item.kind in kinds]
    return sum(item.least_cents for item in of_kind), sum(
        inf if x.amount_cents is None else x.amount_cents for x in of_kind
    )


def compare(world: World, proof: Proof, items: Sequence[OpenItem]) -> None:
    """Raise `WrongError` if notes, coins or payments differ from the books by more than the open items say."""
    if proof.failures:
        raise WrongError(f"the audit fails: {proof.failures}")
    for item in items:
        _require_cause(world, item)
    rows = {row for _, row in world.befallen}
    pulled = inf if rows & PULLED else 0
    miscounted = inf if rows & MISCOUNTED or ("runs_on" in rows and world.life.payer in BY_LEVEL) else 0
    notes_least, notes_most = bounds(items, NOTES_IN)
    back_least, back_most = bounds(items, NOTES_BACK)
    coins_least, coins_most = bounds(items, COINS_IN)
    over_least, _ = bounds(items, {"hopper_overpaid"})
    _, paid_most = bounds(items, PAID_MORE)
    if world.prints:
        _compare_tickets(world, proof.meters, items)
    recounted = any(item.kind == "hopper_recount" for item in items)
    for what, true_cents, meter, least, most in (
        (
            *("notes", world.kept("notes"), "notes_in"),
            *(notes_least - back_most - pulled, notes_most - back_least + world.hangs("notes")),
        ),
        (
            *("coins", world.kept("coins"), "coins_in"),
            *(coins_least - pulled, inf if rows & UNVALUED else coins_most + world.hangs("coins")),
        ),
        (
            *("payments", world.paid_cents, "hopper_out"),
            *((0 if recounted else over_least) - miscounted, paid_most + miscounted),
        ),
    ):
        booked = proof.meters.get(meter, 0)
        if not booked + least <= true_cents <= booked + most:
            said = [(item.kind, item.least_cents, item.amount_cents) for item in items]
            lies = {name: cents(part.money()) for name, part in world.parts.items()}
            raise WrongError(f"{what}: {true_cents} cents, the books say {booked}, the items {said}; lies {lies}")


def _require_cause(world: World, item: OpenItem) -> None:
    """Raise `WrongError` for an item about a part that no trouble has come to."""
    if world.struck.isdisjoint(map(world.place, ABOUT[item.kind])):
        raise WrongError(f"an item without a cause: {item}; trouble came to {sorted(world.struck)}")


def _compare_tickets(world: World, meters: Mapping[str, int], items: Sequence[OpenItem]) -> None:
    """Hold the tickets in the box against the books, after every ticket that is held was pushed in."""
    boxed = world.tickets(Spot.CASH_BOX, Spot.TAKEN, Spot.LOOSE)
    if twice := [number for number, count in boxed.items() if count > 1]:
        raise WrongError(f"tickets that were taken twice: {twice}")
    true_cents = sum(world.worth[number] for number in boxed)
    least, most = bounds(items, {TICKET, "note_unexpected"})
    taken, printed = meters.get("tickets_in", 0), meters.get("tickets_out", 0)
    hangs = sum(world.worth[number] for number in world.tickets(Spot.PATH))
    in_hand = sum(world.worth[number] for number in {*world.held})
    if not taken + least <= true_cents <= taken + most:
        raise WrongError(f"tickets: {true_cents} cents in the box, the books say {taken}, the items {most}")
    if not 0 <= printed - taken <= most + hangs + in_hand:
        whose = f"items {most}, {in_hand} in hand, {hangs} hang"
        raise WrongError(f"tickets: {printed} cents printed, {taken} taken, {whose}")
