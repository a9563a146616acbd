"""The past rounds, and the ribbon over a past round that is shown again."""

from collections.abc import Sequence

import pygame

from ui import text
from ui.director import Director
from ui.draw_context import Control, DrawContext, Scenery, pill
from ui.layout import Box, centre
from ui.lettering import GOLD, PEARL, WHITE
from ui.protocol.values import Money, PastRound, written
from ui.scenes.panel import Key, Panel
from ui.stage import Stage

RIBBON: Box = (300, 6, 680, 60)


class History(Panel):
    """The completed rounds, newest first; each can be shown again."""

    def shown(self, director: Director) -> tuple[object, ...]:
        """Return the rounds."""
        return (director.view.past.history,)

    def keys(self, director: Director) -> Sequence[Key]:
        """Return a key for each round, and the key that leads back."""
        view, grid = director.view, self.pages.history
        rounds = [
            self._key(past, grid.box(place), view.locale.money)
            for place, past in enumerate(view.past.history[: grid.places])
        ]
        return [*rounds, Key("history:close", self.pages.close, "button_wide", text.say(text.CLOSE), 21)]

    def _key(self, past: PastRound, box: Box, money: Money) -> Key:
        """Return the key of a round; time and result are separated if the list has one column."""
        words = text.say(text.PAST_ROUND, number=past.number, game=self.context.themes.theme(past.game).game.title)
        key = Key(f"history:{past.number}", box, words=words, size=21, note=outcome_of(past, money))
        if self.pages.history.columns > 1:
            return key
        return key._replace(note=text.moment(past.when), aside=outcome_of(past, money, dated=False))

    def paint(self, plate: pygame.Surface, director: Director) -> None:
        """Paint the panel, and the buttons' functions or why a round cannot be shown."""
        view = director.view
        self.put_panel(plate, text.HISTORY, crest=False)
        if not view.past.history:
            nothing = self.letters.text(text.say(text.NO_HISTORY), 26, WHITE)
            self.put_words(plate, nothing, self.pages.hint[0], centre(self.pages.box)[1] - 10)
        said = text.message(view)
        hint = text.say(text.HISTORY_HINT if view.past.history else text.NO_HISTORY_HINT)
        self.put_hint(plate, said or hint, GOLD if said else PEARL)


class Replay:
    """A past round on its game's own screen, under a ribbon that says so."""

    def __init__(self, context: DrawContext, beneath: Scenery) -> None:
        self._beneath = beneath
        zoom = context.layout.signs.ribbon_zoom
        self._letters = context.sized(zoom).letters
        self._zoom = zoom
        self._box = context.layout.ribbon(RIBBON)
        self._plate = pill(self._box[2:], context.scale)

    def controls(self, director: Director) -> list[Control]:
        """Return the ribbon, which leads back, and the game's controls."""
        return [("history:close", self._box), *self._beneath.controls(director)]

    def due(self, director: Director, now: float) -> float:
        """Return when the game is drawn next; the ribbon does not move."""
        return self._beneath.due(director, now)

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the game and the ribbon over it."""
        self._beneath.draw(stage, director, now)
        past, letters = director.view.past.replay, self._letters
        if past is None:
            return
        x, y = centre(self._box)
        for _ in range(2):  # twice, because the game's name is beneath
            stage.draw_centred(self._plate, x, y)
        title = text.say(text.REPLAY, number=past.number, when=text.moment(past.when))
        stage.draw_centred(letters.fitted(title, 23, 640, GOLD), x, y - 13 * self._zoom)
        outcome = outcome_of(past, director.view.locale.money, dated=False)
        words = f"{outcome}   ·   {text.say(text.REPLAY_LEAVE)}"
        stage.draw_centred(letters.fitted(words, 17, 664, PEARL), x, y + 14 * self._zoom)


def outcome_of(past: PastRound, money: Money, *, dated: bool = True) -> str:
    """Return when a round was played, its price and its result."""
    bet, won = written(past.bet_cents, money), written(past.win_cents, money)
    template = text.PAST_VOID if past.state == "void" else text.PAST_PAID
    outcome = text.say(template, bet=bet, won=won)
    return f"{text.moment(past.when)}   ·   {outcome}" if dated else outcome
