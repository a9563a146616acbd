"""A million packets into each socket of the real supervisor, random and structured: it goes on and does not grow."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.features.console.words import MOST_BYTES, Denied, decode_to_console
from tests.rigs.hostile import Hostile, hostile
from tests.rigs.peer_fuzz import console_packets, display_packets
from tests.rigs.real_cabinet import RealCabinet
from ui.protocol.messages import MAX_PACKET, Ack, Hello, Show, Snapshot, decode_to_display, encode

pytestmark = [pytest.mark.proof, pytest.mark.processes, pytest.mark.timeout(3_600)]

PACKETS = 1_000_000
WARM_PACKETS = 50_000
STRANGERS = 5_000
MOST_GROWTH_KB = 24 * 1024


def start(cabinet: RealCabinet) -> subprocess.Popen[bytes]:
    """Start a supervisor that bears everything."""
    command = [sys.executable, "-m", "tests.proofs.bearing_supervisor", str(cabinet.run.configuration)]
    with cabinet.run.log("supervisor").open("ab") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


def resident_kb(process: subprocess.Popen[bytes]) -> int:
    """Return how much memory a process holds."""
    status = Path(f"/proc/{process.pid}/status").read_text("ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


class Display:
    """A greeted display that reads all that comes, and knows the newest turn and controls."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.state: tuple[int, tuple[str, ...]] = (0, ())
        self._reader = threading.Thread(target=self._read, daemon=True)
        sock.send(encode(Hello()))
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError):
            while packet := self.sock.recv(MAX_PACKET):
                message = decode_to_display(packet)
                if isinstance(message, Snapshot):
                    self.state = (message.turn, message.view.controls)
                elif isinstance(message, Show):
                    self.sock.send(encode(Ack(message.number)))

    def close(self) -> None:
        """Hang up."""
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self.sock.close()


def prove(made: Hostile, warm_kb: int) -> int:
    """Prove that it serves, and ends in order with its books proved; return its growth."""
    grown_kb = resident_kb(made.process) - warm_kb
    made.serves()
    made.process.terminate()
    made.process.wait(30.0)
    assert audit(made.cabinet.run.journal, lambda _what, _done, _total: None).failures == []
    return grown_kb


def turn_key_at_half(made: Hostile, number: int, count: int) -> None:
    """Open the service menu for the second half, with the attendant's key."""
    if number == count // 2:
        made.cabinet.do("key attendant on")


def fuzz_display(made: Hostile, seed: int, count: int) -> None:
    """Send odd packets on one connection, which none of them may end."""
    display = Display(made.connect("display.sock"))
    try:
        made.until(lambda: display.state[0] > 0)
        for number, packet in enumerate(display_packets(seed, count, lambda: display.state)):
            turn_key_at_half(made, number, count)
            try:
                display.sock.send(packet)
            except ConnectionError:
                made.process.wait(10.0)
                pytest.fail(f"ended by packet {number} or earlier: {made.process.poll()} {made.cabinet._tail()}")
    finally:
        display.close()
    assert made.process.poll() is None, made.cabinet._tail()
    made.cabinet.do("key attendant off")


def fuzz_console(made: Hostile, seed: int, count: int) -> None:
    """Send odd questions one by one: each is answered, or its connection ended."""
    console: socket.socket | None = None
    state: tuple[int, tuple[str, ...]] = (0, ())
    try:
        for number, packet in enumerate(console_packets(seed, count, lambda: state)):  # noqa: B023 - the newest
            turn_key_at_half(made, number, count)
            console = console or made.connect("console.sock")
            answer = b""
            with suppress(ConnectionResetError):
                console.send(packet)
                answer = console.recv(MOST_BYTES)
            if not answer:
                console.close()
                console = None
                continue
            sheet = decode_to_console(answer)
            assert not isinstance(sheet, Denied), sheet
            state = (sheet.turn, sheet.controls)
    finally:
        if console is not None:
            console.close()
    assert made.process.poll() is None, made.cabinet._tail()
    made.cabinet.do("key attendant off")


def fuzz_strangers(made: Hostile, seed: int) -> None:
    """Send one odd packet each instead of a Hello."""
    for packet in display_packets(seed, STRANGERS, lambda: (1, ())):
        with made.connect("display.sock") as stranger, suppress(BrokenPipeError):
            stranger.send(packet)
    assert made.process.poll() is None, made.cabinet._tail()


@pytest.mark.parametrize("fuzz", [fuzz_display, fuzz_console])
def test_a_million_packets_end_nothing(
    tmp_path: Path, record_property: Callable[[str, object], None], fuzz: Callable[[Hostile, int, int], None]
) -> None:
    """Random bytes, broken messages and odd ones, with the service menu open for half of them."""
    with hostile(tmp_path, start) as made:
        made.cabinet.do("note 20")
        made.until(lambda: made.cabinet.books.credit_cents > 0 or made.cabinet.front.bill_return_cents > 0)
        fuzz(made, 0, WARM_PACKETS)
        warm_kb = resident_kb(made.process)
        began = time.monotonic()
        fuzz(made, 1, PACKETS)
        took_s = time.monotonic() - began
        if fuzz is fuzz_display:
            fuzz_strangers(made, 2)
        grown_kb = prove(made, warm_kb)
    assert grown_kb < MOST_GROWTH_KB
    words = f"{PACKETS:,} packets in {took_s:,.0f} s, {grown_kb} KiB grown"
    record_property("proof", f"{fuzz.__name__}: {words}")
