"""The card table of the double-up: the amount at risk, the card to guess, and the earlier cards."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi

import pygame

from gamekit.double_up import BLACK, COLLECT, HALVE, RED, CardTable
from ui import text
from ui.acts import Act, CardAct, CardsEndedAct, HalvedAct
from ui.director import Director
from ui.draw_context import Control, DrawContext, Fountain, pill, put_centred
from ui.layout import Box, Point, centre
from ui.lettering import BOLD, GOLD, GREY, PEARL, TITLE, WHITE
from ui.picture import Picture
from ui.protocol.values import written
from ui.scenes.hud import Hud
from ui.scenes.message_line import beside_prompt, prompt_due
from ui.stage import Stage
from ui.theme import Theme

DIM = 112
"""The brightness of the game's background behind the table, of 255."""
TURN_STEPS = 12
"""The number of widths of a turning card, from its back to its face."""


@dataclass(frozen=True)
class Table:
    """Positions on the table: canvas units, from the scene's corner or, in portrait, from the canvas's.

    `card` is the middle of the card, `plaques` those of AT RISK and A RIGHT GUESS, `logo` the height of the game's name
    if there is room for it. Earlier cards lie on the `strip` at positions `step` apart.
    """

    heading: Box
    card: Point
    plaques: tuple[Point, Point]
    logo: float
    buttons: Mapping[int, Box]
    strip: Box
    strip_label: float
    strip_middle: float
    step: float


WIDE_TABLE = Table(
    heading=(342, 8, 396, 92),
    card=(540, 262),
    plaques=((170, 62), (906, 62)),
    logo=0,
    buttons={
        RED: (50, 158, 240, 190),
        BLACK: (786, 158, 240, 190),
        HALVE: (30, 364, 280, 72),
        COLLECT: (766, 364, 280, 72),
    },
    strip=(190, 446, 700, 108),
    strip_label=455,
    strip_middle=509,
    step=66,
)
PORTRAIT_TABLE = Table(
    heading=(190, 216, 700, 152),
    card=(540, 974),
    plaques=((270, 468), (810, 468)),
    logo=112,
    buttons={
        RED: (6, 824, 360, 285),
        BLACK: (714, 824, 360, 285),
        HALVE: (60, 1307, 420, 108),
        COLLECT: (600, 1307, 420, 108),
    },
    strip=(14, 556, 1052, 182),
    strip_label=577,
    strip_middle=664,
    step=103,
)
PLACE = (60, 84)

_SPRITES = {RED: "button_red", BLACK: "button_black", HALVE: "button_wide_blue", COLLECT: "button_wide_gold"}
_WORDS = {RED: text.CARD_RED, BLACK: text.CARD_BLACK}


