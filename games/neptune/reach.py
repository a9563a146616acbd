"""What a whole play of Neptune wins, at one coin on each line: lines, Mermaids, chests, free spins."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from gamekit.exact.definition import SpinDefinition
from gamekit.exact.tails import Outcomes, Spectra, Spectrum, mixed, played_out, reached, scaled
from gamekit.exact.wins import SpinWins
from gamekit.figures import Promise
from gamekit.play import Stake
from games.neptune.maths import MATHS
from games.neptune.pays import CHEST_TABLE, FREE_SPINS, MERMAID_PAYS

LEFT_OUT = ""

SPECTRA = Spectra(2**18)

# More than the lines can pay: what a treasure on a line counts as, by the chests that it opens.
_MARK = 10**4


@cache
def _chests(count: int) -> Spectrum:
    """Return the spectrum of what `count` chests pay."""
    one = SPECTRA.of(scaled(CHEST_TABLE.weights, CHEST_TABLE.total))
    spectrum: Spectrum = one**count
    return spectrum


def _spin(spin: SpinDefinition, lines: int) -> Outcomes:
    """Return the outcomes of a paid or free spin."""
    marked = replace(spin, picks=replace(spin.picks, largest=_MARK))
    outcomes = []
    for mermaids, ways in SpinWins(marked, lines, with_picks=True).by_scatters().items():
        by_chests: dict[int, dict[int, int]] = {}
        for won, count in ways.items():
            chests, coins = divmod(won, _MARK)
            by_chests.setdefault(chests, {})[coins] = count
        plus = MERMAID_PAYS.get(mermaids, 0) * lines
        for chests, by_coins in by_chests.items():
            law = SPECTRA.of(scaled(by_coins, spin.combinations, times=spin.multiplier, plus=plus))
            outcomes.append((FREE_SPINS.get(mermaids, 0), law * _chests(chests)))
    return mixed(outcomes)


def spectrum(stake: Stake) -> Spectrum:
    """Return the spectrum of a whole play, in coins for each coin on a line."""
    return played_out(_spin(MATHS.base, stake.lines), _spin(MATHS.free, stake.lines))


def promises() -> Iterator[Promise]:
    """Yield what every bet may promise; coins on a line scale every win alike."""
    for lines in MATHS.game.line_counts:
        found = reached(SPECTRA.tail(spectrum(Stake(lines=lines, coins_per_line=1))))
        for coins in MATHS.game.coins_per_line:
            yield Promise.of(Stake(lines=lines, coins_per_line=coins), found.coins * coins, found.one_in)
