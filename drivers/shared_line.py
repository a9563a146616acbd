"""A serial line that several drivers share: one port, opened by the first of them and closed by the last.

An exchange has exclusive use of the line: that is a *turn*. Turns are granted in the order of requests, one exchange
each: with three drivers none waits for more than two others.
"""

import asyncio

from drivers.errors import PortError
from drivers.port import Port


class SharedLine:
    """A line shared by several drivers; the lock `turn` is held for one exchange."""

    def __init__(self, port: Port) -> None:
        self.turn = asyncio.Lock()
        self._port = port
        self._taps = 0
        self._open: set[LineTap] = set()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._port.path} with {len(self._open)} users>"

    @property
    def path(self) -> str:
        """The port's path."""
        return self._port.path

    @property
    def shared(self) -> bool:
        """Whether more than one driver has it open."""
        return len(self._open) > 1

    @property
    def lone(self) -> bool:
        """Whether it is used by one driver only: any other device that answers on it is plugged in wrongly."""
        return self._taps == 1

    def has(self, tap: "LineTap") -> bool:
        """Whether that driver has the line open."""
        return tap in self._open

    def begin(self) -> None:
        """Reset the line's state; called before the port is opened."""

    async def join(self, tap: "LineTap") -> None:
        """Open the port for its first user; raise `PortError` as the port does, or if `tap` is already open."""
        async with self.turn:
            if tap in self._open:
                raise PortError(f"{self.path}: already open; close it first")
            if not self._open:
                self.begin()
                await self._port.open()
            self._open.add(tap)

    def leave(self, tap: "LineTap") -> None:
        """Remove one user; the port is closed after the last one."""
        self._open.discard(tap)
        if not self._open:
            self._port.close()

    async def write(self, data: bytes) -> None:
        """Send `data`; after an error the port is lost for every user."""
        try:
            await self._port.write(data)
        except PortError:
            self._lose()
            raise

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - a read that finds nothing is no error
        """Read as `Port.read`; after an error the port is lost for every user."""
        try:
            return await self._port.read(timeout)
        except PortError:
            self._lose()
            raise

    def _lose(self) -> None:
        # Each user gets a `PortError` at its next turn and comes back through `join`.
        self._open.clear()
        self._port.close()


class LineTap:
    """One driver's share of a `SharedLine`, a `drivers.port.Port`."""

    def __init__(self, line: SharedLine) -> None:
        self.path = line.path
        self._line = line

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path} {'open' if self._line.has(self) else 'closed'}>"

    async def open(self) -> None:
        """Join the line; raise `PortError` if its port cannot be opened."""
        await self._line.join(self)

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost."""
        self._require_open()
        await self._line.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost."""
        self._require_open()
        return await self._line.read(timeout)

    def close(self) -> None:
        """Leave the line to the others; may be called twice."""
        self._line.leave(self)

    def _require_open(self) -> None:
        if not self._line.has(self):
            raise PortError(f"{self.path}: the port is closed; open it again")
