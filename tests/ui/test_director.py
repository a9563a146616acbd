from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamekit.beats import LineWin, ReelsLanded, ScatterWin
from gamekit.play import Scene, Step
from games.neptune.scene import advance
from tests.rigs.views import changed
from tests.ui.rehearsal import BET, STAGED, STAKE, Rehearsal, neptune_view
from ui.acts import SpinAct, WinsAct, roll
from ui.climb import WIN_SIZES
from ui.director import Director
from ui.protocol.messages import Ack, Hurry, Show, Snapshot, ToSupervisor, View, raw
from ui.reels import BRAKE_S
from ui.theme import load

BASE = STAGED["neptune"]
LANDED = ReelsLanded((1, 2, 3, 4, 5))
WIN = LineWin(1, "ten", 3, coins=60)
STEPS: tuple[Step, ...] = (LANDED, WIN)


def folded(*steps: Step) -> Scene:
    """Return the scene that `steps` lead to."""
    scene: Scene = BASE
    for step in steps:
        scene = advance(scene, STAKE, step)
    return scene


class Play:
    """A director with its clock and all it has answered."""

    def __init__(self) -> None:
        self.director = Director(cache(load))
        self.now = 50.0
        self.said: list[ToSupervisor] = []

    def snapshot(self, view: View, turn: int = 1) -> None:
        self.said += self.director.handle(Snapshot(turn, view), self.now)

    def show(self, number: int = 1, *, steps: tuple[Step, ...] = STEPS, turbo: bool = False) -> None:
        packets = tuple(map(raw, steps))
        message = Show(number, 1, packets, credit_cents=12_350, win_cents=300, turbo=turbo)
        self.said += self.director.handle(message, self.now)

    def hurry(self, number: int = 1) -> None:
        self.said += self.director.handle(Hurry(number), self.now)

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += 1 / 60
            self.said += self.director.advance(self.now)

    def lasts(self) -> float:
        """Wait for the acknowledgement; return how long it took."""
        started = self.now
        while not self.said:
            self.wait(1 / 60)
            assert self.now < started + 60, "the show never ends"
        return self.now - started


@pytest.fixture
def play() -> Play:
    """A round has begun: the stake of 1.50 is gone from the credit, nothing is won yet."""
    play = Play()
    play.snapshot(neptune_view(state="round", credit_cents=12_050))
    return play


def test_a_show_is_acknowledged_once_when_it_has_ended(play: Play) -> None:
    """One Ack, with the show's number, and none while anything still moves."""
    play.show(4)
    assert play.said == []
    play.wait(1.0)
    assert play.said == []
    play.lasts()
    play.wait(5)
    assert play.said == [Ack(4)]


def test_what_was_landed_stands_after_the_show(play: Play) -> None:
    """The picture at the end is the fold of all steps, and the figures are the message's."""
    play.show()
    play.lasts()
    picture = play.director.picture
    assert picture is not None
    assert (picture.stops, picture.line_wins) == (LANDED.stops, (WIN,))
    assert (play.director.credit(play.now), play.director.win(play.now)) == (12_350, 300)


def test_figures_roll_up_and_never_overshoot(play: Play) -> None:
    """WIN and CREDIT grow from their old values to the message's, together and never beyond."""
    play.show()
    wins, credit = [], []
    while not play.said:
        play.wait(1 / 60)
        wins.append(play.director.win(play.now))
        credit.append(play.director.credit(play.now))
    assert (wins[0], credit[0]) == (0, 12_050)
    assert (wins[-1], credit[-1]) == (300, 12_350)
    assert wins == sorted(wins)
    assert credit == sorted(credit)
    assert len(set(wins)) > 10, "the figure rolls, it doesn't jump"


@given(amount=st.integers(0, 10**9), lasts=st.floats(0, 20), elapsed=st.floats(0, 40))
def test_a_roll_up_ends_exactly(amount: int, lasts: float, elapsed: float) -> None:
    """At its end all coins are shown, before it never more."""
    shown = roll(amount, elapsed, lasts)
    assert 0 <= shown <= amount
    assert roll(amount, lasts, lasts) == amount


