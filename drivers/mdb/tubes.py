"""Driver of an MDB coin changer's tubes, a `drivers.capabilities.Dispenser` (MDB/ICP 4.3, section 5).

A changer has no lifetime counter of paid coins. The contents of its tubes (TUBE STATUS) replace it, as a count that
rises with each unit that leaves; coins are inhibited meanwhile, so that none falls into a tube. The count is durable
before an order is sent, and afterwards it decides how much was paid even if answers were lost (`tube_payout.py`).
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from drivers.capabilities import Level, PayoutListener, PayoutOrder, PayoutOutcome, StockCount, StockListener
from drivers.clock import Clock
from drivers.errors import NoReplyError, SettingsError
from drivers.link_faults import found
from drivers.mdb import protocol
from drivers.mdb.changer import STATES, Changer
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import CoinSetup
from drivers.mdb.tube_payout import POLL_S, TUBE_STATUS, WATCH_S, TubePayout
from drivers.mdb.tube_stock import TubeStock
from drivers.payout_orders import REPORT_AGAIN_S, PayoutOrders, PayoutWork
from drivers.wiring import Hopper as Settings

STILL_S: Final = 15.0
"""How long the last coins may take to fall before a payout begins."""
MOST_COINS: Final = 255
LOW_UNITS: Final = 20


class ChangerTubes(PayoutOrders):
    """The tubes of a changer; they pay in steps of `coin_value_cents`. `changer` is shared with the acceptor's driver.

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
        self._report_again_at = 0.0
        self._low: bool | None = None
        self._found_count = -1

    def __repr__(self) -> str:
        return f"<ChangerTubes {self._settings.port} {'ready' if self.ready else 'not ready'}>"

    @property
    def serial(self) -> int | None:
        """The serial number of the changer that answers, None if none does."""
        return self._changer.serial if self.ready else None

    @property
    def most_coins(self) -> int:
        """How many units an order may have."""
        return self._settings.max_coins

    async def run(self) -> None:
        """Watch the tubes until cancelled; raise a `DriverError` when the changer is lost."""
        self._found_count = -1
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
        """Stop paying; a payout in progress continues in the changer and becomes an interrupted order."""
        self.ready = False
        self.level = Level.UNKNOWN

    # Between orders.

    async def _watch(self) -> None:
        """Check the tubes for faults and for coins that left without an order."""
        async with self._in_use:
            link, setup = self._required()
            if self._found_count != self._changer.found_count:
                await self._begin(setup)
            stock = await self._stock(link, setup)
            await self._polled_again()
            if not self._changer.present.is_set():
                self.stop()
                return
            faults, self._changer.faults = self._changer.faults, {}
            if stock.failed:
                faults["hopper_sensor"] = "a tube says that it is full and holds nothing"
            if faults or self._reported is None or self._clock.now() >= self._report_again_at:
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

    async def _polled_again(self) -> None:
        """Wait for the next answered poll, which reports a restart from before the tubes were read."""
        polls = self._changer.polls
        while self._changer.polls == polls and self._changer.present.is_set():
            await self._clock.sleep(POLL_S)

    async def _begin(self, setup: CoinSetup) -> None:
        who = self._changer.who
        kinds = [setup.values_cents[kind] for kind in sorted(setup.tubed & setup.values_cents.keys())]
        if not any(not cents % self.coin_value_cents for cents in kinds):
            raise SettingsError(
                f"[hopper] coin_value_cents = {self.coin_value_cents}: the changer's tubes hold {sorted(kinds)}, and "
                "none is a multiple of it"
            )
        self.identity = f"tubes of {who or f'a changer of level {setup.level}, known by its set-up as {setup.number}'}"
        self._reported = self._low = None
        self._found_count = self._changer.found_count
        await found(self.name, self.identity, self._listener)
        await self._listener.device_fault(self.name, "settings", present=False)

    async def _report(self, faults: Mapping[str, str]) -> None:
        """Report the faults from polls; a jam is cleared by the next successful payout.

        A contradiction (`hopper_memory`) is cleared with the next report.
        """
        self._report_again_at = self._clock.now() + REPORT_AGAIN_S
        for code in sorted({"hopper_memory", *(code for code, _ in STATES.values())} - faults.keys()):
            if self._reported is None or code != "hopper_jam":
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
        return TubeStock(await link.agreed(TUBE_STATUS, protocol.tubes), setup, self.coin_value_cents)

    # Orders.

    async def _work(self, order: PayoutOrder, listener: PayoutListener, work: PayoutWork) -> PayoutOutcome:
        if not self.ready:
            raise NoReplyError(f"{self}: cannot pay now; pay the order when it is ready")
        self._require_same(order, self._changer.serial)
        link, setup = self._required()
        self._changer.pays = True
        await self._stillness()
        outcome = await work(
            TubePayout(
                order,
                listener,
                unit_cents=self.coin_value_cents,
                link=link,
                setup=setup,
                changer=self._changer,
                clock=self._clock,
            )
        )
        self._changer.faults.clear()
        self._reported = None
        return outcome

    async def _stillness(self) -> None:
        """Wait until no coin can fall into a tube; raise `NoReplyError` after `STILL_S`."""
        until = self._clock.now() + STILL_S
        while not self._changer.still:
            if self._clock.now() >= until:
                raise NoReplyError(f"{self}: its changer still takes coins; pay the order when it is ready")
            await self._clock.sleep(POLL_S)
