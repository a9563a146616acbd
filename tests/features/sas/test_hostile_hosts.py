"""Whole frames that make no sense: each stays without effect, and the poll after it is answered."""

import logging
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar, TypeVar

import pytest

from controller.journal.errors import RefusedError
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from drivers.errors import WireError
from drivers.sas import frames
from drivers.sas.denominations import DENOMINATED, ERROR_BASE, MALFORMED, Denominated, read_denominated
from drivers.sas.frames import COUNTED, DATA_BYTES, Poll, sealed
from drivers.sas.transfers import LOCK_PENDING
from tests.rigs.hosted import ADDRESS, HOSTS_TICKETS, HostedRig
from tests.rigs.machine import PlainPrinter

T = TypeVar("T")
BASES = (0x09, 0x11, 0x17, 0x2F, 0x56, 0x6F, 0xAF, 0xB5)
SET_CLOCK = 0x7F


def drawn(seed: int) -> Iterator[bytes]:
    """Data of every long poll, well formed as a frame; a counted one has from no bytes to many."""
    draw = random.Random(seed)

    def some(count: int) -> bytes:
        return bytes(draw.choice((0, 1, 2, 3, 0x80, 0x99, 0xFF, draw.randrange(256))) for _ in range(count))

    for base in BASES:
        for count in range(7):
            inner = bytes((draw.choice((0, 1)), base)) + bytes(draw.choice((0, 0, 1, 2, 5)) for _ in range(count))
            yield bytes((ADDRESS, DENOMINATED, len(inner))) + inner
    for command, count in DATA_BYTES.items():
        for address in (ADDRESS, ADDRESS, 0):
            yield bytes((address, command)) + some(count)
    for command in sorted(COUNTED):
        for count in (0, 1, 2, 3, 8, 22, 29, 57, 255):
            yield bytes((draw.choice((ADDRESS, 0)), command, count)) + some(count)


@pytest.mark.parametrize("seed", [1, 2])
async def test_whole_frames_that_make_no_sense_stop_nothing(tmp_path: Path, seed: int) -> None:
    """No task ends, nothing locks up, no defect shows, and the books are proved."""
    async with HostedRig(tmp_path, tickets=HOSTS_TICKETS, printer=PlainPrinter()) as rig:
        await rig.sas.exceptions()
        for begun in drawn(seed):
            await rig.line.ask(sealed(begun), 0.05)
        await rig.sas.ask(0x0E, b"\x00")
        assert rig.machine.journal.lock is None
        assert [each for each in await rig.events("host_link") if "not answered" in each] == []
        await rig.journal.do(lambda tx: tx.prove())
        assert len(await rig.sas.ask(0x1A)) == 4


@pytest.mark.parametrize(
    "inner", ["00 09 00 01", "00 09 00 01 01 00", "00 2F", "00 2F 09 00 00", "00 2F 02 00 00 00", "00 17 AA"]
)
async def test_an_inner_poll_of_a_wrong_length_is_malformed(tmp_path: Path, inner: str) -> None:
    """Error 02, whatever this host may do."""
    async with HostedRig(tmp_path) as rig:
        asked = bytes.fromhex(inner)
        await rig.sas.ask(DENOMINATED, bytes((len(asked),)) + asked)
        found = read_denominated(rig.line.said[-1])
        assert found == Denominated(ADDRESS, found.denomination, ERROR_BASE, bytes((MALFORMED,)))
        assert len(await rig.sas.ask(0x1A)) == 4


async def test_a_malformed_broadcast_leaves_the_line_up(tmp_path: Path) -> None:
    """What holds for tickets, cut short, to all machines: taken in silence."""
    async with HostedRig(tmp_path, tickets=HOSTS_TICKETS, printer=PlainPrinter()) as rig:
        await rig.sas.poll()
        for begun in ("00 7B 01 00", "00 7D 00", "00 7F 99 99 99 99 99 99 99"):
            assert await rig.line.ask(sealed(bytes.fromhex(begun))) == b""
            assert len(await rig.sas.ask(0x1A)) == 4


@pytest.mark.parametrize(("command", "data"), [(0x09, b"\x00\x01"), (0x1A, b"\x00"), (0x2F, b"\x05\x00"), (0x2F, b"")])
def test_the_length_of_a_polls_data(command: int, data: bytes) -> None:
    """Neither too short, nor too long, nor other than its length byte says."""
    assert not frames.is_whole(command, data)
    assert frames.is_whole(0x09, bytes(3))
    assert frames.is_whole(0x2F, Poll(ADDRESS, 0x2F, b"\x03\x00\x00\x05").data)


class RefusingStore(Store):
    """A store that refuses the next transaction where `refuses`."""

    refuses: ClassVar[bool] = False

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act`, unless it is to be refused."""
        if type(self).refuses:
            type(self).refuses = False
            raise RefusedError("A rule of the books was broken: {reason}", reason="a test")
        return super().transact(act, durable=durable)


async def test_an_unanswered_poll_is_recorded_without_the_number_of_its_ticket(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is it logged, whatever is wrong with the frame: whoever reads it could print the ticket."""
    rig = HostedRig(tmp_path, tickets=HOSTS_TICKETS, printer=PlainPrinter())
    store = rig.store = type("Refusing", (RefusingStore,), {})
    number = "37" + "1234567890123456"
    frame = sealed(bytes((ADDRESS, 0x58)) + bytes.fromhex(number))
    caplog.set_level(logging.DEBUG)
    async with rig:
        await rig.sas.exceptions()
        store.refuses = True
        assert await rig.line.ask(frame) == b""
        ((data,),) = await rig.rows("SELECT data FROM ledger WHERE data ->> '$.command' = '58'")
        assert '"frame":"01 58 **' in str(data)
    for spoilt in (frame[:-1] + b"\xff", frame[:-3]):
        with pytest.raises(WireError) as refused:
            frames.read_poll(spoilt)
        assert "12 34 56 78" not in str(refused.value)
    for said in (str(data), *caplog.messages):
        assert not [each for each in (number, bytes.fromhex(number).hex(" ")) if each in said.replace("\\", "")]


@pytest.mark.parametrize(
    "poll",
    [
        *("01", "07", "0A", "08 10 00 00 00 00", "09 00 01 00", "0E 01", "7F 01 31 20 26 23 59 58"),
        *("73 1D 00 3E 01 00 00" + " 00" * 24, "74 00 01 90 00", "72 02 FF 05"),
        *("7B 08 01 00 00 00 00 00 00 00", "7D 04 00 00 05 00", "58 37 00 00 00 00 00 00 00 05"),
    ],
)
async def test_a_transaction_that_the_books_refuse_a_host_locks_nothing(tmp_path: Path, poll: str) -> None:
    """The poll stays unanswered (a lock stays pending), and the cabinet plays on."""
    rig = HostedRig(tmp_path, tickets=HOSTS_TICKETS, printer=PlainPrinter())
    store = rig.store = type("Refusing", (RefusingStore,), {})
    async with rig:
        await rig.sas.exceptions()
        store.refuses = True
        frame = sealed(bytes((ADDRESS,)) + bytes.fromhex(poll))
        answer = await rig.line.ask(frame)
        await rig.sas.ask(0x0E, b"\x00")
        assert not store.refuses
        assert rig.machine.journal.lock is None
        assert len(await rig.sas.ask(0x1A)) == 4
        if poll.startswith("74"):
            assert frames.opened(answer)[7] == LOCK_PENDING
        else:
            assert answer == b""
            assert [each for each in await rig.events("host_link") if "not answered" in each]
