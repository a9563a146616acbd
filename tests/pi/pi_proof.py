"""The Pi proof: `python -m tests.pi.pi_proof [--image FILE] [--again] [--only STEP] [--stay]`, as root.

The image of `make image` boots in an emulated machine (machine.py), without KVM, and what only another architecture, a
real kernel, real partitions and a real header can show is looked at there. Cards and modules are kept below
build/pi-proof; logs are kept there as well. docs/testing.md says what it needs.

After each step of KEPT the machine is kept as it is then, with its memory. `--after STEP` goes on from there, within
seconds, with the steps that come next, as often as is wanted; `--again` boots the card of the last run as that left it.
Neither waits for a first start. With `--stay` the machine stays on after its steps: names of further ones are read from
standard input, each with the code as it is then, until the input ends. `--monitor` takes the monitor's steps alone, on
a card whose first start has not been and is not waited for: neither it nor the supervisor is started.
"""

import argparse
import base64
import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tests.pi import cuts, header, money, monitor, start, update
from tests.pi.cabinet import DISPLAY, SUPERVISOR, Cabinet
from tests.pi.fitted import Devices, configuration, pull_all, put_all, put_on_card
from tests.pi.machine import DISK, MachineError, PiMachine, boot_files, missing_tools
from tests.pi.qmp import QmpError

WORK = Path("build/pi-proof")
GUEST = Path("tests/pi/guest")
SHELL_S = 1200.0


def report(text: str) -> None:
    """Print one line, and keep it."""
    line = f"{time.strftime('%H:%M:%S')}  {text}\n"
    sys.stdout.write(line)
    sys.stdout.flush()
    with (WORK / "report.txt").open("a", encoding="utf-8") as file:
        file.write(line)


Check = Callable[[Cabinet], Iterator[str]]
CHECKS: tuple[Check, ...] = (
    start.begun_again,
    start.first_start,
    start.mounts,
    start.units,
    start.times,
    money.technician,
    header.header,
    header.doors,
    money.serial,
    start.doctor,
    money.notes_and_coins,
    money.payout,
    money.pulled,
    money.meters,
    money.hung,
    money.proved,
    header.lines,
    header.taken,
    header.gone,
    *monitor.CHECKS,
    update.update,
    cuts.cuts,
    start.watchdog,
    start.begun_in_1970,
    monitor.monitors,
)
KEPT = ("first_start", "technician")
"""The steps after which the machine is kept: the card is this cabinet's own; it can be played on."""
UNSTARTED = (start.FIRST_START, SUPERVISOR)
GIVE = f"""mount -o remount,rw / && install -m 0640 -g cabinet /run/{DISK}/cabinet.toml /etc/cabinet/ &&
mount -o remount,ro / && systemctl restart {DISPLAY}"""
"""What the display needs of a first start: a configuration."""


def card_of(image: Path) -> Path:
    """Return the image unpacked, kept by its digest; one that is unpacked already is taken as it is."""
    if image.suffix != ".zst":
        return image
    digest = hashlib.sha256(image.read_bytes()).hexdigest()[:12]
    card = WORK / f"card-{digest}.img"
    if not card.exists():
        for old in WORK.glob("card-*.img"):
            old.unlink()
        subprocess.run(["zstd", "-dq", "--sparse", image, "-o", card], check=True)
    return card


def disk_for(card: Path, config: Path) -> Path:
    """Return the folder of the second disk.

    It has the module that the card's kernel lacks, built once, the guest's programs, and the configuration.
    """
    release = boot_files(card, WORK / "boot").kernel.name.removeprefix("vmlinuz-")
    folder = WORK / f"modules-{release}"
    subprocess.run(["tests/pi/build-modules", release, folder], check=True)
    wanted = WORK / "disk"
    shutil.rmtree(wanted, ignore_errors=True)
    wanted.mkdir()
    for file in (config, folder / "gpio-sim.ko", *GUEST.glob("[!_]*.py")):
        shutil.copy(file, wanted)
    return wanted


def run_checks(cabinet: Cabinet, checks: Iterable[Check]) -> int:
    """Run these checks; keep a picture after each; return how many failed."""
    failed = 0
    for check in checks:
        began = time.monotonic()
        try:
            for line in check(cabinet):
                report(f"{check.__name__}: {line}")
        except (AssertionError, LookupError, ValueError, MachineError, QmpError, OSError) as error:
            failed += 1
            report(f"{check.__name__}: FAILED after {time.monotonic() - began:.0f} s: {type(error).__name__}: {error}")
            continue
        finally:
            cabinet.machine.picture(cabinet.kept / f"{check.__name__}.png")
        if check.__name__ in KEPT:
            keep(cabinet, check.__name__)
    return failed


