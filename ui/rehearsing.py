"""Draws a game's screens off-screen: its idle screen, tile, pages, and rounds with every step it has.

An error in its theme, scenes or pictures becomes a fault that names what was being drawn, and nothing else is affected.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path

import msgspec
import pygame

from common.error_words import error_words
from gamekit import catalogue
from gamekit.checking import Fault, steps_of
from gamekit.play import Beat, Game, Offer, Scene, Stake, Step
from gamekit.simulate import seeded_draw
from ui.director import Director
from ui.draw_context import DrawContext
from ui.layout import SHAPES
from ui.protocol.messages import AutospinPanel, OpenPages, Show, Snapshot, View, raw
from ui.protocol.values import Bet
from ui.protocol.view_parts import Balance, LobbyGames, Locale, ShownRound, Terms
from ui.scene_manager import SceneManager
from ui.scenes.paytable import Paytable
from ui.screen import Screen
from ui.stage import Stage
from ui.theme import load

SEEDS = 3_000
"""The number of rounds searched for steps that have not been shown."""
ROUNDS = 8
"""The greatest number of rounds shown."""
FRAME_S = 0.4
"""Seconds of the display's time between two frames of a show."""
LONGEST_SHOW_S = 120.0
COIN_VALUE_CENTS = 5
CREDIT_CENTS = 10_000
PAGES = ("idle", "menu", "settings", "autospin", "lobby", "attract")
"""The pages drawn besides the paytable, the choice of a companion, and the rounds."""


_PANEL = ("spin", "collect", "lines", "bet", "max_bet", "auto", "info")
_KEYS = {
    "menu": ("menu_close",),
    "settings": (
        "settings:save",
        "settings:cancel",
        *(f"volume:{name}:{step}" for name in ("wins", "game", "background", "overall") for step in "+-"),
    ),
    "autospin": (
        "auto:start",
        "auto:cancel",
        *(f"auto:{name}:{step}" for name in ("spins", "loss_limit", "single_win") for step in "+-"),
        *(f"auto:{name}:toggle" for name in ("loss_limit", "single_win", "stop_on_jackpot", "stop_on_feature")),
        *(f"auto:{name}:pad" for name in ("loss_limit", "single_win")),
    ),
    "paytable": ("paytable_close", "paytable_next", "paytable_previous", "menu"),
}
"""The touch controls of each page besides the panel's buttons."""


def _menu(game: Game) -> tuple[str, ...]:
    """Return the items in the menu of `game`."""
    own = "buy" if game.buy_price else "coin_value" if game.total_bets is None else "total_bet"
    return tuple(filter(None, ("paytable", own, "turbo", "sound", "settings", "history", "session", "home")))


def _choices(game: Game, state: str, offer: Offer | None) -> tuple[str, ...]:
    """Return what can be chosen: a companion on entering `game`, or what an offer asks for."""
    if state == "witch":
        return tuple(f"witch:{number}" for number in range(game.companions))
    if offer is not None and offer.pick and state in ("offer", "gamble"):
        return tuple(f"choice:{choice}" for choice in offer.choices)
    return ()


def _autospin(game: Game) -> AutospinPanel:
    """Return autospin's settings with every limit chosen."""
    return AutospinPanel(
        spins=25,
        loss_limit_cents=CREDIT_CENTS,
        single_win_cents=5 * CREDIT_CENTS,
        stop_on_jackpot=None if game.pool is None else True,
        stop_on_feature=True,
    )


class _Rehearsal:
    """A director and scenes with their own stage and clock."""

    def __init__(self, game: Game, baked: Path, shape: str, scale: float, language: str) -> None:
        layout = SHAPES[shape]
        self.screen = Screen(scale, layout=layout, window=False)
        self.director = Director(cache(load))
        self._context = DrawContext(baked, scale, layout)
        self._manager = SceneManager(Stage(self.screen.canvas, scale), self.director, self._context)
        self._now = 100.0
        self._turn = 0
        self.game = game
        self._language = language

    def view(
        self, state: str, bet: Bet, scene: Scene, *, offer: Offer | None = None, win_cents: int = 0, focus: str = ""
    ) -> None:
        """Take a view of the game in `state`, with everything that the supervisor would send, and draw it at rest."""
        game, self._turn = self.game, self._turn + 1
        menu = _menu(game) if state == "menu" else ()
        view = View(
            state=state,
            game="" if state in ("lobby", "attract") else game.name,
            lobby=LobbyGames(
                games=(game.name,),
                bet_ranges={
                    game.name: (game.stakes()[0].coins * COIN_VALUE_CENTS, game.stakes()[-1].coins * COIN_VALUE_CENTS)
                },
            ),
            bet=bet,
            round=ShownRound(
                scene=raw(scene),
                offer=raw(offer),
                win_cents=win_cents,
                at_risk_cents=0 if offer is None else offer.at_risk_cents,
            ),
            controls=(*_PANEL, *_KEYS.get(state, ()), *menu, *_choices(game, state, offer)),
            focus=focus,
            pages=OpenPages(menu=menu, autospin=_autospin(game) if state == "autospin" else None),
            balance=Balance(credit_cents=CREDIT_CENTS),
            locale=Locale(language=self._language),
            terms=Terms(
                gamble_cap_cents=game.gamble_cap_cents,
                bets_cents=() if game.total_bets is None else game.total_bets.usual_cents,
                buy_cents=bet.cents * game.buy_price,
            ),
        )
        self.director.handle(Snapshot(self._turn, view), self._now)
        self.wait(FRAME_S)  # the first frame of a wipe is the picture before
        self.wait(3.0)

    def paytable_pages(self) -> int:
        """Return the number of paytable pages, including lines and rules; 1 if it cannot be built."""
        try:
            return Paytable(self._context, load(self.game.name)).pages
        except Exception:  # noqa: BLE001 - whatever a game's code raises is named where the first page is drawn
            return 1

    def show(self, steps: list[Step], win_cents: int) -> None:
        """Show these steps to the end."""
        message = Show(self._turn, self._turn, tuple(map(raw, steps)), CREDIT_CENTS, win_cents)
        self.director.handle(message, self._now)
        until = self._now + LONGEST_SHOW_S
        while self._now < until and self.director.performance is not None and not self.director.performance.ended:
            self.wait(FRAME_S)

    def wait(self, seconds: float) -> None:
        """Advance the clock, and draw."""
        self._now += seconds
        self.director.advance(self._now)
        self._manager.due(self._now)
        self._manager.draw(self._now)


