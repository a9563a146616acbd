"""An update by a bundle on a USB stick, asked for in the service menu, and the way back."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from controller.features.update.events import UpdateEvent
from controller.features.update.installed import HOME
from controller.features.update.signing import SigningKey
from controller.journal.event_catalogue import EventKind
from tests.pi.cabinet import DISPLAY, SUPERVISOR, Cabinet
from tests.pi.machine import MachineError, PiMachine
from tests.pi.money import MENU_S, NAME, PIN
from tests.systemd.boot_updates import next_bundle, unchanged

NEXT = "99.1"
PAGE = "U.7.3"
UPDATE_S, PLAYS_S = 1800.0, 600.0
ROOT_OFFSET = 257 << 20
"""Where the root's partition begins on a card (image/make-card)."""
UPDATER = "cabinet-update.service"
_STATE = "/var/lib/cabinet-update"


def stick(card: Path, key: Path, folder: Path) -> Path:
    """Make a stick with a bundle of the card's own program as the next version; return its image."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "card").mkdir(parents=True)
    subprocess.run(
        ["debugfs", "-R", f"rdump {HOME} {folder}/card", f"{card}?offset={ROOT_OFFSET}"],
        check=True,
        capture_output=True,
    )
    maker = SigningKey.read(key)
    installed = folder / "card" / Path(HOME).name
    bundle = next_bundle(installed, NEXT, unchanged, maker, folder, architecture="aarch64")
    image = folder / "stick.img"
    with image.open("wb") as file:
        file.truncate(bundle.stat().st_size + (64 << 20))
    subprocess.run(["mkfs.vfat", "-F", "32", "-n", "UPDATE", image], check=True, capture_output=True)
    subprocess.run(["mcopy", "-i", image, bundle, f"::{bundle.name}"], check=True)
    shutil.rmtree(folder / "card")
    bundle.unlink()
    return image


def put_in(machine: PiMachine, image: Path) -> None:
    """Put a stick into the fourth socket."""
    assert machine.qmp is not None
    file = {"driver": "file", "filename": str(image.resolve())}
    machine.qmp.do("blockdev-add", **{"driver": "raw", "node-name": "stick", "read-only": True, "file": file})
    machine.qmp.do(
        "device_add", driver="usb-storage", drive="stick", bus="xhci.0", port="4", id="stick", removable=True
    )


def take_out(machine: PiMachine) -> None:
    """Take it out."""
    assert machine.qmp is not None
    machine.qmp.do("device_del", id="stick")


def _choose(cabinet: Cabinet, *labels: str) -> str:
    """Open the update's page, choose rows by the words that they begin with, say yes to what is asked."""
    script = f"""
import sys
from pathlib import Path
from controller.features.console.client import Console
with Console(Path("/run/cabinet/console.sock")) as console:
    # Who is there, and the PIN; who has come in already is asked for neither.
    for _ in range(2):
        if console.page.gate and console.page.entry:
            console.type({PIN!r})
        elif console.page.gate:
            names = [row.place for row in console.page.rows]
            console.press(f"service:row:{{names.index({NAME!r})}}")
    console.go({PAGE!r})
    for label in {labels!r}:
        rows = [row.label.replace("{{place}}", row.place) for row in console.page.rows]
        found = [number for number, row in enumerate(rows) if row.startswith(label)]
        if not found:
            sys.exit(f"no row {{label}}: {{rows}}")
        console.press(f"service:row:{{found[0]}}")
    while console.page.question:
        print(console.page.question)
        console.answer(yes=True)
    print(console.page.message, [(row.label, row.place, row.value) for row in console.page.rows])
"""
    return cabinet.machine.run(
        f"cat >/run/choose.py <<'END'\n{script}\nEND\nchmod 644 /run/choose.py; cd /;"
        " runuser -u cabinet -- env PYTHONDONTWRITEBYTECODE=1 /opt/cabinet/venv/bin/python /run/choose.py",
        seconds=UPDATE_S,
    )


def _version(cabinet: Cabinet) -> str:
    return cabinet.machine.run(f"cat {HOME}/version").strip()


def _outcome(cabinet: Cabinet) -> Mapping[str, str]:
    """Return the outcome of the newest update, empty before the first."""
    said = cabinet.machine.run(f"cat {_STATE}/outcome.json 2>/dev/null || echo '{{}}'")
    found: Mapping[str, str] = json.loads(said)
    return found


def _ended(cabinet: Cabinet, version: str, earlier: Mapping[str, str], event: EventKind) -> float:
    """Wait until the update after `earlier` has ended well, is recorded as `event`, and that version plays.

    Returns the seconds that it took. / is read-only again.
    """
    machine, began = cabinet.machine, time.monotonic()
    machine.wait("an outcome", lambda: _outcome(cabinet) != earlier, UPDATE_S)
    # Until its last command has run, which closes the root, a unit of one shot is deactivating.
    machine.wait(
        "the updater has ended", lambda: machine.property(UPDATER, "ActiveState") in {"inactive", "failed"}, UPDATE_S
    )
    outcome = _outcome(cabinet)
    assert (outcome["end"], _version(cabinet)) == ("done", version), outcome
    assert machine.attempt(f"test ! -e {_STATE}/intent.json")[0] == 0
    root = cabinet.mounts()["/"]
    assert "ro" in root[1], root
    machine.wait("it plays", lambda: machine.property(SUPERVISOR, "ActiveState") == "active", PLAYS_S)
    machine.wait("it is recorded", lambda: [event.key] in cabinet.rows("SELECT text FROM events"), PLAYS_S)
    return time.monotonic() - began


def update(cabinet: Cabinet) -> Iterator[str]:
    """A bundle from a stick is taken by the menu, proved, put in place, well on its trial; and the way back."""
    machine = cabinet.machine
    if cabinet.key is None:
        raise MachineError("no key: name the one that has signed the image, --key FILE (make: SIGNING_KEY=FILE)")
    # The monitor's steps leave the display in the supervisor's place.
    machine.run(f"systemctl stop {DISPLAY}; systemctl start {SUPERVISOR}", seconds=PLAYS_S)
    cabinet.shut_doors()
    image = stick(cabinet.card, cabinet.key, cabinet.kept / "stick")
    first = _version(cabinet)
    cabinet.turn_key()
    # Sticks are mounted while somebody is in the menu, and the kernel sees this one then.
    _choose(cabinet)
    put_in(machine, image)
    machine.wait("the stick is mounted", lambda: machine.attempt("grep -q ' /media/' /proc/mounts")[0] == 0, MENU_S)
    earlier = _outcome(cabinet)
    said = _choose(cabinet, "Look for updates", f"Install {NEXT}")
    took = _ended(cabinet, NEXT, earlier, UpdateEvent.UPDATE_DONE)
    yield f"{first} to {NEXT}, {image.stat().st_size >> 20} MB: well on trial after {took:.0f} s, / read-only again"
    yield said
    take_out(machine)
    # The program that has been started anew has claimed the lines with their pull-ups.
    cabinet.turn_key()
    earlier = _outcome(cabinet)
    _choose(cabinet, "Go back to the program of before")
    took = _ended(cabinet, first, earlier, UpdateEvent.ROLL_BACK_DONE)
    yield f"back to {first}: well on trial after {took:.0f} s, / read-only again"
    cabinet.turn_back()
    assert not cabinet.rows("SELECT place FROM faults WHERE present AND code = 'software_tampered'")
    cabinet.machine.run("cd /; runuser -u cabinet -- cabinet audit /var/lib/cabinet/journal.sqlite", seconds=MENU_S)
    yield "the books are proved, the software is as it was signed"
