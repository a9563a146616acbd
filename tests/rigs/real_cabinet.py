"""A simulated cabinet of real processes: its devices, and one supervisor after the other.

A supervisor can be killed within a chosen system call: `strace` counts the calls of each thread by itself and sends
SIGKILL as the n-th begins; the journal's file is touched by its writer thread alone, so n counts that thread's
calls. The devices live on.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from controller.books.audit import audit
from controller.books.proof import Proof
from controller.features.demo.guest import Guest
from controller.features.demo.settings import RunDirectory
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient, FrontLostError
from tests.rigs.journal_rows import Books
from tests.rigs.patience import PATIENCE_S

UNSURE = ("note_unknown", "note_unexpected", "payout_held", "hopper_overpaid")
LOOK_S = 0.05
UNREAD_S = 0.5
"""In so long without a look at the front the buffer of its packets may fill."""


class RealCabinet:
    """One run directory, its devices, and one supervisor after the other.

    `seed` gives the draws and the player's whims; supervisors run the program in the folder `tree`, this one by
    default. Use it as a context manager: no process is left behind.
    """

    def __init__(self, folder: Path, seed: int, tree: Path | None = None) -> None:
        self._tree = tree
        self.run = RunDirectory.made(folder)
        self.run.write_configuration(Path("build/baked"))
        with self.run.configuration.open("a") as configuration:
            configuration.write("[timing]\nundisplayed_show_ms = 50\n")
        self.books = Books(self.run.journal)
        self.kills = 0
        self._seed = seed
        self._client = FrontClient(self.run.hardware_socket, timeout=PATIENCE_S)
        self._looked_at = time.monotonic()
        self._guest = Guest(self._client, self.books, random.Random(seed), now=time.monotonic, pause=time.sleep)
        self._devices = self._start_devices()
        self._wait(self._connects)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._devices.kill()
        self._devices.wait()

    def _start_devices(self) -> subprocess.Popen[bytes]:
        run = self.run
        command = [
            sys.executable,
            "-m",
            "drivers.simulated",
            "--config",
            str(run.configuration),
            "--run",
            str(run.path),
        ]
        with run.log("devices").open("ab") as output:
            return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)

    def _connects(self) -> bool:
        try:
            self._client.connect()
        except FrontLostError:
            return False
        return True

    def _wait(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < deadline, self._tail()
            time.sleep(LOOK_S)

    def _tail(self) -> str:
        log = self.run.log("supervisor")
        return log.read_text(errors="replace")[-2000:] if log.exists() else "no supervisor was started"

    @property
    def front(self) -> Front:
        """The front as it is now: where old packets filled the buffer, the newest comes once they are read."""
        now, before = time.monotonic(), self._looked_at
        self._looked_at = now
        self._client.receive(1.0 if self._client.latest is None else 0.0)
        if now - before > UNREAD_S:
            self._client.receive(UNREAD_S)
        assert self._client.latest is not None
        return self._client.latest

    def do(self, words: str) -> None:
        """Do something at the front."""
        self._client.do(words)

    def note_is_credited(self) -> bool:
        """Whether the note of 20.00 is; one given back by a validator that still starts is pushed in again."""
        if self.front.bill_return_cents:
            self.do("take note")
            self.do("note 20")
        return self.books.credit_cents == 2000

    def supervisor(self, *wrapper: str) -> subprocess.Popen[bytes]:
        """Start a supervisor, under `wrapper` where one is given."""
        run = self.run
        command = [sys.executable, "-m", "controller.supervisor", str(run.configuration), "--simulated"]
        with run.log("supervisor").open("ab") as output:
            return subprocess.Popen(
                [*wrapper, *command, "--seed", str(self._seed)],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._tree,
                env=None if self._tree is None else {**os.environ, "PYTHONPATH": str(self._tree)},
            )

    def life(self, call: str, number: int, *, stop: bool = False) -> None:
        """Let a supervisor live until its `number`-th `call`, in which it is killed; play meanwhile.

        With `stop` it is asked to end cleanly as soon as it serves, so that the calls of its end are reached.
        """
        kill = f"{call}:signal=SIGKILL:when={number}"
        wrapper = ("strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={kill}")
        process = self.supervisor(*wrapper)
        if stop:
            self._wait(lambda: self.front.lamps["service"] or process.poll() is not None)
            subprocess.run(["pkill", "-TERM", "-P", str(process.pid)], check=False)
        deadline = time.monotonic() + PATIENCE_S
        while process.poll() is None:
            assert time.monotonic() < deadline, f"{call} {number} never came: {self.front} {self._tail()}"
            if not stop:
                self._guest.act()
            time.sleep(LOOK_S)
        assert process.returncode == -signal.SIGKILL, f"not killed in {call} {number}: {self._tail()}"
        self.kills += 1
        self._wait(lambda: not any(self.front.lamps.values()))

    def _pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def prove(self) -> Proof:
        """Prove the books as the last kill left them, against what the devices did up to now.

        Money on its way (a note between escrow and ACK, a coin in the acceptor's buffer or falling from the hopper) may
        not be booked yet; nothing may be booked that did not happen.
        """
        proof = audit(self.run.journal, lambda _what, _done, _total: None)
        assert proof.failures == []
        front = self.front
        assert proof.meters.get("notes_in", 0) <= front.stacked_cents + front.escrow_cents + 5000
        assert proof.meters.get("hopper_out", 0) <= front.tray_cents
        return proof

    def settle(self) -> Proof:
        """Let a supervisor live in peace until everything is over, end it cleanly, and account for every cent."""
        process = self.supervisor()
        try:
            self._wait(lambda: self.front.lamps["service"])
            self._pause(12.0)  # a note is given back or stacked, a payout finished, within this
            for _ in range(200):
                last = self.books.last_round
                if last is None or last.state != "open":
                    break
                self._client.do("tap spin")
                self._pause(0.2)
            self._pause(4.0)
        finally:
            process.terminate()
            process.wait(20.0)
        assert process.returncode == 0, self._tail()
        proof = self.prove()
        unsure = self._unsure()
        front = self.front
        notes = proof.meters.get("notes_in", 0)
        assert notes <= front.stacked_cents <= notes + unsure["note_unknown"] + unsure["note_unexpected"]
        paid = proof.meters.get("hopper_out", 0) + unsure["hopper_overpaid"]
        assert paid <= front.tray_cents <= paid + unsure["payout_held"]
        return proof

    def _unsure(self) -> dict[str, int]:
        rows = self.books.rows("SELECT kind, coalesce(amount_cents, 0) FROM open_items WHERE resolution IS NULL")
        sums = dict.fromkeys(UNSURE, 0)
        for kind, cents in rows:
            sums[kind] = sums.get(kind, 0) + cents
        return sums