def test_the_first_hurry_stops_the_reels_the_next_skips_the_wins(play: Play) -> None:
    """STOP while the reels spin ends the spin; the win is still shown, until it is skipped too."""
    play.show()
    play.wait(0.4)
    play.hurry()
    performance = play.director.performance
    assert performance is not None
    spin = performance.act
    assert isinstance(spin, SpinAct)
    assert spin.spin.stop_at[0] <= play.now + BRAKE_S + 1e-9
    play.wait(0.8)
    assert isinstance(performance.act, WinsAct)
    assert play.said == []
    play.hurry()
    play.wait(0.4)
    assert play.said == [Ack(1)]
    assert play.director.win(play.now) == 300


def test_hurry_for_another_show_is_ignored(play: Play) -> None:
    """A Hurry that crossed with the next show must not spoil it."""
    play.show(2)
    before = play.director.performance
    assert before is not None
    assert isinstance(before.act, SpinAct)
    stops = list(before.act.spin.stop_at)
    play.hurry(1)
    assert before.act.spin.stop_at == stops


def test_turbo_is_quicker_and_ends_the_same(play: Play) -> None:
    """Turbo shortens both reels and win show; the figures at the end are the same."""
    play.show()
    plain = play.lasts()
    fast = Play()
    fast.snapshot(neptune_view(state="round", credit_cents=12_050))
    fast.show(turbo=True)
    assert fast.lasts() < plain * 0.7
    assert fast.director.picture == play.director.picture


def test_a_coin_put_in_while_the_reels_spin_changes_the_credit_only(play: Play) -> None:
    """A snapshot of the same scene keeps the show going: figures change at once, no reel jumps back."""
    play.show()
    play.wait(0.5)
    play.snapshot(neptune_view(state="round", credit_cents=12_150))
    assert play.said == []
    assert play.director.credit(play.now) == 12_150
    performance = play.director.performance
    assert performance is not None
    assert isinstance(performance.act, SpinAct)
    play.lasts()
    assert play.said == [Ack(1)]


def test_a_snapshot_of_another_scene_supersedes_the_show(play: Play) -> None:
    """The supervisor has moved on (its timer): the show is acknowledged at once and its end is shown."""
    play.show(9)
    play.wait(0.3)
    play.snapshot(neptune_view(scene=raw(folded(*STEPS)), win_cents=300), turn=2)
    assert play.said == [Ack(9)]
    picture = play.director.picture
    assert picture is not None
    assert picture.stops == LANDED.stops
    play.wait(10)
    assert play.said == [Ack(9)]


@pytest.mark.requirement("D2")
@pytest.mark.parametrize("state", ["tilted", "locked"])
def test_what_stops_the_machine_lets_the_reels_come_to_rest(play: Play, state: str) -> None:
    """They stop at once, as with STOP, and the wins after them are not shown; the show is not over."""
    play.show()
    play.wait(0.5)
    play.snapshot(neptune_view(state=state, credit_cents=12_050), turn=2)
    assert not play.director.halted
    play.wait(0.8)
    assert play.director.halted
    picture = play.director.picture
    assert picture is not None
    assert picture.stops == LANDED.stops
    play.wait(30)
    assert play.director.performance is not None
    assert isinstance(play.director.performance.act, WinsAct)
    assert play.said == []


@pytest.mark.requirement("P1")
def test_what_was_stopped_is_shown_again_from_its_start(play: Play) -> None:
    """The door is shut: the round's show begins anew on the picture of before it."""
    play.show()
    play.wait(0.5)
    play.snapshot(neptune_view(state="tilted", credit_cents=12_050), turn=2)
    play.wait(1)
    play.snapshot(neptune_view(state="round", credit_cents=12_050), turn=3)
    play.show(2)
    performance = play.director.performance
    assert performance is not None
    assert (performance.base, performance.number) == (BASE, 2)
    play.wait(10)
    assert play.said == [Ack(1), Ack(2)]


def test_a_new_show_supersedes_the_one_before(play: Play) -> None:
    """The old show is acknowledged at once; the new one goes on from where the old would have ended."""
    play.show(1)
    play.wait(0.2)
    play.show(2)
    assert play.said == [Ack(1)]
    performance = play.director.performance
    assert performance is not None
    assert performance.base == folded(*STEPS)
    play.wait(10)
    assert play.said == [Ack(1), Ack(2)]


