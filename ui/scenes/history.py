"""The past rounds, and the ribbon over one of them that is shown again."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, TITLE, WHITE
from ui.messages import Money, PastRound
from ui.money import written
from ui.scenes.panel import Key, Panel
from ui.scenes.props import Control, Props, Scenery, pill, put_centred
from ui.stage import Stage
from ui.worlds.look import load

CLOSE: Box = (500, 640, 280, 72)
COLUMNS = (144, 646)
FIRST_ROW = 142
ROW_STEP = 72
ROW_SIZE = (490, 66)
ROWS = 6
"""In each of the two columns, the newest round at the upper left."""
RIBBON: Box = (300, 6, 680, 60)


class History(Panel):
    """The rounds that have ended, newest first; each may be seen again."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the rounds."""
        return (director.view.history,)

    def keys(self, director: Director) -> Sequence[Key]:
        """Return a key for each round, and the way back."""
        money = director.view.money
        rounds = [
            Key(
                f"history:{past.number}",
                (COLUMNS[place // ROWS], FIRST_ROW + place % ROWS * ROW_STEP, *ROW_SIZE),
                words=text.say(text.PAST_ROUND, number=past.number, game=load(past.game).game.title),
                size=21,
                note=_outcome(past, money),
            )
            for place, past in enumerate(director.view.history[: len(COLUMNS) * ROWS])
        ]
        return [*rounds, Key("history:close", CLOSE, "button_wide", text.say(text.CLOSE), 21)]

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the panel, and what the buttons do or why a round cannot be shown."""
        letters, view = self.props.letters, director.view
        panel = self.props.shared.sprite(self.layout.settings_panel)
        put_centred(plate, panel, self.props.scale, *centre(self.layout.settings))
        self.put_words(plate, letters.text(text.say(text.HISTORY), 38, GOLD, TITLE), 640, 104)
        if not view.history:
            self.put_words(plate, letters.text(text.say(text.NO_HISTORY), 26, WHITE), 640, 350)
        said = text.message(view.message)
        hint = letters.fitted(said or text.say(text.HISTORY_HINT), 18, 1000, GOLD if said else PEARL)
        self.put_words(plate, hint, 640, 604)


class Replay:
    """A past round on its own game's screen, under a ribbon that says so."""

    def __init__(self, props: Props, beneath: Scenery) -> None:
        self._props = props
        self._beneath = beneath
        self._box = props.layout.ribbon(RIBBON)
        self._plate = pill(RIBBON[2:], props.scale)

    def controls(self, director: Director) -> list[Control]:
        """Return the ribbon, which leads back, and the game's controls."""
        return [("history:close", self._box), *self._beneath.controls(director)]

    def due(self, director: Director, now: float) -> float:
        """The ribbon stands still."""
        return self._beneath.due(director, now)

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the game and the ribbon over it."""
        self._beneath.draw(stage, director, now)
        past, letters = director.view.replay, self._props.letters
        if past is None:
            return
        x, y = centre(self._box)
        for _ in range(2):  # the game's name lies under it
            stage.draw_centred(self._plate, x, y)
        title = text.say(text.REPLAY, number=past.number, when=past.when)
        stage.draw_centred(letters.fitted(title, 23, 640, GOLD), x, y - 13)
        outcome = f"{_outcome(past, director.view.money, dated=False)}   ·   {text.say(text.REPLAY_LEAVE)}"
        stage.draw_centred(letters.fitted(outcome, 17, 640, PEARL), x, y + 14)


def _outcome(past: PastRound, money: Money, *, dated: bool = True) -> str:
    """Return when a round was played, what it cost and what came of it."""
    bet, won = written(past.bet_cents, money), written(past.win_cents, money)
    told = text.PAST_VOID if past.state == "void" else text.PAST_PAID
    outcome = text.say(told, bet=bet, won=won)
    return f"{past.when}   ·   {outcome}" if dated else outcome
