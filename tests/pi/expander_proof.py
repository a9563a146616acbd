"""The expanders' proof: `python -m tests.pi.expander_proof CARD|ROOT.ext4`, as root, without KVM.

As the lines' proof (lines_proof.py), with docs/cabinet-pi5.toml and its MCP23017: the cabinet's own drivers, as the
supervisor's user, on smbus2, `/dev/i2c-1` and the kernel's i2c-virtio, whose transfers reach a simulated chip in a
process of the host (i2c_bus.py). Pins of the chip are driven and read there. The interrupt's wire is left out, as if it
were broken: inputs are polled.
"""

import json
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from drivers.pin_names import address_of, expander_pin
from drivers.simulated.expander.mcp23017 import Mcp23017
from tests.pi.i2c_bus import Expanders, I2cAdapter
from tests.pi.lines_proof import MODULES, Guest, command
from tests.pi.machine import MachineError, qemu, with_property
from tests.pi.pi_proof import WORK, report

SAMPLE = Path("docs/cabinet-pi5.toml")
CHIP = "x20"
_INTERRUPT = "interrupt = 20\n"
READY_S, ANSWER_S, MEMORY_MB = 900.0, 120.0, 2048
SCRIPT = """
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
cd /
gpio=$(getent group gpio | cut -d: -f3) i2c=$(getent group i2c | cut -d: -f3)
# As the udev rules have it.
chgrp $gpio /dev/gpiochip0 && chmod 0660 /dev/gpiochip0
chgrp $i2c /dev/i2c-1 && chmod 0660 /dev/i2c-1
stty raw -echo
setpriv --reuid=cabinet --regid=cabinet --groups=$gpio,$i2c --no-new-privs --bounding-set=-all --inh-caps=-all \\
    env PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 /opt/cabinet/venv/bin/python /run/inside.py /run/cabinet.toml
echo "@@exit $? of $(uname -srm), up $(cut -d' ' -f1 /proc/uptime) s@@"
"""


class Inside:
    """The drivers in the machine: what they say on the serial console, and words to them."""

    def __init__(self, words: list[str | Path], log: Path) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.said: list[dict[str, Any]] = []
        self._log = log
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self._log.open("wb") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                if line.startswith(b'{"now"'):
                    self.said.append(json.loads(line))

    def wait(self, since: int, holds: Callable[[Mapping[str, Any]], bool], seconds: float = ANSWER_S) -> dict[str, Any]:
        """Return what they said from number `since` on that `holds`; raise `MachineError`."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            for fact in self.said[since:]:
                if holds(fact):
                    return fact
            time.sleep(0.05)
        raise MachineError(f"not within {seconds:g} s; said since: {self.said[since:]}; see {self._log}")

    def tell(self, words: str) -> None:
        """Say `words` to them."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{words}\n".encode())
        self.process.stdin.flush()

    def ask(self, words: str) -> None:
        """Say `words` and wait until they are done."""
        since = len(self.said)
        self.tell(words)
        self.wait(since, lambda fact: fact.get("done") == words.split())


def shown(inside: Inside, chip: Mcp23017, outputs: list[bool]) -> Iterator[str]:
    """Light each lamp, turn each key, take the chip's supply away and give it back."""
    began = time.monotonic()
    inside.wait(0, lambda fact: "ready" in fact, READY_S)
    yield f"the drivers run {time.monotonic() - began:.0f} s after power-on"
    pins = _wired()
    lamps = {name: _bit(button["lamp"]) for name, button in pins["buttons"].items()}
    for name, bit in lamps.items():
        inside.ask(f"lamps {name}")
        _until(lambda b=bit: [n for n, on in enumerate(outputs) if on] == [b], f"lamp {name} alone is lit: {outputs}")  # type: ignore[misc]
    inside.ask("lamps none")
    _until(lambda: not any(outputs), "all are dark")
    yield f"{len(lamps)} lamps: each alone is high on the chip's pin that the sample gives it"
    slowest = 0.0
    for name, key in pins["keys"].items():
        for closed in (True, False):
            since, began = len(inside.said), time.monotonic()
            chip.drive(_bit(key["pin"]), level=None if not closed else False)
            fact = inside.wait(since, lambda fact, n=name: fact.get("edge") == f"keys.{n}")  # type: ignore[misc]
            assert fact["active"] is closed, fact
            slowest = max(slowest, time.monotonic() - began)
    yield f"{len(pins['keys'])} keys: each turned on and off, heard within {slowest * 1000:.0f} ms by the host's clock"
    inside.ask("lamps spin")
    since = len(inside.said)
    chip.power(on=False)
    lost = inside.wait(since, lambda fact: "lost" in fact)["lost"]
    assert not any(outputs)
    yield f"supply off: {lost}"
    chip.power(on=True)
    _until(lambda: outputs[lamps["spin"]], "the lamp is lit again")
    yield "supply back: the chip has its registers again, SPIN is lit as before"
    inside.tell("end")
    inside.process.wait(ANSWER_S)
    assert not any(outputs), outputs
    yield "when the drivers end no output is high"


def _wired() -> dict[str, Any]:
    pins: dict[str, Any] = tomllib.loads(SAMPLE.read_text(encoding="utf-8"))["pins"]
    return pins


def _bit(pin: str) -> int:
    named = expander_pin(pin)
    assert named is not None
    return named.bit


def _until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + ANSWER_S
    while not holds():
        if time.monotonic() > deadline:
            raise MachineError(f"not within {ANSWER_S:g} s: {what}")
        time.sleep(0.05)


def main() -> int:
    """Run the proof; return the exit code."""
    (disk,) = (Path(word) for word in sys.argv[1:])
    work = WORK / "expander"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    text = SAMPLE.read_text(encoding="utf-8")
    assert text.count(_INTERRUPT) == 1
    modules = (*MODULES, "drivers/i2c/i2c-dev")
    guest = Guest(modules, ("gpio-sim", "i2c-virtio"), text.replace(_INTERRUPT, ""), SCRIPT)
    outputs = [False] * 16
    chip = Mcp23017(outputs.__setitem__)
    began = time.monotonic()
    with I2cAdapter(work / "i2c.sock", Expanders({address_of(CHIP): chip})) as adapter:
        # vhost-user takes part in the machine's memory.
        shared = f"memory-backend-memfd,id=memory,size={MEMORY_MB}M,share=on"
        machine = with_property(qemu(1, MEMORY_MB), "memory-backend=memory")
        words = command([*machine, "-object", shared], disk, work, guest)
        inside = Inside([*words, *adapter.fittings()], WORK / "expander-console.log")
        try:
            for line in shown(inside, chip, outputs):
                report(f"expander: {line}")
        except (AssertionError, MachineError) as error:
            report(f"expander: FAILED: {error}")
            return 1
        finally:
            inside.process.kill()
            inside.process.wait()
        report(f"expander: {adapter.transfers} transfers; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
