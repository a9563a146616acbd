"""Random bytes at the simulated ccTalk and SSP devices: none falls over, none pays, and each is there afterwards."""

import asyncio
import random
from collections.abc import Callable
from typing import NamedTuple

import pytest

from drivers.simulated.cctalk.bill_validator import SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.encryption import FrameKey
from drivers.simulated.cctalk.frames import Frame, Framing, encode
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.line import LineDevice
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.simulated.ssp.frames import encode as encode_ssp
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from tests.rigs.cctalk_host import Host
from tests.rigs.ssp_host import SspHost

FEW, MANY = 5_000, 1_000_000
LONGEST = 60


class Made(NamedTuple):
    """A device, the money that it gave away, its address and how it is asked whether it is there."""

    device: LineDevice
    paid: list[int]
    address: int
    framing: Framing | None
    key: FrameKey | None = None


def _coins(framing: Framing) -> Made:
    paid: list[int] = []
    return Made(SimulatedCoinAcceptor(framing=framing, accepted=paid.append), paid, 2, framing)


def _hopper(framing: Framing) -> Made:
    paid: list[int] = []
    return Made(SimulatedHopper(framing=framing, coin_out=paid.append), paid, 3, framing)


def _bills(framing: Framing) -> Made:
    paid: list[int] = []
    device = SimulatedCctalkBills(returned=lambda _paper: None, stacked=lambda _paper: paid.append(1), framing=framing)
    return Made(device, paid, 40, framing)


def _sealed_bills() -> Made:
    """A validator whose frames are enciphered."""
    made, key = _bills(Framing.SIMPLE), FrameKey("314159")
    assert isinstance(made.device, SimulatedCctalkBills)
    made.device.key = key
    return made._replace(key=key)


def _wire() -> Made:
    paid: list[int] = []
    devices = [SimulatedCoinAcceptor(accepted=paid.append), SimulatedHopper(coin_out=paid.append)]
    return Made(PartyLine(devices), paid, 2, Framing.SIMPLE)


def _validator() -> Made:
    paid: list[int] = []
    habits = SspHabits(encrypts=True, acknowledges=True)
    device = SimulatedSspValidator(returned=lambda _paper: None, stacked=lambda _paper: paid.append(1), habits=habits)
    return Made(device, paid, 0, None)


def _smart_hopper() -> Made:
    paid: list[int] = []
    return Made(SimulatedSmartHopper(coin_out=paid.append, boxed=paid.append), paid, 16, None)


def _recycler() -> Made:
    paid: list[int] = []
    device = SimulatedRecycler(
        returned=lambda _paper: None,
        stacked=lambda _paper: paid.append(1),
        note_out=paid.append,
        stored={500: 20, 1000: 20},
    )
    return Made(device, paid, 0, None)


MADE = {
    **{f"coins_{framing}": lambda framing=framing: _coins(framing) for framing in Framing},
    **{f"hopper_{framing}": lambda framing=framing: _hopper(framing) for framing in Framing},
    **{f"bills_{framing}": lambda framing=framing: _bills(framing) for framing in Framing},
    "bills_enciphered": _sealed_bills,
    "wire": _wire,
    "ssp_validator": _validator,
    "smart_hopper": _smart_hopper,
    "recycler": _recycler,
}


@pytest.mark.parametrize("name", MADE)
async def test_random_bytes(name: str) -> None:
    """Noise, frames of random content and spoilt ones; the device is still there, and no money has moved."""
    await _endure(MADE[name], FEW)


@pytest.mark.proof
@pytest.mark.parametrize("name", MADE)
async def test_a_million_random_bytes(name: str) -> None:
    """The same, with a million bytes at each device."""
    await _endure(MADE[name], MANY)


async def _endure(make: Callable[[], Made], count: int) -> None:
    made = make()
    host: Host | SspHost
    host = SspHost(made.device, made.address) if made.framing is None else Host(made.device)
    await host.open()
    draw = random.Random(count)
    said = 0
    while said < count:
        chunk = _chunk(draw, made)
        said += len(chunk)
        made.device.receive(chunk)
        await asyncio.sleep(draw.choice((0.0, 0.0, 0.01, 0.06)))
        await host.port.read(0)
    assert made.paid == []
    await _still_there(made, host)


async def _still_there(made: Made, host: Host | SspHost) -> None:
    """After a power cut, which ends what was begun and any address that was given, it answers as ever."""
    made.device.power(on=False)
    made.device.power(on=True)
    await asyncio.sleep(2)
    await host.port.read(0)
    if isinstance(host, Host):
        assert made.framing is not None
        asked = encode(Frame(made.address, 1, 254), made.framing, made.key).hex()
        assert bytes.fromhex(await host.ask(asked)) == encode(Frame(1, made.address, 0), made.framing, made.key)
    else:
        assert await host.sync() == b"\xf0"


def _chunk(draw: random.Random, made: Made) -> bytes:
    """Noise, or a sound frame for the device with random content, or such a frame spoilt."""
    kind = draw.randrange(4)
    if kind == 0:
        return draw.randbytes(draw.randint(1, LONGEST))
    header, data = draw.randrange(256), draw.randbytes(draw.choice((0, 0, 1, 2, 4, 8, draw.randrange(LONGEST))))
    if made.framing is None:
        frame = encode_ssp(made.address | draw.choice((0, 0x80)), bytes((header,)) + data)
    else:
        frame = encode(Frame(draw.choice((made.address, 0)), 1, header, data), made.framing, made.key)
    if kind == 1:
        return frame[: draw.randrange(1, len(frame))]
    if kind == 2:
        spoilt = bytearray(frame)
        spoilt[draw.randrange(len(frame))] ^= 1 << draw.randrange(8)
        return bytes(spoilt)
    return frame
