"""Drills of the coin acceptor: everything that can go wrong, at each frame and commit of a coin's life (issue 5).

Start-up, coins of several kinds, a slug, coins refused and taken again, on the journal itself. Whatever happened,
afterwards the books balance, no coin is credited that did not fall, none is missing but those whose device forgot them
with its power, and the hopper and the cash box hold what the books say of them.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from controller.books.audit import audit
from controller.faults import known_faults
from controller.hardware.driver_tasks import fault_code, keep_running
from controller.journal.store import Store
from drivers.capabilities import CoinWay
from drivers.cctalk import coin_codes
from drivers.cctalk.coin_acceptor import CHECK_EVERY_S, CoinAcceptor
from drivers.cctalk.coin_codes import CodeClass
from drivers.cctalk.self_check import WORDS
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.errors import DriverError
from drivers.pins.coin_gates import CoinGates
from drivers.simulated.cctalk.coin_acceptor import IDENTITY, SimulatedCoinAcceptor
from drivers.simulated.cctalk.coin_path import CoinPath
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way
from drivers.wiring import CoinAcceptor as Settings
from drivers.wiring import Output, Pins, Wiring
from tests.rigs.cash_desk import Incident
from tests.rigs.cctalk_books import BooksLockedError
from tests.rigs.coin_journal import CoinJournal
from tests.rigs.mock_header import MockHeader

pytestmark = [pytest.mark.proof, pytest.mark.requirement("B13")]

HEALING_S = 5.0
KNOWN_AT = 45
"""By this frame of the device its counter is in the journal."""
HEALED_S = 7.0
"""Longer than anything stays unreported: inhibits are set, and self-checks asked, every five seconds."""
OUTAGE_S = 1.0
LOCKOUT, DIVERTER = 20, 21
SHM = Path("/dev/shm")  # noqa: S108 - a directory of memory, for a file of this test's own
MOST_CENTS = 200
"""The most that a coin is worth to the device."""
SERIALS = count(1)

Trouble = Callable[["Drill"], object]


class Drill:
    """One case: a coin acceptor of its own, a page of the journal, chutes, and the trouble that is to come.

    `build` is what leads coins: nothing, the acceptor's `sorter`, or a `diverter` on a pin with a lockout before it.
    """

    def __init__(self, store: Store, build: str, *, echo: bool) -> None:
        self.books = CoinJournal(store)
        self.incident = Incident()
        gates = {"lockout": Output(pin=LOCKOUT), "diverter": Output(pin=DIVERTER)} if build == "diverter" else {}
        self.settings = Settings(
            port="memory",
            hopper_path=5 if build == "sorter" else 0,
            coins_cents=(100,) if build == "diverter" else (),
        )
        self.device = SimulatedCoinAcceptor(
            identity=IDENTITY._replace(serial=next(SERIALS)), echo=echo, travel_s=0.12, returned=lambda _cents: None
        )
        self.hopper = SimulatedHopper(stock=0)
        pins = Pins(buttons={}, doors={}, keys={}, tower={}, meters={}, coin=gates)
        self.chutes = CoinPath(Wiring(pins=pins, coin_acceptor=self.settings), cash_box_cents=0, on_change=lambda: None)
        self.chutes.fit(self.device, self.hopper)
        self.accepted: list[int] = []
        fall = self.device.accepted

        def watched(value_cents: int) -> None:
            self.accepted.append(value_cents)
            self.move()
            fall(value_cents)

        self.device.accepted = watched
        self.line = MemoryLine(self.device, self.incident)
        self.header = MockHeader()
        self.gates = CoinGates(gates, self.header, LoopClock())
        self.hopper_cents = 0
        self.wanted = True
        self.forgotten = 0
        self.refused = 0
        self.slug_due = False
        self.lived: dict[Way, int] = {}
        self.lived_commits = 0
        self.driver: CoinAcceptor | None = None
        self._tasks: list[asyncio.Task[None]] = []

    # the controller

    def boot(self) -> None:
        """Start the controller's process, if it does not run."""
        if not self._tasks:
            self.gates = CoinGates(self.gates._pins, self.header, LoopClock())
            running = (keep_running(self.gates, self.books, LoopClock()), self._serve())
            self._tasks = [asyncio.ensure_future(part) for part in running]

    def kill(self) -> None:
        """SIGKILL: nothing more is said on the wire, and the kernel lets go of the pins."""
        self.line.port.close()
        self.gates.stop()
        self.move()
        for task in self._tasks:
            task.cancel()
        self._tasks = []

    async def end(self) -> None:
        """An ordered end."""
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _serve(self) -> None:
        while True:
            self.driver = CoinAcceptor(
                self.settings,
                self.line.port,
                LoopClock(),
                self.books,
                currency=EURO,
                gates=self.gates,
                hopper_takes=lambda: self.hopper_cents,
            )
            self.driver.accept(enabled=self.wanted)
            try:
                await self.driver.run()
            except DriverError as error:
                await self.books.device_fault("coin_acceptor", fault_code(error), present=True, detail=str(error))
            except BooksLockedError:
                self.driver.stop()
            await asyncio.sleep(0.5)

    def want(self, *, wanted: bool) -> None:
        """The machine takes coins or not."""
        self.wanted = wanted
        if self.driver is not None and self._tasks:
            self.driver.accept(enabled=wanted)

    # the world

    def move(self) -> None:
        """Let the chutes follow the pins."""
        for pin in (LOCKOUT, DIVERTER):
            self.chutes.drive(pin, level=self.header.is_high(pin))

    async def coin(self, value_cents: int, wait_s: float) -> None:
        """Put a coin in, as people do: a moment later it has fallen somewhere."""
        self.move()
        self.refused += not self.device.insert(value_cents)
        await asyncio.sleep(wait_s)

    def _forget(self) -> None:
        """What the device has not reported goes with its power."""
        self.forgotten += len(self.accepted) - len(self.books.credited) - self.forgotten
        self.slug_due = False

    def cut_device(self) -> None:
        """The device loses power for a moment: what it has not reported is gone with its memory."""
        self._forget()
        self.device.power(on=False)
        asyncio.get_running_loop().call_later(OUTAGE_S, lambda: self.device.power(on=True))

    def crash(self) -> None:
        """The controller is killed and comes back."""
        self.kill()
        asyncio.get_running_loop().call_later(OUTAGE_S, self.boot)

    def crash_unsent(self, way: Way) -> None:
        """The same, and the frame of this moment never was."""
        self.incident.inject(Kind.DROP, way=way)
        self.crash()

    def cut_mains(self) -> None:
        """Both lose power."""
        self.kill()
        self.books.mains_cut()
        self.cut_device()
        asyncio.get_running_loop().call_later(OUTAGE_S + 0.1, self.boot)

    def pull(self) -> None:
        """The adapter's plug is pulled and put back."""
        self.line.unplug()
        asyncio.get_running_loop().call_later(OUTAGE_S, self.line.plug)

    def reset(self) -> None:
        """The device starts anew by itself, too fast for anybody to see."""
        self._forget()
        self.device.power(on=False)
        self.device.power(on=True)

    def ail(self, code: int) -> None:
        """The self-check says something for a while."""
        self.device.self_check = bytes((code,))
        asyncio.get_running_loop().call_later(HEALING_S, lambda: setattr(self.device, "self_check", bytes(1)))

    def inject(self, way: Way, kind: Kind, frames: int = 1, delay_s: float = 0.3) -> None:
        """The next frames go wrong."""
        self.incident.delay_s = delay_s
        self.incident.inject(kind, frames, way=way)


