"""One payout from an MDB coin changer's tubes: book what left them and order the rest (MDB/ICP 4.3, section 5).

A level 3 changer with the alternative payout receives an order for an amount (EXPANSION 02) if each coin in its tubes
is a multiple of the step. Its progress reports (04) are booked, and its final sum (03) must agree with the tubes. Other
changers receive orders for up to 15 coins of one type (DISPENSE). An order is sent once.

The rest is ordered again in two cases: the order was not acknowledged, no coin left and the changer never reported a
payout; or the changer restarted during the payout. Three orders in a row that pay nothing end the payout. An order that
was acknowledged and paid too little ends it at once.

By specification a tube's count is the number of coins that are certainly there. If sensors detect only some levels of a
tube, coins may leave without a change of the count, so an unchanged count does not prove that an order was ignored. A
payout ends undecided, as an open item, if it was interrupted (a kill, the bridge, the mains) between its announcement
and the first coin that the tubes show as gone; if a tube fails; if the tubes lose more than was ordered; or if the
changer started to pay, too few coins left and it reports neither a reason nor a number. There is no command that ends a
payout.
"""

from collections.abc import Mapping
from typing import Final

from drivers.capabilities import PayoutEnd, PayoutListener, PayoutOrder, PayoutOutcome
from drivers.clock import Clock
from drivers.mdb import protocol
from drivers.mdb.bridge import AnswerLostError, BridgeLostError
from drivers.mdb.changer import Changer
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import ALTERNATIVE_PAYOUT, LEVEL_3, Coin, CoinSetup, Expansion
from drivers.mdb.tube_stock import LIFETIME_SPAN, TubeStock

POLL_S: Final = 0.2
WATCH_S: Final = 1.0
QUIET_S: Final = 1.5
"""A changer that has not reported a payout in progress for this long is idle."""
STALL_S: Final = 60.0
"""Timeout of one order."""
AGREE_S: Final = 5.0
"""How long the tubes may contradict the changer's report of what it paid."""
MOST_UNITS: Final = 255
TRIES: Final = 3

TUBE_STATUS: Final = bytes((Coin.TUBE_STATUS,))
_VALUE_POLL: Final = bytes((Coin.EXPANSION, Expansion.PAYOUT_VALUE_POLL))
_PAYOUT_STATUS: Final = bytes((Coin.EXPANSION, Expansion.PAYOUT_STATUS))
_FEATURES: Final = bytes((Coin.EXPANSION, Expansion.FEATURE_ENABLE)) + ALTERNATIVE_PAYOUT.to_bytes(4, "big")


class TubePayout:
    """An order being paid; `paid` units are booked. Call either `run` or `settle`, once."""

    def __init__(
        self,
        order: PayoutOrder,
        listener: PayoutListener,
        *,
        unit_cents: int,
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
        self._unit_cents = unit_cents
        self._listener = listener
        self._link = link
        self._setup = setup
        self._changer = changer
        self._clock = clock
        self._said: int | None = None
        self._taken_up = order.lifetime is not None
        """Whether the newest order was sent by an earlier, interrupted payout: its acknowledgement is unknown."""
        self._promised = False
        """Whether the changer is known to have acknowledged the newest order."""
        self._ordered_at = clock.now()

    async def run(self) -> PayoutOutcome:
        """Finish an announced order, then order the rest."""
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
        """Book what an announced order paid, and order nothing more."""
        outcome = await self._account() if self._lifetime is not None else None
        if outcome is not None:
            return outcome
        return self._ended(PayoutEnd.DONE if self.paid >= self._coins else PayoutEnd.STOPPED)

    async def _order(self) -> PayoutOutcome | None:
        """Announce and send one order for as much as possible, or return the outcome if nothing can be ordered."""
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
        self._taken_up, self._promised, self._changer.was_reset = False, False, False
        self._changer.faults.clear()
        self._changer.busy_at = self._ordered_at = self._clock.now()
        try:
            self._promised = await self._link.ask(request) == b""
        except BridgeLostError:
            raise
        except AnswerLostError:
            pass  # the tubes show whether it was carried out
        return None

    @property
    def _began(self) -> bool:
        """Whether the changer acknowledged the newest order or reported a payout since."""
        return self._promised or self._changer.busy_at > self._ordered_at

    async def _by_amount(self) -> bool:
        """Return whether amounts can be ordered: the changer supports it and each coin is a multiple of the unit."""
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
        """Wait for the end of the newest order and book it; return the outcome, None if another order may follow."""
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
        began = self._began or passed > self._before
        if self._changer.faults or (began and not self._changer.was_reset):
            faults = self._changer.faults or {"hopper_jam": "it gave up before all was paid"}
            return self._ended(PayoutEnd.JAMMED, faults)
        return None

    async def _stand_still(self) -> bool:
        """Wait until the changer is idle and book its reports; return False after `STALL_S`."""
        by_amount, until = await self._by_amount(), self._clock.now() + STALL_S
        value, over = 0, False
        while self._clock.now() < until:
            await self._clock.sleep(POLL_S)
            if by_amount and not over:
                said = await self._say(_VALUE_POLL)
                over = said == b""
                if said is None:
                    await self._link.order(_FEATURES)  # a restarted changer has forgotten them
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
        """Send a request once; return None if there is no answer or it is lost."""
        try:
            return await self._link.ask(request)
        except BridgeLostError:
            raise
        except AnswerLostError:
            return None

    async def _agreed(self) -> tuple[int, str]:
        """Return the units paid, and why that is uncertain; empty if tubes and reports agree within `AGREE_S`."""
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
        if gone < self._asked and (doubt := self._doubt(gone)):
            return passed, doubt
        # The changer's sum is useless if nothing was paid since a reset (all zero).
        if self._said and self._said != gone:
            return passed, f"it says that it paid {self._said} times its value, its tubes say {gone}"
        return passed, ""

    def _doubt(self, gone: int) -> str:
        """Return why more coins may have left than the tubes show, empty if the count is certain."""
        seen = f"its tubes lost {gone} times its value of {self._asked}"
        if self._changer.was_reset:
            return f"it was started anew when it was to pay, and {seen}"
        if self._said == gone and (gone or not self._taken_up):
            return ""
        if self._taken_up:
            return f"it was cut when it was ordered, {seen}, and nobody knows whether it was obeyed"
        if self._began or gone:
            faults = "".join(f"; {words}" for words in self._changer.faults.values())
            return f"{seen}, and it does not say how many it paid{faults}"
        return ""

    async def _stock(self) -> TubeStock:
        return TubeStock(await self._link.agreed(TUBE_STATUS, protocol.tubes), self._setup, self._unit_cents)

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
