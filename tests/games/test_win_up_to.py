"""What "win up to" names is reached by one play in 50 million at least, and belongs to the maths that is played."""

import json
from collections import Counter
from math import sqrt
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gamekit.catalogue import load, names
from gamekit.exact.tails import ROUNDING, Spectra, played_out, reached
from gamekit.figures import StaleFiguresError, check, figures_of, file_of
from gamekit.maths import load_maths
from gamekit.play import Stake
from gamekit.simulate import WIN_EDGES
from gamekit.win_up_to import ONE_IN, highest_promise, promise, promise_of
from gamekit.working_out import encoded, load_reach, work_out

GAMES = Path(__file__).parents[2] / "games"
EXACT = ("neptune", "bewitched", "mystery_elves")
PLAYED = {"neptune": Stake(lines=15, coins_per_line=1), "bewitched": Stake(lines=15, coins_per_line=10)}
PLAYED["mystery_elves"] = Stake(lines=10, coins_per_line=1)


@pytest.mark.parametrize("name", names())
def test_every_bet_has_a_promise_of_this_maths(name: str) -> None:
    """Paid and bought; at least one play in 50 million reaches it, and no other bet is there."""
    game, stakes = load(name), load_maths(name).stakes
    check(game)
    kept_bets = [(one.lines, one.coins_per_line, one.price) for one in figures_of(name).promises]
    assert sorted(kept_bets) == sorted((stake.lines, stake.coins_per_line, stake.price) for stake in stakes)
    assert all(0 < one.one_in <= ONE_IN for one in figures_of(name).promises)
    highest = highest_promise(name)
    paid = [one for one in figures_of(name).promises if one.price == 1]
    assert (highest.lines, highest.coins_per_line) == (game.line_counts[-1], game.coins_per_line[-1])
    assert highest.coins == max(one.coins for one in paid)


@pytest.mark.parametrize("name", names())
def test_the_theoretical_highest_wins_are_the_par_sheet_s(name: str) -> None:
    """Of a paid spin in the state that favours it most, and of a free spin; the promises are in the sheet too."""
    sheet = json.loads((GAMES / name / "par.json").read_text("utf-8"))
    paid = [(row["max_win"], row["max_win_odds"]) for row in sheet["bets"] if row["price"] == 1]
    figures = figures_of(name)
    coins, chance = max(paid)
    assert figures.paid.coins == coins
    assert figures.paid.one_in == pytest.approx(1 / chance, rel=1e-9, abs=0.5)
    assert (figures.free is None) == (sheet["free_spin"] is None)
    if figures.free is not None:
        assert figures.free.coins == sheet["free_spin"]["max_win"]
        assert figures.free.one_in == pytest.approx(1 / sheet["free_spin"]["max_win_odds"], rel=1e-9, abs=0.5)
    for row in sheet["bets"]:
        one = promise(name, lines=row["lines"], coins_per_line=row["coins_per_line"], price=row["price"])
        assert (row["win_up_to"], row["win_up_to_one_in"]) == (one.coins, one.one_in)


@pytest.mark.parametrize("name", EXACT)
def test_the_distribution_of_a_play_has_the_exact_mean(name: str) -> None:
    """What the distribution wins on average is what the exact maths returns, with nothing left out."""
    assert figures_of(name).left_out == ""
    stake = PLAYED[name]
    reach = load_reach(name)
    mean = float(reach.SPECTRA.tail(reach.spectrum(stake))[1:].sum())
    assert mean * stake.coins_per_line == pytest.approx(float(load_maths(name).figures(stake, "").mean), rel=1e-7)


