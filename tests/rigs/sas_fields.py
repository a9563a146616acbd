"""The figures within a SAS frame: BCD, binary, text, lists, and layouts made of them.

A layout is written as words, `name:kind` in the order of the wire: `game:bcd2 asset:bin4 key:raw20 id:ltext`. A `?`
between two fields says that a body may end there. Written from docs/sas.md alone: BCD is packed with the most
significant byte first, binary has the least significant byte first (section 0).
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

FIVE_BYTE_METERS = frozenset({0x0D, 0x0E, 0x0F, 0x10, *range(0x80, 0x93, 2), *range(0xA0, 0xB1, 2), 0xB8, 0xBA, 0xBC})
"""Meter codes whose value has 5 bytes in poll 2F; all others have 4 (section 5.1)."""

Values = dict[str, Any]


class FrameError(ValueError):
    """A frame that is not what it claims to be."""


def bcd(value: int, size: int) -> bytes:
    """`value` in so many bytes of packed BCD; ValueError where it does not fit."""
    digits = f"{value:0{2 * size}d}"
    if value < 0 or len(digits) > 2 * size:
        raise ValueError(f"{value} does not fit {size} bytes of BCD")
    return bytes.fromhex(digits)


def from_bcd(data: bytes) -> int:
    """The number in packed BCD; FrameError where a digit is above 9."""
    digits = data.hex()
    if not digits.isdecimal():
        raise FrameError(f"{digits} is not BCD")
    return int(digits)


class Kind(NamedTuple):
    """How a field is written (`put`) and read (`take` returns it with the bytes after it)."""

    put: Callable[[Any], bytes]
    take: Callable[[bytes], tuple[Any, bytes]]


def _cut(data: bytes, size: int) -> tuple[bytes, bytes]:
    if len(data) < size:
        raise FrameError(f"{size} bytes are due, {data.hex(' ') or 'none'} came")
    return data[:size], data[size:]


def _counted(data: bytes) -> tuple[bytes, bytes]:
    size, rest = _cut(data, 1)
    return _cut(rest, size[0])


def _with_size(data: bytes) -> bytes:
    if len(data) > 0xFF:
        raise ValueError(f"{len(data)} bytes do not fit a length byte")
    return bytes([len(data)]) + data


def _exact(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise ValueError(f"{data.hex(' ')} has not {size} bytes")
    return data


def _text(data: bytes) -> str:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        raise FrameError(f"{data.hex(' ')} is not ASCII") from error


def _fixed(name: str, size: int) -> Kind:
    """A field of so many bytes."""
    put: dict[str, Callable[[Any], bytes]] = {
        "bcd": lambda value: bcd(value, size),
        "bin": lambda value: int(value).to_bytes(size, "little"),
        "raw": lambda value: _exact(value, size),
        "text": lambda value: _exact(value.encode("ascii"), size),
    }
    take: dict[str, Callable[[bytes], Any]] = {
        "bcd": from_bcd,
        "bin": lambda data: int.from_bytes(data, "little"),
        "raw": bytes,
        "text": _text,
    }

    def taken(data: bytes) -> tuple[Any, bytes]:
        own, rest = _cut(data, size)
        return take[name](own), rest

    return Kind(put[name], taken)


def _prefixed(name: str, size: int) -> Kind:
    """A field behind a byte that says its length; BCD is written with `size` bytes and read with any."""
    if name == "lbcd":

        def taken(data: bytes) -> tuple[Any, bytes]:
            own, rest = _counted(data)
            return from_bcd(own) if own else 0, rest

        return Kind(lambda value: _with_size(bcd(value, size)), taken)

    def read(data: bytes) -> tuple[Any, bytes]:
        own, rest = _counted(data)
        return (_text(own) if name == "ltext" else own), rest

    return Kind(lambda value: _with_size(value.encode("ascii") if name == "ltext" else value), read)


def _repeated(one: Kind) -> Kind:
    """The same field over and over to the end of the body."""

    def taken(data: bytes) -> tuple[list[Any], bytes]:
        values = []
        while data:
            value, data = one.take(data)
            values.append(value)
        return values, b""

    return Kind(lambda values: b"".join(map(one.put, values)), taken)


def _numbered(one: Kind) -> Kind:
    """The same field over and over, behind a byte that says how often."""

    def taken(data: bytes) -> tuple[list[Any], bytes]:
        count, data = _cut(data, 1)
        values = []
        for _ in range(count[0]):
            value, data = one.take(data)
            values.append(value)
        return values, data

    return Kind(lambda values: bytes([len(values)]) + b"".join(map(one.put, values)), taken)


def _rest(name: str) -> Kind:
    """All that is left."""
    if name == "text":
        return Kind(lambda value: value.encode("ascii"), lambda data: (_text(data), b""))
    return Kind(bytes, lambda data: (data, b""))


def meter_size(code: int) -> int:
    """Bytes of a meter's value in poll 2F (section 5.1)."""
    return 5 if code in FIVE_BYTE_METERS else 4


