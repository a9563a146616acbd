"""Drills of the hopper: everything that can go wrong, at each frame of its dialogue (issue 5, invariant 9).

Start-up, idle, a payout of three coins and idle again, on the journal itself. Whatever happened, afterwards the books
balance, the coins in the tray are the coins booked or recorded as open items, and no dispense was sent that had not
been announced, so none was ever repeated blindly.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest

from controller.books.audit import audit
from controller.faults import known_faults
from controller.journal.store import Store
from drivers.capabilities import PayoutEnd, PayoutOutcome
from drivers.cctalk.hopper_status import Flag
from drivers.cctalk.protocol import Header
from drivers.errors import DriverError
from drivers.simulated.cctalk.hopper import CONDITIONS, IDENTITY, UPSETS, ZEROS, SimulatedHopper
from drivers.simulated.misbehaviour import Kind, Piece, Way
from tests.rigs.cash_desk import CashDesk, Incident
from tests.rigs.cctalk_books import BooksLockedError
from tests.rigs.journal_books import JournalBooks
from tests.rigs.virtual_cabinet import VirtualCabinet

pytestmark = [pytest.mark.proof, pytest.mark.requirement("D9", "P6")]

COINS = 3
STRIDE = 4  # of all meetings of two troubles one in so many is played, each fault beginning at another one
IDLE_S = 1.3
NOTICED_S = 2.5  # more than the watch takes to see a lasting fault
HEALING_S = 5.0
ABANDONED_S = 60.0
SHM = Path("/dev/shm")  # noqa: S108 - a directory of memory, for a file of this test's own

Trouble = Callable[["Drill"], object]


class Watched(Incident):
    """Also compares the dispenses sent with those announced, before each one is carried.

    `first_dispense_at` is how many frames the hopper had sent by the first one; `at_dispense` is called then.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent = 0
        self.announced: Callable[[], int] = lambda: 0
        self.blind = 0
        self.first_dispense_at = 0
        self.at_dispense: Callable[[], object] = lambda: None

    def mangle(self, way: Way, frame: bytes) -> list[Piece]:
        """Count what is carried."""
        if way is Way.TO_DEVICE and frame[3] == Header.DISPENSE:
            if not self.sent:
                self.first_dispense_at = self.carried[Way.TO_HOST]
                self.at_dispense()
            self.sent += 1
            self.blind += self.sent > self.announced()
        return super().mangle(way, frame)


