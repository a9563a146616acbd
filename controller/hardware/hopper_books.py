"""Books a hopper's reports: announcements, counts, and the end of a payout, each in one transaction."""

import msgspec

from controller.journal import held_payouts, hoppers, payouts, stored_money
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.faults import fault_over, raise_fault
from controller.journal.held_payouts import HeldPayout
from controller.journal.key_value import DEVICE_STATE, Stored
from controller.journal.payouts import OpenPayout
from controller.journal.transaction import Transaction
from drivers.capabilities import PayoutEnd, PayoutOrder, PayoutOutcome, StockCount, Stocktaking
from drivers.cctalk.hopper_wire import LIFETIME_SPAN

PLACE = "hopper"
CHANGED = "changed"
"""The reason of a payout that ends because another hopper answers, or one that pays in another step."""
BY_LEVEL = frozenset({"ssp", "mdb"})
"""The protocols whose hoppers do not count what left them; their lifetime count is computed from their content."""
_STATES = {
    PayoutEnd.DONE: "done",
    PayoutEnd.EMPTY: "short",
    PayoutEnd.JAMMED: "short",
    PayoutEnd.STOPPED: "short",
    PayoutEnd.UNDECIDED: "undecided",
}


class PayoutDevice(msgspec.Struct, frozen=True):
    """The hopper that a payout was begun with: its protocol, its serial number, and the step in cents that it pays in.

    `by_level` says whether its lifetime count is computed from its content, in that step.
    """

    protocol: str
    serial: int | None
    step_cents: int

    @property
    def by_level(self) -> bool:
        """Whether its lifetime count is computed from its content, like that of an SSP hopper or a changer."""
        return self.protocol in BY_LEVEL


_BEGUN = Stored(DEVICE_STATE, "hopper.payout", PayoutDevice)


def begun(tx: Transaction, device: PayoutDevice) -> None:
    """Record the hopper with which the payout of this transaction begins."""
    _BEGUN.write(tx, device)


def begun_with(tx: Transaction) -> PayoutDevice | None:
    """Return the hopper that the newest payout was begun with, or None if none was recorded."""
    return _BEGUN.read(tx)


def order_of(payout: OpenPayout | HeldPayout) -> PayoutOrder:
    """Return the order for the hopper that must finish or settle a payout."""
    value = payout.coin_value_cents or 1
    return PayoutOrder(
        coins=payout.amount_cents // value,
        serial=payout.serial,
        event_counter=payout.event_counter,
        lifetime=payout.lifetime,
        paid_before=payout.paid_before,
        paid=payout.paid_cents // value + payout.overpaid,
    )


def dispensing(
    tx: Transaction, serial: int, event_counter: int, lifetime: int, value_cents: int, *, by_level: bool = False
) -> None:
    """Record the hopper and its counters before a dispense is sent; this reveals earlier unordered coins."""
    hopper_diagnostic.overtaken(tx, serial, lifetime)
    held_payouts.overtaken(tx, serial, lifetime)
    _compare(tx, serial, lifetime, value_cents, by_level=by_level)
    stored_money.announced(tx, serial)
    payouts.dispensing(tx, serial, event_counter, lifetime)


def dispensing_for_test(
    tx: Transaction, serial: int, event_counter: int, lifetime: int, value_cents: int, *, by_level: bool = False
) -> None:
    """Record the hopper and its counters before a test's dispense is sent, as for a payout."""
    held_payouts.overtaken(tx, serial, lifetime)
    _compare(tx, serial, lifetime, value_cents, by_level=by_level)
    stored_money.announced(tx, serial)
    hopper_diagnostic.announced(tx, serial, event_counter, lifetime)


def counted(tx: Transaction, serial: int, lifetime: int, value_cents: int) -> bool:
    """Compare and store a hopper's lifetime count; return False and do nothing if it must finish something first."""
    if _must_finish(tx, serial):
        return False
    _compare(tx, serial, lifetime, value_cents, by_level=False)
    return True


def stock_counted(
    tx: Transaction, found: StockCount, value_cents: int, *, recycles: bool, moved: bool = False
) -> Stocktaking:
    """Compare and store the content of a hopper or recycler; return the move that is requested from it.

    With `moved` this is the end of a move, and `found` describes that move as the newest operation.
    """
    step = hoppers.step_of(tx, found.serial) or value_cents
    seen = found if step == value_cents else _in_steps(found, step, value_cents)
    if step != value_cents:
        # a test's dispense that was interrupted cannot continue in another step
        hopper_diagnostic.overtaken(tx, found.serial, seen.lifetime)
    if _must_finish(tx, found.serial):
        return Stocktaking(settled=False)
    stored_money.counted(tx, seen, step, recycles=recycles, moved=moved)
    _compare(tx, found.serial, seen.lifetime, step, by_level=True)
    if step != value_cents:
        hoppers.count_in(tx, found.serial, found.lifetime, value_cents)
        stored_money.count_in(tx, found.serial, value_cents)
    store = stored_money.store_of(tx)
    return Stocktaking(settled=True, keep=None if store is None else store.keep)


def _in_steps(found: StockCount, step_cents: int, counted_in_cents: int) -> StockCount:
    """Convert a count made in steps of `counted_in_cents` to the step of the previous count, for comparison."""
    held_cents = sum(value * pieces for value, pieces in found.pieces.items() if not value % step_cents)
    return msgspec.structs.replace(
        found,
        lifetime=-(held_cents // step_cents) % LIFETIME_SPAN,
        let_out=found.let_out * counted_in_cents // step_cents,
    )


def _must_finish(tx: Transaction, serial: int) -> bool:
    payout = payouts.open_payout(tx)
    if payout is not None and payout.serial == serial:
        return True
    return held_payouts.held_by(tx, serial) is not None or hopper_diagnostic.runs_on(tx, serial)


def ended(tx: Transaction, outcome: PayoutOutcome, reason: str = "") -> None:
    """Record the end of the hopper's payout and its faults in one transaction, so that neither is recorded twice."""
    payouts.end_hopper_payout(tx, _STATES[outcome.end], reason or outcome.end.value, recount=outcome.recount)
    _raise(tx, outcome)


def given_up(tx: Transaction) -> None:
    """End the payout of a hopper that does not answer; coins that may have left it are held until it answers."""
    announced = payouts.required_payout(tx).event_counter is not None
    payouts.end_hopper_payout(tx, "undecided" if announced else "short", "away", settles=True)


def settled(tx: Transaction, payout_id: int, outcome: PayoutOutcome) -> None:
    """Record what a hopper's counters say of a held payout, or leave it to the technician if they are inconclusive.

    A payout that a technician has settled in the meantime stays unchanged.
    """
    if all(held.id != payout_id or held.serial is None for held in held_payouts.pending(tx)):
        return
    if outcome.end is PayoutEnd.UNDECIDED:
        held_payouts.cannot_settle(tx, payout_id, recount=outcome.recount)
    else:
        held_payouts.counted(tx, payout_id)
    _raise(tx, outcome)


def _raise(tx: Transaction, outcome: PayoutOutcome) -> None:
    for code, detail in outcome.faults:
        raise_fault(tx, code, PLACE, detail)


def _compare(tx: Transaction, serial: int, lifetime: int, value_cents: int, *, by_level: bool) -> None:
    found = hoppers.counted(tx, serial, lifetime, value_cents, by_level=by_level)
    if found is not None:
        raise_fault(tx, found.code, PLACE, found.detail)
        # It has happened: no device will report that it is over.
        fault_over(tx, found.code, PLACE)
