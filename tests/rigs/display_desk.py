"""A display link at work, and displays that connect to it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from controller.display.link import DisplayLink
from controller.system.local_socket import Listening, listen
from drivers.clock import LoopClock
from ui.protocol.messages import (
    MAX_PACKET,
    Hello,
    ToDisplay,
    ToSupervisor,
    View,
    decode_to_display,
    encode,
)
from ui.protocol.view_parts import Balance


class Display:
    """A display's end of the socket, and nothing behind it."""

    def __init__(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(0)

    async def connect(self, path: Path) -> "Display":
        """Connect to the link at `path`."""
        await asyncio.get_running_loop().sock_connect(self.sock, str(path))
        return self

    async def send(self, message: ToSupervisor) -> None:
        """Send one message."""
        await self.send_bytes(encode(message))

    async def send_bytes(self, packet: bytes) -> None:
        """Send one packet, whatever is in it."""
        await asyncio.get_running_loop().sock_sendall(self.sock, packet)

    async def receive(self) -> ToDisplay | None:
        """Return the next message, None at the end of the connection."""
        packet = await asyncio.get_running_loop().sock_recv(self.sock, MAX_PACKET)
        return decode_to_display(packet) if packet else None


class Desk:
    """A link at work, the calls of its callbacks, and the displays that came."""

    def __init__(self, directory: Path, listening: Listening = listen) -> None:
        self.heard: list[object] = []
        self.displays: list[Display] = []
        self.link = DisplayLink(
            directory / "display.sock",
            on_press=self.heard.append,
            on_ack=self.heard.append,
            on_frames=self.heard.append,
            on_deaf=lambda pid: self.heard.append(("deaf", pid)),
            on_touch=self.heard.append,
            clock=LoopClock(),
            listening=listening,
        )

    async def display(self) -> Display:
        """Connect a display that has read the supervisor's Hello and said its own."""
        display = await self.stranger()
        await display.send(Hello())
        assert await display.receive() == Hello()
        return display

    async def stranger(self) -> Display:
        """Connect somebody who says nothing yet."""
        self.displays.append(Display())
        return await self.displays[-1].connect(self.link.path)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let the link work without letting time pass."""
        for _ in range(200):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError(f"the link did not get there; it called {self.heard}")


@asynccontextmanager
async def desk(directory: Path) -> AsyncIterator[Desk]:
    made = Desk(directory)
    task = asyncio.create_task(made.link.run())
    try:
        await made.until(made.link.path.exists)
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        for display in made.displays:
            display.sock.close()


async def at_desk(directory: Path, play: Callable[[Desk], Coroutine[Any, Any, None]]) -> None:
    async with desk(directory) as made:
        await play(made)


def view(credit_cents: int) -> View:
    return View(state="idle", balance=Balance(credit_cents=credit_cents))
