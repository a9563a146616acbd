"""A ccTalk line that several drivers share: one port, opened by the first of them and closed by the last.

The devices hang on one wire, so a question and its answer have it to themselves: that is a *turn*. Turns are given in
the order in which they were asked for, one exchange each: of three drivers none waits for more than two others'.
"""

import asyncio

from drivers.cctalk.framing import Framing
from drivers.errors import PortError
from drivers.port import Port


class Wire:
    """What all users of one line have in common.

    `turn` is held for one exchange. `echo` says whether the line returns what is sent, None while nobody knows. `late`
    are the addresses whose last answer did not come, and may yet; `fresh` is a line just opened, on which the answer to
    whoever used it before may still be under way. `stray_at` is when something last came that nobody had asked for.
    `framings` are the ways in which devices were found to have their frames, by address, `heard_at` when one was last
    heard or looked for in other ways, and `unnamed` the addresses that were asked in a way in which the answer does not
    name its sender. `moving` are the users by whose devices money may be on its way.
    `found` is where a scan found whose device, and that device's serial number, by its table in cabinet.toml.
    """

    def __init__(self, port: Port) -> None:
        self.turn = asyncio.Lock()
        self.echo: bool | None = None
        self.late: set[int] = set()
        self.fresh = False
        self.stray_at = float("-inf")
        self.framings: dict[int, Framing] = {}
        self.heard_at: dict[int, float] = {}
        self.unnamed: set[int] = set()
        self.moving: set[Tap] = set()
        self.found: dict[str, tuple[int, int]] = {}
        self._port = port
        self._taps = 0
        self._open: set[Tap] = set()

    def __repr__(self) -> str:
        return f"<Wire {self._port.path} with {len(self._open)} users>"

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
        """Whether it was made for one driver only: whoever else answers on it is plugged in wrongly."""
        return self._taps == 1

    def tap(self) -> "Tap":
        """Return one driver's share of the line."""
        self._taps += 1
        return Tap(self)

    def has(self, tap: "Tap") -> bool:
        """Whether that driver has the line open."""
        return tap in self._open

    async def join(self, tap: "Tap") -> None:
        """Open the port for its first user; raise `PortError` as the port does, and where `tap` is open already."""
        async with self.turn:
            if tap in self._open:
                raise PortError(f"{self.path}: already open; close it first")
            if not self._open:
                self.echo = None
                self.late.clear()
                self.fresh = True
                await self._port.open()
            self._open.add(tap)

    def leave(self, tap: "Tap") -> None:
        """Close the port after its last user; the others' line stays as it is."""
        self._open.discard(tap)
        self.moving.discard(tap)
        if not self._open:
            self._port.close()

    async def write(self, data: bytes) -> None:
        """Send; a port that fails is lost for every user."""
        try:
            await self._port.write(data)
        except PortError:
            self._lose()
            raise

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - a read that finds nothing is no error
        """Read as `Port.read`; a port that fails is lost for every user."""
        try:
            return await self._port.read(timeout)
        except PortError:
            self._lose()
            raise

    def _lose(self) -> None:
        # Each user finds itself shut out at its next turn, raises, and comes back through `join`.
        self._open.clear()
        self.moving.clear()
        self._port.close()


class Tap:
    """One driver's share of a `Wire`, a `drivers.port.Port`."""

    def __init__(self, wire: Wire) -> None:
        self.path = wire.path
        self.wire = wire

    def __repr__(self) -> str:
        return f"<Tap {self.path} {'open' if self.wire.has(self) else 'closed'}>"

    async def open(self) -> None:
        """Join the line; raise `PortError` where its port cannot be opened."""
        await self.wire.join(self)

    async def write(self, data: bytes) -> None:
        """Send all of `data`; raise `PortError` when the line is lost."""
        self._require_open()
        await self.wire.write(data)

    async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109  (the seam's own signature, drivers/port.py)
        """Return what has arrived within `timeout` seconds, `b""` for nothing; raise `PortError` when lost."""
        self._require_open()
        return await self.wire.read(timeout)

    def close(self) -> None:
        """Leave the line to the others; may be called twice."""
        self.wire.leave(self)

    def _require_open(self) -> None:
        if not self.wire.has(self):
            raise PortError(f"{self.path}: the port is closed; open it again")
