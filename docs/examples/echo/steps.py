"""Lagoon's own step."""

from gamekit.play import Beat


class LinesPaidAgain(Beat, frozen=True, gc=False):
    """The line wins of the paid spin are paid once more: `coins` are their sum."""
