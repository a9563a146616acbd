"""How big wins grow: sizes by game, digits on the music's beats, a skip that ends in order."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamekit.beats import FreeSpinBegins, LineWin, ReelsLanded
from tests.ui.hall import Hall
from tests.ui.programme import PROGRAMME, SEA_HORSES
from tests.ui.rehearsal import BAKED, GAMES, STAKE, Rehearsal, game_view, neptune_view
from ui.acts import CUT_HOLD_S, HURRIED_S, LIT_S, JackpotAct, SpinAct, WinsAct
from ui.climb import BEAT_S, STEPS, WIN_SIZES, Climb, Size, WinSizes
from ui.draw_context import DrawContext, Fountain
from ui.layout import SHAPES
from ui.picture import Picture
from ui.stage import Stage
from ui.theme import load

COINS = st.integers(15, 20_000)


def won(coins: int) -> WinsAct:
    """Return the act of a line that pays `coins` for the rehearsals' stake."""
    return WinsAct(Picture((0,) * 5), [LineWin(1, "ten", 5, coins=coins)], None, STAKE.coins)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_s_sizes_rise_from_above_its_stake(game: str) -> None:
    """A win up to the stake is small in every game, and the sizes follow each other."""
    sizes = load(game).win_sizes
    assert 1 < sizes.large < sizes.big < sizes.huge < sizes.mega
    assert [sizes.of(coins, 30) for coins in (1, 30, 31)] == [Size.SMALL, Size.SMALL, Size.MEDIUM]
    for size, bets in zip((Size.LARGE, Size.BIG, Size.HUGE, Size.MEGA), sizes, strict=True):
        assert (sizes.of(30 * bets - 1, 30), sizes.of(30 * bets, 30)) == (size - 1, size)


@given(coins=COINS, moments=st.lists(st.floats(0, 12), min_size=2))
def test_the_amount_only_grows_and_each_size_comes_with_its_threshold(coins: int, moments: list[float]) -> None:
    """Never less than before, whole at the last hit and not earlier; a size is shown from its first coin on."""
    climb = Climb.of(coins, 1)
    amounts = [climb.amount(at) for at in sorted(moments)]
    assert amounts == sorted(amounts)
    assert climb.size == WIN_SIZES.of(coins, 1)
    for at in moments:
        assert climb.reached(at) == max(Size.LARGE, WIN_SIZES.of(climb.amount(at), 1))
    assert (climb.amount(climb.hit_at), climb.reached(climb.hit_at)) == (coins, climb.size)
    assert climb.amount(climb.hit_at - BEAT_S / STEPS / 2) < coins


@given(coins=COINS)
def test_the_last_hit_and_each_size_fall_on_a_beat(coins: int) -> None:
    """The digits change on the music's grid, an eighth of a beat, and end on a whole one."""
    climb = Climb.of(coins, 1)
    assert climb.hit_at % BEAT_S == 0
    for size in Size:
        assert climb.since(size) == float("inf") or climb.since(size) % BEAT_S == 0
    ticks = [tick * BEAT_S / STEPS for tick in range(round(climb.hit_at / BEAT_S * STEPS) + 1)]
    for tick, following in pairwise(ticks):
        assert climb.amount(tick) == climb.amount(following - 1e-6)


@given(coins=COINS, cut=st.floats(0, 10))
def test_a_cut_shows_the_whole_at_once(coins: int, cut: float) -> None:
    """All digits, the size that the win has, and the last hit at the moment of the cut; later cuts change nothing."""
    climb = Climb.of(coins, 1)
    hit = min(cut, climb.hit_at)
    climb.cut(cut)
    assert (climb.hit_at, climb.amount(hit), climb.reached(hit)) == (hit, coins, climb.size)
    climb.cut(cut + 1)
    assert climb.hit_at == hit


def test_a_skip_ends_in_order_and_the_next_one_at_once() -> None:
    """The whole win is seen for a moment; a second press ends that."""
    act = won(STAKE.coins * 200)
    act.begin(10.0, turbo=False)
    act.hurry(11.0)
    assert (act.rolled(11.0), act.ended(11.0 + CUT_HOLD_S - 0.01)) == (act.coins, False)
    assert act.ends_at() == 11.0 + CUT_HOLD_S
    act.hurry(11.2)
    assert act.ends_at() == 11.2 + HURRIED_S


@given(coins=COINS, pressed=st.floats(0.01, 3))
def test_banner_and_coins_come_after_the_lit_wins_or_with_a_skip(coins: int, pressed: float) -> None:
    """They are there from the same moment on, whether the wins were lit for their time or cut short."""
    act = won(coins * STAKE.coins)
    act.begin(10.0, turbo=False)
    act.hurry(10.0 + pressed)
    begins = 10.0 + min(pressed, LIT_S)
    assert act.celebrated(begins - 0.001) is None
    assert act.celebrated(begins + 0.5) == pytest.approx(0.5)


