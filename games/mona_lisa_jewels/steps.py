"""The steps that only Mona Lisa Jewels yields: jewel spins, and five jackpot symbols on a line."""

import msgspec

from gamekit.play import Beat


class Held(msgspec.Struct, frozen=True, gc=False):
    """A symbol that stays where it is while its reel spins behind it; `reel` and `row` from 0."""

    reel: int
    row: int
    symbol: str


class FiveJackpots(Beat, frozen=True, gc=False):
    """Payline `line` (from 1) shows five jackpot symbols; `coins` is 0 where a claim of the pool follows."""

    line: int


class JewelSpinsWon(Beat, frozen=True, gc=False):
    """`spins` jewel spins start: reel 1 is locked, and what is `held` on the other reels stays."""

    spins: int
    held: tuple[Held, ...]


class JewelSpinBegins(Beat, frozen=True, gc=False):
    """Jewel spin `number` (from 1) of `total` starts."""

    number: int
    total: int


class JewelsHeld(Beat, frozen=True, gc=False):
    """These symbols have landed in a jewel spin and stay for the next one."""

    held: tuple[Held, ...]


class JewelSpinsEnded(Beat, frozen=True, gc=False):
    """The jewel spins are over; `spins` of them paid `total` coins."""

    spins: int
    total: int
