"""The tubes of an MDB coin changer as a `drivers.capabilities.Dispenser` (MDB/ICP 4.3, section 5).

A changer has no count of the coins that it ever paid. What its tubes hold (TUBE STATUS) takes its place, as a count
that rises with each unit that leaves; no coin is taken meanwhile, so that nothing falls into a tube. It is durable
before an order is sent, and an order is sent once. Afterwards it decides how much has left, whatever answers were lost.

A changer of level 3 with the alternative payout is ordered an amount (EXPANSION 02) where each of its tubes' coins is a
multiple of `coin_value_cents`; what it says meanwhile (04) is booked, and its own sum in the end (03) must agree with
the tubes. Others are ordered so many coins of one kind (DISPENSE), fifteen at the most.

What is left is ordered anew where the tubes show that nothing has moved of an order that nobody knows to have been
acknowledged (the program died before it was sent, or the line lost it), and where the changer was started anew while it
paid; three such orders in a row end the payout. One that was acknowledged and gave less than it should ends it.

The specification calls a tube's number the coins that are there beyond doubt: a changer whose sensors see only some
levels of a tube contradicts itself here, and its payouts end undecided, as open items. So does one whose tube fails,
one whose tubes lose more than was ordered, and one that acknowledges an order and neither loses as many coins nor says
why or how many: no payout ends well where a tube's number cannot be believed. There is no command that ends a payout.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from drivers.capabilities import (
    Level,
    PayoutEnd,
    PayoutListener,
    PayoutOrder,
    PayoutOutcome,
    StockCount,
    StockListener,
)
from drivers.clock import Clock
from drivers.errors import NoReplyError, SettingsError
from drivers.mdb import protocol
from drivers.mdb.bridge import AnswerLostError, BridgeLostError
from drivers.mdb.changer import STATES, Changer
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import ALTERNATIVE_PAYOUT, LEVEL_3, Coin, CoinSetup, Expansion, Tubes
from drivers.payout_orders import PayoutOrders, PayoutWork
from drivers.wiring import Hopper as Settings

WATCH_S: Final = 1.0
POLL_S: Final = 0.2
STILL_S: Final = 15.0
"""How long the last coins may take to fall before a payout begins."""
QUIET_S: Final = 1.5
"""A changer that has not said for so long that it pays stands still."""
STALL_S: Final = 60.0
"""How long one order may last."""
AGREE_S: Final = 5.0
"""How long the tubes may contradict what the changer says it paid."""
MOST_COINS: Final = 255
MOST_UNITS: Final = 255
MOST_OF_A_KIND: Final = 15
LOW_UNITS: Final = 20
TRIES: Final = 3
LIFETIME_SPAN: Final = 1 << 24
"""Where the count of what has left begins again; the journal's counts of hoppers have the same span."""

LINK_FAULTS: Final = ("port_lost", "no_reply", "comm_error", "wrong_device", "wrong_currency", "settings")
_TUBES: Final = bytes((Coin.TUBE_STATUS,))
_VALUE_POLL: Final = bytes((Coin.EXPANSION, Expansion.PAYOUT_VALUE_POLL))
_PAYOUT_STATUS: Final = bytes((Coin.EXPANSION, Expansion.PAYOUT_STATUS))
_FEATURES: Final = bytes((Coin.EXPANSION, Expansion.FEATURE_ENABLE)) + ALTERNATIVE_PAYOUT.to_bytes(4, "big")


