"""Power cuts of the whole machine at random moments of play; what the card had not flushed is lost.

The books and their second copy are moved to a disk of their own, whose writes are recorded in front of it. The machine
is kept without them: stopped cabinet, empty mount points. For each life it goes on from there, mounts what the last
cut has left by the image's own fstab, and starts the supervisor; so a life takes a minute and not a whole boot, and
nothing of an earlier life is in its memory. At the cut its process is killed, and of the record everything after the
last flush is dropped. The display is left out: it has no money. The program is in the kept memory, so that each start
proves it without the card.
"""

import random
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from controller.books.audit import audit
from controller.configuration.cabinet_toml import load
from drivers.simulated.front import Front
from tests.pi.cabinet import CHIP, DISPLAY, SIM, SUPERVISOR, Cabinet
from tests.pi.fitted import SAMPLE, Devices, pull_all, put_all
from tests.pi.machine import DISK, SPARE, MachineError
from tests.proofs.recorded_disk import flushed, mounted, put, writes

APART = "apart"
START_S, PROVED_S, AGREE_S, PLAY_S = 600.0, 600.0, 300.0, (1.0, 20.0)
HAND_S = (0.5, 2.5)
FEW_COINS, FILL = 150, 200
MB = 1 << 20
PARTITION = MB
"""Where the books begin on their disk."""
BOOKS = "/var/lib/cabinet"
_DISK = f"/dev/disk/by-id/virtio-{SPARE}"
_MOUNTS = "var-lib-cabinet.mount 'var-lib-cabinet\\x2dcopy.mount'"
MOVE = f"""set -e
systemctl stop {SUPERVISOR} {DISPLAY}
old=$(findmnt --noheadings --output SOURCE {BOOKS}) copy=$(findmnt --noheadings --output SOURCE {BOOKS}-copy)
printf 'label: dos\\nstart=1MiB, size=1024MiB\\nstart=1025MiB\\n' | sfdisk --quiet {_DISK}
udevadm settle
for part in 1:{BOOKS} 2:{BOOKS}-copy; do
    mke2fs -q -F -t ext4 -E lazy_itable_init=0,lazy_journal_init=0 {_DISK}-part${{part%%:*}}
    mount {_DISK}-part${{part%%:*}} /mnt
    cp -a ${{part#*:}}/. /mnt
    chown --reference=${{part#*:}} /mnt
    chmod --reference=${{part#*:}} /mnt
    umount /mnt
done
systemctl stop {_MOUNTS}
e2label $old moved-books
e2label $copy moved-copy
e2label {_DISK}-part1 cabinet-books
e2label {_DISK}-part2 cabinet-copy
udevadm settle
test $(realpath /dev/disk/by-label/cabinet-books) = $(realpath {_DISK}-part1)
find /opt/cabinet -type f -exec cat {{}} + >/dev/null
sync
blockdev --flushbufs {_DISK}
"""
_MONEY = (
    "SELECT 'meter', name, value FROM meters"
    " UNION ALL SELECT 'item', kind, sum(coalesce(amount_cents, 0)) FROM open_items WHERE resolution IS NULL GROUP BY 2"
    " UNION ALL SELECT 'count', 'ledger', max(seq) FROM ledger"
    " UNION ALL SELECT 'count', 'open payouts', count(*) FROM payouts WHERE state = 'open' AND kind = 'hopper'"
    " UNION ALL SELECT 'count', 'payouts', count(*) FROM payouts"
    " UNION ALL SELECT 'count', 'rounds', count(*) FROM rounds"
)


def copy_sparse(image: Path, to: Path) -> None:
    """Copy an image without the holes in it."""
    subprocess.run(["cp", "--sparse=always", image, to], check=True)


class Books(NamedTuple):
    """What the books say: meters, the cents of open items by kind, and counts."""

    meters: Mapping[str, int]
    items: Mapping[str, int]
    counts: Mapping[str, int]


