import json
import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import msgspec
import pygame
import pytest

from gamekit.beats import Begin, Continue, FreeSpinsWon
from gamekit.play import Answer, Beat, Offer, Scene, Step
from games.witch_feature import GAME
from games.witch_feature.display import rules
from games.witch_feature.display.acts import BrewAct, CollectAct, FeatureAct, MarkedSpinAct, UnlockAct
from games.witch_feature.display.marks import squares
from games.witch_feature.display.theme import THEME
from games.witch_feature.pays import BLUE, GREEN, QUESTION_MARK, RED
from games.witch_feature.potions import WitchMemory
from games.witch_feature.scene import WitchScene
from games.witch_feature.states import STATES, state_name
from games.witch_feature.steps import (
    CombinationMade,
    FeatureBegins,
    FeatureEnded,
    FeatureUnlocked,
    PotionCollected,
    Respun,
)
from tests.ui.programme_witch_feature import BET, CREDIT, SCREENS, SMALL, STAKE, folded, view
from tests.ui.rehearsal import Rehearsal
from ui.acts import Act, SpinAct, TotalAct
from ui.layout import WIDE, centre
from ui.protocol.messages import Hurry, raw
from ui.theme import shown

PAR = json.loads((Path(__file__).parents[2] / "games" / "witch_feature" / "par.json").read_text("utf-8"))
SPIN = centre(WIDE.hud.buttons["spin"])

Segments = tuple[tuple[Step, ...], ...]


@cache
def round_of(seed: int, memory: WitchMemory) -> Segments:
    """Play one round with the draws of `seed`; return its steps, parted after each offer."""
    play = GAME.play(STAKE, random.Random(seed).randrange, memory)
    segments: list[list[Step]] = [[]]
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return tuple(map(tuple, segments))
        answer = None
        segments[-1].append(step)
        if isinstance(step, Offer):
            answer = Answer(0)
            segments.append([])


@cache
def round_with(wanted: str, carried: tuple[str, ...] = (), unlocked: int = 3) -> Segments:
    """Return the first seeded round in which the feature called `wanted` begins, or other steps of that name come."""
    for seed in range(20_000):
        segments = round_of(seed, WitchMemory(carried, unlocked))
        if any(_is(step, wanted) for steps in segments for step in steps):
            return segments
    raise LookupError(f"no seed brings {wanted}")


def _is(step: Step, wanted: str) -> bool:
    match step:
        case FeatureBegins():
            return "+".join(step.features) == wanted
        case CombinationMade():
            return not step.feature and wanted == "smoke"
        case FreeSpinsWon():
            return not step.retrigger and wanted == "free_spins"
    return False


ROUNDS = {
    "high_symbols": ((BLUE, GREEN), 0),
    "random_wilds": ((BLUE, BLUE), 3),
    "multiplier": ((GREEN, GREEN), 3),
    "mega_wild": ((BLUE, GREEN), 3),
    "explosion": ((BLUE, GREEN), 0),
    "smoke": ((RED, RED), 0),
    "free_spins": ((), 0),
    "random_wilds+multiplier": ((), 0),
}


def coins(steps: tuple[Step, ...]) -> int:
    """Return what `steps` pay."""
    return sum(step.coins for step in steps if isinstance(step, Beat))


def stage(rehearsal: Rehearsal, scene: Scene, won: int, offer: Step | None = None) -> None:
    """Put the game before the player at `scene`."""
    changes = {} if offer is None else {"offer": raw(offer), "state": "offer"}
    cents = won * BET.coin_value_cents
    rehearsal.view(view(scene=raw(scene), credit_cents=CREDIT + cents, win_cents=cents, **changes))


def played(rehearsal: Rehearsal, segments: Segments) -> Iterator[Act]:
    """Show a round segment by segment; yield each act as it begins, and check the figures at each segment's end."""
    scene, won, offer = GAME.idle, 0, None
    for steps in segments:
        stage(rehearsal, scene, won, offer)
        for step in steps:
            scene = GAME.advance(scene, STAKE, step)
        won += coins(steps)
        cents = won * BET.coin_value_cents
        number = rehearsal.show(list(steps), credit_cents=CREDIT + cents, win_cents=cents)
        performance = rehearsal.director.performance
        assert performance is not None
        while (act := performance.act) is not None:
            yield act
            rehearsal.wait(act.ends_at() - rehearsal.now)
        assert (rehearsal.director.win(rehearsal.now), rehearsal.director.credit(rehearsal.now)) == (
            cents,
            CREDIT + cents,
        )
        assert rehearsal.director.picture == THEME.picture(scene)
        assert number in {getattr(said, "number", 0) for said in rehearsal.said}
        offer = steps[-1] if steps and isinstance(steps[-1], Offer) else None


