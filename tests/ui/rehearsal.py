"""A stage without a screen: any state of the machine, drawn at any instant, the same pixels every time."""

import hashlib
import os
from functools import cache
from pathlib import Path

import msgspec
import pygame

from games import catalogue
from games.play import Answer, Beat, Offer, Scene, Stake, Step
from ui.director import Director
from ui.messages import Bet, Show, Snapshot, ToSupervisor, View
from ui.scenes.props import Props
from ui.screen import Screen
from ui.stage import Stage
from ui.theatre import Theatre
from ui.worlds.look import load

BAKED = Path(os.environ.get("CABINET_BAKED", Path(__file__).parents[2] / "build" / "baked"))
BET = Bet(lines=15, coins_per_line=2, coin_value_cents=5)
STAKE = Stake(lines=15, coins_per_line=2)
IDLE_CONTROLS = (
    "service",
    "collect",
    "info",
    "lines",
    "bet",
    "max_bet",
    "auto",
    "spin",
    "coin_value",
    "sound",
    "home",
)


def raw(value: Step | Scene) -> msgspec.Raw:
    """Return a step or scene as it travels."""
    return msgspec.Raw(msgspec.json.encode(value))


class Rehearsal:
    """Director and theatre with a clock of one's own; `said` keeps what the display has answered."""

    def __init__(self, scale: float = 1) -> None:
        self.screen = Screen(scale)
        self.director = Director(cache(load))
        self.props = Props(BAKED, scale)
        self.theatre = Theatre(Stage(self.screen.canvas, scale), self.director, self.props)
        self.now = 100.0
        self.said: list[ToSupervisor] = []
        self._turn = 0
        self._number = 0

    def view(self, view: View) -> None:
        """The supervisor publishes `view` as a new state."""
        self._turn += 1
        self.said += self.director.obey(Snapshot(self._turn, view), self.now)

    def show(self, steps: list[Step], *, credit_cents: int, win_cents: int, turbo: bool = False) -> int:
        """The supervisor shows `steps`; returns the show's number."""
        self._number += 1
        message = Show(self._number, self._turn, tuple(map(raw, steps)), credit_cents, win_cents, turbo)
        self.said += self.director.obey(message, self.now)
        return self._number

    def wait(self, seconds: float) -> None:
        """Let time pass as the display's loop does: frame by frame."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + 1 / 60)
            self.said += self.director.advance(self.now)

    def picture(self) -> pygame.Surface:
        """Draw the present instant."""
        self.theatre.draw(self.now)
        return self.screen.canvas

    def pixels(self) -> str:
        """Return the SHA-256 of the present instant's pixels."""
        return hashlib.sha256(self.picture().get_buffer().raw).hexdigest()


def neptune_view(**changes: object) -> View:
    """Return the view of Neptune's idle screen, changed where the test wants."""
    game = catalogue.load("neptune")
    plain = View(
        state="idle",
        controls=IDLE_CONTROLS,
        credit_cents=12_350,
        bet=BET,
        game="neptune",
        scene=raw(game.idle),
        accepts_coins=True,
        accepts_notes=True,
        games=("neptune",),
        coin_values_cents=(1, 2, 5, 10, 20, 50, 100),
    )
    return msgspec.structs.replace(plain, **changes)


def round_of(draws: list[int], answers: list[int]) -> list[list[Step]]:
    """Play Neptune's production generator with these draws and answers; return the steps by segment."""
    wanted = iter(draws)
    replies = iter(answers)
    play = catalogue.load("neptune").play(STAKE, lambda _bound: next(wanted), None)
    segments: list[list[Step]] = [[]]
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return segments
        answer = None
        segments[-1].append(step)
        if isinstance(step, Offer):
            answer = Answer(next(replies))
            segments.append([])


def coins(steps: list[Step]) -> int:
    """Return what `steps` pay."""
    return sum(step.coins for step in steps if isinstance(step, Beat))
