"""Drawing of a hold and its band: coordinates in a picture of 200 by 18 units."""

from typing import NamedTuple

from venue.page.expectations import Judged

WIDTH = 200.0


class Band(NamedTuple):
    """Horizontal positions and widths of the parts of the drawing, in units from the left."""

    wide: float
    wide_width: float
    usual: float
    usual_width: float
    mean: float
    at: float


def band(judged: Judged) -> Band | None:
    """Return the drawing of a judged hold, None without a band; a hold far outside is drawn at the edge."""
    usual, wide, middle = judged.hold_band, judged.hold_wide_band, judged.expected_hold
    if usual is None or wide is None or middle is None or judged.hold is None:
        return None
    span = max(wide[1] - wide[0], 1e-9) * 1.5

    def place(hold: float) -> float:
        return round(min(max((hold - middle) / span + 0.5, 0.02), 0.98) * WIDTH, 1)

    return Band(
        wide=place(wide[0]),
        wide_width=round(place(wide[1]) - place(wide[0]), 1),
        usual=place(usual[0]),
        usual_width=round(place(usual[1]) - place(usual[0]), 1),
        mean=place(middle),
        at=place(judged.hold),
    )
