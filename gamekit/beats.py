"""The steps that the games share: the beats of reels, lines, scatters, picks and free spins.

A beat's pay is in `coins`, with multipliers and coins per line included; a `total` only repeats the pays of
earlier beats. Lines, rows and reels count from 0 in cells, and from 1 where the player reads a number
(`LineWin.line`).
"""

from typing import ClassVar

from gamekit.play import Answer, Beat, Offer

Cell = tuple[int, int]
"""A place in the window: reel and row, both from 0, row 0 at the top."""


class AnswerError(ValueError):
    """An offer got no answer, or a choice that it did not offer."""

    def __init__(self, offer: Offer, answer: Answer | None) -> None:
        super().__init__(f"an offer of the choices {', '.join(map(str, offer.choices))} was answered with {answer}")


class ReelsLanded(Beat, frozen=True, gc=False):
    """The reels have stopped: for each reel the strip position that its top row shows."""

    stops: tuple[int, ...]


class LineWin(Beat, frozen=True, gc=False):
    """Payline `line` (from 1) pays for `count` cells from reel 1; `multiplier` is already in `coins`."""

    line: int
    symbol: str
    count: int
    multiplier: int = 1


class WaysWin(Beat, frozen=True, gc=False):
    """`symbol` pays on `ways` ways through `count` reels from reel 1; `cells` are all cells of these ways.

    `multiplier` is already in `coins`.
    """

    symbol: str
    count: int
    ways: int
    cells: tuple[Cell, ...]
    multiplier: int = 1


class CascadeFell(Beat, frozen=True, gc=False):
    """The winning `cells` have vanished and the symbols above them have fallen: fall `number` (from 1) of this spin.

    `window` is what the reels then show, columns from left to right; its wins are paid `multiplier` times.
    """

    number: int
    cells: tuple[Cell, ...]
    window: tuple[tuple[str, ...], ...]
    multiplier: int


class WildsExpanded(Beat, frozen=True, gc=False):
    """The wild on each of the `reels` (from 0) has expanded to the whole reel."""

    reels: tuple[int, ...]


class WildsHeld(Beat, frozen=True, gc=False):
    """The wilds in `cells` stay where they are for the free spins to come."""

    cells: tuple[Cell, ...]


class ScatterWin(Beat, frozen=True, gc=False):
    """`count` scatters are anywhere in the window, in `cells`."""

    symbol: str
    count: int
    cells: tuple[Cell, ...]


class PicksWon(Beat, frozen=True, gc=False):
    """Payline `line` (from 1) starts a pick bonus: `count` of the `shown` objects may be opened."""

    line: int
    symbol: str
    count: int
    shown: int


class PickOpened(Beat, frozen=True, gc=False):
    """Object `choice` was opened and pays `coins`."""

    choice: int


class PicksEnded(Beat, frozen=True, gc=False):
    """The pick bonus is over; its objects paid `total` coins together."""

    total: int


class JackpotWon(Beat, frozen=True, gc=False):
    """The pool has answered a `Claim`: `coins` are its whole coins."""


class FreeSpinsWon(Beat, frozen=True, gc=False):
    """`spins` free spins join the queue; `retrigger` if they were won by a free spin."""

    spins: int
    retrigger: bool = False


class FreeSpinBegins(Beat, frozen=True, gc=False):
    """Free spin `number` (from 1) of the `total` won so far starts."""

    number: int
    total: int


class FreeSpinsEnded(Beat, frozen=True, gc=False):
    """The queue is empty: `spins` free spins paid `total` coins, features won in them included."""

    spins: int
    total: int


class Continue(Offer, frozen=True, gc=False):
    """The next of the `left` free spins or respins starts by itself; there is nothing to choose."""

    waits: ClassVar[bool] = False

    left: int


class Begin(Continue, frozen=True, gc=False, tag="Continue"):
    """A `Continue` that waits for a press, before the first spin. On the wire and in the journal it is a `Continue`."""

    waits: ClassVar[bool] = True


class Pick(Offer, frozen=True, kw_only=True, gc=False):
    """One of the objects not yet opened may be opened; `left` picks remain, this one included."""

    left: int
    pick: bool = True


def checked_choice(offer: Offer, answer: Answer | None) -> int:
    """Return the choice that answers `offer`; raise `AnswerError` where it was not on offer."""
    if answer is None or answer.choice not in offer.choices:
        raise AnswerError(offer, answer)
    return answer.choice
