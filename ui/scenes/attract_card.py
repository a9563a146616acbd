"""Attract's cards: a game's name, what it may pay, its drifting symbols, and below them the call for money."""

import math
from typing import NamedTuple

import pygame

from ui import text
from ui.atlas import clear
from ui.draw_context import DrawContext
from ui.layout import REEL_WIDTH
from ui.lettering import GOLD, PEARL, TITLE
from ui.promises import highest_win
from ui.protocol.messages import View
from ui.protocol.values import Money, written
from ui.protocol.view_parts import LobbyGames
from ui.scenes.message_line import news
from ui.stage import Stage
from ui.theme import Theme

DRIFT = 56
BORDER = 43
"""The width of the border of lamps, behind which the symbols appear and disappear."""
BREATHS = 8
BREATH_S = 2.4
_FIGURE_ZOOM, _FIGURE_GAP = 0.8, 8
"""The size of the amount that a game can pay, and its distance from the words."""
_NOTE_RISE = 10
"""How much higher a promise is drawn to leave room for its bet above the symbols."""
_AMOUNT = "\0"
"""The amount's placeholder while the surrounding words are determined."""


class _Promise(NamedTuple):
    """What a game can pay: words with `_AMOUNT` in place of the amount, and the bet that may win it with its odds."""

    words: str
    amount: str
    bet: str


class _Cast(NamedTuple):
    """The pictures of a game that a card shows."""

    logo: pygame.Surface
    symbols: list[pygame.Surface]


class Call:
    """The line that asks for money or states the credit, with further information below it."""

    def __init__(self, context: DrawContext) -> None:
        self._layout = context.layout
        self._letters = context.sized(context.layout.hud.message_zoom).letters
        self._calls: dict[str, list[pygame.Surface]] = {}

    def draw(self, stage: Stage, view: View, now: float) -> None:
        """Draw both lines; the first one pulses."""
        layout = self._layout
        words = text.call_for_money(view)
        if view.balance.credit_cents:
            words = f"{text.say(text.CREDIT)} {written(view.balance.credit_cents, view.locale.money)}"
        calls = self._breathing(words or " ")
        breath = 0.5 + 0.5 * math.sin(2 * math.pi * now / BREATH_S)
        stage.draw_centred(calls[min(BREATHS - 1, int(breath * BREATHS))], layout.centre[0], layout.attract.call_y)
        if notice := news(view) or text.message(view):
            width = round((layout.canvas[0] - 80) / layout.hud.message_zoom)
            line = self._letters.fitted(notice, 20, width, PEARL)
            stage.draw_centred(line, layout.centre[0], layout.attract.call_y + 34 * layout.hud.message_zoom)

    def _breathing(self, words: str) -> list[pygame.Surface]:
        if words not in self._calls:
            self._calls.clear()
            width = round((self._layout.canvas[0] - 140) / self._layout.hud.message_zoom)
            face = self._letters.fitted(words, 40, width, GOLD, TITLE)
            steps: list[pygame.Surface] = []
            for step in range(BREATHS):
                copy = face.copy()
                alpha = 170 + round(85 * step / (BREATHS - 1))
                # Applied to the pixels, because an alpha of the whole surface would be drawn more slowly.
                copy.fill((255, 255, 255, alpha), special_flags=pygame.BLEND_RGBA_MULT)
                steps.append(copy)
            self._calls[words] = steps
        return self._calls[words]