def test_after_the_show_a_late_snapshot_does_not_turn_the_reels_back(play: Play) -> None:
    """A snapshot that left before the Ack arrived still holds the old scene: the landed reels stay."""
    play.show()
    play.lasts()
    play.snapshot(neptune_view(state="round", credit_cents=12_150), turn=1)
    picture = play.director.picture
    assert picture is not None
    assert picture.stops == LANDED.stops


def test_a_void_round_gives_the_old_picture_back(play: Play) -> None:
    """In a later turn the old scene means what it says: the round never was."""
    play.show()
    play.lasts()
    play.snapshot(neptune_view(), turn=2)
    assert play.director.picture == load("neptune").picture(BASE)


def test_a_lost_connection_owes_no_acknowledgement(play: Play) -> None:
    """The picture goes on to its end, but an Ack of an old connection is never sent on a new one."""
    play.show(3)
    play.wait(0.3)
    play.director.connection_lost(play.now)
    play.wait(10)
    assert play.said == []
    picture = play.director.picture
    assert picture is not None
    assert picture.stops == LANDED.stops


def test_after_a_reconnect_the_show_starts_again_and_is_acknowledged(play: Play) -> None:
    """Snapshot and unacknowledged show come again: shown from the start, answered once."""
    play.show(3)
    play.wait(0.3)
    play.director.connection_lost(play.now)
    play.snapshot(neptune_view(state="round", credit_cents=12_050))
    assert play.director.performance is None
    play.show(3)
    play.lasts()
    assert play.said == [Ack(3)]


def test_an_empty_show_is_acknowledged_at_once(play: Play) -> None:
    """Nothing to animate: the supervisor isn't kept waiting."""
    play.show(5, steps=())
    assert play.said == [Ack(5)]


def test_a_show_without_a_game_on_the_screen_counts_as_shown() -> None:
    """It can't be drawn, so it must not hold the round up."""
    play = Play()
    play.snapshot(View(state="attract"))
    play.show(6)
    assert play.said == [Ack(6)]


def test_lines_and_scatters_of_a_spin_are_one_act(play: Play) -> None:
    """They light up together first; what all of them pay decides how large the win is."""
    wins = (LineWin(1, "ten", 3, coins=10), LineWin(2, "ten", 3, coins=10), ScatterWin("mermaid", 2, (), coins=30))
    play.show(steps=(LANDED, *wins))
    assert play.director.performance is not None
    assert [act.coins for act in play.director.performance._acts if isinstance(act, WinsAct)] == [50]


def test_big_wins_begin_at_fifteen_total_bets(play: Play) -> None:
    """The banner is for wins from 15 total bets on, not below."""
    least = WIN_SIZES.big * STAKE.coins
    for coins, big in ((least - 1, False), (least, True)):
        play.show(steps=(LANDED, LineWin(1, "ten", 5, coins=coins)))
        play.wait(3.0)
        performance = play.director.performance
        assert performance is not None
        assert isinstance(performance.act, WinsAct) is not performance.ended
        acts = [act for act in performance._acts if isinstance(act, WinsAct)]
        assert [act.big for act in acts] == [big]


def test_a_show_is_in_the_money_of_the_bet_that_it_plays() -> None:
    """The win before it stays in its own money until the reels move; a coin put in meanwhile changes neither."""
    rehearsal = Rehearsal()
    low = msgspec.structs.replace(BET, coin_value_cents=1)
    begins = neptune_view(state="round", controls=("spin",), bet=BET, played_bet=low)
    rehearsal.view(begins)
    assert rehearsal.director.view.reels_bet == low
    rehearsal.show([ReelsLanded((1, 2, 3, 4, 5))], credit_cents=12_050, win_cents=0)
    assert rehearsal.director.view.reels_bet == BET
    rehearsal.view(changed(begins, credit_cents=20_000))
    assert rehearsal.director.performance is not None
    assert (rehearsal.director.view.reels_bet, rehearsal.director.view.balance.credit_cents) == (BET, 20_000)
