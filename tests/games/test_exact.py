"""The exact prover: a published case, and small games whose every stop combination can be played."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamekit.exact.definition import (
    DefinitionError,
    PickRules,
    ScatterRules,
    SpinDefinition,
    count_symbols,
)
from gamekit.exact.extremes import largest_win
from gamekit.exact.hits import LineHits, scatter_chance
from gamekit.exact.moments import SpinAnalysis, SpinMoments, line_mean, scatter_ways
from gamekit.exact.rounds import RoundFigures
from gamekit.exact.runs import Runs, value_of
from gamekit.lines import LineEvaluator, LineRules
from gamekit.par import percent
from gamekit.reels import Reels

# A published PAR sheet (docs/par/golden.toml): symbols on reels 1 to 5 and pays for 2 to 5 of a kind.
GOLDEN_COUNTS = {
    "wild": (2, 2, 1, 4, 2),
    "logo": (4, 4, 3, 4, 4),
    "buoy": (4, 4, 5, 4, 5),
    "boat": (6, 4, 4, 4, 4),
    "lighthouse": (5, 4, 6, 6, 7),
    "tuna": (6, 4, 5, 6, 7),
    "clam": (6, 6, 5, 6, 6),
    "gull": (5, 6, 5, 6, 6),
    "starfish": (5, 5, 6, 8, 7),
    "bonus": (2, 5, 6, 0, 0),
    "scatter": (2, 2, 2, 2, 2),
}
GOLDEN_PAYS = {
    "wild": {2: 5, 3: 100, 4: 500, 5: 10000},
    "logo": {2: 2, 3: 40, 4: 200, 5: 1000},
    "buoy": {3: 25, 4: 100, 5: 500},
    "boat": {3: 25, 4: 100, 5: 500},
    "lighthouse": {3: 10, 4: 50, 5: 500},
    "tuna": {3: 10, 4: 50, 5: 250},
    "clam": {3: 5, 4: 30, 5: 200},
    "gull": {3: 5, 4: 30, 5: 200},
    "starfish": {3: 5, 4: 30, 5: 150},
}
GOLDEN = SpinDefinition(
    counts=tuple({symbol: counts[reel] for symbol, counts in GOLDEN_COUNTS.items()} for reel in range(5)),
    rows=3,
    lines=((1, 1, 1, 1, 1),),
    rules=LineRules(pays=GOLDEN_PAYS, wild="wild", features={"bonus": 3}),
    scatter=ScatterRules(symbol="scatter", pays={3: 5, 4: 25, 5: 200}),
    picks=PickRules(name="bonus", picks={"bonus": {3: 1}}, mean=Fraction(331)),
)


def test_the_published_case_comes_out() -> None:
    """Lines 66.46999 + bonus 19.13737 + scatter 10.64514 = 96.25251 %, from symbol counts alone."""
    lines = line_mean(GOLDEN, Runs(GOLDEN.rules, GOLDEN.rules.pays, GOLDEN.symbols))
    bonus = line_mean(GOLDEN, Runs(GOLDEN.rules, GOLDEN.picks.picks, GOLDEN.symbols)) * GOLDEN.picks.mean
    ways = scatter_ways(GOLDEN)
    scatter = Fraction(sum(ways[count] * pay for count, pay in GOLDEN.scatter.pays.items()), GOLDEN.combinations)
    shares = [f"{float(share) * 100:.5f}" for share in (lines, bonus, scatter, lines + bonus + scatter)]
    assert shares == ["66.46999", "19.13737", "10.64514", "96.25251"]


def test_a_figure_that_needs_strips_says_so() -> None:
    """Sigma cannot be had from symbol counts, and the error says what to give."""
    with pytest.raises(DefinitionError, match="give the definition `reels`"):
        SpinAnalysis(GOLDEN)


RULES = LineRules(pays={"W": {2: 3, 3: 40}, "A": {2: 1, 3: 10}, "B": {3: 5}}, wild="W", features={"F": 2})
LINES = ((0, 0, 0), (1, 1, 1), (2, 2, 2), (0, 1, 2))


def small_game(strips: list[list[str]], multiplier: int) -> SpinDefinition:
    reels = Reels(strips, 3)
    return SpinDefinition(
        counts=count_symbols(reels),
        rows=3,
        lines=LINES,
        rules=RULES,
        scatter=ScatterRules(symbol="S", pays={2: 2, 3: 7}, free_spins={3: 2, 4: 3}),
        picks=PickRules(
            name="picks",
            picks={"F": {2: 1, 3: 2}},
            mean=Fraction(13, 2),
            variance=Fraction(7, 3),
            largest=20,
            largest_chance=Fraction(1, 5),
        ),
        multiplier=multiplier,
        reels=reels,
    )


def outcomes(spin: SpinDefinition, lines: int) -> list[tuple[int, int, int, int]]:
    """Return lines, scatter, picks and free spins won for every stop combination, from the production evaluator."""
    reels = spin.strips()
    evaluator = LineEvaluator(reels, spin.lines, spin.rules)
    result = []
    for stops in product(*(range(length) for length in reels.lengths)):
        hits = evaluator.hits(stops, lines)
        shown = sum(column.count(spin.scatter.symbol) for column in reels.window(stops))
        result.append(
            (
                sum(hit.pay for hit in hits) * spin.multiplier,
                spin.scatter.pays.get(shown, 0) * lines,
                sum(value_of(spin.picks.picks, hit.symbol, hit.run) for hit in hits),
                spin.scatter.free_spins.get(shown, 0),
            )
        )
    return result


strips = st.lists(st.lists(st.sampled_from("WWABFFSX"), min_size=3, max_size=5), min_size=3, max_size=3)


@given(strips, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=60)
def test_moments_are_those_of_the_full_cycle(strips: list[list[str]], lines: int, multiplier: int) -> None:
    """Means, products of parts and products with free spins equal the full cycle's, whatever the strips."""
    spin = small_game(strips, multiplier)
    every = outcomes(spin, lines)
    moments = SpinAnalysis(spin).at(lines)
    prize = spin.picks
    worth = [(Fraction(a), Fraction(b), prize.mean * picks) for a, b, picks, _ in every]
    size = len(every)
    mean = tuple(sum(row[part] for row in worth) / size for part in range(3))
    assert mean == moments.mean
    inner = prize.variance * Fraction(sum(picks for _, _, picks, _ in every), size)
    for left, right in product(range(3), repeat=2):
        expected = sum(row[left] * row[right] for row in worth) / size + (inner if left == right == 2 else 0)
        assert expected == moments.product[left][right]
    spins = [row[3] for row in every]
    assert moments.with_spins == tuple(
        sum(row[part] * won for row, won in zip(worth, spins, strict=True)) / size for part in range(3)
    )
    assert Fraction(sum(spins), size) == moments.spins
    assert Fraction(sum(won**2 for won in spins), size) == moments.spins_square