@pytest.mark.parametrize("name", EXACT)
def test_ten_million_played_rounds_win_as_the_distribution_says(name: str) -> None:
    """In each band of the kept simulation the rounds are as many as expected, within 4.5 sigma."""
    stake = PLAYED[name]
    reach = load_reach(name)
    tail = reach.SPECTRA.tail(reach.spectrum(stake))
    report = json.loads((GAMES / name / "simulated.json").read_text("utf-8"))["report"]
    assert (report["stake"]["lines"], report["stake"]["coins_per_line"]) == (stake.lines, stake.coins_per_line)
    bet = stake.coins // stake.coins_per_line
    # The chance of more than each edge, in bets.
    above = [1.0, *(float(tail[edge * bet + 1]) for edge in WIN_EDGES), 0.0]
    for won, more, less in zip(report["wins"], above, above[1:], strict=False):
        expected = (more - less) * report["rounds"]
        assert abs(won - expected) < 4.5 * sqrt(expected) + 3


@pytest.mark.parametrize(
    ("name", "stake"),
    [
        ("neptune", Stake(lines=2, coins_per_line=1)),
        ("bewitched", Stake(lines=1, coins_per_line=3)),
        ("mystery_elves", Stake(lines=10, coins_per_line=1)),
        ("mystery_elves", Stake(lines=10, coins_per_line=1, price=70)),
    ],
)
def test_a_promise_is_worked_out_anew(name: str, stake: Stake) -> None:
    """The figures kept are those that the distribution gives."""
    reach = load_reach(name)
    found = reached(reach.SPECTRA.tail(reach.spectrum(stake)))
    one = promise_of(load(name), stake)
    assert one is not None
    assert (found.coins * stake.coins_per_line, found.one_in) == (one.coins, one.one_in)


@pytest.mark.parametrize("name", names())
def test_the_figures_are_kept_as_the_command_writes_them(name: str) -> None:
    """Nobody has edited a file: read and written again, it is the same to the byte."""
    assert encoded(figures_of(name)) == file_of(name).read_bytes()


@pytest.mark.proof
@pytest.mark.parametrize("name", names())
def test_the_figures_that_are_kept_are_worked_out_anew(name: str) -> None:
    """Every bet of every game: what `cabinet figures` would write is what is kept, to the byte; minutes each."""
    assert encoded(work_out(name)) == file_of(name).read_bytes()


def test_free_spins_that_win_free_spins_are_played_out() -> None:
    """Against a queue of free spins that is followed spin by spin until less than 1e-15 of the chance is left."""
    paid = {0: {0: 0.5, 1: 0.3}, 2: {3: 0.2}}
    free = {0: {0: 0.6, 2: 0.25}, 1: {5: 0.1}, 2: {0: 0.05}}
    size = 512
    spectra = Spectra(size)
    tail = spectra.tail(
        played_out(
            {spins: spectra.of(law) for spins, law in paid.items()},
            {spins: spectra.of(law) for spins, law in free.items()},
        )
    )
    queue = Counter({(spins, coins): chance for spins, law in paid.items() for coins, chance in law.items()})
    ended: Counter[int] = Counter()
    while sum(queue.values()) > 1e-15:
        going: Counter[tuple[int, int]] = Counter()
        for (left, won), chance in queue.items():
            if not left:
                ended[won] += chance
                continue
            for spins, law in free.items():
                for coins, likely in law.items():
                    going[left - 1 + spins, won + coins] += chance * likely
        queue = going
    for coins in range(60):
        assert tail[coins] == pytest.approx(sum(c for won, c in ended.items() if won >= coins), abs=1e-12)


def test_the_bound_is_the_highest_amount_that_is_reached() -> None:
    """Errors of rounding count against the promise, and its odds are rounded up."""
    tail = np.array([1.0, 0.5, 2e-8 + 2 * ROUNDING, 2e-8, 1e-8])
    found = reached(tail)
    assert found.coins == 2
    assert found.one_in == 49_975_013


def test_figures_of_another_maths_are_not_shown() -> None:
    """A game whose maths has changed has no promise until they are worked out anew."""
    changed = msgspec.structs.replace(load("neptune"), maths_hash="0" * 64)
    with pytest.raises(StaleFiguresError, match="cabinet figures neptune"):
        check(changed)
    assert promise_of(changed, PLAYED["neptune"]) is None
