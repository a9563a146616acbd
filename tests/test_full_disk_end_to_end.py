"""A real supervisor on a small file system that becomes full, and gets its room back: it goes on by itself."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.books.audit import audit
from tests.rigs.display_client import DisplayClient
from tests.rigs.real_cabinet import RealCabinet
from tests.rigs.small_disk import SmallDisk

pytestmark = pytest.mark.processes

MEGABYTES = 160
LIMITS = "[storage]\nreserve_mb = 20\nlow_mb = 50\n"
CREDIT_CENTS = 2000
PAID_CENTS = 300
FULL_S = 8.0


class Scene:
    """A cabinet on a small disk, its supervisor, and its display."""

    def __init__(self, disk: SmallDisk, cabinet: RealCabinet) -> None:
        self.disk, self.cabinet = disk, cabinet
        with cabinet.run.configuration.open("a") as configuration:
            configuration.write(LIMITS)
        self.display = DisplayClient(cabinet.run.display_socket)
        self.process: subprocess.Popen[bytes] | None = None

    def starts(self) -> None:
        """Start the supervisor."""
        self.process = self.cabinet.supervisor()

    def has_credit(self) -> None:
        """Start the supervisor and put a note in."""
        self.starts()
        self.display.serve_until(lambda: self.display.state == "attract")
        self.cabinet.do("note 20")
        self.display.serve_until(self.cabinet.note_is_credited)
        self.display.serve_until(lambda: self.display.state == "idle")
        self.display.serve(1.0)

    @property
    def notices(self) -> set[str]:
        """The codes of the newest notices."""
        view = self.display.snapshots[-1].view if self.display.snapshots else None
        return set() if view is None else {notice.code for notice in view.notices}

    def rounds(self) -> int:
        """How many rounds were begun."""
        return len(self.cabinet.books.rows("SELECT id FROM rounds"))

    def files(self) -> int:
        """How many files the supervisor has open."""
        assert self.process is not None
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def is_full(self, lasts_s: float = FULL_S) -> None:
        """Take all room, see the lock named, and give the room back after a while."""
        self.disk.fill()
        self.display.serve_until(lambda: "journal_full" in self.notices)
        self.display.serve(lasts_s)
        self.disk.free()

    def turns_key(self) -> None:
        """Turn the attendant's key and turn it back."""
        for turned in ("on", "off"):
            self.cabinet.do(f"key attendant {turned}")
            self.display.serve(0.3)

    def goes_on(self, holds: Callable[[], bool] = lambda: True) -> None:
        """See that the same process plays on, and that the books are whole."""
        self.display.serve_until(lambda: self.display.state in ("attract", "lobby", "idle") and holds())
        self.display.serve(2.0)
        assert self.process is not None
        assert self.process.poll() is None
        assert audit(self.cabinet.run.journal, lambda _what, _done, _total: None).failures == []

    def ends(self) -> None:
        """End the supervisor, where one was started."""
        self.display.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """A cabinet on a small disk."""
    with SmallDisk(tmp_path / "disk", MEGABYTES) as disk, RealCabinet(disk.folder / "run", seed=1) as cabinet:
        made = Scene(disk, cabinet)
        try:
            yield made
        finally:
            made.ends()


def test_a_payout_is_finished_to_the_coin(scene: Scene) -> None:
    """Room is taken within it and given back: the hopper's own counters settle it, nothing is switched off and on."""
    scene.has_credit()
    opened = scene.files()
    scene.cabinet.do("tap collect")
    scene.display.serve_until(lambda: scene.cabinet.front.tray_cents >= PAID_CENTS)
    scene.is_full()
    scene.goes_on(lambda: scene.cabinet.books.credit_cents == 0)
    assert scene.cabinet.front.tray_cents == CREDIT_CENTS
    rows = scene.cabinet.books.rows("SELECT kind, state, amount_cents, paid_cents FROM payouts")
    assert rows == [("hopper", "done", CREDIT_CENTS, CREDIT_CENTS)]
    assert scene.files() <= opened
    scene.cabinet.do("note 20")
    scene.display.serve_until(scene.cabinet.note_is_credited)


