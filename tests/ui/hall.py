"""What is heard of a show: a director and the cues that follow it."""

from functools import cache

from gamekit.play import Step
from tests.ui.hearing import Ear
from ui.cues import Cues
from ui.director import Director
from ui.protocol.messages import Show, Snapshot, View, raw
from ui.theme import load


class Hall:
    """A director and the cues that follow it, frame by frame."""

    def __init__(self) -> None:
        self.ear = Ear()
        self.director = Director(cache(load))
        self.cues = Cues(self.ear)
        self.now = 10.0

    def view(self, view: View) -> None:
        self.director.handle(Snapshot(1, view), self.now)
        self.cues.follow(self.director, self.now)

    def show(self, *steps: Step, plain: bool = False) -> None:
        message = Show(1, 1, tuple(map(raw, steps)), credit_cents=12_350, win_cents=300, plain=plain)
        self.director.handle(message, self.now)
        for _ in range(900):
            self.now += 1 / 60
            self.director.advance(self.now)
            self.cues.follow(self.director, self.now)
