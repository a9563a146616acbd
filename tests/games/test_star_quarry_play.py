"""Star Quarry's play against a plain evaluator, written from its rules and not from its code."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest

from gamekit.beats import (
    Begin,
    CascadeFell,
    Continue,
    FreeSpinBegins,
    FreeSpinsEnded,
    FreeSpinsWon,
    ReelsLanded,
    ScatterWin,
    WaysWin,
)
from gamekit.play import Beat, Offer, Stake, Step
from games.star_quarry import GAME
from games.star_quarry.pays import CASCADES, FREE_CASCADES, FREE_SPINS, PAYS, SCATTER, SCATTER_PAYS, SYMBOLS, WILD
from games.star_quarry.strips import REELS
from tests.games.table import Luck, Script, play_out

STAKE = Stake(lines=20, coins_per_line=1)
ROUNDS = 200
Window = tuple[tuple[str, ...], ...]


class Spin(NamedTuple):
    """The steps of one spin, and whether it is a free one."""

    free: bool
    steps: tuple[Step, ...]


@cache
def rounds() -> tuple[tuple[Step, ...], ...]:
    """Return rounds of many seeds, each played to its end."""
    return tuple(
        tuple(play_out(STAKE, luck.draw, luck.choose, GAME)) for luck in (Luck(seed) for seed in range(ROUNDS))
    )


@cache
def free_round() -> tuple[Step, ...]:
    """Return a round with free spins that were won again."""
    for seed in range(1_000_000):
        luck = Luck(seed)
        steps = tuple(play_out(STAKE, luck.draw, luck.choose, GAME))
        if any(isinstance(step, FreeSpinsWon) and step.retrigger for step in steps):
            return steps
    raise AssertionError("no seed wins free spins in free spins")


@cache
def spins() -> tuple[Spin, ...]:
    """Return all spins of the rounds, each from its reels on."""
    found: list[Spin] = []
    for steps in (*rounds(), free_round()):
        free = False
        for step in steps:
            free = free or isinstance(step, FreeSpinBegins)
            if isinstance(step, ReelsLanded):
                found.append(Spin(free, ()))
            if found and not isinstance(step, Offer | FreeSpinBegins | FreeSpinsEnded):
                found[-1] = Spin(found[-1].free, (*found[-1].steps, step))
    return tuple(found)


def windows(spin: Spin) -> list[tuple[Window, list[WaysWin], int]]:
    """Return each window of a spin, what it wins, and which one it is, from 0."""
    landed = spin.steps[0]
    assert isinstance(landed, ReelsLanded)
    found: list[tuple[Window, list[WaysWin], int]] = [(REELS.window(landed.stops), [], 0)]
    for step in spin.steps:
        if isinstance(step, WaysWin):
            found[-1][1].append(step)
        if isinstance(step, CascadeFell):
            found.append((step.window, [], step.number))
    return found


def by_hand(window: Window) -> dict[str, tuple[int, int]]:
    """Return by symbol the longest row of reels and its ways: every path of cells is walked, one by one."""
    found: dict[str, tuple[int, int]] = {}
    for symbol, reels in product(PAYS, (5, 4, 3)):
        paths = product(*window[:reels])
        ways = sum(all(cell in (symbol, WILD) for cell in path) for path in paths)
        if ways and symbol not in found:
            found[symbol] = (reels, ways)
    return found


def multiplier(spin: Spin, number: int) -> int:
    """Return what the rules say that the window after so many cascades pays."""
    steps = (2, 4, 6, 10) if spin.free else (1, 2, 3, 5)
    return steps[min(number, 3)]


def test_every_way_is_found_and_paid_once() -> None:
    """In each window each symbol's longest row from reel 1 pays its figure for each way, times the multiplier."""
    for spin in spins():
        for window, wins, number in windows(spin):
            times = multiplier(spin, number)
            assert {win.symbol: (win.count, win.ways) for win in wins} == by_hand(window)
            assert [win.coins for win in wins] == [PAYS[win.symbol][win.count] * win.ways * times for win in wins]


