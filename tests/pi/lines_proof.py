"""The lines' proof: `python -m tests.pi.lines_proof CARD|ROOT.ext4`, as root, without KVM.

The kernel and the root of an image (an unpacked card, or its root's file system alone), started by an init of the
proof's own (init.c) instead of systemd: a minute of processor time instead of the whole first start. In it the
cabinet's own drivers run on the real header library as the supervisor's user, and every line of docs/cabinet.toml is
driven and read through gpio-sim's sysfs (guest/). Nothing is written to the image.
"""

import base64
import json
import lzma
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.pi.cabinet import SIM
from tests.pi.fitted import configuration
from tests.pi.header import judged
from tests.pi.machine import device_tree, qemu
from tests.pi.pi_proof import GUEST, WORK, report

MODULES = (
    "lib/crc16",
    "fs/mbcache",
    "fs/jbd2/jbd2",
    "crypto/crc32c_generic",
    "fs/ext4/ext4",
    "drivers/block/virtio_blk",
    "fs/configfs/configfs",
)
"""What of the image's kernel the root and gpio-sim need, each after those that it needs itself."""
ROOT_OFFSET = 257 << 20
"""Where the root's partition begins on a card (image/make-card)."""
RUN_S = 3600.0
SCRIPT = f"""
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
cd /
gpio=$(getent group gpio | cut -d: -f3)
# As the udev rule has it (systemd/conf/70-cabinet.rules).
chgrp gpio /dev/gpiochip0 && chmod 0660 /dev/gpiochip0
python3 /run/outside.py /run/cabinet.toml {SIM} \\
    setpriv --reuid=cabinet --regid=cabinet --groups=$gpio --no-new-privs --bounding-set=-all --inh-caps=-all \\
    env PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 /opt/cabinet/venv/bin/python /run/inside.py /run/cabinet.toml \\
    >/run/lines.json 2>/run/errors
echo "@@exit $? of $(uname -srm), up $(cut -d' ' -f1 /proc/uptime) s@@"
tail -20 /run/errors
echo "@@found $(base64 -w0 /run/lines.json)@@"
"""


def dumped(disk: Path, path: str, to: Path) -> Path:
    """Copy a file out of the image's root."""
    place = disk if disk.suffix == ".ext4" else f"{disk}?offset={ROOT_OFFSET}"
    subprocess.run(["debugfs", "-R", f"dump {path} {to}", place], check=True, capture_output=True)
    if not to.stat().st_size:
        raise FileNotFoundError(f"{disk}: no {path}")
    return to


def kernel_release(disk: Path) -> str:
    """Return the release of the image's kernel."""
    place = disk if disk.suffix == ".ext4" else f"{disk}?offset={ROOT_OFFSET}"
    listed = subprocess.run(["debugfs", "-R", "ls -p /boot", place], check=True, capture_output=True, text=True).stdout
    (release,) = re.findall(r"/vmlinuz-([^/]+)/", listed)
    return str(release)


class Guest(NamedTuple):
    """What runs in the machine: the image's modules and those built beside it, the configuration, and a script."""

    modules: Sequence[str]
    built: Sequence[str]
    configuration: str
    script: str


LINES = Guest(MODULES, ("gpio-sim",), configuration(), SCRIPT)


def initial_ram(disk: Path, release: str, work: Path, guest: Guest) -> Path:
    """Make the first file system: init, modules, and what is brought into the root's /run."""
    ram = work / "ram"
    for folder in ("dev", "root", "modules", "guest"):
        (ram / folder).mkdir(parents=True)
    subprocess.run(["aarch64-linux-gnu-gcc", "-static", "-O2", "-o", ram / "init", "tests/pi/init.c"], check=True)
    for number, name in enumerate(guest.modules):
        packed = dumped(disk, f"/usr/lib/modules/{release}/kernel/{name}.ko.xz", work / "module.xz")
        (ram / "modules" / f"{number:02}.ko").write_bytes(lzma.decompress(packed.read_bytes()))
    built = WORK / f"modules-{release}"
    subprocess.run(["tests/pi/build-modules", release, built], check=True)
    for number, name in enumerate(guest.built, len(guest.modules)):
        shutil.copy(built / f"{name}.ko", ram / "modules" / f"{number:02}.ko")
    for file in GUEST.glob("[!_]*.py"):
        shutil.copy(file, ram / "guest")
    (ram / "guest/cabinet.toml").write_text(guest.configuration, encoding="utf-8")
    (ram / "guest/script").write_text(guest.script, encoding="utf-8")
    packed = work / "ram.cpio"
    names = "\n".join(str(path.relative_to(ram)) for path in (ram, *sorted(ram.rglob("*"))))
    with packed.open("wb") as out:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], input=names.encode(), stdout=out, cwd=ram, check=True)
    return packed


def counted(machine: list[str]) -> list[str]:
    """Return the machine with a clock that counts its instructions, a nanosecond each, and skips what it is idle.

    Its times are those of a processor of 1,000 million instructions a second (a Pi 4 has 2,700: docs/benchmarks.md),
    however seldom the host gives it a turn.
    """
    one_thread = [word.replace("thread=multi", "thread=single") for word in machine]
    return [*one_thread, "-icount", "shift=0,sleep=off"]


def command(machine: Sequence[str], disk: Path, work: Path, guest: Guest) -> list[str | Path]:
    """Return what boots the image's kernel on its root with the proof's own init, which switches the machine off."""
    release = kernel_release(disk)
    ram = initial_ram(disk, release, work, guest)
    kernel = dumped(disk, f"/boot/vmlinuz-{release}", work / "vmlinuz")
    device_tree(work / "virt.dtb", machine)
    device = "/dev/vda" if disk.suffix == ".ext4" else "/dev/vda2"
    kind = f"file={disk},format=raw,if=none,id=card,readonly=on"
    return [
        *machine,
        *("-no-reboot", "-serial", "stdio"),
        *("-dtb", work / "virt.dtb", "-kernel", kernel, "-initrd", ram),
        *("-append", f"console=ttyAMA0 loglevel=4 rdinit=/init panic=-1 cabinet_root={device}"),
        *("-drive", kind, "-device", "virtio-blk-pci,drive=card", "-device", "virtio-rng-pci"),
    ]


def boot(disk: Path, work: Path) -> str:
    """Boot, and return what was said on the serial console until the machine switched itself off."""
    log = WORK / "lines-console.log"
    with log.open("wb") as console:
        subprocess.run(
            command(counted(qemu(1, 2048)), disk, work, LINES),
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=console,
            timeout=RUN_S,
        )
    return log.read_text(encoding="utf-8", errors="replace")


def main() -> int:
    """Run the proof; return the exit code."""
    (disk,) = (Path(word) for word in sys.argv[1:])
    work = WORK / "lines"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    began = time.monotonic()
    said = boot(disk, work)
    ended, found = re.search("@@exit (.*)@@", said), re.search("@@found ([A-Za-z0-9+/=]+)@@", said)
    if ended is None or found is None:
        report(f"FAILED: {said[-3000:]}")
        return 1
    measured = base64.b64decode(found[1]).decode()
    (WORK / "lines.json").write_text(measured, encoding="utf-8")
    for line in judged(json.loads(measured)):
        report(line)
    report(f"exit {ended[1]}; {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
