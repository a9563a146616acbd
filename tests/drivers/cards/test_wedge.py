"""A keyboard wedge: its keys become numbers, and nothing else does; driver and simulation against the same vectors."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.cards.keys import CHARACTERS, CHORDS, ENDS, LOCKS, SHIFTS, SIGNS
from drivers.cards.wedge import EVENT, GAP_S, QUIET_S, Wedge
from drivers.clock import LoopClock
from drivers.errors import PortError, WireError
from drivers.input_port import InputPort
from drivers.simulated.cards.wedge import SimulatedWedge
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.pty_line import PtyLine
from tests.rigs.card_box import CardBox
from tests.rigs.hid_wedge import CODE, LEFT_SHIFT, events, typed
from tests.rigs.vectors import vectors
from tests.rigs.virtual_time import run_virtual

KEYS = [row for row in vectors("cards.tsv") if row[0] == "key"]
EVENTS = [row for row in vectors("cards.tsv") if row[0] == "event"]


@asynccontextmanager
async def reading() -> AsyncIterator[tuple[SimulatedWedge, MemoryLine, CardBox]]:
    """A wedge with its driver running."""
    device, box = SimulatedWedge(), CardBox()
    line = MemoryLine(device)
    device.power(on=True)
    driver = Wedge(line.port, LoopClock(), box)
    task = asyncio.create_task(driver.run())
    await asyncio.sleep(2 * QUIET_S)
    try:
        yield device, line, box
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        driver.stop()


@pytest.mark.parametrize("row", KEYS, ids=lambda row: row[1])
def test_a_keys_code_is_the_kernels(row: list[str]) -> None:
    """Each key types what the header says; the rest types nothing."""
    _, name, code, character, _source = row
    assert CHARACTERS.get(int(code), "") == character
    assert (int(code) in ENDS) is (name in ("KEY_ENTER", "KEY_KPENTER", "KEY_TAB"))


@pytest.mark.parametrize("row", EVENTS, ids=lambda row: "-".join(row[1:4]))
def test_an_event_has_the_kernels_form(row: list[str]) -> None:
    """24 bytes of a 64-bit machine, for the driver as for the simulated wedge."""
    _, kind, code, value, bytes_, _source = row
    assert EVENT.unpack(bytes.fromhex(bytes_)) == (1, 2, int(kind), int(code), int(value))
    assert SimulatedWedge()._event(int(kind), int(code), int(value)) == bytes.fromhex(bytes_)


async def test_numbers_are_read_whole() -> None:
    """Enter, keypad and Tab; small and capital letters are the same card."""
    async with reading() as (device, _line, box):
        device.present("0012345678")
        await asyncio.sleep(0.1)
        device.keypad = True
        device.present("0012345678")
        await asyncio.sleep(0.1)
        device.tab = True
        device.present("04a1B2")
        await asyncio.sleep(0.1)
        assert box.seen == ["0012345678", "0012345678", "04A1B2"]


async def test_half_a_card_is_none() -> None:
    """What is not ended within a second is dropped, and said."""
    async with reading() as (device, _line, box):
        device.half = True
        device.present("0012345678")
        await asyncio.sleep(2 * GAP_S)
        device.half = False
        device.present("77")
        await asyncio.sleep(0.1)
        device.present("7" * 40)
        await asyncio.sleep(0.1)
        device.drop()
        await asyncio.sleep(0.1)
        device.present("0012345678")
        await asyncio.sleep(0.1)
        device.present("0012345678")
        await asyncio.sleep(0.1)
        assert box.seen == ["", "", "", "", "0012345678"]


AZERTY = {digit: (digit, LEFT_SHIFT) for digit in "1234567890"}
"""A French keyboard has its digits on the digit row with shift."""
QWERTY_OF_AZERTY = {"A": "Q", "B": "B", "C": "C", "D": "D", "E": "E", "F": "F", "-": "6", "_": "8", "(": "5"}
"""Where a French keyboard has the letters of a hexadecimal number and what parts it, by a US keyboard's keys."""


def azerty(number: str) -> Iterator[bytes]:
    """Yield the events of a reader that types `number` and Enter for a French layout."""
    for character in number:
        key, modifiers = AZERTY.get(character) or (QWERTY_OF_AZERTY[character], 0)
        yield from events(typed(key, modifiers=modifiers))
    yield from events(typed("ENTER"))


async def heard(*sent: bytes) -> list[str]:
    """Return what the driver reports of these events: numbers, and "" for unread."""
    async with reading() as (_device, line, box):
        for piece in sent:
            line.send(piece)
            await asyncio.sleep(0.01)
        return list(box.seen)


@pytest.mark.parametrize(
    "number",
    [
        *("0012345678", "04A1B2C3D4E5F6", "1A2B3C4D", "77"),
        *(
            "04-A1-B2-C3-D4-E5-F6",
            "12-34-56-78",
            "0012-3456-7890-1",
            "FAC_0012345",
            "66-66-66-66",
            "(5666",
        ),
    ],
)
async def test_a_reader_set_to_a_french_layout_is_unread(number: str) -> None:
    """Its digits come with shift and are signs in the US layout: no number, and never two cards alike."""
    assert await heard(*azerty(number)) == [""]