async def life(drill: Drill) -> None:
    """The life of a few coins, about five seconds of it; with a diverter long enough that it turns there and back."""
    diverted = drill.settings.coins_cents == (100,)
    values = (100,) * 4 if diverted else (100, 50, 200, 10)
    drill.hopper_cents = 100
    drill.device.power(on=True)
    drill.boot()
    await asyncio.sleep(3.4 if diverted else 2.0)
    await drill.coin(values[0], 0.3)
    await drill.coin(values[1], 0.05)
    # what a device did before it was known is not ours, and one without power does nothing
    drill.slug_due = drill.device.powered and await drill.books.coin_memory(drill.device.identity.serial) is not None
    drill.device.reject(25)
    await asyncio.sleep(0.5)
    drill.hopper_cents = 0
    await asyncio.sleep(1.4 if diverted else 0.2)
    drill.want(wanted=False)
    await asyncio.sleep(0.1)
    await drill.coin(values[0], 0.4)
    drill.want(wanted=True)
    await asyncio.sleep(0.4)
    await drill.coin(values[2], 0.12)
    await drill.coin(values[3], 0.6)


async def play(
    store: Store,
    build: str = "nothing",
    way: Way = Way.TO_HOST,
    at: int = -1,
    trouble: Trouble = lambda _drill: None,
    *,
    echo: bool = False,
    prepare: Trouble = lambda _drill: None,
) -> Drill:
    """Live through one case, heal it, and put one more coin in."""
    drill = Drill(store, build, echo=echo)
    drill.incident.expect(way, at, partial(trouble, drill))
    prepare(drill)

    await life(drill)
    drill.lived, drill.lived_commits = dict(drill.incident.carried), drill.books.commits
    await asyncio.sleep(OUTAGE_S + 0.2)
    drill.incident.forget()
    drill.books.lock = 0
    drill.device.self_check = bytes(1)
    drill.line.plug()
    drill.device.power(on=True)
    drill.boot()
    drill.want(wanted=True)
    await asyncio.sleep(HEALED_S)
    before = len(drill.accepted)
    await drill.coin(100, 1.5)
    assert len(drill.accepted) == before + 1, "a device that works again takes coins again"
    await drill.end()
    await asyncio.sleep(0.1)

    return drill


