"""The automatic checks of the check-out, each with its reasons."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from controller.faults import explain, place_in_words
from controller.features.diagnostics import storage
from controller.features.diagnostics.context import TestContext
from controller.journal.actor import Role
from controller.journal.diagnostics import hopper_diagnostic
from controller.journal.errors import JournalError
from controller.journal.latency import commit_latencies
from controller.journal.transaction import Transaction
from controller.service.page import Line
from controller.system.temperature import HOTTEST_C
from drivers.capabilities import BILL_VALIDATOR, Level
from drivers.cctalk.coin_acceptor import CoinAcceptor
from drivers.errors import PortError
from ui.protocol.messages import Frames

SAMPLES = 5
SAMPLE_S = 0.4
"""Seconds over which a level is sampled, so that a pressed button or a flashing lamp is not a fault."""
COMMITS = 10

ELSEWHERE = frozenset({"door_open", "stuck_button", "hopper_low", "hopper_full"})
"""Faults that are covered by other checks."""

HELD = "The button is held down all the time: {place}"
UNREAD = "The inputs cannot be read: {place}"
KEY_OFF = "The key switch does not say that it is turned: {place}"
DOOR_SHUT = "The switch says shut, and the door is open: {place}"
UNKNOWN = "It has not said who it is: {place}"
LOW = "It is nearly empty: {place}"
COINS_OUT = "Coins of the hopper's test are still out"
NOT_WHOLE = "The books are damaged"
SLOW = "A commit takes too long"
LITTLE_SPACE = "Too little space is left on the disk"
NO_DISPLAY = "No display is connected"
NO_FRAMES = "The display reports no figures"
NO_SOUND = "The display has no sound device"
MUTED = "The sound is switched off"
NOT_BALANCED = "The books do not balance"
PIN_HELD = "The pin does not read what it was set to"
TOO_HOT = "The computer is too hot"


class Finding(NamedTuple):
    """The result of a check: the `reasons` for a failure, empty if it passed; `figure` is what was measured."""

    reasons: Sequence[Line] = ()
    figure: str = ""

    @property
    def passed(self) -> bool:
        """Whether there are no reasons for a failure."""
        return not self.reasons


class Seen(NamedTuple):
    """The inputs of a check: the test's context, and the newest statistics of the display, if any."""

    context: TestContext
    frames: Callable[[], Frames | None]


Check = Callable[[Seen], Awaitable[Finding]]


def _bad(label: str, place: str = "", detail: str = "") -> Line:
    return Line(label, place=place_in_words(place) if place else "", detail=detail, tone="bad")


async def inputs(seen: Seen) -> Finding:
    """Check that every input has a plausible level: no stuck button, and the expected door and key positions."""
    hardware, context = seen.context.hardware, seen.context
    held = set(hardware.config.pins.buttons)
    for sample in range(SAMPLES):
        if sample:
            await context.clock.sleep(SAMPLE_S)
        held &= hardware.buttons.held
    groups: Mapping[str, Mapping[str, bool]] = {
        "button_panel": hardware.buttons.levels,
        "doors": hardware.doors.levels,
        "keys": hardware.keys.levels,
    }
    reasons = [_bad(UNREAD, place) for place, levels in groups.items() if not levels]
    reasons += [_bad(HELD, name) for name in sorted(held)]
    keys, doors = hardware.keys.active, hardware.doors.active
    if keys and not keys.get(Role.TECHNICIAN):
        reasons.append(_bad(KEY_OFF, Role.TECHNICIAN))
    if doors and not doors.get("main"):
        reasons.append(_bad(DOOR_SHUT, "main"))
    opened = explain("door_open").text
    reasons += [_bad(opened, name) for name, is_open in doors.items() if is_open and name != "main"]
    return Finding(reasons)