def books_of(cabinet: Cabinet) -> Books:
    """Read the books of the running machine."""
    found: dict[str, dict[str, int]] = {"meter": {}, "item": {}, "count": {}}
    for kind, name, value in cabinet.rows(_MONEY):
        found[kind][name] = value or 0
    return Books(found["meter"], found["item"], found["count"])


def disagreements(books: Books, front: Front, coins_cents: int) -> list[str]:
    """Compare each cent with the devices' own count; what nobody can know is an open item. Nothing may be on its way.

    `coins_cents` is what was put into the coin slot.
    """
    items = books.items.get
    coins = coins_cents - front.coin_return_cents
    notes_in, coins_in, paid = (books.meters.get(name, 0) for name in ("notes_in", "coins_in", "hopper_out"))
    paid += items("hopper_overpaid", 0)
    unsure_notes = items("note_unknown", 0) + items("note_unexpected", 0)
    unsure_coins = items("coins_lost", 0) + items("coins_forgotten", 0)
    return [
        f"{what}: {outside} cents outside, {least} to {most} by the books"
        for what, outside, least, most in (
            ("notes", front.stacked_cents, notes_in, notes_in + unsure_notes),
            ("coins", coins, coins_in, coins_in + unsure_coins),
            ("tray", front.tray_cents, paid, paid + items("payout_held", 0)),
        )
        if not least <= outside <= most
    ]


class Hand:
    """Puts notes and coins into the devices outside; knows what it has put in."""

    def __init__(self, devices: Devices, chance: random.Random) -> None:
        self._devices = devices
        self._chance = chance
        self.coins_cents = 0

    def act(self) -> None:
        """Put something in, or wait."""
        do, front = self._devices.do, self._devices.front
        if front.hopper_coins < FEW_COINS:
            do(f"fill {FILL}")
        what = self._chance.random()
        if what < 0.3:
            self.note()
        elif what < 0.7:
            coin = self._chance.choice((50, 100, 200))
            do(f"coin {coin / 100:.2f}")
            self.coins_cents += coin
        time.sleep(self._chance.uniform(*HAND_S))

    def note(self) -> int:
        """Put a note in where the slot is free, and again where it came back; return the cents that are stacked."""
        do, front = self._devices.do, self._devices.front
        if front.bill_return_cents:
            do("take note")
        if not front.escrow_cents and not front.bill_slot:
            do(f"note {self._chance.choice((5, 10, 20))}")
        return front.stacked_cents


