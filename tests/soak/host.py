"""The host of a soaked cabinet: it polls all day, reads, orders, transfers, and keeps books of its own.

It is a task of its own that no power cut ends. What it wants of the machine it says on the line alone; only that the
line has been interrupted it is told, since a host sees that its machine has been without power.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from math import inf
from typing import NamedTuple, TypeVar

from controller.features.sas.configuration import ACTS, HostPort
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.sas_aft import IN_HOUSE_TO_HOST, IN_HOUSE_TO_MACHINE, PARTIAL_ALLOWED, AftHost, NoAnswerError
from tests.rigs.sas_causes import ANY_NOTE, DONE, GAME_STARTED, NOTES, Causes, Rows
from tests.rigs.sas_fields import FrameError
from tests.rigs.sas_host import TRIES, Exchange, Kind, SasHost
from tests.rigs.sas_links import MemoryHostLink

T = TypeVar("T")

ASSET = 318
PORT = HostPort(port="host", link="timed", may=ACTS, asset=ASSET, transfer_limit_cents=20_000)
EVERY_S = (1.0, 4.0)
"""Between two questions for exceptions: five seconds without a poll are a broken loop."""
BURST = 25
BURST_S = (0.04, 0.2)
KEPT = 64
"""So many polls and transfers are kept: what a soak keeps all day would look like a leak."""
AWAY_S = (5.5, 12.0)
SETTLED_S = 180.0

OVERFLOW = 0x70
EITHER = (*sorted(NOTES.values()), ANY_NOTE)
"""What tells of a note: its value, or in real time that there was one."""
LOCK_BOTH = 0x03
METERS_SQL = "SELECT name, value FROM meters"
WAITING = "SELECT count(*) FROM host_exceptions"
METERS: dict[int, Callable[[Mapping[str, int]], int]] = {
    0x00: lambda meters: meters.get("stakes", 0),
    0x01: lambda meters: meters.get("wins", 0),
    0x03: lambda meters: meters.get("hand_pay", 0),
    0x04: lambda meters: meters.get("hopper_out", 0) + meters.get("hand_pay", 0),
    0x05: lambda meters: meters.get("games", 0),
    0x08: lambda meters: meters.get("coins_in", 0),
    0x09: lambda meters: meters.get("hopper_out", 0),
    0x0B: lambda meters: meters.get("notes_in", 0),
    0x17: lambda meters: meters.get("host_in", 0),
    0x18: lambda meters: meters.get("host_out", 0),
    0x24: lambda meters: (
        meters.get("coins_in", 0)
        + meters.get("notes_in", 0)
        + meters.get("found_in", 0)
        - meters.get("coins_to_hopper", 0)
        - meters.get("notes_stored", 0)
        + meters.get("notes_unstored", 0)
        + meters.get("hopper_emptied", 0)
    ),
    0xA0: lambda meters: meters.get("host_in", 0),
    0xA1: lambda meters: meters.get("host_ins", 0),
    0xB8: lambda meters: meters.get("host_out", 0),
    0xB9: lambda meters: meters.get("host_outs", 0),
}
"""Meters of the host by the journal's (docs/host-port.md); a credit is a cent here."""


class Order(NamedTuple):
    """Something that a host switches off, and on again."""

    what: str
    off: int
    on: int
    values: Mapping[str, int]
    values_on: Mapping[str, int]


ORDERS = (
    Order("machine disabled", 0x01, 0x02, {}, {}),
    Order("notes off", 0x07, 0x06, {}, {}),
    Order("maintenance", 0x0A, 0x0B, {}, {}),
    Order("sound off", 0x03, 0x04, {}, {}),
    Order("a game off", 0x09, 0x09, {"game": 2, "enabled": 0}, {"game": 2, "enabled": 1}),
    Order("real time", 0x0E, 0x0E, {"on": 1}, {"on": 0}),
)


class SilentError(Exception):
    """The machine does not answer: it has no power, or the line is away."""


class HostError(AssertionError):
    """The host's books and the cabinet's disagree."""


class WatchfulHost(SasHost):
    """A host that minds an interruption of its line before it says anything again."""

    interrupted = False

    def _mind(self) -> None:
        if self.interrupted:
            self.interrupted = False
            self.cut()

    async def confirm(self) -> None:
        """Poll address 0."""
        self._mind()
        await super().confirm()

    async def _poll(self, data: bytes, command: int | None) -> Exchange:
        self._mind()
        return await super()._poll(data, command)


