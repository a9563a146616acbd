"""The touch screen's calibration: an affine map from the reported to the true position of a finger (G10).

All positions are in units of 1280x720, whatever the monitor's shape. The map also corrects a panel that is mounted
upside down or rotated. It is stored in the journal, so that neither a door nor a restart loses it, and each view
carries it to the display.
"""

from collections.abc import Sequence

import msgspec

from controller.journal.key_value import SETTINGS
from controller.journal.settings import record_change_event
from controller.journal.transaction import Transaction

UNITS = (1280, 720)
TARGETS = ((128, 72), (1152, 72), (1152, 648), (128, 648), (640, 360))
"""The positions of the crosses, in order: four corners and the middle."""
FARTHEST = 24.0
"""The maximum distance in units of a touch from its cross after the map is applied; a finger is about 40 wide."""
MOST_STRETCHED = 3.0
"""A map that scales areas by more than this factor, up or down, cannot be a touch screen's."""
KEY = "touch.calibration"
NONE: tuple[float, ...] = ()
"""No calibration: the reported position is the true one."""
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
_ON_ONE_LINE = 1e-6
"""The determinant below which the touches do not span the screen; five crosses give about 0.2."""

Place = tuple[float, float]


class CalibrationError(ValueError):
    """The touches do not fit the crosses."""


def fitted(touched: Sequence[Place], targets: Sequence[Place] = TARGETS) -> tuple[float, ...]:
    """Return a, b, c, d, e, f of the best fit x' = ax + by + c and y' = dx + ey + f, by least squares.

    Raises `CalibrationError` if no map brings every touch to its cross.
    """
    a, b, c = _solved(touched, [x for x, _ in targets])
    d, e, f = _solved(touched, [y for _, y in targets])
    found = (a, b, c, d, e, f)
    if not 1 / MOST_STRETCHED <= abs(a * e - b * d) <= MOST_STRETCHED:
        raise CalibrationError("the touches lie too near together, or too far apart, to be a touch screen's")
    for place, target in zip(touched, targets, strict=True):
        x, y = applied(found, place)
        if max(abs(x - target[0]), abs(y - target[1])) > FARTHEST:
            raise CalibrationError("the touches do not lie as the crosses do")
    return tuple(round(value, 6) for value in found)


def applied(calibration: Sequence[float], place: Place) -> Place:
    """Return the true position of a finger that is reported at `place`."""
    a, b, c, d, e, f = calibration or _IDENTITY
    return a * place[0] + b * place[1] + c, d * place[0] + e * place[1] + f


def kept_calibration(tx: Transaction) -> tuple[float, ...]:
    """Return the calibration in force, empty for none."""
    text = SETTINGS.get(tx, KEY)
    return NONE if text is None else msgspec.json.decode(text, type=tuple[float, ...])


def keep_calibration(tx: Transaction, calibration: tuple[float, ...], who: str) -> None:
    """Store a calibration or remove it; the old and new one are recorded."""
    old = msgspec.json.encode(kept_calibration(tx)).decode()
    new = msgspec.json.encode(calibration).decode()
    if calibration:
        SETTINGS.store(tx, KEY, new)
    else:
        SETTINGS.remove(tx, KEY)
    record_change_event(tx, KEY, old, new, who, forgotten=not calibration)


def _solved(touched: Sequence[Place], wanted: Sequence[float]) -> tuple[float, float, float]:
    """Return the plane z = ax + by + c nearest to `wanted` over the touched positions, by Cramer's rule."""
    rows = [(x / UNITS[0], y / UNITS[1], 1.0) for x, y in touched]
    normal = [[sum(row[i] * row[j] for row in rows) for j in range(3)] for i in range(3)]
    right = [sum(row[i] * value for row, value in zip(rows, wanted, strict=True)) for i in range(3)]
    whole = _determinant(normal)
    if abs(whole) < _ON_ONE_LINE:
        raise CalibrationError("the touches lie on one line")
    solved = []
    for column in range(3):
        replaced = [[right[i] if j == column else normal[i][j] for j in range(3)] for i in range(3)]
        solved.append(_determinant(replaced) / whole)
    return solved[0] / UNITS[0], solved[1] / UNITS[1], solved[2]


def _determinant(m: Sequence[Sequence[float]]) -> float:
    return (
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    )
