"""Attract: nobody plays; the cabinet shows its games in turn and asks for money."""

import math

import pygame

from ui import text
from ui.director import Director
from ui.layout import CANVAS, CELL, CENTRE
from ui.lettering import GOLD, PEARL, TITLE
from ui.messages import View
from ui.money import written
from ui.scenes.props import Control, Props
from ui.stage import Stage
from ui.worlds.look import Look, load

TURN_S = 9.0
DRIFT = 56
BREATHS = 8
BREATH_S = 2.4
FRAME_S = 1 / 30


class Attract:
    """The attract screen: the brand, a game's name and its symbols drifting by."""

    def __init__(self, props: Props) -> None:
        self._props = props
        self._backdrop = props.plate(props.shared.sprite("attract"))
        self._calls: dict[str, list[pygame.Surface]] = {}

    def controls(self, _director: Director) -> list[Control]:
        """A touch anywhere is a touch on the `screen`: it asks for the lobby, where the supervisor allows it."""
        return [("screen", (0, 0, *CANVAS))]

    def due(self, _director: Director, now: float) -> float:
        """It drifts at 30 frames a second."""
        return now + FRAME_S

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the screen."""
        view = director.view
        stage.begin(self._backdrop)
        if view.games:
            look = load(view.games[int(now / TURN_S) % len(view.games)])
            self._game(stage, look, now)
        words = call_for_money(view)
        if view.credit_cents:
            words = f"{text.say(text.CREDIT)} {written(view.credit_cents, view.money)}"
        calls = self._breathing(words or " ")
        breath = 0.5 + 0.5 * math.sin(2 * math.pi * now / BREATH_S)
        stage.draw_centred(calls[min(BREATHS - 1, int(breath * BREATHS))], CENTRE[0], 668)
        notice = view.notices[0].text if view.notices else view.message
        if notice:
            stage.draw_centred(self._props.letters.fitted(notice, 20, 1100, PEARL), CENTRE[0], 702)

    def _game(self, stage: Stage, look: Look, now: float) -> None:
        world = self._props.world(look)
        stage.draw_centred(world.sprite("logo"), CENTRE[0], 424)
        symbols = list(look.symbols)
        pitch = CELL[0] + 20
        drift = now * DRIFT
        first = math.floor(drift / pitch)
        for place in range(CANVAS[0] // pitch + 3):
            symbol = symbols[(first + place) % len(symbols)]
            x = (place - 1) * pitch - (drift - first * pitch) + pitch
            y = 548 + 8 * math.sin(2 * math.pi * (now / 3.0 + (first + place) * 0.37))
            stage.draw_centred(world.sprite(symbol), x, y)

    def _breathing(self, words: str) -> list[pygame.Surface]:
        if words not in self._calls:
            self._calls.clear()
            face = self._props.letters.text(words, 40, GOLD, TITLE)
            steps: list[pygame.Surface] = []
            for step in range(BREATHS):
                copy = face.copy()
                copy.set_alpha(170 + round(85 * step / (BREATHS - 1)))
                steps.append(copy)
            self._calls[words] = steps
        return self._calls[words]


def call_for_money(view: View) -> str:
    """Return what the player is asked for, by what the machine takes at the moment."""
    if view.accepts_coins and view.accepts_notes:
        return text.say(text.INSERT_MONEY)
    if view.accepts_coins:
        return text.say(text.INSERT_COINS)
    if view.accepts_notes:
        return text.say(text.INSERT_NOTES)
    return text.say(text.NO_MONEY_NOW) if view.state in ("attract", "lobby") else ""
