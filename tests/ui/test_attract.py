"""Attract: cards and moments in turn, never the same minute twice, always a demonstration, at an end with any money."""

import gc
import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from weakref import ref

import msgspec
import pytest

from gamekit import catalogue
from gamekit.highlights import Highlight, highlights_of, replay
from gamekit.maths import load_maths
from gamekit.play import Beat
from gamekit.simulate import play_rounds, seeded_draw
from tests.rigs.views import changed
from tests.ui.hearing import Ear, Hearing
from tests.ui.rehearsal import ATTRACT, BET_RANGES, GAMES, JACKPOTS, Rehearsal
from ui import text
from ui.cues import Cues
from ui.director import Director
from ui.music import ON_CUE
from ui.protocol.messages import View
from ui.running_order import RunningOrder
from ui.scene_manager import SceneManager
from ui.scenes.attract import FRAME_S, TURN_S, Attract, choose, coin_values
from ui.scenes.demonstration import Demonstration
from ui.scenes.message_line import beside_prompt
from ui.scenes.moments import WHOLE_S, entered, fitting
from ui.scenes.playback import LEAST_S, REST_S, Playback
from ui.scenes.wipe import LASTS_S
from ui.stage import Stage
from ui.theme import Theme, load

NEPTUNE = changed(ATTRACT, games=("neptune",))
ADDRESSES = re.compile(r"(?<!to )\b(you|your|press|touch|pick|choose|combine|take)\b|^open|good luck", re.IGNORECASE)
"""Words that are said to somebody who plays."""
MOST_S = 25.0
"""No moment of this program's games lasts longer, however much it takes to show its amount whole."""
MUSIC = {"background", "free_spins_music", "feature_music"}


def moment_of(theme: Theme, highlight: Highlight, coin_value_cents: int, view: View) -> Playback:
    """What is shown of a highlight at that coin value, as attract enters it."""
    shown = entered(theme, highlight, coin_value_cents)
    played = replay(theme.game, shown)
    return Playback(theme, shown, played, coin_value_cents=coin_value_cents, view=view)


class Show:
    """An attract screen on virtual time."""

    def __init__(self, seed: int = 1, view: View = ATTRACT, shape: str = "wide") -> None:
        self.hearing = Hearing(shape)
        context = self.hearing.context
        self.rehearsal = Rehearsal(1, shape, context)
        self.manager = SceneManager(
            Stage(self.rehearsal.screen.canvas, 1),
            self.rehearsal.director,
            context,
            order=RunningOrder(random.Random(seed)),
        )
        self.rehearsal.scene_manager = self.manager
        self.rehearsal.view(view)
        self.draw()

    @property
    def scene(self) -> Attract:
        """The scene."""
        scene = self.manager._attract()
        assert isinstance(scene, Attract)
        return scene

    @property
    def moment(self) -> Demonstration | None:
        """The moment that is shown."""
        return self.scene.shown[1]

    def draw(self, seconds: float = 0.0) -> None:
        """Let time pass, and draw."""
        self.rehearsal.now += seconds
        self.manager.draw(self.rehearsal.now)

    def until(self, true: Callable[[], bool], step: float = 0.25) -> float:
        """Draw until something is true; return how long it took."""
        began = self.rehearsal.now
        while not true():
            self.draw(step)
            assert self.rehearsal.now < began + 120
        return self.rehearsal.now - began

    def come(self) -> Demonstration:
        """Draw until a moment is shown, and return it."""
        self.until(lambda: self.moment is not None)
        assert self.moment is not None
        return self.moment


def test_cards_and_moments_take_turns() -> None:
    """A card, then a moment of the same game, of 8 seconds or more, then the next game's card."""
    show = Show(view=changed(ATTRACT, games=("neptune", "bewitched")))
    games = []
    for _ in range(2):
        card = show.until(lambda: show.moment is not None, 0.5)
        assert TURN_S <= card <= TURN_S + 1
        games.append(show.scene.shown[0])
        assert LEAST_S <= show.until(lambda: show.moment is None, 0.5) <= MOST_S + 1
    assert sorted(games) == ["bewitched", "neptune"]


def whole_cents(name: str, highlight: Highlight, coin: int) -> int:
    """Return what the round of a highlight wins, by the parts of the game's maths: it is played without a display."""
    maths = load_maths(name)
    kept = maths.game.memory_type
    memory = msgspec.json.decode(highlight.memory, type=kept | None) if kept else None
    draw = seeded_draw(random.Random(highlight.seed))
    return sum(play_rounds(maths, highlight.stake, draw, 1, maths.state(memory)).sums) * coin