class TubeStock:
    """What the tubes hold for payouts, in units of `unit_cents`; `failed` are tubes that say nothing of it.

    `by_value` are the coins of each value in cents, those too that no payout of whole units can use.
    """

    def __init__(self, found: Tubes, setup: CoinSetup, unit_cents: int) -> None:
        self.failed = found.defective & setup.tubed
        self.pieces = {
            kind: found.counts[kind]
            for kind, cents in setup.values_cents.items()
            if kind in setup.tubed and not cents % unit_cents
        }
        self.sizes = {kind: setup.values_cents[kind] // unit_cents for kind in self.pieces}
        self.by_value: dict[int, int] = {}
        for kind in sorted(setup.tubed & setup.values_cents.keys()):
            cents = setup.values_cents[kind]
            self.by_value[cents] = self.by_value.get(cents, 0) + found.counts[kind]

    def __repr__(self) -> str:
        return f"<TubeStock of {self.units} units>"

    @property
    def units(self) -> int:
        """How many units they hold."""
        return sum(self.sizes[kind] * count for kind, count in self.pieces.items())

    @property
    def count(self) -> int:
        """What stands in for a lifetime counter of the units that have left."""
        return -self.units % LIFETIME_SPAN

    def payable(self, units: int) -> int:
        """Return the most units, at most `units`, that whole coins make up."""
        reached, mask = 1, (1 << units + 1) - 1  # bit n: n units can be paid
        for kind, count in self.pieces.items():
            for _ in range(min(count, units // self.sizes[kind])):
                reached |= reached << self.sizes[kind] & mask
        return reached.bit_length() - 1

    def of_a_kind(self, units: int) -> tuple[int, int]:
        """Return the kind of which most can be paid at once of so many units, and how many; none of it for nothing."""
        fits = [(self.sizes[kind], kind) for kind, count in self.pieces.items() if count and self.sizes[kind] <= units]
        if not fits:
            return 0, 0
        size, kind = max(fits)
        return kind, min(MOST_OF_A_KIND, self.pieces[kind], units // size)


class ChangerTubes(PayoutOrders):
    """The tubes of the changer whose acceptor's driver is met at `changer`; they pay in steps of `coin_value_cents`.

    Raises `SettingsError` for settings that cannot work.
    """

    name = "hopper"
    most_announced = MOST_COINS
    ordered_in = "times its value"
    ended_well_clears = frozenset({"hopper_empty", "hopper_jam", "hopper_memory", "dispense_refused"})
    _listener: StockListener

    def __init__(self, settings: Settings, changer: Changer, clock: Clock, listener: StockListener) -> None:
        if not 0 < settings.max_coins <= MOST_COINS:
            raise SettingsError(f"[hopper] max_coins = {settings.max_coins}: one payout is of 1 to {MOST_COINS}")
        if settings.coin_value_cents <= 0:
            raise SettingsError("[hopper] coin_value_cents must be above 0")
        self.coin_value_cents = settings.coin_value_cents
        self.ready = False
        self.level = Level.UNKNOWN
        self.identity: str | None = None
        self._settings = settings
        self._changer = changer
        self._clock = clock
        self._listener = listener
        self._in_use = asyncio.Lock()
        self._reported: dict[str, str] | None = None
        self._low: bool | None = None
        self._found_count = -1

    def __repr__(self) -> str:
        return f"<ChangerTubes {self._settings.port} {'ready' if self.ready else 'not ready'}>"

    @property
    def serial(self) -> int | None:
        """The serial number of the changer that answers, None where none does."""
        return self._changer.serial if self.ready else None

    @property
    def most_coins(self) -> int:
        """How many units an order may have."""
        return self._settings.max_coins

    async def run(self) -> None:
        """Watch the tubes until cancelled; raise a `DriverError` when the changer is lost."""
        try:
            while True:
                await self._changer.present.wait()
                await self._watch()
                await self._clock.sleep(WATCH_S)
        except asyncio.CancelledError:
            await self._last_word()
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Nothing is paid any more; a payout under way goes on in the changer, and as an interrupted order."""
        self.ready = False
        self.level = Level.UNKNOWN

    # Between orders.

    async def _watch(self) -> None:
        """See that the tubes are well, and that nothing leaves them while nothing is ordered."""
        async with self._in_use:
            link, setup = self._required()
            if self._found_count != self._changer.found_count:
                await self._begin(setup)
            stock = await self._stock(link, setup)
            faults, self._changer.faults = self._changer.faults, {}
            if stock.failed:
                faults["hopper_sensor"] = "a tube says that it is full and holds nothing"
            if faults or self._reported is None:
                await self._report(faults)
            if not stock.failed:
                found = StockCount(serial=self._changer.serial, lifetime=stock.count, pieces=stock.by_value)
                taken = await self._listener.stock_counted(found)
                if taken.settled:
                    self._changer.pays = False
                await self._report_level(stock)
            self.ready = not stock.failed
        if not self._changer.present.is_set():
            self.stop()

    async def _begin(self, setup: CoinSetup) -> None:
        who = self._changer.who
        kinds = [setup.values_cents[kind] for kind in sorted(setup.tubed & setup.values_cents.keys())]
        if not any(not cents % self.coin_value_cents for cents in kinds):
            raise SettingsError(
                f"[hopper] coin_value_cents = {self.coin_value_cents}: the changer's tubes hold {sorted(kinds)}, and "
                "none is a multiple of it"
            )
        self.identity = f"tubes of {who if who is not None else 'a changer of level 2'}"
        self._reported = self._low = None
        self._found_count = self._changer.found_count
        await self._listener.device_found(self.name, self.identity)
        for code in LINK_FAULTS:
            await self._listener.device_fault(self.name, code, present=False)

    async def _report(self, faults: Mapping[str, str]) -> None:
        """Raise what a poll said, once; what it no longer says is over with the next payout that ends well."""
        for code in sorted({code for code, _ in STATES.values()} - faults.keys()):
            if self._reported is None or code == "hopper_sensor":
                await self._listener.device_fault(self.name, code, present=False)
        for code, words in faults.items():
            await self._listener.device_fault(self.name, code, present=True, detail=words)
        self._reported = dict(faults)

    async def _report_level(self, stock: TubeStock) -> None:
        low = stock.units < LOW_UNITS
        self.level = Level.LOW if low else Level.NORMAL
        if low is not self._low:
            self._low = low
            await self._listener.device_fault(self.name, "hopper_low", present=low)

    def _required(self) -> tuple[MdbLink, CoinSetup]:
        link, setup = self._changer.link, self._changer.setup
        if link is None or setup is None or not self._changer.present.is_set():
            raise NoReplyError(f"{self}: its changer does not answer")
        return link, setup

    async def _stock(self, link: MdbLink, setup: CoinSetup) -> TubeStock:
        return TubeStock(await link.question(_TUBES, protocol.tubes), setup, self.coin_value_cents)

    # Orders.

    async def _work(self, order: PayoutOrder, listener: PayoutListener, work: PayoutWork) -> PayoutOutcome:
        if not self.ready:
            raise NoReplyError(f"{self}: cannot pay now; pay the order when it is ready")
        self._require_same(order, self._changer.serial)
        link, setup = self._required()
        self._changer.pays = True
        await self._stillness()
        outcome = await work(
            _TubePayout(self, order, listener, link=link, setup=setup, changer=self._changer, clock=self._clock)
        )
        self._changer.faults.clear()
        self._reported = None
        return outcome

    async def _stillness(self) -> None:
        """Wait until no coin can fall into a tube any more; raise `NoReplyError` where that takes too long."""
        until = self._clock.now() + STILL_S
        while not self._changer.still:
            if self._clock.now() >= until:
                raise NoReplyError(f"{self}: its changer still takes coins; pay the order when it is ready")
            await self._clock.sleep(POLL_S)


class _TubePayout:
    """An order being paid: `paid` units are booked; `run` or `settle` may be called, once."""

    def __init__(
        self,
        tubes: ChangerTubes,
        order: PayoutOrder,
        listener: PayoutListener,
        *,
        link: MdbLink,
        setup: CoinSetup,
        changer: Changer,
        clock: Clock,
    ) -> None:
        self.paid = order.paid
        self._coins = order.coins
        self._asked = order.event_counter or 0
        self._lifetime = order.lifetime
        self._before = order.paid_before
        self._unit_cents = tubes.coin_value_cents
        self._listener = listener
        self._link = link
        self._setup = setup
        self._changer = changer
        self._clock = clock
        self._said: int | None = None
        self._promised = False
        """Whether the changer is known to have acknowledged the newest order."""

    async def run(self) -> PayoutOutcome:
        """Finish what was announced, then order the rest."""
        outcome = await self._account() if self._lifetime is not None else None
        fruitless = 0
        while outcome is None and self.paid < self._coins:
            if fruitless == TRIES:
                words = f"{TRIES} orders in a row paid nothing"
                return self._ended(PayoutEnd.STOPPED, {"dispense_refused": words})
            before = self.paid
            outcome = await self._order() or await self._account()
            fruitless = 0 if self.paid > before else fruitless + 1
        return outcome or self._ended(PayoutEnd.DONE)

    async def settle(self) -> PayoutOutcome:
        """Book what an announced order has given, and order nothing more."""
        outcome = await self._account()
        if outcome is not None:
            return outcome
        return self._ended(PayoutEnd.DONE if self.paid >= self._coins else PayoutEnd.STOPPED)

    async def _order(self) -> PayoutOutcome | None:
        """Announce as much as can be ordered at once, and order it, once; return an end where nothing can."""
        stock = await self._stock()
        if stock.failed:
            return self._ended(PayoutEnd.STOPPED, {"hopper_sensor": "a tube says that it is full and holds nothing"})
        left = self._coins - self.paid
        if await self._by_amount():
            step = self._unit_cents // self._setup.unit_cents
            units = stock.payable(min(left, MOST_UNITS // step))
            request = bytes((Coin.EXPANSION, Expansion.PAYOUT, units * step & 0xFF))
        else:
            kind, number = stock.of_a_kind(left)
            units = number * stock.sizes.get(kind, 0)
            request = bytes((Coin.DISPENSE, number << 4 | kind))
        if not units:
            return self._ended(PayoutEnd.EMPTY, {"hopper_empty": "its tubes do not hold it in whole coins"})
        await self._listener.dispensing(self._changer.serial, units, stock.count)
        self._asked, self._lifetime, self._before, self._said = units, stock.count, self.paid, None
        self._promised, self._changer.was_reset = False, False
        self._changer.faults.clear()
        self._changer.busy_at = self._clock.now()
        try:
            self._promised = await self._link.ask(request) == b""
        except BridgeLostError:
            raise
        except AnswerLostError:
            pass  # the tubes say whether it was obeyed
        return None

    async def _by_amount(self) -> bool:
        """Whether amounts can be ordered: the changer knows how, and each of its coins is a number of units."""
        who, setup = self._changer.who, self._setup
        if setup.level < LEVEL_3 or who is None or not who.features & ALTERNATIVE_PAYOUT or not setup.unit_cents:
            return False
        tubed = [setup.values_cents[kind] for kind in setup.tubed & setup.values_cents.keys()]
        if self._unit_cents % setup.unit_cents or any(cents % self._unit_cents for cents in tubed):
            return False
        if self._unit_cents // setup.unit_cents > MOST_UNITS:
            return False
        await self._link.order(_FEATURES)
        return True

    async def _account(self) -> PayoutOutcome | None:
        """Wait for the end of the newest order and book what has left; return an end, None where more may follow."""
        if not await self._stand_still():
            return self._ended(PayoutEnd.UNDECIDED, {"hopper_jam": f"it has been paying for {STALL_S:.0f} s"})
        passed, contradiction = await self._agreed()
        if contradiction:
            return self._ended(PayoutEnd.UNDECIDED, {"hopper_memory": contradiction}, recount=True)
        await self._book(passed)
        if self.paid >= self._coins:
            return self._ended(PayoutEnd.DONE)
        if passed == self._before + self._asked:
            return None
        began = self._promised or passed > self._before
        if self._changer.faults or (began and not self._changer.was_reset):
            faults = self._changer.faults or {"hopper_jam": "it gave up before all was paid"}
            return self._ended(PayoutEnd.JAMMED, faults)
        return None

    async def _stand_still(self) -> bool:
        """Wait until the changer pays no more, booking what it says; return whether it came to its end."""
        by_amount, until = await self._by_amount(), self._clock.now() + STALL_S
        value, over = 0, False
        while self._clock.now() < until:
            await self._clock.sleep(POLL_S)
            if by_amount and not over:
                said = await self._say(_VALUE_POLL)
                over = said == b""
                if said is None:
                    await self._link.order(_FEATURES)  # a changer that was started anew has forgotten them
                elif said:
                    value += int.from_bytes(said[:1], "big") * self._setup.unit_cents
                    await self._book(min(self._before + value // self._unit_cents, self._before + self._asked))
            if (over or not by_amount) and self._clock.now() - self._changer.busy_at >= QUIET_S:
                if by_amount and (sums := await self._say(_PAYOUT_STATUS)):
                    paid = sum(count * self._setup.values_cents.get(kind, 0) for kind, count in enumerate(sums[:16]))
                    self._said = paid // self._unit_cents
                return True
        return False

    async def _say(self, request: bytes) -> bytes | None:
        """Ask once; None where the answer is lost or none came."""
        try:
            return await self._link.ask(request)
        except BridgeLostError:
            raise
        except AnswerLostError:
            return None

    async def _agreed(self) -> tuple[int, str]:
        """Return the units that the order has got, and why nobody can know; empty where tubes and reports agree."""
        until = self._clock.now() + AGREE_S
        while True:
            passed, contradiction = self._passed(await self._stock())
            if not contradiction or self._clock.now() >= until:
                return passed, contradiction
            await self._clock.sleep(WATCH_S)

    def _passed(self, stock: TubeStock) -> tuple[int, str]:
        gone = (stock.count - (self._lifetime or 0)) % LIFETIME_SPAN
        passed = self._before + gone
        if stock.failed:
            return passed, "a tube says that it is full and holds nothing, so nobody knows what left it"
        if not self.paid <= passed:
            return passed, f"its tubes hold {stock.units} times its value, which contradicts the {self.paid} booked"
        if gone > self._asked:
            return passed, f"its tubes lost {gone} times its value, {self._asked} were ordered"
        silent = self._said is None and not self._changer.faults and not self._changer.was_reset
        if gone < self._asked and self._promised and silent:
            return passed, f"its tubes lost {gone} times its value of {self._asked}, and it says nothing of why"
        # What the last payout was said to be is of no use where nothing was paid since a reset (all zero).
        if self._said and self._said != gone:
            return passed, f"it says that it paid {self._said} times its value, its tubes say {gone}"
        return passed, ""

    async def _stock(self) -> TubeStock:
        return TubeStock(await self._link.question(_TUBES, protocol.tubes), self._setup, self._unit_cents)

    async def _book(self, passed: int) -> None:
        while self.paid < passed:
            await self._listener.coin_paid(self.paid + 1)
            self.paid += 1

    def _ended(
        self, end: PayoutEnd, faults: Mapping[str, str] | None = None, *, recount: bool = False
    ) -> PayoutOutcome:
        unpaid = (self._coins - self.paid) * self._unit_cents
        more = f"; {unpaid} cents unpaid" if unpaid > 0 else ""
        words = tuple((code, text + more) for code, text in (faults or {}).items())
        return PayoutOutcome(end=end, faults=words, recount=recount)
