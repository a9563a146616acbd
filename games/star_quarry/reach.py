"""What a whole play of Star Quarry wins: `cabinet figures star_quarry` works out "win up to" from it."""

from gamekit.declared.reach import DeclaredReach
from games.star_quarry.maths import MATHS

_REACH = DeclaredReach(MATHS, 2**20)

LEFT_OUT = _REACH.left_out
SPECTRA = _REACH.spectra
spectrum = _REACH.spectrum
promises = _REACH.promises
