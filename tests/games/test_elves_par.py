"""Mystery Elves' figures: 95.01 % paid and bought, proved against every way that small features can go."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import repeat

import pytest

from gamekit.agreement import judge
from gamekit.beats import Cell
from gamekit.exact.extremes import largest_win
from gamekit.exact.hold_and_win import FilledCells
from gamekit.exact.moments import LineWithScatters
from gamekit.exact.runs import Runs
from gamekit.hold_and_win import HoldRules, RespinsWon, play_respins
from gamekit.maths import BetFigures, PartFigure
from gamekit.par import percent
from gamekit.play import Answer, Draw, Offer, Stake
from gamekit.simulate import play_rounds, seeded_draw
from games.mystery_elves.bonuses import Bonuses
from games.mystery_elves.feature_maths import Power, largest_worth, worth
from games.mystery_elves.maths import MATHS, SPIN
from games.mystery_elves.pays import (
    AWARDS,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    LINE_RULES,
    LINES,
    MAJOR,
    MULTIPLIERS,
    MULTIPLYING,
    MYSTERY,
    VALUES,
)
from games.mystery_elves.strips import HOLD_RULES
from tests.games.elves_table import BOUGHT, EVALUATOR, SIX, STAKE, carry, every_way, full, play_round, ticket
from tests.games.table import won

TABLES = {table.total: table for table in (CARRIED, CARRIED_BESIDE_MULTIPLYING, AWARDS, MULTIPLIERS, VALUES)}


@pytest.fixture(scope="module")
def paid() -> BetFigures:
    return MATHS.figures(STAKE, "")


@pytest.fixture(scope="module")
def bought() -> BetFigures:
    return MATHS.figures(BOUGHT, "")


def tickets(bound: int) -> list[tuple[int, Fraction]]:
    """Return, for the table drawn with `bound`, one draw for each amount and the amount's chance."""
    table = TABLES[bound]
    return [(ticket(table, amount), Fraction(weight, bound)) for amount, weight in table.weights.items()]


def test_the_paid_and_the_bought_spin_return_95_01_percent(paid: BetFigures, bought: BetFigures) -> None:
    """Equal to two decimals: of the bet, and of the seventy bets that the feature costs."""
    assert percent(paid.mean / STAKE.coins) == "95.009936"
    assert percent(bought.mean / (70 * BOUGHT.coins)) == "95.009922"


def test_the_bought_spin_is_the_paid_one_given_a_trigger(paid: BetFigures, bought: BetFigures) -> None:
    """The feature's part of the paid spin is its chance times its mean in the bought one."""
    assert paid.triggers["hold_and_win"] == Fraction(257084, 46609920)
    assert paid.parts[1].mean == paid.triggers["hold_and_win"] * bought.parts[1].mean


def test_triggering_lines_agree_with_the_count_by_scatters(bought: BetFigures) -> None:
    """Listing the triggering stops and counting lines by bonus symbols in view give the same lines' mean."""
    counted = LineWithScatters(SPIN, Runs(LINE_RULES, LINE_RULES.pays, SPIN.symbols))
    by_shown: Counter[int] = Counter()
    for line in LINES:
        by_shown.update(dict(enumerate(counted.ways(line))))
    assert {shown: group.coins for shown, group in MATHS.triggering.items()} == {
        shown: coins for shown, coins in by_shown.items() if shown in MATHS.triggering
    }
    assert bought.parts[0].mean == Fraction(sum(by_shown[shown] for shown in MATHS.triggering), 257084)


def test_lines_agree_with_every_combination_of_stops(paid: BetFigures) -> None:
    """Mean, variance and frequency are those of all 46,609,920 combinations, alike ones evaluated once."""
    # Stops are alike that leave the same runs alive on each reel from the third on: no line pays for fewer than three.
    ways: Counter[tuple[int, ...]] = Counter({(EVALUATOR.enabled[10],): 1})
    stops_of: dict[tuple[int, ...], tuple[int, ...]] = {(EVALUATOR.enabled[10],): ()}
    for reel, covers in enumerate(EVALUATOR.covers):
        columns = [(cover, count, covers.index(cover)) for cover, count in Counter(covers).items()]
        going: Counter[tuple[int, ...]] = Counter()
        stops_to: dict[tuple[int, ...], tuple[int, ...]] = {}
        for runs, here in ways.items():
            for cover, count, stop in columns:
                alive = runs[-1] & cover
                after = (*runs, alive) if reel > 2 else (alive,)
                going[after] += here * count
                stops_to.setdefault(after, (*stops_of[runs], stop))
        ways, stops_of = going, stops_to
    paid_by = [(count, sum(hit.pay for hit in EVALUATOR.hits(stops_of[runs], 10))) for runs, count in ways.items()]
    assert sum(count for count, _ in paid_by) == SPIN.combinations
    paying = Fraction(sum(count for count, coins in paid_by if coins), SPIN.combinations)
    mean, square = (
        Fraction(sum(count * coins**power for count, coins in paid_by), SPIN.combinations) for power in (1, 2)
    )
    assert paid.parts[0] == PartFigure(mean, square - mean**2, paying)


