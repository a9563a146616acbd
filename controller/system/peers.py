"""Limits for the processes at the supervisor's sockets.

An invalid packet is the peer's own fault: it raises `UnreadableError` and nothing else. A peer is read no faster than
its pace, so that a flood delays only the peer. A user whose peer was cut off is banned for a while, longer each time.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from common.decoding import UnreadableError
from controller.system.pace import Pace
from drivers.clock import Clock

T = TypeVar("T")

FORGIVEN_S = 600.0
"""The time after its end from which a ban no longer lengthens the next one."""


class Bounds(NamedTuple):
    """The limits of a peer, each as a burst and a pace.

    Ten fingers on a touch screen under test send less than `packets`; a display that reconnects tries ten `connections`
    a second. `slips` are invalid packets before a display is cut off.
    """

    packets_at_once: int = 100
    packet_every_s: float = 0.01
    connections_at_once: int = 20
    connection_every_s: float = 0.1
    slips_at_once: int = 10
    slip_every_s: float = 6.0
    first_ban_s: float = 1.0
    longest_ban_s: float = 60.0

    def packets(self, clock: Clock) -> Pace:
        """Return the pace at which a peer is read."""
        return Pace(clock, burst=self.packets_at_once, every_s=self.packet_every_s)

    def connections(self, clock: Clock) -> Pace:
        """Return the pace at which connections are accepted."""
        return Pace(clock, burst=self.connections_at_once, every_s=self.connection_every_s)

    def slips(self, clock: Clock) -> Pace:
        """Return the pace at which invalid packets are tolerated."""
        return Pace(clock, burst=self.slips_at_once, every_s=self.slip_every_s)


BOUNDS = Bounds()


class PacketReader(Generic[T]):
    """Reads messages from a connected SEQPACKET socket, one packet each of at most `most_bytes`."""

    def __init__(self, sock: socket.socket, decode: Callable[[bytes], T], *, most_bytes: int, pace: Pace) -> None:
        self._sock = sock
        self._decode = decode
        self._most_bytes = most_bytes
        self._pace = pace

    async def read(self) -> T | None:
        """Return the next message, None at the end of the connection.

        Raises `UnreadableError` for an invalid packet, after which the next one can be read, and `OSError`.
        """
        await self._pace.wait()
        # One byte more than allowed: a longer packet is truncated there (MSG_TRUNC) and recognized by its length.
        packet = await asyncio.get_running_loop().sock_recv(self._sock, self._most_bytes + 1)
        if not packet:
            return None
        if len(packet) > self._most_bytes:
            raise UnreadableError(f"more than {self._most_bytes} bytes at once")
        return self._decode(packet)


class Bans:
    """The users that are banned from a socket, each until a time."""

    def __init__(self, clock: Clock, bounds: Bounds = BOUNDS) -> None:
        self._clock = clock
        self._bounds = bounds
        self._until: dict[int, float] = {}
        self._next_s: dict[int, float] = {}

    def __repr__(self) -> str:
        return f"<Bans {self._until}>"

    def ban(self, user: int) -> float:
        """Ban a user from now on; return for how many seconds."""
        now = self._clock.now()
        if now - self._until.get(user, now) > FORGIVEN_S:
            self._next_s.pop(user)
        seconds = self._next_s.get(user, self._bounds.first_ban_s)
        self._until[user] = now + seconds
        self._next_s[user] = min(2 * seconds, self._bounds.longest_ban_s)
        return seconds

    def is_banned(self, user: int) -> bool:
        """Whether a user is banned now."""
        return self._clock.now() < self._until.get(user, 0.0)
