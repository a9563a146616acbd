"""The distribution of one spin's win: that of every combination of stops played out, and that of the games."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from gamekit.catalogue import names
from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.exact.extremes import largest_win
from gamekit.exact.wins import SpinWins, WinLaw
from gamekit.lines import LineEvaluator, LineRules
from gamekit.maths import load_maths
from gamekit.reels import Reels
from gamekit.scatters import ScatterCounter
from gamekit.simulate import WIN_EDGES
from games.mystery_elves.maths import MATHS as ELVES
from games.mystery_elves.maths import SPIN as ELVES_SPIN
from games.mystery_elves.pays import LINES as ELVES_LINES

LINES = ((1, 1, 1, 1), (0, 1, 2, 1), (0, 0, 0, 0), (2, 1, 1, 0), (2, 2, 2, 2))
NO_PICKS = PickRules(name="none", picks={}, mean=Fraction(0))


def spin(strips: list[str], rules: LineRules, scatter: ScatterRules, picks: PickRules = NO_PICKS) -> SpinDefinition:
    reels = Reels([list(strip) for strip in strips], 3)
    return SpinDefinition(
        counts=count_symbols(reels), rows=3, lines=LINES, rules=rules, scatter=scatter, picks=picks, reels=reels
    )


PAYING_WILD = spin(
    ["WWABSCW", "AWBSWC", "WABCWSA", "ABWCS"],
    LineRules(pays={"W": {2: 3, 3: 40, 4: 50}, "A": {3: 5, 4: 90}, "B": {2: 4, 3: 10, 4: 20}, "C": {4: 7}}, wild="W"),
    ScatterRules(symbol="S", pays={2: 1, 3: 5, 4: 30}),
)
"""Wilds pay of their own: three of them and an A are worth more than four of that A, four with a B less."""

PLAIN_WILD = spin(
    ["WAFABSA", "FWBSWA", "AWBFSA", "AFWSA"],
    LineRules(pays={"A": {2: 1, 3: 5, 4: 20}, "B": {3: 9}}, wild="W", features={"F": 3}),
    ScatterRules(symbol="S", pays={}),
    PickRules(name="picks", picks={"F": {3: 1, 4: 2}}, mean=Fraction(6), largest=6),
)


def played_out(definition: SpinDefinition, lines: int) -> Counter[int]:
    """Return what every combination of stops wins by the production's evaluators."""
    reels = definition.strips()
    evaluator = LineEvaluator(reels, definition.lines, definition.rules)
    scatters = ScatterCounter(reels, definition.scatter.symbol)
    wins: Counter[int] = Counter()
    for stops in product(*map(range, reels.lengths)):
        coins = sum(hit.pay for hit in evaluator.hits(stops, lines))
        wins[coins + definition.scatter.pays.get(scatters.count(stops), 0) * lines] += 1
    return wins


@pytest.mark.parametrize("definition", [PAYING_WILD, PLAIN_WILD])
@pytest.mark.parametrize("lines", [1, 3, 5])
def test_the_law_is_that_of_the_full_cycle(definition: SpinDefinition, lines: int) -> None:
    """Each win has as many combinations of stops as there are that pay it, lines and scatters together."""
    assert played_out(definition, lines) == SpinWins(definition, lines).law().ways


def test_wilds_that_multiply_and_picks_are_counted() -> None:
    """Wilds in a line multiply it, runs of a feature's symbol are worth their picks: as read cell by cell."""
    strips = ["AFBASB", "WAFBWS", "AWFWAB", "WFAAB"]
    rules = LineRules(pays={"A": {2: 1, 3: 5, 4: 20}, "B": {3: 9}}, wild="W", features={"F": 3})
    definition = replace(spin(strips, rules, PLAIN_WILD.scatter, PLAIN_WILD.picks), wild_multipliers=(2, 5))
    reels = definition.strips()
    wins: Counter[int] = Counter()
    for stops in product(*map(range, reels.lengths)):
        coins = 0
        for line in LINES:
            cells = [reels.column(reel, stop)[row] for reel, (stop, row) in enumerate(zip(stops, line, strict=True))]
            covering = {cells[0], "W"} if cells[0] in rules.pays else {cells[0]}
            run = next((length for length, cell in enumerate(cells) if cell not in covering), 4)
            pays = {"F": {3: 6, 4: 12}, **rules.pays}.get(cells[0], {})
            wilds = cells[:run].count("W")
            coins += max((pay for count, pay in pays.items() if count <= run), default=0) * (1, 2, 5, 5)[wilds]
        wins[coins] += 1
    assert wins == SpinWins(definition, 5, with_picks=True).law().ways


SPIN_PARTS = ("lines", "ways", "cascades", "scatter")
"""The parts of a paid spin by itself, whichever a game has."""
SLOW = {"witch_feature", "mona_lisa_jewels"}
"""Their full cycles take half a minute and more."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.proof) if name in SLOW else name for name in names()]
)
def test_a_games_law_has_the_means_of_its_parts(name: str) -> None:
    """What the law returns is the sum of the paid spin's wins; every combination of stops is in it."""
    maths = load_maths(name)
    for stake in {stake.price: stake for stake in maths.stakes}.values():
        law = maths.spin_wins(stake)
        means = {part.name: figure.mean for part, figure in zip(maths.parts, parts(name, stake.price), strict=True)}
        paid = sum((means.get(part, Fraction(0)) for part in SPIN_PARTS), Fraction(0))
        expected = paid / stake.coins_per_line
        assert expected == Fraction(sum(coins * ways for coins, ways in law.ways.items()), law.combinations)
        assert stake.lines * stake.price == law.bet
        assert min(law.ways) == 0


def parts(name: str, price: int) -> tuple[object, ...]:
    """Return the figures of the parts at the last stake of that price."""
    maths = load_maths(name)
    stake = {stake.price: stake for stake in maths.stakes}[price]
    return maths.figures(stake, maths.states[0]).parts


def test_the_highest_win_of_mystery_elves_lines_is_the_laws() -> None:
    """The rule page's highest win chance: found by search, and as the top of the distribution."""
    assert largest_win(ELVES_SPIN, len(ELVES_LINES)) == ELVES.spin_wins(ELVES.stakes[-1]).largest


def test_bands_hold_every_win_once() -> None:
    """A win of exactly a band's edge lies in it, one coin more in the next; nothing is a band of its own."""
    law = WinLaw(10, {0: 5, 10: 3, 11: 2, 20: 1, 10_001: 7})
    bands = dict(zip((*WIN_EDGES, None), law.bands(WIN_EDGES), strict=True))
    assert {edge: at for edge, at in bands.items() if at[0]} == {0: (5, 0), 1: (3, 30), 2: (3, 42), None: (7, 70_007)}
    assert law.combinations == 18
    assert (law.largest.coins, law.largest.chance) == (10_001, Fraction(7, 18))
