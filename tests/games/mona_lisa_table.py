"""Mona Lisa Jewels by hand: stops found for what they show."""

from gamekit.play import Stake
from games.mona_lisa_jewels.jewels import TRIGGERS
from games.mona_lisa_jewels.pays import (
    JEWEL,
    MONA_LISA,
    PALETTE,
)
from games.mona_lisa_jewels.strips import REELS

HIGHEST = Stake(lines=25, coins_per_line=10)


QUIET = ("lute", "queen", "jack", "ten", "king")


def stop(reel: int, symbol: str, row: int = 1) -> int:
    """Return a stop that shows `symbol` in `row`, no jewels that lock, no other palette, and little else to hold."""

    def disturbance(number: int) -> int:
        column = REELS.column(reel, number)
        others = [shown for place, shown in enumerate(column) if place != row]
        return 10 * (others.count(PALETTE) + (reel == 0 and number in TRIGGERS)) + sum(
            shown in {JEWEL, MONA_LISA} for shown in others
        )

    return min((n for n in range(35) if REELS.column(reel, n)[row] == symbol), key=disturbance)


def middle(*symbols: str) -> tuple[int, ...]:
    """Return stops whose middle row, payline 1, shows `symbols` and whose other rows show no feature."""
    return tuple(stop(reel, symbol) for reel, symbol in enumerate(symbols))


def trigger(middle_symbol: str) -> int:
    """Return the stop of reel 1 that locks it with `middle_symbol` in the middle row."""
    return next(number for number in sorted(TRIGGERS) if REELS.column(0, number)[1] == middle_symbol)


def palettes(count: int) -> tuple[int, ...]:
    """Return stops that show palettes on the last `count` reels, in the top row, and win nothing on payline 1."""
    return (*middle(*QUIET[: 5 - count]), *(stop(reel, PALETTE, 0) for reel in range(5 - count, 5)))


NOTHING = middle(*QUIET)


BEHIND = NOTHING[1:]
