"""Finds a game's highlights among many seeded rounds of its production play, and keeps them (`highlights.json`)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from games import highlights
from games.beats import FreeSpinBegins, LineWin, ReelsLanded, ScatterWin, WaysWin
from games.highlights import Highlight, Highlights, segments_of
from games.maths import Maths, load_maths
from games.play import Beat, Claim, Offer, Step
from games.rewriting import rewrite

ROUNDS = 20_000
"""So many rounds are looked through."""
OF_A_KIND, WINS = 2, 4
"""So many rounds are kept of each kind of step, and of wins without a feature."""
WIN = "Win"
SHOWN = 3
"""About so many segments of a round are seen from its first on."""
LED_BY = 2
"""So many segments at most are seen before the one in which such a step comes."""
_KEPT = 12
"""So many candidates of each kind are kept meanwhile."""
_PLAIN = (ReelsLanded, LineWin, ScatterWin, WaysWin, FreeSpinBegins, Offer)
"""What says nothing of a round by itself."""


class _Worth(NamedTuple):
    """By what rounds of a kind are compared: how many steps of it one segment has, and what is won until it was seen.

    The latter in thousandths of the bet.
    """

    steps: int
    won: int


class _Found(NamedTuple):
    worth: _Worth
    highlight: Highlight


def find(maths: Maths, rounds: int = ROUNDS) -> Highlights:
    """Look through `rounds` seeds; return the best rounds of each kind, none of them twice.

    Bets are those of all lines, memories each of the maths' states in turn. A round that claims a pool is left out:
    what a pool pays is not the play's to say.
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
        for kind, first, count in _kinds(segments):
            won = sum(_coins(segment) for segment in segments[: first + SHOWN])
            worth = _Worth(count, won * 1000 // plain.stake.coins)
            kept = found.setdefault(kind, [])
            kept.append(_Found(worth, msgspec.structs.replace(plain, kind=kind, first=first)))
            kept.sort(key=lambda one: one.worth, reverse=True)
            del kept[_KEPT:]
    return Highlights(maths_hash=game.maths_hash, rounds=tuple(_chosen(found)))


def _coins(segment: Sequence[Step]) -> int:
    return sum(step.coins for step in segment if isinstance(step, Beat))


def _kinds(segments: Sequence[Sequence[Step]]) -> Iterator[tuple[str, int, int]]:
    """Yield what a round has to show, from which segment on, and how many such steps come at once.

    It is seen from the spin before on, or where that is long ago from a little before.
    """
    seen: set[str] = set()
    spin = 0
    for number, segment in enumerate(segments):
        for step in segment:
            if isinstance(step, ReelsLanded):
                spin = number
            kind = type(step).__name__
            if not isinstance(step, _PLAIN) and kind not in seen:
                seen.add(kind)
                yield kind, max(spin, number - LED_BY), Counter(type(step).__name__ for step in segment)[kind]
    if len(segments) == 1 and _coins(segments[0]):
        yield WIN, 0, 1


def _chosen(found: dict[str, list[_Found]]) -> Iterator[Highlight]:
    """Yield the best of each kind, each round for one kind only; wins last, for most rounds have one."""
    taken: set[int] = set()
    for kind in sorted(found, key=lambda kind: (kind == WIN, kind)):
        most, worths = WINS if kind == WIN else OF_A_KIND, set[_Worth]()
        for worth, highlight in found[kind]:
            if len(worths) < most and worth not in worths and highlight.seed not in taken:
                worths.add(worth)
                taken.add(highlight.seed)
                yield highlight


def encoded(found: Highlights) -> bytes:
    """Return highlights as they are kept: a line for each round."""
    rows = [f"  {msgspec.json.encode(row).decode()}" for row in found.rounds]
    head = f' "maths_hash": {msgspec.json.encode(found.maths_hash).decode()},'
    return "\n".join(["{", head, ' "rounds": [', ",\n".join(rows), " ]", "}", ""]).encode()


def keep(name: str) -> Highlights:
    """Find the highlights of the game called `name`, and keep them in its folder."""
    found = find(load_maths(name))
    rewrite(highlights.file_of(name), encoded(found))
    return found