def account(drill: Drill, where: str, *, cuts: bool = False) -> None:
    """Hold the case to what must be so whatever happened."""
    books = drill.books
    books.balance()
    left = iter(drill.accepted)
    assert all(value in left for value in books.credited), f"{where}: a credit without its coin"
    missing = len(drill.accepted) - len(books.credited)
    explained = drill.forgotten + books.lost
    assert missing <= explained, f"{where}: {missing} coins missing, {explained} forgotten by the device or open items"
    missing_cents = sum(drill.accepted) - sum(books.credited)
    assert missing_cents <= books.lost_cents + MOST_CENTS * drill.forgotten, f"{where}: more is missing than reported"
    boxed, in_hopper = drill.chutes.cash_box_cents, drill.hopper.stock * 100
    pairs = list(zip(books.credited, books.fell, strict=True))
    said = {way: sum(value for value, fell in pairs if fell == way.value) for way in CoinWay}
    assert drill.chutes.strays_cents == 0, where
    assert said[CoinWay.HOPPER] <= in_hopper, f"{where}: {said}, {in_hopper} in the hopper"
    assert said[CoinWay.CASH_BOX] <= boxed, f"{where}: {said}, {boxed} in the box"
    assert cuts or said[CoinWay.UNKNOWN] == 0 or drill.settings.coins_cents, where
    assert not drill.header.is_high(LOCKOUT), where
    assert not drill.header.is_high(DIVERTER), where
    present = set(books.faults) - {"coin_slug"}
    assert all(known_faults()[code].momentary for code in present), f"{where}: {present} are still present"
    assert "coin_slug" in books.raised or drill.forgotten or not drill.slug_due, where


@pytest.fixture(name="store")
def _store() -> Iterator[Store]:
    """A journal in memory where there is room: what a disk does to it is proved elsewhere (test_power_cuts.py)."""
    with tempfile.TemporaryDirectory(dir=SHM if SHM.is_dir() else None) as folder:
        path = Path(folder, "journal.sqlite")
        store = Store(path, lambda: 0, simulated=True, create=True)
        yield store
        store.close()
        assert audit(path, lambda _what, _done, _total: None).failures == []


