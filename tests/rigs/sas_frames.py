"""SAS frames as hosts and machines write them: CRC, the table of polls, requests and answers both ways.

Written from docs/sas.md, section 3 of docs/protocols.md and the captured frames alone. Nothing here was taken
from the cabinet's own side of the line, which this code proves.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tests.rigs.sas_fields import FrameError, Layout, Values

Type = Literal["R", "S", "M", "G"]

RTE = 0xFF
BROADCAST = 0
NO_CRC = 2
SHORTEST_EVENT = 5


def crc(data: bytes) -> bytes:
    """CRC-16/KERMIT (polynomial 1021, reflected, seed 0) over the address and what follows, low byte first."""
    remainder = 0
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ 0x8408 if remainder & 1 else remainder >> 1
    return remainder.to_bytes(2, "little")


def sealed(data: bytes) -> bytes:
    """A frame with its CRC behind it."""
    return data + crc(data)


def unsealed(frame: bytes) -> bytes:
    """A frame without its CRC; FrameError where that is wrong."""
    if len(frame) < 4 or crc(frame[:-2]) != frame[-2:]:
        raise FrameError(f"{frame.hex(' ')} does not end in its CRC")
    return frame[:-2]


class Poll(NamedTuple):
    """One long poll: its type, what the host sends behind the command, and what comes back (None: a bare address)."""

    type: Type
    request: Layout
    answer: Layout | None


def _r(words: str, *, counted: bool = False) -> Poll:
    return Poll("R", Layout(""), Layout(words, counted=counted))


def _order(words: str = "", type_: Type = "S") -> Poll:
    return Poll(type_, Layout(words), None)


def _single(name: str) -> Poll:
    return _r(f"{name}:bcd4")


_GAME = (
    "game_id:text2 additional_id:text3 denomination:bin1 max_bet:bin1 progressive:bin1 options:raw2 paytable:text6"
    " base:text4"
)
_MONEY = "cashable:bcd5 restricted:bcd5 nonrestricted:bcd5"
_TICKET = "parsing:bin1 system_id:bcd1 number:bcd8"

POLLS: dict[int, Poll] = {
    0x01: _order(),
    0x02: _order(),
    0x03: _order(),
    0x04: _order(),
    0x05: _order(),
    0x06: _order(),
    0x07: _order(),
    0x08: _order("denominations:bin4 action:bin1"),
    0x09: _order("game:bcd2 enabled:bin1", "M"),
    0x0A: _order(),
    0x0B: _order(),
    0x0E: _order("on:bin1"),
    0x0F: _r("cancelled:bcd4 coin_in:bcd4 coin_out:bcd4 drop:bcd4 jackpot:bcd4 games:bcd4"),
    0x10: _single("cancelled"),
    0x11: _single("coin_in"),
    0x12: _single("coin_out"),
    0x13: _single("drop"),
    0x14: _single("jackpot"),
    0x15: _single("games"),
    0x16: _single("won"),
    0x17: _single("lost"),
    0x18: _r("since_power:bcd2 since_door:bcd2"),
    0x19: _r("coin_in:bcd4 coin_out:bcd4 drop:bcd4 jackpot:bcd4 games:bcd4"),
    0x1A: _single("credits"),
    0x1B: _r("group:bin1 level:bin1 cents:bcd5 partial:bcd2 reset:bin1 unused:raw10"),
    0x1C: _r("coin_in:bcd4 coin_out:bcd4 drop:bcd4 jackpot:bcd4 games:bcd4 won:bcd4 door_open:bcd4 power_reset:bcd4"),
    0x1E: _r("bills_1:bcd4 bills_5:bcd4 bills_10:bcd4 bills_20:bcd4 bills_50:bcd4 bills_100:bcd4"),
    0x1F: _r(_GAME),
    0x20: _single("bills_value"),
    0x2A: _single("coins"),
    0x2B: _single("coins"),
    0x2D: Poll("M", Layout("game:bcd2"), Layout("game:bcd2 hand_paid:bcd4")),
    0x2E: _order("delay:bcd2"),
    0x2F: Poll("M", Layout("game:bcd2 codes:bin1*", counted=True), Layout("game:bcd2 meters:meters1", counted=True)),
    **{code: _single("bills") for code in (*range(0x31, 0x3D), 0x3E)},
    0x3D: _r("number:bcd4 cents:bcd5"),
    0x46: _single("bills_credits"),
    0x48: _r("country:bcd1 denomination:bcd1 count:bcd4"),
    0x4C: Poll("S", Layout("id:bin3 sequence:bin3"), Layout("id:bin3 sequence:bin3")),
    0x4D: Poll(
        "S",
        Layout("function:bin1"),
        Layout(
            "type:bin1 index:bin1 date:bcd4 time:bcd3 number:bcd8 cents:bcd5 ticket:bin2 system_id:bcd1"
            " expiration:bcd4 pool:raw2"
        ),
    ),
    0x4F: _r("status:bin1 full:bin1 ? level:bcd4", counted=True),
    0x50: Poll("S", Layout("type:bin1"), Layout("type:bin1 count:bcd4 cents:bcd5")),
    0x51: _r("games:bcd2"),
    0x52: Poll("M", Layout("game:bcd2"), Layout("game:bcd2 coin_in:bcd4 coin_out:bcd4 jackpot:bcd4 games:bcd4")),
    0x53: Poll("M", Layout("game:bcd2"), Layout(f"game:bcd2 {_GAME}")),
    0x54: _r("version:text3 serial:text*", counted=True),
    0x55: _r("game:bcd2"),
    0x56: _r("games:count-bcd2", counted=True),
    0x57: _r("type:bin1 cents:bcd5"),
    0x58: Poll("S", Layout("system_id:bcd1 number:bcd8"), Layout("status:bin1")),
    0x6F: Poll("M", Layout("game:bcd2 codes:bin2*", counted=True), Layout("game:bcd2 meters:meters2", counted=True)),
    0x70: _r(f"status:bin1 ? cents:bcd5 {_TICKET}", counted=True),
    0x71: Poll(
        "S",
        Layout(f"code:bin1 ? cents:bcd5 {_TICKET} ? expiration:bcd4 pool:raw2", counted=True),
        Layout(f"status:bin1 ? cents:bcd5 {_TICKET}", counted=True),
    ),
    0x72: Poll(
        "S",
        Layout(
            f"code:bin1 ? index:bin1 ? type:bin1 {_MONEY} flags:bin1 asset:bin4 key:raw20 id:ltext expiration:bcd4"
            " pool:raw2 receipt:lraw ? lock_timeout:bcd2",
            counted=True,
        ),
        Layout(
            f"position:bin1 status:bin1 ? receipt:bin1 type:bin1 {_MONEY} flags:bin1 asset:bin4 id:ltext date:bcd4"
            " time:bcd3 expiration:bcd4 pool:raw2"
            " total_cashable:lbcd9 total_restricted:lbcd9 total_nonrestricted:lbcd9",
            counted=True,
        ),
    ),
    0x73: Poll(
        "S",
        Layout("code:bin1 ? asset:bin4 key:raw20 pos_id:bin4", counted=True),
        Layout("status:bin1 ? asset:bin4 key:raw20 pos_id:bin4", counted=True),
    ),
    0x74: Poll(
        "S",
        Layout("code:bin1 condition:bin1 timeout:bcd2"),
        Layout(
            "asset:bin4 lock:bin1 available:bin1 cashout:bin1 aft:bin1 history:bin1"
            f" {_MONEY} limit:bcd5 expiration:bcd4 pool:raw2",
            counted=True,
        ),
    ),
    0x7B: Poll(
        "S",
        Layout("mask:bin2 states:bin2 cashable_days:bcd2 restricted_days:bcd2", counted=True),
        Layout("asset:bin4 status:bin2 cashable_days:bcd2 restricted_days:bcd2", counted=True),
    ),
    0x7C: Poll("S", Layout("elements:elements", counted=True), Layout("flag:bin1")),
    0x7D: Poll(
        "S",
        Layout("host_id:bin2 days:bin1 location:ltext address1:ltext address2:ltext", counted=True),
        Layout("flag:bin1"),
    ),
    0x7E: _r("date:bcd4 time:bcd3"),
    0x7F: _order("date:bcd4 time:bcd3"),
    0x8A: _order("credits:bcd4 tax:bin1"),
    0x94: Poll("S", Layout(""), Layout("code:bin1")),
    0xA0: Poll("M", Layout("game:bcd2"), Layout("game:bcd2 features:raw3 reserved:raw3")),
    0xA8: Poll("S", Layout("method:bin1"), Layout("code:bin1")),
    0xAF: Poll("M", Layout("game:bcd2 codes:bin2*", counted=True), Layout("game:bcd2 meters:meters2", counted=True)),
    0xB0: Poll(
        "S",
        Layout("denomination:bin1 base:bin1 data:raw*", counted=True),
        Layout("denomination:bin1 base:bin1 data:raw*", counted=True),
    ),
    0xB1: _r("denomination:bin1"),
    0xB2: _r("denominations:count-bin1", counted=True),
    0xB3: _r("denomination:bin1"),
    0xB4: Poll(
        "M",
        Layout("game:bcd2 category:bcd2"),
        Layout("game:bcd2 category:bcd2 payback:text4 coin_in:lbcd4", counted=True),
    ),
    0xB5: Poll(
        "M",
        Layout("game:bcd2"),
        Layout("game:bcd2 max_bet:bcd2 group:bin1 levels:bin4 name:ltext paytable:ltext categories:bcd2", counted=True),
    ),
    **{code: _order("data:raw*") for code in range(0x62, 0x6C)},
    **{code: _order("data:raw*", "G") for code in (0x80, 0x86)},
}
"""Every long poll whose layout the reference pages give.

