"""The bits of a ccTalk hopper's three status registers (request 163; protocols.md, 1, "Hopper"; D9)."""

from enum import Enum
from typing import NamedTuple

from drivers.capabilities import PayoutEnd

REGISTERS = 3


class Meaning(NamedTuple):
    """One bit: its fault `code` ("" for none), its meaning in plain words, and its consequences.

    If `live` is true, the bit shows the present state: the fault is present as long as the bit is set, and nothing is
    dispensed meanwhile. Otherwise the bit describes the newest dispense. `end` is how the bit ends a payout, None if
    the payout continues. If `reset` is true, a software reset must clear the bit before the next dispense. The
    consequences of the PIN and security bits depend on the settings (`drivers.cctalk.hopper_security`).
    """

    register: int
    bit: int
    code: str
    words: str
    live: bool = False
    end: PayoutEnd | None = None
    reset: bool = False


class Flag(Enum):
    """Every bit that the specification names; registers are numbered from 1, bits from 0."""

    MAX_CURRENT = Meaning(1, 0, "hopper_motor", "the motor drew more current than it may", end=PayoutEnd.JAMMED)
    TIMEOUT = Meaning(1, 1, "hopper_empty", "no coin came in time", end=PayoutEnd.EMPTY)
    REVERSED = Meaning(1, 2, "hopper_reversed", "the motor turned back to free a coin")
    BLOCKED_IDLE = Meaning(1, 3, "hopper_sensor", "the exit is blocked while nothing is paid", live=True)
    SHORT_IDLE = Meaning(1, 4, "hopper_sensor", "the exit sensor is blinded while nothing is paid", live=True)
    BLOCKED_PAYING = Meaning(1, 5, "hopper_jam", "the exit stayed blocked during the payout", end=PayoutEnd.JAMMED)
    POWER_UP = Meaning(1, 6, "", "it was started since its newest dispense")
    DISABLED = Meaning(1, 7, "", "no dispense is enabled")
    SHORT_PAYING = Meaning(
        2, 0, "hopper_sensor", "the exit sensor was blinded during the payout", end=PayoutEnd.UNDECIDED
    )
    SINGLE_COIN = Meaning(2, 1, "", "it pays one coin for each dispense")
    OTHER_HOPPER = Meaning(2, 2, "dispense_refused", "it leaves the rest to another hopper", end=PayoutEnd.STOPPED)
    FINGER = Meaning(2, 3, "hopper_sensor", "the coin finger and the exit sensor disagreed", end=PayoutEnd.UNDECIDED)
    REVERSE_LIMIT = Meaning(
        2, 4, "hopper_jam", "the motor turned back as often as it may and a coin is still stuck", end=PayoutEnd.JAMMED
    )
    COIL = Meaning(2, 5, "hopper_sensor", "the coil of the coin sensor is faulty", live=True, end=PayoutEnd.UNDECIDED)
    MEMORY = Meaning(
        2,
        6,
        "hopper_memory",
        "its memory failed, its counters may be wrong",
        live=True,
        reset=True,
        end=PayoutEnd.UNDECIDED,
    )
    PIN = Meaning(2, 7, "", "it wants a PIN")
    POWER_DOWN = Meaning(3, 0, "", "its power failed during a payout", reset=True)
    UNKNOWN_COIN = Meaning(3, 1, "hopper_unknown_coin", "a coin that it does not know left it", end=PayoutEnd.UNDECIDED)
    PIN_WRONG = Meaning(3, 2, "", "the PIN is wrong")
    CIPHER_WRONG = Meaning(3, 3, "", "the security bytes of a dispense were wrong")
    ENCRYPTED = Meaning(3, 4, "", "it wants encrypted dispenses")

    @property
    def code(self) -> str:
        """The code of the fault that the bit raises, "" for none."""
        return self.value.code

    @property
    def words(self) -> str:
        """The bit's meaning in plain words."""
        return self.value.words

    @property
    def live(self) -> bool:
        """Whether the bit shows the present state."""
        return self.value.live

    @property
    def end(self) -> PayoutEnd | None:
        """How the bit ends a payout, None if the payout continues."""
        return self.value.end

    @property
    def reset(self) -> bool:
        """Whether a software reset must clear the bit before the next dispense."""
        return self.value.reset


LIVE_CODES = frozenset(flag.code for flag in Flag if flag.live)
"""Faults whose presence or absence the registers show at any time."""

DISPENSE_CODES = frozenset(flag.code for flag in Flag if flag.code) - LIVE_CODES
"""Faults of a dispense; the next dispense that succeeds clears them."""

_ENDS = (PayoutEnd.UNDECIDED, PayoutEnd.JAMMED, PayoutEnd.EMPTY, PayoutEnd.STOPPED)


class Registers(frozenset[Flag]):
    """The flags that are set."""

    @classmethod
    def of(cls, data: bytes) -> "Registers":
        """Decode 1 to 3 registers; missing registers count as 0 and reserved bits are ignored."""
        held = data.ljust(REGISTERS, b"\0")
        return cls(flag for flag in Flag if held[flag.value.register - 1] >> flag.value.bit & 1)

    @property
    def live(self) -> dict[str, str]:
        """The present faults: codes with their plain words."""
        return _by_code([flag for flag in Flag if flag in self and flag.live])

    @property
    def of_dispense(self) -> dict[str, str]:
        """The faults of the newest dispense: codes with their plain words.

        Those that end no payout only if no other is set.
        """
        said = [flag for flag in Flag if flag in self and flag.code and not flag.live]
        return _by_code([flag for flag in said if flag.end] or said)

    @property
    def needs_reset(self) -> bool:
        """Whether a software reset must come before the next dispense."""
        return any(flag.reset for flag in self)

    @property
    def end(self) -> PayoutEnd | None:
        """How these flags end a payout, None if the payout continues."""
        ends = {flag.end for flag in self}
        return next((end for end in _ENDS if end in ends), None)


def _by_code(flags: list[Flag]) -> dict[str, str]:
    said: dict[str, str] = {}
    for flag in flags:
        said[flag.code] = f"{said[flag.code]}; {flag.words}" if flag.code in said else flag.words
    return said


def registers(flags: frozenset[Flag]) -> bytes:
    """Encode `flags` as the three registers of a hopper's answer."""
    held = bytearray(REGISTERS)
    for flag in flags:
        held[flag.value.register - 1] |= 1 << flag.value.bit
    return bytes(held)
