import json
import random
from collections.abc import Sequence
from gettext import NullTranslations
from pathlib import Path

import msgspec
import pytest

from gamekit.beats import Continue, Pick
from gamekit.double_up import RED, CardTurned, DoubleUp, DoubleUpEnded
from gamekit.play import Answer, Claim, Offer, Step
from games.bewitched.display.acts import REVEAL_S, BattleAct, BrewAct, PourAct
from games.bewitched.display.rules import JACKPOT_ONE_IN, ODDS_AT, odds_of
from games.bewitched.display.theme import BATTLE, THEME, VIALS, WITCH
from games.bewitched.display.vials import Vials
from games.bewitched.display.witches import WitchChoice
from games.bewitched.pays import MERLIN, VIALS_SHOWN
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, Potion
from games.bewitched.strips import REELS
from tests.ui import programme_bewitched as screens
from tests.ui.programme_bewitched import BET, CHOICES, CREDIT, GAME, POOL_COINS, SCREENS, STAKE, Screenplay
from tests.ui.rehearsal import BAKED, Rehearsal
from ui import text
from ui.acts import HURRIED_S, Act
from ui.draw_context import DrawContext
from ui.languages import Languages
from ui.layout import SHAPES, WIDE, centre
from ui.protocol.messages import Ack, Hurry
from ui.scenes.hud import button_sprite, button_state
from ui.scenes.wins import EACH_WIN_S
from ui.spin_theme import DOUBLE_UP
from ui.theme import load

pytestmark = pytest.mark.sampled(5)

FINGERTIP = 56
"""The least width and height of a touch target, in canvas units."""
PAR = Path(__file__).parents[2] / "games" / "bewitched" / "par.json"
POTIONS = (Potion(MONEY, 15), Potion(MONEY, 300), Potion(FREE_SPINS, 60), Potion(JACKPOT))


def act_of(rehearsal: Rehearsal) -> Act | None:
    """Return the act on the stage."""
    performance = rehearsal.director.performance
    return None if performance is None else performance.act


def scene_of(rehearsal: Rehearsal) -> str:
    """Return the name of the present scene."""
    director = rehearsal.director
    assert director.picture is not None
    return THEME.scene_of(director.picture, act_of(rehearsal), director.offer)


class Listening(NullTranslations):
    """English that remembers what was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: set[str] = set()

    def gettext(self, message: str) -> str:
        """Return the message, heard."""
        self.heard.add(message)
        return message


class Listener(Languages):
    """Languages of which one listens."""

    def __init__(self) -> None:
        super().__init__(BAKED)
        self.listening = Listening()

    def catalogue(self, language: str) -> NullTranslations:  # noqa: ARG002  English, as it were
        """Return the one that listens."""
        return self.listening


def reach(rehearsal: Rehearsal, kind: type[Act]) -> None:
    """Let time pass until an act of that kind begins."""
    for _ in range(60 * 60):
        if isinstance(act_of(rehearsal), kind):
            return
        rehearsal.wait(1 / 60)
    raise AssertionError(f"no {kind.__name__} came")


def end(rehearsal: Rehearsal) -> None:
    """Let time pass until the show is over."""
    for _ in range(60 * 60):
        performance = rehearsal.director.performance
        if performance is None or performance.ended:
            return
        rehearsal.wait(1 / 60)
    raise AssertionError("the show never ended")


def cents(segment: Sequence[Step]) -> int:
    """Return what a segment pays."""
    return sum(getattr(step, "coins", 0) for step in segment) * BET.coin_value_cents


def rehearsed(play: Screenplay, shape: str = "wide") -> Rehearsal:
    """Return a rehearsal that shows a screen."""
    rehearsal = Rehearsal(shape=shape)
    play(rehearsal)
    return rehearsal


def test_the_look_is_found_by_its_name() -> None:
    """The display loads it as it loads every game's."""
    assert load("bewitched") is THEME
    assert set(THEME.symbols) == {symbol for strip in REELS.strips for symbol in strip}


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_screen_is_drawn_on_every_monitor(name: str, shape: str) -> None:
    """Nothing is missing from the baked world, and the canvas has the monitor's shape."""
    rehearsal = rehearsed(SCREENS[name], shape)
    assert rehearsal.picture().get_size() == SHAPES[shape].canvas


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("witch", [0, 1])
def test_a_battle_ends_on_the_true_figures(witch: int, *, won: bool) -> None:
    """Won or lost, with either witch: the battle is shown, and what scatters paid is shown exactly."""
    rehearsal = Rehearsal()
    segments = screens.battle(won=won)
    screens.perform(rehearsal, segments, 0, witch=witch)
    reach(rehearsal, BattleAct)
    assert scene_of(rehearsal) == BATTLE
    for _ in range(14):
        rehearsal.picture()
        rehearsal.wait(0.5)
    end(rehearsal)
    assert rehearsal.director.win(rehearsal.now) == cents(segments[0]) > 0
    assert rehearsal.director.credit(rehearsal.now) == CREDIT + cents(segments[0])
    assert Ack(1) in rehearsal.said


