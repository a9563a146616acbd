"""A stage without a screen: any state of the machine, drawn at any instant, the same pixels every time."""

import hashlib
import os
import random
from functools import cache
from pathlib import Path

import msgspec
import pygame

from controller.configuration.cabinet_toml import Games
from controller.configuration.separators import DATES
from controller.session.betting import bet_range
from gamekit import catalogue
from gamekit.play import Answer, Beat, Offer, Stake, Step
from games.neptune.scene import NeptuneScene
from tests.rigs.views import changed
from ui.director import Director
from ui.draw_context import DrawContext
from ui.layout import SHAPES
from ui.protocol.messages import Show, Snapshot, ToSupervisor, View, raw
from ui.protocol.values import Bet, Money
from ui.protocol.view_parts import Balance, Jackpot, LobbyGames, ShownRound, Terms
from ui.running_order import RunningOrder
from ui.scene_manager import SceneManager
from ui.screen import Screen
from ui.stage import Stage
from ui.theme import load

BAKED = Path(os.environ.get("CABINET_BAKED", Path(__file__).parents[2] / "build" / "baked"))
MONEY = {"en": Money(), "de": Money(decimal=",", thousands=".")}
"""How money is written where a language is spoken."""
BET = Bet(lines=15, coins_per_line=2, coin_value_cents=5)
STAKE = Stake(lines=15, coins_per_line=2)
GAMES = catalogue.names()
JACKPOTS = {
    "bewitched": Jackpot(cents=12_345, coin_value_cents=5),
    "mona_lisa_jewels": Jackpot(cents=251_234, coin_value_cents=5, lines=25, coins_per_line=10),
}
BET_RANGES = {name: bet_range(catalogue.load(name), Games()) for name in GAMES}
COIN_VALUES = (1, 2, 5, 10, 20, 50, 100)
ATTRACT = View(
    state="attract",
    lobby=LobbyGames(games=GAMES, jackpots=JACKPOTS, bet_ranges=BET_RANGES, coin_values_cents=COIN_VALUES),
    balance=Balance(accepts_coins=True, accepts_notes=True),
)
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
ROUND_CONTROLS = ("spin", "service", "sound")


class Rehearsal:
    """Director and scene manager with a clock of one's own; `said` keeps what the display has answered.

    In another `language` than English every view is in that language, and money is written as there.
    """

    def __init__(
        self,
        scale: float = 1,
        shape: str = "wide",
        context: DrawContext | None = None,
        language: str = "en",
        screen: Screen | None = None,
    ) -> None:
        layout = SHAPES[shape]
        self.screen = screen or Screen(scale, layout=layout)
        self.director = Director(cache(load))
        self.context = context or DrawContext(BAKED, scale, layout)
        self.context.pressed = ""  # the context may be shared with a rehearsal in which a finger was down
        self.scene_manager = SceneManager(
            Stage(self.screen.canvas, scale), self.director, self.context, order=RunningOrder(random.Random(1))
        )
        self.now = 100.0
        self._language = language
        self.said: list[ToSupervisor] = []
        self._turn = 0
        self._number = 0

    def view(self, view: View) -> None:
        """The supervisor publishes `view` as a new state."""
        self._turn += 1
        if self._language != "en":
            view = changed(view, language=self._language, money=MONEY[self._language], dates=DATES[self._language])
        self.said += self.director.handle(Snapshot(self._turn, view), self.now)

    def show(
        self, steps: list[Step], *, credit_cents: int, win_cents: int, turbo: bool = False, plain: bool = False
    ) -> int:
        """The supervisor shows `steps`; returns the show's number."""
        # the press that answers an offer has begun a new part of the round
        if self.director.view.state in ("offer", "gamble_offer", "gamble"):
            self.view(msgspec.structs.replace(self.director.view, state="round", controls=ROUND_CONTROLS, focus=""))
        self._number += 1
        self.publish(Show(self._number, self._turn, tuple(map(raw, steps)), credit_cents, win_cents, turbo, plain))
        return self._number

    def publish(self, show: Show) -> None:
        """The supervisor sends `show`."""
        self.said += self.director.handle(show, self.now)

    def wait(self, seconds: float) -> None:
        """Let time pass as the display's loop does: frame by frame."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(until, self.now + 1 / 60)
            self.said += self.director.advance(self.now)

    def picture(self) -> pygame.Surface:
        """Draw the present instant."""
        self.scene_manager.draw(self.now)
        return self.screen.picture()

    def pixels(self) -> str:
        """Return the SHA-256 of the present instant's pixels."""
        return hashlib.sha256(self.picture().get_buffer().raw).hexdigest()


STAGED = {"neptune": NeptuneScene(stops=(5, 13, 3, 21, 15))}
"""What the reels show in a view of a game, where that is not what they show before the first spin."""


def game_view(name: str, **changes: object) -> View:
    """Return the view of a game's idle screen with a middling bet, changed where the test wants."""
    game = catalogue.load(name)
    plain = View(
        state="idle",
        controls=IDLE_CONTROLS,
        balance=Balance(credit_cents=12_350, accepts_coins=True, accepts_notes=True),
        bet=Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=5),
        game=name,
        round=ShownRound(scene=raw(STAGED.get(name, game.idle))),
        lobby=LobbyGames(games=GAMES, coin_values_cents=COIN_VALUES, jackpots=JACKPOTS, bet_ranges=BET_RANGES),
        terms=Terms(
            bets_cents=(10, 50, 100, 200) if game.total_bets is not None else (), gamble_cap_cents=game.gamble_cap_cents
        ),
    )
    return changed(plain, **changes)


def neptune_view(**changes: object) -> View:
    """Return the view of Neptune's idle screen, changed where the test wants."""
    return changed(game_view("neptune", bet=BET, games=("neptune",)), **changes)


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


def shape_of(rehearsal: Rehearsal) -> str:
    """The monitor's shape."""
    return next(name for name, layout in SHAPES.items() if layout.canvas == rehearsal.screen.canvas.get_size())
