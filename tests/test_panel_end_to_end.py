"""Panel, expander, meters and logic door of a whole cabinet in real processes: devices here, supervisor there."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.demo.books import Books
from controller.demo.settings import RunDirectory
from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient, FrontLostError
from tests.rigs.people import PIN, pad_presses

PATIENCE_S = 30.0


class Hall:
    """A demo's devices, and supervisors that come and go."""

    def __init__(self, folder: Path) -> None:
        self.run = RunDirectory.made(folder)
        self.run.write_configuration(Path("build/baked"))
        self.books = Books(self.run.journal)
        self.hand = FrontClient(self.run.hardware_socket)

    @contextmanager
    def process(self, *command: str) -> Iterator[subprocess.Popen[bytes]]:
        """A process that is gone at the end."""
        with self.run.log(command[0]).open("ab") as output:
            running = subprocess.Popen([sys.executable, "-m", *command], stdout=output, stderr=subprocess.STDOUT)
        try:
            yield running
        finally:
            running.kill()
            running.wait()

    @contextmanager
    def devices(self) -> Iterator[None]:
        """The devices' process, and a hand at its front."""
        with self.process("drivers.simulated", "--config", str(self.run.configuration), "--run", str(self.run.path)):
            until(self._connects)
            yield
            self.hand.close()

    @contextmanager
    def supervisor(self) -> Iterator[subprocess.Popen[bytes]]:
        """A supervisor that serves: its lamps are lit."""
        with self.process(
            "controller.supervisor", str(self.run.configuration), "--simulated", "--seed", "1"
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
        """Codes and places of what stands in the journal."""
        return {(code, place) for code, place in self.books.rows("SELECT code, place FROM faults")}

    def set_up_technician(self) -> None:
        """Type a name of one letter and a PIN twice with the menu's keys: the letter, DONE before it; the pad."""
        pin = [button for what in (*PIN, "done") for button in pad_presses(what)]
        for button in ("spin", "lines", "spin", *pin, *pin):
            self.hand.do(f"tap {button}")
            time.sleep(0.15)

    def clear_with_new_pin(self, fault: tuple[str, str]) -> None:
        """Clear a fault with the technician's key and a PIN that is chosen, however many taps a busy machine misses."""
        for _ in range(5):
            self.hand.do("key technician on")
            self.sees(lambda front: front.lamps["collect"] and not front.lamps["service"])
            self.set_up_technician()
            deadline = time.monotonic() + 3.0
            while time.monotonic() < deadline:
                if fault not in self.faults():
                    return
                time.sleep(0.02)
            self.hand.do("key technician off")
            self.sees(lambda front: front.lamps["service"])
        raise AssertionError(f"{fault} stands after five times the PIN")

    def meter(self, name: str) -> int:
        """A soft meter."""
        rows = self.books.rows(f"SELECT value FROM meters WHERE name = '{name}'")  # noqa: S608 - our own names
        return int(rows[0][0]) if rows else 0


def until(holds: Callable[[], bool]) -> None:
    """Wait until that is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.processes
def test_a_cabinet_with_an_expander_a_latch_and_plugs(tmp_path: Path) -> None:
    """Lamps on the expander, its loss and return, a killed supervisor, the logic door, and a meter's plug."""
    hall = Hall(tmp_path)
    with hall.devices():
        with hall.supervisor() as supervisor:
            assert ("port_lost", "expander 0x20") not in hall.faults()
            hall.hand.do("fault x20 unplugged")
            until(lambda: ("port_lost", "expander 0x20") in hall.faults())
            hall.sees(lambda front: not any(front.lamps.values()))
            hall.hand.do("fault x20 unplugged off")
            hall.sees(lambda front: front.lamps["service"])

            hall.hand.do("fault meter_drop unplugged")
            until(lambda: ("meter_unplugged", "meter_drop") in hall.faults())
            hall.hand.do("fault meter_drop unplugged off")
            until(lambda: ("meter_unplugged", "meter_drop") not in hall.faults())

            supervisor.kill()
            # the reset line falls with the process, and the chip's outputs with it
            hall.sees(lambda front: not any(front.lamps.values()) and not any(front.tower.values()))
        hall.hand.do("mains off")
        hall.hand.do("door logic open")
        hall.hand.do("door logic close")
        hall.hand.do("mains on")
        assert hall.sees(lambda front: front.mains).latched
        with hall.supervisor():
            hall.sees(lambda front: not front.latched)
            assert ("logic_opened", "logic") in hall.faults()
            assert hall.meter("door_logic") == 1
            hall.clear_with_new_pin(("logic_opened", "logic"))


@pytest.mark.processes
def test_a_held_button_plays_once(tmp_path: Path) -> None:
    """SPIN held down for as long as several rounds last is one play (G3); MAX BET pressed beside it is none (P9)."""
    hall = Hall(tmp_path)
    with hall.run.configuration.open("a") as configuration:
        configuration.write("[timing]\nundisplayed_show_ms = 50\n")
    with hall.devices(), hall.supervisor():
        until(lambda: hall.books.rows("SELECT 1 FROM events WHERE code = 'device_fitted'") != [])
        while hall.books.credit_cents < 1000:
            hall.hand.do("take note")
            hall.hand.do("note 10")
            time.sleep(2.0)
        while not hall.sees(lambda _front: True).lamps["max_bet"]:
            hall.hand.do("tap spin")
            time.sleep(0.3)
        hall.hand.do("press spin")
        until(lambda: hall.meter("games") == 1)
        hall.hand.do("tap max_bet")
        time.sleep(3.0)
        assert hall.meter("games") == 1
        hall.hand.do("release spin")
        while hall.meter("games") == 1:
            hall.hand.do("tap spin")
            time.sleep(0.3)
