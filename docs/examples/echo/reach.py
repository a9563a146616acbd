"""What a whole play of Lagoon wins, without its echo: `cabinet figures lagoon` works out "win up to" from it."""

from collections.abc import Iterator

from gamekit.declared.line_reach import line_promises, line_spectrum
from gamekit.exact.tails import Spectra, Spectrum
from gamekit.figures import Promise
from gamekit.play import Stake
from games.lagoon.maths import MATHS

LEFT_OUT = "line wins that are paid again"

SPECTRA = Spectra(2**17)


def spectrum(stake: Stake) -> Spectrum:
    """Return the spectrum of a play, in coins for each coin on a line."""
    return line_spectrum(MATHS, SPECTRA, stake.lines)


def promises() -> Iterator[Promise]:
    """Yield what every bet may promise."""
    return line_promises(MATHS, SPECTRA)
