"""Charts as inline SVG with axes, ticks, units and a caption: lines over linear or logarithmic axes, and heat maps.

Floating point serves drawing alone. Colours are classes (`par_style`), so that a page can be light, dark or printed.
"""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

_WIDTH, _HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _FOOT = 74, 20, 44, 52
_LARGE = 1e4
_TICKS = 6
_STEPS = (1, 2, 2.5, 5, 10)
_THOUSAND = 1000
_SMALL = 0.001
_CELL, _MOST_IN_ROW = 16, 40


class Axis(NamedTuple):
    """An axis: what it measures with its unit, and whether it is logarithmic (values above 0 only)."""

    label: str
    log: bool = False


class Series(NamedTuple):
    """A line through `points`; where `band` is given, the area between its lows and highs at each x is shaded."""

    name: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float, float]] = ()


class Cell(NamedTuple):
    """A cell of a heat map: its text, its value (None: none known), and what a pointer over it shows."""

    text: str
    value: float | None
    hint: str


class _Scale:
    def __init__(self, axis: Axis, values: Sequence[float], start: float, end: float) -> None:
        self.axis = axis
        known = [log10(value) for value in values if value > 0] if axis.log else list(values)
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        if axis.log:
            low, high = floor(low + 1e-9), ceil(high - 1e-9)
        else:
            self._step = _nice((high - low or 1.0) / _TICKS)
            low, high = floor(low / self._step + 1e-9) * self._step, ceil(high / self._step - 1e-9) * self._step
        self._low, self._high = low, (high if high > low else low + 1)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        position = log10(value) if self.axis.log else value
        return self._start + (position - self._low) / (self._high - self._low) * (self._end - self._start)

    def ticks(self) -> list[float]:
        if self.axis.log:
            every = max(1, ceil((self._high - self._low) / 9))
            return [10.0**power for power in range(int(self._low), int(self._high) + 1, every)]
        count = round((self._high - self._low) / self._step)
        return [self._low + self._step * number for number in range(count + 1)]


