"""A host's end of the product's SAS codec: polls that select meters, and what the machine answers, decoded."""

from typing import Final

from drivers.errors import WireError
from drivers.sas.frames import CRC_BYTES, EVENT, HEAD, Event, Poll, opened
from drivers.sas.meters import EXTENDED, EXTENDED_AGAIN, SELECTED, Figures, Row, Selection, width
from drivers.sas.numbers import bcd, from_bcd
from drivers.sas.transfers import LOCK, TRANSFER, Amounts, LockAnswer, TransferAnswer

_GAME_BYTES: Final = 2
_CODE_BYTES: Final = {SELECTED: 1, EXTENDED: 2, EXTENDED_AGAIN: 2}

LOCK_STATUS: Final = 0xFF
"""The code of poll 74 that only asks."""
_LOCK_BYTES: Final = 0x23


def read_event(frame: bytes) -> Event:
    """Return the event in a whole frame; raise `WireError` for any other frame."""
    data = opened(frame)
    if len(data) < HEAD + 1 or data[1] != EVENT:
        raise WireError(f"SAS frame {frame.hex(' ').upper()} is no event")
    return Event(data[0], data[2], data[3:])


def selecting(address: int, command: int, wanted: Selection) -> Poll:
    """Return the poll that selects these meters."""
    size = _CODE_BYTES[command]
    data = bcd(wanted.game, _GAME_BYTES) + b"".join(code.to_bytes(size, "little") for code in wanted.codes)
    return Poll(address, command, bytes((len(data),)) + data)


def read_figures(frame: bytes) -> Figures:
    """Decode the answer to 2F, 6F or AF; raise `WireError` for any other frame."""
    data = opened(frame)
    if len(data) < HEAD + 1 + _GAME_BYTES or data[1] not in _CODE_BYTES or data[HEAD] != len(data) - HEAD - 1:
        raise WireError(f"SAS frame {frame.hex(' ').upper()} has no selected meters")
    at, values = HEAD + 1 + _GAME_BYTES, list[tuple[int, int | None]]()
    while at < len(data):
        if data[1] == SELECTED:
            code = data[at]
            size, at = width(code), at + 1
        else:
            if at + 3 > len(data):
                raise WireError(f"SAS frame {frame.hex(' ').upper()} ends within a meter")
            code, size = int.from_bytes(data[at : at + 2], "little"), data[at + 2]
            at += 3
        if at + size > len(data):
            raise WireError(f"SAS frame {frame.hex(' ').upper()} ends within a meter")
        values.append((code, from_bcd(data[at : at + size]) if size else None))
        at += size
    return Figures(from_bcd(data[HEAD + 1 : HEAD + 1 + _GAME_BYTES]), tuple(values))


def read_row(frame: bytes) -> Row:
    """Decode the row of meters in an answer; raise `WireError` for a wrong length or CRC, or invalid BCD."""
    data = opened(frame)[HEAD:]
    if not data or len(data) % 4:
        raise WireError(f"SAS frame {frame.hex(' ').upper()} has {len(frame) - HEAD - CRC_BYTES} bytes of meters")
    return Row(frame[0], frame[1], tuple(from_bcd(data[at : at + 4]) for at in range(0, len(data), 4)))


def read_answer(frame: bytes) -> TransferAnswer | tuple[int, int]:
    """Decode an answer to poll 72, a short one as position and status; raise `WireError` for other frames."""
    data = opened(frame)[HEAD:]
    if frame[1] != TRANSFER or not data or data[0] != len(data) - 1:
        raise WireError(f"SAS frame {frame.hex(' ').upper()} is no answer to a transfer")
    data = data[1:]
    if len(data) == 2:
        return data[0], data[1]
    ends = 25 + data[24]
    totals, at = [], ends + 13
    for _ in range(3):
        size = data[at]
        totals.append(from_bcd(data[at + 1 : at + 1 + size]))
        at += 1 + size
    return TransferAnswer(
        position=data[0],
        status=data[1],
        receipt=data[2],
        kind=data[3],
        amounts=Amounts.decode(data[4:19]),
        flags=data[19],
        asset=int.from_bytes(data[20:24], "little"),
        id=data[25:ends],
        at=data[ends : ends + 7],
        expiration=data[ends + 7 : ends + 11],
        pool=data[ends + 11 : ends + 13],
        totals=Amounts(*totals),
    )


def read_lock_answer(frame: bytes) -> LockAnswer:
    """Decode the answer to poll 74; raise `WireError` for any other frame."""
    data = opened(frame)[HEAD:]
    if frame[1] != LOCK or len(data) != 1 + _LOCK_BYTES or data[0] != _LOCK_BYTES:
        raise WireError(f"SAS frame {frame.hex(' ').upper()} is no answer to a lock")
    data = data[1:]
    return LockAnswer(
        asset=int.from_bytes(data[:4], "little"),
        lock=data[4],
        available=data[5],
        cash_out=data[6],
        status=data[7],
        history=data[8],
        amounts=Amounts.decode(data[9:24]),
        limit_cents=from_bcd(data[24:29]),
        expiration=data[29:33],
        pool=data[33:35],
    )
