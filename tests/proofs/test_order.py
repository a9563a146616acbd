"""Nothing is sent to a device, and nothing shown, before what it means is synced (invariants 1 and 3).

SIGKILL proves no durability, since the kernel keeps what was written; so the supervisor's own system calls are watched,
with their data. What it sends to the validator, the hopper or the display must be, byte for byte, in writes to the WAL
that an `fdatasync` has carried to the disk before.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from controller.features.demo.settings import HOPPER_COIN_CENTS
from controller.journal.store import Store
from tests.rigs.display_client import DisplayClient
from tests.rigs.needing import needs_tools
from tests.rigs.patience import PATIENCE_S
from tests.rigs.real_cabinet import RealCabinet
from ui.protocol.messages import Show, Snapshot, decode_to_display

pytestmark = [
    pytest.mark.processes,
    needs_tools("strace"),
]

CALLS = "pwrite64,fdatasync,fsync,write,sendto,sendmsg"
_CALL = re.compile(r"^(\d+) +(?:<\.\.\. )?(\w+)(?: resumed>|\()(.*)$")
_DATA = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_NAME = re.compile(r"<((?:\\x[0-9a-f]{2})+)>")

MEANINGS = {
    b"\xfc\x05\x41": ("the validator to stack", b"stacking"),
    b"\xfc\x05\x42": ("the validator to stack", b"stacking"),
    b"\xfc\x05\x50": ("the validator to go on", b'{"note":1}'),
    b"\x03\x04\x01\xa7": ("the hopper to pay", b"payout_begun"),
}
"""How a frame to a device begins, what it means, and what the journal must hold before."""

WHAT = {"the validator to stack", "the validator to go on", "the hopper to pay", "a segment", "a coin paid"}


class Watch:
    """Follows a trace call by call: what was sent, and what of it was not yet synced."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = dict.fromkeys(WHAT, 0)
        self.violations: list[str] = []
        self._written = bytearray()
        self._synced = b""
        self._syncing: dict[str, int] = {}

    def call(self, thread: str, call: str, rest: str) -> None:
        """Take in one call of one thread."""
        file = _text(_NAME, rest)
        if call == "pwrite64":
            if file.endswith(b"-wal"):
                self._written += _text(_DATA, rest)
        elif call in ("fdatasync", "fsync"):
            self._sync(thread, file, rest)
        elif b"/dev/pts/" in file:
            self._command(_text(_DATA, rest))
        else:
            self._packet(_text(_DATA, rest))

    def _sync(self, thread: str, file: bytes, rest: str) -> None:
        if file.endswith(b"-wal"):
            self._syncing[thread] = len(self._written)  # what is written while it runs is not in it
        if rest.endswith("= 0") and thread in self._syncing:
            self._synced = bytes(self._written[: self._syncing.pop(thread)])

    def _command(self, frame: bytes) -> None:
        for beginning, (what, needed) in MEANINGS.items():
            if frame.startswith(beginning):
                self._check(what, needed)

    def _packet(self, packet: bytes) -> None:
        if not packet.startswith(b'{"type":"s'):
            return
        message = decode_to_display(packet)
        if isinstance(message, Show):
            steps = b"\n".join(bytes(step) for step in message.steps)
            self._check("a segment", hashlib.sha256(steps).digest())
        elif isinstance(message, Snapshot) and message.view.balance.payout is not None:
            coins = message.view.balance.payout.paid_cents // 100
            if message.view.balance.payout.by == "hopper" and coins:
                self._check("a coin paid", b'{"coin":%d,"payout":1}' % coins)

    def _check(self, what: str, needed: bytes) -> None:
        self.seen[what] += 1
        if needed not in self._synced:
            self.violations.append(f"{what}: {needed!r} is not synced")


def _text(pattern: re.Pattern[str], rest: str) -> bytes:
    """Return the first thing that `pattern` finds, out of strace's hexadecimal digits."""
    found = pattern.search(rest)
    return b"" if found is None else bytes.fromhex(found.group(1).replace("\\x", ""))


def watch(trace: str) -> Watch:
    """Follow a whole trace."""
    watched = Watch()
    for line in trace.splitlines():
        matched = _CALL.match(line)
        if matched is not None:
            watched.call(*matched.groups())
    return watched


def traced_play(folder: Path, *supervisor: str) -> str:
    """Play from a note to a cash-out with the supervisor under strace, and return the trace."""
    with RealCabinet(folder, seed=1) as cabinet:
        without_hard_meters(cabinet.run.configuration)
        Store(cabinet.run.journal, lambda: 0, simulated=True, create=True).close()
        display = DisplayClient(cabinet.run.display_socket)
        trace = folder / "trace"
        command = ["strace", "-f", "-qqq", "-y", "-xx", "-s", "65536", "-o", str(trace), "-e", f"trace={CALLS}"]
        process = subprocess.Popen([*command, sys.executable, "-m", *supervisor])
        try:
            play(cabinet, display)
        finally:
            subprocess.run(["pkill", "-TERM", "-P", str(process.pid)], check=False)
            process.wait(PATIENCE_S)
            display.close()
        return trace.read_text()


def without_hard_meters(configuration: Path) -> None:
    """Take the hard meters off: they are another proof's matter."""
    kept = configuration.read_text().split("[pins.meters]")
    after = kept[1].split("[coin_acceptor]")[1]
    configuration.write_text(f"{kept[0]}[pins.meters]\n[coin_acceptor]{after}")


def play(cabinet: RealCabinet, display: DisplayClient) -> None:
    """A note, a few rounds, and the cash-out."""
    display.serve_until(lambda: display.state == "attract")
    cabinet.do("note 20")
    display.serve_until(cabinet.note_is_credited)
    display.serve_until(lambda: (display.state, display.credit_cents) == ("idle", 2000))
    for _ in range(4):
        shown = len(display.shows)
        cabinet.do("tap spin")
        display.serve_until(lambda: len(display.shows) > shown)  # noqa: B023 - called within this pass
        for _ in range(200):
            if display.state == "idle":
                break
            if display.state == "offer":
                cabinet.do("tap spin")
            display.serve(0.2)
    cabinet.do("tap collect")
    display.serve_until(lambda: display.state == "handpay" or display.credit_cents < HOPPER_COIN_CENTS)


def test_nothing_is_sent_before_it_is_durable(tmp_path: Path) -> None:
    """With the journal's own settings every ACK, dispense and shown result follows the sync of what it means."""
    run = str(tmp_path / "cabinet.toml")
    watched = watch(traced_play(tmp_path, "controller.supervisor", run, "--simulated", "--seed", "1"))
    assert watched.violations == []
    assert all(watched.seen.values()), watched.seen


def test_the_proof_sees_a_journal_that_does_not_sync(tmp_path: Path) -> None:
    """The same watch on synchronous=NORMAL finds ACKs, dispenses and results before their sync."""
    watched = watch(traced_play(tmp_path, "tests.proofs.weak_supervisor", str(tmp_path / "cabinet.toml")))
    assert all(watched.seen.values()), watched.seen
    assert {line.split(":")[0] for line in watched.violations} == WHAT
