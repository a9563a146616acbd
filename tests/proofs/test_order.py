"""Nothing is acknowledged to a device, and nothing shown, while the journal's WAL is dirty (invariants 1 and 3).

SIGKILL proves no durability, since the kernel keeps what was written; so the order of the supervisor's own system
calls is watched: whenever it tells a validator to stack or to go on, tells the hopper to pay, or shows a result, every
byte written to the WAL before must have been synced.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.store import Store
from tests.display_client import DisplayClient
from tests.real_cabinet import RealCabinet

CALLS = "pwrite64,fdatasync,fsync,write,sendto,sendmsg"
_CALL = re.compile(r"^(\d+) +(?:<\.\.\. )?(\w+)(?: resumed>|\()(.*)$")
_HEX = re.compile(r"\\x([0-9a-f]{2})")
_CREDIT = re.compile(r'\\"credit_cents\\":(\d+)')

TELLS = {
    "the validator to stack": re.compile(r"\\xfc\\x05\\x4[12]"),
    "the validator to go on": re.compile(r"\\xfc\\x05\\x50"),
    "the hopper to pay": re.compile(r'"\\x03\\x04\\x01\\xa7'),
}


class Watch:
    """Follows a trace call by call: what was told, and what of it while the WAL was dirty."""

    def __init__(self) -> None:
        self.told = dict.fromkeys((*TELLS, "a result"), 0)
        self.violations: list[str] = []
        self._dirty = False
        self._syncing: set[str] = set()
        self._credit = ""

    def call(self, thread: str, call: str, rest: str) -> None:
        """Take in one call of one thread."""
        if call == "pwrite64":
            self._dirty = self._dirty or "-wal>" in rest
        elif call in ("fdatasync", "fsync"):
            self._sync(thread, rest)
        else:
            self._tell(rest)

    def _sync(self, thread: str, rest: str) -> None:
        if "-wal>" in rest:
            self._syncing.add(thread)
        if rest.endswith("= 0") and thread in self._syncing:
            self._syncing.remove(thread)
            self._dirty = False

    def _tell(self, rest: str) -> None:
        for what, pattern in TELLS.items():
            if "/dev/pts/" in rest and pattern.search(rest):
                self._note(what, rest)
        shown = _CREDIT.search(rest)
        if shown is not None and shown.group(1) != self._credit:
            self._credit = shown.group(1)
            self._note("a result", rest)

    def _note(self, what: str, rest: str) -> None:
        self.told[what] += 1
        if self._dirty:
            self.violations.append(f"{what}: {rest[:300]}")


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
        command = ["strace", "-f", "-qqq", "-y", "-xx", "-s", "4000", "-o", str(trace), "-e", f"trace={CALLS}"]
        process = subprocess.Popen([*command, sys.executable, "-m", *supervisor])
        try:
            play(cabinet, display)
        finally:
            subprocess.run(["pkill", "-TERM", "-P", str(process.pid)], check=False)
            process.wait(20.0)
            display.close()
        return readable(trace.read_text())


def readable(trace: str) -> str:
    """Turn strace's hexadecimal bytes into text where they are text, as the JSON packets are."""

    def text(matched: re.Match[str]) -> str:
        character = chr(int(matched.group(1), 16))
        return f"\\{character}" if character == '"' else character if character.isprintable() else matched.group(0)

    lines = []
    for line in trace.splitlines():
        named = re.sub(r"<[^>]*>", lambda path: _HEX.sub(text, path.group(0)), line)
        lines.append(named if "/dev/pts/" in named else _HEX.sub(text, named))
    return "\n".join(lines)


def without_hard_meters(configuration: Path) -> None:
    """Take the hard meters off: their pulses are recorded beside everything else and would blur the order."""
    kept = configuration.read_text().split("[pins.meters]")
    after = kept[1].split("[coin_acceptor]")[1]
    configuration.write_text(f"{kept[0]}[pins.meters]\n[coin_acceptor]{after}")


def play(cabinet: RealCabinet, display: DisplayClient) -> None:
    """A note, a few rounds, and the cash-out.

    The game is opened before the note comes: otherwise the note would open it, and the commit that records where the
    player is would run beside the ACK.
    """
    serve_until(display, lambda: display.state == "attract", 30.0)
    cabinet.do("tap spin")
    serve_until(display, lambda: display.state == "idle", 10.0)
    display.serve(5.0)
    cabinet.do("note 20")
    serve_until(display, lambda: (display.state, display.credit_cents) == ("idle", 2000), 15.0)
    for _ in range(4):
        shown = len(display.shows)
        cabinet.do("tap spin")
        serve_until(display, lambda: len(display.shows) > shown, 5.0)  # noqa: B023 - called within this pass
        for _ in range(200):
            if display.state == "idle":
                break
            if display.state == "offer":
                cabinet.do("tap spin")
            display.serve(0.2)
    cabinet.do("tap collect")
    serve_until(display, lambda: display.state == "handpay" or display.credit_cents == 0, 30.0)


def serve_until(display: DisplayClient, holds: Callable[[], bool], seconds: float) -> None:
    """Serve the display until `holds()`; fail after `seconds`."""
    for _ in range(int(seconds / 0.05)):
        if holds():
            return
        display.serve(0.05)
    raise AssertionError(f"still {display.state} with credit {display.credit_cents}")


pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed: apt install strace"),
]


def test_nothing_is_told_before_it_is_durable(tmp_path: Path) -> None:
    """With the journal's own settings every ACK, dispense and shown result follows the sync of what it means."""
    run = str(tmp_path / "cabinet.toml")
    watched = watch(traced_play(tmp_path, "controller.supervisor", run, "--simulated", "--seed", "1"))
    assert watched.violations == []
    assert all(watched.told.values()), watched.told


def test_the_proof_sees_a_journal_that_does_not_sync(tmp_path: Path) -> None:
    """The same watch on synchronous=NORMAL finds ACKs, dispenses and results before their sync."""
    watched = watch(traced_play(tmp_path, "tests.proofs.weak_supervisor", str(tmp_path / "cabinet.toml")))
    assert all(watched.told.values()), watched.told
    assert {line.split(":")[0] for line in watched.violations} == set(watched.told)
