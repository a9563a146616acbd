"""The supervisor's end of the simulated pins: gpiozero mock pins that are wired to `pins.sock`.

Output changes are sent at once; received input levels drive the pins from a separate thread, as in the real pin
library. The messages are in `drivers.simulated.pins.wire`.
"""

import select
import socket
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin

from drivers.errors import PortError
from drivers.simulated.packets import MAX_PACKET, UnreadableError
from drivers.simulated.pins.wire import Levels, decode_levels, encode_levels

# A Raspberry Pi 3B; GPIO 0 to 27 lie alike on all headers with forty pins.
_BOARD_REVISION = "a02082"
_RETRY_S = 0.05


class ForgetfulPin(MockPin):  # type: ignore[misc]  # gpiozero publishes no types
    """A mock pin without the mock's history of states, which grows without limit."""

    def _change_state(self, value: bool) -> bool:  # noqa: FBT001 - the mock's own signature
        changed = bool(super()._change_state(value))
        self.states.clear()
        return changed


class WirePin(ForgetfulPin):
    """A pin whose other end is a simulated device."""

    def __init__(self, factory: "WireFactory", info: Any) -> None:
        super().__init__(factory, info)
        self.wire = factory
        self.gpio = int(info.name.removeprefix("GPIO"))
        factory.plug(self)

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self.wire.output(self.gpio, level=bool(value))

    def _set_function(self, value: str) -> None:
        # Closing a pin only makes it an input. Becoming an output says nothing yet: the level comes next,
        # and the present one may be the pull-up's.
        with self.wire.lock:
            super()._set_function(value)
            if value == "input":
                self.wire.output(self.gpio, level=False)
                self.follow()

    def _set_pull(self, value: str) -> None:
        # The mock lets a pull win over what drives the pin.
        with self.wire.lock:
            super()._set_pull(value)
            self.follow()

    def follow(self) -> None:
        """Take the level of the wire, or of the pull resistor if nothing is connected."""
        if self._function != "input":
            return
        if self.wire.inputs.get(self.gpio, self._pull == "up"):
            self.drive_high()
        else:
            self.drive_low()


class WireFactory(MockFactory):  # type: ignore[misc]  # gpiozero publishes no types
    """Makes `WirePin`s, connects to the devices at `path` and connects again whenever they come back.

    Construction waits for the first input levels, so that an open door is seen at once; after `patience_s` seconds
    without them it raises `PortError`.
    """

    def __init__(self, path: Path, *, patience_s: float = 5.0) -> None:
        super().__init__(revision=_BOARD_REVISION, pin_class=WirePin)
        self.lock = threading.RLock()
        self.inputs: dict[int, bool] = {}
        self._path = path
        self._outputs: dict[int, bool] = {}
        self._plugged: dict[int, WirePin] = {}
        self._unsent: deque[bytes] = deque()
        self._connection: socket.socket | None = None
        self._levels_known = threading.Event()
        self._closing = threading.Event()
        self._waker, self._wakened = socket.socketpair()
        self._waker.setblocking(False)  # noqa: FBT003 - the socket module's own signature
        self._thread = threading.Thread(target=self._serve, name="pin wire", daemon=True)
        self._thread.start()
        if not self._levels_known.wait(patience_s):
            self.close()
            raise PortError(
                f"{path}: no simulated devices with mains power answer here; start `python -m drivers.simulated` first"
            )

    def plug(self, pin: WirePin) -> None:
        """Connect a new pin to its wire."""
        with self.lock:
            self._plugged[pin.gpio] = pin
            pin.follow()

    def output(self, gpio: int, *, level: bool) -> None:
        """Send an output's level if it differs from the last one sent; never blocks."""
        with self.lock:
            if self._outputs.get(gpio, False) == level:
                return
            self._outputs[gpio] = level
            self._send({gpio: level})

    def close(self) -> None:
        """Make every pin an input, end the connection and the thread; may be called twice."""
        super().close()
        if self._closing.is_set():
            return
        self._closing.set()
        self._wake()
        self._thread.join()
        self._waker.close()
        self._wakened.close()

    def _send(self, levels: dict[int, bool]) -> None:
        if self._connection is None:
            return
        self._unsent.append(encode_levels(Levels(time.monotonic(), levels)))
        self._flush(self._connection)
        if self._unsent:
            self._wake()

    def _wake(self) -> None:
        try:
            self._waker.send(b"\0")
        except BlockingIOError:
            # the socket is full of wake-ups, so the thread wakes anyway
            return

    def _flush(self, connection: socket.socket) -> None:
        while self._unsent:
            try:
                connection.send(self._unsent[0])
            except BlockingIOError:
                # the thread continues once the devices read again
                return
            except OSError:
                # the thread sees the end of the connection and makes a new one
                self._unsent.clear()
                return
            self._unsent.popleft()

    def _serve(self) -> None:
        while not self._closing.is_set():
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with connection:
                try:
                    connection.connect(str(self._path))
                except OSError:
                    self._closing.wait(_RETRY_S)
                    continue
                connection.setblocking(False)  # noqa: FBT003 - the socket module's own signature
                with self.lock:
                    self._connection = connection
                    self._send(self._outputs)
                self._converse(connection)
                with self.lock:
                    self._connection = None
                    self._unsent.clear()
                    self.inputs.clear()
                    self._follow_all()
            self._closing.wait(_RETRY_S)

    def _converse(self, connection: socket.socket) -> None:
        poll = select.poll()
        poll.register(self._wakened, select.POLLIN)
        while not self._closing.is_set():
            poll.register(connection, select.POLLIN | (select.POLLOUT if self._unsent else 0))
            for descriptor, events in poll.poll():
                if descriptor == self._wakened.fileno():
                    self._wakened.recv(4096)
                elif events & ~select.POLLOUT and not self._receive(connection):
                    return
            with self.lock:
                self._flush(connection)

    def _receive(self, connection: socket.socket) -> bool:
        try:
            packet = connection.recv(MAX_PACKET)
            message = decode_levels(packet) if packet else None
        except (OSError, UnreadableError):
            return False
        if message is None:
            return False
        with self.lock:
            self.inputs.update(message.levels)
            self._follow_all()
        self._levels_known.set()
        return True

    def _follow_all(self) -> None:
        for pin in self._plugged.values():
            pin.follow()

    def __repr__(self) -> str:
        state = "connected" if self._connection is not None else "not connected"
        return f"<{type(self).__name__} {self._path} {state}>"