@pytest.mark.parametrize("wanted", ROUNDS)
def test_real_rounds_are_shown_to_their_true_figures(wanted: str) -> None:
    """Each feature, as it is really played: every act draws at its begin, in its middle and at its end."""
    rehearsal = Rehearsal()
    for act in played(rehearsal, round_with(wanted, *ROUNDS[wanted])):
        rehearsal.picture()
        whole = act.ends_at() - rehearsal.now
        rehearsal.wait(whole / 2)
        rehearsal.picture()
        rehearsal.wait(whole / 2 - 0.001)
        rehearsal.picture()
    assert rehearsal.director.performance is not None
    assert rehearsal.director.performance.ended


@pytest.mark.parametrize("wanted", ROUNDS)
def test_every_step_that_must_be_seen_has_its_act(wanted: str) -> None:
    """Potions, combinations, unlocked cards, features and respins: none is passed over."""
    segments = round_with(wanted, *ROUNDS[wanted])
    seen = [type(act) for act in played(Rehearsal(), segments)]
    steps = [step for segment in segments for step in segment]
    for kind, act in (
        (PotionCollected, CollectAct),
        (CombinationMade, BrewAct),
        (FeatureUnlocked, UnlockAct),
        (FeatureBegins, FeatureAct),
    ):
        assert seen.count(act) == sum(isinstance(step, kind) for step in steps)
    marked = sum(isinstance(step, Respun) and bool(step.marks) for step in steps)
    assert seen.count(MarkedSpinAct) == marked
    respins = sum(isinstance(step, Respun) and not step.marks for step in steps)
    spins = sum(type(step).__name__ == "ReelsLanded" for step in steps)
    assert seen.count(SpinAct) == respins + spins


@pytest.mark.parametrize("wanted", ["mega_wild", "explosion", "multiplier", "free_spins"])
def test_hurry_brings_every_act_to_its_end(wanted: str) -> None:
    """Pressing on skips: a whole segment is over soon, on the same figures."""
    rehearsal = Rehearsal()
    segments = round_with(wanted, *ROUNDS[wanted])
    stage(rehearsal, GAME.idle, 0)
    won = coins(segments[0])
    cents = won * BET.coin_value_cents
    number = rehearsal.show(list(segments[0]), credit_cents=CREDIT + cents, win_cents=cents)
    performance = rehearsal.director.performance
    assert performance is not None
    acts, began = 0, rehearsal.now
    while not performance.ended:
        act = performance.act
        assert act is not None
        rehearsal.director.handle(Hurry(number), rehearsal.now)
        assert act.ends_at() <= rehearsal.now + 1.2
        rehearsal.wait(max(1 / 60, act.ends_at() - rehearsal.now))
        acts += 1
    assert rehearsal.now - began <= acts
    assert rehearsal.director.win(rehearsal.now) == cents
    assert rehearsal.director.credit(rehearsal.now) == CREDIT + cents


@pytest.mark.parametrize("pressed", [0.0, 0.3, 1.0, 2.9])
def test_a_hurried_act_leaves_no_part_out(pressed: float) -> None:
    """It goes on from where it was, only faster; a second press takes nothing back."""
    act = BrewAct(THEME.picture(GAME.idle), ("red", "green", "blue"), "multiplier")
    act.begin(10.0, turbo=False)
    seen = act.part(10.0 + pressed)
    act.hurry(10.0 + pressed)
    assert act.part(10.0 + pressed) == pytest.approx(seen)
    again = act.part(10.1 + pressed)
    act.hurry(10.1 + pressed)
    assert seen <= again == pytest.approx(act.part(10.1 + pressed))
    assert act.part(act.ends_at()) == 1


