"""Move coins or notes from an SSP payout device's store into its cash box: all, or down to a float.

The command names what the device holds afterwards, so a command that is repeated after an interruption moves only the
rest (GA138, "Float Amount", "Empty All", "Smart Empty").
"""

from collections.abc import Awaitable, Callable
from typing import Final

from drivers.clock import Clock
from drivers.ssp.payout_events import PayoutEvent
from drivers.ssp.payout_wire import BUSY, REFUSALS, PayoutWire
from drivers.ssp.protocol import Event, PolledEvent

POLL_S: Final = 0.5
STALL_S: Final = 60.0
"""The move is halted after this time without progress: "emptying" reports no amount, and 80 notes take two minutes."""

QUIET_POLLS: Final = 3
BUSY_S: Final = 15.0
MOVING: Final = frozenset({PayoutEvent.FLOATING, PayoutEvent.EMPTYING, PayoutEvent.SMART_EMPTYING})

_ENDS: Final = {
    PayoutEvent.HOPPER_JAMMED: "it is jammed",
    PayoutEvent.TIMED_OUT: "it found nothing more in time",
    PayoutEvent.ERROR_DURING_PAYOUT: "a note was moved wrongly, or is jammed",
    PayoutEvent.OUT_OF_SERVICE: "its payout is out of service",
    PayoutEvent.CALIBRATION_FAILED: "its calibration failed",
    PayoutEvent.NOTE_FLOAT_REMOVED: "its note store is removed",
    Event.UNSAFE_JAM: "a note is jammed where a hand can reach it",
    Event.SAFE_JAM: "a note is jammed where no hand can reach it",
    Event.STACKER_FULL: "the cash box is full",
    Event.CASHBOX_REMOVED: "the cash box is out",
}


def let_out(events: tuple[PolledEvent, ...], unit_cents: int, currency: str) -> int:
    """Return how many units the player got after a power cut, according to `events`."""
    return sum(
        amount.cents // unit_cents
        for one in events
        if one.event is PayoutEvent.DISPENSED_AT_RESET
        for amount in one.amounts
        if amount.currency == currency
    )


async def keep_units(
    wire: PayoutWire, clock: Clock, units: int, began: Callable[[], Awaitable[None]]
) -> tuple[str, tuple[PolledEvent, ...]]:
    """Move all but at most `units` into the cash box, and wait until the device is idle.

    `began` is awaited when the device has accepted the order. Return why it did not move everything, empty if it did,
    and the events reported meanwhile.
    """
    await wire.enable()
    deadline = clock.now() + BUSY_S
    stock = await wire.stock()
    kept = stock.payable(units) if units else 0
    while (refusal := await wire.keep(kept, stock.pieces)) == BUSY and clock.now() < deadline:
        await wire.poll()
        await clock.sleep(POLL_S)
    if refusal is not None:
        return REFUSALS.get(refusal, f"reason {refusal}"), ()
    await began()
    return await _stand_still(wire, clock)


async def _stand_still(wire: PayoutWire, clock: Clock) -> tuple[str, tuple[PolledEvent, ...]]:
    said: list[PolledEvent] = []
    quiet, held, moved_at, halted = 0, (await wire.stock()).units, clock.now(), False
    while quiet < QUIET_POLLS:
        events = await wire.poll()
        said += [one for one in events if one not in said]
        quiet = 0 if any(one.event in MOVING for one in events) else quiet + 1
        if not quiet and clock.now() - moved_at > STALL_S:
            holds = (await wire.stock()).units
            if holds == held:
                halted = True
                await wire.halt()
            held, moved_at = holds, clock.now()
        if quiet < QUIET_POLLS:
            await clock.sleep(POLL_S)
    why = next((_ENDS[one.event] for one in said if one.event in _ENDS), "")
    return why or ("it did not go on" if halted else ""), tuple(said)
