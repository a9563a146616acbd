"""Highlights: real rounds of each game, found again by their seeds, of several kinds, and none of another maths."""

import random
from collections.abc import Sequence

import msgspec
import pytest

from gamekit import catalogue
from gamekit.checking import faults_of_highlights
from gamekit.highlight_search import WIN, encoded, find
from gamekit.highlights import LEAST, Highlight, Highlights, StaleHighlightsError, file_of, highlights_of, replay
from gamekit.maths import load_maths
from gamekit.play import Answer, Beat, Claim, Offer, Step
from gamekit.simulate import seeded_draw

GAMES = catalogue.names()


def coins(segments: Sequence[Sequence[Step]]) -> int:
    """Return what they pay."""
    return sum(step.coins for segment in segments for step in segment if isinstance(step, Beat))


@pytest.mark.parametrize("name", GAMES)
def test_each_game_has_highlights_of_several_kinds(name: str) -> None:
    """Six or more, of its present maths, no round twice: wins, and rounds that show what they are named by.

    Each wins more than its bet.
    """
    game = catalogue.load(name)
    found = highlights_of(game)
    assert len({one.seed for one in found}) == len(found) >= LEAST
    assert len({one.kind for one in found}) >= 3
    for one in found:
        played = replay(game, one)
        kinds = {type(step).__name__ for segment in played.segments for step in segment}
        assert one.kind in kinds or one.kind == WIN
        assert played.won + coins(played.segments) > one.stake.coins
    assert faults_of_highlights(name) == []
    assert encoded(Highlights(maths_hash=game.maths_hash, rounds=found)) == file_of(name).read_bytes()


@pytest.mark.parametrize("name", GAMES)
def test_a_highlight_is_a_round_of_the_production_play(name: str) -> None:
    """The same seed in the play itself gives the same steps, from the first segment that is shown on."""
    game = catalogue.load(name)
    for one in highlights_of(game)[::3]:
        memory = msgspec.json.decode(one.memory, type=game.memory_type) if game.memory_type else None
        draw = seeded_draw(random.Random(one.seed))
        play, answer, steps = game.play(one.stake, draw, memory), None, list[Step]()
        segment = 0
        while True:
            try:
                step = play.send(answer)
            except StopIteration:
                break
            assert not isinstance(step, Claim)
            answer = None
            if segment >= one.first:
                steps.append(step)
            if isinstance(step, Offer):
                picks = step.pick and not step.at_risk_cents
                answer = Answer(step.choices[draw(len(step.choices)) if picks else 0])
                segment += 1
        assert [step for segment in replay(game, one).segments for step in segment] == steps


def test_the_search_is_the_same_each_time_and_prefers_what_wins_more() -> None:
    """Among a few hundred rounds: those kept are the best of their kinds."""
    maths = load_maths("neptune")
    found = find(maths, whole, 300)
    assert found == find(maths, whole, 300)
    wins = [coins(replay(maths.game, one).segments) / one.stake.coins for one in found.rounds if one.kind == WIN]
    assert wins == sorted(wins, reverse=True)
    assert wins[0] > 5


def test_rounds_that_do_not_fit_are_left_out_and_whole_ones_come_before_late_ones() -> None:
    """A kind counts from the part on with which a round is shown: the beginning of what was begun before does not."""
    maths = load_maths("bewitched")
    spins = find(maths, whole, 1000)
    assert {"FreeSpinsWon", "FreeSpinsEnded"} <= {one.kind for one in spins.rounds}
    assert find(maths, lambda _one: None, 1000).rounds == ()

    def last(one: Highlight) -> Highlight:
        return msgspec.structs.replace(one, first=len(replay(maths.game, one).segments) - 1)

    ends = {one.kind for one in find(maths, last, 1000).rounds}
    assert {"FreeSpinsEnded", "PotionBrewed"} <= ends
    assert not {"FreeSpinsWon", "MerlinCame"} & ends

    def mixed(one: Highlight) -> Highlight:
        return last(one) if one.seed % 2 else one

    found = find(maths, mixed, 1000).rounds
    for kind in {one.kind for one in found}:
        late = [one.first > 0 for one in found if one.kind == kind]
        assert late == sorted(late)
    assert any(one.first for one in found)


def whole(one: Highlight) -> Highlight:
    return one


def test_highlights_of_another_maths_count_for_nothing() -> None:
    """They are named as stale with the mend; so is a round that this game has not."""
    game = catalogue.load("neptune")
    with pytest.raises(StaleHighlightsError, match="another maths: run `cabinet highlights neptune`"):
        highlights_of(msgspec.structs.replace(game, maths_hash="0"))
    with pytest.raises(StaleHighlightsError, match="cannot be read"):
        highlights_of(msgspec.structs.replace(game, name="no_such_game"))
    with pytest.raises(StaleHighlightsError, match="no round"):
        replay(game, Highlight(kind=WIN, lines=15, coins_per_line=1, seed=1, first=99))
