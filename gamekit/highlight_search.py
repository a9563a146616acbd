"""Finds a game's highlights among many seeded rounds of its production play (`highlights.json`)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from gamekit import highlights
from gamekit.beats import FreeSpinBegins, LineWin, ReelsLanded, ScatterWin, WaysWin
from gamekit.highlights import Highlight, Highlights, segments_of
from gamekit.maths import Maths
from gamekit.play import Beat, Claim, Offer, Step

ROUNDS = 20_000
"""So many rounds are looked through."""
OF_A_KIND, WINS = 2, 5
"""So many rounds are kept of each kind of step, and of wins without a feature."""
WIN = "Win"
_KEPT = 24
"""So many candidates of each kind are kept meanwhile."""
_PLAIN = (ReelsLanded, LineWin, ScatterWin, WaysWin, FreeSpinBegins, Offer)
"""What says nothing of a round by itself."""


class _Worth(NamedTuple):
    """The sort key for rounds of a kind: whether they are shown whole, how many of its steps come at once, the win.

    The win is that of the segments shown, in thousandths of the bet.
    """

    whole: bool
    steps: int
    won: int


class _Found(NamedTuple):
    worth: _Worth
    highlight: Highlight


def find(maths: Maths, fitting: Callable[[Highlight], Highlight | None], rounds: int = ROUNDS) -> Highlights:
    """Look through `rounds` seeds; return the best rounds of each kind, none of them twice.

    Rounds are played at all lines, with the memory of each of the maths' states in turn. `fitting` returns a round
    from the segment with which its presentation begins, or None if that takes too long; only steps from there on count.
    Rounds that win no more than their bet, that end a feature without a win, or that claim a pool are left out: the
    play does not determine what a pool pays.
    """
    game = maths.game
    found: dict[str, list[_Found]] = {}
    for seed in range(rounds):
        memory = maths.memory(maths.states[seed % len(maths.states)])
        plain = Highlight(
            kind=WIN,
            lines=game.line_counts[-1],
            coins_per_line=game.coins_per_line[seed % len(game.coins_per_line)],
            seed=seed,
            memory=msgspec.Raw(msgspec.json.encode(memory)),
        )
        segments = segments_of(game, plain.stake, seed, memory)
        steps = [step for segment in segments for step in segment]
        if len(steps) == highlights.MOST_STEPS or any(isinstance(step, Claim) for step in steps):
            continue
        shown = fitting(plain) if _coins(segments) > plain.stake.coins else None
        seen = segments[shown.first :] if shown is not None else []
        if shown is None or any(_in_vain(step) for segment in seen for step in segment):
            continue
        won = _coins(seen) * 1000 // plain.stake.coins
        for kind, count in _kinds(seen):
            kept = found.setdefault(kind, [])
            kept.append(_Found(_Worth(shown.first == 0, count, won), msgspec.structs.replace(shown, kind=kind)))
            kept.sort(key=lambda one: one.worth, reverse=True)
            del kept[_KEPT:]
    return Highlights(maths_hash=game.maths_hash, rounds=tuple(_chosen(found)))


def _in_vain(step: Step) -> bool:
    """Whether the step says that a feature has paid nothing, which the screen shows in large letters."""
    return getattr(step, "total", None) == 0


def _coins(segments: Sequence[Sequence[Step]]) -> int:
    return sum(step.coins for segment in segments for step in segment if isinstance(step, Beat))


def _kinds(segments: Sequence[Sequence[Step]]) -> Iterator[tuple[str, int]]:
    """Yield the kinds of step that a round shows, each with the number of such steps when it first comes."""
    seen: set[str] = set()
    for segment in segments:
        kinds = Counter(type(step).__name__ for step in segment if not isinstance(step, _PLAIN))
        yield from ((kind, count) for kind, count in kinds.items() if kind not in seen)
        seen |= set(kinds)
    if len(segments) == 1:
        yield WIN, 1


def _chosen(found: dict[str, list[_Found]]) -> Iterator[Highlight]:
    """Yield the best rounds of each kind, each round for one kind only; wins come last, as most rounds have one."""
    taken: set[int] = set()
    for kind in sorted(found, key=lambda kind: (kind == WIN, kind)):
        most, worths = WINS if kind == WIN else OF_A_KIND, set[_Worth]()
        for worth, highlight in found[kind]:
            if len(worths) < most and worth not in worths and highlight.seed not in taken:
                worths.add(worth)
                taken.add(highlight.seed)
                yield highlight


def encoded(found: Highlights) -> bytes:
    """Return highlights in the format of their file: a line for each round."""
    rows = [f"  {msgspec.json.encode(row).decode()}" for row in found.rounds]
    head = f' "maths_hash": {msgspec.json.encode(found.maths_hash).decode()},'
    return "\n".join(["{", head, ' "rounds": [', ",\n".join(rows), " ]", "}", ""]).encode()
