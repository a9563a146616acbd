"""The far end of a line on which the test itself sends."""

from drivers.simulated.line import Line


class Silent:
    """A device that nothing is sent to."""

    def connect(self, line: Line) -> None:
        """Nothing to remember."""

    def receive(self, data: bytes) -> None:
        """Nothing is sent to a wedge."""
        raise AssertionError(data)

    def power(self, *, on: bool) -> None:
        """Nothing to switch."""
