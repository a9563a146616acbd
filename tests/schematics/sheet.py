"""The empty sheet that every schematic begins with."""

import schemdraw

SMALL = 11
"""The size of most letters, in points."""


def sheet() -> schemdraw.Drawing:
    """Return an empty drawing; white, so that it can be read on a dark page."""
    drawing = schemdraw.Drawing(canvas="svg", show=False)
    drawing.config(unit=2.4, fontsize=SMALL, font="Roboto, Arial, sans-serif", bgcolor="white", margin=0.5)
    return drawing
