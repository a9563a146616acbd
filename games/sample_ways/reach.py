"""What a whole play of Sample Game wins: `cabinet figures sample_ways` works out "win up to" from it."""

from gamekit.declared.reach import DeclaredReach
from games.sample_ways.maths import MATHS

_REACH = DeclaredReach(MATHS, 2**17)

LEFT_OUT = _REACH.left_out
SPECTRA = _REACH.spectra
spectrum = _REACH.spectrum
promises = _REACH.promises
