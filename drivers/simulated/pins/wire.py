"""The devices' end of the pins: a socket in place of the wires between the header and the panel.

Each packet on `pins.sock` is one `Levels` in JSON. The devices send input levels, all of them when a supervisor
connects and then each change; the supervisor sends its output levels in the same way. When the supervisor's connection
ends for any reason, its outputs fall to low, as the kernel releases a dead process's pins.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from drivers.clock import Clock
from drivers.simulated.packets import PacketServer, Peer, UnreadableError, decoder


class Levels(msgspec.Struct, frozen=True):
    """Electrical levels by BCM pin number, and the time of their last change (CLOCK_MONOTONIC seconds)."""

    at: float
    levels: dict[int, bool]


encode_levels = msgspec.json.encode
decode_levels: Callable[[bytes], Levels] = decoder(Levels)


class PinWire:
    """The server at `path` for one supervisor at a time: a second one is refused.

    `inputs` are the current levels of the devices on their pins; `on_output(pin, level, at)` is called with every
    change of an output.
    """

    def __init__(
        self, path: Path, inputs: Mapping[int, bool], on_output: Callable[[int, bool, float], None], clock: Clock
    ) -> None:
        self._inputs = dict(inputs)
        self._on_output = on_output
        self._clock = clock
        self._outputs: dict[int, bool] = {}
        self._powered = True
        self._supervisor: Peer | None = None
        self._server = PacketServer(path, on_peer=self._connected, on_packet=self._received, on_gone=self._disconnected)

    def open(self) -> None:
        """Begin to listen; raise `OSError` naming the path."""
        self._server.open()

    def close(self) -> None:
        """End the connection and remove the socket."""
        self._server.close()

    def drive(self, pin: int, *, level: bool) -> None:
        """Set an input of the header to `level`."""
        if self._inputs.get(pin) == level:
            return
        self._inputs[pin] = level
        self._send({pin: level})

    def power(self, *, on: bool) -> None:
        """Without mains the header is dead: all outputs low, no input passes, and there is no connection."""
        self._powered = on
        if not on and self._supervisor is not None:
            self._supervisor.close()

    def _send(self, levels: Mapping[int, bool]) -> None:
        if self._supervisor is not None:
            self._supervisor.send(encode_levels(Levels(self._clock.now(), dict(levels))))

    def _connected(self, peer: Peer) -> None:
        if not self._powered or self._supervisor is not None:
            peer.close()
            return
        self._supervisor = peer
        self._send(self._inputs)

    def _received(self, peer: Peer, packet: bytes) -> None:
        if peer is not self._supervisor:
            return
        try:
            message = decode_levels(packet)
        except UnreadableError:
            # an unreadable message: the peer is no supervisor
            peer.close()
            return
        for pin, level in message.levels.items():
            self._output(pin, level=level, at=message.at)

    def _disconnected(self, peer: Peer) -> None:
        if peer is self._supervisor:
            self._supervisor = None
            self._outputs_low()

    def _outputs_low(self) -> None:
        for pin in list(self._outputs):
            self._output(pin, level=False, at=self._clock.now())

    def _output(self, pin: int, *, level: bool, at: float) -> None:
        if self._outputs.get(pin, False) != level:
            self._outputs[pin] = level
            self._on_output(pin, level, at)

    def __repr__(self) -> str:
        state = "connected" if self._supervisor is not None else "waiting"
        return f"<{type(self).__name__} {self._server.path} {state}>"
