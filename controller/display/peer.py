"""One connected display, and the outbox with the next messages for it."""

import asyncio
import socket
from collections.abc import Callable

import msgspec

from common.decoding import UnreadableError
from controller.system.peers import BOUNDS, Bounds, PacketReader
from drivers.clock import Clock
from ui.protocol.messages import MAX_PACKET, PROTOCOL, Hello, ToSupervisor, decode_to_supervisor, encode


class Outbox:
    """The messages for a display: the newest snapshot, the unacknowledged show, and a hurry for it.

    It holds at most one of each, so it never grows; `dropped` counts messages that were overtaken before they were
    sent. `take` returns due messages, the snapshot first, because a show starts from the newest snapshot's scene.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self.turn = 0
        self.last_number = 0
        self._snapshot = b""
        self._show = b""
        self._show_turn = 0
        self._snapshot_due = self._show_due = self._attached = False
        self._hurry = b""
        self._sent = self._acknowledged = 0

    @property
    def has_snapshot(self) -> bool:
        """Whether anything was published."""
        return bool(self._snapshot)

    @property
    def owes_ack(self) -> bool:
        """Whether the display was sent the current show and has not acknowledged it."""
        return bool(self._show) and self._attached and not self._show_due

    def put_snapshot(self, packet: bytes, turn: int) -> None:
        """Replace the snapshot; a show of another turn is withdrawn."""
        self.dropped += self._snapshot_due
        self._snapshot, self.turn, self._snapshot_due = packet, turn, self._attached
        if self._show and self._show_turn != turn:
            self._withdraw()

    def put_show(self, packet: bytes, number: int) -> None:
        """Replace the show."""
        if self._show:
            self._withdraw()
        self._show, self._show_turn, self._show_due = packet, self.turn, self._attached
        self.last_number = number

    def put_hurry(self, packet: bytes, number: int) -> None:
        """Hurry the current show if its number is `number`."""
        if self._show and number == self.last_number:
            self._hurry = packet

    def detach(self) -> None:
        """Mark that no display is connected: nothing is due, and nothing counts as dropped."""
        self._attached = self._snapshot_due = self._show_due = False

    def attach(self) -> None:
        """Mark that a new display is connected: the snapshot and an unacknowledged show are due."""
        self._attached = True
        self._snapshot_due, self._show_due = bool(self._snapshot), bool(self._show)
        # A display can acknowledge only what it was sent: numbers that an older one was sent are invalid from it.
        self._acknowledged = self._sent = self.last_number - 1 if self._show else self.last_number

    def take(self) -> bytes:
        """Return the next due packet, or an empty one."""
        if self._snapshot_due:
            self._snapshot_due = False
            return self._snapshot
        if self._show_due:
            self._show_due = False
            self._sent = self.last_number
            return self._show
        packet, self._hurry = self._hurry, b""
        return packet

    def acknowledge(self, number: int) -> bool:
        """Record that shows up to `number` were shown; return False if they were not sent or are already known."""
        if not self._acknowledged < number <= self._sent:
            return False
        self._acknowledged = number
        if number == self.last_number:
            self._show = self._hurry = b""
        return True

    def _withdraw(self) -> None:
        self.dropped += self._show_due
        self._show = self._hurry = b""
        self._show_due = False


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a connection ended: `deaf` displays need a restart, `refused` ones violated the protocol."""

    reason: str
    deaf: bool = False
    refused: bool = False


class _EndedError(Exception):
    """Unwinds all parts of a connection; the reason is in the peer's `Ending`."""


