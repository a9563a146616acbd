import json
import random
from pathlib import Path

import msgspec
import pygame
import pytest

from gamekit import catalogue
from gamekit.beats import Cell, Continue, LineWin
from gamekit.play import Answer, Claim, Offer, Stake, Step
from games.mona_lisa_jewels import MonaLisaScene
from games.mona_lisa_jewels.display import rules
from games.mona_lisa_jewels.display.acts import WON_S, JewelsHeldAct, JewelsTotalAct, JewelsWonAct, NothingAct
from games.mona_lisa_jewels.display.jackpot_show import GEMS, GemRain, JackpotShow
from games.mona_lisa_jewels.display.state import plays_for_jackpot, scene_of
from games.mona_lisa_jewels.display.theme import JACKPOT_SHOW, THEME
from games.mona_lisa_jewels.pays import FREE_SPINS, JACKPOT_AWARD, JEWEL_SPINS, LINES
from tests.rigs.views import changed
from tests.ui.programme_mona_lisa_jewels import (
    AWARD_ROUND,
    BET,
    BOTH_ROUND,
    FIRST,
    FREE_ROUND,
    GAME,
    JACKPOT_ROUND,
    JEWEL_ROUND,
    LOCKED,
    POOL_COINS,
    SCREENS,
    SMALL_BET,
    SMALL_STAKE,
    STAKE,
    folded,
    mona_view,
    offer,
    perform,
    segments,
    stops,
    until_act,
)
from tests.ui.rehearsal import Rehearsal, coins
from ui.acts import JackpotAct, SpinAct
from ui.layout import SHAPES, WIDE, centre
from ui.protocol.messages import Hurry, raw
from ui.protocol.values import Bet
from ui.scenes.message_line import EACH_WIN_S

PAR = Path(__file__).parents[2] / "games" / "mona_lisa_jewels" / "par.json"
SPIN = centre(WIDE.hud.buttons["spin"])
QUIET = (1, 1, 9, 6)
"""Stops of reels 2 to 5 without a Jewel, wild, Palette, Jackpot or queen: beside the locked reel they win nothing."""
SPARK = 20
"""How far a spark reaches into the cell whose frame it runs round, in units."""


def round_of(seed: int, stake: Stake) -> list[list[Step]]:
    """Play one round with the draws of `seed`; return its steps by segment."""
    chance = random.Random(seed)
    play = GAME.play(stake, chance.randrange, None)
    played: list[list[Step]] = [[]]
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return played
        answer = None
        played[-1].append(step)
        if isinstance(step, Offer):
            answer = Answer(POOL_COINS if isinstance(step, Claim) else 0)
            played.append([])


def inside(rehearsal: Rehearsal, cell: Cell) -> bytes:
    """Return the pixels of a cell of the reels as they are drawn now, its edge left out."""
    left, top, width, height = rehearsal.context.layout.cell_box(*cell, 3)
    box = pygame.Rect(left + SPARK, top + SPARK, width - 2 * SPARK, height - 2 * SPARK)
    return pygame.image.tobytes(rehearsal.picture().subsurface(box), "RGB")


def at_act(played: list[list[Step]], number: int, kind: type) -> Rehearsal:
    """Return a rehearsal in which an act of `kind` has just begun in the segment `number` of a round."""
    rehearsal = Rehearsal()
    perform(rehearsal, played, number, 0)
    until_act(rehearsal, kind.__name__)
    return rehearsal


def seconds_left(rehearsal: Rehearsal) -> float:
    """Return how long the act on the stage still lasts."""
    performance = rehearsal.director.performance
    assert performance is not None
    assert performance.act is not None
    return performance.act.ends_at() - rehearsal.now


def play_out(rehearsal: Rehearsal) -> None:
    """Let the show on the stage come to its end, drawing now and then."""
    for _ in range(200):
        performance = rehearsal.director.performance
        if performance is None or performance.ended:
            return
        rehearsal.wait(0.5)
        rehearsal.picture()
    raise AssertionError("the show has not ended")


