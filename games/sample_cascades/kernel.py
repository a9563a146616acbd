"""Sample Game's play, compiled, from its definition."""

from gamekit.kernels.declared import declared_kernel
from games.sample_cascades.maths import MATHS

KERNEL = declared_kernel(MATHS)