def test_turbo_ends_the_same() -> None:
    """Half as long, and the same picture at the end."""
    segments = round_with("explosion", *ROUNDS["explosion"])
    ends = []
    for turbo in (False, True):
        rehearsal = Rehearsal()
        stage(rehearsal, GAME.idle, 0)
        cents = coins(segments[0]) * BET.coin_value_cents
        rehearsal.show(list(segments[0]), credit_cents=CREDIT + cents, win_cents=cents, turbo=turbo)
        began = rehearsal.now
        while rehearsal.director.performance is not None and not rehearsal.director.performance.ended:
            rehearsal.wait(0.05)
        ends.append((rehearsal.director.picture, rehearsal.director.win(rehearsal.now), rehearsal.now - began))
    assert ends[0][:2] == ends[1][:2]
    assert ends[1][2] < ends[0][2] * 0.75


def test_free_spins_are_taken_with_spin() -> None:
    """The only offer is a press to go on, and SPIN answers it on the screen."""
    segments = round_with("free_spins")
    offers = [step for segment in segments for step in segment if isinstance(step, Offer)]
    assert offers
    assert {type(offer) for offer in offers} == {Begin, Continue}
    rehearsal = Rehearsal()
    SCREENS["free_spins_offer"](rehearsal)
    rehearsal.picture()
    assert rehearsal.scene_manager.touch(*SPIN, rehearsal.now) == "spin"


def test_what_a_bet_carries_is_seen_before_it_is_staked() -> None:
    """Each of the forty states of potions and cards looks different while the game waits for SPIN."""
    rehearsal = Rehearsal()
    themes = set()
    for memory in STATES:
        scene = msgspec.structs.replace(GAME.idle, carried=memory.carried, unlocked=memory.unlocked)
        rehearsal.view(view(scene=raw(scene)))
        themes.add(rehearsal.pixels())
    assert len(themes) == len(STATES)


def test_a_collected_potion_leaves_its_reel_as_the_game_says() -> None:
    """The falling symbols end as the column that is shown afterwards, and the potion in the first free place."""
    segments = round_with("high_symbols", (BLUE, GREEN), 0)
    scene = GAME.idle
    columns = []
    for step in segments[0]:
        before, scene = scene, GAME.advance(scene, STAKE, step)
        if isinstance(step, PotionCollected):
            act = THEME.act(step, THEME.picture(before), THEME.picture(scene), STAKE)
            assert isinstance(act, CollectAct)
            assert isinstance(before, WitchScene)
            assert isinstance(scene, WitchScene)
            assert act.slot == len(before.carried)
            assert before.window[step.cell[0]][step.cell[1]] == step.potion
            columns.append((act.column, scene.window[step.cell[0]]))
    assert columns
    assert all(falling == settled for falling, settled in columns)


def test_marks_land_before_their_reel_stops_even_when_hurried() -> None:
    """No cell shows what lies under its mark: whatever the player presses, the mark is there first."""
    segments = round_with("explosion", *ROUNDS["explosion"])
    rehearsal = Rehearsal()
    for act in played(rehearsal, segments):
        if isinstance(act, MarkedSpinAct):
            act.hurry(rehearsal.now)
            landed = [(act.lands_at(place), act.spin.stop_at[cell[0]]) for place, cell in enumerate(act.marks)]
            assert all(lands < stops for lands, stops in landed)


def test_question_marks_stand_until_the_reels_rest_and_then_turn() -> None:
    """First twelve question marks, then the symbol: the picture changes though no reel moves any more."""
    segments = round_with("explosion", *ROUNDS["explosion"])
    rehearsal = Rehearsal()
    for act in played(rehearsal, segments):
        if isinstance(act, MarkedSpinAct):
            assert act.turned(act.spin.ends_at - 0.01) == 0
            rehearsal.wait(act.spin.ends_at - rehearsal.now + 0.1)
            settled = rehearsal.pixels()
            rehearsal.wait(act.ends_at() - rehearsal.now - 0.05)
            assert act.turned(rehearsal.now) > 0.9
            assert rehearsal.pixels() != settled
            return
    raise AssertionError("the Explosion has no marks")


def test_mega_wilds_are_drawn_as_one_large_or_two_small() -> None:
    """Every place of a mega wild is found from its cells; other marks make no square."""
    kinds = set()
    for seed in range(400):
        for steps in round_of(seed, WitchMemory((BLUE, GREEN), 3)):
            for step in steps:
                if isinstance(step, Respun) and len(step.marks) in (8, 9):
                    found = squares(step.marks)
                    kinds.add(tuple(side for _, side in found))
                    cells = {(x + i, y + j) for (x, y), side in found for i in range(side) for j in range(side)}
                    assert cells == set(step.marks)
    assert kinds == {(3,), (2, 2)}
    assert squares(((0, 0), (1, 1), (2, 2))) == []


