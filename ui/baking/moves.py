"""The movement of a symbol's parts: the moves of `data-win`, `data-land` and `data-wait` (listed in docs/art.md).

`turn 12 at 80 60 wave; shift 0 -4 beat times 2 from .25` is a list of moves, applied in order. A move states its
largest extent and its timing. Its *amount* is a function of the time in the loop, 0 to 1, which is 0 at rest and 1 at
the full extent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

FRAMES = 12
"""The number of pictures in each animation of a symbol; the keys of a timing count them."""
MARGIN_UNITS = 12
"""How far each picture extends beyond its symbol on every side, in units."""
Points = NDArray[np.float64]
"""Points in a source's own units, shape (n, 2): across, down."""
_FIGURES = {"turn": 1, "lean": 1, "shift": 2, "scale": 2, "bend": 2, "show": 0}
"""The number of figures for each verb."""
_PIVOTED = ("turn", "lean", "scale", "bend")
_LEAST_SCALE = 0.02


class MoveError(ValueError):
    """A motion cannot be read; the message quotes what is wrong."""


def beat(at: float) -> float:
    """Return the amount at time `at` of a beat: 0 at 0 and 1, largest in the middle."""
    return math.sin(math.pi * at) ** 2


@dataclass(frozen=True)
class Timing:
    """The timing of a move in the loop: a wave (`wave`, `beat`), or keys (`keys` eased, `steps` held)."""

    kind: str
    keys: tuple[tuple[float, float], ...] = ()
    times: int = 1
    begin: float = 0.0

    def amount(self, at: float) -> float:
        """Return how much of the move is done at time `at` of the loop, 0 to 1."""
        if self.kind == "wave":
            return math.sin(math.tau * (self.times * at + self.begin))
        if self.kind == "beat":
            return beat(self.times * at + self.begin)
        frame = at * FRAMES
        keys = [(self.keys[-1][0] - FRAMES, self.keys[-1][1]), *self.keys, (self.keys[0][0] + FRAMES, self.keys[0][1])]
        (sooner, before), (later, after) = next(
            (one, other) for one, other in pairwise(keys) if one[0] <= frame < other[0]
        )
        if self.kind == "steps":
            return before
        eased = (1 - math.cos(math.pi * (frame - sooner) / (later - sooner))) / 2
        return before + (after - before) * eased


@dataclass(frozen=True)
class Move:
    """One move of a part: a verb, its figures, its centre, and for a bend the point of its full extent."""

    verb: str
    figures: tuple[float, ...]
    at: tuple[float, float]
    to: tuple[float, float]
    timing: Timing

    def moved(self, points: Points, at: float, *, back: bool = False) -> Points:
        """Return where `points` of the resting picture are at that time of the loop, or the inverse if `back`."""
        moved: Points
        done = self.timing.amount(at)
        amount = -done if back else done
        pivot, figures = np.asarray(self.at), np.asarray(self.figures)
        away = points - pivot
        if self.verb == "turn":
            angle = math.radians(figures[0] * amount)
            turned = ((math.cos(angle), math.sin(angle)), (-math.sin(angle), math.cos(angle)))
            moved = pivot + away @ np.asarray(turned)
        elif self.verb == "lean":
            moved = points + away[:, 1:] * (math.tan(math.radians(figures[0] * amount)), 0.0)
        elif self.verb == "scale":
            full = np.maximum(1 + (figures - 1) * done, _LEAST_SCALE)
            moved = pivot + (away / full if back else away * full)
        elif self.verb == "bend":
            along = np.asarray(self.to) - pivot
            part = np.maximum(away @ along / (along @ along), 0)
            moved = points + amount * part[:, None] ** 2 * figures
        else:
            moved = points + amount * figures if self.verb == "shift" else points
        return moved

    @property
    def is_straight(self) -> bool:
        """Whether straight lines stay straight, so that three points determine the whole mapping."""
        return self.verb != "bend"


def read_moves(text: str) -> tuple[Move, ...]:
    """Return the moves of one attribute; raises `MoveError`."""
    return tuple(_read_move(words) for move in text.split(";") if (words := move.split()))


def _read_move(words: list[str]) -> Move:
    verb, rest = words[0], words[1:]
    if verb not in _FIGURES:
        raise MoveError(f"{verb!r} is no move; the moves are {', '.join(_FIGURES)}")
    split = next((number for number, word in enumerate(rest) if word[0].isalpha()), len(rest))
    figures = _numbers(rest[:split], verb)
    if verb == "scale" and len(figures) == 1:
        figures *= 2
    if len(figures) != _FIGURES[verb]:
        raise MoveError(f"{' '.join(words)!r}: {verb} takes {_FIGURES[verb]} figures, not {len(figures)}")
    rest = rest[split:]
    places: dict[str, tuple[float, float]] = {}
    while rest and rest[0] in ("at", "to"):
        across, down = _numbers(rest[1:3], verb, wanted=2)
        places[rest[0]] = (across, down)
        rest = rest[3:]
    if (verb in _PIVOTED) != ("at" in places) or (verb == "bend") != ("to" in places):
        raise MoveError(
            f"{' '.join(words)!r}: turn, lean, scale and bend say `at X Y`, and bend `to X Y` too; no other"
        )
    if verb == "bend" and places["at"] == places["to"]:
        raise MoveError(f"{' '.join(words)!r}: a bend is from one place to another")
    origin = (0.0, 0.0)
    return Move(verb, figures, places.get("at", origin), places.get("to", origin), _read_timing(rest, verb))


def _read_timing(words: list[str], verb: str) -> Timing:
    """Return the timing at the end of a move."""
    kind, rest = (words[0], words[1:]) if words else ("", [])
    if kind in ("keys", "steps"):
        keys = []
        for word in rest:
            frame, colon, value = word.partition(":")
            if not colon:
                raise MoveError(f"{word!r} is no key; a key is FRAME:AMOUNT, such as 3:1")
            keys.append(_numbers([frame, value], verb, wanted=2))
        frames = [frame for frame, _ in keys]
        if not keys or frames != sorted(set(frames)) or not 0 <= frames[0] <= frames[-1] < FRAMES:
            raise MoveError(f"{' '.join(words)!r}: the frames of keys grow, from 0 on, below {FRAMES}")
        return Timing(kind, tuple((frame, value) for frame, value in keys))
    if kind not in ("wave", "beat") or len(rest) not in (0, 2, 4):
        raise MoveError(f"{' '.join(words)!r} of {verb}: when is `wave`, `beat`, `keys` or `steps`; see docs/art.md")
    options = dict(zip(rest[::2], rest[1::2], strict=True))
    if options.keys() - {"times", "from"}:
        raise MoveError(f"{' '.join(words)!r} of {verb}: {kind} takes `times N` and `from PART`")
    (times, begin) = _numbers([options.get("times", "1"), options.get("from", "0")], verb, wanted=2)
    if times != int(times) or times < 1:
        raise MoveError(f"{' '.join(words)!r} of {verb}: `times` is a whole number, else the loop jumps at its end")
    return Timing(kind, times=int(times), begin=begin)


def _numbers(words: Sequence[str], verb: str, wanted: int | None = None) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in words)
    except ValueError:
        numbers = ()
    if wanted is None and len(numbers) == len(words):
        return numbers
    if len(numbers) != wanted:
        raise MoveError(f"{' '.join(words)!r} of {verb}: {wanted or 'some'} figures were expected")
    return numbers
