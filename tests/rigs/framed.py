"""A simulated ccTalk device made to have its frames in another way than the simple checksum."""

import asyncio

from drivers.cctalk import protocol as cctalk
from drivers.cctalk.framing import Framing
from drivers.cctalk.protocol import Frame, Parser
from drivers.simulated.line import Line, LineDevice


class Framed:
    """`device` with its frames translated; what is no frame of that way is met with silence, as a real device does.

    `heard` are the frames that reached it, `polled` those that did not, since they were framed in another way.
    """

    def __init__(self, device: LineDevice, framing: Framing) -> None:
        self.device = device
        self.framing = framing
        self.heard: list[Frame] = []
        self.missed: list[bytes] = []
        self._from_host = Parser(read=framing.decode)
        self._from_device = Parser()
        self._line: Line | None = None
        self._byte_at = 0.0

    def connect(self, line: Line) -> None:
        """Stand between `line` and the device."""
        self._line = line
        self.device.connect(self)

    def receive(self, data: bytes) -> None:
        """Translate the host's frames."""
        now = asyncio.get_running_loop().time()
        if now - self._byte_at > cctalk.BYTE_GAP_S:
            self._from_host.drop()
        self._byte_at = now
        frames = self._from_host.feed(data)
        if not frames:
            self.missed.append(data)
        for frame in frames:
            self.heard.append(frame)
            self.device.receive(cctalk.encode(frame))

    def send(self, data: bytes) -> None:
        """Translate the device's frames, its echo too."""
        assert self._line is not None
        for frame in self._from_device.feed(data):
            self._line.send(self.framing.encode(frame))

    def power(self, *, on: bool) -> None:
        """Switch the device."""
        self._from_host.drop()
        self._from_device.drop()
        self.device.power(on=on)
