from functools import cache

from games.beats import LineWin, ReelsLanded
from games.play import Step
from tests.ui.rehearsal import neptune_view, raw
from ui.cues import Cues
from ui.director import Director
from ui.messages import Notice, Show, Snapshot, View
from ui.worlds.look import load


class Ear:
    """A player that only remembers what it was asked to play."""

    def __init__(self) -> None:
        self.muted = False
        self.heard: list[str] = []
        self.looped: set[str] = set()

    def play(self, name: str) -> None:
        self.heard.append(name)

    def loop(self, names: frozenset[str]) -> None:
        self.looped |= names


class Hall:
    """A director and the cues that follow it, frame by frame."""

    def __init__(self) -> None:
        self.ear = Ear()
        self.director = Director(cache(load))
        self.cues = Cues(self.ear)
        self.now = 10.0

    def view(self, view: View) -> None:
        self.director.obey(Snapshot(1, view), self.now)
        self.cues.follow(self.director, self.now)

    def show(self, *steps: Step) -> None:
        message = Show(1, 1, tuple(map(raw, steps)), credit_cents=12_350, win_cents=300)
        self.director.obey(message, self.now)
        for _ in range(900):
            self.now += 1 / 60
            self.director.advance(self.now)
            self.cues.follow(self.director, self.now)


def test_each_reel_is_heard_stopping_and_the_win_after_them() -> None:
    """Five stops, then the win, with the reels' and the roll-up's loops meanwhile."""
    hall = Hall()
    hall.view(neptune_view(state="round"))
    hall.show(ReelsLanded((2, 2, 2, 2, 2)), LineWin(1, "ten", 3, coins=60))
    assert [name for name in hall.ear.heard if not name.startswith("scatter")] == ["reel_stop"] * 5 + [
        "line_win_medium"
    ]
    assert {"reel_spin", "roll_up"} <= hall.ear.looped


def test_a_coin_and_a_note_sound_differently() -> None:
    """Money in is heard as what it is; nothing is heard when nothing came."""
    hall = Hall()
    for credit_cents in (0, 50, 50, 1_050):
        hall.view(neptune_view(credit_cents=credit_cents))
    assert hall.ear.heard == ["coin_in", "note_in"]


def test_a_door_and_a_hand_pay_call_once() -> None:
    """An alarm starts with the state, not with every snapshot of it."""
    hall = Hall()
    door = Notice("door_open", "The main door is open", "main", "attendant", stops_play=True)
    for _ in range(2):
        hall.view(neptune_view(state="tilted", notices=(door,)))
    for _ in range(2):
        hall.view(neptune_view(state="handpay"))
    assert hall.ear.heard == ["door_alarm", "attendant_call"]


def test_mute_follows_the_view() -> None:
    """The player's choice reaches the sounds with the next frame."""
    hall = Hall()
    hall.view(neptune_view(muted=True))
    assert hall.ear.muted