@pytest.mark.parametrize(("seed", "bet"), [(6, BET), (14, SMALL_BET), (172, BET)])
def test_a_round_is_played_to_its_end_on_the_screen(seed: int, bet: Bet) -> None:
    """Every segment ends on its true figures, and every offer finds its live control under the finger."""
    stake = STAKE if bet is BET else SMALL_STAKE
    rehearsal, scene, won, credit, offers = Rehearsal(), GAME.idle, 0, 500_000, 0
    for segment in round_of(seed, stake):
        plain = mona_view(state="round", scene=raw(scene), controls=("spin",), bet=bet)
        rehearsal.view(changed(plain, credit_cents=credit, win_cents=won))
        gained = coins(segment) * BET.coin_value_cents
        won, credit = won + gained, credit + gained
        number = rehearsal.show(segment, credit_cents=credit, win_cents=won, turbo=True)
        play_out(rehearsal)
        assert [said.number for said in rehearsal.said if hasattr(said, "number")][-1] == number
        assert (rehearsal.director.win(rehearsal.now), rehearsal.director.credit(rehearsal.now)) == (won, credit)
        for step in segment:
            scene = GAME.advance(scene, stake, step)
        if segment and isinstance(segment[-1], Offer):
            assert isinstance(segment[-1], Continue)
            plain = mona_view(state="offer", scene=raw(scene), offer=raw(segment[-1]), controls=("spin", "service"))
            rehearsal.view(msgspec.structs.replace(plain, bet=bet))
            rehearsal.picture()
            assert rehearsal.scene_manager.touch(*SPIN, rehearsal.now) == "spin"
            offers += 1
    assert offers == sum(isinstance(step, Offer) for segment in round_of(seed, stake) for step in segment) > 0


def test_reel_one_and_what_is_held_stand_while_the_others_spin() -> None:
    """Not a pixel of them changes from the offer to the end of the spin; a cell that isn't held does."""
    rehearsal = Rehearsal()
    offer(rehearsal, JEWEL_ROUND, 0)
    held = [(place.reel, place.row) for place in THEME.picture(folded(JEWEL_ROUND[0])).held]
    staying = [*held, (0, 1), (0, 2)]
    before = {cell: inside(rehearsal, cell) for cell in [*staying, (1, 1)]}
    perform(rehearsal, JEWEL_ROUND, 1, 0.55)
    assert {cell: inside(rehearsal, cell) for cell in staying} == {cell: before[cell] for cell in staying}
    assert inside(rehearsal, (1, 1)) != before[1, 1]
    assert len(held) == 4


def test_the_reels_spin_behind_the_lock_of_reel_one_only() -> None:
    """In a jewel spin reel 1 is locked, in the spins before and after it isn't."""
    locked = []
    for number, segment in enumerate(BOTH_ROUND[:4]):
        rehearsal = at_act(BOTH_ROUND, number, SpinAct)
        performance = rehearsal.director.performance
        assert performance is not None
        assert performance.act is not None
        locked.append(performance.act.picture.locked)
        assert segment
    assert locked == [(), (), (0,), (0,)]


def test_jewel_spins_are_announced_and_counted() -> None:
    """Before the first the headline says how many, then which of them; free spins still to come are named."""
    said = [THEME.headline(THEME.picture(folded(BOTH_ROUND[0] + BOTH_ROUND[1])), mona_view())]
    steps = [*BOTH_ROUND[0], *BOTH_ROUND[1]]
    for segment in BOTH_ROUND[2:4]:
        steps += segment[:2]
        said.append(THEME.headline(THEME.picture(folded(steps)), mona_view()))
        steps += segment[2:]
    said.append(THEME.headline(THEME.picture(folded(steps)), mona_view()))
    heads = [headline.words for headline in said if headline is not None]
    assert heads == ["2 JEWEL SPINS", "JEWEL SPIN 1 OF 2", "JEWEL SPIN 2 OF 2", "FREE SPIN 1 OF 10"]
    assert all("9 free spins to come" in headline.note for headline in said[:3] if headline is not None)


@pytest.mark.parametrize(
    ("screen", "words"),
    [
        ("jewels_offer", "PRESS SPIN TO START THE JEWEL SPINS"),
        ("jewels_second", "The other jewel spin follows by itself"),
        ("jewels_in_free_spins", "PRESS SPIN TO START THE JEWEL SPINS"),
        ("jewels_won", "Reel 1 is locked: Jewels and wilds stay where they are"),
        ("jewels_held", "2 more stay for the second jewel spin"),
        ("jewels_total", "The jewel spins have paid 45.00 €"),
        ("five_jackpots", "Line 1 · five Jackpot symbols"),
        ("claiming", "FIVE JACKPOT SYMBOLS: YOU HAVE WON THE JACKPOT"),
        ("award_stands", "Line 1 · 5 × Jackpot · 800 coins · 40.00 €"),  # noqa: RUF001  the multiplication sign
        ("free_offer", ""),
    ],
)
def test_the_message_line_says_what_happens(screen: str, words: str) -> None:
    """What only this game shows is said under the reels; where nothing special happens the shared words are used."""
    rehearsal = Rehearsal()
    SCREENS[screen](rehearsal)
    director = rehearsal.director
    picture = director.picture
    assert picture is not None
    act = None if director.performance is None else director.performance.act
    assert THEME.overlay(rehearsal.context).words(director, picture, act, rehearsal.now) == words


