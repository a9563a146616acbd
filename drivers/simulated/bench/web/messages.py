"""The messages on the bench's WebSocket.

Texts are JSON, tagged by `type`. A binary message is a picture of the monitor: its number as `HEAD`, then a JPEG.
BadMessageError (ValueError)   a viewer sent something that is none of `FromViewer`; the message says what is wrong
"""

import struct
from typing import Annotated, Final

import msgspec

from drivers.simulated.bench.appearance import Look
from drivers.simulated.bench.layout import Rect

HEAD: Final = struct.Struct(">I")
LONGEST = 4096
"""The bytes of the longest message of a viewer."""

_Finger = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
_Fraction = Annotated[float, msgspec.Meta(ge=0, le=1)]


class BadMessageError(ValueError):
    """A message of a viewer cannot be read, or names what is not there."""


class Grasp(msgspec.Struct, frozen=True, tag="grasp", forbid_unknown_fields=True):
    """A finger, mouse button or key goes down on a control."""

    finger: _Finger
    control: str


class Touch(msgspec.Struct, frozen=True, tag="touch", forbid_unknown_fields=True):
    """A finger goes down on the monitor, at a place in fractions of its picture."""

    finger: _Finger
    x: _Fraction
    y: _Fraction


class LetGo(msgspec.Struct, frozen=True, tag="let_go", forbid_unknown_fields=True):
    """A finger goes up, on the monitor at a place in fractions of its picture; without a finger, all of them go up."""

    finger: Annotated[str, msgspec.Meta(max_length=40)] = ""
    x: _Fraction | None = None
    y: _Fraction | None = None


class Act(msgspec.Struct, frozen=True, tag="act", forbid_unknown_fields=True):
    """An act in words, as `drivers.simulated.front.Do`."""

    what: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Shown(msgspec.Struct, frozen=True, tag="shown", forbid_unknown_fields=True):
    """The viewer shows this picture and all before it."""

    number: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]


FromViewer = Grasp | Touch | LetGo | Act | Shown
_decoder: msgspec.json.Decoder[FromViewer] = msgspec.json.Decoder(FromViewer)


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of the bench: what it is called, where it lies, and how it is operated, if it is a control."""

    name: str
    label: str
    area: Rect
    still: bool = False
    control: bool = False
    toggles: bool = False
    key: str = ""
    keycap: str = ""
    keycap_at: tuple[int, int] = (0, 0)


class Group(msgspec.Struct, frozen=True):
    """Parts that stay side by side on a narrow screen."""

    name: str
    parts: tuple[Place, ...]


class Layout(msgspec.Struct, frozen=True, tag="layout"):
    """The first message: the bench's parts, and the size of each picture in bench units."""

    size: tuple[int, int]
    monitor: Rect
    groups: tuple[Group, ...]
    pictures: dict[str, tuple[int, int]]
    keys: dict[str, str]
    wheel_size: tuple[int, int]
    wheels_at: tuple[int, int]
    wheel_steps: int


class Slip(msgspec.Struct, frozen=True):
    """A ticket that can be seen: its number, its picture's file if it lies in the tray, and whether it is whole."""

    number: str
    picture: str = ""
    whole: bool = True


Fact = str | bool | int | dict[str, tuple[str, ...]] | tuple[Slip, ...]


class Change(msgspec.Struct, frozen=True, tag="change", omit_defaults=True):
    """What has changed: looks and the hard meters' wheels by name, then single facts by name."""

    looks: dict[str, Look] = {}
    wheels: dict[str, tuple[int, ...]] = {}
    facts: dict[str, Fact] = {}


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why the last message of this viewer did nothing."""

    text: str


ToViewer = Layout | Change | Refusal
_encode = msgspec.json.Encoder().encode


def encode(message: ToViewer) -> str:
    """Return a message to a viewer as JSON."""
    return _encode(message).decode()


def decode(text: str) -> FromViewer:
    """Return a viewer's message; raise `BadMessageError`."""
    try:
        return _decoder.decode(text)
    # Deep nesting and lone surrogates have errors of their own, without a base class in common.
    except Exception as error:
        raise BadMessageError(f"this message cannot be read: {error}") from error
