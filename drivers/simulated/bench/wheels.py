"""The hard meters' number wheels and their movement from figure to figure.

Positions are whole sixteenths of a figure, so that a wheel at rest is exactly on its digit.
"""

STEPS = 16
WHEELS = 7
SLOWEST_STEPS_PER_SECOND = 10 * STEPS
CATCH_UP_PER_SECOND = 4


class Wheels:
    """The wheels of all meters; the first figures seen are shown at once, later ones are rolled to."""

    def __init__(self) -> None:
        self._positions: dict[str, int] = {}
        self._moved_at: float | None = None

    def roll(self, meters: dict[str, int], now: float) -> dict[str, int]:
        """Move every meter towards its figure by the time since the last call; return the positions."""
        elapsed = 0.0 if self._moved_at is None else now - self._moved_at
        self._moved_at = now
        for name, figure in meters.items():
            target = figure * STEPS
            here = self._positions.get(name, target)
            distance = target - here
            speed = max(SLOWEST_STEPS_PER_SECOND, CATCH_UP_PER_SECOND * distance)
            # A mechanical meter never turns back: a smaller figure is another meter's, and is shown at once.
            self._positions[name] = target if distance < 0 else min(target, here + max(1, int(speed * elapsed)))
        return dict(self._positions)


def faces(position: int) -> tuple[int, ...]:
    """Return each wheel's turn in sixteenths (0 to 159), the leftmost wheel first.

    A wheel moves only while every wheel to its right passes from 9 to 0.
    """
    figure, part = divmod(position, STEPS)
    turns = []
    for _ in range(WHEELS):
        figure, digit = divmod(figure, 10)
        turns.append(digit * STEPS + part)
        if digit != 9:  # noqa: PLR2004 - the digit that carries
            part = 0
    return tuple(reversed(turns))
