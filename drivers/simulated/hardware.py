"""The server of `hardware.sock`: receives acts as `Do` and publishes the front's state as `Front`.

The messages are in `drivers.simulated.front`. The acts of one client are carried out one after the other; several
clients act concurrently.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from drivers.simulated.front import Do, Done, Faults, Front, decode_to_front, encode
from drivers.simulated.packets import BACKLOG_PACKETS, PacketServer, Peer, UnreadableError


class HardwareServer:
    """The server at `path`.

    `do(words)` carries out one act and raises `ValueError` with the reason if it cannot; `front()` returns the front's
    state, `faults()` the possible faults by device. The owner of the devices calls `changed()` when the front may have
    changed. `spawn` starts a task for each client and watches it, so that no exception in a task is lost.
    """

    def __init__(
        self,
        path: Path,
        *,
        do: Callable[[str], Awaitable[None]],
        front: Callable[[], Front],
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        faults: Callable[[], Mapping[str, Sequence[str]]] = dict,
    ) -> None:
        self._do = do
        self._faults = faults
        self._front = front
        self._spawn = spawn
        self._shown: Front | None = None
        self._publishing: asyncio.Handle | None = None
        self._hands: dict[Peer, tuple[asyncio.Queue[Do], asyncio.Task[None]]] = {}
        self._server = PacketServer(path, on_peer=self._connected, on_packet=self._received, on_gone=self._disconnected)

    def open(self) -> None:
        """Begin to listen; raise `OSError` naming the path."""
        self._server.open()

    def close(self) -> None:
        """End all connections and remove the socket; may be called twice."""
        self._server.close()

    def changed(self) -> None:
        """Publish the front, if it differs, after the current event has been handled."""
        if self._publishing is None:
            self._publishing = asyncio.get_running_loop().call_soon(self._publish)

    def _publish(self) -> None:
        if self._publishing is not None:
            self._publishing.cancel()
            self._publishing = None
        front = self._front()
        if front == self._shown:
            return
        self._shown = front
        packet = encode(front)
        for peer in list(self._hands):
            peer.send_newest(packet)

    def _connected(self, peer: Peer) -> None:
        self._publish()
        acts: asyncio.Queue[Do] = asyncio.Queue()
        self._hands[peer] = acts, self._spawn(self._serve(peer, acts))
        peer.send_newest(encode(self._shown))

    def _received(self, peer: Peer, packet: bytes) -> None:
        try:
            message = decode_to_front(packet)
        except UnreadableError:
            # without an id there is nothing to answer to
            peer.close()
            return
        if not isinstance(message, Do):
            peer.send(encode(Faults({name: tuple(faults) for name, faults in self._faults().items()})))
            return
        acts, _task = self._hands[peer]
        if acts.qsize() >= BACKLOG_PACKETS:
            peer.close()
            return
        acts.put_nowait(message)

    def _disconnected(self, peer: Peer) -> None:
        hand = self._hands.pop(peer, None)
        if hand is not None:
            _acts, task = hand
            task.cancel()

    async def _serve(self, peer: Peer, acts: asyncio.Queue[Do]) -> None:
        while True:
            act = await acts.get()
            error = ""
            try:
                await self._do(act.what)
            except ValueError as refusal:
                error = str(refusal)
            # the front with its effect goes out before its answer
            self._publish()
            peer.send(encode(Done(id=act.id, error=error)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._server.path} with {len(self._hands)} clients>"
