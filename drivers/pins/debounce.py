"""Debouncing by time stamps: a level counts once it has been stable for the whole hold time.

Pure logic on stamped edges, so that a busy event loop changes nothing: an edge that is looked at late still
carries the time at which it happened.
"""

from typing import NamedTuple


class Change(NamedTuple):
    """A contact's new settled level, and when the first edge towards it came (monotonic seconds)."""

    level: bool
    at: float


class Debouncer:
    """One contact. `level` is its settled level; `hold` the seconds a new level must be stable."""

    def __init__(self, *, level: bool, hold: float) -> None:
        self.level = level
        self._hold = hold
        self._raw = level
        self._quiet_since = float("-inf")
        self._began = 0.0

    @property
    def due(self) -> float | None:
        """When the present raw level will have settled; None where there is nothing to wait for."""
        return None if self._raw == self.level else self._quiet_since + self._hold

    def edge(self, *, level: bool, at: float) -> Change | None:
        """Take an edge to `level` that happened at `at`; return the change that settled before it, if any."""
        change = self.settle(at)
        # the first edge of an excursion, not one inside a bounce
        if self._raw == self.level and at - self._quiet_since >= self._hold:
            self._began = at
        self._raw = level
        # a repeated level means that an edge between was lost: the contact did move
        self._quiet_since = max(self._quiet_since, at)
        return change

    def settle(self, now: float) -> Change | None:
        """Return the change, once, when the raw level has been stable until `now` for long enough."""
        if self.due is None or now < self.due:
            return None
        self.level = self._raw
        return Change(self.level, self._began)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'high' if self.level else 'low'}, due {self.due}>"
