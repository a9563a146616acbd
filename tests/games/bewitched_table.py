"""Playing Bewitched by hand: windows and potions put together on purpose."""

from collections.abc import Callable, Sequence
from itertools import takewhile

from gamekit.play import Claim, Offer, Stake, Step
from games.bewitched import GAME
from games.bewitched.pays import MERLIN, POOL, WITCHES
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, Potion, potion_weights
from games.bewitched.strips import REELS
from tests.games.table import Script, Stops, play_out

ONE_LINE = Stake(lines=1, coins_per_line=1)
WON, LOST = 0, 1
SPECIAL = {WITCHES, MERLIN}


def stop_showing(reel: int, symbol: str, row: int) -> int:
    """Return a stop that shows `symbol` of `reel` in `row`, and no witches or Merlin but it."""
    for stop in range(REELS.lengths[reel]):
        column = REELS.column(reel, stop)
        if column[row] == symbol and not SPECIAL & ({*column} - {symbol}):
            return stop
    raise LookupError(f"reel {reel + 1} never shows {symbol} in row {row}")


def middle_row(*symbols: str) -> Stops:
    """Return stops whose middle row, payline 1, shows `symbols`, with no witches or Merlin elsewhere in the window."""
    return tuple(stop_showing(reel, symbol, 1) for reel, symbol in enumerate(symbols))


NOTHING = middle_row("ace", "moon", "ten", "king", "queen")
"""Stops that win nothing on payline 1."""


def specials(*, witches: int = 0, merlins: int = 0) -> Stops:
    """Return stops with Merlins on the first reels and witches on the last, and nothing won on payline 1."""
    reels = len(REELS.strips)
    return tuple(
        stop_showing(reel, MERLIN, 0)
        if reel < merlins
        else stop_showing(reel, WITCHES, 0)
        if reel >= reels - witches
        else NOTHING[reel]
        for reel in range(reels)
    )


MOONS = middle_row("moon", "moon", "moon", "king", "queen")
"""Stops that win three moons on payline 1."""

NOTHING_ON_ANY_LINE = (8, 36, 4, 16, 7)
"""Stops that win nothing on any of the fifteen lines, with fewer witches and Merlins than do anything."""

MOONS_AND_WITCHES = (*MOONS[:3], *specials(witches=2)[3:])
"""Three moons on payline 1, and two scatters."""

MOONS_AND_MERLINS = (3, 6, 17, 21, 13)
"""Three moons on payline 1, and Merlins on reels 3 to 5."""


def brew(kind: str, amount: int, bet: int) -> int:
    """Return a draw that makes this potion at a whole bet of `bet` coins."""
    weights = potion_weights(bet)
    return sum(weights[before] for before in takewhile(lambda potion: potion != Potion(kind, amount), weights))


def money(amount: int, bet: int = 1) -> int:
    """Return a draw that makes money of `amount` bets."""
    return brew(MONEY, amount, bet)


def spins(amount: int, bet: int = 1) -> int:
    """Return a draw that makes `amount` free spins."""
    return brew(FREE_SPINS, amount, bet)


def jackpot(bet: int = 1) -> int:
    """Return a draw that makes the jackpot."""
    return brew(JACKPOT, 0, bet)


def first_choice(offer: Offer) -> int:
    """Take what is offered first, which collects a win, and the seed of a pool."""
    return POOL.seed_coins if isinstance(offer, Claim) else offer.choices[0]


def play_round(
    values: Sequence[int], stake: Stake = ONE_LINE, choose: Callable[[Offer], int] = first_choice
) -> list[Step]:
    """Play a round with `values` drawn, all of them."""
    draw = Script(values)
    steps = play_out(stake, draw, choose, GAME)
    assert draw.spent
    return steps
