"""A demo's devices in their own process, and supervisors that come and go."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.features.demo.settings import RunDirectory
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient, FrontLostError
from tests.rigs.journal_rows import Books
from tests.rigs.patience import PATIENCE_S, until
from tests.rigs.people import PIN, pad_presses

_PIN_TYPED = [button for what in (*PIN, "done") for button in pad_presses(what)]
TECHNICIAN_TYPED = ("spin", "lines", "spin", *_PIN_TYPED, *_PIN_TYPED)
"""The buttons of a name of one letter and a PIN, twice: the letter, DONE before it; the pad."""


class Hall:
    """A demo's devices, and supervisors that come and go."""

    def __init__(self, folder: Path) -> None:
        self.run = RunDirectory.made(folder)
        self.run.write_configuration(Path("build/baked"))
        self.books = Books(self.run.journal)
        self.hand = FrontClient(self.run.hardware_socket, timeout=PATIENCE_S)

    @contextmanager
    def process(self, *command: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """A process that is gone at the end."""
        with self.run.log(command[0]).open("ab") as output:
            running = subprocess.Popen(
                [sys.executable, "-m", *command],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
            )
        try:
            yield running
        finally:
            running.kill()
            running.wait()

    @contextmanager
    def devices(self) -> Iterator[None]:
        """The devices' process, and a hand at its front."""
        with self.process("drivers.simulated", "--config", str(self.run.configuration), "--run", str(self.run.path)):
            try:
                until(self._connects)
                yield
            finally:
                self.hand.close()

    @contextmanager
    def supervisor(self, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
        """A supervisor that serves: its lamps are lit."""
        with self.process(
            "controller.supervisor", str(self.run.configuration), "--simulated", "--seed", "1", **environment
        ) as running:
            self.hand.wait_until(lambda front: front.lamps["service"], PATIENCE_S)
            yield running

    def _connects(self) -> bool:
        try:
            self.hand.connect()
        except FrontLostError:
            return False
        return True

    def sees(self, holds: Callable[[Front], bool]) -> Front:
        """Wait until the front shows that."""
        return self.hand.wait_until(holds, PATIENCE_S)

    def faults(self) -> set[tuple[str, str]]:
        """Codes and places of the faults in the journal."""
        return {(code, place) for code, place in self.books.rows("SELECT code, place FROM faults")}

    def set_up_technician(self) -> None:
        """Give the technician a name and a PIN with the menu's keys."""
        for button in TECHNICIAN_TYPED:
            self.hand.do(f"tap {button}")
            time.sleep(0.15)

    def clear_with_new_pin(self, fault: tuple[str, str]) -> None:
        """Clear a fault with the technician's key and a PIN that is chosen, however many taps a busy machine misses."""
        for _ in range(8):
            self.hand.do("key technician on")
            if self._menu_opens():
                self.set_up_technician()
            deadline = time.monotonic() + 3.0
            while time.monotonic() < deadline:
                if fault not in self.faults():
                    return
                time.sleep(0.02)
            self.hand.do("key technician off")
            self.sees(lambda front: front.lamps["service"])
            time.sleep(0.5)  # an off and on within the debouncing would be no turn
        raise AssertionError(f"{fault} is present after eight times the PIN")

    def _menu_opens(self) -> bool:
        """Whether the turned key has opened the menu: a late tap of the last attempt may have left it again."""
        try:
            self.hand.wait_until(lambda front: front.lamps["collect"] and not front.lamps["service"], 20.0)
        except TimeoutError:
            return False
        return True

    def meter(self, name: str) -> int:
        """A soft meter."""
        rows = self.books.rows(f"SELECT value FROM meters WHERE name = '{name}'")  # noqa: S608 - our own names
        return int(rows[0][0]) if rows else 0