def watch(playback: Playback, whole: int) -> float:
    """Let a moment whose round has won `whole` cents go by; return how long it took.

    No figure goes down on the way, or lies above the whole, which is there for a while at the end.
    """
    playback.begin(100.0)
    now, whole_since, most = 100.0, 100.0, 0
    while not playback.ended(now):
        now += 0.05
        playback.advance(now)
        shown = playback.director.win(now)
        assert most <= shown <= whole, playback
        most = shown
        if shown != whole or not playback.rests:
            whole_since = now
    performance = playback.director.performance
    assert performance is None or performance.ended, playback
    assert playback.director.view.round.win_cents == whole, playback
    assert now - whole_since >= REST_S - 0.06, playback
    return now - 100.0


@pytest.mark.parametrize("name", GAMES)
def test_each_moment_ends_with_all_that_its_round_has_won(name: str) -> None:
    """Each highlight at each of its coin values, from the part on with which it was kept, and not hurried."""
    theme = load(name)
    for highlight in highlights_of(theme.game):
        assert fitting(theme, highlight) == highlight
        for coin in coin_values(theme.game, highlight, ATTRACT.lobby):
            playback = moment_of(theme, highlight, coin, ATTRACT)
            assert playback.highlight == highlight
            assert LEAST_S <= watch(playback, whole_cents(name, highlight, coin)) <= MOST_S, highlight


@pytest.mark.parametrize(
    ("name", "coins_per_line", "seed"),
    [
        ("neptune", 2, 826),
        ("bewitched", 8, 12747),
        ("bewitched", 6, 4335),
        ("mystery_elves", 1, 503),
        ("mona_lisa_jewels", 10, 10439),
        ("star_quarry", 1, 10920),
    ],
)
def test_a_round_that_takes_too_long_is_entered_late(name: str, coins_per_line: int, seed: int) -> None:
    """Its last parts are seen, with what the ones before have won, and its whole amount at the end, in time."""
    theme = load(name)
    game = theme.game
    long = Highlight(kind="Long", lines=game.line_counts[-1], coins_per_line=coins_per_line, seed=seed)
    assert len(replay(game, long).segments) > 3
    for coin in coin_values(game, long, ATTRACT.lobby):
        playback = moment_of(theme, long, coin, ATTRACT)
        assert playback.highlight.first > 0
        before = replay(game, long).segments[: playback.highlight.first]
        won = sum(step.coins for part in before for step in part if isinstance(step, Beat))
        assert playback.director.win(100.0) == won * coin
        assert watch(playback, whole_cents(name, long, coin)) <= MOST_S


def test_a_last_part_that_takes_too_long_is_hurried_to_its_end() -> None:
    """Nothing of a round of one part can be left out: 26 s of the Witch's respins, and all that they win."""
    theme, memory = load("witch_feature"), b'{"carried":["potion_green","potion_green"],"unlocked":3}'
    long = Highlight(kind="Long", lines=50, coins_per_line=1, seed=19637, memory=msgspec.Raw(memory))
    assert len(replay(theme.game, long).segments) == 1
    assert fitting(theme, long) is None
    whole = whole_cents("witch_feature", long, 1)
    assert whole > long.stake.coins
    assert WHOLE_S < watch(moment_of(theme, long, 1, ATTRACT), whole) <= MOST_S + 3


def played_for(seconds: float, seed: int) -> Iterator[tuple[float, str, Playback]]:
    """Play attract for so long on virtual time, as the scene does but without its pictures; yield each moment's end."""
    order, now = RunningOrder(random.Random(seed)), 0.0
    while now < seconds:
        theme = load(order.game(GAMES))
        chosen = choose(theme.game, highlights_of(theme.game), ATTRACT.lobby, order)
        assert chosen is not None
        now += TURN_S
        highlight, coin = chosen
        playback = moment_of(theme, highlight, coin, ATTRACT)
        playback.begin(now)
        began = now
        while not playback.ended(now):
            now += 0.1
            playback.advance(now)
        assert LEAST_S <= now - began <= MOST_S + 0.11
        yield now, theme.game.name, playback