def keep(cabinet: Cabinet, name: str) -> None:
    """Keep machine and devices as they are; the adapters are out of their sockets meanwhile."""
    began = time.monotonic()
    pull_all(cabinet.machine)
    cabinet.machine.keep(name)
    cabinet.devices.keep(name)
    put_all(cabinet.machine)
    report(f"{name}: machine kept, in {time.monotonic() - began:.0f} s")


def bring_guest(machine: PiMachine) -> None:
    """Have the machine's programs of guest/ as they are now in place of those that its second disk has."""
    copied = f"cp -r /run/{DISK} /run/pi-guest && mount --bind /run/pi-guest /run/{DISK}"
    machine.run(f"test -d /run/pi-guest || {{ {copied}; }}")
    there = {
        line.rpartition("/")[2]: line.split()[0] for line in machine.run(f"sha256sum /run/{DISK}/*.py").splitlines()
    }
    for file in GUEST.glob("[!_]*.py"):
        if there.get(file.name) == hashlib.sha256(file.read_bytes()).hexdigest():
            continue
        coded = base64.b64encode(file.read_bytes()).decode()
        machine.run(f"echo {coded} | base64 -d >/run/{DISK}/{file.name}")


def stay(cabinet: Cabinet) -> int:
    """Run the steps that standard input names, a line at a time, as the code has them then; return how many failed."""
    failed = 0
    for line in sys.stdin:
        bring_guest(cabinet.machine)
        for module in (cuts, header, money, monitor, start, update):
            importlib.reload(module)
        now = importlib.reload(importlib.import_module("tests.pi.pi_proof"))
        failed += run_checks(
            cabinet, [check for name in line.split() for check in now.CHECKS if check.__name__ == name]
        )
        report(f"done: {line.strip()}")
    return failed


def main() -> int:
    """Run the proof; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.pi.pi_proof", description="The Pi proof.")
    parser.add_argument("--image", type=Path, help="the image to prove; else the newest below build/image")
    parser.add_argument("--only", action="append", choices=[check.__name__ for check in CHECKS], help="one check alone")
    parser.add_argument("--key", type=Path, help="the private key that has signed the image, for the update")
    parser.add_argument("--cuts", type=int, default=50, help="how often the power is cut in play")
    parser.add_argument("--seed", type=int, default=16, help="draws the moments of the cuts")
    parser.add_argument("--again", action="store_true", help="the card of the last run, without a first start")
    parser.add_argument(
        "--after", choices=KEPT, default="", help="go on where the last run has kept the machine after that step"
    )
    parser.add_argument("--stay", action="store_true", help="stay on, and read further steps from standard input")
    parser.add_argument("--monitor", action="store_true", help="the monitor's steps alone, without a first start")
    options = parser.parse_args()
    missing = missing_tools()
    if os.geteuid() != 0 or missing:
        sys.stderr.write(f"the Pi proof needs root, and: {' '.join(missing) or 'nothing else'}\n")
        return 1
    found = sorted(Path("build/image").glob("cabinet-*-arm64.img.zst"), key=lambda path: path.stat().st_mtime)
    if options.image is None and not found:
        sys.stderr.write("the Pi proof needs an image: `sudo make image` builds it (docs/install.md)\n")
        return 1
    work = WORK / "work"
    if not options.again and not options.after:
        shutil.rmtree(work, ignore_errors=True)
        (WORK / "report.txt").unlink(missing_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    card = card_of(options.image or found[-1])
    config = work / "cabinet.toml"
    if not options.again and not options.after:
        put_on_card(card, configuration(), config)
    done = [check.__name__ for check in CHECKS].index(options.after) + 1 if options.after else 0
    if options.again:
        done = CHECKS.index(start.begun_again) + 1
    offered = monitor.CHECKS if options.monitor else CHECKS[done:]
    wanted = [check for check in offered if not options.only or check.__name__ in options.only]
    masked = UNSTARTED if options.monitor else ()
    began = time.monotonic()
    with (
        Devices(work / "run", config, options.after) as devices,
        PiMachine(card, disk_for(card, config), work, devices.fittings(), masked) as machine,
    ):
        machine.power_on(kept=options.after)
        put_all(machine)
        if options.after:
            report(
                f"after {options.after}, by the machine's clock {machine.run('cut -d. -f1 /proc/uptime').strip()} s on"
            )
        else:
            report(f"a shell {machine.wait_for_shell(SHELL_S):.0f} s after power-on")
        cabinet = Cabinet(machine, devices, WORK, card, options.key, options.cuts, options.seed)
        if options.after:
            bring_guest(machine)
        if options.monitor:
            machine.run(GIVE)
        failed = run_checks(cabinet, wanted)
        if options.stay:
            failed += stay(cabinet)
    report(f"{failed} checks failed, in {time.monotonic() - began:.0f} s; logs and pictures in {WORK}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