class DayHost:
    """A host, its line `line`, and what it has done: `counts`."""

    def __init__(self, now: Callable[[], float], chance: random.Random) -> None:
        link = MemoryHostLink()
        self.line = MemoryLine(link, path=PORT.port)
        self.host = WatchfulHost(link, now=now, kept=KEPT)
        self.aft = AftHost(self.host, asset=ASSET)
        self.causes = Causes()
        self.counts: Counter[str] = Counter()
        self.moved: Counter[int] = Counter()
        """Cents by type of transfer, of those that are no longer kept."""
        self.moves: Counter[int] = Counter()
        self.agreed = 0
        self.doubts = 0
        """Exceptions whose confirmation a cut came upon, so far; `repeated` of them came again."""
        self.repeated = 0
        self.overflows = 0
        self._cuts = 0
        self._now = now
        self._chance = chance
        self._since: dict[str, tuple[Order, float]] = {}
        self.real_time = False
        self._number = 0
        self._wanted: asyncio.Queue[tuple[asyncio.Future[object], Callable[[], Awaitable[object]]]] = asyncio.Queue()
        self._wishes: deque[tuple[int, int, int]] = deque()
        self._called = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to poll."""
        self.task = asyncio.create_task(self._live())

    async def end(self) -> None:
        """Poll no more."""
        assert self.task is not None
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task

    def interrupt(self) -> None:
        """The machine has lost its power, or the line was pulled."""
        self.host.interrupted = True
        self._cuts += 1

    async def do(self, act: Callable[[], Awaitable[T]]) -> T:
        """Have the host do something between two of its polls; who waits no longer wants it no longer."""
        assert self.task is not None
        if self.task.done():
            self.task.result()
        wanted: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._wanted.put_nowait((wanted, act))
        self._called.set()
        await asyncio.wait({wanted, self.task}, return_when=asyncio.FIRST_COMPLETED)
        if not wanted.done():
            self.task.result()
        return wanted.result()  # type: ignore[return-value]  # what the act returns

    # The day.

    async def _live(self) -> None:
        while True:
            try:
                while not self._wanted.empty():
                    await self._oblige()
                await self._fetch_all()
                await self._switch_back()
                while self._wishes:
                    await self._transfer(*self._wishes.popleft())
                await self._one_thing()
            except (SilentError, NoAnswerError, FrameError):
                self.host.cut()
                self.counts["times without an answer"] += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._called.wait(), self._chance.uniform(*EVERY_S))
            self._called.clear()

    async def _oblige(self) -> None:
        wanted, act = self._wanted.get_nowait()
        if wanted.done():
            return
        try:
            result = await act()
        except Exception as error:  # noqa: BLE001 - it is the asker's
            if not wanted.done():
                wanted.set_exception(error)
            if isinstance(error, SilentError | NoAnswerError | FrameError):
                self.host.cut()
            return
        if not wanted.done():
            wanted.set_result(result)

    async def _fetch(self) -> int:
        """Confirm what came, and fetch the next exception; ask again for what nobody answered."""
        await self.host.confirm()
        done = await self.host.general_poll()
        for _ in range(TRIES - 1):
            if done.kind not in (Kind.BROKEN, Kind.SILENCE):
                break
            done = await self.host.repeat()
        if done.exception is None:
            raise SilentError
        return done.exception

    async def _fetch_all(self) -> None:
        while await self._fetch():
            self.counts["exceptions"] += 1
        self.host.tally.events.clear()

    async def _one_thing(self) -> None:
        chance = self._chance.random()
        if chance < 0.010:
            await self._burst()
        elif chance < 0.025:
            await self.host.read_meters(list(METERS))
            self.counts["meters read"] += 1
        elif chance < 0.045:
            await self._transfer_any(IN_HOUSE_TO_MACHINE)
        elif chance < 0.060:
            await self._transfer_any(IN_HOUSE_TO_HOST)
        elif chance < 0.068:
            await self._order(self._chance.choice(ORDERS))
        elif chance < 0.075:
            await self._strange()
        elif chance < 0.078:
            self.counts["silences"] += 1
            await self.host.silence(self._chance.uniform(*AWAY_S))

    async def _burst(self) -> None:
        self.counts["bursts"] += 1
        for _ in range(BURST):
            await self._fetch()
            await asyncio.sleep(self._chance.uniform(*BURST_S))

    async def _strange(self) -> None:
        """What a line brings that is no poll of this machine: none of it is answered."""
        self.counts["strange frames"] += 1
        host = self.host
        done = await self._chance.choice(
            (
                lambda: host.spoilt(0x01),
                lambda: host.cut_short(3, 0x02),
                lambda: host.to_another(7, None),
                lambda: host.to_another(7, 0x01),
                lambda: host.unknown(0xC7),
            )
        )()
        if done.heard:
            raise HostError(f"{done.sent.hex(' ')} was answered by {done.heard.hex(' ')}")

    # Orders.

    async def _order(self, order: Order) -> None:
        if order.what in self._since:
            return
        self._since[order.what] = order, self._now() + self._chance.uniform(3.0, 60.0)
        self.real_time |= order.what == "real time"
        self.counts[order.what] += 1
        await self._must(order.off, order.values)

    async def _must(self, command: int, values: Mapping[str, int]) -> None:
        done = await self.host.order(command, **values)
        if done is None:
            raise SilentError
        if not done:
            raise HostError(f"the machine refuses {command:02X} {values}")

    async def _switch_back(self, *, all_of_them: bool = False) -> None:
        for order, until in list(self._since.values()):
            if all_of_them or self._now() >= until:
                await self._must(order.on, order.values_on)
                del self._since[order.what]

    async def pays_by_hand(self) -> bool:
        """Confirm the hand-pay that waits; whether the machine says that it is confirmed."""
        answer = await self.host.ask(0x94)
        if answer is None:
            raise SilentError
        self.counts["hand-pays confirmed"] += answer["code"] == 0
        return bool(answer["code"] == 0)

    # Transfers.

    def wish(self, type_: int, cents: int, code: int) -> None:
        """Have the host move money between two of its next polls."""
        self._wishes.append((type_, cents, code))
        self._called.set()

    async def _transfer_any(self, type_: int) -> None:
        cents = self._chance.choice((100, 500, 1000, 2000, 5000, 25_000))
        await self._transfer(type_, cents, self._chance.choice((0, PARTIAL_ALLOWED)))

    async def _transfer(self, type_: int, cents: int, code: int) -> None:
        await self._recover()
        if self._chance.random() < 0.3:
            lock = await self.aft.lock(LOCK_BOTH, 500)
            self.counts["locks"] += 1
            if lock["lock"] == 0x40:
                await self._fetch_all()
        self._number += 1
        transfer = await self.aft.transfer(f"T{self._number}", type_, cents, code=code)
        self.counts["transfers done" if transfer.done else f"transfers refused: {transfer.status:02X}"] += 1
        self._forget()

    async def _recover(self) -> None:
        if any(one.status is None for one in self.host.tally.transfers.values()):
            for one in await self.aft.recover():
                self.counts["transfers found done after a cut" if one.done else "transfers lost in a cut"] += 1

    def _forget(self) -> None:
        transfers = self.host.tally.transfers
        for name in list(transfers)[:-KEPT]:
            if transfers[name].status is not None:
                gone = transfers.pop(name)
                self.moved[gone.type] += gone.moved_cents
                self.moves[gone.type] += gone.done

    def balance(self, type_: int) -> tuple[int, int, int]:
        """Cents moved and number of transfers of a type for certain, and what may have been moved beside it."""
        own = [one for one in self.host.tally.transfers.values() if one.type == type_]
        return (
            self.moved[type_] + sum(one.moved_cents for one in own),
            self.moves[type_] + sum(one.done for one in own),
            sum(one.asked_cents for one in own if one.status is None),
        )

    # Comparing.

    def within(self, meters: Mapping[str, int]) -> None:
        """The books of a machine without power hold what the host knows of, and at most what it has not heard of yet.

        Raise `HostError` where they do not.
        """
        for type_, name in ((IN_HOUSE_TO_MACHINE, "host_in"), (IN_HOUSE_TO_HOST, "host_out")):
            cents, _, unknown = self.balance(type_)
            if not cents <= meters.get(name, 0) <= cents + unknown:
                raise HostError(f"{name}: the host has moved {cents} (and perhaps {unknown}), the books say {meters}")

    async def agree(self, rows: Callable[[], Awaitable[Rows]]) -> None:
        """Have everything fetched, finished and switched on, and compare; raise `HostError` naming what disagrees."""
        ends = self._now() + SETTLED_S
        why = ""
        while self._now() < ends:
            try:
                if await self.do(lambda: self._compared(rows)):
                    self.agreed += 1
                    return
                why = "there is always something new"
            except (SilentError, NoAnswerError, FrameError) as error:
                why = repr(error)
            await asyncio.sleep(2.0)
        raise HostError(f"host and books cannot be compared: {why}")

    async def _compared(self, rows: Callable[[], Awaitable[Rows]]) -> bool:
        """Compare while nothing happens; whether nothing did."""
        await self._recover()
        await self._switch_back(all_of_them=True)
        await self._fetch_all()
        read = await self.host.read_meters(list(METERS))
        await self._fetch_all()
        ask = await rows()
        meters = {name: value for name, value in ask(METERS_SQL)}  # noqa: C416 - two columns
        ((waiting,),) = ask(WAITING)
        if waiting or {code: figure(meters) for code, figure in METERS.items()} != read:
            again = await self.host.read_meters(list(METERS))
            if not waiting and again == read:
                raise HostError(f"the host reads {read}, the books say {meters}")
            return False
        self._compare_transfers(meters)
        self.causes.read(ask)
        self.compare_exceptions()
        return True

    def _compare_transfers(self, meters: Mapping[str, int]) -> None:
        for type_, name, count in (
            (IN_HOUSE_TO_MACHINE, "host_in", "host_ins"),
            (IN_HOUSE_TO_HOST, "host_out", "host_outs"),
        ):
            own = self.balance(type_)
            books = (meters.get(name, 0), meters.get(count, 0), 0)
            if own != books:
                raise HostError(f"{name}: the host has moved {own}, the books say {books}")
        if self.host.tally.fallen:
            raise HostError(f"meters fell: {self.host.tally.fallen}")

    def compare_exceptions(self) -> None:
        """Each exception was heard as often as its cause happened; one whose confirmation was cut may be once more.

        The end of a transfer is told again and again after a cut, until the machine knows that its result was read.

        Where the queue has overflowed since the last time, and said so, those without priority may be fewer.
        """
        tally = self.host.tally
        wanted = self.causes.counts.copy()
        wanted[DONE] = self.balance(IN_HOUSE_TO_MACHINE)[1] + self.balance(IN_HOUSE_TO_HOST)[1]
        heard, doubtful = tally.confirmed, tally.doubtful
        overflowed = heard[OVERFLOW] + doubtful[OVERFLOW] > self.overflows
        groups = [(code,) for code in wanted if code not in EITHER]
        groups += [tuple(EITHER)] if self.real_time else [(code,) for code in EITHER]
        wrong = []
        for codes in groups:
            sure, happened = sum(heard[code] for code in codes), sum(wanted[code] for code in codes)
            most = sure + sum(doubtful[code] for code in codes)
            fewer = overflowed and codes != (DONE,)
            again = inf if codes == (DONE,) and self._cuts else 0
            if not sure - again <= happened <= most and not (fewer and sure <= happened) and not self._unheard(codes):
                name = " or ".join(f"{code:02X}" for code in codes)
                wrong.append(f"{name}: heard {sure} to {most} times, happened {happened} times")
        if wrong:
            raise HostError("; ".join(wrong))
        self.doubts += doubtful.total()
        self.repeated += self._came_again(wanted)
        self.overflows = heard[OVERFLOW] + doubtful[OVERFLOW]
        for code in {*wanted, *EITHER}:
            heard[code] = wanted[code]
        doubtful.clear()
        self._cuts = 0
        self.real_time = False

    def _unheard(self, codes: tuple[int, ...]) -> bool:
        """Whether that has no event while real time is on: a game's start."""
        return self.real_time and codes == (GAME_STARTED,)

    def _came_again(self, wanted: Counter[int]) -> int:
        """How many of those in doubt were acknowledged after all, or were told again."""
        tally = self.host.tally
        return sum(
            count - (wanted[code] - tally.confirmed[code])
            for code, count in tally.doubtful.items()
            if code in wanted and count and code not in EITHER
        )