@pytest.mark.parametrize("count", [1, 2])
def test_a_feature_is_worth_what_every_way_to_play_it_pays(count: int) -> None:
    """The production code, played with every draw that makes a difference, has the exact mean and mean square."""

    def run(draw: Draw) -> int:
        bonuses = Bonuses(draw)
        bonuses.land(HOLD_RULES.cells[:count])
        return sum(beat.coins for beat in bonuses.settle(1))

    played = Power.of((chance, bets) for bets, chance in every_way(run, tickets))
    assert played == worth(count)
    assert played.mass == 1


def test_cells_fill_as_every_way_to_play_them_does() -> None:
    """The law of the cells filled is that of the production code played with every draw, on a window of three cells."""
    rules = HoldRules(3, 1, ("a", "b", "b"), "a", 2)

    def stays(cells: Sequence[Cell]) -> RespinsWon:
        return RespinsWon(0, tuple(cells))

    def run(draw: Draw) -> int:
        play = play_respins([(0, 0)], rules, draw, stays)
        answer = None
        while True:
            try:
                answer = Answer() if isinstance(play.send(answer), Offer) else None
            except StopIteration as ended:
                return int(ended.value)

    played: Counter[int] = Counter()
    thirds = [(stop, Fraction(1, 3)) for stop in range(3)]
    law: dict[int, Fraction] = {}
    for filled, chance in every_way(run, lambda _bound: thirds):
        law[filled] = law.get(filled, Fraction(0)) + chance
        played[filled] += 1
    assert set(played) == {1, 2, 3}
    assert law == FilledCells(rules).law(1)


def test_the_law_of_cells_filled_is_whole() -> None:
    """From six to ten held, all chances add up to one; fifteen held stay fifteen."""
    filled = FilledCells(HOLD_RULES)
    for held in range(6, 15):
        law = filled.law(held)
        assert min(law) == held
        assert sum(law.values()) == 1
    assert filled.law(15) == {15: 1}


def test_the_largest_win_can_be_played(bought: BetFigures, paid: BetFigures) -> None:
    """Fourteen MAJOR times five, doubled, beside the highest lines of a triggering spin; nothing pays more."""
    carried = [MULTIPLYING, *repeat(MYSTERY, 14)]
    tail = [*repeat(ticket(AWARDS, MAJOR), 14), ticket(MULTIPLIERS, 5), *repeat(VALUES.total - 1, 15)]
    drawn = carry(*carried)
    steps = play_round(SIX, drawn[:6], full(HOLD_RULES, 6), drawn[6:], tail)
    bets, chance = largest_worth()
    lines = max(group.largest for group in MATHS.triggering.values())
    assert won(steps) == 10 * bets == 145_400
    assert bought.largest.coins == paid.largest.coins == 10 * bets + lines
    assert 0 < paid.largest.chance < bought.largest.chance < chance
    assert largest_win(SPIN, len(LINES)).coins < paid.largest.coins


def test_the_highest_line_win_and_its_odds() -> None:
    """A screen of wilds, a thousand bets, on one combination of stops: the rule page's highest win chance."""
    highest = largest_win(SPIN, len(LINES))
    assert (highest.coins, highest.chance) == (10_000, Fraction(1, 46609920))


@pytest.mark.parametrize(("stake", "rounds"), [(STAKE, 100_000), (BOUGHT, 10_000)])
def test_the_played_game_agrees_with_the_exact_one(stake: Stake, rounds: int) -> None:
    """Paid and bought spins lie inside the jointly 99.99 % intervals, part by part."""
    tally = play_rounds(MATHS, stake, seeded_draw(random.Random(1)), rounds)
    report = judge(MATHS, stake, tally, seed=1)
    assert [part.name for part in report.parts if part.alarm] == []