def test_a_battle_takes_as_long_with_either_witch_and_either_end() -> None:
    """Neither the pick nor the result shows in how long the battle lasts."""
    lengths = set()
    for witch in (0, 1):
        for won in (True, False):
            rehearsal = Rehearsal()
            screens.perform(rehearsal, screens.battle(won=won), 0, witch=witch)
            reach(rehearsal, BattleAct)
            act = act_of(rehearsal)
            assert act is not None
            lengths.add(round(act.ends_at() - act.began, 6))
    assert len(lengths) == 1


def test_until_the_beams_part_a_battle_won_looks_like_one_lost() -> None:
    """The picture gives nothing away before the end."""
    pixels = set()
    for won in (True, False):
        rehearsal = Rehearsal()
        screens.perform(rehearsal, screens.battle(won=won), 0)
        reach(rehearsal, BattleAct)
        rehearsal.wait(3.5)
        pixels.add(rehearsal.pixels())
    assert len(pixels) == 1


def test_the_players_witch_is_named_and_her_fate_shown() -> None:
    """Who wins is seen from the player's own witch."""
    pictures = set()
    for witch in (0, 1):
        for won in (True, False):
            rehearsal = Rehearsal()
            screens.perform(rehearsal, screens.battle(won=won), 0, witch=witch)
            reach(rehearsal, BattleAct)
            rehearsal.wait(6.0)
            pictures.add(rehearsal.pixels())
    assert len(pictures) == 4


def test_hurry_skips_the_battle_to_its_verdict() -> None:
    """The verdict is shown at once, and the battle is over a moment later."""
    rehearsal = Rehearsal()
    screens.perform(rehearsal, screens.battle(won=False), 0)
    reach(rehearsal, BattleAct)
    before = rehearsal.pixels()
    rehearsal.director.handle(Hurry(1), rehearsal.now)
    assert rehearsal.pixels() != before
    act = act_of(rehearsal)
    assert isinstance(act, BattleAct)
    assert act.into(rehearsal.now) == act.whole
    assert act.ends_at() - rehearsal.now <= HURRIED_S
    end(rehearsal)
    assert rehearsal.director.credit(rehearsal.now) == CREDIT + cents(screens.battle(won=False)[0])


@pytest.mark.parametrize("shape", SHAPES)
def test_every_vial_on_the_shelf_can_be_touched(shape: str) -> None:
    """As many as the step says, each on the canvas, as large as a fingertip; a taken one answers no more."""
    rehearsal = Rehearsal(shape=shape)
    segments = screens.brewed(Potion(MONEY, 50))
    taken: list[int] = []
    for number, choice in enumerate((4, 0, 7), start=1):
        assert isinstance(segments[number - 1][-1], Pick)
        screens.offer(rehearsal, segments[:number], controls=CHOICES)
        assert scene_of(rehearsal) == VIALS
        rehearsal.picture()
        scene = Vials(rehearsal.context, THEME)
        places = {vial: scene.vial_box(vial) for vial in range(VIALS_SHOWN)}
        width, height = SHAPES[shape].canvas
        for vial, (left, top, across, down) in places.items():
            assert min(across, down) >= FINGERTIP
            assert left >= 0 <= top
            assert left + across <= width
            assert top + down <= height
            touched = rehearsal.scene_manager.touch(*centre((left, top, across, down)), rehearsal.now)
            assert touched == ("" if vial in taken else f"choice:{vial}")
        taken.append(choice)


def test_a_vial_under_the_cursor_is_lit() -> None:
    """The panel's cursor is seen, and moving it changes the picture."""
    segments = screens.brewed(Potion(MONEY, 50))[:1]
    pictures = set()
    for focus in ("choice:1", "choice:5"):
        rehearsal = Rehearsal()
        screens.offer(rehearsal, segments, focus=focus)
        pictures.add(rehearsal.pixels())
    assert len(pictures) == 2


