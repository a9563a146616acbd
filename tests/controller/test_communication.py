"""What goes out to a host and a venue before the program is proved, when it differs, and when the books have locked.

The supervisor is the real one; the host polls without pause, and the link's process does every call that it is given.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.features.sas.configuration import HostPort
from controller.features.update.installed import RELEASE, Authority, Verdict
from controller.features.update.manifest import Difference, Progress, Wrong
from controller.features.update.software_watch import SoftwareWatch, is_as_signed
from controller.features.venue import relay
from controller.features.venue.configuration import VenueAddress
from controller.features.venue.relayed import SOCKET, Address
from controller.journal.errors import CorruptJournalError, RefusedError
from controller.journal.faults import clear_fault, raise_fault
from controller.safe_mode import serve_locked_screen
from controller.system.notify import Notifier
from drivers.clock import LoopClock
from drivers.port import Port
from drivers.serial_port import Parity, StopBits
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.linked_rig import ME, venue_of
from tests.rigs.model_venue import Wire
from tests.rigs.sas_links import MemoryHostLink, Pairs
from tests.rigs.virtual_cabinet import VirtualCabinet

ANOTHER, GENERAL, METER = b"\x80", b"\x81", b"\x01\x1a"
POLLS, TURNS = 200, 20
DIFFERS = Difference("/opt/cabinet/a.py", Wrong.CHANGED)
LONG_S = 30.0


class Proving:
    """The proof of a program: it goes on until `may_end`, and finds `differs`."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.begun = 0
        self.differs = False
        self.has_begun = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def __call__(self, *, fresh: bool, progress: Progress) -> Verdict:
        """Prove."""
        del fresh
        self.begun += 1
        self._loop.call_soon_threadsafe(self.has_begun.set)
        while not self.may_end.wait(0.002):
            progress(0)  # raises where nobody waits for it
        return Verdict((DIFFERS,) if self.differs else (), {RELEASE: Authority(bytes(32), "ab", "1.0")})


class Spoken:
    """A cabinet with a host that polls and a venue; `heard` is what the host has heard, `wire.called` the venue."""

    def __init__(self, folder: Path) -> None:
        self.cabinet = VirtualCabinet(folder)
        self.proof = Proving()
        self.cabinet.fit = lambda supervisor: supervisor.service.machine.of(SoftwareWatch).fit(self.proof)
        self.link = MemoryHostLink()
        self.link.listener = self._hear
        self.cabinet.lines["host"] = MemoryLine(self.link, path="host")
        port = HostPort(port="host", link="timed")
        self.cabinet.config = replace(self.cabinet.config, host_port=port, venue=VenueAddress(host="venue"))
        self.wire = Wire(venue_of(), ME)
        self.heard = bytearray()
        self.socket = folder / SOCKET
        self.polls = 0
        """How many polls the host has sent."""
        self.connected = 0
        """How often the link's process was given a venue to connect to: once for each connection to the supervisor."""

    def _hear(self, pairs: Pairs) -> None:
        self.heard += bytes(byte for byte, _ in pairs)

    @property
    def said(self) -> int:
        """How much was said to either, since the last look."""
        said = len(self.heard) + len(self.wire.called)
        self.heard.clear()
        self.wire.called.clear()
        return said

    async def poll(self, seconds: float) -> None:
        """Have the host poll for so long."""
        for _ in range(int(seconds / 0.2)):
            for poll in (ANOTHER, GENERAL, ANOTHER, METER):
                self.link.send(poll)
                await asyncio.sleep(0.05)

    async def poll_from_now_on(self) -> None:
        """Have the host poll, whether or not anybody listens, until the proof may end."""
        while not self.proof.may_end.is_set():
            self.link.send(GENERAL if self.polls % 2 else ANOTHER)
            self.polls += 1
            for _ in range(TURNS):
                await asyncio.sleep(0)

    async def poll_in_no_time(self) -> None:
        """Have the host poll while a proof stops the clock: everything happens that waits for nothing but time."""
        supervisor = self.cabinet.supervisor
        for turn in range(POLLS):
            self.link.send(GENERAL if turn % 2 else ANOTHER)
            for _ in range(TURNS):
                await asyncio.sleep(0)
            if supervisor is not None:
                await supervisor.journal.turns()

    async def serve_link(self) -> None:
        """Be the link's process."""
        while True:
            with suppress(OSError):
                await relay.serve(self.socket, Path(), self._connect)
            await asyncio.sleep(1.0)

    def _connect(self, _address: Address, _folder: Path) -> Wire:
        self.connected += 1
        return self.wire


@asynccontextmanager
async def spoken(folder: Path, *, proved: bool = True) -> AsyncIterator[Spoken]:
    """A cabinet that has started; with `proved` it has spoken with both."""
    one = Spoken(folder)
    link = asyncio.create_task(one.serve_link())
    polling = asyncio.create_task(one.poll_from_now_on())
    try:
        if proved:
            one.proof.may_end.set()
        await one.cabinet.start()
        if proved:
            await one.poll(LONG_S)
            assert one.heard
            assert "beat" in one.wire.called
            assert one.said
        yield one
    finally:
        one.proof.may_end.set()
        link.cancel()
        await asyncio.gather(link, polling, return_exceptions=True)
        if one.cabinet.supervisor is not None:
            await one.cabinet.kill()