class Card:
    """The card of a game: its name, its jackpot or what a play may win, and its symbols."""

    def __init__(self, context: DrawContext) -> None:
        self._context = context
        self._layout = context.layout
        self._letters = context.sized(context.layout.hud.message_zoom).letters
        self._casts: dict[str, _Cast] = {}
        self._stack_key: tuple[pygame.Surface, ...] = ()
        self._stack = clear((1, 1))

    def fetch(self, game: str) -> None:
        """Load a game's modules and decode its card's pictures outside the frames."""
        if self._context.themes.fetch(game).is_alive():
            return
        theme = self._context.themes.theme(game)
        if theme.world in self._casts:
            return
        self._context.world(theme).fetch(*theme.symbols)
        self._context.world(theme, self._layout.signs.logo_zoom).fetch("logo")

    def _cast(self, theme: Theme) -> "_Cast":
        """Return a game's pictures, copied from its atlases; only those of the open game stay decoded."""
        if theme.world not in self._casts:
            logo = self._context.world(theme, self._layout.signs.logo_zoom).sprite("logo")
            symbols = [self._context.world(theme).sprite(name) for name in theme.symbols]
            self._casts[theme.world] = _Cast(logo.copy(), [symbol.copy() for symbol in symbols])
            self._context.release()
        return self._casts[theme.world]

    def draw(self, stage: Stage, game: str, view: View, now: float, *, late: bool) -> None:
        """Draw the card of `game`; `late` is its second half, in which a jackpot has been shown."""
        theme = self._context.themes.theme(game)
        layout, cast = self._layout, self._cast(theme)
        logo_y, symbols_y = layout.attract.logo_y, layout.attract.symbols_y
        stage.draw_centred(cast.logo, layout.centre[0], logo_y)
        promise = _promise(theme.game.name, view.lobby, view.locale.money, late=late)
        if promise is not None:
            self._promised(stage, promise)
        symbols = cast.symbols
        pitch = REEL_WIDTH + 20
        drift = now * DRIFT
        first = math.floor(drift / pitch)
        stage.canvas.set_clip(stage.pixels((BORDER, 0, layout.canvas[0] - 2 * BORDER, layout.canvas[1])))
        for place in range(layout.canvas[0] // pitch + 3):
            symbol = symbols[(first + place) % len(symbols)]
            x = (place - 1) * pitch - (drift - first * pitch) + pitch
            y = symbols_y + 8 * math.sin(2 * math.pi * (now / 3.0 + (first + place) * 0.37))
            stage.draw_centred(symbol, x, y)
        stage.canvas.set_clip(None)

    def _promised(self, stage: Stage, promise: _Promise) -> None:
        """Draw the words of a promise in one line with a golden amount, and its bet under the first words."""
        layout, scale = self._layout, self._context.scale
        before, _, after = promise.words.partition(_AMOUNT)
        parts = [self._letters.text(words.strip(), 30, GOLD, TITLE) for words in (before, after) if words.strip()]
        figure = self._letters.number(promise.amount, "digits_gold", _FIGURE_ZOOM)
        room = layout.canvas[0] - 2 * BORDER - figure.get_width() / scale
        bet = self._letters.fitted(promise.bet, 20, round(room / layout.hud.message_zoom) - 2 * _FIGURE_GAP, PEARL)
        parts[0] = self._stacked(parts[0], bet)
        parts.insert(1 if before.strip() else 0, figure)
        gap, down = _FIGURE_GAP * layout.hud.message_zoom, layout.attract.jackpot_y - _NOTE_RISE
        left = layout.centre[0] - (sum(part.get_width() for part in parts) / scale + gap * (len(parts) - 1)) / 2
        for part in parts:
            width = part.get_width() / scale
            stage.draw_centred(part, left + width / 2, down)
            left += width + gap

    def _stacked(self, upper: pygame.Surface, lower: pygame.Surface) -> pygame.Surface:
        """Return both, one above the other and centred; cached while they are the same."""
        if (upper, lower) != self._stack_key:
            width, height = max(upper.get_width(), lower.get_width()), upper.get_height() + lower.get_height()
            stack = clear((width, height))
            stack.blit(upper, ((width - upper.get_width()) // 2, 0))
            stack.blit(lower, ((width - lower.get_width()) // 2, upper.get_height()))
            self._stack_key, self._stack = (upper, lower), stack
        return self._stack


def _promise(game: str, lobby: LobbyGames, money: Money, *, late: bool) -> _Promise | None:
    """Return what a game can pay: its jackpot, or (if `late` or without one) the win of a play at its highest bet."""
    jackpot = lobby.jackpots.get(game)
    if jackpot is not None and not ((late or jackpot.closed) and game in lobby.bet_ranges):
        words = text.say(text.JACKPOT_OF, amount=_AMOUNT)
        return _Promise(words, written(jackpot.cents, money), text.won_with(jackpot))
    if game in lobby.bet_ranges:
        highest = lobby.bet_ranges[game][1]
        cents, one_in = highest_win(game, highest)
        words = text.say(text.WIN_UP_TO_ONLY, amount=_AMOUNT)
        bet = text.say(text.AT_BET_ODDS, bet=written(highest, money), one_in=text.whole(one_in))
        return _Promise(words, written(cents, money), bet)
    return None