async def devices(seen: Seen) -> Finding:
    """Check that every fitted money device has identified itself and has no fault."""
    hardware = seen.context.hardware
    said = {}
    if hardware.coin_acceptor is not None:
        said[CoinAcceptor.name] = str(hardware.coin_acceptor.identity or "")
    if hardware.bill_validator is not None:
        said[BILL_VALIDATOR] = hardware.bill_validator.identity
    if hardware.hopper is not None:
        said[hardware.hopper.name] = str(hardware.hopper.identity or "") if hardware.hopper.ready else ""
    reasons = [_bad(UNKNOWN, name) for name, identity in said.items() if not identity]
    present = [
        fault for fault in seen.context.machine.conditions.faults if fault.present and fault.code not in ELSEWHERE
    ]
    reasons += [_bad(explain(fault.code).text, fault.place) for fault in present]
    return Finding(reasons, f"{sum(map(bool, said.values()))} / {len(said)}")


async def hopper_level(seen: Seen) -> Finding:
    """Check that the hopper has coins, and that none of its test's coins is missing."""
    hopper = seen.context.hardware.hopper
    out = await seen.context.machine.journal.do(hopper_diagnostic.coins_out)
    reasons = [Line(COINS_OUT, count=out.missing, cents=out.value_cents, tone="bad")] if out.missing else []
    if hopper is not None and hopper.level is Level.LOW:
        reasons.append(_bad(LOW, hopper.name))
    return Finding(reasons)


async def disk(seen: Seen) -> Finding:
    """Check that the journal's file is whole, commits are quick, and there is free space."""
    context, reasons = seen.context, []
    damaged = await storage.damage(context)
    if damaged:
        reasons.append(_bad(NOT_WHOLE, detail=damaged))
    latencies_s = await commit_latencies(context.machine.journal.do, COMMITS, context.stopwatch)
    if storage.is_slow(context, latencies_s):
        reasons.append(_bad(SLOW))
    try:
        enough = storage.is_enough(context, storage.space(context.machine.journal.path))
    except OSError:
        enough = False
    if not enough:
        reasons.append(_bad(LITTLE_SPACE))
    return Finding(reasons, f"{1000 * max(latencies_s):.0f} ms")


async def display(seen: Seen) -> Finding:
    """Check that a display is connected and reports its frames."""
    if not seen.context.machine.screen.connected:
        return Finding([_bad(NO_DISPLAY)])
    frames = seen.frames()
    return Finding() if frames is not None else Finding([_bad(NO_FRAMES)])


async def sound(seen: Seen) -> Finding:
    """Check that the display has a sound device, and that sound is not muted."""
    frames, session = seen.frames(), seen.context.machine.play.session
    reasons = [] if frames is not None and frames.sound else [_bad(NO_SOUND)]
    if session.muted or not session.volumes.overall:
        reasons.append(_bad(MUTED))
    return Finding(reasons)


async def books(seen: Seen) -> Finding:
    """Check the self-audit equation, and the ledger's chain since its last anchor."""

    def prove(tx: Transaction) -> None:
        tx.audit()
        tx.prove()

    try:
        await seen.context.machine.journal.do(prove)
    except JournalError as error:
        return Finding([_bad(NOT_BALANCED, detail=str(error))])
    return Finding()


async def pins(seen: Seen) -> Finding:
    """Check that every output's pin reads the level it was set to."""
    header = seen.context.hardware.header
    wrong: set[str] | None = None
    for sample in range(SAMPLES):
        if sample:
            await seen.context.clock.sleep(SAMPLE_S)
        now = set()
        for output in header.outputs:
            try:
                differs = output.level != output.on
            except PortError:
                differs = True
            if differs:
                now.add(output.label)
        wrong = now if wrong is None else wrong & now
    return Finding([_bad(PIN_HELD, detail=label) for label in sorted(wrong or ())], str(len(header.outputs)))


async def heat(seen: Seen) -> Finding:
    """Check that the computer is not too hot; a computer without a sensor passes."""
    found = seen.context.machine.thermometer()
    if found is None:
        return Finding()
    return Finding([_bad(TOO_HOT)] if found >= HOTTEST_C else [], f"{found:.0f} \u00b0C")


CHECKS: Mapping[str, Check] = {
    "Inputs": inputs,
    "Devices of money": devices,
    "Hopper level": hopper_level,
    "Disk": disk,
    "Display": display,
    "Sound": sound,
    "Books": books,
    "Pins read back": pins,
    "Temperature": heat,
}
"""The checks by name, in the order in which they run."""
NAMES = tuple(CHECKS)