def test_a_message_of_the_supervisor_takes_turns_with_the_press() -> None:
    """The reason why autospin has stopped is not painted over in its turn."""
    rehearsal = Rehearsal()
    scene = raw(folded(JEWEL_ROUND[0]))
    rehearsal.view(mona_view(state="offer", scene=scene, offer=raw(JEWEL_ROUND[0][-1]), message="autospin_feature"))
    picture = rehearsal.director.picture
    assert picture is not None
    since, overlay = rehearsal.director.picture_since, THEME.overlay(rehearsal.context)
    said = [
        bool(overlay.words(rehearsal.director, picture, None, since + turn * EACH_WIN_S + 0.1)) for turn in range(3)
    ]
    assert said == [True, False, True]


def test_the_lock_falls_before_the_banner() -> None:
    """Light, lock, banner: three different pictures of the same act."""
    rehearsal = at_act(JEWEL_ROUND, 0, JewelsWonAct)
    seen = set()
    for _ in range(3):
        rehearsal.wait(0.6)
        seen.add(rehearsal.pixels())
    assert len(seen) == 3


def test_jewel_spins_without_a_win_end_shortly() -> None:
    """Where they have paid nothing there is no total to roll up."""
    played = segments((LOCKED[0], *QUIET * 3))
    assert not coins(played[1])
    assert not coins(played[2])
    rehearsal = at_act(played, 2, NothingAct)
    assert seconds_left(rehearsal) <= 1.0
    rehearsal.picture()


def test_nothing_new_is_held_without_an_act() -> None:
    """Where the first jewel spin adds nothing to what is held, the second is offered at once."""
    rehearsal = Rehearsal()
    perform(rehearsal, segments((*LOCKED, *QUIET)), 1, 0)
    for _ in range(600):
        performance = rehearsal.director.performance
        assert performance is not None
        assert not isinstance(performance.act, JewelsHeldAct)
        if performance.ended:
            return
        rehearsal.wait(1 / 60)
    raise AssertionError("the show has not ended")


@pytest.mark.parametrize("times", [2, 4, 8])
def test_a_multiplied_line_shows_by_how_much(times: int) -> None:
    """The number is at the line's last paid symbol, in the show and in the loop; a plain line bears none."""

    def lit(multiplier: int, *, looped: bool) -> bytes:
        win = LineWin(1, "leonardo", 4, multiplier, coins=200)
        steps: list[Step] = list(FREE_ROUND[1][:2])
        rehearsal = Rehearsal()
        scene = folded([*FREE_ROUND[0], *steps, *([win] if looped else [])])
        if looped:
            rehearsal.view(mona_view(scene=raw(scene)))
            rehearsal.wait(0.05)
        else:
            rehearsal.view(mona_view(state="round", scene=raw(folded(FREE_ROUND[0]))))
            rehearsal.show([*steps, win], credit_cents=1_000, win_cents=1_000)
            until_act(rehearsal, "WinsAct")
        return inside(rehearsal, (3, LINES[0][3]))

    for looped in (False, True):
        assert lit(times, looped=looped) != lit(1, looped=looped)


def test_the_pool_pays_in_the_hall_of_gold() -> None:
    """The show stays while the amount rolls up, and ends on the true figure."""
    rehearsal = Rehearsal()
    perform(rehearsal, JACKPOT_ROUND, 1, 3)
    performance = rehearsal.director.performance
    assert performance is not None
    assert isinstance(performance.act, JackpotAct)
    picture = rehearsal.director.picture
    assert picture is not None
    assert THEME.scene_of(picture, performance.act, None) == JACKPOT_SHOW
    assert 0 < rehearsal.director.win(rehearsal.now) < POOL_COINS * BET.coin_value_cents
    play_out(rehearsal)
    assert rehearsal.director.win(rehearsal.now) == POOL_COINS * BET.coin_value_cents
    assert THEME.scene_of(picture, None, None) == ""


