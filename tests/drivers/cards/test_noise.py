"""Readers of cards under noise, spoilt events and answers, and kills: no number that no card has, and none twice."""

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from drivers.cards.contactless import ContactlessReader
from drivers.cards.listener import is_card_number
from drivers.cards.wedge import EVENT, QUIET_S, Wedge
from drivers.clock import LoopClock
from drivers.errors import DriverError, PortError
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.bill_rig import KilledError
from tests.rigs.card_box import CardBox
from tests.rigs.hid_wedge import event, events, typed
from tests.rigs.picc_reader import PiccReader
from tests.rigs.silent import Silent

FEW, MANY = 20_000, 1_000_000
COUNTS = pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.proof)])
NUMBER = "0012345678"
PRESENTED = b"".join(events(typed(*NUMBER, "ENTER")))
KEYS = [PRESENTED[at : at + EVENT.size] for at in range(0, len(PRESENTED), EVENT.size)]
UID = bytes.fromhex("04A1B2C3D4E5F6")
ENTER, TAB, KEYPAD_ENTER = 28, 15, 96


class Counter:
    """A wedge's line, and a driver that is begun anew whenever it ends, as the supervisor does."""

    def __init__(self) -> None:
        self.line, self.box = MemoryLine(Silent()), CardBox()
        self.refusals = 0
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._serve())
        await asyncio.sleep(2 * QUIET_S)

    async def _serve(self) -> None:
        driver = Wedge(self.line.port, LoopClock(), self.box)
        while True:
            try:
                await driver.run()
            except DriverError:
                self.refusals += 1
                driver.stop()

    async def kill(self) -> None:
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self.line.port.close()

    async def reads_on(self) -> None:
        """After a pause the next card is read right, once."""
        await asyncio.sleep(3.0)
        self.box.seen.clear()
        self.line.send(PRESENTED)
        await asyncio.sleep(3.0)
        assert self.box.seen == [NUMBER]


