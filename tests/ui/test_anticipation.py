"""Reels make the player wait only where a feature can still come, and wherever one reel more can bring it.

Proved over all stops, game by game: reels are told apart by what of the triggers' symbols they show (a class of stops
each), every combination of classes is landed, and what starts a feature is asked of the production's own counters and
lines.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import pytest

from gamekit.beats import Cell
from gamekit.lines import LineEvaluator
from gamekit.reels import Reels
from gamekit.scatters import ScatterCounter
from games.bewitched.pays import MERLIN, MERLINS, WITCHES
from games.bewitched.play import _merlins, _witches
from games.bewitched.strips import REELS as BEWITCHED
from games.mona_lisa_jewels.pays import FREE_SPINS as PALETTE_SPINS
from games.mona_lisa_jewels.pays import JEWEL, MONA_LISA, PALETTE
from games.mona_lisa_jewels.strips import REELS as MONA
from games.mystery_elves.pays import BONUS, LEAST_BONUSES
from games.mystery_elves.strips import REELS as ELVES
from games.neptune.pays import FREE_SPINS as MERMAID_SPINS
from games.neptune.pays import LINE_RULES, LINES, MERMAID, TREASURE
from games.neptune.strips import REELS as NEPTUNE
from games.witch_feature.features import feature_reels
from games.witch_feature.pays import FREE_SPINS
from games.witch_feature.play import FREE_REELS, PAID_REELS
from games.witch_feature.potions import EXPLOSION, FEATURES
from ui.anticipation import Anticipation, Trigger, anticipate
from ui.picture import HeldSymbol, Picture, Window, landed
from ui.theme import load

Stops = tuple[int, ...]
Starts = Callable[[Stops], bool]
"""Whether the production starts a feature at these stops."""

_lines = LineEvaluator(NEPTUNE, LINES, LINE_RULES)


def classes(reels: Reels, symbols: Sequence[str]) -> list[list[int]]:
    """Return one stop of each reel for each pattern of `symbols` that it shows."""
    found: list[list[int]] = []
    for reel, length in enumerate(reels.lengths):
        patterns: dict[tuple[str, ...], int] = {}
        for stop in range(length):
            patterns.setdefault(tuple(s if s in symbols else "" for s in reels.column(reel, stop)), stop)
        found.append(list(patterns.values()))
    return found


def counted(reels: Reels, symbol: str, wins: Callable[[int], bool]) -> Starts:
    """Return whether so many of `symbol` are shown that a feature starts."""
    counter = ScatterCounter(reels, symbol)
    return lambda stops: wins(counter.count(stops))


def treasure(stops: Stops, lines: int) -> bool:
    """Whether Neptune's lines have the treasure at `stops`."""
    return any(hit.symbol == TREASURE for hit in _lines.hits(stops, lines))


CASES: dict[str, tuple[str, Reels, Sequence[str], Sequence[Starts], int]] = {
    "neptune": (
        "neptune",
        NEPTUNE,
        (MERMAID, TREASURE),
        (counted(NEPTUNE, MERMAID, lambda count: count in MERMAID_SPINS), lambda stops: treasure(stops, 15)),
        15,
    ),
    "bewitched": (
        "bewitched",
        BEWITCHED,
        (WITCHES, MERLIN),
        (lambda stops: _witches.count(stops) >= 3, lambda stops: _merlins.count(stops) >= MERLINS),
        30,
    ),
    "mona_lisa_jewels": (
        "mona_lisa_jewels",
        MONA,
        (PALETTE,),
        (counted(MONA, PALETTE, lambda count: count in PALETTE_SPINS),),
        25,
    ),
    "witch_feature": (
        "witch_feature",
        PAID_REELS,
        (FREE_SPINS,),
        (counted(PAID_REELS, FREE_SPINS, lambda count: count == 2),),
        50,
    ),
    "mystery_elves": (
        "mystery_elves",
        ELVES,
        (BONUS,),
        (counted(ELVES, BONUS, lambda count: count >= LEAST_BONUSES),),
        10,
    ),
}