def test_five_jackpot_symbols_below_the_highest_bet_pay_the_award() -> None:
    """Nothing is claimed; 400 coins for each coin on the line roll up."""
    rehearsal = Rehearsal()
    perform(rehearsal, AWARD_ROUND, 0, 0, SMALL_BET)
    play_out(rehearsal)
    assert not any(isinstance(step, Claim) for step in AWARD_ROUND[0])
    award = JACKPOT_AWARD * SMALL_BET.coins_per_line * SMALL_BET.coin_value_cents
    assert rehearsal.director.win(rehearsal.now) == award


@pytest.mark.parametrize(
    ("played", "number", "kind"),
    [(JEWEL_ROUND, 0, JewelsWonAct), (JEWEL_ROUND, 1, JewelsHeldAct), (JEWEL_ROUND, 2, JewelsTotalAct)],
)
def test_skip_shortens_every_act_and_changes_no_figure(played: list[list[Step]], number: int, kind: type) -> None:
    """A hurried act is over within a quarter of a second; the show still ends on its true figures."""
    rehearsal = at_act(played, number, kind)
    rehearsal.said += rehearsal.director.handle(Hurry(1), rehearsal.now)
    assert seconds_left(rehearsal) <= 0.25
    play_out(rehearsal)
    won = sum(coins(list(segment)) for segment in played[: number + 1]) * BET.coin_value_cents
    assert rehearsal.director.win(rehearsal.now) == won


def test_a_skipped_lock_has_fallen_and_its_banner_is_seen() -> None:
    """Skipped at its very beginning, the winning of jewel spins ends as it does unhurried."""
    ends = []
    for hurried in (True, False):
        rehearsal = at_act(JEWEL_ROUND, 0, JewelsWonAct)
        act = rehearsal.director.act
        assert isinstance(act, JewelsWonAct)
        if hurried:
            act.hurry(rehearsal.now)
        ends.append(act.elapsed(act.ends_at()))
    assert ends == [WON_S, WON_S]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_counter_follows_the_pool(shape: str) -> None:
    """It shows the pool at the chosen coin value on every shape of monitor, and nothing where none is known."""
    rehearsal = Rehearsal(shape=shape)
    seen = []
    for cents in (0, 2_500_000, 2_500_100):
        rehearsal.view(mona_view(jackpot_cents=cents))
        seen.append(rehearsal.pixels())
    assert len(set(seen)) == 3


def test_only_the_highest_bet_plays_for_the_jackpot() -> None:
    """The player sees it before staking, with the bet that is needed for it."""
    assert plays_for_jackpot(BET)
    assert not plays_for_jackpot(SMALL_BET)
    assert not plays_for_jackpot(None)
    rehearsal = Rehearsal()
    keys = []
    for bet in (BET, SMALL_BET):
        rehearsal.view(mona_view(bet=bet))
        keys.append(THEME.overlay(rehearsal.context).key(rehearsal.director))
    assert keys[0][1] == ("THIS BET PLAYS", "FOR THE JACKPOT")
    assert keys[1][1] == ("JACKPOT ONLY WITH", "25 LINES × 10 COINS")  # noqa: RUF001  the sign


def test_what_is_held_moves_and_what_stands_does_not() -> None:
    """Sparks run round held cells while an offer waits; an idle screen needs no frame from the overlay."""
    rehearsal = Rehearsal()
    overlay = THEME.overlay(rehearsal.context)
    offer(rehearsal, JEWEL_ROUND, 0)
    assert overlay.due(rehearsal.director, rehearsal.now) - rehearsal.now <= 0.05
    first = rehearsal.pixels()
    rehearsal.wait(0.3)
    assert rehearsal.pixels() != first
    rehearsal.view(mona_view())
    assert overlay.due(rehearsal.director, rehearsal.now) == float("inf")


@pytest.mark.parametrize("shape", SHAPES)
def test_stones_fall_inside_the_canvas(shape: str) -> None:
    """At any moment of the show, and all of them before long."""
    layout = SHAPES[shape]
    rain = GemRain(layout, GEMS, seed=1)
    for tenth in range(80):
        places = rain.places(tenth / 10)
        assert all(0 < x < layout.canvas[0] and -40 <= y <= layout.canvas[1] + 40 for _, x, y in places)
    assert len(rain.places(GemRain.FALL_S)) == GEMS
    assert not GemRain(layout, GEMS, seed=1).places(-1)