@given(strips, st.integers(1, 4))
@settings(max_examples=60)
def test_hit_frequency_is_that_of_the_full_cycle(strips: list[list[str]], lines: int) -> None:
    """The chances of a line win, a feature, a scatter win, and any of them, equal the full cycle's."""
    spin = small_game(strips, 1)
    every = outcomes(spin, lines)
    pays = LineHits(spin, tuple(RULES.pays)).chance(lines)
    feature = LineHits(spin, ("F",)).chance(lines)
    either = LineHits(spin, (*RULES.pays, "F")).chance(lines, {2, 3, 4})
    assert Fraction(sum(row[0] > 0 for row in every), len(every)) == pays
    assert Fraction(sum(row[2] > 0 for row in every), len(every)) == feature
    assert Fraction(sum(row[1] > 0 for row in every), len(every)) == scatter_chance(spin, {2, 3})
    assert Fraction(sum(row != (0, 0, 0, 0) for row in every), len(every)) == either


@given(strips, st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=60)
def test_the_largest_win_is_that_of_the_full_cycle(strips: list[list[str]], lines: int, multiplier: int) -> None:
    """The best-first search finds the largest win, every pick at its best, and all the ways to it."""
    spin = small_game(strips, multiplier)
    every = [(a + b + picks * spin.picks.largest, picks) for a, b, picks, _ in outcomes(spin, lines)]
    best = max(coins for coins, _ in every)
    chance = sum((spin.picks.largest_chance**picks for coins, picks in every if coins == best), Fraction(0)) / len(
        every
    )
    found = largest_win(spin, lines)
    assert (best, chance) == (found.coins, found.chance)