Their size of 52 (22 bytes) leaves four figures without a name: coin in, coin out, jackpot, games, in the order in which
the other multiple meters have them. 1D and 27 to 29 have no layout there, and so none here; 2A and 2B have
one meter each (docs/host-port.md). The old transfers (62 to
6B) and the progressive broadcasts (80, 86) are opaque: a machine must be silent on the first and take the second.
"""

RTE_DATA: dict[int, Layout] = {
    0x4F: Layout("country:bcd1 denomination:bcd1 count:bcd4"),
    0x7C: Layout("multiplier:bin1 win:bcd4 tax:bin1 bonus:bcd4"),
    0x7E: Layout("wagered:bcd2 coin_in:bcd4 wager_type:bin1 group:bin1"),
    0x7F: Layout("won:bcd4"),
    0x88: Layout("reel:bin1 stop:bin1"),
    0x8A: Layout("game:bcd2 index:bcd2"),
    0x8B: Layout("card:bin1"),
    0x8C: Layout("game:bcd2"),
}
"""What follows an exception's code in real-time reporting (section 5.6); nothing where a code is absent.

A captured 88 has nothing either, against the table: hosts read both.
"""


@dataclass(frozen=True)
class Frame:
    """A long poll or its answer."""

    address: int
    command: int
    values: Values


@dataclass(frozen=True)
class Event:
    """An exception that came in real time, with its data."""

    address: int
    code: int
    values: Values


def request(address: int, command: int, **values: object) -> bytes:
    """A long poll as the host sends it: two bytes for type R, else with data and CRC."""
    poll = POLLS[command]
    head = bytes([address, command])
    return head if poll.type == "R" else sealed(head + poll.request.encode(values))


def read_request(frame: bytes) -> Frame:
    """What a host asks."""
    poll = _known(frame)
    body = frame[2:] if poll.type == "R" else unsealed(frame)[2:]
    return Frame(frame[0], frame[1], poll.request.decode(body))


def answer(address: int, command: int, **values: object) -> bytes:
    """An answer as a machine sends it."""
    layout = POLLS[command].answer
    return bytes([address]) if layout is None else sealed(bytes([address, command]) + layout.encode(values))


def read_answer(frame: bytes) -> Frame:
    """What a machine answers; FrameError where CRC or layout are wrong, or the poll is only acknowledged."""
    layout = _known(frame).answer
    body = unsealed(frame)[2:]
    if layout is None:
        raise FrameError(f"poll {frame[1]:02X} is answered by a bare address, not by {frame.hex(' ')}")
    return Frame(frame[0], frame[1], layout.decode(body))


def event(address: int, code: int, **values: object) -> bytes:
    """An exception as a machine reports it in real time."""
    data = RTE_DATA.get(code, Layout("")).encode(values) if values else b""
    return sealed(bytes([address, RTE, code]) + data)


def read_event(frame: bytes) -> Event:
    """The exception in a real-time frame."""
    body = unsealed(frame)
    if body[1] != RTE or len(frame) < SHORTEST_EVENT:
        raise FrameError(f"{frame.hex(' ')} is no real-time event")
    data = body[3:]
    return Event(body[0], body[2], RTE_DATA.get(body[2], Layout("")).decode(data) if data else {})


def whole_size(heard: bytes, command: int | None) -> int | None:
    """How many bytes the answer has that begins so, to the poll `command` (None: a general poll).

    None where too little came to say, or where it may be over with any byte. No machine's clock is needed for it.
    """
    if len(heard) < NO_CRC:
        return None
    if heard[1] == RTE:
        return _event_size(heard)
    layout = POLLS[command].answer if command in POLLS and heard[1] == command else None
    if layout is None:
        return None
    if not layout.counted:
        return 4 + (layout.size or 0)
    return None if len(heard) < 3 else 5 + heard[2]


def _event_size(heard: bytes) -> int | None:
    if len(heard) < SHORTEST_EVENT:
        return None
    bare = heard[:SHORTEST_EVENT]
    return SHORTEST_EVENT + (0 if sealed(bare[:-2]) == bare else RTE_DATA.get(heard[2], Layout("")).size or 0)


def _known(frame: bytes) -> Poll:
    if len(frame) < NO_CRC or frame[1] not in POLLS:
        raise FrameError(f"{frame.hex(' ')} is no poll of which the layout is public")
    return POLLS[frame[1]]
