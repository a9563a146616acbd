"""What a whole play of a game of lines, one scatter and free spins wins, for its `reach` module: no picks."""

from collections.abc import Iterator

from gamekit.declared.line_game import LineGameMaths
from gamekit.exact.definition import SpinDefinition
from gamekit.exact.tails import Outcomes, Spectra, Spectrum, mixed, played_out, reached, scaled
from gamekit.exact.wins import SpinWins
from gamekit.figures import Promise
from gamekit.play import Stake


def line_spectrum(maths: LineGameMaths, spectra: Spectra, lines: int) -> Spectrum:
    """Return the spectrum of a whole play with so many lines, in coins for each coin on a line."""
    return played_out(_spin(maths.base, spectra, lines), _spin(maths.free, spectra, lines))


def line_promises(maths: LineGameMaths, spectra: Spectra) -> Iterator[Promise]:
    """Yield what every bet may promise; coins on a line scale every win alike."""
    for lines in maths.game.line_counts:
        found = reached(spectra.tail(line_spectrum(maths, spectra, lines)))
        for coins in maths.game.coins_per_line:
            yield Promise.of(Stake(lines=lines, coins_per_line=coins), found.coins * coins, found.one_in)


def _spin(spin: SpinDefinition, spectra: Spectra, lines: int) -> Outcomes:
    """Return the outcomes of a paid or free spin."""
    outcomes = []
    for scatters, ways in SpinWins(spin, lines).by_scatters().items():
        plus = spin.scatter.pays.get(scatters, 0) * lines
        law = spectra.of(scaled(ways, spin.combinations, times=spin.multiplier, plus=plus))
        outcomes.append((spin.scatter.free_spins.get(scatters, 0), law))
    return mixed(outcomes)
