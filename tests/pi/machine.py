"""The image in an emulated machine: qemu's `virt` with a Cortex-A72, dressed as a Raspberry Pi 4.

The kernel, the initramfs and the root are the image's own; nothing in it is changed. What the proof needs besides
comes from outside: a device tree in which the board calls itself a Pi 4 and the header is the kernel's gpio-sim, a
second disk with that module, and, on the kernel's command line, one unit that loads it and systemd's debug shell on the
serial console. Without KVM everything runs some eleven times slower than on the host.
"""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from tests.pi.qmp import Qmp

LINES = 58
"""The lines of the BCM2711's chip, as Raspberry Pi OS shows them."""
MODEL, REVISION = "Raspberry Pi 4 Model B Rev 1.2", "c03112"
SHELL = "ttyAMA0"
DISK = "pi-proof"
_CARD = "card"
MONITOR = (1280, 720)
SPARE, SPARE_MB = "pi-spare", 1280
KEEP_S = 300.0
_ANSWER = re.compile(r"@@(\d+):([A-Za-z0-9+/=]*)@@")
_LOOK_S = 0.2
ASK_S = 2.0
"""How long is waited between two questions to the machine: each costs it some processes, which are slow there."""
ANSWER_S = 900.0
"""A machine that starts on a busy host has been without an answer for more than 300 s."""

EARLY = f"""
[Unit]
DefaultDependencies=no
Wants=dev-disk-by\\x2dlabel-pi\\x2dproof.device
After=dev-disk-by\\x2dlabel-pi\\x2dproof.device
Before=sysinit.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=mkdir -p /run/{DISK}
ExecStart=mount -o ro /dev/disk/by-label/{DISK} /run/{DISK}
ExecStart=insmod /run/{DISK}/gpio-sim.ko
"""


class MachineError(RuntimeError):
    """Something that must happen in the machine did not."""


class Boot(NamedTuple):
    """What the firmware would load from the card's boot partition."""

    kernel: Path
    initrd: Path


def boot_files(card: Path, folder: Path) -> Boot:
    """Copy kernel and initramfs out of a card's boot partition, which begins at its first MiB."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mcopy", "-n", "-D", "o", "-i", f"{card}@@1M", "::vmlinuz-*", "::initrd.img-*", folder], check=True)
    (kernel,) = folder.glob("vmlinuz-*")
    (initrd,) = folder.glob("initrd.img-*")
    return Boot(kernel, initrd)


def qemu(cpus: int, memory_mb: int) -> list[str]:
    """Return the machine without its disks; the device tree is made for just this."""
    return [
        *("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72", "-smp", str(cpus), "-m", str(memory_mb)),
        *("-accel", "tcg,thread=multi", "-nodefaults", "-display", "none"),
    ]


def with_property(machine: Sequence[str], text: str) -> list[str]:
    """Return the machine with one more property of its board."""
    at = machine.index("-machine") + 1
    return [*machine[:at], f"{machine[at]},{text}", *machine[at + 1 :]]


def device_tree(path: Path, machine: Sequence[str]) -> None:
    """Write the machine's device tree with the board's name and the header, and without virt's own pins."""
    subprocess.run(with_property(machine, f"dumpdtb={path}"), check=True, capture_output=True)
    names = [f"GPIO{number}" for number in range(LINES)]

    def put(kind: str, node: str, key: str, *values: str) -> None:
        subprocess.run(["fdtput", *(["-t", kind] if values else []), path, node, key, *values], check=True)

    # gpio-keys, the power button, hangs on the pins that go.
    for node in ("/gpio-keys", "/pl061@9030000"):
        subprocess.run(["fdtput", "-r", path, node], check=True)
    for node in ("/system", "/header", "/header/bank0"):
        subprocess.run(["fdtput", "-c", path, node], check=True)
    put("s", "/", "model", MODEL)
    put("x", "/system", "linux,revision", REVISION)
    put("s", "/header", "compatible", "gpio-simulator")
    put("", "/header/bank0", "gpio-controller")
    put("u", "/header/bank0", "#gpio-cells", "2")
    put("u", "/header/bank0", "ngpios", str(LINES))
    put("s", "/header/bank0", "gpio-sim,label", "pinctrl-bcm2711")
    put("s", "/header/bank0", "gpio-line-names", *names)
    # A bus that comes later is numbered after those that have a name here: 1, as the header's is.
    subprocess.run(["fdtput", "-p", "-t", "s", path, "/aliases", "i2c0", "/header"], check=True)


