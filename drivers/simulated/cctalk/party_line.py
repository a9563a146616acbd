"""Several ccTalk devices on one line: each receives everything, the addressed ones answer, the line may echo."""

from collections.abc import Sequence

from drivers.simulated.line import Line, LineDevice


class PartyLine:
    """A `LineDevice` that is a wire with `devices` on it; each keeps its own power.

    What one device sends reaches the host and all other devices, which skip it. `echo` returns what the host sends,
    once, for any number of devices, with or without power.
    """

    def __init__(self, devices: Sequence[LineDevice], *, echo: bool = False) -> None:
        self.devices = tuple(devices)
        self.echo = echo
        self._line: Line | None = None
        for device in self.devices:
            device.connect(_Stub(self, device))

    def __repr__(self) -> str:
        return f"<PartyLine {list(self.devices)} echo={self.echo}>"

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Carry the host's bytes to every device."""
        if self.echo and self._line is not None:
            self._line.send(data)
        for device in self.devices:
            device.receive(data)

    def power(self, *, on: bool) -> None:
        """Switch the power of every device."""
        for device in self.devices:
            device.power(on=on)

    def say(self, speaker: LineDevice, data: bytes) -> None:
        """Carry a device's bytes to the host and to the others."""
        if self._line is not None:
            self._line.send(data)
        for device in self.devices:
            if device is not speaker:
                device.receive(data)


class _Stub:
    """One device's end of the wire, a `Line`."""

    def __init__(self, wire: PartyLine, device: LineDevice) -> None:
        self._wire = wire
        self._device = device

    def send(self, data: bytes) -> None:
        """Put bytes on the wire."""
        self._wire.say(self._device, data)