class Prospects:
    """What the production says of reels that have stopped from left to right, while the others still turn.

    A reel that still turns is taken to show a stop without any of the symbols.
    """

    def __init__(self, reels: Reels, symbols: Sequence[str], starts: Sequence[Starts]) -> None:
        self.found = classes(reels, symbols)
        self._starts = starts
        self._none = tuple(
            next(stop for stop in range(length) if not {*symbols} & {*reels.column(reel, stop)})
            for reel, length in enumerate(reels.lengths)
        )
        self.begun = cache(self._begun)
        self.reachable = cache(self._reachable)
        self.waits = cache(self._waits)

    def _begun(self, stopped: Stops) -> tuple[bool, ...]:
        """Return of each feature whether it has begun."""
        stops = (*stopped, *self._none[len(stopped) :])
        return tuple(start(stops) for start in self._starts)

    def _reachable(self, stopped: Stops) -> bool:
        """Return whether a feature has begun or can still begin."""
        if any(self.begun(stopped)) or len(stopped) == len(self.found):
            return any(self.begun(stopped))
        return any(self.reachable((*stopped, stop)) for stop in self.found[len(stopped)])

    def _waits(self, stopped: Stops) -> bool:
        """Return whether a stop of the next reel begins a feature that has not begun."""
        already = self.begun(stopped)
        following = [self.begun((*stopped, stop)) for stop in self.found[len(stopped)]]
        return any(
            not before and any(after) for before, after in zip(already, zip(*following, strict=True), strict=True)
        )


@pytest.mark.parametrize("case", CASES)
def test_a_reel_waits_exactly_where_it_can_start_a_feature(case: str) -> None:
    """Over all stops: never out of reach, never once it has started, always where one of its stops would start it."""
    game, reels, symbols, starts, lines = CASES[case]
    theme, prospects = load(game), Prospects(reels, symbols, starts)
    waited = 0
    for stops in product(*prospects.found):
        said = theme.anticipation(Picture(stops, scene=theme.game.idle), reels.window(stops), lines)
        for reel in range(len(stops)):
            waits = reel > 0 and prospects.waits(stops[:reel])
            assert said.waits[reel] is waits, (stops, reel)
            assert not said.called[reel] or prospects.reachable(stops[: reel + 1]), (stops, reel)
            waited += waits
    assert waited


def test_a_landed_symbol_is_announced_while_its_feature_can_still_come() -> None:
    """Mermaids on reels 1 and 3 are; a first one on reel 4, with one reel to come, is not."""
    strips = NEPTUNE.strips
    triggers = (Trigger(MERMAID, 3),)

    def window(*reels: int) -> Window:
        return tuple((MERMAID if reel in reels else "ten", "ten", "ten") for reel in range(5))

    picture = Picture((0,) * 5)
    said = anticipate(strips, picture, window(0, 2), triggers, ())
    assert said.called == (((0, 0),), (), ((2, 0),), (), ())
    assert said.waits == (False, False, False, True, True)
    assert anticipate(strips, picture, window(3), triggers, ()) == Anticipation.none(5)
    done = anticipate(strips, picture, window(0, 1, 2, 4), triggers, ())
    assert done.waits == (False, False, True, False, False)
    assert done.called[4] == ((4, 0),)


def test_what_is_held_or_locked_brings_nothing_new() -> None:
    """In jewel spins a reel whose cells are all held can't bring a Palette, and the locked one does not turn."""
    triggers = (Trigger(PALETTE, 3),)
    for held_rows, waits in (((), True), ((0, 1, 2), False)):
        held = tuple(HeldSymbol(4, row, JEWEL) for row in held_rows)
        cells: dict[Cell, str] = {(0, 0): PALETTE, (2, 1): PALETTE, **{(4, row): JEWEL for row in held_rows}}
        window = tuple(tuple(cells.get((reel, row), MONA_LISA) for row in range(3)) for reel in range(5))
        said = anticipate(MONA.strips, Picture((0,) * 5, held=held, locked=(0,)), window, triggers, ())
        assert said.waits == (False, False, False, True, waits)
        assert said.called[0] == ()


def test_no_feature_can_be_won_on_the_reels_of_a_witch_s_feature() -> None:
    """Free Spins are not counted there: its reels have none, so nobody waits."""
    theme = load("witch_feature")
    for feature in (*FEATURES, EXPLOSION):
        if feature:
            reels = feature_reels((feature,))
            assert all(FREE_SPINS not in strip for strip in reels.strips), feature
    for reels in (PAID_REELS, FREE_REELS):
        stops = tuple(
            max(range(length), key=lambda stop, reel=reel: reels.column(reel, stop).count(FREE_SPINS))
            for reel, length in enumerate(reels.lengths)
        )
        said = anticipate(reels.strips, Picture(stops), landed(reels.strips, stops, reels.rows), theme.triggers, ())
        assert said.waits == (False, False, False, False, True)
