"""The potion features and the Explosion: respins on strips without potions and Free Spins symbols."""

from collections.abc import Generator, Sequence
from functools import cache
from itertools import combinations

from gamekit.beats import Cell, LineWin
from gamekit.lines import LineEvaluator
from gamekit.play import Answer, Draw, Stake, Step
from gamekit.reels import Reels
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    EXPLOSION_SYMBOLS,
    EXPLOSION_TABLE,
    LINE_RULES,
    LINES,
    MULTIPLIER_TABLE,
    RANDOM_WILDS_TABLE,
    REEL_COUNT,
    ROWS,
    WILD,
)
from games.witch_feature.potions import EXPLOSION
from games.witch_feature.steps import FeatureBegins, FeatureEnded, Respun
from games.witch_feature.strips import HIGH_REELS, RESPIN_REELS

CELLS: tuple[Cell, ...] = tuple((reel, row) for reel in range(REEL_COUNT) for row in range(ROWS))


def _squares(size: int) -> list[tuple[Cell, ...]]:
    """Return the cells of every square of `size` x `size` that the window holds, from left to right."""
    return [
        tuple((reel + x, row + y) for x in range(size) for y in range(size))
        for reel in range(REEL_COUNT - size + 1)
        for row in range(ROWS - size + 1)
    ]


MEGA_WILDS: tuple[tuple[tuple[Cell, ...], ...], ...] = (
    tuple(_squares(3)),
    tuple((*a, *b) for a, b in combinations(_squares(2), 2) if not set(a) & set(b)),
)
"""The two kinds of Mega Wild, equally likely, and each one's places: one of 3x3, or two of 2x2 that don't overlap."""


@cache
def evaluator(reels: Reels) -> LineEvaluator:
    """Return the fifty lines on `reels`, built when they are first played."""
    return LineEvaluator(reels, LINES, LINE_RULES)


def draw_cells(draw: Draw, count: int) -> tuple[Cell, ...]:
    """Draw `count` distinct cells of the window, every set equally likely."""
    cells = list(CELLS)
    return tuple(sorted(cells.pop(draw(len(cells))) for _ in range(count)))


def _draw_marks(draw: Draw, features: Sequence[str]) -> tuple[tuple[Cell, ...], str]:
    """Draw what lands on top of the respin's reels, and the symbol that it is or turns into."""
    if "random_wilds" in features:
        return draw_cells(draw, RANDOM_WILDS_TABLE.draw(draw)), WILD
    if "mega_wild" in features:
        places = MEGA_WILDS[draw(len(MEGA_WILDS))]
        return places[draw(len(places))], WILD
    if EXPLOSION in features:
        cells = draw_cells(draw, EXPLOSION_MARKS)
        return cells, EXPLOSION_SYMBOLS[EXPLOSION_TABLE.draw(draw)]
    return (), ""


def feature_reels(features: Sequence[str]) -> Reels:
    """Return the reels that `features` respin."""
    return HIGH_REELS if "high_symbols" in features else RESPIN_REELS


def marked(reels: Reels, step: Respun) -> tuple[tuple[str, ...], ...]:
    """Return the window of a respin, from left to right, with its marks turned into their symbol."""
    window = [list(column) for column in reels.window(step.stops)]
    for reel, row in step.marks:
        window[reel][row] = step.symbol
    return tuple(tuple(column) for column in window)


def play_feature(stake: Stake, draw: Draw, features: tuple[str, ...]) -> Generator[Step, Answer | None, int]:
    """Play `features` and return the coins they paid.

    Multiplier by itself respins until a win; joined to another feature it multiplies that one's single respin.
    """
    multiplier = MULTIPLIER_TABLE.draw(draw) if "multiplier" in features else 1
    yield FeatureBegins(features=features, multiplier=multiplier)
    reels = feature_reels(features)
    lines = evaluator(reels)
    coins = 0
    while True:
        cells, symbol = _draw_marks(draw, features)
        respin = Respun(stops=reels.spin(draw), marks=cells, symbol=symbol)
        yield respin
        hits = lines.hits_in(marked(reels, respin), stake.lines) if cells else lines.hits(respin.stops, stake.lines)
        for hit in hits:
            win = hit.pay * stake.coins_per_line * multiplier
            coins += win
            yield LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
        if hits or features != ("multiplier",):
            break
    yield FeatureEnded(features=features, total=coins)
    return coins