def rehearsed(
    name: str, baked: Path, *, shape: str, scale: float, language: str, pictures: Path | None = None
) -> list[Fault]:
    """Draw the screens of a game; return the faults. With `pictures` each screen is saved there as PNG."""
    found: list[Fault] = []
    file = catalogue.folder_of(name) / "display" / "theme.py"

    @contextmanager
    def drawing(what: str) -> Iterator[None]:
        try:
            yield
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                kept = pictures / f"{name}_{what.replace(' ', '_')}_{shape}_{language}.png"
                pygame.image.save(rehearsal.screen.picture(), str(kept))
        except Exception as error:  # noqa: BLE001 - whatever a game's code raises is its author's to read
            reason = f"{type(error).__name__}: {error_words(error)}"
            found.append(Fault(str(file), f"drawing {what} ({shape}, {language}, {scale:g}x) ends in {reason}"))

    game = catalogue.load(name)
    stake = msgspec.structs.replace(game.stakes()[-1], coin_value_cents=COIN_VALUE_CENTS)
    bet = Bet(lines=stake.lines, coins_per_line=stake.coins_per_line, coin_value_cents=COIN_VALUE_CENTS)
    rehearsal = _Rehearsal(game, baked, shape, scale, language)
    for state in (*PAGES, *(("witch",) if game.companions else ())):
        with drawing(f"the page {state}"):
            rehearsal.view(state, bet, game.idle)
    for page in range(rehearsal.paytable_pages()):
        with drawing(f"the page paytable {page + 1}"):
            rehearsal.view("paytable", bet, game.idle, focus=f"page:{page}")
    for number, steps in enumerate(_telling(game, stake), start=1):
        with drawing(f"round {number}"):
            _play(rehearsal, bet, stake, steps, drawing=partial(_named, drawing, f"round {number}"))
    return found


def _play(
    rehearsal: _Rehearsal,
    bet: Bet,
    stake: Stake,
    steps: list[Step],
    *,
    drawing: Callable[[str], AbstractContextManager[None]],
) -> None:
    """Show a round, segment by segment, as a supervisor would; `drawing` is for the view of each offer."""
    game, segment = rehearsal.game, list[Step]()
    scene, won = game.idle, 0
    rehearsal.view("round", bet, scene)
    for step in steps:
        segment.append(step)
        scene = game.advance(scene, stake, step)
        won += step.coins * stake.coin_value_cents + step.cents if isinstance(step, Beat) else 0
        if isinstance(step, Offer):
            rehearsal.show(segment, won)
            for state in _waits_in(step):
                with drawing(state):
                    rehearsal.view(state, bet, scene, offer=step, win_cents=won)
            segment = []
    rehearsal.show(segment, won)
    rehearsal.view("idle", bet, scene, win_cents=won)


def _named(
    drawing: Callable[[str], AbstractContextManager[None]], what: str, part: str
) -> AbstractContextManager[None]:
    """Return `drawing` for a part of `what`."""
    return drawing(f"{what} {part}")


def _waits_in(offer: Offer) -> tuple[str, ...]:
    """Return the states in which the supervisor waits for the answer to `offer`."""
    if offer.gamble:
        return ("gamble_offer", "gamble")
    return ("offer",) if offer.waits else ("round",)


def _telling(game: Game, stake: Stake) -> Iterator[list[Step]]:
    """Yield rounds, each with a kind of step or win that no earlier one had."""
    seen: set[object] = set()
    told = 0
    for seed in range(SEEDS):
        source = random.Random(seed)  # noqa: S311 - a check
        steps = list(steps_of(game, stake, None, seeded_draw(source), source))
        kinds = {type(step) for step in steps}
        if kinds - seen and len(steps) < 400:  # noqa: PLR2004 - a long one shows nothing that a shorter one does not
            seen |= kinds
            told += 1
            yield steps
        if told == ROUNDS:
            return