class Drill(CashDesk[JournalBooks]):
    """One case: a hopper of its own, a page of the journal, and the trouble that is to come.

    `lasted` is how many frames went each way until the hopper was idle again.
    """

    def __init__(self, store: Store, serial: int) -> None:
        device = SimulatedHopper(stock=50, identity=IDENTITY._replace(serial=serial))
        self.watched = Watched()
        super().__init__(device, JournalBooks(store), incident=self.watched)
        self.watched.announced = lambda: self.books.announced
        self.extra = 0
        self.lasted: dict[Way, int] = {}

    async def attempts(self, coins: int) -> PayoutEnd:
        """Watch for a while, pay, and watch again; an order that nobody can pay is given up by the attendant."""
        await asyncio.sleep(IDLE_S)
        give_up = asyncio.get_running_loop().time() + ABANDONED_S
        while self.books.end is None:
            with contextlib.suppress(DriverError, BooksLockedError):
                outcome = await self.hopper.pay(self.books.order(coins), self.books)
                await self.books.ended(outcome)
                break
            if asyncio.get_running_loop().time() > give_up:
                await self.books.ended(PayoutOutcome(end=PayoutEnd.UNDECIDED))
            await asyncio.sleep(0.2)
        await asyncio.sleep(IDLE_S)
        self.lasted = self.lasted or dict(self.incident.carried)
        await asyncio.sleep(NOTICED_S)
        assert self.books.end is not None
        return self.books.end

    def heal(self) -> None:
        """Mend everything, and look once more: what left the hopper late is found, too."""
        device = self.device
        device.conditions.clear()
        device.upset, device.jammed, device.runaway, device.stock = None, False, 0, 50
        self.incident.forget()
        self.books.lock = 0
        device.power(on=True)

    def persist(self, flag: Flag) -> None:
        """A fault lasts for a while, and is mended."""
        self.device.conditions.add(flag)
        asyncio.get_running_loop().call_later(HEALING_S, self.device.conditions.discard, flag)

    def befall(self, flag: Flag) -> None:
        """The next coin has this mishap."""
        self.device.upset = flag

    def switch(self, **settings: object) -> None:
        """Somebody turns a switch of the hopper for a while."""
        before = {name: getattr(self.device, name) for name in settings}

        def put(values: dict[str, object]) -> None:
            for name, value in values.items():
                setattr(self.device, name, value)

        put(settings)
        asyncio.get_running_loop().call_later(HEALING_S, put, before)

    def slip(self) -> None:
        """A coin falls out that nobody ordered."""
        self.device.slip()
        self.extra += 1

    def run_away(self) -> None:
        """A coin slips out after the last one."""
        self.device.runaway = 1
        self.extra += 1

    def swap(self) -> None:
        """Another hopper of the same kind is put in, under power."""
        self.device.power(on=False)
        serial = self.device.identity.serial + (1 << 20)
        self.device.identity = self.device.identity._replace(serial=serial)
        self.device.security = serial.to_bytes(3, "little")
        self.device.lifetime = 7_000_000
        self.device.remaining = self.device.paid = self.device.unpaid = 0
        self.device.power(on=True)

    def burst(self, way: Way) -> None:
        """More frames are lost than any retry bridges."""
        self.incident.inject(Kind.DROP, 8, way=way)


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    """A directory in memory where there is room: what a disk does to a journal is proved elsewhere."""
    with tempfile.TemporaryDirectory(dir=SHM if SHM.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(name="store")
def _store(folder: Path) -> Iterator[Store]:
    """A journal for many cases, proved whole at the end."""
    path = folder / "journal.sqlite"
    store = Store(path, lambda: 0, simulated=True, create=True)
    yield store
    store.close()
    assert audit(path, lambda _what, _done, _total: None).failures == []


SERIALS = count(1)
FAULT_CODES = {code for code in known_faults() if code.startswith("hopper_")} | {"dispense_refused", "open_item"}


def nothing(_drill: Drill) -> None:
    """Nothing happens."""


async def play(
    store: Store, way: Way = Way.TO_HOST, at: int = -1, trouble: Trouble = nothing, at_dispense: Trouble = nothing
) -> Drill:
    """Live through one case and return it, healed and looked at once more."""
    drill = Drill(store, next(SERIALS))
    drill.books.begin(COINS, drill.device.identity.serial)
    drill.incident.expect(way, at, partial(trouble, drill))
    drill.watched.at_dispense = partial(at_dispense, drill)

    drill.device.power(on=True)
    await drill.cash_out(COINS)
    drill.heal()
    drill.hopper = drill.new_driver()
    serving = asyncio.create_task(drill.serve())
    await asyncio.sleep(6.0)
    serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving

    return drill


def account(drill: Drill, where: str) -> None:
    """Hold the case to what must be so whatever happened."""
    books = drill.books
    books.balance()
    assert drill.watched.blind == 0, f"{where}: a dispense was sent that was not announced"
    assert drill.device.dispenses <= books.announced, where
    known, unsure = books.booked + books.overpaid, books.unsure
    most = known + unsure if unsure is not None else len(drill.tray)
    assert known <= len(drill.tray) <= most, f"{where}: {len(drill.tray)} coins, {known} known, {unsure} unsure"
    assert len(drill.tray) <= COINS + drill.extra, where
    if books.end is PayoutEnd.DONE:
        assert books.booked == COINS, where


async def rehearsal(store: Store) -> Drill:
    """A case in which nothing goes wrong: how many frames it takes, and where its dispense is."""
    drill = await play(store)
    account(drill, "no trouble")
    assert (drill.books.end, len(drill.tray), drill.watched.sent) == (PayoutEnd.DONE, COINS, 1)
    assert not drill.books.logged_codes() & FAULT_CODES
    return drill


LINES: dict[str, Callable[[Drill, Way], object]] = {
    **{kind.value: partial(Drill.misbehave, kind=kind) for kind in Kind},
    "very late": lambda drill, way: drill.delay(way, 0.9),
    "eight lost": Drill.burst,
}

CUTS: dict[str, Trouble] = {
    "hopper's power": Drill.cut_power,
    "crash": lambda drill: drill.crashed.set(),
    "mains": Drill.cut_mains,
    "locked books": lambda drill: setattr(drill.books, "lock", 2),
}

FAULTS: dict[str, tuple[Trouble, str]] = {
    **{flag.name: (partial(Drill.persist, flag=flag), flag.code) for flag in Flag if flag in CONDITIONS},
    **{flag.name: (partial(Drill.befall, flag=flag), "") for flag in Flag if flag in UPSETS},
    "stuck": (lambda drill: drill.switch(jammed=True, notices_jam=False), ""),
    "jammed": (lambda drill: drill.switch(jammed=True), ""),
    "empty": (lambda drill: drill.switch(stock=0), ""),
    "runaway": (Drill.run_away, ""),
    "slipped": (Drill.slip, "hopper_runaway"),
    "encrypted": (lambda drill: drill.switch(encrypted=True), "hopper_security"),
    "wants zeros": (lambda drill: drill.switch(security=ZEROS), ""),
    "wants a PIN": (lambda drill: drill.switch(pin=b"1234"), "hopper_security"),
    "single coins": (lambda drill: drill.switch(single_coin=True), ""),
    "level low": (lambda drill: drill.switch(low_mark=100), ""),
    "count went back": (lambda drill: setattr(drill.device, "lifetime", (1 << 24) - 50), "hopper_memory"),
    "used by others": (lambda drill: drill.switch(counter=99), ""),
    "swapped": (Drill.swap, ""),
}
"""Each with the fault that must be reported whenever it comes; "" where that depends on when."""


@pytest.mark.parametrize("trouble", LINES)
async def test_each_frame_may_be_lost_late_garbled_or_repeated(
    trouble: str, store: Store, record_property: Callable[[str, Any], None]
) -> None:
    """A line that fails anywhere never costs a coin, and where it comes back the order is paid to the end."""
    cases = 0
    for way, most in (await rehearsal(store)).lasted.items():
        for at in range(most):
            drill = await play(store, way, at, partial(LINES[trouble], way=way))
            account(drill, f"{trouble} at frame {at} {way}")
            assert drill.books.end is PayoutEnd.DONE
            cases += 1
    record_property("proof", f"hopper: {trouble} at each of {cases} frames")


@pytest.mark.parametrize("cut", CUTS)
async def test_power_may_fail_on_either_side_at_each_frame(
    cut: str, store: Store, record_property: Callable[[str, Any], None]
) -> None:
    """Hopper, controller, or both: what fell is booked, the rest is paid, once."""
    cases = 0
    for way, most in (await rehearsal(store)).lasted.items():
        for at in range(most):
            drill = await play(store, way, at, CUTS[cut])
            account(drill, f"{cut} at frame {at} {way}")
            assert (drill.books.end, len(drill.tray)) == (PayoutEnd.DONE, COINS)
            cases += 1
    record_property("proof", f"hopper: {cut} at each of {cases} frames")


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_of_the_hopper_may_come_at_each_frame(
    fault: str, store: Store, record_property: Callable[[str, Any], None]
) -> None:
    """The hopper fails in every way it knows, at each frame: reported where it shows, and the books are right."""
    act, code = FAULTS[fault]
    most = (await rehearsal(store)).lasted[Way.TO_HOST]
    for at in range(most):
        drill = await play(store, Way.TO_HOST, at, act)
        where = f"{fault} at frame {at}"
        account(drill, where)
        assert not code or code in drill.books.logged_codes(), where
    record_property("proof", f"hopper: {fault} at each of {most} frames")


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_and_a_failing_line_or_power_may_meet(
    fault: str, store: Store, record_property: Callable[[str, Any], None]
) -> None:
    """The hopper fails as it is ordered to pay, and a reply or the power fails with it, at each frame from then on."""
    act, _code = FAULTS[fault]
    drill = await rehearsal(store)
    lines = {kind.value: partial(Drill.misbehave, way=Way.TO_HOST, kind=kind) for kind in Kind if kind is not Kind.CUT}
    others: dict[str, Trouble] = {**lines, **CUTS}
    spots = range(drill.watched.first_dispense_at, drill.lasted[Way.TO_HOST])
    meetings = list(product(others, spots))[list(FAULTS).index(fault) % STRIDE :: STRIDE]
    for name, at in meetings:
        account(await play(store, Way.TO_HOST, at, others[name], act), f"{fault}, and {name} at frame {at}")
    record_property("proof", f"hopper: {fault} with a failing line or power, {len(meetings)} cases")


CABINET_COINS = 5
START_UP_S = 10.0


async def cut(cabinet: VirtualCabinet, *, mains: bool) -> None:
    """End the supervisor as SIGKILL does, with or without the devices' power, and start all again."""
    await cabinet.kill()
    if mains:
        cabinet.mains(on=False)
    await asyncio.sleep(1.0)
    await cabinet.start()


async def opened_door(cabinet: VirtualCabinet) -> None:
    """Open the main door: no coin falls behind it (D2). Shut it again."""
    cabinet.door("main", is_open=True)
    await asyncio.sleep(1.0)
    fallen = cabinet.tray_cents
    await asyncio.sleep(5.0)
    assert cabinet.tray_cents == fallen
    cabinet.door("main", is_open=False)


EVENTS: dict[str, Callable[[VirtualCabinet], Coroutine[Any, Any, None]]] = {
    "crash": partial(cut, mains=False),
    "mains": partial(cut, mains=True),
    "door": opened_door,
}


@pytest.mark.parametrize("event", EVENTS)
async def test_the_whole_cabinet_goes_on_with_its_payout(
    event: str, folder: Path, record_property: Callable[[str, Any], None]
) -> None:
    """Supervisor, journal, hopper: a crash, a mains cut or a door at each frame of a cash-out, which is paid once."""
    cabinet = VirtualCabinet(folder)
    incident = Incident()
    cabinet.lines["hopper"].misbehaviour = incident
    cases = 0

    async def cash_out(at: int) -> bool:
        """Pay one note out, with the event at that frame; return whether the payout had so many."""
        reached = asyncio.Event()
        before = cabinet.tray_cents
        await asyncio.sleep(START_UP_S)
        await cabinet.insert_note(100 * CABINET_COINS)
        await cabinet.until(lambda: cabinet.state == "idle")
        incident.expect(Way.TO_HOST, at, reached.set)
        await cabinet.tap("collect")
        await cabinet.until(lambda: reached.is_set() or (cabinet.credit == 0 and cabinet.state == "idle"))
        if came := reached.is_set():
            await EVENTS[event](cabinet)
            await asyncio.sleep(START_UP_S)
            if cabinet.state == "idle" and cabinet.credit:  # it came before COLLECT was heard
                await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.credit == 0 and cabinet.state == "idle")
        assert cabinet.tray_cents - before == 100 * CABINET_COINS, f"{event} at frame {at}"
        return came

    await cabinet.start()
    try:
        while await cash_out(cases):
            cases += 1
    finally:
        await cabinet.kill()
    assert cases > CABINET_COINS
    assert audit(Path(cabinet.config.cabinet.journal), lambda _what, _done, _total: None).failures == []
    record_property("proof", f"hopper: {event} at each of {cases} frames of a cash-out by the whole cabinet")