@COUNTS
async def test_random_bytes_are_no_number(count: int) -> None:
    """What is no event is refused, and the device opened anew; nothing of it is a card."""
    desk, draw = Counter(), random.Random(20)
    await desk.start()
    for _ in range(count // 240):
        desk.line.send(draw.randbytes(240))
        await asyncio.sleep(draw.choice((0.0, 0.1, 2 * QUIET_S)))
    assert set(desk.box.seen) <= {""}
    assert desk.refusals
    await desk.reads_on()
    await desk.kill()


@COUNTS
async def test_random_events_without_an_end_are_no_number(count: int) -> None:
    """Keys, signs, chords, lost events and others: a number needs its end."""
    desk, draw = Counter(), random.Random(21)
    await desk.start()
    for _ in range(count // EVENT.size):
        code = draw.choice([one for one in range(128) if one not in {ENTER, TAB, KEYPAD_ENTER}])
        kind = draw.choice((0, 1, 1, 1, 1, 4, 17))
        desk.line.send(EVENT.pack(draw.getrandbits(40), draw.randrange(10**6), kind, code, draw.randrange(-1, 3)))
        await asyncio.sleep(draw.choice((0.0, 0.0, 0.001, 1.5)) if draw.randrange(20) == 0 else 0.0)
    assert set(desk.box.seen) <= {""}
    # keys that seem to be held, Alt among them, are let go
    desk.line.send(b"".join(event("EV_KEY", code, 0) for code in range(128)))
    await desk.reads_on()
    await desk.kill()


@pytest.mark.parametrize("at", range(len(KEYS)))
async def test_an_event_goes_wrong(at: int) -> None:
    """Each is lost, doubled, spoilt, cut or late: at most one number comes of the card, and the next is read right."""
    draw = random.Random(at)
    for spoil in ("lost", "doubled", "spoilt", "cut", "late"):
        desk = Counter()
        await desk.start()
        for number, one in enumerate(KEYS):
            data = one
            if number == at and spoil == "lost":
                continue
            if number == at and spoil == "doubled":
                data = one * 2
            if number == at and spoil == "spoilt":
                flipped = bytearray(one)
                flipped[draw.randrange(EVENT.size)] ^= 1 << draw.randrange(8)
                data = bytes(flipped)
            if number == at and spoil == "late":
                await asyncio.sleep(1.5)
            if number == at and spoil == "cut":
                desk.line.port.close()
                break
            desk.line.send(data)
            await asyncio.sleep(0.002)
        await asyncio.sleep(3.0)
        assert len([number for number in desk.box.seen if number]) <= 1
        if spoil != "cut":
            await desk.reads_on()
        await desk.kill()


@pytest.mark.parametrize("down_s", [0.0, 0.5])
async def test_a_kill_at_every_event_leaves_no_part_of_a_number(down_s: float) -> None:
    """The rest of a number that the next program hears is none; a whole one was read before, once."""
    for at in range(len(KEYS) + 1):
        desk = Counter()
        await desk.start()

        async def present(desk: Counter = desk) -> None:
            for one in KEYS:
                desk.line.send(one)
                await asyncio.sleep(0.005)

        presenting = asyncio.create_task(present())
        await asyncio.sleep(0.005 * at)
        await desk.kill()
        await asyncio.sleep(down_s)
        await desk.start()
        await presenting
        await asyncio.sleep(3.0)
        assert desk.box.seen in ([], [NUMBER]), f"killed at event {at}"
        await desk.reads_on()
        await desk.kill()


async def _laid(reader: PiccReader, uid: bytes) -> None:
    reader.lay(uid)
    await asyncio.sleep(0.01)
    reader.take()
    await asyncio.sleep(0.01)


def _number(answer: bytes) -> str:
    """Read an answer by PC/SC part 3, 3.2.2.1.3: data, then two status bytes, of which two pairs mean a number."""
    data = answer[:-2]
    whole = answer.endswith((b"\x90\x00", b"\x62\x82")) and len(data) in {4, 7, 8, 10, 12}
    return data.hex().upper() if whole and not (len(data) == 4 and data[0] in {0x08, 0x88}) else ""


@COUNTS
async def test_random_answers_are_no_number(count: int) -> None:
    """Of any length; a number is what the specification makes one, and each card is answered for once."""
    draw, reader, box = random.Random(22), PiccReader(), CardBox()
    task = asyncio.create_task(ContactlessReader(reader, "ACR1281", LoopClock(), box).run())
    await asyncio.sleep(0.01)
    said = 0
    while said < count:
        ends = draw.choice((b"", b"\x90\x00", b"\x62\x82", b"\x6c" + draw.randbytes(1), b"\x6a\x81"))
        answer = draw.randbytes(draw.choice((0, 1, 2, 4, 7, 8, 10, 12, draw.randrange(300)))) + ends
        said += len(answer)
        reader._answer = answer
        box.seen.clear()
        await _laid(reader, UID)
        assert box.seen == [_number(answer)]
        assert not box.seen[0] or is_card_number(box.seen[0])
    reader._answer = None
    box.seen.clear()
    await _laid(reader, UID)
    assert box.seen == [UID.hex().upper()]
    task.cancel()
    await asyncio.wait({task})


class Cut(PiccReader):
    """A reader whose service ends at call `at`, before or after it was carried out; or the program is killed there."""

    def __init__(self, at: int, how: Callable[[], Exception], *, after: bool) -> None:
        super().__init__()
        self._at, self._how, self._after = at, how, after
        self.calls = 0

    async def _call(self, work: Any) -> Any:
        self.calls += 1
        if self.calls == self._at and not self._after:
            work.close()
            raise self._how()
        done = await work
        if self.calls == self._at:
            raise self._how()
        return done

    async def open(self) -> None:
        await self._call(super().open())

    async def readers(self) -> Any:
        return await self._call(super().readers())

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the service's own
        await self._call(super().changed(timeout))

    async def transmit(self, reader: str, apdu: bytes) -> bytes:
        answer: bytes = await self._call(super().transmit(reader, apdu))
        return answer


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("how", [KilledError, lambda: PortError("pcscd was lost")], ids=["kill", "lost"])
async def test_a_cut_at_every_call_reads_no_card_twice(how: Callable[[], Exception], *, after: bool) -> None:
    """The card that lay there is read once or not at all; laid on again, it is read."""
    for at in range(1, 9):
        reader, box = Cut(at, how, after=after), CardBox()

        async def serve(reader: Cut = reader, box: CardBox = box) -> None:
            while True:
                with suppress(KilledError, DriverError):
                    await ContactlessReader(reader, "", LoopClock(), box).run()
                await asyncio.sleep(0.5)

        task = asyncio.create_task(serve())
        await asyncio.sleep(0.01)
        reader.lay(UID)
        await asyncio.sleep(5.0)
        assert reader.calls >= at
        assert [one for one in box.seen if one] in ([], [UID.hex().upper()]), f"cut at call {at}"
        reader.take()
        await asyncio.sleep(2.0)
        box.seen.clear()
        reader.lay(UID)
        await asyncio.sleep(2.0)
        assert box.seen == [UID.hex().upper()]
        task.cancel()
        await asyncio.wait({task})
