"""The band of a hold: 999 of 1,000 cabinets with fair play lie inside, from the fewest rounds that are judged on."""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import pytest

from gamekit.catalogue import names
from gamekit.maths import cost, load_maths
from gamekit.simulate import play_rounds, seeded_draw
from venue.page.expectations import FEWEST, Judged, judge, known
from venue.page.templatetags.page import band

AFTER = (500, 750, 3000, 20_000)
"""Numbers of rounds after which fair play is judged: the fewest, between two of the stored ones, and larger ones."""
PIECE = 250


def fair(game: str, after: int, rounds: int, *, usual: bool, pieces: Iterable[int] = ()) -> int:
    """Return how many cabinets that play fairly are marked after `after` rounds each, of `rounds` rounds in all.

    They play at the highest bet, or at the most volatile one, with the production code; nothing of the band's own
    making is used. `pieces` are the wins of `PIECE` rounds each that were played before, of a game without memory.
    """
    maths = load_maths(game)
    stake = maths.stakes[-1 if usual else 0]
    bad = ("outside", "edge") if usual else ("outside",)
    wins = iter(pieces or played(game, after, rounds // after, usual=usual))
    marked = 0
    for _ in range(rounds // after):
        won = sum(islice(wins, after // PIECE if pieces else 1))
        marked += judge(game, after, after * cost(stake), won, float(cost(stake) ** 2 * after)).verdict in bad
    return marked


def played(game: str, each: int, times: int, *, usual: bool) -> Iterator[int]:
    """Yield what `each` rounds won, as often as asked for; each begins as a new cabinet does."""
    maths = load_maths(game)
    draw = seeded_draw(random.Random(f"{game} {each} {usual}"))
    for _ in range(times):
        yield sum(play_rounds(maths, maths.stakes[-1 if usual else 0], draw, each).sums)


def test_fair_play_is_not_marked() -> None:
    """The game with the longest tail, at the fewest rounds: 7 of 488 were once marked, 3 are too many by far."""
    assert fair("mystery_elves", FEWEST, 488 * FEWEST, usual=True) <= 2


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("game", names())
def test_fair_play_of_every_game_is_not_marked(game: str, record_property: Callable[[str, object], None]) -> None:
    """Of 1,000 cabinets one may be marked; more than chance allows (1 in 100,000) may not.

    A game without memory plays its rounds once, and they are judged in cabinets of each length; where what a round
    leaves behind matters to the next, each length is played by itself.
    """
    words = []
    for usual, rounds in ((True, 1_500_000), (False, 750_000)):
        if not usual and len(load_maths(game).stakes) == 1:
            continue
        whole = len(load_maths(game).states) == 1
        pieces = list(played(game, PIECE, rounds // PIECE, usual=usual)) if whole else ()
        for after in AFTER:
            cabinets = rounds // after
            marked = fair(game, after, rounds, usual=usual, pieces=pieces)
            words.append(f"{marked} of {cabinets:,} after {after:,}{'' if usual else ' at the most volatile bet'}")
            assert marked <= 3 + cabinets // 250, words[-1]
    record_property("proof", f"fair play of {game}, cabinets that are marked: {', '.join(words)}")


@pytest.mark.parametrize("game", names())
def test_a_cabinet_that_pays_nothing_or_twice_is_marked(game: str) -> None:
    """The bands are no excuse: after 100,000 rounds wrong returns are outside."""
    rounds, stake = 100_000, 100
    for returned in (0.0, 2.0):
        assert judge(game, rounds, rounds * stake, int(returned * rounds * stake), None).verdict == "outside"


@pytest.mark.parametrize("game", names())
def test_bands_narrow_with_the_rounds_and_hold_the_expectation(game: str) -> None:
    """Between stored numbers of rounds the band is as wide as the wider of both; beyond the last it narrows on."""
    expected = known()[game]
    assert expected.usual[0].rounds == FEWEST
    before: tuple[float, float] | None = None
    for rounds in (500, 5_000, 50_000, 500_000, 5_000_000, 50_000_000, 500_000_000):
        low, high = expected.band(expected.usual, rounds)
        wide = expected.band(expected.wide, rounds)
        assert wide[0] <= low < expected.least <= expected.most < high <= wide[1]
        assert before is None or (before[0] <= low and high < before[1])
        before = low, high
    assert high - low < expected.most - expected.least + 0.01


def test_few_rounds_are_not_judged() -> None:
    """Below the fewest rounds nothing is said; a single large bet among small ones counts as few rounds."""
    assert judge("neptune", FEWEST - 1, 1000, 0, None).verdict == "few"
    assert judge("neptune", 10_000, 100_000, 0, float(90_000**2)).verdict == "few"
    assert judge("chess", 10_000, 100_000, 0, None).verdict == "unknown"


def test_the_picture_of_a_band_holds_its_hold() -> None:
    """A hold inside of its band is drawn inside of it."""
    judged = judge("neptune", 10_000, 1_000_000, 965_600, None)
    assert judged.verdict == "inside"
    assert "svg" in band(judged)
    assert band(Judged(None, None, None, None, None, "few")) == ""
