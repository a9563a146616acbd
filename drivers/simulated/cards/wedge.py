"""A simulated keyboard wedge: it types a card's number and Enter as input events (linux/input.h, 64-bit)."""

import struct
from typing import ClassVar

from drivers.simulated.line import Line

_EVENT = struct.Struct("=qqHHi")
_KEY, _SYN = 1, 0
_ENTER, _TAB, _SHIFT = 28, 15, 42
_ROWS = ((2, "1234567890"), (16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm"))
_AZERTY = ((2, "1234567890"), (16, "azertyuiop"), (30, "qsdfghjklm"), (44, "wxcvbn"))
"""A French keyboard: its digits lie on the same keys, under SHIFT."""
_KEYPAD = dict(zip("7894561230", (71, 72, 73, 75, 76, 77, 79, 80, 81, 82), strict=True))


class SimulatedWedge:
    """A wedge on a line; `present` holds a card to it.

    `keypad` types digits on the number block, `tab` ends with Tab in place of Enter, and `half` omits the end, as when
    a card is removed too early. `azerty`: it types as on a French keyboard.
    """

    kind: ClassVar = "card reader"

    def __init__(self) -> None:
        self.keypad = self.tab = self.half = self.azerty = False
        self._line: Line | None = None
        self._on = False
        self._now_us = 1_000_002

    def connect(self, line: Line) -> None:
        """Keep the line on which to type."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Ignore bytes from the host: a wedge takes no input."""

    def power(self, *, on: bool) -> None:
        """Switch the mains on or off."""
        self._on = on

    def present(self, number: str) -> None:
        """Hold the card with this number to the reader; raise `ValueError` for one that no wedge can type."""
        keys = [key for character in number for key in self._keys(character)]
        if self.half:
            keys = keys[: len(keys) // 2]
        else:
            keys += _pressed(_TAB if self.tab else _ENTER)
        if self._on and self._line is not None:
            self._line.send(b"".join(self._event(*key) for key in keys))

    def drop(self) -> None:
        """Report that the kernel's buffer overran, and keys were lost."""
        if self._line is not None:
            self._line.send(self._event(_SYN, 3, 0))

    def _keys(self, character: str) -> list[tuple[int, int, int]]:
        if self.keypad and character in _KEYPAD:
            return _pressed(_KEYPAD[character])
        for first, row in _AZERTY if self.azerty else _ROWS:
            place = row.find(character.lower())
            shifted = character.isupper() or (self.azerty and character.isdigit())
            if place >= 0 and shifted:
                return [(_KEY, _SHIFT, 1), *_pressed(first + place), (_KEY, _SHIFT, 0)]
            if place >= 0:
                return _pressed(first + place)
        raise ValueError(f"a card's number has no {character!r}; it has digits and letters")

    def _event(self, kind: int, code: int, value: int) -> bytes:
        seconds, micros = divmod(self._now_us, 1_000_000)
        return _EVENT.pack(seconds, micros, kind, code, value)


def _pressed(code: int) -> list[tuple[int, int, int]]:
    """Return a key that goes down and up, each report ended as the kernel ends it."""
    return [(_KEY, code, 1), (_SYN, 0, 0), (_KEY, code, 0), (_SYN, 0, 0)]
