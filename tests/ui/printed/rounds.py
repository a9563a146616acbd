"""What a win of so many symbols pays, found by playing: stops are looked for that win it, and the round is played."""

import random
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module

from gamekit.beats import LineWin, ScatterWin, WaysWin
from gamekit.catalogue import load
from gamekit.play import Beat, Offer, Stake
from gamekit.reels import Reels
from games.mona_lisa_jewels.steps import FiveJackpots

POOL = -1
"""What is won is the jackpot, whatever it is."""
_TRIES = 20_000


def reels_of(game: str) -> Reels:
    """Return the reels of a game's paid spins."""
    strips = import_module(f"games.{game}.strips")
    found: Reels = strips.REELS if hasattr(strips, "REELS") else import_module(f"games.{game}.play").PAID_REELS
    return found


def first_wins(game: str, stake: Stake, stops: Sequence[int]) -> Iterator[Beat]:
    """Play a round whose reels stop so, and yield its beats until it asks for something."""
    luck, given = random.Random(1), list(stops)
    play = load(game).play(stake, lambda bound: given.pop(0) if given else luck.randrange(bound), None)
    for step in play:
        if isinstance(step, Offer):
            return
        yield step


def paid_of(beat: Beat) -> tuple[str, int, int] | None:
    """Return symbol, count and coins of a win that nothing multiplies; None for any other beat."""
    match beat:
        case LineWin(symbol=symbol, count=count, multiplier=1):
            return symbol, count, beat.coins
        case WaysWin(symbol=symbol, count=count, ways=1, multiplier=1):
            return symbol, count, beat.coins
        case ScatterWin(symbol=symbol, count=count):
            return symbol, count, beat.coins
        case FiveJackpots():
            return "jackpot", 5, beat.coins or POOL
    return None


@cache
def stops_of(game: str, symbol: str, count: int) -> tuple[int, ...]:
    """Return stops with which `count` of `symbol` win on the fewest lines; raise `LookupError` where none are found."""
    reels, luck = reels_of(game), random.Random(2)
    found = load(game)
    stake = Stake(lines=found.line_counts[0], coins_per_line=found.coins_per_line[0])
    columns = [[reels.column(reel, stop) for stop in range(len(strip))] for reel, strip in enumerate(reels.strips)]
    with_it = [[stop for stop, column in enumerate(of) if symbol in column] for of in columns]
    without = [[stop for stop, column in enumerate(of) if symbol not in column] for of in columns]
    there = [reel for reel, stops in enumerate(with_it) if stops]
    for _ in range(_TRIES):
        # From reel 1 on where it can be, which lines and ways need; scatters may be on some reels only.
        chosen = {*range(count)} if {*range(count)} <= {*there} else {*luck.sample(there, min(count, len(there)))}
        stops = tuple(
            luck.choice(with_it[reel] if reel in chosen else without[reel] or with_it[reel])
            for reel in range(found.reels)
        )
        if any((paid_of(beat) or ())[:2] == (symbol, count) for beat in first_wins(game, stake, stops)):
            return stops
    raise LookupError(f"{game}: no round wins by {count} of {symbol}")


def pays(game: str, stake: Stake, symbol: str, count: int) -> int:
    """Return the coins that `count` of `symbol` win at `stake`, or `POOL`."""
    wins = (paid_of(beat) for beat in first_wins(game, stake, stops_of(game, symbol, count)))
    (coins,) = {win[2] for win in wins if win is not None and win[:2] == (symbol, count)}
    return coins