async def test_the_first_track_of_a_stripe_is_read() -> None:
    """Its start is % and its fields are parted by ^, the digits 5 and 6 with shift."""
    track = [*typed("5", modifiers=LEFT_SHIFT), *typed("B", "1", "2", "3", "4")]
    track += [*typed("6", modifiers=LEFT_SHIFT), *typed("D", "O", "E"), *typed("6", modifiers=LEFT_SHIFT)]
    assert await heard(*events(track), *events(typed("9", "9", "ENTER"))) == ["B1234-DOE-99"]


async def test_what_ends_with_enter_is_a_card_or_unread() -> None:
    """Signs alone, keys that type nothing and digits between locks; Enter alone, as after a Tab, is nothing."""
    signs, ends = events(typed("MINUS", "SLASH", "ENTER")), events(typed("ENTER"))
    assert await heard(*signs) == [""]
    assert await heard(_press(59, shift=False), _press(min(ENDS), shift=False)) == [""]  # KEY_F1
    assert await heard(*ends) == []
    assert await heard(*events(typed("NUMLOCK", "1", "2", "3", "4", "TAB", "ENTER", "NUMLOCK"))) == ["1234"]
    assert await heard(*events(typed("NUMLOCK", "ENTER"))) == []


@given(st.lists(st.tuples(st.sampled_from(sorted(CODE.values())), st.booleans()), min_size=1, max_size=40))
def test_nothing_that_ends_with_enter_is_silent(keys: list[tuple[int, bool]]) -> None:
    """Whatever keys a reader presses, with shift or without: at Enter it is one card, or it is unread."""
    pressed = [(code, shift) for code, shift in keys if code not in SHIFTS | CHORDS | ENDS | LOCKS]
    data = b"".join(_press(code, shift=shift) for code, shift in pressed) + _press(min(ENDS), shift=False)
    assert len(run_virtual(heard(data))) == bool(pressed)


def _press(code: int, *, shift: bool) -> bytes:
    around = [(1, min(SHIFTS), value) for value in (1, 0)] if shift else []
    steps = [*around[:1], (1, code, 1), (1, code, 0), *around[1:]]
    return b"".join(EVENT.pack(0, 0, *step) for step in steps)


PLAIN = st.integers(0, 767).filter(lambda code: code not in SHIFTS | CHORDS | SIGNS)


@given(st.lists(st.tuples(st.integers(0, 31), PLAIN, st.integers(-1, 2)), max_size=60), st.integers(1, 31))
def test_no_events_are_a_wrong_number(events: list[tuple[int, int, int]], pieces: int) -> None:
    """However events come and are cut, a number is the keys pressed between two ends, 4 to 32 characters."""
    typed, wanted = "", list[str]()
    for kind, code, value in events:
        if kind == 1 and value == 1 and code in ENDS:
            wanted += [typed]
            typed = ""
        elif kind == 1 and value == 1:
            typed += CHARACTERS.get(code, "")
    data = b"".join(EVENT.pack(0, 0, *event) for event in events)

    async def read() -> list[str]:
        async with reading() as (_device, line, box):
            for first in range(0, len(data), pieces):
                line.send(data[first : first + pieces])
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.1)
            return [number for number in box.seen if number]

    found = run_virtual(read())
    dropped = any(kind == 0 and code == 3 for kind, code, _value in events)
    whole = [number for number in wanted if 4 <= len(number) <= 32]
    assert set(found) <= set(whole) if dropped else found == whole


async def test_another_file_is_no_wedge() -> None:
    """Text from a serial line is refused with its mend, and makes no number."""
    async with reading() as (device, _line, _box):
        driver = Wedge(MemoryLine(device).port, LoopClock(), CardBox())
        with pytest.raises(WireError, match=r"cards\.device"):
            driver._take(b"0012345678\r0012345678\r0012345678\r")


def test_a_pulled_wedge_is_lost_and_comes_back(tmp_path: Path) -> None:
    """On a pty, as the demo has it: the driver ends with an error that names the path, and reads again once plugged."""
    path = tmp_path / "wedge"

    async def pull() -> None:
        device, box = SimulatedWedge(), CardBox()
        line = PtyLine(device, path)
        device.power(on=True)
        driver = Wedge(InputPort(str(path), grabs=False), LoopClock(), box)
        for _ in range(2):
            task = asyncio.create_task(driver.run())
            while not box.seen:
                device.present("0012345678")
                await asyncio.sleep(0.01)
            line.unplug()
            with pytest.raises(PortError, match="wedge"):
                await task
            driver.stop()
            with pytest.raises(PortError, match="plug the card reader in"):
                await driver.run()
            box.seen.clear()
            line.plug()
        line.unplug()

    asyncio.run(pull())


def test_what_is_no_input_device_is_not_grabbed(tmp_path: Path) -> None:
    """Without the grab its keys would reach the console too: such a file is refused."""
    path = tmp_path / "wedge"

    async def refused() -> None:
        line = PtyLine(SimulatedWedge(), path)
        with pytest.raises(PortError, match="input device"):
            await InputPort(str(path)).open()
        line.unplug()

    asyncio.run(refused())
