"""ID-003 frames on the device's side (protocols.md §2.1; id003.tsv, id003_ticket_vectors.tsv).

`FC LEN CODE DATA CRC CRC`: LEN counts the whole frame, CRC-16/KERMIT covers everything before it, low byte first.
"""

from enum import IntEnum
from typing import Final, NamedTuple

SYNC: Final = b"\xfc"
SHORTEST: Final = 5
ACK: Final = 0x50
ENQ: Final = 0x05
POWER_RECOVERY: Final = 0x02
"""The bit of the optional functions that makes vend valid repeat after a power cut."""
ESCROW_CODES: Final = range(0x61, 0x69)
"""The codes of notes in escrow, one for each bit of the denominations."""
REJECT_DENOMINATION, REJECT_INHIBITED, REJECT_RESIDUE = 0x76, 0x79, 0x7C


class Command(IntEnum):
    """A host's command."""

    POLL = 0x11
    RESET = 0x40
    STACK_1 = 0x41
    STACK_2 = 0x42
    RETURN = 0x43
    HOLD = 0x44
    WAIT = 0x45
    ACK = ACK
    GET_VERSION = 0x88
    GET_BOOT_VERSION = 0x89
    GET_CURRENCIES = 0x8A
    SET_DENOMINATIONS = 0xC0
    SET_SECURITY = 0xC1
    SET_MODE = 0xC2
    SET_INHIBIT = 0xC3
    SET_DIRECTION = 0xC4
    SET_OPTIONS = 0xC5
    SET_BARCODE = 0xC6
    SET_BARCODE_INHIBIT = 0xC7


class Status(IntEnum):
    """A device's status in the reply to a poll, or its answer to an unknown command."""

    IDLE = 0x11
    ACCEPTING = 0x12
    ESCROW = 0x13
    STACKING = 0x14
    VEND_VALID = 0x15
    STACKED = 0x16
    REJECTING = 0x17
    RETURNING = 0x18
    HOLDING = 0x19
    DISABLED = 0x1A
    INITIALIZE = 0x1B
    POWER_UP = 0x40
    POWER_UP_IN_ACCEPTOR = 0x41
    POWER_UP_IN_STACKER = 0x42
    STACKER_FULL = 0x43
    STACKER_OPEN = 0x44
    ACCEPTOR_JAM = 0x45
    STACKER_JAM = 0x46
    PAUSE = 0x47
    CHEATED = 0x48
    FAILURE = 0x49
    COMMUNICATION_ERROR = 0x4A
    INVALID_COMMAND = 0x4B


class Frame(NamedTuple):
    """A command or a status, with its data."""

    code: int
    data: bytes = b""


def crc(data: bytes) -> bytes:
    """Return the CRC-16/KERMIT of `data`, low byte first."""
    rest = 0
    for value in data:
        rest ^= value
        for _ in range(8):
            rest = rest >> 1 ^ (0x8408 if rest & 1 else 0)
    return rest.to_bytes(2, "little")


def encode(code: int, data: bytes = b"") -> bytes:
    """Return a whole frame."""
    frame = SYNC + bytes((SHORTEST + len(data), code)) + data
    return frame + crc(frame)


class FrameParser:
    """Splits received bytes into frames and drops everything else."""

    def __init__(self) -> None:
        self._waiting = b""

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes."""
        waiting = self._waiting + data
        frames = []
        begin = waiting.find(SYNC)
        while 0 <= begin < len(waiting) - 1:
            end = begin + waiting[begin + 1]
            if end > len(waiting):
                break
            heard = waiting[begin:end]
            sound = len(heard) >= SHORTEST and crc(heard[:-2]) == heard[-2:]
            if sound:
                frames.append(Frame(heard[2], heard[3:-2]))
            begin = waiting.find(SYNC, end if sound else begin + 1)
        self._waiting = waiting[begin:] if begin >= 0 else b""
        return frames
