"""What a broken or hostile peer might send to the supervisor's sockets: random bytes, broken messages, odd ones."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from common.decoding import UnreadableError
from controller.features.console.words import Look, Push
from ui.protocol.messages import PROTOCOL, Ack, Frames, Hello, Press, Touch, decode_to_supervisor

ODD: tuple[bytes, ...] = (
    b"null",
    b"true",
    b"-1",
    b"0",
    b"1e999",
    b"1e308",
    b"-0.0",
    b"9007199254740993",
    b"9" * 400,
    b"9" * 6_000,
    b'""',
    b'"spin"',
    b'"\xff\xfe"',
    b'"\\ud800"',
    b'"\\u0000"',
    b'"' + b"x" * 300 + b'"',
    b"[]",
    b"{}",
    b"[" * 3_000 + b"]" * 3_000,
    b'{"a":' * 3_000 + b"1" + b"}" * 3_000,
    b'{"type":"press"}',
)
"""Values of the wrong type or range."""
FIELDS = ("type", "control", "turn", "number", "x", "y", "down", "presented", "cpu_ms_max", "protocol", "sound", "odd")
DISPLAY_TAGS = ("hello", "ack", "press", "touch", "frames", "snapshot", "show", "hurry", "", "odd")
CONSOLE_TAGS = ("look", "push", "sheet", "denied", "", "odd")

State = Callable[[], tuple[int, Sequence[str]]]
"""Returns the turn that the supervisor is at, and its live controls, as the peer knows them."""


def display_packets(seed: int, count: int, state: State) -> Iterator[bytes]:
    """Yield what a display might send after its Hello; a Hello of another protocol, which ends it, is none of these."""
    draw = random.Random(seed)

    def sound() -> bytes:
        turn, controls = state()
        control = draw.choice((*controls, "spin", "nothing"))
        message = draw.choice(
            (
                Press(control, turn),
                Press(control, draw.randrange(1 << 20)),
                Ack(draw.randrange(1 << 20)),
                Touch(draw.randrange(-2_000, 2_000), draw.randrange(-2_000, 2_000), draw.random() < 0.5),
                Frames(draw.randrange(100), draw.random() * 20, draw.random() * 50, draw.choice((None, True, False))),
                Hello(),
            )
        )
        return msgspec.json.encode(message)

    packets = (packet for packet in _packets(draw, sound, DISPLAY_TAGS) if not _is_other_hello(packet))
    return islice(packets, count)


def _is_other_hello(packet: bytes) -> bool:
    try:
        message = decode_to_supervisor(packet)
    except UnreadableError:
        return False
    return isinstance(message, Hello) and message.protocol != PROTOCOL


def console_packets(seed: int, count: int, state: State) -> Iterator[bytes]:
    """Yield what a console might send."""
    draw = random.Random(seed)

    def sound() -> bytes:
        turn, controls = state()
        control = draw.choice((*controls, "spin", "service:row:99"))
        return msgspec.json.encode(draw.choice((Look(), Push(control, turn), Push(control, draw.randrange(1 << 20)))))

    return islice(_packets(draw, sound, CONSOLE_TAGS), count)


def _packets(draw: random.Random, sound: Callable[[], bytes], tags: Sequence[str]) -> Iterator[bytes]:
    kinds = (
        sound,
        lambda: _broken(draw, sound()),
        lambda: _assembled(draw, tags),
        lambda: draw.randbytes(draw.choice((1, 8, 64, 1_000))),
        lambda: draw.choice(ODD),
    )
    while True:
        yield draw.choices(kinds, weights=(40, 25, 25, 8, 2))[0]()


def _broken(draw: random.Random, packet: bytes) -> bytes:
    """Return a message with some of its bytes changed, taken out, doubled or cut off."""
    broken = bytearray(packet)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(broken)) if broken else 0
        match draw.randrange(4):
            case 0 if broken:
                broken[at] = draw.randrange(256)
            case 1:
                del broken[at : at + draw.randint(1, 8)]
            case 2:
                broken[at:at] = broken[at : at + draw.randint(1, 8)]
            case _:
                broken[at:at] = draw.choice(ODD[:16])
    return bytes(broken) or b" "


def _assembled(draw: random.Random, tags: Sequence[str]) -> bytes:
    """Return an object of known fields with values that belong elsewhere."""
    fields = [b'"type":"' + draw.choice(tags).encode() + b'"']
    for name in draw.sample(FIELDS[1:], draw.randint(0, 5)):
        value = draw.choice(ODD) if draw.random() < 0.3 else draw.choice(ODD[:8])
        fields.append(b'"' + name.encode() + b'":' + value)
    draw.shuffle(fields)
    return b"{" + b",".join(fields) + b"}"
