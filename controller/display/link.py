"""The supervisor's end of the display's socket (design page, section 2).

Nothing here waits for a display: `publish`, `show` and `hurry` only queue a message, and a task per connection sends
the newest one when the socket has room. Overtaken messages are dropped and counted; the newest snapshot always arrives.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.display.peer import Outbox, Peer
from controller.system.local_socket import Listening, connections, listen, peer_of
from controller.system.peers import BOUNDS, Bans, Bounds
from drivers.clock import Clock
from ui.protocol.messages import (
    Ack,
    Frames,
    Hurry,
    OversizeError,
    Press,
    Show,
    Snapshot,
    ToSupervisor,
    Touch,
    Unfit,
    View,
    encode,
)

_log = logging.getLogger(__name__)

TOO_LONG = "There is too much on this page to show it"


class DisplayLink:
    """Listens on `path` for one display at a time; a newer connection replaces the older.

    `on_press(control)` is called for touches on what the player sees now: touches on an older turn are dropped.
    `on_ack(number)` reports that shows up to `number` were shown. `on_frames` passes on the
    statistics, and `on_touch` raw touches for the touch test. `on_deaf(pid)` names a display process that neither read
    nor answered for `patience_s`; its connection is already closed. `on_refused(user, pid, reason)` reports a process
    that was cut off, whose user is banned for a while. `on_unfit(game, reason)` names a game that the display cannot
    show. A callback that raises ends `run`.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_press: Callable[[str], None],
        on_ack: Callable[[int], None],
        on_frames: Callable[[Frames], None],
        on_deaf: Callable[[int], None],
        clock: Clock,
        on_touch: Callable[[Touch], None] | None = None,
        on_refused: Callable[[int, int, str], None] | None = None,
        on_unfit: Callable[[str, str], None] | None = None,
        patience_s: float = 5.0,
        listening: Listening = listen,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self.path = path
        self._listening = listening
        self.refused = 0
        self._on_press = on_press
        self._on_ack = on_ack
        self._on_frames = on_frames
        self._on_deaf = on_deaf
        self._on_touch = on_touch
        self._on_refused = on_refused
        self._on_unfit = on_unfit
        self._clock = clock
        self._patience_s = patience_s
        self._outbox = Outbox()
        self._bounds = bounds
        self._bans = Bans(clock, bounds)
        self._peer: Peer | None = None

    def __repr__(self) -> str:
        state = "connected" if self.connected else "no display"
        return f"<DisplayLink {self.path} {state} dropped={self.dropped}>"

    @property
    def connected(self) -> bool:
        """Whether a display has sent a valid `Hello` and is still connected."""
        return self._peer is not None and self._peer.greeted

    @property
    def dropped(self) -> int:
        """How many messages were overtaken by newer ones before they could be sent."""
        return self._outbox.dropped

    def publish(self, view: View, *, turn: int) -> None:
        """Publish `view` as the newest snapshot; presses drawn from it carry the number `turn`.

        This ends a show of another turn, and a display that connects later starts from `view`. Raises `OversizeError`
        if the view does not fit in a packet; a page of the service menu is sent without its rows instead.
        """
        packet = _packet_of(view, turn)
        self._outbox.put_snapshot(packet, turn)
        self._wake()

    def show(
        self,
        steps: Sequence[msgspec.Raw],
        *,
        credit_cents: int,
        win_cents: int,
        turbo: bool = False,
        plain: bool = False,
    ) -> int:
        """Animate `steps` from the scene of the newest snapshot, and return the number that its ack will carry.

        It replaces an older show that was not acknowledged. Raises `OversizeError`.
        """
        number = self._outbox.last_number + 1
        packet = encode(
            Show(
                number=number,
                turn=self._outbox.turn,
                steps=tuple(steps),
                credit_cents=credit_cents,
                win_cents=win_cents,
                turbo=turbo,
                plain=plain,
            )
        )
        self._outbox.put_show(packet, number)
        self._wake()
        return number

    def hurry(self, number: int) -> None:
        """Finish show `number` quickly; a show that is over or overtaken is not affected."""
        self._outbox.put_hurry(encode(Hurry(number)), number)
        self._wake()

    async def run(self) -> None:
        """Listen and serve until cancelled; the socket is removed afterwards.

        Raises `SocketPathError`, or `OSError` if the directory refuses the socket.
        """
        listener = self._listening(self.path, 0o660)
        try:
            async with asyncio.TaskGroup() as group:
                async for sock in connections(listener, self._clock, self._bounds):
                    self._replace(sock, group)
        finally:
            listener.close()
            with suppress(FileNotFoundError):
                self.path.unlink()

    def _replace(self, sock: socket.socket, group: asyncio.TaskGroup) -> None:
        process = peer_of(sock)
        if self._bans.is_banned(process.user):
            sock.close()
            return
        if self._peer is not None:
            self._peer.replace()
        self._outbox.attach()
        self._peer = Peer(
            sock,
            pid=process.pid,
            outbox=self._outbox,
            clock=self._clock,
            patience_s=self._patience_s,
            take=self._take,
            bounds=self._bounds,
        )
        group.create_task(self._serve(self._peer, process.user))

    async def _serve(self, peer: Peer, user: int) -> None:
        ending = await peer.serve()
        _log.info("display %d: %s", peer.pid, ending.reason)
        if self._peer is peer:
            self._peer = None
            self._outbox.detach()
        if ending.refused:
            self.refused += 1
            self._bans.ban(user)
            if self._on_refused is not None:
                self._on_refused(user, peer.pid, ending.reason)
        if ending.deaf:
            self._on_deaf(peer.pid)

    def _wake(self) -> None:
        if self._peer is not None:
            self._peer.wake()

    def _take(self, message: ToSupervisor) -> None:
        match message:
            case Press(control, turn):
                if turn == self._outbox.turn and self._outbox.has_snapshot:
                    self._on_press(control)
            case Ack(number):
                if self._outbox.acknowledge(number):
                    self._on_ack(number)
            case Frames():
                self._on_frames(message)
            case Touch():
                if self._on_touch is not None:
                    self._on_touch(message)
            case Unfit(game, reason):
                if self._on_unfit is not None:
                    self._on_unfit(game, reason)


def _packet_of(view: View, turn: int) -> bytes:
    """Return the packet of a snapshot; raise `OversizeError`."""
    try:
        return encode(Snapshot(turn=turn, view=view))
    except OversizeError as error:
        # rows contain words from sticks and devices, which must not end the supervisor
        page = view.pages.service
        if page is None or not page.rows:
            raise
        _log.error("page %s of the service menu is shown without its rows: %s", page.code, error)
        short = replace(page, rows=(), focus=0, message=TOO_LONG, figures={})
        return encode(Snapshot(turn=turn, view=replace(view, pages=replace(view.pages, service=short))))
