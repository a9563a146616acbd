"""Debouncing by timestamps: a level counts when it has been stable for the hold time.

Pure logic on timestamped edges, so a busy event loop does not affect the result: an edge that is processed late still
carries its time.
"""

from typing import NamedTuple


class Change(NamedTuple):
    """A contact's new settled level, and the time of the first edge towards it (monotonic seconds)."""

    level: bool
    at: float


class Debouncer:
    """Debounces one contact. `level` is its settled level; `hold` the seconds that a new level must be stable."""

    def __init__(self, *, level: bool, hold: float) -> None:
        self.level = level
        self._hold = hold
        self._raw = level
        self._quiet_since = float("-inf")
        self._began = 0.0

    @property
    def due(self) -> float | None:
        """When the present raw level will have settled; None if it has."""
        return None if self._raw == self.level else self._quiet_since + self._hold

    def edge(self, *, level: bool, at: float) -> Change | None:
        """Process an edge to `level` at `at`; return the change that settled before it, if any."""
        change = self.settle(at)
        # the first edge of an excursion, not one inside a bounce
        if self._raw == self.level and at - self._quiet_since >= self._hold:
            self._began = at
        self._raw = level
        # a repeated level means that an edge in between was lost: the contact moved
        self._quiet_since = max(self._quiet_since, at)
        return change

    def settle(self, now: float) -> Change | None:
        """Return the change, once, if the raw level has been stable long enough at `now`."""
        if self.due is None or now < self.due:
            return None
        self.level = self._raw
        return Change(self.level, self._began)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'high' if self.level else 'low'}, due {self.due}>"
