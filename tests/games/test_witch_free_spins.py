"""Witch Feature's free spins and its rounds as a whole: order, retriggers, features at random, replays."""

import msgspec
import pytest

from gamekit.beats import Begin, Continue, FreeSpinBegins, FreeSpinsEnded, FreeSpinsWon, LineWin, ReelsLanded
from gamekit.play import Beat, Offer
from games.witch_feature import GAME
from games.witch_feature.pays import FREE_FEATURE_TABLE, FREE_FEATURES, LINE_PAYS, WILD
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import WitchMemory
from games.witch_feature.steps import CombinationMade, FeatureBegins, FeatureEnded, FeatureUnlocked, Respun
from games.witch_feature.strips import FREE_REELS
from tests.games.table import Luck, Script, won
from tests.games.witch_table import (
    FREE_NOTHING,
    FULL_RESPIN,
    IDLE_SPIN,
    NO_FEATURE,
    NOTHING,
    RESPIN_NOTHING,
    TRIGGER,
    B,
    G,
    R,
    drawing,
    losing,
    of_type,
    play_round,
    winning,
)


def test_free_spins_on_both_outer_reels_award_ten() -> None:
    """Ten free spins, the first behind a press, and nothing of one is drawn before its offer."""
    draws = Script([*TRIGGER, *IDLE_SPIN * 10])
    steps = play_round(draws).steps
    assert draws.spent
    assert [FreeSpinsWon(10)] == of_type(steps, FreeSpinsWon)
    assert [Begin(10), *(Continue(left) for left in range(9, 0, -1))] == of_type(steps, Offer)
    assert [FreeSpinBegins(number, 10) for number in range(1, 11)] == of_type(steps, FreeSpinBegins)
    assert FreeSpinsEnded(10, 0) == steps[-1]


@pytest.mark.parametrize("reel", [0, 4])
def test_one_free_spins_symbol_awards_none_in_the_base_game(reel: int) -> None:
    """A single symbol starts nothing in a paid spin."""
    stops = losing(PAID_REELS, free_spins=(reel,))
    assert of_type(play_round(Script(stops)).steps, FreeSpinsWon) == []


@pytest.mark.parametrize(("reels", "more"), [((0,), 1), ((4,), 1), ((0, 4), 10)])
def test_free_spins_add_to_themselves(reels: tuple[int, ...], more: int) -> None:
    """In a free spin one symbol gives one more, both give ten and not twelve; they queue behind those left."""
    again = [*losing(FREE_REELS, free_spins=reels), NO_FEATURE]
    draws = Script([*TRIGGER, *again, *IDLE_SPIN * (9 + more)])
    steps = play_round(draws).steps
    assert draws.spent
    assert [FreeSpinsWon(10), FreeSpinsWon(more, retrigger=True)] == of_type(steps, FreeSpinsWon)
    assert FreeSpinsEnded(10 + more, 0) == steps[-1]


def test_retriggers_have_no_limit() -> None:
    """Ten retriggers in a row give a hundred spins more."""
    both = [*losing(FREE_REELS, free_spins=(0, 4)), NO_FEATURE]
    steps = play_round(Script([*TRIGGER, *both * 10, *IDLE_SPIN * 100])).steps
    assert FreeSpinsEnded(110, 0) == steps[-1]


@pytest.mark.parametrize("features", [features for features in FREE_FEATURES if features and len(features) == 1])
def test_any_potion_feature_may_come_in_a_free_spin(features: tuple[str, ...]) -> None:
    """It comes by a draw, whatever is unlocked; the free spin's own lines are paid first."""
    stops = winning(FREE_REELS)
    before = {
        "high_symbols": [],
        "random_wilds": [0, 0, 0, 0],
        "multiplier": [0],
        "mega_wild": [0, 0],
    }[features[0]]
    draws = Script([*TRIGGER, *stops, drawing(*features), *before, *FULL_RESPIN, *IDLE_SPIN * 9])
    steps, memory = play_round(draws)
    assert draws.spent
    begin = steps.index(FeatureBegins(features=features, multiplier=2 if features == ("multiplier",) else 1))
    landed = steps.index(ReelsLanded(stops))
    assert all(isinstance(step, LineWin) for step in steps[landed + 1 : begin])
    assert begin > landed + 1
    assert of_type(steps, FeatureUnlocked, CombinationMade) == []
    assert WitchMemory() == memory


