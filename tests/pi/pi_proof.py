"""The Pi proof: `python -m tests.pi.pi_proof [--image FILE] [--again]` (`make pi-proof`), as root, without KVM.

The image of `make image` boots in an emulated machine (machine.py), and what only another architecture, a real kernel,
real partitions and a real header can show is looked at there. The card and the module are made once and kept below
build/pi-proof; logs are kept there as well. What it shows and what it cannot is in docs/operate.md.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from controller.configuration.cabinet_toml import load
from tests.pi.machine import MachineError, PiMachine, boot_files, missing_tools

WORK = Path("build/pi-proof")
SHELL_S, START_S, WELL_S, EDGE_S = 600.0, 900.0, 600.0, 60.0
SUPERVISOR, DISPLAY = "cabinet.service", "cabinet-display.service"
PYTHON = "cd /; PYTHONSAFEPATH=1 PYTHONDONTWRITEBYTECODE=1 /opt/cabinet/venv/bin/python"
SAMPLE = Path("docs/cabinet.toml")
"""What the first start takes where the card has no configuration."""
SIM = "/sys/devices/platform/header/gpiochip0"
"""gpio-sim's own side of its lines, where a level is pulled and an output is read."""


def report(text: str) -> None:
    """Print one line."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')}  {text}\n")
    sys.stdout.flush()


def first_start(machine: PiMachine) -> Iterator[str]:
    """The written card has become this cabinet's own."""
    took = machine.wait(
        "the first start is over", lambda: machine.attempt("test -e /etc/cabinet/first-start")[0] == 0, START_S
    )
    yield f"first start over {took:.0f} s after the shell"
    log = machine.run("journalctl -b -u first-start --no-pager --output=cat")
    grown = re.search(r"the books have (\d+) MB of the card, (\d+) before", log)
    assert grown is not None, log
    assert int(grown[1]) > 10_000 > int(grown[2]), log
    assert int(machine.run("stat --file-system --format=%b /var/lib/cabinet")) * 4096 > 9_000_000_000
    yield f"the books' partition grew from {grown[2]} to {grown[1]} MB, its file system with it"
    assert len(machine.run("cat /etc/machine-id").strip()) == 32
    files = machine.run("ls -A /var/lib/cabinet").split()
    assert {"journal.sqlite", "journal.sqlite.key"} <= set(files), files
    yield "machine id, key and books are made"


def mounts(machine: PiMachine) -> Iterator[str]:
    """The root is read-only, the books have their partition and their options, as the kernel has them."""
    rows = [line.split() for line in machine.run("cat /proc/mounts").splitlines()]
    found = {row[1]: (row[0], set(row[3].split(","))) for row in rows}
    assert "ro" in found["/"][1], found["/"]
    assert machine.attempt("touch /usr/lib/x || touch /opt/cabinet/x || touch /etc/x")[0] != 0
    for place in ("/var", "/var/lib/cabinet", "/var/lib/cabinet-copy"):
        assert {"rw", "noatime", "nodev", "nosuid"} <= found[place][1], (place, found[place])
    assert len({found[place][0] for place in ("/", "/var", "/var/lib/cabinet", "/var/lib/cabinet-copy")}) == 4
    # What is ext4's default is left out of /proc/mounts: the kernel's own list has all of it.
    device = found["/var/lib/cabinet"][0].removeprefix("/dev/")
    options = set(machine.run(f"cat /proc/fs/ext4/{device}/options").split())
    assert {"barrier", "data=ordered", "errors=remount-ro"} <= options, options
    yield f"root read-only; books on {device} with barrier, data=ordered, errors=remount-ro"


def units(machine: PiMachine) -> Iterator[str]:
    """Supervisor and display run as their users in their sandboxes."""
    took = machine.wait("supervisor runs", lambda: machine.property(SUPERVISOR, "ActiveState") == "active", WELL_S)
    yield f"{SUPERVISOR} active {took:.0f} s later"
    took = machine.wait("display runs", lambda: machine.property(DISPLAY, "ActiveState") == "active", WELL_S)
    yield f"{DISPLAY} active {took:.0f} s later"
    for unit, user, groups in (
        (SUPERVISOR, "cabinet", {"cabinet", "cabinet-display", "dialout", "gpio", "i2c"}),
        (DISPLAY, "cabinet-display", {"cabinet-display", "video", "render", "input", "audio"}),
    ):
        pid = machine.property(unit, "MainPID")
        status = machine.run(f"cat /proc/{pid}/status")
        uids, gids, held = (re.search(rf"^{key}:\s*(.*)$", status, re.MULTILINE) for key in ("Uid", "Groups", "CapEff"))
        assert uids is not None, status
        assert gids is not None, status
        assert held is not None, status
        assert machine.run(f"id -nu {uids[1].split()[0]}").strip() == user
        names = {machine.run(f"getent group {gid}").split(":")[0] for gid in gids[1].split()}
        assert names <= groups, names
        assert int(held[1], 16) == 0, held[1]
        yield f"{unit}: user {user}, groups {' '.join(sorted(names))}, no capability"
    pid = machine.property(SUPERVISOR, "MainPID")
    mapped = machine.run(f"cat /proc/{pid}/uid_map").split()
    assert "4294967295" not in mapped, mapped  # that is the whole machine's map
    assert machine.property(SUPERVISOR, "DevicePolicy") == "closed"
    assert machine.run(f"readlink /proc/{pid}/ns/net") != machine.run("readlink /proc/1/ns/net")
    yield f"{SUPERVISOR}: users of its own (uid_map {' '.join(mapped)}), devices closed, no network"


