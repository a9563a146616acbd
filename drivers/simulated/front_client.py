"""Client of `hardware.sock`, shared by bench, headless script and tests: acts on the front and shows its state.

FrontLostError (ConnectionError)   no server listens on the socket, or it is gone
FrontRefusedError (ValueError)     the front could not carry out an act; the message is its own
"""

import select
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from drivers.simulated.front import AskFaults, Do, Faults, Front, ToFront, decode_from_front, encode
from drivers.simulated.packets import UnreadableError

PACKET_BYTES = 64 * 1024


class FrontLostError(ConnectionError):
    """The simulated hardware does not serve its socket."""


class FrontRefusedError(ValueError):
    """An act that could not be done."""


class FrontClient:
    """One connection to `hardware.sock` (SEQPACKET, words in `drivers.simulated.front`).

    `do` and `front` wait and raise: they suit scripts. A window uses `send`, `receive` and `take_refusals`, which never
    wait. After a loss `connect` may be retried without limit; `latest` keeps the last front received,
    `faults` the last answer to `ask_faults`.
    """

    def __init__(self, path: Path | str, *, timeout: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = Path(path)
        self.latest: Front | None = None
        self.faults: dict[str, tuple[str, ...]] = {}
        self._timeout = timeout
        self._clock = clock
        self._socket: socket.socket | None = None
        self._last_id = 0
        self._fronts = 0
        self._awaited: set[int] = set()
        self._done: dict[int, str] = {}
        self._refusals: list[str] = []

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<FrontClient {self.path} {'connected' if self.connected else 'not connected'}>"

    @property
    def connected(self) -> bool:
        """Whether the connection was up when it was last used."""
        return self._socket is not None

    @property
    def front(self) -> Front:
        """The current front; waits for the first one. Raises `FrontLostError` or `TimeoutError`."""
        return self.wait_until(lambda _front: True, self._timeout)

    def connect(self) -> None:
        """Connect, closing an old connection; raise `FrontLostError` if no server listens."""
        self._connect()

    def close(self) -> None:
        """Close the connection; may be called twice."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._awaited.clear()
        self._done.clear()

    def send(self, words: str) -> None:
        """Request one act without waiting; `take_refusals` returns its error later.

        Raises `FrontLostError` when the connection is gone or its buffer is full.
        """
        self._send(words)

    def ask_faults(self) -> None:
        """Ask for the possible faults by device, which `faults` has later; raise `FrontLostError`."""
        self._post(AskFaults())

    def receive(self, timeout: float = 0.0) -> bool:
        """Read all packets that have arrived, waiting at most `timeout` seconds for the first one.

        Returns whether anything came; raises `FrontLostError` when the connection ends.
        """
        came = self._receive_one(timeout)
        while came and self._receive_one(0.0):
            pass
        return came

    def take_refusals(self) -> list[str]:
        """Return and clear the refusals of the acts sent, oldest first."""
        refusals, self._refusals = self._refusals, []
        return refusals

    def do(self, words: str) -> None:
        """Carry out one act and wait for its answer.

        Raises `FrontRefusedError` with the front's message, `FrontLostError`, or `TimeoutError` when no answer comes.
        """
        number = self._send(words)
        self._awaited.add(number)
        deadline = self._clock() + self._timeout
        while number not in self._done:
            left = deadline - self._clock()
            if left <= 0:
                self._awaited.discard(number)
                raise TimeoutError(f"{self.path}: no answer to `{words}` within {self._timeout} s")
            self._receive_one(left)
        error = self._done.pop(number)
        if error:
            raise FrontRefusedError(f"`{words}`: {error}")

    def wait_until(self, predicate: Callable[[Front], bool], timeout: float = 10.0) -> Front:
        """Return the first front that satisfies `predicate`, the present one included.

        Raises `TimeoutError` with the last front when `timeout` seconds pass, or `FrontLostError`.
        """
        deadline = self._clock() + timeout
        # Queued packets are out of date: of those only the last counts, then every front that arrives.
        self.receive()
        while not (self._fronts and self.latest is not None and predicate(self.latest)):
            left = deadline - self._clock()
            if left <= 0:
                raise TimeoutError(f"{self.path}: not within {timeout} s; the front shows {self.latest}")
            self._receive_one(left)
        return self.latest

    def _send(self, words: str) -> int:
        self._last_id += 1
        self._post(Do(id=self._last_id, what=words))
        return self._last_id

    def _post(self, message: ToFront) -> None:
        sock = self._socket or self._connect()
        try:
            sock.send(encode(message))
        except OSError as error:
            raise self._lost(error.strerror or str(error)) from error

    def _receive_one(self, timeout: float) -> bool:
        sock = self._socket or self._connect()
        readable, _, _ = select.select([sock], [], [], max(timeout, 0.0))
        if not readable:
            return False
        try:
            packet, _, flags, _ = sock.recvmsg(PACKET_BYTES)
        except OSError as error:
            raise self._lost(error.strerror or str(error)) from error
        if not packet:
            raise self._lost("the simulated hardware hung up")
        if flags & socket.MSG_TRUNC:
            raise self._lost(f"a packet of more than {PACKET_BYTES} bytes; both sides must be one version")
        self._take(packet)
        return True

    def _connect(self) -> socket.socket:
        self.close()
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            sock.connect(str(self.path))
        except OSError as error:
            sock.close()
            raise FrontLostError(
                f"{self.path}: {error.strerror}; start `python -m drivers.simulated` on this run directory"
            ) from error
        sock.settimeout(0)
        self._socket = sock
        self._fronts = 0
        return sock

    def _lost(self, why: str) -> FrontLostError:
        self.close()
        return FrontLostError(f"{self.path}: {why}")

    def _take(self, packet: bytes) -> None:
        try:
            message = decode_from_front(packet)
        except UnreadableError as error:
            raise self._lost(f"it sent what cannot be read ({error}); both sides must be one version") from error
        if isinstance(message, Front):
            self.latest = message
            self._fronts += 1
        elif isinstance(message, Faults):
            self.faults = message.devices
        elif message.id in self._awaited:
            self._awaited.discard(message.id)
            self._done[message.id] = message.error
        elif message.error:
            self._refusals.append(message.error)