@pytest.mark.parametrize("other", ["high_symbols", "random_wilds", "mega_wild"])
def test_multiplier_may_join_another_feature(other: str) -> None:
    """Then there is one respin, that feature's, whose win is paid times the multiplier; a loss is not respun."""
    before = {"high_symbols": [], "random_wilds": [0, 0, 0, 0], "mega_wild": [0, 0]}[other]
    draws = Script([*TRIGGER, *FREE_NOTHING, drawing(other, "multiplier"), 99, *before, *FULL_RESPIN, *IDLE_SPIN * 9])
    steps = play_round(draws).steps
    assert draws.spent
    assert FeatureBegins(features=(other, "multiplier"), multiplier=10) in steps
    assert 50 * LINE_PAYS[WILD][5] * 10 == won(steps)
    losing_draws = [0, 0, 0, 0, *RESPIN_NOTHING]
    if other == "random_wilds":
        draws = Script([*TRIGGER, *FREE_NOTHING, drawing(other, "multiplier"), 0, *losing_draws, *IDLE_SPIN * 9])
        assert len(of_type(play_round(draws).steps, Respun)) == 1


def test_no_explosion_in_free_spins() -> None:
    """The features of free spins are the four potion features, Multiplier perhaps beside another."""
    names = {name for features in FREE_FEATURES for name in features}
    assert {"high_symbols", "random_wilds", "multiplier", "mega_wild"} == names
    assert all(len(features) < 2 or features[1:] == ("multiplier",) for features in FREE_FEATURES)
    assert set(range(len(FREE_FEATURES))) == set(FREE_FEATURE_TABLE.weights)


def test_free_spins_keep_the_potions_of_the_paid_spin() -> None:
    """Potions carried before, and collected in the triggering spin, are what the round leaves."""
    stops = losing(PAID_REELS, {1: R}, free_spins=(0, 4))
    memory = play_round(Script([*stops, *IDLE_SPIN * 10]), WitchMemory((B,), 2)).memory
    assert WitchMemory((B, R), 2) == memory


def test_free_spins_come_after_the_feature_of_the_same_spin() -> None:
    """A spin that completes a combination and shows both Free Spins symbols plays the feature first."""
    stops = losing(PAID_REELS, {1: R}, free_spins=(0, 4))
    steps = play_round(Script([*stops, *FULL_RESPIN, *IDLE_SPIN * 10]), WitchMemory((B, G))).steps
    order = [type(step) for step in of_type(steps, FeatureEnded, FreeSpinsWon, FreeSpinBegins)]
    assert [FeatureEnded, FreeSpinsWon, *[FreeSpinBegins] * 10] == order


def test_totals_repeat_what_the_beats_paid() -> None:
    """What a feature and the free spins say they paid is the sum of their line wins."""
    luck = Luck(8)
    ended = {FeatureEnded: 0, FreeSpinsEnded: 0}
    memory = WitchMemory((B, G), 3)
    for _ in range(2500):
        feature = free = 0
        in_free = False
        for step in play_round(luck.draw, memory).steps:
            if isinstance(step, FeatureBegins):
                feature = 0
            in_free = in_free or isinstance(step, FreeSpinBegins)
            if isinstance(step, LineWin):
                feature += step.coins
                free += step.coins if in_free else 0
            if isinstance(step, FeatureEnded):
                assert feature == step.total
                ended[FeatureEnded] += 1
            if isinstance(step, FreeSpinsEnded):
                assert free == step.total
                ended[FreeSpinsEnded] += 1
    assert all(count > 5 for count in ended.values())


def test_the_same_draws_and_memory_give_the_same_beats() -> None:
    """A replay of the same draws yields the same steps, asks for the same bounds and leaves the same memory."""
    luck = Luck(21)
    memory = WitchMemory()
    for _ in range(400):
        start = len(luck.draws)
        first = play_round(luck.draw, memory)
        drawn = luck.draws[start:]
        script = Script([value for _, value in drawn])
        again = play_round(script, memory)
        assert first == again
        assert [bound for bound, _ in drawn] == script.bounds
        memory = first.memory


def test_steps_survive_the_wire() -> None:
    """Every kind of step is decoded by the game's own type to what was sent, and no bound is too large to journal."""
    luck = Luck(2)
    decoder = msgspec.json.Decoder(GAME.step_type)
    kinds: set[type] = set()
    memory = WitchMemory((B, G))
    for _ in range(1500):
        steps = play_round(luck.draw, memory).steps
        kinds |= {type(step) for step in steps}
        wire = [msgspec.json.encode(step) for step in steps]
        assert wire == [msgspec.json.encode(decoder.decode(packet)) for packet in wire]
    assert len(kinds) == 14
    assert max(bound for bound, _ in luck.draws) < 2**53


def test_a_spin_that_wins_nothing_pays_nothing() -> None:
    """No beat of a losing spin pays."""
    assert won(play_round(Script(NOTHING)).steps) == 0
    assert not any(isinstance(step, Beat) and step.cents for step in play_round(Script(NOTHING)).steps)