async def rehearsal(store: Store, build: str) -> Drill:
    """A case in which nothing goes wrong."""
    drill = await play(store, build)
    account(drill, "no trouble")
    assert (len(drill.accepted), drill.refused) == (5, 1)
    assert drill.books.raised == ["coin_slug"]
    if build != "nothing":
        assert drill.hopper.stock in {1, 2}
        assert CoinWay.UNKNOWN.value not in drill.books.fell
    return drill


async def frames(store: Store, build: str, stride: int) -> list[tuple[Way, int]]:
    """Return every `stride`-th frame of a life, either way."""
    lived = (await rehearsal(store, build)).lived
    return [(way, at) for way, most in lived.items() for at in range(0, most, stride)]


def meant(act: Callable[[Drill, Way], object], way: Way) -> Trouble:
    """That trouble with a frame that goes this way."""
    return lambda drill: act(drill, way)


LINES: dict[str, Callable[[Drill, Way], object]] = {
    **{kind.value: partial(Drill.inject, kind=kind) for kind in Kind},
    "a little late": lambda drill, way: drill.inject(way, Kind.DELAY, delay_s=0.05),
    "very late": lambda drill, way: drill.inject(way, Kind.DELAY, delay_s=0.9),
    "eight lost": lambda drill, way: drill.inject(way, Kind.DROP, 8),
    "three garbled": lambda drill, way: drill.inject(way, Kind.CORRUPT, 3),
}

CUTS: dict[str, Callable[[Drill, Way], object]] = {
    "device's power": lambda drill, _way: drill.cut_device(),
    "reset": lambda drill, _way: drill.reset(),
    "crash": lambda drill, _way: drill.crash(),
    "crash unsent": Drill.crash_unsent,
    "mains": lambda drill, _way: drill.cut_mains(),
    "plug": lambda drill, _way: drill.pull(),
    "locked books": lambda drill, _way: setattr(drill.books, "lock", 2),
}
FORGETFUL = {"device's power", "reset", "mains"}
BUILDS = ("nothing", "sorter", "diverter")

Proof = Callable[[str, Any], None]


@pytest.mark.parametrize("trouble", LINES)
@pytest.mark.parametrize("build", BUILDS)
async def test_each_frame_may_be_lost_late_garbled_or_repeated(
    trouble: str, build: str, store: Store, record_property: Proof
) -> None:
    """A line that fails anywhere costs no coin, credits none twice, and leaves no fault behind."""
    spots = await frames(store, build, 1 if build == "nothing" else 2)
    for way, at in spots:
        drill = await play(store, build, way, at, meant(LINES[trouble], way), echo=at % 2 == 1)
        account(drill, f"{trouble} at frame {at} {way}, {build}")
        # the device remembers five events: refused coins push older ones out while nobody can ask, and an item says so
        assert drill.books.credited == drill.accepted or (drill.books.lost and trouble == "eight lost")
    record_property("proof", f"coin acceptor, {build} fitted: {trouble} at {len(spots)} frames")


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("build", BUILDS)
async def test_power_may_fail_on_either_side_at_each_frame(
    cut: str, build: str, store: Store, record_property: Proof
) -> None:
    """Device, controller, both, or the plug between them: what was reported is booked once, the rest is not guessed."""
    spots = await frames(store, build, 1)
    for way, at in spots:
        drill = await play(store, build, way, at, meant(CUTS[cut], way))
        account(drill, f"{cut} at frame {at} {way}, {build}", cuts=True)
        if cut not in FORGETFUL and not drill.books.lost:
            assert drill.books.credited == drill.accepted
    record_property("proof", f"coin acceptor, {build} fitted: {cut} at {len(spots)} frames")


