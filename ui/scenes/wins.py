"""Effects over the reels: lit and looped wins, suspense, banners, the fountain."""

import math

import pygame

from gamekit.beats import LineWin, ScatterWin, WaysWin
from ui import text
from ui.acts import FreeSpinsAct, JackpotAct, PicksWonAct, TotalAct, WinsAct
from ui.atlas import blank, clear
from ui.cascade_acts import ChainAct, WaysAct
from ui.climb import Climb, Size
from ui.director import Director
from ui.draw_context import DrawContext, Fountain, pill, put
from ui.layout import centre
from ui.lettering import GOLD, TITLE, WHITE
from ui.picture import Picture, Window
from ui.protocol.messages import View
from ui.protocol.values import written
from ui.reels import Cells
from ui.scenes.lines import Paylines
from ui.scenes.message_line import EACH_WIN_S, beside_wins
from ui.stage import Stage
from ui.theme import Theme, shown

WIN_FRAMES = 12
FRAME_S = 1 / 12
BANNER_ZOOM = 1.7
NUMBER_ZOOM = 2.0
KEPT_BOARDS = 4
"""The number of painted windows cached for the loop of wins."""
MIDDLE = 640
"""The horizontal middle of the stage."""
_NOTE = (440, 50)
"""The plate of the words over a total."""
_COINS = 60
"""The most coins of a fountain, as many as a frame can draw by measurement."""
_BANNERS = {Size.LARGE: "won", Size.BIG: "big_win", Size.HUGE: "huge_win", Size.MEGA: "mega_win"}
_DROP_S = 0.32
_HIT_S = 0.45
_SPARKS = 14

Cell = tuple[int, int]