def lines(title: str, series: Sequence[Series], across: Axis, up: Axis, caption: str) -> str:
    """Return a figure of lines; raises ValueError where there is no point. `caption` says how it was obtained."""
    points = [point for one in series for point in one.points]
    bands = [entry for one in series for entry in one.band]
    if not points:
        raise ValueError(f"{title}: a chart needs a point")
    xs = _Scale(across, [x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    heights = [y for _, y in points] + [value for _, low, high in bands for value in (low, high)]
    ys = _Scale(up, heights, _HEIGHT - _FOOT, _TOP)
    drawn = [_grid(xs, ys)]
    for number, one in enumerate(series):
        kept = [(x, y) for x, y in one.points if (y > 0 or not up.log) and (x > 0 or not across.log)]
        if one.band:
            there = [f"{xs.place(x):.1f},{ys.place(high):.1f}" for x, _, high in one.band]
            back = [
                f"{xs.place(x):.1f},{ys.place(low):.1f}" for x, low, _ in reversed(one.band) if low > 0 or not up.log
            ]
            drawn.append(f'<polygon points="{" ".join([*there, *back])}" class="band s{number % 6}"/>')
        path = " ".join(f"{xs.place(x):.1f},{ys.place(y):.1f}" for x, y in kept)
        drawn.append(f'<polyline points="{path}" class="line s{number % 6}"/>')
    return _figure(title, _HEIGHT, "".join(drawn) + _legend([one.name for one in series]), caption)


def _grid(xs: _Scale, ys: _Scale) -> str:
    foot = _HEIGHT - _FOOT
    drawn = []
    for value in xs.ticks():
        at = xs.place(value)
        drawn.append(
            f'<path d="M{at:.1f},{_TOP} V{foot}" class="grid"/>'
            f'<text x="{at:.1f}" y="{foot + 17}" text-anchor="middle">{short(value)}</text>'
        )
    for value in ys.ticks():
        at = ys.place(value)
        drawn.append(
            f'<path d="M{_LEFT},{at:.1f} H{_WIDTH - _RIGHT}" class="grid"/>'
            f'<text x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{short(value)}</text>'
        )
    drawn.append(
        f'<path d="M{_LEFT},{_TOP} V{foot} H{_WIDTH - _RIGHT}" class="axis"/>'
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">'
        f"{escape(xs.axis.label)}</text>"
        f'<text transform="translate(16,{(_TOP + foot) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(ys.axis.label)}</text>"
    )
    return "".join(drawn)


def _legend(names: Sequence[str]) -> str:
    if len(names) == 1:
        return ""
    drawn, at = [], float(_LEFT)
    for number, name in enumerate(names):
        drawn.append(
            f'<path d="M{at:.0f},32 h18" class="line s{number % 6}"/>'
            f'<text x="{at + 24:.0f}" y="36">{escape(name)}</text>'
        )
        at += 46 + 6.6 * len(name)
    return "".join(drawn)


def bars_beside(
    title: str, names: Sequence[str], versions: Sequence[tuple[str, Sequence[float]]], unit: str, caption: str
) -> str:
    """Return horizontal bars, for each name one of each version; negative values reach to the left of the zero line."""
    values = [value for _, of in versions for value in of]
    low, high = min([0.0, *values]), max([0.0, *values])
    left, right = 200, _WIDTH - 110
    span = (high - low) or 1.0
    zero = left + (0 - low) / span * (right - left)
    row = 8 + 18 * len(versions)
    drawn = []
    for number, name in enumerate(names):
        top = 48 + number * row
        drawn.append(f'<text x="{left - 8}" y="{top + 9 * len(versions) + 4}" text-anchor="end">{escape(name)}</text>')
        for version, (_, of) in enumerate(versions):
            end = left + (of[number] - low) / span * (right - left)
            at = top + 18 * version
            drawn.append(
                f'<rect x="{min(zero, end):.1f}" y="{at}" width="{abs(end - zero):.1f}" height="14"'
                f' class="bar s{version % 6}"/>'
                f'<text x="{max(zero, end) + 6:.1f}" y="{at + 12}">{_in_full(of[number])}{escape(unit)}</text>'
            )
    drawn.append(f'<path d="M{zero:.1f},44 V{48 + len(names) * row}" class="axis"/>')
    return _figure(title, 60 + len(names) * row, "".join(drawn) + _legend([name for name, _ in versions]), caption)


def _in_full(value: float) -> str:
    """Return five digits of `value`, all of those before the point of a larger one, and no exponent."""
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.5g}"


def heat(title: str, rows: Sequence[tuple[str, Sequence[Cell]]], unit: str, caption: str) -> str:
    """Return a map of cells in named rows, blue below 0 and red above it, the stronger the farther; long rows wrap."""
    most = max((abs(cell.value) for _, row in rows for cell in row if cell.value is not None), default=0.0) or 1.0
    drawn, top = [], 40
    for name, row in rows:
        drawn.append(f'<text x="{_LEFT - 8}" y="{top + 12}" text-anchor="end">{escape(name)}</text>')
        for number, cell in enumerate(row):
            line, place = divmod(number, _MOST_IN_ROW)
            x, y = _LEFT + place * _CELL, top + line * (_CELL + 2)
            sign = "none" if cell.value is None else "up" if cell.value > 0 else "down"
            strength = 1.0 if cell.value is None else 0.06 + 0.94 * abs(cell.value) / most
            drawn.append(
                f'<g><rect x="{x}" y="{y}" width="{_CELL - 1}" height="{_CELL}" class="heat {sign}"'
                f' style="fill-opacity:{strength:.2f}"/>'
                f'<text x="{x + _CELL / 2 - 0.5}" y="{y + 12}" text-anchor="middle" class="tiny">'
                f"{escape(cell.text)}</text>"
                f"<title>{escape(cell.hint)}</title></g>"
            )
        top += ((len(row) - 1) // _MOST_IN_ROW + 1) * (_CELL + 2) + 8
    drawn.append(
        f'<rect x="{_LEFT}" y="{top + 4}" width="14" height="14" class="heat down"/>'
        f'<text x="{_LEFT + 20}" y="{top + 15}">{-most:.3g}{escape(unit)}</text>'
        f'<rect x="{_LEFT + 130}" y="{top + 4}" width="14" height="14" class="heat up"/>'
        f'<text x="{_LEFT + 150}" y="{top + 15}">+{most:.3g}{escape(unit)}</text>'
    )
    return _figure(title, top + 28, "".join(drawn), caption)


def short(value: float) -> str:
    """Return `value` as a tick's label."""
    if value == 0 or _SMALL <= abs(value) < _THOUSAND * 10:
        return f"{value:,.6g}"
    if abs(value) < _SMALL:
        return f"{value:.0e}".replace("e-0", "e-")
    for size, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{name}"
    return f"{value:g}"


def _nice(step: float) -> float:
    power = 10.0 ** floor(log10(step))
    return next(factor * power for factor in _STEPS if factor * power >= step * (1 - 1e-9))


def _figure(title: str, height: int, body: str, caption: str) -> str:
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {height}" role="img"><title>{escape(title)}</title>'
        f'<text x="8" y="18" class="title">{escape(title)}</text>{body}</svg>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