@pytest.mark.parametrize("cut", ["crash", "mains"])
@pytest.mark.parametrize("build", BUILDS)
async def test_power_may_fail_at_each_commit(cut: str, build: str, store: Store, record_property: Proof) -> None:
    """Before or after each transaction: what is not durable never was, what is durable is not booked again."""
    cases = 0
    for number in range(1, (await rehearsal(store, build)).lived_commits + 1):
        for done in (False, True):

            def prepare(drill: Drill, moment: tuple[int, bool] = (number, done)) -> None:
                def at_commit(*now: int) -> bool:
                    if now != moment:
                        return False
                    CUTS[cut](drill, Way.TO_HOST)
                    return True

                drill.books.at_commit = at_commit

            drill = await play(store, build, prepare=prepare)
            account(drill, f"{cut} at commit {number}, {build}", cuts=True)
            if cut == "crash":
                assert drill.books.credited == drill.accepted
            cases += 1
    record_property("proof", f"coin acceptor, {build} fitted: {cut} before and after each commit, {cases} cases")


@pytest.mark.requirement("B13", "D5")
async def test_each_error_code_is_reported_as_what_it_is(store: Store, record_property: Proof) -> None:
    """Every code there is, in the middle of coins: its fault and no other, and every coin credited."""
    for code in range(256):
        drill = await play(store, way=Way.TO_DEVICE, at=60, trouble=lambda drill, code=code: drill.device.reject(code))
        account(drill, f"code {code}")
        error = coin_codes.explain(code)
        assert set(drill.books.raised) == {"coin_slug", error.fault} - {""}, code
        assert (error.kind is CodeClass.TILT) is (bool(error.fault) and error.fault != "coin_slug")
        assert drill.books.credited == drill.accepted
    record_property("proof", "coin acceptor: each of 256 error codes")


async def test_each_tilting_code_may_come_at_each_frame(store: Store, record_property: Proof) -> None:
    """Jams, strings, reverse coins and slugs are reported whenever they come, and only once."""
    most = (await rehearsal(store, "nothing")).lived[Way.TO_HOST]
    codes = {code: error for code, error in coin_codes.ERRORS.items() if error.fault}
    begun = 0
    for code, error in codes.items():
        for at in range(most):
            drill = await play(store, at=at, trouble=lambda drill, code=code: drill.device.reject(code))
            account(drill, f"code {code} at frame {at}")
            if error.fault in drill.books.raised:
                begun += 1
            else:
                assert at < KNOWN_AT, "what a device did before it was known is not ours; later nothing is missed"
    record_property("proof", f"coin acceptor: {len(codes)} codes with a fault at each of {most} frames")
    assert begun > len(codes) * most // 2


async def test_a_self_check_may_fail_at_each_frame(store: Store, record_property: Proof) -> None:
    """A device that fails its own check at the start takes no coin while it lasts; one that fails later is found."""
    most = (await rehearsal(store, "nothing")).lived[Way.TO_HOST]
    for at in range(most):
        drill = await play(store, at=at, trouble=lambda drill: drill.ail(42))
        account(drill, f"self-check at frame {at}", cuts=True)
        assert drill.books.credited == drill.accepted
    record_property("proof", f"coin acceptor: self-check fault at each of {most} frames")


@pytest.mark.requirement("D5")
async def test_each_self_check_code_is_reported_and_taken_back(store: Store, record_property: Proof) -> None:
    """All codes: no coin is taken while it lasts, the fault says what it is, and all is well afterwards."""
    for code in range(1, 256):
        drill = Drill(store, "nothing", echo=False)
        drill.device.self_check = bytes((code,))

        async def scene(drill: Drill = drill) -> None:
            drill.device.power(on=True)
            drill.boot()
            await asyncio.sleep(2.0)
            assert not drill.device.insert(100)
            drill.device.self_check = bytes(1)
            await asyncio.sleep(CHECK_EVERY_S / 10)
            await drill.coin(100, 1.0)
            await drill.end()

        await scene()
        assert drill.books.raised == ["self_check"]
        assert drill.books.details["self_check"].startswith(WORDS.get(code, f"self-check code {code}"))
        assert (drill.books.credited, drill.books.present) == ([100], {})
    record_property("proof", "coin acceptor: each of 255 self-check codes")
