"""Sockets that only this computer reaches: an accept that fails for a while ends nobody who listens."""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.features.console.link import ConsoleLink, MachineMenu
from controller.features.console.words import MOST_BYTES, Look, Sheet, decode_to_console, encode
from controller.system.local_socket import AGAIN_S, PASSING, connections, listen
from drivers.clock import LoopClock
from tests.rigs.display_desk import Desk
from tests.rigs.machine import Rig


class Tired(socket.socket):
    """A socket that listens, and whose next accepts fail with `errors`, in order."""

    errors: list[int]

    def accept(self) -> tuple[socket.socket, str]:
        """Accept a connection, or fail."""
        if self.errors:
            raise OSError(self.errors[0], errno.errorcode[self.errors.pop(0)])
        return super().accept()


def tired(*errors: int) -> Callable[[Path, int], Tired]:
    """What makes such a socket."""

    def listening(path: Path, mode: int) -> Tired:
        made = Tired(fileno=listen(path, mode).detach())
        made.settimeout(0)
        made.errors = list(errors)
        return made

    return listening


async def test_an_accept_that_fails_is_tried_again_and_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No descriptor is left, or the other end is gone: each reason is waited out, and the log is not filled."""

    async def play() -> None:
        listener = tired(*sorted(PASSING))(tmp_path / "s", 0o600)
        with listener:
            came = connections(listener, LoopClock())
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
                other.connect(str(tmp_path / "s"))
                began = asyncio.get_running_loop().time()
                with await anext(came) as sock:
                    assert asyncio.get_running_loop().time() - began == pytest.approx(len(PASSING) * AGAIN_S)
                    other.sendall(b"hello")
                    assert await asyncio.get_running_loop().sock_recv(sock, 9) == b"hello"
            await came.aclose()  # type: ignore[attr-defined]  # it is a generator

    with caplog.at_level(logging.WARNING):
        await play()
    assert len(caplog.records) == 1


async def test_a_socket_that_is_none_is_not_waited_for(tmp_path: Path) -> None:
    """What cannot pass goes on to whoever listens."""
    with tired(errno.EINVAL)(tmp_path / "s", 0o600) as listener, pytest.raises(OSError, match="EINVAL"):
        await anext(connections(listener, LoopClock()))


async def test_a_console_is_served_after_an_accept_that_failed(tmp_path: Path) -> None:
    """The machine has no descriptor left for a moment: the supervisor goes on, and the next console is served."""
    async with Rig(tmp_path) as rig:
        path = tmp_path / "console.sock"
        listening = tired(errno.EMFILE, errno.ECONNABORTED)
        link = asyncio.create_task(
            ConsoleLink(path, MachineMenu(rig.machine.parts), LoopClock(), listening=listening).run()
        )
        await rig.until_true(path.exists)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as console:
            console.connect(str(path))
            console.sendall(encode(Look()))
            await asyncio.sleep(3 * AGAIN_S)
            assert isinstance(decode_to_console(console.recv(MOST_BYTES)), Sheet)
        assert not link.done()
        link.cancel()
        await asyncio.gather(link, return_exceptions=True)


async def test_a_display_is_served_after_an_accept_that_failed(tmp_path: Path) -> None:
    """A display that connects while the supervisor is short of descriptors gets its picture a little later."""
    made = Desk(tmp_path, listening=tired(errno.EMFILE, errno.ENFILE))
    link = asyncio.create_task(made.link.run())
    await made.until(made.link.path.exists)
    display = await made.display()
    await made.until(lambda: made.link.connected)
    assert not link.done()
    link.cancel()
    await asyncio.gather(link, return_exceptions=True)
    display.sock.close()
