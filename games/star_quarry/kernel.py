"""Star Quarry's play, compiled, from its definition."""

from gamekit.kernels.declared import declared_kernel
from games.star_quarry.maths import MATHS

KERNEL = declared_kernel(MATHS)
"""Star Quarry's kernel."""
