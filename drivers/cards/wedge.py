"""Driver of a keyboard wedge: a reader that types a card's number and Enter, as a kernel input device.

The kernel's documentation (input/input.rst, "Event interface", and input/event-codes.rst) has the events: a struct of
seconds and microseconds (a long each), type, code (16 bits each) and value (32 bits, signed).
"""

import struct
from typing import Final

from drivers.cards.keys import CARET, CHARACTERS, CHORDS, ENDS, LOCKS, MOST_CARETS, PERCENT, SHIFTS, SIGN, SIGNS
from drivers.cards.listener import CARD_READER, LONGEST, CardListener, is_card_number
from drivers.clock import Clock
from drivers.errors import WireError
from drivers.port import Port

EVENT: Final = struct.Struct("llHHi")
EV_SYN, EV_KEY = 0, 1
SYN_DROPPED: Final = 3
RELEASED, PRESSED = 0, 1
GAP_S: Final = 1.0
"""A number is typed within milliseconds: after a pause this long the next key starts another number."""
QUIET_S: Final = 0.25
"""After this pause a number that was being typed at the start is over: its keys come within milliseconds."""
_WAIT_S: Final = 60.0
_KNOWN_TYPES: Final = 0x1F


class Wedge:
    """The wedge on `port`, whose keys no other program gets.

    Input that ends with Enter is reported to `listener`: a valid number as a card, anything else as unread.
    """

    name = CARD_READER
    _typed: str
    _spoilt: bool
    _keyed: bool
    _carets: int

    def __init__(self, port: Port, clock: Clock, listener: CardListener) -> None:
        self._port = port
        self._clock = clock
        self._listener = listener
        self._forget()
        self._held: set[int] = set()
        self._rest = b""

    def __repr__(self) -> str:
        return f"<Wedge {self._port!r}>"

    async def run(self) -> None:
        """Read until cancelled; raise `PortError` when the reader is lost, `WireError` if it is not an input device."""
        self._forget()
        self._held.clear()
        self._rest = b""
        await self._port.open()
        until = self._clock.now() + GAP_S
        while await self._port.read(QUIET_S) and self._clock.now() < until:
            pass  # discard earlier input and the rest of a number being typed
        while True:
            begun = self._keyed or self._spoilt
            data = await self._port.read(GAP_S if begun else _WAIT_S)
            if data:
                self._take(data)
            elif begun:
                self._listener.unread()  # an incomplete number, then a pause
                self._forget()

    def stop(self) -> None:
        """Release the device."""
        self._port.close()

    def _take(self, data: bytes) -> None:
        data = self._rest + data
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        for _seconds, _micros, kind, code, value in EVENT.iter_unpack(data[:whole]):
            if kind > _KNOWN_TYPES:
                path = self._port.path
                raise WireError(f"{path}: no input event begins so; name the reader's own file in cards.device")
            if kind == EV_SYN and code == SYN_DROPPED:
                self._spoilt = True  # the kernel's buffer overran: some keys are missing
                self._held.clear()
            elif kind == EV_KEY and code in SHIFTS | CHORDS:
                (self._held.discard if value == RELEASED else self._held.add)(code)
            elif kind == EV_KEY and value == PRESSED:
                self._key(code)

    def _key(self, code: int) -> None:
        if code in ENDS:
            number = self._typed.rstrip(SIGN)
            keyed, spoilt = self._keyed, self._spoilt
            self._forget()
            if not spoilt and is_card_number(number):
                self._listener.card(number)
            elif keyed or spoilt:
                self._listener.unread()
            return
        character = CHARACTERS.get(code, "")
        is_shifted_digit = character.isdigit() and bool(self._held & SHIFTS)
        if self._held & CHORDS or (is_shifted_digit and not self._is_of_a_stripe(character)):
            self._spoilt = True
        self._keyed |= code not in LOCKS
        if self._spoilt:
            return
        if code in SIGNS or is_shifted_digit:
            if self._typed and not self._typed.endswith(SIGN):
                self._add(SIGN)
        elif character:
            self._add(character)

    def _is_of_a_stripe(self, digit: str) -> bool:
        """Count a caret, and return whether that digit with shift is a sign of a magnetic stripe's first track.

        On a French keyboard (AZERTY) every digit comes with shift, and other keys type the separators.
        """
        self._carets += digit == CARET
        return (digit == PERCENT and not self._keyed) or (digit == CARET and self._carets <= MOST_CARETS)

    def _add(self, character: str) -> None:
        self._typed += character
        if len(self._typed) > LONGEST:
            self._typed, self._spoilt = "", True

    def _forget(self) -> None:
        """Reset the state for a new number."""
        self._typed, self._spoilt = "", False
        self._keyed, self._carets = False, 0