class Lives:
    """One cabinet's lives, each ended by a power cut."""

    def __init__(self, cabinet: Cabinet, folder: Path, chance: random.Random) -> None:
        self._cabinet = cabinet
        self._folder = folder
        self._chance = chance
        self._hand = Hand(cabinet.devices, chance)
        self._log = folder / "record"
        self._durable = folder / "durable.img"
        self._known = 0
        self.dropped = 0

    def begin(self) -> None:
        """Move the books, and keep the machine without them."""
        machine = self._cabinet.machine
        # Coins of earlier steps: what was put in then was compared then.
        self._hand.coins_cents = books_of(self._cabinet).meters.get("coins_in", 0)
        machine.run(MOVE)
        doors = " ".join(str(door.pin) for door in load(SAMPLE).pins.doors.values())
        machine.run(f"systemd-run --quiet --unit=pi-doors python3 /run/{DISK}/shut.py {CHIP} {SIM} {doors}")
        pull_all(machine)
        machine.keep(APART)
        machine.cut()
        copy_sparse(machine.spare, self._durable)

    def start(self) -> float:
        """Give the power back; return the seconds from the supervisor's start until it was ready."""
        machine = self._cabinet.machine
        copy_sparse(self._durable, machine.spare)
        self._log.write_bytes(b"")
        machine.power_on(kept=APART, record=self._log)
        put_all(machine)
        began = time.monotonic()
        machine.run(f"systemctl start {_MOUNTS} && systemctl start {SUPERVISOR}", seconds=START_S)
        return time.monotonic() - began

    def agree(self) -> Books:
        """Wait until nothing is on its way and every cent agrees; return the books."""
        cabinet, books = self._cabinet, books_of(self._cabinet)
        assert books.counts["ledger"] >= self._known, f"ledger row {self._known} is gone"
        wrong: list[str] = []

        def agreed() -> bool:
            nonlocal books
            front = cabinet.devices.front
            books = books_of(cabinet)
            wrong[:] = disagreements(books, front, self._hand.coins_cents)
            if front.escrow_cents or books.counts["open payouts"]:
                wrong.append("money is on its way")
            return not wrong

        try:
            cabinet.machine.wait("every cent agrees", agreed, AGREE_S)
        except MachineError as error:
            raise MachineError(f"{'; '.join(wrong)}; {books}; {cabinet.devices.front}") from error
        return books

    def play(self, number: int) -> float:
        """Play until a random moment, counted from when money is taken; return how long."""
        cabinet, play_s = self._cabinet, self._chance.uniform(*PLAY_S)
        cabinet.machine.run(
            f"systemd-run --quiet --unit=pi-hands python3 /run/{DISK}/hands.py /run/{DISK}/cabinet.toml {SIM} {number}"
        )
        before = cabinet.devices.front.stacked_cents
        # Nothing is taken until the software is proved.
        try:
            cabinet.machine.wait("a note is taken", lambda: self._hand.note() > before, PROVED_S)
        except MachineError as error:
            said = cabinet.machine.run(f"journalctl -b -u {SUPERVISOR} --no-pager --output=cat | tail -20")
            raise MachineError(f"{cabinet.faults()}; {cabinet.devices.front}; {said}") from error
        until = time.monotonic() + play_s
        while time.monotonic() < until:
            self._hand.act()
        self._known = books_of(cabinet).counts["ledger"]
        time.sleep(self._chance.uniform(0.0, HAND_S[1]))
        return play_s

    def cut(self) -> None:
        """Take the power away: only what was flushed is left, and its books are proved."""
        self._cabinet.machine.cut()
        requests = writes(self._log)
        left = flushed(requests)
        self.dropped += len(requests) - len(left)
        put(self._durable, left)
        looked = self._folder / "looked.img"
        copy_sparse(self._durable, looked)
        with mounted(looked, self._folder / "root", offset=PARTITION) as root:
            proof = audit(root / "journal.sqlite", lambda *_: None)
        assert proof.failures == [], proof.failures
        assert proof.ledger_rows >= self._known, f"of {self._known} ledger rows {proof.ledger_rows} are left"


def cuts(cabinet: Cabinet) -> Iterator[str]:
    """Cut, start, compare; so often."""
    folder = cabinet.kept / "cuts"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lives = Lives(cabinet, folder, random.Random(cabinet.seed))
    began = time.monotonic()
    lives.begin()
    starts = [lives.start()]
    yield f"books on a disk of their own, ready after {starts[0]:.0f} s; {time.monotonic() - began:.0f} s in all"
    books = lives.agree()
    for number in range(1, cabinet.cuts + 1):
        began = time.monotonic()
        played = lives.play(number)
        lives.cut()
        starts.append(lives.start())
        before, books = books, lives.agree()
        front, counts = cabinet.devices.front, books.counts
        yield (
            f"{number}: cut after {played:.1f} s, {counts['rounds'] - before.counts['rounds']} rounds and"
            f" {counts['payouts'] - before.counts['payouts']} payouts; ready after {starts[-1]:.0f} s; books proved,"
            f" as outside {front.stacked_cents} cents of notes, {books.meters.get('coins_in', 0)} of coins,"
            f" {front.tray_cents} paid{f', open: {dict(books.items)}' if books.items else ''};"
            f" {time.monotonic() - began:.0f} s"
        )
    assert books.counts["rounds"], "no round was played"
    assert books.counts["payouts"], "nothing was paid"
    yield f"{cabinet.cuts} cuts; {lives.dropped} writes after the last flush were dropped"