class WinShow:
    """The win shows of one game's screen."""

    def __init__(self, context: DrawContext, theme: Theme, lines: Paylines) -> None:
        self._context = context
        self._theme = theme
        self._world = context.world(theme)
        self._on_reels = context.on_reels(theme)
        self._lines = lines
        self._cells = context.cells(theme)
        self._layout = context.layout
        self._window = context.layout.window(theme.game.rows)
        self._fountain = Fountain(context.layout, _COINS, seed=_COINS)
        self._boards: dict[tuple[Cells, Window, frozenset[Cell], tuple[int, ...]], pygame.Surface] = {}
        self._line = pill(context.layout.hud.message[2:], context.scale)
        self._note = pill(_NOTE, context.scale)
        self._glow = _column_glow(context.scale, self._window[2] / theme.game.reels, self._window[3])

    def due(self, now: float) -> float:
        """Return when the next frame of the loop is due."""
        return now + FRAME_S

    def suspense(self, stage: Stage, reel: int, elapsed: float) -> None:
        """Light the reel that makes the player wait; it pulses about once a second."""
        level = 0.5 + 0.5 * abs((elapsed * 1.6) % 2 - 1)
        self._glow.set_alpha(round(255 * level))
        stage.draw(self._glow, self._window[0] + reel * self._layout.cell(self._theme.game.rows)[0], self._window[1])

    def all_lit(self, stage: Stage, picture: Picture, act: WinsAct, director: Director, now: float) -> str:
        """Light every winning line at once; a big win adds banner, amount and fountain. Return the message.

        A win that is not celebrated is not animated.
        """
        elapsed = now - act.began
        runs = [(win.line, win.count) for win in act.lines]
        cells = {cell for win in act.lines for cell in self._line_cells(win)}
        if act.scatter is not None:
            cells.update(act.scatter.cells)
        view = director.view
        amount = self._amount(act.rolled(now), view)
        celebrated = act.celebrated(now)
        if act.climb is None or celebrated is None:
            self._light(stage, picture, cells, runs, 0.0 if act.plain else elapsed)
        else:
            self.dim(stage, picture)
            size = act.climb.reached(elapsed)
            dropped = min(celebrated, elapsed - act.climb.since(size))
            self._celebrate(stage, act.climb, elapsed, (_BANNERS[size], dropped), amount)
        return text.say(text.SHOWN_WIN if director.demonstrates else text.WON, amount=amount)

    def ways(self, stage: Stage, act: WaysAct, director: Director, now: float) -> str:
        """Light the cells of one winning symbol after another; return its words: count, ways, amount."""
        win = act.win(now)
        self._light(stage, act.picture, set(win.cells), [], 0.0 if act.plain else now - act.began)
        return self._words(win, director.view)

    def chain(self, stage: Stage, act: ChainAct, director: Director, now: float) -> str:
        """Show the total of a chain of cascades, with banner and fountain if it is big. Return the message."""
        amount = self._amount(act.shown_total(now), director.view)
        self.dim(stage, act.picture)
        if act.climb is not None:
            elapsed = now - act.began
            size = act.climb.reached(elapsed)
            banner = (_BANNERS[size], elapsed - act.climb.since(size))
            self._celebrate(stage, act.climb, elapsed, banner, amount)
        elif not act.plain:
            figure = self._context.letters.number(amount, "digits_gold", BANNER_ZOOM)
            stage.draw_centred(figure, *self._layout.on_reels(MIDDLE, 330))
        cascades = text.count(text.CASCADE, text.CASCADES, act.falls)
        words = text.SHOWN_CHAIN if director.demonstrates else text.CHAIN_WON
        return text.say(words, cascades=cascades, amount=self._amount(act.total, director.view))

    def loop(
        self, stage: Stage, picture: Picture, director: Director, elapsed: float, *, choice: str = ""
    ) -> tuple[str, bool]:
        """Show one win after another, repeatedly; return the message line and whether it is golden.

        A `choice` that the player has with the wins takes the first turn, with all of them lit, even beside a message.
        """
        wins: list[LineWin | WaysWin | ScatterWin] = [*picture.line_wins, *picture.ways_wins]
        if picture.scatter_win is not None:
            wins.append(picture.scatter_win)
        turns = [[win] for win in wins]
        if choice:
            turns.insert(0, wins)
        now = turns[int(elapsed / EACH_WIN_S) % len(turns)]
        runs = [(win.line, win.count) for win in now if isinstance(win, LineWin)]
        cells = {cell for win in now for cell in self._win_cells(win)}
        self._light(stage, picture, cells, runs, 0.0 if director.view.round.plain else elapsed % EACH_WIN_S)
        if choice and now is wins:
            return choice, True
        return beside_wins(director.view, self._words(now[0], director.view), elapsed, len(turns))

    def picks_won(self, stage: Stage, picture: Picture, act: PicksWonAct, now: float) -> None:
        """Light the symbols that have won the pick bonus."""
        rows = self._theme.lines[act.line - 1]
        cells = {(reel, rows[reel]) for reel in range(act.count)}
        self._light(stage, picture, cells, [(act.line, act.count)], now - act.began)

    def free_spins(self, stage: Stage, picture: Picture, act: FreeSpinsAct, now: float) -> None:
        """Announce free spins, or additional ones; the banner drops in."""
        drop = max(0.0, 1 - (now - act.began) / 0.35) ** 2 * 260
        self.dim(stage, picture)
        self._free_banner(stage, f"+{act.spins}" if act.retrigger else str(act.spins), 330 - drop)

    def free_offer(self, stage: Stage, picture: Picture) -> None:
        """Draw the free spins that wait for the player's press."""
        self.dim(stage, picture)
        self._free_banner(stage, str(picture.free_left), 330)

    def _free_banner(self, stage: Stage, number: str, y: float) -> None:
        x, y = self._layout.on_reels(MIDDLE, y)
        stage.draw_centred(self._world.sprite("free_spins_banner"), x, y)
        stage.draw_centred(self._context.letters.number(number, "digits_gold", NUMBER_ZOOM), x, y + 58)

    def dim(self, stage: Stage, picture: Picture) -> None:
        """Dim all the reels."""
        self._light(stage, picture, set(), [], 0)

    def total(self, stage: Stage, act: TotalAct, director: Director, now: float) -> None:
        """Show the total of a feature."""
        self.dim(stage, act.picture)
        amount = self._amount(act.shown_total(now), director.view)
        if act.plain:
            for surface in (self._note, self._context.letters.text(amount, 30, WHITE)):
                stage.draw_centred(surface, *self._layout.on_reels(MIDDLE, 265))
        elif act.climb is not None:
            elapsed = now - act.began
            self._celebrate(stage, act.climb, elapsed, ("total_win", elapsed), amount)
        else:
            self._banner(stage, "total_win", amount)
        if act.spins:
            words = self._context.letters.text(text.say(text.FREE_SPINS_TOTAL, spins=act.spins), 26, WHITE)
            for surface in (self._note, words):
                stage.draw_centred(surface, *self._layout.on_reels(MIDDLE, 150))

    def jackpot(self, stage: Stage, act: JackpotAct, director: Director, now: float) -> None:
        """Show what the pool has paid."""
        self.dim(stage, act.picture)
        amount, elapsed = self._amount(act.rolled(now), director.view), now - act.began
        if act.climb is None:
            self._banner(stage, "jackpot", amount)
        else:
            self._celebrate(stage, act.climb, elapsed, ("jackpot", elapsed), amount)

    def _celebrate(self, stage: Stage, climb: Climb, elapsed: float, banner: tuple[str, float], amount: str) -> None:
        """Show a climb: coins behind the message line's plate, the falling banner, the sparks of the last hit."""
        self._fountain.climb(stage, self._context.shared, climb, elapsed)
        stage.draw_centred(self._line, *centre(self._layout.hud.message))
        sprite, dropped = banner
        hit = elapsed - climb.hit_at
        if 0 <= hit < _HIT_S:
            self._sparks(stage, hit / _HIT_S)
        # It falls a little too far and returns.
        away = 1 - min(1.0, max(0.0, dropped) / _DROP_S)
        self._banner(stage, sprite, amount, rise=150 * away * away * (1 - 3.2 * (1 - away)) if away else 0.0)

    def _sparks(self, stage: Stage, part: float) -> None:
        """Throw sparks from the amount in all directions; `part` of their way is done."""
        x, y = self._layout.on_reels(MIDDLE, 420)
        eased = 1 - (1 - part) ** 2
        spark = self._world.sprite("spark")
        around = [math.tau * number / _SPARKS for number in range(_SPARKS)]
        stage.draw_all_centred(
            [(spark, x + math.cos(angle) * 330 * eased, y + math.sin(angle) * 120 * eased) for angle in around]
        )

    def _banner(self, stage: Stage, sprite: str, amount: str, rise: float = 0.0) -> None:
        place = self._layout.on_reels(MIDDLE, 265 - rise)
        if sprite in self._world:
            stage.draw_centred(self._world.sprite(sprite), *place)
        else:
            stage.draw_centred(self._context.letters.text(text.say(text.BANNERS[sprite]), 110, GOLD, TITLE), *place)
        figure = self._context.letters.number(amount, "digits_gold", BANNER_ZOOM)
        stage.draw_centred(figure, *self._layout.on_reels(MIDDLE, 420))

    def _light(
        self, stage: Stage, picture: Picture, lit: set[Cell], runs: list[tuple[int, int]], elapsed: float
    ) -> None:
        """Dim the cells that are not `lit`, draw the lines of `runs` through the others, animate the lit symbols.

        A light runs along each line over as many symbols as its run has; if `elapsed` is 0, nothing moves.
        """
        numbers = [number for number, _ in runs]
        cells, rows = self._cells.of(picture), self._theme.game.rows
        frame = int(elapsed / FRAME_S) % WIN_FRAMES
        window = shown(self._theme, picture)
        # Reels are painted again in each frame (`Stage.begin`), so this need not be recorded as touched.
        box = stage.pixels(self._window)
        stage.canvas.blit(self._board(cells, window, frozenset(lit), tuple(numbers), box.size), box)
        self._lines.light_badges(stage, numbers)
        for reel, row in sorted(lit):
            left, top, _, _ = self._layout.cell_box(reel, row, rows)
            sprite = self._on_reels.sprite(f"{window[reel][row]}_win_{frame:02d}")
            stage.draw(sprite, left - self._layout.win_margin, top - self._layout.win_margin)
        if elapsed > 0:
            self._lines.run(stage, runs, elapsed)

    def _board(
        self, cells: Cells, window: Window, lit: frozenset[Cell], numbers: tuple[int, ...], size: tuple[int, int]
    ) -> pygame.Surface:
        """Return the window with the lines `numbers`, its `lit` cells empty and the others dimmed; cached for the loop.

        `size` is the window's in pixels; the board must not exceed it, because the excess would not be painted over.
        """
        key = (cells, window, lit, numbers)
        if key not in self._boards:
            if len(self._boards) >= KEPT_BOARDS:
                self._boards.pop(next(iter(self._boards)))
            lines = self._lines.overlay(numbers) if numbers else None
            board = self._context.budget.spend(lambda: self._painted(cells, window, lit, lines, size))
            self._boards[key] = board
        return self._boards[key]

    def _painted(
        self,
        cells: Cells,
        window: Window,
        lit: frozenset[Cell],
        overlay: tuple[pygame.Surface, float, float] | None,
        size: tuple[int, int],
    ) -> pygame.Surface:
        scale, rows = self._context.scale, self._theme.game.rows
        left, top, _, _ = self._window
        board = blank(size)
        places = {
            (reel, row): self._layout.cell_box(reel, row, rows) for reel in range(len(window)) for row in range(rows)
        }
        for (reel, row), box in places.items():
            if (reel, row) not in lit:
                put(board, cells.dimmed(window[reel][row]), scale, box[0] - left, box[1] - top)
        for cell in lit:
            put(board, cells.bare(), scale, places[cell][0] - left, places[cell][1] - top)
        if overlay is not None:
            lines, x, y = overlay
            put(board, lines, scale, x - left, y - top)
        if "win_cell" in self._on_reels:  # behind the symbols, which swell beyond it: a frame would cut their words
            for cell in lit:
                put(board, self._on_reels.sprite("win_cell"), scale, places[cell][0] - left, places[cell][1] - top)
        return board

    def _win_cells(self, win: LineWin | WaysWin | ScatterWin) -> set[Cell]:
        return self._line_cells(win) if isinstance(win, LineWin) else set(win.cells)

    def _line_cells(self, win: LineWin) -> set[Cell]:
        rows = self._theme.lines[win.line - 1]
        return {(reel, rows[reel]) for reel in range(win.count)}

    def _words(self, win: LineWin | WaysWin | ScatterWin, view: View) -> str:
        figures = {
            "count": win.count,
            "symbol": text.say(self._theme.symbols[win.symbol]),
            "coins": text.count(text.COIN, text.COINS, win.coins, view.locale.money.thousands),
            "amount": self._amount(win.coins, view),
        }
        if isinstance(win, ScatterWin):
            return text.say(text.SCATTER_WIN, **figures)
        if isinstance(win, WaysWin):
            ways = text.count(text.WAY_COUNT, text.WAYS_COUNT, win.ways, view.locale.money.thousands)
            template = text.WAYS_WIN if win.multiplier == 1 else text.WAYS_WIN_TIMES
            return text.say(template, ways=ways, times=win.multiplier, **figures)
        template = text.LINE_WIN if win.multiplier == 1 else text.LINE_WIN_TIMES
        return text.say(template, line=win.line, times=win.multiplier, **figures)

    @staticmethod
    def _amount(coins: int, view: View) -> str:
        value = 1 if view.reels_bet is None else view.reels_bet.coin_value_cents
        return written(coins * value, view.locale.money)


def _column_glow(scale: float, across: float, down: float) -> pygame.Surface:
    """Return a golden border of light for one reel of that size, brightest at its edges."""
    width, height = round(across * scale), round(down * scale)
    glow = clear((width, height))
    reach = round(26 * scale)
    for inset in range(reach):
        strength = round(200 * (1 - inset / reach) ** 2)
        pygame.draw.rect(glow, (255, 224, 130, strength), (inset, inset, width - 2 * inset, height - 2 * inset), 1)
    return glow