def test_all_wins_of_a_window_are_added_up() -> None:
    """A window may pay two symbols or more."""
    assert any(len(wins) > 1 for spin in spins() for _, wins, _ in windows(spin))


@pytest.mark.parametrize("symbol", PAYS)
def test_the_comet_stands_for_every_symbol_but_the_beacon(symbol: str) -> None:
    """The symbol on reels 1 and 3 and a Comet between them win; what is left is the Beacon."""
    shown = (symbol, WILD, symbol)
    stops = (*(strip.index(one) for strip, one in zip(REELS.strips, shown, strict=False)), 0, 0)
    wins = []
    for step in GAME.play(STAKE, Script([*stops]), None):
        if isinstance(step, CascadeFell | Offer):
            break
        wins += [step] if isinstance(step, WaysWin) else []
    won = next(win for win in wins if win.symbol == symbol)
    assert {(0, 0), (1, 0), (2, 0)} <= set(won.cells)
    assert set(SYMBOLS) == {WILD, SCATTER, *PAYS}


def test_the_comet_pays_nothing_and_lies_on_the_middle_reels() -> None:
    """Reels 2, 3 and 4."""
    assert [WILD in strip for strip in REELS.strips] == [False, True, True, True, False]
    assert WILD not in PAYS


def test_winning_symbols_burst_and_those_above_fall_as_the_strips_carry_on() -> None:
    """The window after a fall is worked out reel by reel from the strip: what is left, and above it what comes next."""
    for spin in spins():
        landed = spin.steps[0]
        assert isinstance(landed, ReelsLanded)
        above = list(landed.stops)
        before = REELS.window(landed.stops)
        wins: list[WaysWin] = []
        for step in spin.steps[1:]:
            if isinstance(step, WaysWin):
                wins.append(step)
            if isinstance(step, CascadeFell):
                assert set(step.cells) == {cell for win in wins for cell in win.cells}
                for reel, column in enumerate(before):
                    left = [shown for row, shown in enumerate(column) if (reel, row) not in step.cells]
                    while len(left) < REELS.rows:
                        above[reel] -= 1
                        left.insert(0, REELS.strips[reel][above[reel] % len(REELS.strips[reel])])
                    assert step.window[reel] == tuple(left)
                before, wins = step.window, []


def test_cascades_go_on_until_nothing_wins() -> None:
    """A fall follows each window that wins, and none that doesn't; the last window wins nothing."""
    for spin in spins():
        assert [bool(wins) for _, wins, _ in windows(spin)] == [*[True] * (len(windows(spin)) - 1), False]


def test_each_cascade_raises_the_multiplier_and_each_spin_begins_anew() -> None:
    """One, two, three, five; in free spins two, four, six, ten; the last step stays."""
    assert (CASCADES.multipliers, FREE_CASCADES.multipliers) == ((1, 2, 3, 5), (2, 4, 6, 10))
    for spin in spins():
        falls = [step for step in spin.steps if isinstance(step, CascadeFell)]
        assert [step.number for step in falls] == list(range(1, len(falls) + 1))
        assert [step.multiplier for step in falls] == [multiplier(spin, step.number) for step in falls]
    assert max(len(windows(spin)) for spin in spins()) > len(CASCADES.multipliers)


def test_nothing_is_drawn_for_a_cascade() -> None:
    """A spin draws five stops, whatever follows."""
    for stops in ((0, 0, 0, 0, 0), (3, 1, 4, 1, 5), (9, 2, 6, 5, 3)):
        script = Script(stops)
        play = GAME.play(STAKE, script, None)
        landed = next(play)
        assert landed == ReelsLanded(stops)
        assert script.bounds == [len(strip) for strip in REELS.strips]
        for step in play:
            if isinstance(step, Offer):
                break
        assert script.spent


def counted(window: Window) -> int:
    """Return how many Beacons are in a window."""
    return sum(column.count(SCATTER) for column in window)


