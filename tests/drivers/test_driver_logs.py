"""What drivers log: devices found, wrong frames and retries with their cause, each frame at DEBUG, and never a PIN."""

import asyncio
import contextlib
import logging

import msgspec
import pytest

from drivers.cctalk.hopper import Hopper
from drivers.cctalk.protocol import carries_secret
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.simulated.cctalk.bill_validator import BillHabits
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Piece, Way
from drivers.wire_trace import TracedPort
from tests.rigs.cash_desk import Desk
from tests.rigs.known_protocols import on_own_lines
from tests.rigs.validator_rigs import EACH, LANGUAGES, MakeRig, cctalk

PIN = bytes.fromhex("a1b2c3d4")
MODULES = {
    **{name: f"drivers.{name}" for name in on_own_lines() if name != "ebds"},
    "ssp-acknowledges": "drivers.ssp",
}
MAKERS = {**LANGUAGES, "cctalk": cctalk(BillHabits())}  # without an echo, so that what is spoilt is an answer
BY_MODULE = pytest.mark.parametrize(
    ("make", "module"), [(MAKERS[name], MODULES[name]) for name in MODULES], ids=MODULES
)


def logged(caplog: pytest.LogCaptureFixture, level: int) -> list[tuple[str, str]]:
    """Logger and message of the records of one level."""
    return [(record.name, record.getMessage()) for record in caplog.records if record.levelno == level]


def frames_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged of frames."""
    return [message for name, message in logged(caplog, logging.DEBUG) if name == "drivers.wire_trace"]


@pytest.mark.parametrize("make", [MAKERS[name] for name in MODULES], ids=MODULES)
async def test_a_validator_that_answers_is_logged(caplog: pytest.LogCaptureFixture, make: MakeRig) -> None:
    """INFO, once, with its identity; a start without trouble is no warning."""
    caplog.set_level(logging.INFO, "drivers")
    rig = make(None)
    await rig.start()
    await rig.end()
    assert logged(caplog, logging.INFO) == [("drivers.link_faults", f"bill_validator found: {rig.books.found[0]}")]
    assert logged(caplog, logging.WARNING) == []


@BY_MODULE
async def test_a_wrong_frame_is_a_warning_with_its_bytes(
    caplog: pytest.LogCaptureFixture, make: MakeRig, module: str
) -> None:
    """Half an answer: its bytes, the port, and that the question is asked again."""
    caplog.set_level(logging.INFO, "drivers")
    misbehaviour = Misbehaviour()
    rig = make(misbehaviour)
    await rig.start()
    for _ in range(4):
        misbehaviour.inject(Kind.CORRUPT)
        await rig.settle(2.0)
    await rig.end()
    warnings = logged(caplog, logging.WARNING)
    assert any("wrong frame: " in message for _name, message in warnings)
    assert any("tried again: " in message for _name, message in warnings)
    for name, message in warnings:
        assert name.startswith(f"{module}.")
        assert rig.port.path in message


@EACH
async def test_a_device_that_stays_silent_does_not_fill_the_log(
    caplog: pytest.LogCaptureFixture, make: MakeRig
) -> None:
    """One warning when it falls silent, however long it is asked in vain; another one only after an answer."""
    caplog.set_level(logging.INFO, "drivers")
    rig = make(None)
    await rig.start()
    rig.device.power(on=False)
    await rig.settle(120.0)
    assert len(logged(caplog, logging.WARNING)) <= 1
    await rig.end()


async def test_frames_are_logged_while_the_level_is_raised(caplog: pytest.LogCaptureFixture) -> None:
    """Each frame in hexadecimal from the moment at which DEBUG is set, and none after it is taken back."""
    caplog.set_level(logging.INFO, "drivers")
    desk = Desk(SimulatedHopper())
    port = TracedPort(desk.line.port, LoopClock())
    desk.hopper = Hopper(desk.settings, port, LoopClock(), desk.books, currency=EURO)
    desk.device.power(on=True)
    serving = asyncio.create_task(desk.serve())
    await asyncio.sleep(5.0)
    assert logged(caplog, logging.DEBUG) == []
    with caplog.at_level(logging.DEBUG, "drivers"):
        await asyncio.sleep(5.0)
    frames = frames_in(caplog)
    assert any(message.startswith(f"{port.path}: sent 03 00 01 ") for message in frames)
    assert any(message.startswith(f"{port.path}: received 01 ") for message in frames)
    await asyncio.sleep(5.0)
    assert len([name for name, _message in logged(caplog, logging.DEBUG) if name == "drivers.wire_trace"]) == len(
        frames
    )
    serving.cancel()
    await asyncio.wait({serving})


class SpoiltEcho(Misbehaviour):
    """Spoils what comes after a PIN was sent, its echo first."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self.kind = kind

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        """Carry, and spoil the next two frames where this one is a PIN."""
        if way is Way.TO_DEVICE and carries_secret(frame):
            self.inject(self.kind, 2)
        return super().mangle(way, frame)


@pytest.mark.parametrize("misbehaviour", [Misbehaviour(), *map(SpoiltEcho, Kind)], ids=["none", *Kind])
async def test_no_log_shows_the_hoppers_pin(caplog: pytest.LogCaptureFixture, misbehaviour: Misbehaviour) -> None:
    """At DEBUG, on a line that echoes, whatever becomes of the echo: the PIN is sent, and in no record."""
    caplog.set_level(logging.DEBUG, "drivers")
    desk = Desk(SimulatedHopper(stock=50, echo=True))
    desk.device.pin = PIN
    settings = msgspec.structs.replace(desk.settings, pin=PIN.hex())
    port = TracedPort(MemoryLine(desk.device, misbehaviour).port, LoopClock())
    desk.hopper = Hopper(settings, port, LoopClock(), desk.books, currency=EURO)
    desk.device.power(on=True)
    serving = asyncio.create_task(desk.serve())
    await asyncio.sleep(2.0)
    with contextlib.suppress(DriverError):
        await desk.order(3)
    serving.cancel()
    await asyncio.wait({serving})
    said = caplog.text.lower()
    assert "sent 03 04 ** da" in said
    for part in (PIN.hex(" "), PIN.hex(), "a1 b2", "c3 d4"):
        assert part not in said
