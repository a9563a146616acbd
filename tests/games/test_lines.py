"""Reels, paylines, scatters and weighted tables, against the plainest way to work them out."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamekit.lines import LineEvaluator, LineHit, LineRules
from gamekit.reels import Reels
from gamekit.scatters import ScatterCounter
from gamekit.weights import WeightedTable
from games.neptune.pays import LINE_RULES, LINES
from games.neptune.strips import REELS
from tests.games.views import most_in_view

RULES = LineRules(
    pays={"W": {2: 3, 3: 60}, "A": {2: 1, 3: 10}, "B": {3: 5}},
    wild="W",
    features={"F": 2},
)
SHORT_LINES = ((0, 0, 0), (1, 1, 1), (2, 2, 2), (0, 1, 2))

strips = st.lists(st.lists(st.sampled_from("WABFSX"), min_size=3, max_size=5), min_size=3, max_size=3)


def run_of(cells: Sequence[str], symbol: str, rules: LineRules) -> int:
    """Count the cells from reel 1 that show `symbol` or a wild which stands for it."""
    length = 0
    for cell in cells:
        if cell != symbol and not (cell == rules.wild and symbol in rules.pays):
            break
        length += 1
    return length


def naive(cells: Sequence[str], rules: LineRules) -> tuple[int, set[str]]:
    """Return the highest pay of a line and the features it starts, by trying everything."""
    pays = [
        pay
        for symbol, by_count in rules.pays.items()
        for count, pay in by_count.items()
        if run_of(cells, symbol, rules) >= count
    ]
    started = {symbol for symbol, least in rules.features.items() if run_of(cells, symbol, rules) >= least}
    return max(pays, default=0), started


def check(
    hits: Sequence[LineHit], reels: Reels, lines: Sequence[tuple[int, ...]], rules: LineRules, stops: Sequence[int]
) -> None:
    window = reels.window(stops)
    expected = {
        number: found
        for number, line in enumerate(lines)
        if (found := naive([window[reel][row] for reel, row in enumerate(line)], rules)) != (0, set())
    }
    got = {hit.line: (hit.pay, set() if hit.pay else {hit.symbol}) for hit in hits}
    assert expected == got


@given(strips)
@settings(max_examples=60)
def test_every_window_pays_what_the_plain_evaluator_finds(strips: list[list[str]]) -> None:
    """On any strips, every stop combination and number of lines pays the highest win of each line."""
    reels = Reels(strips, 3)
    evaluator = LineEvaluator(reels, SHORT_LINES, RULES)
    for stops in product(*(range(length) for length in reels.lengths)):
        for lines in (1, len(SHORT_LINES)):
            check(evaluator.hits(stops, lines), reels, SHORT_LINES[:lines], RULES, stops)


@given(strips)
@settings(max_examples=20)
def test_a_window_pays_the_same_with_and_without_its_stops(strips: list[list[str]]) -> None:
    """The symbols in the window decide: its columns given as symbols win what its stops win."""
    reels = Reels(strips, 3)
    evaluator = LineEvaluator(reels, SHORT_LINES, RULES)
    for stops in product(*(range(length) for length in reels.lengths)):
        for lines in (1, len(SHORT_LINES)):
            assert evaluator.hits(stops, lines) == evaluator.hits_in(reels.window(stops), lines)


@given(st.tuples(*(st.integers(0, length - 1) for length in REELS.lengths)), st.integers(1, 15))
@settings(max_examples=400)
def test_neptune_pays_what_the_plain_evaluator_finds(stops: tuple[int, ...], lines: int) -> None:
    """On Neptune's strips the bit tables and the plain evaluator agree, line by line."""
    evaluator = LineEvaluator(REELS, LINES, LINE_RULES)
    check(evaluator.hits(stops, lines), REELS, LINES[:lines], LINE_RULES, stops)


def test_hits_name_symbol_and_count() -> None:
    """A hit names the symbol that pays and how many cells from reel 1 it pays for."""
    reels = Reels(["WXX", "AXX", "AXX"], 3)
    evaluator = LineEvaluator(reels, SHORT_LINES, RULES)
    assert [LineHit(line=0, symbol="A", run=3, pay=10)] == evaluator.hits((0, 0, 0), 1)


def test_leading_wilds_pay_when_they_pay_more() -> None:
    """Two wilds before an A pay as wilds where three of A would be less, and only once."""
    dear = LineRules(pays={"W": {2: 50, 3: 60}, "A": {3: 10}}, wild="W")
    evaluator = LineEvaluator(Reels(["WXX", "WXX", "AXX"], 3), SHORT_LINES, dear)
    assert [LineHit(line=0, symbol="W", run=2, pay=50)] == evaluator.hits((0, 0, 0), 1)


def test_a_line_outside_the_window_is_refused() -> None:
    """A payline that names a row the window lacks is refused when the game is built."""
    with pytest.raises(ValueError, match="line 1 is"):
        LineEvaluator(Reels(["ABX", "ABX"], 3), [(0, 3)], RULES)


def test_a_symbol_cannot_pay_and_start_a_feature() -> None:
    """Rules that would count one run twice are refused, and so is a wild that starts something."""
    with pytest.raises(ValueError, match="A: a feature's symbol"):
        LineRules(pays={"A": {3: 5}}, features={"A": 3})
    with pytest.raises(ValueError, match="W: a feature's symbol"):
        LineRules(pays={"A": {3: 5}}, wild="W", features={"W": 3})


def test_a_strip_shorter_than_the_window_is_refused() -> None:
    """A strip with fewer stops than rows would show a stop twice."""
    with pytest.raises(ValueError, match="reel 2 has 2 stops"):
        Reels(["ABX", "AB"], 3)


@pytest.mark.requirement("R9")
def test_windows_close_the_loop() -> None:
    """The last stops show the strip's beginning below its end: neighbours are the strip's."""
    assert Reels(["ABX"], 3).column(0, 2) == ("X", "A", "B")
    assert most_in_view("AXXXA", "A", 2) == 2


@given(strips)
@settings(max_examples=30)
def test_scatters_are_counted_wherever_they_stand(strips: list[list[str]]) -> None:
    """Count and cells agree with looking at every cell of the window."""
    reels = Reels(strips, 3)
    scatters = ScatterCounter(reels, "S")
    for stops in product(*(range(length) for length in reels.lengths)):
        window = reels.window(stops)
        cells = tuple((reel, row) for reel in range(3) for row in range(3) if window[reel][row] == "S")
        assert cells == scatters.cells(stops)
        assert len(cells) == scatters.count(stops)


def test_a_weighted_table_gives_each_amount_its_weight() -> None:
    """Over all values of the draw each amount comes as often as its weight; mean and variance are those of the list."""
    table = WeightedTable({5: 1, 10: 3, 100: 2})
    drawn = [table.draw(lambda _bound, value=value: value) for value in range(table.total)]
    assert drawn == [5, 10, 10, 10, 100, 100]
    assert Fraction(sum(drawn), 6) == table.mean
    assert Fraction(sum(amount**2 for amount in drawn), 6) - table.mean**2 == table.variance
    assert table.largest == 100


def test_an_amount_that_can_never_fall_is_refused() -> None:
    """A weight of 0 hides a prize that is shown and never paid."""
    with pytest.raises(ValueError, match="the amount 100 has the weight 0"):
        WeightedTable({5: 1, 100: 0})
