"""Every settled edge of buttons, doors and keys, counted and passed to the tests of inputs."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Edge(NamedTuple):
    """One settled edge: `kind` is `buttons`, `doors` or `keys`; `at` is the clock's time of its first movement.

    `active` is a held button, an open door or a turned key.
    """

    kind: str
    name: str
    active: bool
    at: float


class InputWatch:
    """The activity of the inputs since `begin`; `moved` counts the edges of each, by kind and name."""

    def __init__(self) -> None:
        self.moved: Counter[tuple[str, str]] = Counter()
        self._listeners: list[Callable[[Edge], None]] = []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.moved.total()} edges>"

    def begin(self) -> None:
        """Reset the counts."""
        self.moved.clear()

    def of(self, kind: str) -> Callable[[str, bool, float], None]:
        """Return the edge callback for the driver of `kind`."""

        def edge(name: str, active: bool, at: float) -> None:  # noqa: FBT001 - the drivers' callback
            self.moved[kind, name] += 1
            for listener in self._listeners:
                listener(Edge(kind, name, active, at))

        return edge

    @contextmanager
    def listening(self, listener: Callable[[Edge], None]) -> Iterator[None]:
        """Call `listener` with every edge, on the event loop, within the context."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)
