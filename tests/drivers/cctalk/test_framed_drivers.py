"""The ccTalk drivers with devices that have CRC-16 frames, or encrypted ones: money as with the simple checksum."""

import asyncio
import random
from collections.abc import Callable

import msgspec
import pytest

from drivers.capabilities import PayoutEnd
from drivers.cctalk.framing import CRC, Encrypted, Framing
from drivers.clock import LoopClock
from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way
from drivers.wire_trace import TracedPort
from tests.rigs.bill_rig import NOTE, DeviceRig, DyingPort, check_accounted
from tests.rigs.cash_desk import Desk, Incident, pay
from tests.rigs.coin_slot import Slot
from tests.rigs.framed import Framed

KEY = "314159"
PIECE = 100
"""Random bytes at a time."""


def slot() -> Slot:
    """Return a coin acceptor with CRC frames."""
    made = Slot(echo=True)
    made.line = MemoryLine(Framed(made.device, CRC), made.misbehaviour)
    made.driver = made.new_driver()
    return made


@pytest.mark.parametrize("kind", [None, *Kind])
async def test_every_coin_of_an_acceptor_with_crc_is_credited_once(kind: Kind | None) -> None:
    """Coins fall while frames are spoilt, cut, late, repeated and lost."""
    made = slot()
    async with made.served():
        await asyncio.sleep(3.0)
        for cents in (100, 50, 200, 100, 20):
            if kind is not None:
                made.misbehaviour.inject(kind, 2)
            made.device.insert(cents)
            await asyncio.sleep(1.0)
        await asyncio.sleep(10.0)
    assert made.accepted == [100, 50, 200, 100, 20]
    assert made.books.credited == made.accepted


async def test_a_hopper_with_crc_pays_its_order() -> None:
    """Each coin that leaves is booked."""
    desk = Desk()
    desk.line = MemoryLine(Framed(desk.device, CRC), desk.incident)
    assert await pay(desk, 3) is PayoutEnd.DONE
    assert (len(desk.tray), desk.books.paid) == (3, 3)


WAYS = pytest.mark.parametrize(("framing", "key"), [(CRC, ""), (Encrypted(KEY), KEY)], ids=["crc", "encrypted"])


def bills(framing: Framing, key: str) -> tuple[DeviceRig[SimulatedCctalkBills], Incident]:
    """Return a validator with such frames."""
    incident = Incident()
    rig = DeviceRig(
        "cctalk",
        lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked, echo=True),
        incident,
    )
    rig.line = MemoryLine(Framed(rig.device, framing), incident)
    rig.port = DyingPort(rig.line.port)
    rig._settings = msgspec.structs.replace(rig._settings, cctalk_key=key)
    return rig, incident


@WAYS
async def test_a_note_is_credited(framing: Framing, key: str) -> None:
    """From escrow to credit, as with the simple checksum."""
    rig, _ = bills(framing, key)
    await rig.start()
    rig.device.insert(NOTE)
    await rig.settle()
    await rig.end()
    check_accounted(rig)
    assert (rig.books.credit_cents, rig.deaths) == (NOTE, [])


async def _drill(framing: Framing, key: str, way: Way, at: int, kind: Kind | None) -> None:
    """Play a note's life with one frame of it spoilt, or the driver killed at it."""
    rig, incident = bills(framing, key)
    await rig.start()
    started = dict(incident.carried)

    def act() -> None:
        if kind is None:
            rig.line.port.close()
        else:
            incident.inject(kind, way=way)

    incident.expect(way, at, act)
    rig.device.insert(NOTE)
    await rig.settle(25)
    assert incident.carried[way] > started[way] + at
    await rig.end()
    check_accounted(rig, open_items_allowed=True)


@pytest.mark.parametrize("kind", [None, *Kind], ids=lambda kind: str(kind or "killed"))
@pytest.mark.parametrize("way", list(Way))
@WAYS
async def test_a_note_bears_trouble_at_some_frames(framing: Framing, key: str, way: Way, kind: Kind | None) -> None:
    """Spoilt, cut, late, repeated, among noise, lost, or killed at: credited once, given back, or an open item."""
    for at in (0, 7, 15):
        await _drill(framing, key, way, at, kind)


@pytest.mark.proof
@pytest.mark.parametrize("kind", [None, *Kind], ids=lambda kind: str(kind or "killed"))
@pytest.mark.parametrize("way", list(Way))
@WAYS
async def test_a_note_bears_trouble_at_each_frame(framing: Framing, key: str, way: Way, kind: Kind | None) -> None:
    """The same at each of the first sixty frames."""
    for at in range(60):
        await _drill(framing, key, way, at, kind)


async def _flood(framing: Framing, key: str, count: int) -> None:
    """Send so many random bytes over the line of a validator at rest; then it takes a note, which is the only money."""
    rig, _ = bills(framing, key)
    await rig.start()
    chance = random.Random(20)
    for _ in range(count // PIECE):
        rig.line.port.arrive(chance.randbytes(PIECE))
        await asyncio.sleep(0.1)
    assert (rig.books.credit_cents, rig.books.open_items, rig.books.redeemed) == (0, [], [])
    await rig.settle(30)
    rig.device.insert(NOTE)
    await rig.settle()
    await rig.end()
    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


@WAYS
async def test_random_bytes_between_the_frames_are_no_money(framing: Framing, key: str) -> None:
    """Faster than the line could carry them, from both sides of each answer."""
    await _flood(framing, key, 20_000)


@pytest.mark.proof
@WAYS
async def test_a_million_random_bytes_between_the_frames_are_no_money(
    framing: Framing, key: str, record_property: Callable[[str, object], None]
) -> None:
    """The same with a million."""
    await _flood(framing, key, 1_000_000)
    record_property("proof", f"1,000,000 random bytes, {framing.name} validator's driver: no money, then one note")


async def test_a_trace_of_an_encrypted_device_gives_no_key_away() -> None:
    """Address and length of its frames are shown, and nothing of what comes back."""
    rig, _ = bills(Encrypted(KEY), KEY)
    traced = TracedPort(rig.line.port, LoopClock())
    traced.watch(on=True)
    traced.seal(rig._settings.address)
    rig.port = DyingPort(traced)
    await rig.start()
    rig.device.insert(NOTE)
    await rig.settle()
    frames = traced.frames
    await rig.end()
    assert frames
    for frame in frames:
        assert set(frame.cells[2:]) <= {"**"}
        assert frame.way == "out" or set(frame.cells) == {"**"}