def command_line(masked: Sequence[str] = ()) -> str:
    """Return the kernel's words: the card's own that matter here, and the proof's; units that are `masked` stay off."""
    unit = base64.b64encode(EARLY.encode()).decode()
    return " ".join(
        (
            "root=LABEL=cabinet-root ro rootwait console=ttyAMA0 quiet loglevel=3 cgroup_enable=memory",
            # A device that a Pi finds within a second is found here after minutes, where the host is busy.
            "systemd.default_device_timeout_sec=900 systemd.default_timeout_start_sec=900",
            f"systemd.show_status=false systemd.debug_shell={SHELL} systemd.mask=serial-getty@{SHELL}.service",
            f"systemd.set_credential_binary=systemd.extra-unit.pi-proof.service:{unit} systemd.wants=pi-proof.service",
            *(f"systemd.mask={name}" for name in masked),
        )
    )


class PiMachine:
    """One machine, off at first.

    Its card is a copy-on-write file over the image, as large as a card of 16 GB; one that is in `work` is used again.

    `disk` is the folder of the second disk; `spare` is a third and empty one, whose writes can be recorded; `devices`
    are qemu's words for what is fitted besides; `masked` are units that are not started. `monitor` is the size of the
    monitor that it has from the next `power_on` on.
    """

    def __init__(
        self,
        image: Path,
        disk: Path,
        work: Path,
        devices: Sequence[str | Path] = (),
        masked: Sequence[str] = (),
    ) -> None:
        self._devices = devices
        self._words = command_line(masked)
        self._monitor = work / "qmp.sock"
        self.qmp: Qmp | None = None
        self.monitor = MONITOR
        self._log = work / "console.log"
        self._card = work / "card.qcow2"
        self._extra = work / "proof.ext4"
        self._tree = work / "virt.dtb"
        # Two processors that get less than a core of the host wait for each other until the kernel reports a lockup.
        self._machine = qemu(cpus=1, memory_mb=2048)
        self._qemu: subprocess.Popen[bytes] | None = None
        self._heard = ""
        self._lock = threading.Lock()
        self._boot = boot_files(image, work / "boot")
        device_tree(self._tree, self._machine)
        if not self._card.exists():
            subprocess.run(
                ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", image.resolve(), self._card, "16G"],
                check=True,
            )
        # A machine that goes on where it was kept has read this disk, and must not find another one.
        if not self._extra.exists():
            subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-L", DISK, "-d", disk, self._extra, "64M"], check=True)
        self.spare = work / "spare.img"
        if not self.spare.exists():
            with self.spare.open("wb") as file:
                file.truncate(SPARE_MB << 20)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def power_on(self, *words: str, kept: str = "", record: Path | None = None) -> None:
        """Begin to boot, or go on where `keep` has kept the machine by that name; `words` are further ones of qemu's.

        A machine that goes on has its card as it was then, but not its `spare` disk. What is written to that one is
        recorded in the file `record` (blklogwrites).
        """
        command = [
            *self._machine,
            *(
                "-dtb",
                self._tree,
                "-kernel",
                self._boot.kernel,
                "-initrd",
                self._boot.initrd,
                "-append",
                self._words,
            ),
            *("-blockdev", f"driver=qcow2,node-name={_CARD},file.driver=file,file.filename={self._card}"),
            *(
                "-device",
                f"virtio-blk-pci,drive={_CARD}",
                "-device",
                f"virtio-gpu-pci,xres={self.monitor[0]},yres={self.monitor[1]}",
            ),
            *(
                "-drive",
                f"file={self._extra},format=raw,if=none,id=proof,readonly=on",
                "-device",
                "virtio-blk-pci,drive=proof",
            ),
            *self._spare_disk(record),
            *("-device", "virtio-rng-pci", "-device", "i6300esb", "-serial", "stdio"),
            # A busy host leaves the machine without a turn for longer than its watchdog waits: until the step that is
            # about it, a bite is an event and no reset.
            *("-action", "watchdog=none"),
            *("-qmp", f"unix:{self._monitor},server=on,wait=off"),
            *self._devices,
            *words,
            *(["-S"] if kept else []),
        ]
        self._heard = ""
        self._qemu = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        threading.Thread(target=self._listen, args=(self._qemu,), daemon=True).start()
        self.qmp = Qmp(self._monitor)
        if kept:
            self._snapshot("load", kept)
            self.qmp.do("cont")

    def _spare_disk(self, record: Path | None) -> Iterator[str]:
        if record is None:
            yield from ("-blockdev", f"driver=file,node-name=spare,filename={self.spare}")
        else:
            yield from ("-blockdev", f"driver=file,node-name=spare-file,filename={self.spare}")
            yield from ("-blockdev", f"driver=file,node-name=spare-log,filename={record}")
            yield from ("-blockdev", "driver=blklogwrites,node-name=spare,file=spare-file,log=spare-log")
        # What is recorded is writes and flushes alone.
        yield from ("-device", f"virtio-blk-pci,drive=spare,serial={SPARE},discard=off,write-zeroes=off")

    def keep(self, name: str) -> None:
        """Keep the machine as it is now, its memory and its card, by that name in the card's file.

        What cannot be kept, such as an adapter of USB, must have been pulled out (`Devices.pull_out`).
        """
        assert self.qmp is not None
        if name in kept_on(self._card):
            self._snapshot("delete", name)
        self._snapshot("save", name)

    def _snapshot(self, what: str, name: str) -> None:
        assert self.qmp is not None
        place = {"devices": [_CARD]} if what == "delete" else {"vmstate": _CARD, "devices": [_CARD]}
        self.qmp.job(f"snapshot-{what}", KEEP_S, tag=name, **place)

    def _listen(self, machine: subprocess.Popen[bytes]) -> None:
        assert machine.stdout is not None
        with self._log.open("ab") as log:
            while said := os.read(machine.stdout.fileno(), 65536):
                log.write(said)
                log.flush()
                with self._lock:
                    self._heard += said.decode("utf-8", "replace")

    def _said(self) -> str:
        with self._lock:
            return self._heard

    def cut(self) -> None:
        """Take the power away."""
        if self._qemu is not None:
            self._qemu.send_signal(signal.SIGKILL)
            self._qemu.wait(30.0)
            self._qemu = None
        if self.qmp is not None:
            self.qmp.close()
            self.qmp = None

    def wait(self, what: str, holds: Callable[[], bool], seconds: float, look_s: float = ASK_S) -> float:
        """Wait until `holds()` and return the seconds it took; raise `MachineError` after `seconds`."""
        began = time.monotonic()
        while not holds():
            if self._qemu is None or self._qemu.poll() is not None:
                raise MachineError(f"the machine is off: {what}\n{self._said()[-2000:]}")
            if time.monotonic() - began > seconds:
                raise MachineError(f"not within {seconds:g} s: {what}\n{self._said()[-2000:]}")
            time.sleep(look_s)
        return time.monotonic() - began

    def wait_for_shell(self, seconds: float) -> float:
        """Wait until the debug shell prompts, and return the seconds it took."""
        return self.wait("a shell on the serial console", lambda: "# " in self._said(), seconds, _LOOK_S)

    def run(self, script: str, *, seconds: float = ANSWER_S) -> str:
        """Run a shell script as root in the machine and return what it said; raise `MachineError` where it failed."""
        code, said = self.attempt(script, seconds=seconds)
        if code:
            raise MachineError(f"{script}: exit {code}\n{said[-3000:]}")
        return said

    def attempt(self, script: str, *, seconds: float = ANSWER_S) -> tuple[int, str]:
        """Run a shell script as root in the machine; return its exit code and what it said."""
        with self._lock:
            self._heard = ""
        # A terminal's line has 4,095 characters at the most: a script goes in pieces.
        coded = base64.b64encode(script.encode()).decode()
        pieces = [coded[at : at + 2000] for at in range(0, len(coded), 2000)]
        lines = [f"printf %s {piece} {'>>' if at else '>'}/run/ask" for at, piece in enumerate(pieces)]
        lines.append("base64 -d /run/ask >/run/ask.sh; sh /run/ask.sh >/run/said 2>&1 </dev/null; R=$?")
        lines.append("printf '\\n@@%s:%s@@\\n' $R $(base64 -w0 /run/said)")
        for line in lines:
            self.send(line)
        self.wait(f"an answer to {script[:60]!r}", lambda: _ANSWER.search(self._said()) is not None, seconds, _LOOK_S)
        found = _ANSWER.search(self._said())
        assert found is not None
        return int(found[1]), base64.b64decode(found[2]).decode("utf-8", "replace")

    def forget(self) -> None:
        """Forget what the shell has said, as before a new boot."""
        with self._lock:
            self._heard = ""

    def send(self, line: str) -> None:
        """Type a line in the machine's shell, whose answer nobody waits for."""
        assert self._qemu is not None
        assert self._qemu.stdin is not None
        self._qemu.stdin.write(f"{line}\n".encode())
        self._qemu.stdin.flush()

    def picture(self, path: Path) -> None:
        """Keep what the monitor shows as a PNG file."""
        assert self.qmp is not None
        self.qmp.do("screendump", filename=str(path.resolve()), format="png")

    def property(self, unit: str, name: str) -> str:
        """Return a unit's property as `systemctl show` has it."""
        return self.run(f"systemctl show --property {name} --value {unit}").strip()


def kept_on(card: Path) -> set[str]:
    """Return the names by which machines are kept in a card's file."""
    said = subprocess.run(
        ["qemu-img", "info", "--force-share", "--output=json", card], check=True, capture_output=True, text=True
    ).stdout
    return {one["name"] for one in json.loads(said).get("snapshots", [])}


def missing_tools() -> list[str]:
    """Return the tools that this machine lacks."""
    tools = (
        "qemu-system-aarch64",
        "qemu-img",
        "fdtput",
        "mke2fs",
        "mcopy",
        "zstd",
        "cpio",
        "debugfs",
        "aarch64-linux-gnu-gcc",
    )
    return [tool for tool in tools if shutil.which(tool) is None]