def moments_of(chances: dict[tuple[int, int], Fraction]) -> SpinMoments:
    """Return the moments of a spin that pays x on its lines and wins k spins, by the chance of each (x, k)."""

    def mean(values: dict[tuple[int, int], int]) -> Fraction:
        return sum((chance * values[pair] for pair, chance in chances.items()), Fraction(0))

    zero = Fraction(0)
    square = mean({(x, k): x * x for x, k in chances})
    return SpinMoments(
        mean=(mean({(x, k): x for x, k in chances}), zero, zero),
        product=((square, zero, zero), (zero, zero, zero), (zero, zero, zero)),
        with_spins=(mean({(x, k): x * k for x, k in chances}), zero, zero),
        spins=mean({(x, k): k for x, k in chances}),
        spins_square=mean({(x, k): k * k for x, k in chances}),
    )


@pytest.mark.parametrize("chance", [Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)])
def test_a_chain_of_free_spins_has_the_geometric_law(chance: Fraction) -> None:
    """Where each free spin pays 1 and wins one more with chance p, the moments are the geometric law's."""
    certain = moments_of({(0, 1): Fraction(1)})
    chain = RoundFigures(certain, moments_of({(1, 1): chance, (1, 0): 1 - chance})).total
    assert 1 / (1 - chance) == chain.mean
    assert chance / (1 - chance) ** 2 == chain.variance


@pytest.mark.parametrize("chance", [Fraction(1, 10), Fraction(1, 2)])
def test_the_covariance_of_win_and_spins_won_counts(chance: Fraction) -> None:
    """Where exactly the spins that win a spin pay, the chain pays its number of retriggers: geometric again."""
    certain = moments_of({(0, 1): Fraction(1)})
    chain = RoundFigures(certain, moments_of({(1, 1): chance, (0, 0): 1 - chance})).total
    assert chance / (1 - chance) == chain.mean
    assert chance / (1 - chance) ** 2 == chain.variance


def test_parts_add_up_to_the_round() -> None:
    """The means of the six parts are the round's mean, exactly."""
    spin = small_game([list("WABSFX"), list("AWSBFX"), list("SAFWBX")], 1)
    figures = RoundFigures(SpinAnalysis(spin).at(3), SpinAnalysis(replace(spin, multiplier=3)).at(3))
    assert figures.total.mean == sum(part.mean for part in figures.parts())


def test_wilds_without_pays_are_the_best_symbol_they_stand_for() -> None:
    """Wilds alone, and leading wilds before a lesser win, are worth the best symbol; features are none of them."""
    runs = Runs(LineRules(pays={"A": {2: 5, 3: 9}, "B": {3: 7}}, wild="W", features={"F": 2}), {"A": {2: 5, 3: 9}}, "")
    assert [runs.worth((3, None), 3), runs.worth((2, "B"), 3), runs.worth((1, "A"), 3)] == [9, 5, 9]
    started = Runs(LineRules(pays={"A": {3: 9}}, wild="W", features={"F": 2}), {"F": {2: 1}}, "")
    assert started.worth((3, None), 3) == 0


def test_multiplying_wilds_may_not_begin_a_line() -> None:
    """Which symbol a wild on reel 1 stands for would decide what is multiplied, so such strips are refused."""
    with pytest.raises(DefinitionError, match="may not be on the first reel"):
        replace(GOLDEN, wild_multipliers=(2,))


def test_percentages_are_rounded_from_the_fraction() -> None:
    """Six decimals, ties to even, signs kept, and no minus zero."""
    assert percent(Fraction(9656, 10000)) == "96.560000"
    assert percent(Fraction(1, 3)) == "33.333333"
    assert percent(Fraction(-1, 200)) == "-0.500000"
    assert percent(Fraction(-1, 10**12)) == "0.000000"
