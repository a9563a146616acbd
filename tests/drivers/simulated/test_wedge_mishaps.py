"""What a simulated card reader types when it is set up for another country, or a card is drawn away too early."""

import asyncio
import struct

import pytest

from drivers.simulated.cards.wedge import SimulatedWedge
from drivers.simulated.memory_line import MemoryLine

EVENT = struct.Struct("=qqHHi")
SHIFT, ENTER = 42, 28
DIGITS = dict(zip("1234567890", range(2, 12), strict=True))
"""Where the digits lie on every keyboard: the first row (linux/input-event-codes.h, KEY_1 to KEY_0)."""


async def typed(wedge: SimulatedWedge, number: str) -> list[tuple[int, int]]:
    """The keys that go down and up when a card is held to the reader: code, and 1 or 0."""
    line = MemoryLine(wedge)
    wedge.power(on=True)
    await line.port.open()
    wedge.present(number)
    await asyncio.sleep(0)
    events = EVENT.iter_unpack(await line.port.read(1))
    return [(code, value) for _seconds, _micros, kind, code, value in events if kind == 1]


def pressed(*codes: int) -> list[tuple[int, int]]:
    """Keys pressed one after the other."""
    return [(code, value) for code in codes for value in (1, 0)]


async def test_a_french_keyboard_types_digits_with_shift() -> None:
    """SHIFT is held for each digit; Enter ends as ever."""
    wedge = SimulatedWedge()
    wedge.azerty = True
    digits = [event for digit in "0123" for event in ((SHIFT, 1), *pressed(DIGITS[digit]), (SHIFT, 0))]
    assert await typed(wedge, "0123") == [*digits, *pressed(ENTER)]


@pytest.mark.parametrize(("letter", "key"), [("a", 16), ("q", 30), ("z", 17), ("w", 44), ("m", 39)])
async def test_a_french_keyboard_has_letters_in_other_places(letter: str, key: int) -> None:
    """A and Q, Z and W are exchanged, and M lies beside L."""
    wedge = SimulatedWedge()
    wedge.azerty = True
    assert (await typed(wedge, letter))[:2] == pressed(key)


async def test_half_a_number_has_no_end() -> None:
    """Half of the keys, and no Enter."""
    wedge = SimulatedWedge()
    wedge.half = True
    assert await typed(wedge, "1234") == pressed(DIGITS["1"], DIGITS["2"])
