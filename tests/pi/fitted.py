"""What is fitted to the emulated cabinet: its configuration, its serial adapters, and the devices on their far ends.

The devices are `drivers.simulated` in a process of the host, each on a pty; qemu gives the machine a USB adapter
(FT232) for each, in a socket of its own. So the supervisor's bytes go through termios, the kernel's ftdi_sio and USB.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from drivers.simulated.front import Front
from drivers.simulated.front_client import FrontClient
from drivers.simulated.memory import Memory
from tests.pi.machine import MachineError, PiMachine

SAMPLE = Path("docs/cabinet.toml")
_PI_SOCKETS, _SOCKETS = (
    "platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.",
    "platform-4010000000.pcie-pci-0000:00:10.0-usb-0:",
)
ADAPTERS = {"coin": 1, "bill": 2, "hopper": 3}
"""The devices by the USB socket that each is plugged into."""
_START_S, GONE_S = 30.0, 120.0


def configuration() -> str:
    """Return the sample configuration with the emulated machine's USB sockets and its second copy's partition."""
    text = SAMPLE.read_text(encoding="utf-8")
    assert text.count(_PI_SOCKETS) == len(ADAPTERS)
    text = text.replace(_PI_SOCKETS, _SOCKETS)
    return text.replace('second_copy = ""', 'second_copy = "/var/lib/cabinet-copy/journal.copy"')


def put_on_card(card: Path, text: str, path: Path) -> None:
    """Copy a cabinet.toml onto the card's first partition, as docs/install.md has a person do; `path` keeps it."""
    path.write_text(text, encoding="utf-8")
    subprocess.run(["mcopy", "-D", "o", "-i", f"{card}@@1M", path, "::cabinet.toml"], check=True)


class Devices:
    """The simulated devices' process, and the hands at their front; they go on with what `keep` has kept by a name."""

    def __init__(self, run: Path, config: Path, kept: str = "") -> None:
        run.mkdir(parents=True, exist_ok=True)
        self._run = run
        self._memory = run / "memory.json"
        if kept:
            self._memory.write_bytes((run / f"memory-{kept}.json").read_bytes())
        (run / "hardware.sock").unlink(missing_ok=True)
        command: list[str | Path] = [sys.executable, "-m", "drivers.simulated", "--config", config, "--run", run]
        self._process = subprocess.Popen([*command, "--state", self._memory])
        self._front = FrontClient(run / "hardware.sock")

    def __enter__(self) -> Self:
        deadline = time.monotonic() + _START_S
        while not (self._run / "hardware.sock").exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise MachineError("the simulated devices do not start")
            time.sleep(0.1)
        self._front.connect()
        return self

    def __exit__(self, *_: object) -> None:
        self._front.close()
        self._process.terminate()
        self._process.wait(_START_S)

    def fittings(self) -> Sequence[str | Path]:
        """Return qemu's words for the USB sockets, and for each device's pty; the adapters are `put_back` into them."""
        words: list[str | Path] = ["-device", "qemu-xhci,id=xhci,addr=10"]
        for name in ADAPTERS:
            words += ["-chardev", f"serial,id={name},path={self._run / f'tty-{name}'}"]
        return words

    def keep(self, name: str) -> None:
        """Keep what the devices remember."""
        remembered = self._memory.read_bytes() if self._memory.exists() else msgspec.json.encode(Memory())
        (self._run / f"memory-{name}.json").write_bytes(remembered)

    def do(self, words: str) -> None:
        """Do something at the front (`drivers.simulated.front`)."""
        self._front.do(words)

    @property
    def front(self) -> Front:
        """What the devices themselves have counted."""
        return self._front.front


def pull_out(machine: PiMachine, name: str) -> None:
    """Pull a device's adapter out of its socket."""
    assert machine.qmp is not None
    machine.qmp.do("device_del", id=f"usb-{name}")


def pull_all(machine: PiMachine) -> None:
    """Pull every adapter out, and wait until the machine's kernel has let go of it.

    A machine that is kept before has requests on its way to an adapter that is not there when it goes on, and its
    kernel waits for them for ever.
    """
    for name in ADAPTERS:
        pull_out(machine, name)
    machine.wait("the adapters are gone", lambda: machine.attempt("ls /dev/ttyUSB*")[0] != 0, GONE_S)


def put_all(machine: PiMachine) -> None:
    """Put every adapter into its socket."""
    for name in ADAPTERS:
        put_back(machine, name)


def put_back(machine: PiMachine, name: str) -> None:
    """Put it back into the same socket."""
    assert machine.qmp is not None
    machine.qmp.do(
        "device_add", driver="usb-serial", chardev=name, bus="xhci.0", port=str(ADAPTERS[name]), id=f"usb-{name}"
    )