@pytest.mark.requirement("P7")
async def test_nothing_is_said_before_the_first_proof_is_over(tmp_path: Path) -> None:
    """A host that polls from the first instant gets no byte, and no call goes to the venue, though all else is up.

    Afterwards both are served.
    """
    async with spoken(tmp_path, proved=False) as one:
        assert one.cabinet.supervisor is not None
        polls = one.polls
        assert polls > 0
        await one.cabinet.supervisor.machine.states.up.wait()
        assert one.polls > polls
        await one.poll_in_no_time()
        assert one.cabinet.supervisor.service.machine.of(SoftwareWatch).proving
        assert one.said == 0
        with pytest.raises(RefusedError, match="not proved"):
            await one.cabinet.supervisor.service.machine.venue.enrol("1" * 20)  # type: ignore[union-attr]  # it is fitted
        one.proof.may_end.set()
        await one.poll(LONG_S)
        assert one.heard
        assert "beat" in one.wire.called


async def test_a_program_that_differs_says_nothing(tmp_path: Path) -> None:
    """At a start, and however long; once it is as signed again, and proved, both are served."""
    one = Spoken(tmp_path)
    one.proof.differs = True
    one.proof.may_end.set()
    link = asyncio.create_task(one.serve_link())
    await one.cabinet.start()
    await one.poll(LONG_S)
    assert one.proof.begun == 1
    assert one.said == 0
    one.proof.differs = False
    await shut_door(one)
    await one.poll(LONG_S)
    assert one.heard
    assert "beat" in one.wire.called
    link.cancel()
    await one.cabinet.kill()


async def test_a_program_that_is_found_changed_falls_silent(tmp_path: Path) -> None:
    """From that proof on, its connection to the venue ended; the proof itself, and one that finds nothing, does not."""
    async with spoken(tmp_path) as one:
        await shut_door(one)
        await one.poll(LONG_S)
        assert one.said
        one.proof.differs = True
        before = one.connected
        await shut_door(one)
        assert one.said
        await one.poll(LONG_S)
        assert one.said == 0
        assert one.connected == before + 1


async def test_a_host_is_answered_while_a_program_that_was_proved_is_proved_again(tmp_path: Path) -> None:
    """The door that was shut is reported, and the proof is of the same program."""
    async with spoken(tmp_path) as one:
        one.cabinet.door("main", is_open=True)
        await one.poll(2.0)
        assert one.said
        one.proof.may_end.clear()
        one.proof.has_begun.clear()
        one.cabinet.door("main", is_open=False)
        await one.proof.has_begun.wait()
        await one.poll_in_no_time()
        assert one.cabinet.supervisor is not None
        assert one.cabinet.supervisor.service.machine.of(SoftwareWatch).proving
        assert one.heard


async def test_a_program_of_another_signer_says_nothing_until_that_is_accepted(tmp_path: Path) -> None:
    """The fault of an unknown key silences as a changed file does."""
    async with spoken(tmp_path) as one:
        assert one.cabinet.supervisor is not None
        journal = one.cabinet.supervisor.machine.journal
        await journal.record(lambda tx: raise_fault(tx, "software_key", RELEASE))
        await one.poll(LONG_S)
        assert one.said == 0
        await journal.record(lambda tx: clear_fault(tx, "software_key", RELEASE, "technician"))
        await one.poll(LONG_S)
        assert one.heard
        assert "beat" in one.wire.called


async def test_a_locked_cabinet_says_nothing_to_a_host_and_to_the_venue_that_it_is_locked(tmp_path: Path) -> None:
    """Books that failed report no figure any more, wherever that was found."""
    async with spoken(tmp_path) as one:
        assert one.cabinet.supervisor is not None
        one.cabinet.supervisor.machine.journal.lock_up(CorruptJournalError("page 7 is damaged"))
        await one.poll(1.0)
        one.heard.clear()
        one.wire.called.clear()
        await one.poll(LONG_S)
        assert one.heard == b""
        assert set(one.wire.called) == {"locked"}


@pytest.mark.parametrize("differs", [False, True])
async def test_books_that_cannot_be_opened_are_reported_by_a_proved_program(tmp_path: Path, *, differs: bool) -> None:
    """A cabinet that is locked from the start reports that to its venue, and nothing before its program is proved."""
    one = Spoken(tmp_path)
    one.proof.differs = differs
    link = asyncio.create_task(one.serve_link())
    serving = asyncio.create_task(locked_screen(one))
    await one.poll_in_no_time()
    assert one.said == 0
    one.proof.may_end.set()
    await asyncio.sleep(LONG_S)
    assert set(one.wire.called) == (set() if differs else {"locked"})
    for task in (link, serving):
        task.cancel()
    await asyncio.gather(link, serving, return_exceptions=True)


def locked_screen(one: Spoken) -> Coroutine[object, object, None]:
    """Serve the screen of a cabinet whose books cannot be opened."""
    lines, error = one.cabinet.lines, CorruptJournalError("journal.sqlite is damaged: restore it")

    def port(path: str, _parity: Parity, _stop_bits: StopBits) -> Port:
        return lines[path].port

    return serve_locked_screen(
        one.cabinet.config, error, Notifier(), LoopClock(), port, is_proved=lambda: is_as_signed(one.proof)
    )


async def shut_door(one: Spoken) -> None:
    """Open the main door and shut it, and let the proof that follows be over."""
    begun = one.proof.begun
    one.cabinet.door("main", is_open=True)
    await asyncio.sleep(1.0)
    one.cabinet.door("main", is_open=False)
    await one.cabinet.until(lambda: one.proof.begun > begun)
    assert one.cabinet.supervisor is not None
    software = one.cabinet.supervisor.service.machine.of(SoftwareWatch)
    await one.cabinet.until(lambda: not software.proving)