def test_other_games_and_moments_are_refused() -> None:
    """A theme draws its own scene only, and the jackpot's show only while the pool pays."""
    with pytest.raises(TypeError, match="own scene"):
        THEME.picture(catalogue.load("neptune").idle)
    with pytest.raises(TypeError, match="own scene"):
        scene_of(THEME.picture(GAME.idle)._replace(scene=None))
    rehearsal = Rehearsal()
    rehearsal.view(mona_view())
    with pytest.raises(TypeError, match="while the pool pays"):
        JackpotShow(rehearsal.context, THEME).draw(rehearsal.scene_manager.stage, rehearsal.director, rehearsal.now)
    with pytest.raises(ValueError, match="no scene"):
        THEME.build("treasure", rehearsal.context)


def test_the_rules_name_the_figures_of_the_par_sheet() -> None:
    """Returns, the jackpot's odds and the jewel spins' are those that the exact maths gives."""
    sheet = json.loads(PAR.read_text("utf-8"))
    returns = {(bet["lines"], bet["coins_per_line"]): f"{float(bet['rtp_percent']):.2f}" for bet in sheet["bets"]}
    highest = (BET.lines, BET.coins_per_line)
    assert returns.pop(highest) == rules.HIGHEST_RTP
    assert set(returns.values()) == {rules.RTP}
    assert round(1 / sheet["triggers"]["pool"]) == rules.JACKPOT_ONE_IN
    assert f"{1 / sheet['triggers']['jewel_spins']:.2f}" == rules.JEWEL_SPINS_ONE_IN
    parts = next(bet for bet in sheet["bets"] if (bet["lines"], bet["coins_per_line"]) == highest)["parts"]
    jewels = sum(float(share) for part, share in parts.items() if part in {"jewel_lines", "jewel_scatter"})
    assert jewels > float(rules.HIGHEST_RTP) / 3
    said = "\n".join(words for _, words in THEME.rules(GAME.gamble_cap_cents))
    for words in (rules.RTP, rules.HIGHEST_RTP, "one paid spin in 61,873", "25 lines × 10 coins"):  # noqa: RUF001
        assert words in said


def test_the_rules_give_both_examples_of_the_rule_page() -> None:
    """What they say is what the game plays: jewel spins at once, then what is left of the free spins."""
    examples = dict(THEME.rules(GAME.gamble_cap_cents))["Jewel spins come first"]
    assert "Example 1" in examples
    assert "Example 2" in examples
    losing = stops(("king", 0), ("ten", 0), ("ace", 2), ("jack", 1), ("king", 0))
    palettes = stops(("palette", 1), ("palette", 0), ("palette", 2), ("ten", 1), ("ace", 1))
    first = segments((*palettes, *losing * 3, *LOCKED, *FIRST, *FIRST))
    waiting = [segment[-1].left for segment in first if segment and isinstance(segment[-1], Continue)]
    assert waiting == [10, 9, 8, 7, JEWEL_SPINS, 1, 6]
    three = stops(("palette", 0), ("palette", 1), ("palette", 1), ("ace", 1), first=1)
    second = segments((LOCKED[0], *QUIET, *three, *FIRST))
    waiting = [segment[-1].left for segment in second if segment and isinstance(segment[-1], Continue)]
    assert waiting == [JEWEL_SPINS, 1, FREE_SPINS[3]]


def test_every_symbol_has_its_picture_and_its_name() -> None:
    """What the strips hold is drawn, blurred, lit and named."""
    world = Rehearsal().context.world(THEME)
    shown = {symbol for strip in THEME.strips(THEME.picture(GAME.idle)) for symbol in strip}
    assert shown == set(THEME.symbols)
    assert all(f"{symbol}{kind}" in world for symbol in shown for kind in ("", "_blur", "_win_00", "_win_11"))
    assert set(THEME.notes()) < shown


def test_held_symbols_stay_until_the_next_spin() -> None:
    """After the last jewel spin they are still over the reels, but no reel is locked any more."""
    scene = folded(step for segment in JEWEL_ROUND for step in segment)
    assert isinstance(scene, MonaLisaScene)
    picture = THEME.picture(scene)
    assert len(picture.held) == len(scene.held) == 6
    assert not picture.locked
    assert THEME.backing(picture) == "reel"
