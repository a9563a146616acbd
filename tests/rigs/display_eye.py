"""A display that is connected to a cabinet on virtual time."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.rigs.technician import Technician
from ui.protocol.messages import (
    MAX_PACKET,
    Ack,
    Frames,
    Hello,
    Show,
    Snapshot,
    Touch,
    View,
    decode_to_display,
    encode,
)


class Eye:
    """A display's end of the socket: it reads all that comes, acknowledges shows, and says what the test wants."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.view = View(state="booting")
        asyncio.get_running_loop().add_reader(sock, self._read)

    def say(self, message: Hello | Touch | Frames | Ack) -> None:
        """Send a message."""
        self.sock.send(encode(message))

    def close(self) -> None:
        """Hang up; may be called twice."""
        if self.sock.fileno() >= 0:
            asyncio.get_running_loop().remove_reader(self.sock)
            self.sock.close()

    def _read(self) -> None:
        packet = self.sock.recv(MAX_PACKET)
        if not packet:
            self.close()
            return
        message = decode_to_display(packet)
        if isinstance(message, Snapshot):
            self.view = message.view
        elif isinstance(message, Show):
            self.say(Ack(message.number))


@asynccontextmanager
async def looked_at(technician: Technician) -> AsyncIterator[Eye]:
    """A display that is connected to the running supervisor."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.connect(str(technician.cabinet.config.cabinet.display_socket))
    sock.setblocking(False)  # noqa: FBT003 - the standard library's own signature
    eye = Eye(sock)
    try:
        eye.say(Hello())
        await technician.cabinet.until(lambda: technician.machine.screen.connected)
        yield eye
    finally:
        eye.close()
        await technician.pause(0.5)