@pytest.mark.parametrize("potion", POTIONS)
def test_while_it_boils_nothing_reveals_what_the_potion_is(potion: Potion) -> None:
    """Until it is revealed every potion looks the same, and no figure has moved."""
    pixels = set()
    for brewed in (Potion(MONEY, 20), potion):
        rehearsal = Rehearsal()
        screens.perform(rehearsal, screens.brewed(brewed)[:4], 0)
        reach(rehearsal, BrewAct)
        rehearsal.wait(REVEAL_S - 0.1)
        assert rehearsal.director.win(rehearsal.now) == 0
        pixels.add(rehearsal.pixels())
    assert len(pixels) == 1


@pytest.mark.parametrize("potion", POTIONS)
def test_a_potion_ends_on_the_true_figures(potion: Potion) -> None:
    """The third vial is poured, the potion boils and shows what it has become; what it pays is shown exactly."""
    rehearsal = Rehearsal()
    segments = screens.brewed(potion)[:4]
    screens.perform(rehearsal, segments, 0)
    reach(rehearsal, PourAct)
    assert scene_of(rehearsal) == VIALS
    reach(rehearsal, BrewAct)
    assert scene_of(rehearsal) == VIALS
    act = act_of(rehearsal)
    assert isinstance(act, BrewAct)
    rehearsal.picture()
    end(rehearsal)
    expected = potion.amount * BET.cents if potion.kind == MONEY else 0
    assert cents(segments[-1]) == expected
    assert rehearsal.director.win(rehearsal.now) == expected
    assert rehearsal.director.credit(rehearsal.now) == CREDIT + expected
    assert Ack(1) in rehearsal.said


def test_hurry_reveals_the_potion_at_once() -> None:
    """SKIP shows what the potion is and its whole amount."""
    rehearsal = Rehearsal()
    screens.perform(rehearsal, screens.brewed(Potion(MONEY, 300))[:4], 0)
    reach(rehearsal, BrewAct)
    rehearsal.director.handle(Hurry(1), rehearsal.now)
    assert rehearsal.director.win(rehearsal.now) == 300 * BET.cents
    act = act_of(rehearsal)
    assert act is not None
    assert act.ends_at() - rehearsal.now <= HURRIED_S


def test_turbo_is_shorter_and_ends_the_same() -> None:
    """A turbo show takes half as long, and every part of it keeps its place."""
    rehearsal = Rehearsal()
    segments = screens.brewed(Potion(MONEY, 50))[:4]
    screens.perform(rehearsal, segments, 0)
    number = rehearsal.show(
        segments[-1], credit_cents=CREDIT + cents(segments[-1]), win_cents=cents(segments[-1]), turbo=True
    )
    reach(rehearsal, BrewAct)
    act = act_of(rehearsal)
    assert isinstance(act, BrewAct)
    assert act.ends_at() - act.began == pytest.approx(act.whole / 2)
    end(rehearsal)
    assert Ack(number) in rehearsal.said


def test_the_jackpot_waits_for_its_pool_and_pays_it_whole() -> None:
    """The potion stays until the pool answers; then the jackpot rolls up to the pool's whole coins."""
    rehearsal = Rehearsal()
    segments = screens.brewed(Potion(JACKPOT))
    assert isinstance(segments[3][-1], Claim)
    screens.offer(rehearsal, segments[:4], controls=())
    assert scene_of(rehearsal) == VIALS
    rehearsal.picture()
    screens.perform(rehearsal, segments[:5], 0)
    end(rehearsal)
    assert rehearsal.director.credit(rehearsal.now) == CREDIT + POOL_COINS * BET.coin_value_cents


