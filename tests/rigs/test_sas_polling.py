"""A polling SAS host, in a test's own loop and on a thread: it lends itself between two polls."""

import asyncio
import os
import threading
from pathlib import Path

from tests.rigs import sas_frames
from tests.rigs.sas_host import SasHost
from tests.rigs.sas_polling import HostThread, Polling
from tests.rigs.sas_puppet import on_bits


async def test_it_polls_while_the_test_goes_on() -> None:
    """Exceptions are fetched without being asked for, and a question fits between two polls."""
    link, puppet = on_bits()
    puppet.answers[0x1A] = lambda: sas_frames.answer(1, 0x1A, credits=9)
    async with Polling(SasHost(link, now=asyncio.get_running_loop().time)) as polling:
        puppet.queue.append(0x11)
        await asyncio.sleep(1.0)
        assert dict(polling.host.tally.confirmed) == {0x11: 1}
        async with polling.alone() as host:
            assert await host.ask(0x1A) == {"credits": 9}


class Machine:
    """A machine of a few lines on the other end of a pty, in real time; it gives each exception once confirmed."""

    def __init__(self, path: Path) -> None:
        self.queue = [0x11, 0x12]
        self._port = os.open(path, os.O_RDWR | os.O_NOCTTY)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        told = False
        while (polled := os.read(self._port, 1)) != b"\xff":
            if polled == b"\x81":
                os.write(self._port, bytes(self.queue[:1]) or b"\0")
                told = bool(self.queue)
            elif told:
                self.queue.pop(0)
                told = False

    def end(self) -> None:
        self._thread.join()
        os.close(self._port)


def test_a_thread_polls_a_real_pty(tmp_path: Path) -> None:
    """In real time; every exception is confirmed once, and what the host does is done on its own loop."""
    with HostThread(tmp_path / "sas", every_s=0.01) as thread:
        machine = Machine(tmp_path / "sas")
        try:
            thread.confirmed(0x11)
            thread.confirmed(0x12)

            async def silence(host: SasHost) -> int:
                return len(host.latencies())

            assert thread.do(silence) > 0
        finally:
            thread.do(_hang_up)
            machine.end()
        assert dict(thread.host.tally.confirmed) == {0x11: 1, 0x12: 1}


async def _hang_up(host: SasHost) -> None:
    host.link.send(b"\xff")