class Peer:
    """One connection: sends the `outbox`, passes messages to `take`, and gives up on a deaf display.

    A display is deaf if for `patience_s` it leaves the socket full, or owes an answer (its `Hello`, an ack) and sends
    nothing; frame statistics count as a sign of life. Invalid packets are dropped. A display that sends more of them
    than `bounds` allow, or one before its `Hello`, is refused.
    """

    def __init__(
        self,
        sock: socket.socket,
        *,
        pid: int,
        outbox: Outbox,
        clock: Clock,
        patience_s: float,
        take: Callable[[ToSupervisor], None],
        bounds: Bounds = BOUNDS,
    ) -> None:
        self.pid = pid
        self.greeted = False
        self._sock = sock
        self._reader = PacketReader(sock, decode_to_supervisor, most_bytes=MAX_PACKET, pace=bounds.packets(clock))
        self._slips = bounds.slips(clock)
        self._outbox = outbox
        self._clock = clock
        self._patience_s = patience_s
        self._take = take
        self._work = asyncio.Event()
        self._owing = asyncio.Event()
        self._replaced = asyncio.Event()
        self._quiet_since = clock.now()
        self._ending: Ending | None = None

    def __repr__(self) -> str:
        return f"<Peer pid={self.pid} {'greeted' if self.greeted else 'not greeted'}>"

    def wake(self) -> None:
        """Wake the sender, because the outbox has changed."""
        self._work.set()

    def replace(self) -> None:
        """End this connection, because another display has connected."""
        self._replaced.set()

    async def serve(self) -> Ending:
        """Serve the connection until it ends, and close it."""
        ending = Ending(reason="hung up")
        try:
            async with asyncio.TaskGroup() as group:
                for part in (self._send(), self._receive(), self._watch(), self._make_way()):
                    group.create_task(part)
        except* _EndedError:
            ending = self._ending or ending
        finally:
            self._sock.close()
        return ending

    def _ended(self, reason: str, *, deaf: bool = False, refused: bool = False) -> _EndedError:
        # The first reason is the cause; errors while the other parts are unwound are its effects.
        self._ending = self._ending or Ending(reason=reason, deaf=deaf, refused=refused)
        return _EndedError()

    async def _make_way(self) -> None:
        await self._replaced.wait()
        raise self._ended("replaced by a newer connection")

    async def _send(self) -> None:
        await self._put(encode(Hello()))
        self._owe()
        while True:
            await self._work.wait()
            self._work.clear()
            # Once this connection is replaced, the outbox belongs to the newer one.
            while self.greeted and not self._replaced.is_set() and (packet := self._outbox.take()):
                await self._put(packet)
                if self._outbox.owes_ack:
                    self._owe()

    async def _put(self, packet: bytes) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await asyncio.get_running_loop().sock_sendall(self._sock, packet)
        except TimeoutError:
            raise self._ended(f"has not read its socket for {self._patience_s:g} s", deaf=True) from None
        except OSError as error:
            raise self._ended(f"is gone ({error.strerror})") from error

    async def _receive(self) -> None:
        while True:
            try:
                message = await self._reader.read()
            except UnreadableError as error:
                if self.greeted and self._slips.take():
                    continue
                raise self._ended(f"sent what cannot be read ({error})", refused=True) from error
            except OSError as error:
                raise self._ended(f"is gone ({error.strerror})") from error
            if message is None:
                raise self._ended("hung up")
            if self._replaced.is_set():
                return
            self._quiet_since = self._clock.now()
            self._hear(message)
            if not self._owes:
                self._owing.clear()

    @property
    def _owes(self) -> bool:
        return not self.greeted or self._outbox.owes_ack

    def _hear(self, message: ToSupervisor) -> None:
        if isinstance(message, Hello):
            if message.protocol != PROTOCOL:
                mend = "install display and supervisor of the same version"
                raise self._ended(f"speaks protocol {message.protocol}, not {PROTOCOL}: {mend}", refused=True)
            self.greeted = True
            self.wake()
        elif self.greeted:
            self._take(message)
        else:
            raise self._ended("spoke before its Hello", refused=True)

    def _owe(self) -> None:
        if not self._owing.is_set():
            self._quiet_since = self._clock.now()
            self._owing.set()

    async def _watch(self) -> None:
        while True:
            await self._owing.wait()
            if not self._owes:  # the show that needed the ack was withdrawn
                self._owing.clear()
                continue
            left = self._quiet_since + self._patience_s - self._clock.now()
            if left <= 0:
                raise self._ended(f"owes an answer and has said nothing for {self._patience_s:g} s", deaf=True)
            await self._clock.sleep(left)
