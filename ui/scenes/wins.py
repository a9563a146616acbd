"""What is shown over the reels: wins lit and looped, suspense, banners, the fountain."""

from collections.abc import Callable

import pygame

from games.beats import LineWin, ScatterWin
from ui import text
from ui.acts import LIT_S, FreeSpinsAct, PicksWonAct, Size, TotalAct, WinsAct
from ui.atlas import clear
from ui.director import Director
from ui.layout import CELL, CENTRE, REELS, WIN_MARGIN
from ui.lettering import WHITE
from ui.messages import View
from ui.money import written
from ui.reels import Cells
from ui.scenes.lines import Paylines, cell_box
from ui.scenes.props import Fountain, Props
from ui.stage import Stage
from ui.worlds.look import Look, Picture

WIN_FRAMES = 12
FRAME_S = 1 / 12
EACH_WIN_S = 1.6
BANNER_ZOOM = 1.7
NUMBER_ZOOM = 2.0
_COINS = {Size.BIG: 40, Size.HUGE: 70}

Cell = tuple[int, int]


class WinShow:
    """The win shows of one game's screen."""

    def __init__(self, props: Props, look: Look, lines: Paylines, cells: Callable[[Picture], Cells]) -> None:
        self._props = props
        self._look = look
        self._world = props.world(look)
        self._lines = lines
        self._cells = cells
        self._fountains = {size: Fountain(coins, seed=coins) for size, coins in _COINS.items()}
        self._glow = _column_glow(props.scale)

    def due(self, now: float) -> float:
        """Return when the next frame of the loop is due."""
        return now + FRAME_S

    def suspense(self, stage: Stage, reel: int, elapsed: float) -> None:
        """Light the reel that makes the player wait; it breathes about once a second."""
        level = 0.5 + 0.5 * abs((elapsed * 1.6) % 2 - 1)
        self._glow.set_alpha(round(255 * level))
        stage.draw(self._glow, REELS[0] + reel * CELL[0], REELS[1])

    def all_lit(self, stage: Stage, picture: Picture, act: WinsAct, director: Director, now: float) -> str:
        """Light every winning line at once; a big win brings banner, amount and fountain. Returns the message."""
        elapsed = now - act.began
        numbers = [win.line for win in act.lines]
        cells = {cell for win in act.lines for cell in self._line_cells(win)}
        if act.scatter is not None:
            cells.update(act.scatter.cells)
        view = director.view
        amount = self._amount(act.rolled(now), view)
        if not act.big or elapsed < LIT_S:
            self._light(stage, picture, cells, numbers, elapsed)
        else:
            self.dim(stage, picture)
            self._fountains[act.size].draw(stage, self._props.shared, elapsed - LIT_S)
            banner = "huge_win" if act.size is Size.HUGE else "big_win"
            self._banner(stage, banner, amount)
        return text.say(text.WON, amount=amount)

    def loop(self, stage: Stage, picture: Picture, director: Director, elapsed: float) -> str:
        """Show one win after another, for ever. Returns what the message line says of it."""
        wins: list[LineWin | ScatterWin] = [*picture.line_wins]
        if picture.scatter_win is not None:
            wins.append(picture.scatter_win)
        win = wins[int(elapsed / EACH_WIN_S) % len(wins)]
        numbers = [win.line] if isinstance(win, LineWin) else []
        cells = self._line_cells(win) if isinstance(win, LineWin) else set(win.cells)
        self._light(stage, picture, cells, numbers, elapsed)
        return self._words(win, director.view)

    def picks_won(self, stage: Stage, picture: Picture, act: PicksWonAct, now: float) -> None:
        """Light the symbols that have won the pick bonus."""
        rows = self._look.lines[act.line - 1]
        cells = {(reel, rows[reel]) for reel in range(act.count)}
        self._light(stage, picture, cells, [act.line], now - act.began)

    def free_spins(self, stage: Stage, picture: Picture, act: FreeSpinsAct, now: float) -> None:
        """Announce free spins, or more of them: the banner drops in."""
        drop = max(0.0, 1 - (now - act.began) / 0.35) ** 2 * 260
        self.dim(stage, picture)
        self._free_banner(stage, f"+{act.spins}" if act.retrigger else str(act.spins), 330 - drop)

    def free_offer(self, stage: Stage, picture: Picture) -> None:
        """The free spins wait for the player's press."""
        self.dim(stage, picture)
        self._free_banner(stage, str(picture.free_left), 330)

    def _free_banner(self, stage: Stage, number: str, y: float) -> None:
        stage.draw_centred(self._world.sprite("free_spins_banner"), CENTRE[0], y)
        stage.draw_centred(self._props.letters.number(number, "digits_gold", NUMBER_ZOOM), CENTRE[0], y + 58)

    def dim(self, stage: Stage, picture: Picture) -> None:
        """Let the whole reels recede."""
        self._light(stage, picture, set(), [], 0)

    def total(self, stage: Stage, act: TotalAct, director: Director, now: float) -> None:
        """Show what a feature has paid all together."""
        self.dim(stage, act.picture)
        if act.big:
            self._fountains[act.size].draw(stage, self._props.shared, now - act.began)
        self._banner(stage, "total_win", self._amount(act.shown_total(now), director.view))
        if act.spins:
            words = self._props.letters.text(text.say(text.FREE_SPINS_TOTAL, spins=act.spins), 26, WHITE)
            stage.draw_centred(words, CENTRE[0], 150)

    def _banner(self, stage: Stage, sprite: str, amount: str) -> None:
        stage.draw_centred(self._world.sprite(sprite), CENTRE[0], 265)
        stage.draw_centred(self._props.letters.number(amount, "digits_gold", BANNER_ZOOM), CENTRE[0], 420)

    def _light(self, stage: Stage, picture: Picture, lit: set[Cell], numbers: list[int], elapsed: float) -> None:
        """Dim the cells that are not `lit`, draw the lines `numbers`, and animate the lit symbols over them."""
        strips, cells = self._look.strips(picture), self._cells(picture)
        frame = int(elapsed / FRAME_S) % WIN_FRAMES
        animated: list[tuple[str, float, float]] = []
        for reel, stop in enumerate(picture.stops):
            for row in range(self._look.game.rows):
                symbol = strips[reel][(stop + row) % len(strips[reel])]
                left, top, _, _ = cell_box(reel, row)
                if (reel, row) in lit:
                    animated.append((symbol, left, top))
                else:
                    stage.draw(cells.dimmed(symbol), left, top)
        if numbers:
            stage.draw(*self._lines.overlay(numbers))
        for number in numbers:
            stage.draw_centred(self._world.sprite("line_badge_lit"), *self._lines.badges[number - 1])
            stage.draw_centred(self._props.letters.text(str(number), 17), *self._lines.badges[number - 1])
        for _symbol, left, top in animated:
            stage.draw(cells.bare(), left, top)
        for symbol, left, top in animated:
            stage.draw(self._world.sprite(f"{symbol}_win_{frame:02d}"), left - WIN_MARGIN, top - WIN_MARGIN)
            stage.draw(self._world.sprite("win_cell"), left, top)

    def _line_cells(self, win: LineWin) -> set[Cell]:
        rows = self._look.lines[win.line - 1]
        return {(reel, rows[reel]) for reel in range(win.count)}

    def _words(self, win: LineWin | ScatterWin, view: View) -> str:
        figures = {
            "count": win.count,
            "symbol": self._look.symbols[win.symbol],
            "coins": text.count(text.COIN, text.COINS, win.coins, view.money.thousands),
            "amount": self._amount(win.coins, view),
        }
        if isinstance(win, ScatterWin):
            return text.say(text.SCATTER_WIN, **figures)
        template = text.LINE_WIN if win.multiplier == 1 else text.LINE_WIN_TIMES
        return text.say(template, line=win.line, times=win.multiplier, **figures)

    @staticmethod
    def _amount(coins: int, view: View) -> str:
        value = 1 if view.bet is None else view.bet.coin_value_cents
        return written(coins * value, view.money)


def _column_glow(scale: float) -> pygame.Surface:
    """Return a golden border of light for one reel, brightest at its edges."""
    width, height = round(CELL[0] * scale), round(REELS[3] * scale)
    glow = clear((width, height))
    reach = round(26 * scale)
    for inset in range(reach):
        strength = round(200 * (1 - inset / reach) ** 2)
        pygame.draw.rect(glow, (255, 224, 130, strength), (inset, inset, width - 2 * inset, height - 2 * inset), 1)
    return glow
