"""The emulated cabinet as the proof's checks see it: the machine, its books, its header's far side, its devices."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from controller.configuration.cabinet_toml import load
from drivers.pin_names import Pin
from tests.pi.fitted import SAMPLE, Devices, put_all
from tests.pi.machine import PiMachine

SUPERVISOR, DISPLAY = "cabinet.service", "cabinet-display.service"
CHIP = "/dev/gpiochip0"
SIM = "/sys/devices/platform/header/gpiochip0"
"""gpio-sim's own side of its lines, where a level is pulled and an output is read."""
PYTHON = "cd /; PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 /opt/cabinet/venv/bin/python"
_READ = """import json, sqlite3
books = sqlite3.connect("file:/var/lib/cabinet/journal.sqlite?mode=ro", uri=True)
print(json.dumps(books.execute({sql!r}).fetchall()))"""


class Cabinet(NamedTuple):
    """What is looked at.

    `kept` is the folder of the proof's logs and pictures, `card` the image, `key` the file of the key that has signed
    it, if known, `cuts` how often the power is cut in play, at moments that `seed` draws.
    """

    machine: PiMachine
    devices: Devices
    kept: Path
    card: Path
    key: Path | None = None
    cuts: int = 50
    seed: int = 16

    def go_on(self, kept: str, monitor: tuple[int, int]) -> None:
        """Have the machine go on where it was kept by that name, with another monitor. The devices are as they are."""
        self.machine.cut()
        self.machine.monitor = monitor
        self.machine.power_on(kept=kept)
        put_all(self.machine)

    def rows(self, sql: str) -> list[list[Any]]:
        """Return the rows of a query over the books."""
        script = _READ.format(sql=sql)
        rows: list[list[Any]] = json.loads(
            self.machine.run(f"cat >/run/rows.py <<'END'\n{script}\nEND\npython3 /run/rows.py")
        )
        return rows

    def mounts(self) -> dict[str, tuple[str, set[str]]]:
        """Return device and options of what is mounted, by its place."""
        rows = [line.split() for line in self.machine.run("cat /proc/mounts").splitlines()]
        return {row[1]: (row[0], set(row[3].split(","))) for row in rows}

    def faults(self) -> set[tuple[str, str]]:
        """Return code and place of each fault whose cause is present."""
        return {(code, place) for code, place in self.rows("SELECT code, place FROM faults WHERE present")}

    def credit_cents(self) -> int:
        """Return the credit meter."""
        return int(self.rows("SELECT credit_cents FROM cabinet")[0][0])

    def pull(self, *pins: Pin, high: bool) -> None:
        """Pull lines of the header from outside."""
        word = "pull-up" if high else "pull-down"
        self.machine.run("; ".join(f"echo {word} >{SIM}/sim_gpio{pin}/pull" for pin in pins))

    def tap(self, pin: Pin) -> None:
        """Close a button's contact for a while."""
        self.machine.run(f"cd {SIM}/sim_gpio{pin}; echo pull-down >pull; sleep 0.2; echo pull-up >pull")

    def turn_key(self) -> None:
        """Open the main door and turn the technician's key; one that is turned already opens no menu."""
        pins = load(SAMPLE).pins
        self.pull(pins.doors["main"].pin, pins.keys["technician"].pin, high=True)
        self.pull(pins.keys["technician"].pin, high=False)

    def turn_back(self) -> None:
        """Turn the key back, and shut every door."""
        self.pull(load(SAMPLE).pins.keys["technician"].pin, high=True)
        self.shut_doors()

    def shut_doors(self) -> None:
        """Shut every door."""
        self.pull(*(door.pin for door in load(SAMPLE).pins.doors.values()), high=False)

    def keep(self, name: str, text: str) -> None:
        """Keep a log."""
        (self.kept / name).write_text(text, encoding="utf-8")