def test_over_an_hour_and_a_half_no_two_minutes_are_alike() -> None:
    """Each of its minutes shows other moments than any other; none comes twice in a row, and each has come."""
    minutes: dict[int, list[object]] = {}
    seen: list[tuple[str, int]] = []
    for now, name, playback in played_for(5400, seed=3):
        seen.append((name, playback.highlight.seed))
        minutes.setdefault(int(now // 60), []).append((*seen[-1], playback.bet))
    assert len(seen) > 180
    assert len({frozenset(minute) for minute in minutes.values()}) == len(minutes)
    assert len(minutes) >= 90
    assert all(one != following for one, following in pairwise(seen))
    everything = {(name, one.seed) for name in GAMES for one in highlights_of(catalogue.load(name))}
    assert set(seen) == everything


def test_what_a_moment_has_won_is_the_rounds_own() -> None:
    """At its end its figure is what the whole round has won, at a bet that can be made."""
    for now, name, playback in played_for(1200, seed=5):
        highlight, bet = playback.highlight, playback.bet
        assert bet.cents == highlight.stake.coins * bet.coin_value_cents
        assert BET_RANGES[name][0] <= bet.cents <= BET_RANGES[name][1]
        assert playback.director.win(now) == whole_cents(name, highlight, bet.coin_value_cents)


def test_another_chance_is_another_order() -> None:
    """And the same chance the same one."""

    def order(seed: int) -> list[object]:
        running = RunningOrder(random.Random(seed))
        return [(game, running.highlight(game, 12)) for game in (running.game(GAMES) for _ in range(30))]

    assert order(1) == order(1)
    assert order(1) != order(2)


def test_a_moment_begins_and_ends_with_its_worlds_wipe() -> None:
    """At first the picture is the former one, when the wipe is over the new one alone."""
    show = Show(view=NEPTUNE)
    show.until(lambda: show.rehearsal.now >= 100 + TURN_S - 0.01, FRAME_S)
    card = show.rehearsal.screen.picture().copy()
    show.until(lambda: show.moment is not None, FRAME_S)
    begun = show.rehearsal.screen.picture().copy()
    middle = (640, 300)
    assert begun.get_at(middle) == card.get_at(middle)
    show.draw(LASTS_S + FRAME_S)
    assert show.rehearsal.screen.picture().get_at(middle) != card.get_at(middle)
    assert show.scene._wipe is None
    show.until(lambda: show.moment is None, FRAME_S)
    assert show.scene._wipe is not None


def test_while_it_is_hot_only_cards_are_shown_and_stand_still() -> None:
    """No moment begins, one under way is over at once, and the next frame is due when the card changes."""
    show = Show(view=NEPTUNE)
    show.come()
    show.rehearsal.context.calm = True
    show.draw(FRAME_S)
    assert show.moment is None
    began, still = show.rehearsal.now, show.rehearsal.pixels()
    show.draw(1.0)
    assert show.rehearsal.pixels() == still
    assert show.manager.due(show.rehearsal.now) == pytest.approx(began + TURN_S / 2)
    for _ in range(12):
        show.rehearsal.now = max(show.rehearsal.now + FRAME_S, show.manager.due(show.rehearsal.now))
        show.draw()
        assert show.moment is None
    assert show.rehearsal.now > began + 5 * TURN_S
    show.rehearsal.context.calm = False
    show.come()


def test_between_15_and_30_frames_a_second_are_due() -> None:
    """While a card drifts, and while a moment is shown."""
    show = Show(view=NEPTUNE)
    for _ in range(2):
        assert 1 / 30.5 <= show.manager.due(show.rehearsal.now) - show.rehearsal.now <= 1 / 15
        show.come()


def test_a_moment_is_heard_as_its_game_and_a_card_is_silent() -> None:
    """Reels, wins and the world's music, until the moment is over; where the house wants it silent, it is muted."""
    show, ear = Show(view=NEPTUNE), Ear()
    cues = Cues(ear)

    def draw() -> None:
        show.draw(FRAME_S)
        cues.follow(show.rehearsal.director, show.rehearsal.now, show.manager.demonstrated)

    while show.moment is None:
        assert (ear.world, ear.heard, ear.looped) == ("", [], set())
        draw()
    while show.moment is not None:
        assert show.manager.demonstrated is show.moment.playback.director
        draw()
    assert {"reel_spin"} < ear.looped <= {"reel_spin", "roll_up", *MUSIC, ON_CUE}
    assert ear.looped & MUSIC
    assert ear.heard.count("reel_stop") >= 5
    assert not {"button", "coin_in", "note_in"} & set(ear.heard)
    ear.looped.clear()
    draw()
    assert (ear.world, ear.looped) == ("", set())
    show.rehearsal.view(changed(NEPTUNE, muted=True))
    draw()
    assert ear.muted


@pytest.mark.requirement("G9")
def test_money_ends_a_moment_and_is_shown() -> None:
    """The credit is the real one; before that none is drawn."""
    show = Show(view=NEPTUNE)
    show.come()
    assert text.CREDIT not in show.hearing.heard
    show.rehearsal.view(changed(NEPTUNE, credit_cents=500))
    show.draw(FRAME_S)
    assert show.moment is None
    assert text.CREDIT in show.hearing.heard


def test_a_touch_anywhere_asks_for_the_lobby() -> None:
    """In a moment as on a card; nothing of the game's own can be touched."""
    show = Show(view=msgspec.structs.replace(NEPTUNE, controls=("screen",)))
    show.come()
    show.draw(3.0)
    for x, y in ((10, 10), (640, 300), (1200, 650)):
        assert show.manager.touch(x, y, show.rehearsal.now) == "screen"


@pytest.mark.parametrize(
    ("name", "moments"),
    [
        ("neptune", 1),
        *(pytest.param(name, len(highlights_of(catalogue.load(name))), marks=pytest.mark.proof) for name in GAMES),
    ],
)
def test_a_moment_says_what_it_is_and_speaks_to_nobody(name: str, moments: int) -> None:
    """The sign is there as long as it lasts; nobody is told to press or pick, or that they have won."""
    show = Show(view=changed(ATTRACT, games=(name,)))
    for _ in range(moments):
        moment = show.come()
        while show.moment is moment:
            show.draw(0.25)
    assert text.DEMONSTRATION in show.hearing.heard
    assert text.CREDIT not in show.hearing.heard
    assert [words for words in show.hearing.read if ADDRESSES.search(words)] == []


def test_a_demonstration_asks_for_no_press() -> None:
    """Where a player would be told what to press, nothing is said."""
    playing = Director(load)
    shown = Director(load, demonstrates=True)
    assert beside_prompt(playing, "Press SPIN", 0.0) == ("Press SPIN", True)
    assert beside_prompt(shown, "Press SPIN", 0.0) == ("", False)


def test_the_sign_of_a_jackpot_stays_true() -> None:
    """It shows the pool of the bet's coin value, and grows while the moment lasts."""
    show = Show(view=changed(ATTRACT, games=("bewitched",)))
    moment = show.come()
    assert moment.playback.bet.coin_value_cents == JACKPOTS["bewitched"].coin_value_cents
    assert moment.playback.director.view.terms.jackpot_cents == JACKPOTS["bewitched"].cents
    show.draw(2.0)
    act = moment.playback.director.act
    assert act is not None
    grown = {**JACKPOTS, "bewitched": msgspec.structs.replace(JACKPOTS["bewitched"], cents=20_000)}
    show.rehearsal.view(changed(ATTRACT, games=("bewitched",), jackpots=grown))
    show.draw(FRAME_S)
    assert moment.playback.director.view.terms.jackpot_cents == 20_000
    assert moment.playback.director.act is act


def test_only_bets_that_can_be_made_here_are_shown() -> None:
    """Coin values of this house, between the lowest and the highest bet; none where they are not known."""
    neptune, quarry = catalogue.load("neptune"), catalogue.load("star_quarry")
    bet = Highlight(kind="Win", lines=15, coins_per_line=2, seed=1)
    whole = Highlight(kind="Win", lines=20, coins_per_line=1, seed=1)
    ranges = {"neptune": (60, 300), "star_quarry": (40, 500)}
    view = changed(ATTRACT, bet_ranges=ranges)
    assert coin_values(neptune, bet, view.lobby) == [2, 5, 10]
    assert coin_values(quarry, whole, view.lobby) == [2, 25]
    assert coin_values(neptune, bet, changed(ATTRACT, bet_ranges={}).lobby) == []


@pytest.mark.requirement("G9")
def test_who_leaves_attract_leaves_nothing_of_its_games_but_the_pictures_of_the_open_one() -> None:
    """The scene with its moment is let go at once, without a collector."""
    show = Show(view=NEPTUNE)
    show.come()
    show.draw(2.0)
    scene, moment = ref(show.scene), ref(show.come())
    gc.collect()
    gc.disable()
    try:
        show.rehearsal.view(msgspec.structs.replace(NEPTUNE, state="lobby"))
        show.draw(FRAME_S)
        assert scene() is None
        assert moment() is None
    finally:
        gc.enable()


def test_attract_decodes_one_game_at_a_time() -> None:
    """The one whose turn it is; of the next one no more than its card needs."""
    show = Show()
    for _ in range(24):
        show.draw(2.0)
        whole = {world.name for world in show.rehearsal.context.worlds()} - {"ui"}
        assert len(whole) <= 2
        assert show.rehearsal.context.opened == load(show.scene.shown[0]).world