def test_beacons_are_counted_once_when_the_cascades_have_ended() -> None:
    """In the last window, wherever they are; earlier windows count nothing."""
    for spin in spins():
        last = windows(spin)[-1][0]
        paid = [step for step in spin.steps if isinstance(step, ScatterWin)]
        assert len(paid) == (counted(last) >= min(SCATTER_PAYS))
        for step in paid:
            assert spin.steps.index(step) > max(
                (place for place, other in enumerate(spin.steps) if isinstance(other, CascadeFell)), default=0
            )
            assert (step.count, step.coins) == (counted(last), SCATTER_PAYS[counted(last)] * STAKE.coins)
            assert all(last[reel][row] == SCATTER for reel, row in step.cells)


def test_beacons_never_burst_and_pay_the_same_on_each_step() -> None:
    """No cell that vanishes shows a Beacon, and no step of the ladder changes what they pay."""
    for spin in spins():
        shown = [window for window, _, _ in windows(spin)]
        falls = [step for step in spin.steps if isinstance(step, CascadeFell)]
        for window, fall in zip(shown, falls, strict=False):
            assert all(window[reel][row] != SCATTER for reel, row in fall.cells)


def test_three_or_more_beacons_give_ten_free_spins_and_ten_more_in_them() -> None:
    """Whatever their number; free spins that are won in free spins follow behind those left."""
    assert set(FREE_SPINS.values()) == {10}
    assert set(FREE_SPINS) == set(SCATTER_PAYS)
    for steps in (*rounds(), free_round()):
        given = [step for step in steps if isinstance(step, FreeSpinsWon)]
        assert [step.spins for step in given] == [10] * len(given)
        assert [step.retrigger for step in given] == [False, *[True] * (len(given) - 1)][: len(given)]
        assert sum(isinstance(step, FreeSpinBegins) for step in steps) == 10 * len(given)


def test_each_count_of_beacons_that_can_come_is_paid() -> None:
    """Beacons gather as symbols fall: no window of a million shows more than the table pays for."""
    most = sum(_most_beacons(reel) for reel in range(GAME.reels))
    assert list(SCATTER_PAYS) == list(range(3, max(SCATTER_PAYS) + 1))
    assert max(counted(window) for spin in spins() for window, _, _ in windows(spin)) <= max(SCATTER_PAYS) <= most


def _most_beacons(reel: int) -> int:
    return min(GAME.rows, REELS.strips[reel].count(SCATTER))


def test_only_the_first_free_spin_waits_and_none_is_drawn_before_its_offer() -> None:
    """A `Begin`, then a `Continue` before each other one."""
    steps = free_round()
    offers = [step for step in steps if isinstance(step, Offer)]
    assert [isinstance(step, Begin) for step in offers] == [True, *[False] * (len(offers) - 1)]
    assert all(isinstance(step, Continue) for step in offers)
    for place, step in enumerate(steps):
        if isinstance(step, FreeSpinBegins):
            assert isinstance(steps[place - 1], Offer)


def test_the_end_of_the_free_spins_repeats_what_their_beats_have_paid() -> None:
    """Nothing is paid twice."""
    steps = free_round()
    first = next(place for place, step in enumerate(steps) if isinstance(step, FreeSpinBegins))
    ended = next(step for step in steps if isinstance(step, FreeSpinsEnded))
    paid = sum(step.coins for step in steps[first:] if isinstance(step, Beat))
    assert (ended.total, ended.coins) == (paid, 0)


def _bets() -> Iterator[Sequence[int]]:
    assert GAME.total_bets is not None
    yield from ([cents] for cents in GAME.total_bets.usual_cents)


@pytest.mark.parametrize("bet_cents", [bet[0] for bet in _bets()])
def test_every_bet_buys_all_ways_and_is_whole_coins(bet_cents: int) -> None:
    """A coin is a twentieth of the bet."""
    assert GAME.line_counts == (20,)
    assert bet_cents % STAKE.lines == 0


def test_the_wins_of_a_round_occur_in_many_sizes() -> None:
    """The rounds above are no few alike ones: most symbols have won on three, four and five reels."""
    seen = Counter((win.symbol, win.count) for spin in spins() for _, wins, _ in windows(spin) for win in wins)
    assert len(seen) > 2 * len(PAYS)