def test_a_mega_wild_that_wins_nothing_recedes() -> None:
    """Of two, one on the winning line: it stays bright, the other is as dark as every other cell."""
    rehearsal = Rehearsal()
    SCREENS["mega_wild_small_wins"](rehearsal)
    canvas = rehearsal.picture()
    first, second = (
        pygame.transform.average_color(
            canvas, rehearsal.scene_manager.stage.pixels(WIDE.cell_box(reel, row, GAME.rows))
        )
        for reel, row in (SMALL[3], SMALL[7])
    )
    assert sum(first[:3]) > 1.5 * sum(second[:3])


def test_the_multiplier_is_shown_only_once_it_is_revealed() -> None:
    """The headline keeps it back while the multipliers pass by."""
    base = folded()
    begins = FeatureBegins(features=("multiplier",), multiplier=10)
    before, after = THEME.picture(base), THEME.picture(GAME.advance(base, STAKE, begins))
    act = THEME.act(begins, before, after, STAKE)
    assert isinstance(act, FeatureAct)
    revealing, settled = (THEME.headline(picture, view()) for picture in (act.picture, after))
    assert revealing is not None
    assert settled is not None
    assert "10" not in revealing.words
    assert settled.words.endswith("10")


def test_a_feature_without_a_win_shows_no_total() -> None:
    """What paid nothing ends without a banner; what paid ends with its total."""
    begun = folded(FeatureBegins(features=("random_wilds",)))
    for total in (0, 25):
        ended = FeatureEnded(features=("random_wilds",), total=total)
        after = GAME.advance(begun, STAKE, ended)
        act = THEME.act(ended, THEME.picture(begun), THEME.picture(after), STAKE)
        assert isinstance(act, TotalAct) == bool(total)


def test_the_window_shown_is_the_game_s_own() -> None:
    """Potions that have gone and marks that have come: the player sees what the game pays."""
    for wanted in ROUNDS:
        scene = GAME.idle
        for step in round_with(wanted, *ROUNDS[wanted])[0]:
            scene = GAME.advance(scene, STAKE, step)
            assert isinstance(scene, WitchScene)
            assert shown(THEME, THEME.picture(scene)) == scene.window
            assert not any(QUESTION_MARK in column for column in scene.window)


def test_the_rules_state_the_exact_returns() -> None:
    """By carried potions, what one spin returns by itself: the PAR sheet's figures, to a hundredth of a percent."""
    own = {}
    for row in PAR["bets"]:
        figure = Fraction(row["rtp_percent"]) - Fraction(row["parts"]["potions_carried"])
        own.setdefault(row["state"].split(":")[1], set()).add(f"{float(figure):.2f}")
    assert {
        state_name(WitchMemory(carried)).split(":")[1]: {percent} for carried, percent in rules.OWN_RETURNS.items()
    } == own
    assert {f"{float(row['rtp_percent']):.2f}" for row in PAR["bets"]} == {rules.RETURN}
    words = "\n".join(text for _, text in THEME.rules(GAME.gamble_cap_cents))
    assert all(percent in words for percent in rules.OWN_RETURNS.values())
    assert "before you bet" in words
    assert "more than 100 %" in words


def test_the_paytable_pays_in_money() -> None:
    """Another bet, other figures on the same page."""
    rehearsal = Rehearsal()
    SCREENS["paytable"](rehearsal)
    first = rehearsal.pixels()
    dearer = msgspec.structs.replace(BET, coin_value_cents=10)
    rehearsal.view(view(state="paytable", bet=dearer, controls=("paytable_close",)))
    assert rehearsal.pixels() != first


def test_reel_five_waits_for_the_second_free_spins_symbol() -> None:
    """Both outer reels are needed: only the last makes the player wait, and only where reel 1 shows one."""
    scene = folded()
    assert isinstance(scene, WitchScene)
    plain = tuple(("witch",) * 4 for _ in range(5))
    first = (("witch", "free_spins", "cat", "owl"), *plain[1:])
    picture = THEME.picture(scene)
    assert THEME.anticipation(picture, plain, 50).waits == (False,) * 5
    assert THEME.anticipation(picture, first, 50).waits == (False, False, False, False, True)