def header(machine: PiMachine) -> Iterator[str]:
    """The supervisor's lgpio has requested the lines of the sample configuration on the kernel's chip."""
    machine.run(f"{PYTHON} -c 'import platform, _lgpio; assert platform.machine() == \"aarch64\"' ")
    lines = machine.run(
        f"{PYTHON} -c '\nfrom pathlib import Path\nfrom drivers.pins.line_info import read_chip\n"
        'chip = read_chip(Path("/dev/gpiochip0"))\nprint(chip.label)\n'
        "for line in chip.lines:\n    if line.consumer: print(line.number, line.consumer, line.output)'"
    ).splitlines()
    assert lines[0] == "pinctrl-bcm2711", lines
    held = {int(line.split()[0]): line.endswith("True") for line in lines[1:]}
    pins = load(SAMPLE).pins
    driven = {
        *(button.lamp for button in pins.buttons.values()),
        *(tier.pin for tier in pins.tower.values()),
        *(meter.pin for meter in pins.meters.values()),
    }
    assert {number for number, output in held.items() if output} == driven, lines
    yield f"{len(held)} lines of {lines[0]} are held, {len(driven)} of them outputs, as the sample configuration says"


def doors(machine: PiMachine) -> Iterator[str]:
    """A level pulled from outside comes through kernel, lgpio, gpiozero and supervisor into the books."""
    asked = (
        'import sqlite3; books = sqlite3.connect("file:/var/lib/cabinet/journal.sqlite?mode=ro", uri=True); '
        "print(*(place for code, place in books.execute("
        '"SELECT code, place FROM faults WHERE present") if code == "door_open"))'
    )

    def open_doors() -> set[str]:
        return set(machine.run(f"python3 -c '{asked}'").split())

    places = {name: door.pin for name, door in load(SAMPLE).pins.doors.items()}
    for place, pin in places.items():
        for pull, is_open in (("pull-down", False), ("pull-up", True)):
            machine.run(f"echo {pull} >{SIM}/sim_gpio{pin}/pull")
            machine.wait(f"door {place}, {pull}", lambda o=is_open, p=place: (p in open_doors()) is o, EDGE_S)  # type: ignore[misc]
    yield f"doors {', '.join(places)}: each shut and open, by its line's level"


def doctor(machine: PiMachine) -> Iterator[str]:
    """`cabinet doctor` ends, and finds board, pins and units; devices that are not there are its complaints."""
    _code, said = machine.attempt("cabinet doctor", seconds=300.0)
    (WORK / "doctor.txt").write_text(said, encoding="utf-8")
    complaints = [line for line in said.splitlines() if line.lstrip().startswith("MEND")]
    yield f"cabinet doctor: {len(said.splitlines())} lines, {len(complaints)} to be mended (doctor.txt)"


CHECKS: tuple[Callable[[PiMachine], Iterator[str]], ...] = (
    first_start,
    mounts,
    units,
    header,
    doors,
    doctor,
)


def card_of(image: Path) -> Path:
    """Return the image unpacked, kept by its digest."""
    digest = hashlib.sha256(image.read_bytes()).hexdigest()[:12]
    card = WORK / f"card-{digest}.img"
    if not card.exists():
        for old in WORK.glob("card-*.img"):
            old.unlink()
        subprocess.run(["zstd", "-dq", "--sparse", image, "-o", card], check=True)
    return card


def modules_for(card: Path) -> Path:
    """Return the folder of the modules that the card's kernel lacks, built once for each kernel."""
    release = boot_files(card, WORK / "boot").kernel.name.removeprefix("vmlinuz-")
    folder = WORK / f"modules-{release}"
    subprocess.run(["tests/pi/build-modules", release, folder], check=True)
    wanted = WORK / "modules"
    shutil.rmtree(wanted, ignore_errors=True)
    wanted.mkdir()
    shutil.copy(folder / "gpio-sim.ko", wanted)
    return wanted


def main() -> int:
    """Run the proof; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.pi.pi_proof", description="The Pi proof.")
    parser.add_argument("--image", type=Path, help="the image to prove; else the newest below build/image")
    parser.add_argument("--only", action="append", choices=[check.__name__ for check in CHECKS], help="one check alone")
    options = parser.parse_args()
    missing = missing_tools()
    if os.geteuid() != 0 or missing:
        sys.stderr.write(f"the Pi proof needs root, and: {' '.join(missing) or 'nothing else'}\n")
        return 1
    found = sorted(Path("build/image").glob("cabinet-*-arm64.img.zst"), key=lambda path: path.stat().st_mtime)
    if options.image is None and not found:
        sys.stderr.write("the Pi proof needs an image: `sudo make image` builds it (docs/install.md)\n")
        return 1
    WORK.mkdir(parents=True, exist_ok=True)
    card = card_of(options.image or found[-1])
    work = WORK / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    failed = 0
    began = time.monotonic()
    with PiMachine(card, modules_for(card), work) as machine:
        machine.power_on()
        report(f"a shell {machine.wait_for_shell(SHELL_S):.0f} s after power-on")
        for check in CHECKS:
            if options.only and check.__name__ not in options.only:
                continue
            try:
                for line in check(machine):
                    report(f"{check.__name__}: {line}")
            except (AssertionError, MachineError) as error:
                failed += 1
                report(f"{check.__name__}: FAILED: {error}")
        for name, command in (
            ("journal.txt", "journalctl -b --no-pager"),
            ("chain.txt", "systemd-analyze critical-chain --no-pager"),
        ):
            (WORK / name).write_text(machine.attempt(command, seconds=300.0)[1], encoding="utf-8")
    report(f"{len(CHECKS)} checks, {failed} failed, in {time.monotonic() - began:.0f} s; logs in {WORK}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
