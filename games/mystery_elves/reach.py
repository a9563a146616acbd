"""What a whole play of Mystery Elves wins, paid or bought: lines, and Hold and Win; no gamble."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from gamekit.exact.tails import Spectra, Spectrum, reached, scaled
from gamekit.exact.wins import SpinWins
from gamekit.figures import Promise
from gamekit.play import Stake
from games.mystery_elves.feature_maths import CELLS
from games.mystery_elves.maths import MATHS, SPIN
from games.mystery_elves.pays import (
    AWARDS,
    CARRIED,
    CARRIED_BESIDE_MULTIPLYING,
    FULL_MULTIPLIER,
    GRAND,
    GRAND_MULTIPLIER,
    MAJOR,
    MULTIPLIERS,
    MULTIPLYING,
    MYSTERY,
    VALUES,
)
from games.mystery_elves.play import TRIGGERS

LEFT_OUT = ""

# All fits that a play can win: 145,550 coins.
SPECTRA = Spectra(2**18)


class _Feature:
    """The spectra of Hold and Win that ends with `filled` symbols, in coins of which `bet` are a whole bet."""

    def __init__(self, filled: int, bet: int) -> None:
        self._filled = filled
        self._bet = bet * (FULL_MULTIPLIER if filled == CELLS else 1)
        self._turned = self._of(VALUES.weights, VALUES.total)

    def _of(self, bets: Mapping[int, int], total: int, times: int = 1) -> Spectrum:
        return SPECTRA.of(scaled(bets, total, times=times * self._bet))

    def _others(self, count: int, times: int) -> tuple[Spectrum, Spectrum]:
        """Return what `count` symbols beside Multiplying come to: without GRAND, and with it.

        Beyond the first a GRAND counts as MAJOR: so any number of them is worth GRAND - MAJOR more than as many MAJOR.
        """
        table = CARRIED_BESIDE_MULTIPLYING
        values = {value: weight for value, weight in table.weights.items() if value != MYSTERY}
        mystery = table.weights[MYSTERY] / table.total * self._turned
        low = {award: weight for award, weight in AWARDS.weights.items() if award != GRAND}
        plain = self._of(values, table.total, times) + mystery * self._of(low, AWARDS.total, times)
        as_major = mystery * self._of({MAJOR: AWARDS.weights[GRAND]}, AWARDS.total, times)
        more = self._of({GRAND - MAJOR: 1}, 1, times)
        return plain**count, ((plain + as_major) ** count - plain**count) * more

    def law(self) -> Spectrum:
        """Return the spectrum of the feature's win."""
        none = (1 - CARRIED.weights[MULTIPLYING] / CARRIED.total) ** self._filled
        multiplied = self._others(self._filled - 1, GRAND_MULTIPLIER)[1]
        for times, weight in MULTIPLIERS.weights.items():
            multiplied = multiplied + weight / MULTIPLIERS.total * self._others(self._filled - 1, times)[0]
        spectrum: Spectrum = none * sum(self._others(self._filled, 1)) + (1 - none) * multiplied * self._turned
        return spectrum


@cache
def _feature(held: int, bet: int) -> Spectrum:
    """Return the spectrum of Hold and Win that starts with `held` symbols."""
    ends = MATHS.filled.law(held)
    spectrum: Spectrum = sum(float(chance) * _end(filled, bet) for filled, chance in ends.items())  # type: ignore[assignment]
    return spectrum


@cache
def _end(filled: int, bet: int) -> Spectrum:
    return _Feature(filled, bet).law()


def spectrum(stake: Stake) -> Spectrum:
    """Return the spectrum of a whole play, in coins."""
    law = SpinWins(SPIN, stake.lines).law()
    chance = 1.0 if stake.price > 1 else float(MATHS.trigger_chance)
    play = SPECTRA.of({0: 0.0})
    plain = Counter(law.ways)
    for held, group in MATHS.triggering.items():
        plain.subtract(group.wins)
        play = play + chance * SPECTRA.of(scaled(group.wins, TRIGGERS.total)) * _feature(held, stake.coins)
    return play if stake.price > 1 else play + SPECTRA.of(scaled(plain, law.combinations))


def promises() -> Iterator[Promise]:
    """Yield what the bought and the paid spin may promise."""
    for stake in MATHS.stakes:
        found = reached(SPECTRA.tail(spectrum(stake)))
        yield Promise.of(stake, found.coins, found.one_in)
