"""What a whole play of Bewitched wins: lines, witches, potions with the pool at its seed, free spins; no double-up."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache

from gamekit.exact.tails import Outcomes, Spectra, Spectrum, mixed, played_out, reached, scaled
from gamekit.exact.walks import Ways
from gamekit.exact.wins import SpinWins
from gamekit.figures import Promise
from gamekit.play import Stake
from games.bewitched import GAME
from games.bewitched.moments import SPIN, shown
from games.bewitched.pays import (
    BATTLE_ODDS,
    BATTLE_SPINS,
    FREE_SPIN_MULTIPLIER,
    MERLINS,
    POOL,
    WITCHES_PAYS,
)
from games.bewitched.potions import FREE_SPINS, JACKPOT, MONEY, Potion, potion_weights

LEFT_OUT = ""

SPECTRA = Spectra(2**18)


@cache
def _wins(lines: int) -> Mapping[int, Ways]:
    return SpinWins(SPIN, lines).by_scatters()


@cache
def _windows(lines: int, multiplier: int) -> Mapping[tuple[int, bool], Spectrum]:
    """Return the spectra of line and scatter wins, by the witches that fight (0 for none) and whether Merlin comes."""
    windows: dict[tuple[int, bool], Spectrum] = {}
    for count, ways in _wins(lines).items():
        witches, merlins = shown(count)
        key = (witches if witches in BATTLE_SPINS else 0, merlins >= MERLINS)
        plus = WITCHES_PAYS.get(witches, 0) * lines
        law = SPECTRA.of(scaled(ways, SPIN.combinations, times=multiplier, plus=plus))
        windows[key] = windows[key] + law if key in windows else law
    return windows


def worth(potion: Potion, stake: Stake) -> int:
    """Return what `potion` pays in coins per coin on a line; a pool that does not divide is rounded down."""
    return POOL.seed_coins // stake.coins_per_line if potion.kind == JACKPOT else potion.amount * stake.lines


def _potions(stake: Stake) -> Outcomes:
    """Return the outcomes of the potion."""
    weights = potion_weights(stake.coins)
    total = sum(weights.values())
    spins: dict[int, dict[int, int]] = {}
    for potion, weight in weights.items():
        won = potion.amount if potion.kind == FREE_SPINS else 0
        coins = worth(potion, stake) if potion.kind in {MONEY, JACKPOT} else 0
        by_coins = spins.setdefault(won, {})
        by_coins[coins] = by_coins.get(coins, 0) + weight
    return {won: SPECTRA.of(scaled(by_coins, total)) for won, by_coins in spins.items()}


def _spin(stake: Stake, multiplier: int) -> Outcomes:
    """Return the outcomes of a paid or free spin."""
    won = float(Fraction(1, BATTLE_ODDS))
    potions = _potions(stake)
    outcomes = []
    for (witches, brews), law in _windows(stake.lines, multiplier).items():
        battles = ((0, 1 - won), (BATTLE_SPINS[witches], won)) if witches else ((0, 1.0),)
        for battle, chance in battles:
            if brews:
                outcomes += [(battle + spins, chance * law * potion) for spins, potion in potions.items()]
            else:
                outcomes.append((battle, chance * law))
    return mixed(outcomes)


def spectrum(stake: Stake) -> Spectrum:
    """Return the spectrum of a whole play, in coins for each coin on a line."""
    return played_out(_spin(stake, 1), _spin(stake, FREE_SPIN_MULTIPLIER))


def promises() -> Iterator[Promise]:
    """Yield what every bet may promise; the coins bet change the odds of the jackpot."""
    for stake in GAME.stakes():
        found = reached(SPECTRA.tail(spectrum(stake)))
        yield Promise.of(stake, found.coins * stake.coins_per_line, found.one_in)