def test_the_headline_gives_no_win_away() -> None:
    """As a win begins to roll up, the amount over the reels is still the one before; at its end it has grown."""
    rehearsal = Rehearsal()
    PROGRAMME["free_spins_offer"](rehearsal)
    win = LineWin(1, "sea_horse", 3, 3, coins=90)
    rehearsal.show([FreeSpinBegins(3, 10), ReelsLanded(SEA_HORSES), win], credit_cents=12_800, win_cents=1_050)
    performance = rehearsal.director.performance
    assert performance is not None
    box = rehearsal.context.layout.headline

    def head() -> bytes:
        return rehearsal.picture().subsurface(box).copy().get_buffer().raw

    rehearsal.wait(0.5)
    assert isinstance(performance.act, SpinAct)
    before = head()
    while not isinstance(performance.act, WinsAct):
        rehearsal.wait(0.05)
    act = performance.act
    rehearsal.now = act.began
    begun = head()
    rehearsal.now = act.ends_at() - 0.01
    assert begun == before != head()


@pytest.mark.parametrize("name", ["witch_feature", "mona_lisa_jewels"])
def test_no_headline_counts_what_still_rolls_up(name: str) -> None:
    """What a feature has won is said without the coins that are not shown yet."""
    theme, view = load(name), game_view(name)
    won = {
        "witch_feature": {"features": ("mega_wild",), "feature_win": 150},
        "mona_lisa_jewels": {"jewels_left": 1, "jewels_total": 2, "jewel_win": 150},
    }
    scene = msgspec.structs.replace(theme.game.idle, **won[name])
    heads = [theme.headline(theme.picture(scene), view, unshown) for unshown in (0, 150, 50)]
    notes = [head.note for head in heads if head is not None]
    assert ["7.50" in note for note in notes] == [True, False, False]
    assert "5.00" in notes[2]


def test_turbo_climbs_in_double_time() -> None:
    """Half as long, on the same grid."""
    calm, quick = won(STAKE.coins * 200), won(STAKE.coins * 200)
    calm.begin(0.0, turbo=False)
    quick.begin(0.0, turbo=True)
    assert quick.ends_at() == calm.ends_at() / 2
    assert all(quick.rolled(at / 2) == calm.rolled(at) for at in (0.3, 1.0, 2.5, 6.1, 8.0))


@given(coins=st.integers(1, 20_000))
def test_a_jackpot_climbs_all_the_way(coins: int) -> None:
    """No win is rarer, whatever the bet was."""
    act = JackpotAct(Picture((0,) * 5), coins)
    assert act.climb is not None
    assert act.climb.size is Size.MEGA
    assert act.climb.amount(act.climb.hit_at) == coins


def test_what_is_not_celebrated_does_not_climb() -> None:
    """A plain show stands still, whatever it has won; whatever the sizes, a win of the stake is small."""
    act = won(STAKE.coins * 200)
    act.plain = True
    act.begin(0.0, turbo=False)
    assert (act.big, act.rolled(0.0), act.rolling(0.0)) == (False, act.coins, False)
    assert WinSizes(large=1, big=1, huge=1, mega=1).of(30, 30) is Size.SMALL


def test_each_size_is_heard_as_it_is_reached_and_the_last_hit_last() -> None:
    """WIN, BIG, HUGE, MEGA, the hit; the music of big wins meanwhile."""
    hall = Hall()
    hall.view(neptune_view(state="round"))
    hall.show(ReelsLanded((2, 2, 2, 2, 2)), LineWin(1, "ten", 3, coins=STAKE.coins * 200))
    heard = [name for name in hall.ear.heard if name != "reel_stop" and not name.startswith("scatter")]
    assert heard == ["line_win_large", "big_win", "huge_win", "mega_win", "last_hit"]
    assert "win_music" in hall.ear.looped
    assert "roll_up" not in hall.ear.looped


class Watched(Stage):
    """A stage that keeps where its sprites of the newest frame lie, beyond its edges too."""

    drawn: Sequence[pygame.Rect] = ()

    def draw_all(self, sprites: Sequence[tuple[pygame.Surface, tuple[int, int]]]) -> None:
        self.drawn = [pygame.Rect(place, sprite.get_size()) for sprite, place in sprites]
        super().draw_all(sprites)


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("shape", ["wide", "portrait"])
def test_coins_fall_past_the_edge_and_all_are_gone_before_the_end(shape: str, *, cut: bool) -> None:
    """Over the HUD too, past the last row; when the win leaves the screen none hangs in the air, cut short or not."""
    context = DrawContext(BAKED, 1, SHAPES[shape])
    stage = Watched(context.plate(), 1)
    act = won(STAKE.coins * 200)
    act.begin(0.0, turbo=False)
    assert act.climb is not None
    fountain = Fountain(context.layout, 60, seed=1)
    if cut:
        act.hurry(7.0)
    edge, over = context.layout.canvas[1], 0
    for frame in range(int(act.ends_at() * 60)):
        fountain.climb(stage, context.shared, act.climb, frame / 60)
        over += any(coin.top < edge < coin.bottom for coin in stage.drawn)
    assert over > 60
    assert [coin for coin in stage.drawn if coin.top < edge] == []
