"""Small plots as inline SVG, for the PAR sheet: horizontal bars and a curve. Floating point serves drawing alone."""

from collections.abc import Sequence
from html import escape

_WIDTH = 640
_LABEL = 170
_ROW = 24
_HEIGHT = 240
_MARGIN = 56


def bars(title: str, values: Sequence[tuple[str, float]], unit: str = "") -> str:
    """Return horizontal bars, one for each named value of 0 or more; negative values are drawn without a bar."""
    most = max((value for _, value in values), default=0.0) or 1.0
    room = _WIDTH - _LABEL - 110
    rows = []
    for number, (name, value) in enumerate(values):
        top = 40 + number * _ROW
        width = max(value, 0.0) / most * room
        rows.append(
            f'<text x="{_LABEL - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{_LABEL}" y="{top}" width="{width:.2f}" height="{_ROW - 8}"/>'
            f'<text x="{_LABEL + width + 6:.2f}" y="{top + 13}">{value:.6g}{escape(unit)}</text>'
        )
    return _figure(title, 48 + len(values) * _ROW, "".join(rows))


def curve(title: str, points: Sequence[tuple[float, float]], across: str, up: str) -> str:
    """Return a curve through `points`, with the axes named; raises ValueError where there is no point."""
    if not points:
        raise ValueError(f"{title}: a curve needs a point")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    left, right, most = min(xs), max(xs), max(ys) or 1.0
    wide, high = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN
    placed = [
        (_MARGIN + (x - left) / ((right - left) or 1.0) * wide, _HEIGHT - _MARGIN - y / most * high) for x, y in points
    ]
    path = " ".join(f"{x:.2f},{y:.2f}" for x, y in placed)
    foot = _HEIGHT - _MARGIN
    body = (
        f'<path d="M{_MARGIN},{_MARGIN} V{foot} H{_WIDTH - _MARGIN}" class="axis"/>'
        f'<polyline points="{path}" class="curve"/>'
        f'<text x="{_MARGIN - 6}" y="{_MARGIN + 4}" text-anchor="end">{most:.4g}</text>'
        f'<text x="{_MARGIN - 6}" y="{foot}" text-anchor="end">0</text>'
        f'<text x="{_MARGIN}" y="{foot + 18}">{left:g}</text>'
        f'<text x="{_WIDTH - _MARGIN}" y="{foot + 18}" text-anchor="end">{right:g} {escape(across)}</text>'
        f'<text x="{_MARGIN}" y="{_MARGIN - 8}">{escape(up)}</text>'
    )
    return _figure(title, _HEIGHT, body)


def _figure(title: str, height: int, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<text x="8" y="20" class="title">{escape(title)}</text>{body}</svg>'
    )