def _put_short_meters(meters: Mapping[int, int]) -> bytes:
    return b"".join(bytes([code]) + bcd(value, meter_size(code)) for code, value in meters.items())


def _take_short_meters(data: bytes) -> tuple[dict[int, int], bytes]:
    meters = {}
    while data:
        code, data = data[0], data[1:]
        value, data = _cut(data, meter_size(code))
        meters[code] = from_bcd(value)
    return meters, b""


def _put_long_meters(meters: Mapping[int, int | None]) -> bytes:
    """A meter of None is one that the machine has not: size 0."""
    frame = b""
    for code, value in meters.items():
        frame += code.to_bytes(2, "little")
        frame += _with_size(b"" if value is None else bcd(value, meter_size(code)))
    return frame


def _take_long_meters(data: bytes) -> tuple[dict[int, int | None], bytes]:
    meters: dict[int, int | None] = {}
    while data:
        code, data = _cut(data, 2)
        value, data = _counted(data)
        meters[int.from_bytes(code, "little")] = from_bcd(value) if value else None
    return meters, b""


def _put_elements(elements: Mapping[int, str]) -> bytes:
    return b"".join(bytes([code]) + _with_size(text.encode("ascii")) for code, text in elements.items())


def _take_elements(data: bytes) -> tuple[dict[int, str], bytes]:
    elements = {}
    while data:
        code, data = data[0], data[1:]
        text, data = _counted(data)
        elements[code] = _text(text)
    return elements, b""


_SPECIAL = {
    "meters1": Kind(_put_short_meters, _take_short_meters),
    "meters2": Kind(_put_long_meters, _take_long_meters),
    "elements": Kind(_put_elements, _take_elements),
}


def _kind(word: str) -> Kind:
    if word in _SPECIAL:
        return _SPECIAL[word]
    if word in ("raw*", "text*"):
        return _rest(word[:-1])
    if word.endswith("*"):
        return _repeated(_kind(word[:-1]))
    if word.startswith("count-"):
        return _numbered(_kind(word.removeprefix("count-")))
    name, size = word.rstrip("0123456789"), word[len(word.rstrip("0123456789")) :]
    if name.startswith("l"):
        return _prefixed(name, int(size or 0))
    return _fixed(name, int(size))


class Layout:
    """The body of a frame, after address and command; `counted` where a length byte is before it."""

    def __init__(self, words: str, *, counted: bool = False) -> None:
        self.words = words
        self.counted = counted
        self._fields: list[tuple[str, Kind, bool]] = []
        may_end = False
        for word in words.split():
            if word == "?":
                may_end = True
                continue
            name, kind = word.split(":")
            self._fields.append((name, _kind(kind), may_end))
            may_end = False
        self.size: int | None = None if counted else self._fixed_size(words)

    @staticmethod
    def _fixed_size(words: str) -> int | None:
        """Bytes of the body where every field has a size of its own."""
        sizes = [word[len(word.rstrip("0123456789")) :] for word in words.split()]
        return sum(map(int, sizes)) if all(sizes) else None

    def encode(self, values: Values) -> bytes:
        """The body of these values; it ends where a body may end and the next value is not given."""
        unknown = values.keys() - {name for name, _, _ in self._fields}
        if unknown:
            raise ValueError(f"no field of the frame: {sorted(unknown)}")
        body = b""
        for name, kind, may_end in self._fields:
            if may_end and name not in values:
                break
            body += kind.put(values[name])
        return _with_size(body) if self.counted else body

    def decode(self, body: bytes) -> Values:
        """The values of a body without its CRC; FrameError where it is not of this layout."""
        if self.counted:
            body, after = _counted(body)
            if after:
                raise FrameError(f"{after.hex(' ')} follows a frame that is over")
        values: Values = {}
        for name, kind, may_end in self._fields:
            if may_end and not body:
                break
            values[name], body = kind.take(body)
        if body:
            raise FrameError(f"{body.hex(' ')} is more than the frame holds")
        return values