@pytest.mark.parametrize("begins_full", [True, False])
def test_a_hand_pay_is_paid_once_whatever_the_disk(scene: Scene, *, begins_full: bool) -> None:
    """Room is taken before it begins, or while it waits: a key turned meanwhile pays nothing, one turned later all."""
    wired = scene.cabinet.run.configuration
    limited, times = re.subn(r"hopper_cents = \S+", f"hopper_cents = {PAID_CENTS}", wired.read_text("utf-8"))
    assert times == 1
    wired.write_text(limited, "utf-8")
    scene.has_credit()
    scene.cabinet.do("tap collect")
    if begins_full:
        scene.display.serve_until(lambda: scene.cabinet.front.tray_cents > 0)
    else:
        scene.display.serve_until(lambda: scene.display.state == "handpay")
    scene.disk.fill()
    scene.display.serve_until(lambda: "journal_full" in scene.notices)
    scene.turns_key()
    scene.display.serve(FULL_S)
    scene.disk.free()
    by_hand = CREDIT_CENTS - PAID_CENTS
    scene.display.serve_until(lambda: scene.display.state == "handpay")
    assert (scene.cabinet.front.tray_cents, scene.cabinet.books.credit_cents) == (PAID_CENTS, by_hand)
    scene.turns_key()
    scene.goes_on(lambda: scene.cabinet.books.credit_cents == 0)
    assert scene.cabinet.front.tray_cents == PAID_CENTS
    rows = scene.cabinet.books.rows("SELECT kind, paid_cents FROM payouts WHERE state = 'done'")
    assert rows[-1] == ("hand_pay", by_hand)
    assert sum(paid for _, paid in rows) == CREDIT_CENTS


def test_a_round_that_was_begun_is_played_to_its_end(scene: Scene) -> None:
    """Its stake is taken once."""
    scene.has_credit()
    scene.cabinet.do("tap spin")
    scene.display.serve_until(lambda: scene.rounds() == 1)
    scene.is_full()
    scene.goes_on()
    rounds = scene.cabinet.books.rows("SELECT state, stake_cents, win_cents FROM rounds")
    assert [state for state, _, _ in rounds] == ["settled"]
    assert scene.cabinet.books.credit_cents == CREDIT_CENTS - rounds[0][1] + rounds[0][2]


def test_a_note_in_escrow_is_credited_or_given_back(scene: Scene) -> None:
    """Never kept without its credit."""
    scene.starts()
    scene.display.serve_until(lambda: scene.display.state == "attract")
    scene.display.serve(5.0)
    scene.cabinet.do("note 20")
    scene.display.serve_until(lambda: scene.cabinet.front.escrow_cents > 0 or scene.cabinet.front.stacked_cents > 0)
    scene.disk.fill()
    scene.display.serve(FULL_S)
    scene.disk.free()
    scene.goes_on()
    scene.display.serve(10.0)
    front = scene.cabinet.front
    assert front.stacked_cents + front.bill_return_cents == CREDIT_CENTS
    assert scene.cabinet.books.credit_cents == front.stacked_cents


def test_a_start_on_a_full_disk_becomes_one_once_there_is_room(scene: Scene) -> None:
    """The screen says so instead of dying, and the books are opened as soon as they can be."""
    scene.has_credit()
    assert scene.process is not None
    scene.process.kill()
    scene.process.wait()
    scene.disk.fill()
    scene.starts()
    scene.display.serve_until(lambda: "journal_full" in scene.notices)
    scene.display.serve(3.0)
    scene.disk.free()
    scene.goes_on(lambda: scene.cabinet.books.credit_cents == CREDIT_CENTS)


def test_a_reserve_that_was_used_up_stops_play_until_there_is_room(scene: Scene) -> None:
    """Before the disk is full nothing new is begun; what is open ends, and play goes on by itself."""
    scene.has_credit()
    scene.disk.fill(leaving=12_000_000)
    scene.display.serve_until(lambda: "storage_full" in scene.notices)
    scene.cabinet.do("tap spin")
    scene.display.serve(1.0)
    assert scene.rounds() == 0
    scene.disk.free()
    scene.display.serve_until(lambda: "storage_full" not in scene.notices)
    scene.cabinet.do("tap spin")
    scene.display.serve_until(lambda: scene.rounds() == 1)
