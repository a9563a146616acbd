"""Two kinds of scatter counted at once: the exact figures against every stop combination of small games."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.exact.extremes import largest_win
from gamekit.exact.hits import LineHits
from gamekit.exact.moments import LineWithScatters, scatter_ways
from gamekit.exact.runs import Runs
from gamekit.lines import LineEvaluator, LineRules
from gamekit.reels import Reels

RULES = LineRules(pays={"W": {2: 3, 3: 40}, "A": {2: 1, 3: 10}, "B": {3: 5}}, wild="W")
LINES = ((0, 0, 0), (1, 1, 1), (0, 1, 2))
APART = 10
PAYS = {2: 2, 3: 7, APART: 1, 2 * APART: 9, APART + 1: 4}


def small_game(strips: list[list[str]]) -> SpinDefinition:
    reels = Reels(strips, 3)
    return SpinDefinition(
        counts=count_symbols(reels),
        rows=3,
        lines=LINES,
        rules=RULES,
        scatter=ScatterRules(symbol="S", pays=PAYS, weights={"S": 1, "M": APART}),
        picks=PickRules(name="none", picks={}, mean=Fraction(0)),
        reels=reels,
    )


def outcomes(spin: SpinDefinition, lines: int) -> list[tuple[int, int]]:
    """Return what the lines pay and the count, for every stop combination, from the production evaluator."""
    reels = spin.strips()
    evaluator = LineEvaluator(reels, spin.lines, spin.rules)
    result = []
    for stops in product(*(range(length) for length in reels.lengths)):
        shown = [symbol for column in reels.window(stops) for symbol in column]
        paid = sum(hit.pay for hit in evaluator.hits(stops, lines))
        result.append((paid, shown.count("S") + APART * shown.count("M")))
    return result


strip = st.lists(st.sampled_from("WABSMX"), min_size=4, max_size=6)


@settings(max_examples=25)
@given(st.tuples(strip, strip, strip))
def test_line_wins_beside_the_counts(strips: tuple[list[str], ...]) -> None:
    """What a line pays is summed up for each pair of counts as playing every combination does."""
    spin = small_game(list(strips))
    runs = Runs(spin.rules, spin.rules.pays, spin.symbols)
    by_count = [LineWithScatters(spin, runs).ways(line) for line in LINES]
    every = outcomes(spin, len(LINES))
    chances = scatter_ways(spin)
    for count in range(max(count for _, count in every) + 1):
        assert sum(ways[count] for ways in by_count) == sum(paid for paid, shown in every if shown == count)
        assert chances[count] == sum(shown == count for _, shown in every)


@settings(max_examples=25)
@given(st.tuples(strip, strip, strip), st.sets(st.sampled_from([1, 2, APART, APART + 1, 2 * APART])))
def test_hits_beside_the_counts(strips: tuple[list[str], ...], wanted: set[int]) -> None:
    """A line wins or the counts are among those wanted: as often as in every combination."""
    spin = small_game(list(strips))
    hits = LineHits(spin, tuple(RULES.pays))
    every = outcomes(spin, 2)
    hit = sum(paid > 0 or count in wanted for paid, count in every)
    assert hits.chance(2, wanted) == Fraction(hit, len(every))


@settings(max_examples=25)
@given(st.tuples(strip, strip, strip))
def test_the_largest_win_with_both(strips: tuple[list[str], ...]) -> None:
    """The largest win with the pays of both kinds, and how often it comes, are those of every combination."""
    spin = small_game(list(strips))
    wins = [paid + PAYS.get(count, 0) * len(LINES) for paid, count in outcomes(spin, len(LINES))]
    found = largest_win(spin, len(LINES))
    assert found.coins == max(wins)
    assert found.chance == Fraction(wins.count(max(wins)), len(wins))


@pytest.mark.parametrize(("weights", "count"), [({}, 2), ({"S": 1, "M": 10}, 12), ({"M": 1}, 1)])
def test_a_column_is_counted_by_its_weights(weights: dict[str, int], count: int) -> None:
    """Without weights the scatter counts one each; with them only what they name counts."""
    assert ScatterRules(symbol="S", pays={}, weights=weights).count(("S", "M", "S")) == count