class DoubleUp:
    """The card table of the game that `theme` describes, over that game's own background."""

    def __init__(self, context: DrawContext, theme: Theme) -> None:
        self._context = context
        self._theme = theme
        self._layout = context.layout
        self._world = context.world(theme)
        self._zoom = context.layout.feature_zoom
        self._sprites, self._letters = context.sized(self._zoom)
        self._table = PORTRAIT_TABLE if context.layout.shape == "portrait" else WIDE_TABLE
        self._hud = Hud(context)
        self._plate: pygame.Surface | None = None
        self._plate_key: tuple[object, ...] = ()
        self._grounds: dict[tuple[str, int], pygame.Surface] = {}
        self._fountain = Fountain(context.layout, 28, seed=5)
        self._turning: dict[tuple[str, int], pygame.Surface] = {}
        self._shrunk: dict[str, pygame.Surface] = {}

    def controls(self, director: Director) -> list[Control]:
        """Return the choices at this table, and the HUD's buttons."""
        table = _table(director.picture)
        choices = set(table.choices) | {COLLECT, RED, BLACK}
        mine: list[Control] = [
            (f"choice:{choice}", self.box(choice)) for choice in self._table.buttons if choice in choices
        ]
        return [*mine, *self._hud.controls()]

    def due(self, director: Director, now: float) -> float:
        """Return when the next frame is due: at once while a card turns, otherwise never."""
        if director.performance is not None and not director.performance.ended:
            return now
        return min(prompt_due(director, now), self._hud.due(now))

    def draw(self, stage: Stage, director: Director, now: float) -> None:
        """Draw the table."""
        picture = director.picture
        table = _table(picture)
        act = None if director.performance is None else director.performance.act
        stage.begin(self._backdrop(director, table, waits=act is None and table.open))
        self._heading(stage, director, table, act, now)
        self._amounts(stage, director, table, act, now)
        self._strip(stage, table, act, now)
        self._card(stage, table, act, now)
        for choice in self._table.buttons:
            self._lit(stage, director, choice, act, now)
        self._hud.draw(stage, director, now)
        words, gold = text.message(director.view), False
        if act is None and table.open:
            words, gold = beside_prompt(director, text.say(text.CARD_BUTTONS), now, gold=False)
        self._hud.message(stage, words, gold=gold)

    def box(self, choice: int) -> Box:
        """Return the position of a choice's button on the canvas."""
        return self._moved(self._table.buttons[choice])

    def _backdrop(self, director: Director, table: CardTable, *, waits: bool) -> pygame.Surface:
        picture = director.picture
        name = "background" if picture is None else self._theme.scenery(picture)
        live = tuple(choice for choice in self._table.buttons if waits and self._live(director, choice))
        risk = table.at_risk_cents if waits else 0
        key = (name, self._hud.key(director), table.rounds, risk, table.choices, live)
        if self._plate is None or key != self._plate_key:
            plate = self._ground(name, table.rounds).copy()
            self._hud.paint(plate, director)
            for choice in self._table.buttons:
                if choice != HALVE or choice in table.choices:
                    self._paint_button(plate, director, choice, risk, live=choice in live)
            self._plate, self._plate_key = plate, key
        return self._plate

    def _ground(self, name: str, rounds: int) -> pygame.Surface:
        """Return the darkened background with the unchanging parts of the table."""
        if (name, rounds) in self._grounds:
            return self._grounds[name, rounds]
        context, scale = self._context, self._context.scale
        plate = context.dim(context.scenery(self._world, name), DIM)
        places, letters = self._table, self._letters
        if places.logo:
            logo = context.world(self._theme, self._layout.signs.logo_zoom).sprite("logo")
            put_centred(plate, logo, scale, self._layout.centre[0], places.logo)
        for box in (self._moved(places.heading), self._moved(places.strip), self._layout.hud.message):
            put_centred(plate, pill(box[2:], scale), scale, *centre(box))
        label = letters.text(text.say(text.CARDS_BEFORE), 15, PEARL)
        put_centred(plate, label, scale, *self._at(places.card[0], places.strip_label))
        for place in range(rounds):
            put_centred(plate, self._sprites.sprite("card_place"), scale, *self._place(place, rounds))
        for (x, y), words in zip(places.plaques, (text.AT_RISK, text.RIGHT_GUESS), strict=True):
            put_centred(plate, self._sprites.sprite("plaque"), scale, *self._at(x, y))
            put_centred(
                plate, letters.fitted(text.say(words), 18, 280, PEARL), scale, *self._at(x, y - 30 * self._zoom)
            )
        self._grounds = {(name, rounds): plate}
        return plate

    def _paint_button(self, plate: pygame.Surface, director: Director, choice: int, risk: int, *, live: bool) -> None:
        sprite = self._sprites.sprite(_SPRITES[choice] + ("" if live else "_dead"))
        put_centred(plate, sprite, self._context.scale, *centre(self.box(choice)))
        for words, x, y in self._label(director, choice, risk, live=live):
            put_centred(plate, words, self._context.scale, x, y)

    def _label(
        self, director: Director, choice: int, risk: int, *, live: bool
    ) -> list[tuple[pygame.Surface, float, float]]:
        """Return the words of a button and their middles: its function, and the part of `risk` it plays for."""
        letters, zoom, (x, y) = self._letters, self._zoom, centre(self.box(choice))
        if choice in _WORDS:
            return [
                (letters.fitted(text.say(_WORDS[choice]), 38, 200, WHITE if live else GREY, TITLE), x, y + 58 * zoom)
            ]
        halves = choice == HALVE
        title = text.say(text.HALVE if halves else text.TAKE_WIN)
        if not risk:
            return [(letters.fitted(title, 24, 240, GREY), x, y - 3 * zoom)]
        amount = written(risk - risk // 2 if halves else risk, director.view.locale.money)
        note = text.say(text.CREDITS, amount=amount)
        return [
            (letters.fitted(title, 23, 240, WHITE if live else GREY), x, y - 13 * zoom),
            (letters.fitted(note, 16, 250, WHITE if live else GREY, BOLD), x, y + 14 * zoom),
        ]

    def _lit(self, stage: Stage, director: Director, choice: int, act: Act | None, now: float) -> None:
        """Light the button under the cursor or the finger, and the one whose guess is being played."""
        name = f"choice:{choice}"
        if isinstance(act, CardAct):
            lit = act.choice == choice
        else:
            touched = self._context.pressed == name and now < self._context.pressed_until
            lit = act is None and self._live(director, choice) and (director.view.focus == name or touched)
        if not lit:
            return
        risk = _table(director.picture).at_risk_cents if act is None else 0
        sprite = self._sprites.sprite(f"{_SPRITES[choice]}_lit")
        stage.draw_centred(sprite, *centre(self.box(choice)))
        for words, x, y in self._label(director, choice, risk, live=True):
            stage.draw_centred(words, x, y)

    def _heading(self, stage: Stage, director: Director, table: CardTable, act: Act | None, now: float) -> None:
        """Draw the number of this guess, or the result of the last one."""
        letters, zoom, money = self._letters, self._zoom, director.view.locale.money
        title, colour, note = text.say(text.DOUBLE_UP), GOLD, ""
        match act:
            case CardAct() if act.turned(now) >= 1:
                title, colour = (text.say(text.CARD_RIGHT), GOLD) if act.won else (text.say(text.CARD_WRONG), PEARL)
                if act.won:
                    note = text.say(text.CARD_WON, amount=written(act.cents, money))
            case CardAct():
                note = text.say(text.GUESSED, colour=text.say(_WORDS[act.choice]))
            case HalvedAct():
                note = text.say(text.HALVED, amount=written(act.credited_cents, money))
            case CardsEndedAct() if act.total_cents:
                title, note = text.say(text.WON, amount=written(act.total_cents, money)), ""
            case _ if table.open:
                note = text.say(text.GUESS_OF, round=table.round, rounds=table.rounds)
            case _:
                pass
        left, top, across, _ = self._moved(self._table.heading)
        x, room = left + across / 2, round(across / zoom) - 24
        stage.draw_centred(letters.fitted(title, 40, room, colour, TITLE), x, top + (34 if note else 46) * zoom)
        if note:
            stage.draw_centred(letters.fitted(note, 20, room, WHITE), x, top + 70 * zoom)

    def _amounts(self, stage: Stage, director: Director, table: CardTable, act: Act | None, now: float) -> None:
        """Draw the amount at risk, which grows or disappears as the card turns, and the result of a right guess."""
        risk = table.at_risk_cents
        if isinstance(act, CardAct):
            risk += act.rolled_cents(now) - act.cents
        if isinstance(act, CardsEndedAct):
            risk = 0
        amounts = (risk, 2 * risk) if act is None and table.open else (risk,)
        for (x, y), cents in zip(self._table.plaques, amounts, strict=False):
            amount = written(cents, director.view.locale.money)
            figure = self._letters.fitted_number(amount, "digits_gold", 282, 0.8)
            stage.draw_centred(figure, *self._at(x, y + 17 * self._zoom))

    def _strip(self, stage: Stage, table: CardTable, act: Act | None, now: float) -> None:
        """Draw the cards turned before, the newest at the left; the card that is turning joins them at the end."""
        cards = table.cards
        if isinstance(act, CardAct) and now < act.ends_at() - 0.25:
            cards = cards[1:]
        for place, card in enumerate(cards[: table.rounds]):
            stage.draw_centred(self._small(card), *self._place(place, table.rounds))

    def _card(self, stage: Stage, table: CardTable, act: Act | None, now: float) -> None:
        """Draw the card in the middle, showing its back until it is turned."""
        x, y = self._at(*self._table.card)
        if isinstance(act, CardAct):
            turned = act.turned(now)
            if turned >= 1 and act.won:
                stage.draw_centred(self._sprites.sprite("card_glow"), x, y)
            step = min(TURN_STEPS, int(turned * TURN_STEPS))
            stage.draw_centred(self._narrowed(act.card if step > TURN_STEPS // 2 else "back", step), x, y)
            if turned >= 1 and act.won:
                self._fountain.draw(stage, self._context.shared, now - act.turned_at())
        elif isinstance(act, CardsEndedAct) and table.cards:
            stage.draw_centred(self._narrowed(table.cards[0], TURN_STEPS), x, y)
        else:
            stage.draw_centred(self._narrowed("back", 0), x, y)

    def _narrowed(self, card: str, step: int) -> pygame.Surface:
        """Return a card in the course of its turn: `step` of TURN_STEPS."""
        if (card, step) not in self._turning:
            sprite = self._sprite(card)
            width = max(2, round(sprite.get_width() * abs(cos(pi * step / TURN_STEPS))))
            whole = width == sprite.get_width()
            size = (width, sprite.get_height())
            self._turning[card, step] = sprite if whole else pygame.transform.smoothscale(sprite, size)
        return self._turning[card, step]

    def _small(self, card: str) -> pygame.Surface:
        """Return a card in the size of the strip."""
        if card not in self._shrunk:
            width, height = (round(units * self._zoom * self._context.scale) for units in PLACE)
            self._shrunk[card] = pygame.transform.smoothscale(self._sprite(card), (width, height))
        return self._shrunk[card]

    def _sprite(self, card: str) -> pygame.Surface:
        """Return a card, the game's own if its world has one."""
        name = f"card_{card}"
        own = self._context.world(self._theme, self._zoom)
        return (own if name in own else self._sprites).sprite(name)

    def _live(self, director: Director, choice: int) -> bool:
        return director.linked and f"choice:{choice}" in director.view.controls

    def _place(self, place: int, rounds: int) -> tuple[float, float]:
        """Return the middle of a position of the strip."""
        table = self._table
        return self._at(table.card[0] + (place - (rounds - 1) / 2) * table.step, table.strip_middle)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        left, top = (0, 0) if self._layout.shape == "portrait" else self._layout.scene[:2]
        return left + x, top + y

    def _moved(self, box: Box) -> Box:
        return (*self._at(box[0], box[1]), box[2], box[3])


def _table(picture: Picture | None) -> CardTable:
    """Return the table to draw; raise ValueError if there is none."""
    if picture is None or picture.table is None:
        raise ValueError("the card table is drawn from a picture with a table, and there is none")
    return picture.table