def test_free_spins_won_are_offered_on_the_reels() -> None:
    """After the battle the press is waited for before the reels."""
    rehearsal = rehearsed(SCREENS["free_spins_offer"])
    assert isinstance(rehearsal.director.offer, Continue)
    assert scene_of(rehearsal) == ""
    assert "spin" in rehearsal.director.view.controls
    assert rehearsal.scene_manager.touch(*centre(WIDE.hud.buttons["spin"]), rehearsal.now) == "spin"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_win_is_offered_to_be_doubled_over_the_reels(shape: str) -> None:
    """The reels stay: GAMBLE is lit in MAX BET's place, answers as that, and the line says what SPIN does."""
    rehearsal = rehearsed(SCREENS["gamble_offer"], shape)
    director, layout = rehearsal.director, rehearsal.context.layout
    assert (THEME.scene_in(director.view.state), scene_of(rehearsal)) == ("", "")
    name = button_sprite("max_bet", director.view), button_state("max_bet", director)
    assert name == ("button_gamble", "_lit")
    assert rehearsal.scene_manager.touch(*centre(layout.hud.buttons["max_bet"]), rehearsal.now) == "max_bet"
    idle = msgspec.structs.replace(director.view, state="idle")
    assert button_sprite("max_bet", idle) == "button_max_bet"


def test_the_line_comes_back_between_the_wins() -> None:
    """What GAMBLE and SPIN do is said first, then each win is named, and so on for ever."""
    listener = Listener()
    rehearsal = Rehearsal(context=DrawContext(BAKED, 1, languages=listener))
    SCREENS["gamble_offer"](rehearsal)
    rehearsal.wait(EACH_WIN_S / 2)
    said = []
    for _ in range(4):
        listener.listening.heard.clear()
        rehearsal.picture()
        assert text.GAMBLE_OR_SPIN in listener.listening.heard
        said.append(text.LINE_WIN in listener.listening.heard)
        rehearsal.wait(EACH_WIN_S)
    assert said == [False, True, False, True]


def test_a_win_collected_from_the_reels_shows_nothing() -> None:
    """The end of a double that never began takes no time and no card table."""
    rehearsal = rehearsed(SCREENS["gamble_offer"])
    number = rehearsal.show([DoubleUpEnded(total_cents=200)], credit_cents=12_550, win_cents=200)
    assert Ack(number) in rehearsal.said
    assert scene_of(rehearsal) == ""


def test_the_card_table_stays_from_guess_to_guess() -> None:
    """From the first guess to the next offer no frame shows the reels, though the state is a round's in between."""
    rehearsal = rehearsed(SCREENS["double"])
    turned = CardTurned(choice=RED, card="heart", won=True, cents=200)
    again = DoubleUp(choices=(0, 1, 2), at_risk_cents=400, round=2, rounds=5, cards=("heart",))
    rehearsal.show([turned, again], credit_cents=12_350, win_cents=400)
    for _ in range(200):
        rehearsal.wait(1 / 60)
        assert scene_of(rehearsal) == DOUBLE_UP
    assert rehearsal.director.performance is not None
    assert rehearsal.director.performance.ended


def test_the_card_table_takes_every_answer() -> None:
    """Each of its answers can be touched somewhere on the screen."""
    rehearsal = rehearsed(SCREENS["double"])
    rehearsal.picture()
    scene = THEME.build(THEME.scene_in(rehearsal.director.view.state), rehearsal.context)
    places = dict(scene.controls(rehearsal.director))
    for choice in ("choice:0", "choice:1", "choice:2"):
        assert rehearsal.scene_manager.touch(*centre(places[choice]), rehearsal.now) == choice


@pytest.mark.parametrize("shape", SHAPES)
def test_a_witch_is_chosen_with_a_finger(shape: str) -> None:
    """Both cards are on the canvas and answer with their names; home leads back to the lobby."""
    rehearsal = rehearsed(SCREENS["witch"], shape)
    rehearsal.picture()
    assert THEME.scene_in("witch") == WITCH
    choice = WitchChoice(rehearsal.context, THEME)
    for witch in (0, 1):
        left, top, width, height = choice.card_box(witch)
        assert left >= 0 <= top
        assert left + width <= SHAPES[shape].canvas[0]
        assert rehearsal.scene_manager.touch(*centre((left, top, width, height)), rehearsal.now) == f"witch:{witch}"
    assert rehearsal.scene_manager.touch(*centre(SHAPES[shape].hud.buttons["home"]), rehearsal.now) == "home"


def test_a_witch_that_does_not_live_answers_nothing() -> None:
    """While the supervisor has not given the control, a touch is not taken."""
    rehearsal = Rehearsal()
    rehearsal.view(screens.witches_view(state="witch", controls=("spin",)))
    box = WitchChoice(rehearsal.context, THEME).card_box(0)
    assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == ""


