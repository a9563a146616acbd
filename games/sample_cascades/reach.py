"""What a whole play of Sample Game wins: `cabinet figures sample_cascades` works out "win up to" from it."""

from gamekit.declared.reach import DeclaredReach
from games.sample_cascades.maths import MATHS

_REACH = DeclaredReach(MATHS, 2**19)

LEFT_OUT = _REACH.left_out
SPECTRA = _REACH.spectra
spectrum = _REACH.spectrum
promises = _REACH.promises
