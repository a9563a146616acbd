"""Hold and win: bonus symbols stay where they landed, and every empty cell spins its own reel.

All games with this feature share this module. A new symbol resets the respins to the full number; the feature ends when
no respin is left or every cell is filled. The game itself draws a symbol's value when the symbol lands.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

from gamekit.beats import Begin, Cell, Continue, checked_choice
from gamekit.play import Answer, Beat, Draw, Step
from gamekit.reels import Strip


@dataclass(frozen=True)
class HoldRules:
    """A window of `reels` x `rows` cells, each with its own reel that shows one stop of `strip`.

    `symbol` is the one that stays; each one that lands sets the respins left to `respins`. Raises ValueError if there
    are no respins, or if the strip lacks the symbol or has no other.
    """

    reels: int
    rows: int
    strip: Strip
    symbol: str
    respins: int = 3

    def __post_init__(self) -> None:
        """Refuse rules that could not be played, or that fill every cell at once."""
        if self.respins < 1:
            raise ValueError(f"{self.respins} respins cannot be played: give 1 or more")
        if not 0 < self.strip.count(self.symbol) < len(self.strip):
            raise ValueError(f"a cell's strip needs stops with {self.symbol} and stops without it")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, from left to right and, within a reel, from top to bottom."""
        return tuple((reel, row) for reel in range(self.reels) for row in range(self.rows))


class RespinsWon(Beat, frozen=True, gc=False):
    """Hold and win starts with `respins` respins; the symbols in `held` stay."""

    respins: int
    held: tuple[Cell, ...]


class CellsLanded(Beat, frozen=True, gc=False):
    """A respin has landed: each of the `cells` that were empty shows its own strip at the stop in `stops`.

    `left` respins remain, after the reset if a new symbol landed.
    """

    cells: tuple[Cell, ...]
    stops: tuple[int, ...]
    left: int


class RespinsEnded(Beat, frozen=True, gc=False):
    """No respin is left or every cell is filled; `filled` cells hold a symbol."""

    filled: int


class ValuesLanded(Beat, frozen=True, gc=False):
    """Symbols have landed in `cells`, or were held there from the start; each carries so many whole `bets`."""

    cells: tuple[Cell, ...]
    bets: tuple[int, ...]


class HoldPaid(Beat, frozen=True, gc=False):
    """Hold and win is over and pays `coins`: so many whole `bets`, what a `full` window adds among them."""

    bets: int
    full: bool


def play_respins(
    held: Sequence[Cell], rules: HoldRules, draw: Draw, land: Callable[[Sequence[Cell]], Beat]
) -> Generator[Step, Answer | None, int]:
    """Play hold and win from the cells `held`, and return how many are filled at its end.

    Each respin begins with an offer, and its draws follow the answer. `land` is called with the cells in which new
    symbols have landed, draws their values, and returns the beat that shows them.
    """
    filled = set(held)
    left = rules.respins
    yield RespinsWon(left, tuple(held))
    offer: Continue = Begin(left)
    while left and len(filled) < len(rules.cells):
        checked_choice(offer, (yield offer))
        empty = tuple(cell for cell in rules.cells if cell not in filled)
        stops = tuple(draw(len(rules.strip)) for _ in empty)
        landed = [cell for cell, stop in zip(empty, stops, strict=True) if rules.strip[stop] == rules.symbol]
        left = rules.respins if landed else left - 1
        yield CellsLanded(empty, stops, left)
        if landed:
            filled.update(landed)
            yield land(landed)
        offer = Continue(left)
    yield RespinsEnded(len(filled))
    return len(filled)