@pytest.mark.parametrize("shape", SHAPES)
def test_the_other_witch_is_chosen_in_the_paytable(shape: str) -> None:
    """Both can be touched there, and the one chosen looks so."""
    rehearsal = rehearsed(SCREENS["paytable"], shape)
    rehearsal.picture()
    for witch, box in enumerate(SHAPES[shape].book.choices):
        assert rehearsal.scene_manager.touch(*centre(box), rehearsal.now) == f"witch:{witch}"
    for witch in (0, 1):
        choices = THEME.paytable_choices(screens.witches_view(witch=witch))
        assert [choice.chosen for choice in choices] == [witch == 0, witch == 1]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_counter_and_the_medal_follow_the_view(shape: str) -> None:
    """The jackpot's figure and the player's witch are around the reels."""
    pictures = set()
    for changes in ({}, {"jackpot_cents": 999_999}, {"witch": 1}, {"jackpot_cents": 0}):
        rehearsal = Rehearsal(shape=shape)
        rehearsal.view(screens.witches_view(**changes))
        pictures.add(rehearsal.pixels())
    assert len(pictures) == 4


def test_two_merlins_let_the_reels_wait_for_a_third() -> None:
    """They count anywhere, as the witches do."""
    none = ("ace", "king", "ten")
    window = ((MERLIN, "ace", "king"), none, ("jack", MERLIN, "ten"), none, none)
    picture = THEME.picture(GAME.idle)
    assert THEME.anticipation(picture, window, 1).waits == (False, False, False, True, True)


def test_the_jackpots_odds_are_the_exact_ones_at_every_bet() -> None:
    """What the rules say by coins bet is what the exact figures of every bet say (par.json)."""
    bets = json.loads(PAR.read_bytes())["bets"]
    assert len(bets) == 150
    for bet in bets:
        coins = bet["lines"] * bet["coins_per_line"]
        exact = 1 / bet["triggers"]["jackpot"]
        assert odds_of(coins) == round(exact)
        assert JACKPOT_ONE_IN / coins == pytest.approx(exact, rel=1e-9)


def test_the_rules_say_what_a_player_must_know() -> None:
    """Fair play, the return, and the jackpot's odds are given, every figure filled in."""
    rules = dict(THEME.rules(GAME.gamble_cap_cents))
    whole = "\n".join(rules.values())
    assert "{" not in whole
    for words in ("94.60 %", "95.10 %", "near miss", "after all of your options are fixed", "one battle in 2"):
        assert words in whole
    for coins in ODDS_AT:
        assert f"1 in {odds_of(coins):,}" in rules["The jackpot's odds"]


def test_only_its_own_scenes_are_built() -> None:
    """A name that the theme never gives is refused."""
    with pytest.raises(ValueError, match="Bewitched"):
        THEME.build("treasure", Rehearsal().context)


@pytest.mark.parametrize("seed", range(6))
def test_rounds_drawn_at_random_are_shown_to_their_true_end(seed: int) -> None:
    """Each segment of each round, whatever comes, is drawn to its end, and ends on the credit that it says."""
    chance = random.Random(seed)
    rehearsal, number = Rehearsal(), 0
    for _ in range(8):
        segments: list[list[Step]] = []
        play = GAME.play(STAKE, chance.randrange, None)
        answer: Answer | None = None
        ended = False
        while not ended:
            segments.append([])
            while True:
                try:
                    step = play.send(answer)
                except StopIteration:
                    ended = True
                    break
                answer = None
                segments[-1].append(step)
                if isinstance(step, Offer):
                    answer = Answer(POOL_COINS if isinstance(step, Claim) else chance.choice(step.choices))
                    break
            screens.perform(rehearsal, segments, 0.2)
            number += 1
            rehearsal.picture()
            rehearsal.director.handle(Hurry(number), rehearsal.now)
            rehearsal.picture()
            end(rehearsal)
            rehearsal.picture()
            assert Ack(number) in rehearsal.said
            assert rehearsal.director.credit(rehearsal.now) == CREDIT + cents(segments[-1])


def test_coins_go_on_falling_while_a_potion_is_looked_at() -> None:
    """A jackpot that waits to be paid: no coin hangs in the air, and the flash of its coming is over."""
    rehearsal = Rehearsal()
    SCREENS["brewed_jackpot"](rehearsal)
    assert rehearsal.director.act is None
    seen = set()
    for _ in range(4):
        rehearsal.wait(0.3)
        picture = rehearsal.picture()
        seen.add(picture.subsurface((330, 560, 620, 160)).copy().get_buffer().raw)
    assert len(seen) == 4
