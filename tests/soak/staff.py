"""The attendant and the technician of a soaked cabinet: they mend, turn keys, pay by hand and work in the menu."""

import asyncio
import random

from controller.faults import Clears, Fault, Stops, explain
from controller.features.diagnostics.device_test import DeviceTestPage
from controller.journal.open_items import OpenItem, Resolution, open_items
from controller.journal.periods import lifetime
from controller.journal.service_state import is_out_of_service
from controller.service import refill, utilities
from controller.service.attendant import CLOSE, OPEN_AGAIN, RESOLVED
from controller.service.credit import GIVEN
from controller.service.tree import pages
from tests.rigs.technician import WARM_S, Technician
from tests.rigs.virtual_cabinet import PRESS_S
from tests.soak.cabinet import SoakedCabinet
from tests.soak.host import SilentError
from tests.soak.tally import Devices, Tally, TallyError
from tests.soak.troubles import COIN_CENTS, Troubles

HANDS = 40
"""So many times the staff tries to bring a cabinet back to play before that is a defect."""
LOOKED_AT = sorted(
    code
    for code, page in pages().items()
    if not isinstance(page, DeviceTestPage) and code not in ("U.8", "U.9", "U.12")
)
OF_THE_DISK = ("storage_slow", "storage_low")
"""Faults of the machine that the soak runs on: they come and go by themselves."""
BY_THE_HOST = 0.3
BUSY = ("booting", "recovering", "collecting", "handpay")


class Staff:
    """Whoever has keys to the cabinet."""

    def __init__(self, cabinet: SoakedCabinet, tally: Tally, troubles: Troubles, chance: random.Random) -> None:
        self._cabinet = cabinet
        self._tally = tally
        self._troubles = troubles
        self._chance = chance
        self._hand = Technician(cabinet)
        self.poured = cabinet.hopper.stock
        self.counts: dict[str, int] = {}

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    # Keys and mending.

    async def mend(self) -> None:
        """Bring the cabinet back to where it plays; raise `AssertionError` where no key does."""
        self._count("mended")
        self._troubles.end()
        for _ in range(HANDS):
            if self._well:
                return
            await asyncio.sleep(self._chance.uniform(5.0, 20.0))
            if self._well:
                return
            await self.attendants_key()
            await asyncio.sleep(3.0)
            await self._open_for_players()
            if not self._well and self._cabinet.state not in ("collecting", "handpay"):
                await self._cabinet.turn_key("technician")
        machine = self._cabinet.machine
        raise AssertionError(
            f"the staff cannot bring it back: {machine.states.state} under {machine.conditions.overlay}, "
            f"{machine.conditions.faults}, "
            f"slot {self._cabinet.bills.slot!r}, hopper {self._cabinet.hopper.remaining}, lock {machine.journal.lock}"
        )

    async def _open_for_players(self) -> None:
        """Open the machine again where somebody had closed it, and the power was cut before he came back."""
        machine = self._cabinet.machine
        if machine.conditions.overlay == "out_of_service" and await machine.journal.do(is_out_of_service):
            self._count("opened after a cut")
            await self._open_attendants_menu()
            await self._go("A.7")
            await self._touch_row(OPEN_AGAIN)
            await self._close()

    @property
    def _well(self) -> bool:
        cabinet = self._cabinet
        cabinet.mind()
        assert cabinet.machine.journal.lock is None, f"locked: {cabinet.machine.journal.lock}"
        return (
            cabinet.machine.conditions.overlay is None
            and cabinet.state not in BUSY
            and not cabinet.bills.slot
            and not cabinet.hopper.remaining
            and not self._latched
        )

    @property
    def _latched(self) -> bool:
        """Whether a fault is present that a key must clear, or that a device must have got over.

        A momentary fault is none: that a hopper had to turn back lasts until its next payout, and stops nothing.
        """
        momentary = (Clears.ITSELF, Clears.NEXT_PLAY)
        return any(
            fault.code not in OF_THE_DISK and (catalogued.clears not in momentary or _holds_up(catalogued))
            for fault in self._cabinet.machine.conditions.faults
            for catalogued in [explain(fault.code)]
        )

    async def attendants_key(self) -> None:
        """Turn the attendant's key and turn it back; count what is paid by hand with it."""
        cabinet = self._cabinet
        waits = cabinet.state == "handpay" and cabinet.machine.conditions.overlay is None
        if not waits:
            await cabinet.turn_key("attendant")
            return
        self._count("hand-pays")
        before = cabinet.credit
        self._tally.begin("hand_pay", before)
        if not await self._host_confirms():
            await cabinet.turn_key("attendant")
        for _ in range(40):
            if cabinet.state != "handpay":
                break
            await asyncio.sleep(0.25)
        self._tally.end("hand_pay", done=cabinet.credit == 0)

    async def _host_confirms(self) -> bool:
        """Now and then have the host confirm the hand-pay in place of the key; whether it has."""
        if self._chance.random() >= BY_THE_HOST:
            return False
        try:
            return await self._cabinet.host.do(self._cabinet.host.pays_by_hand)
        except SilentError:
            return False

    # Open items, by the menu.

    async def resolve(self) -> None:
        """Resolve every open item as it truly is, on A.8; what is not proved, or much, takes the technician."""
        hand = self._hand
        while items := await hand.machine.journal.do(open_items):
            item = items[0]
            most = hand.machine.settings.config.limits.open_item_cents
            if item.for_technician or item.least_cents > most:
                await self._open_technicians_menu()
            else:
                await self._open_attendants_menu()
            await self._go("A.8")
            way, cents = self._tally.resolution(
                item, items, await hand.machine.journal.do(lifetime), await self.devices()
            )
            await hand.touch(f"service:row:{_row_of(item, way)}")
            if way.moves_money and not item.is_exact:
                await self._type(str(cents))
            await self._agree()
            if hand.page.message != RESOLVED:
                raise TallyError(f"{item} cannot be resolved as {way} with {cents} cents: {hand.page.message}")
            self._tally.resolved(item, way, cents)
            self._count(f"open item {item.kind}: {way}")
            await self._close()

    async def devices(self) -> Devices:
        """Look into every device, and add up what the open items say was paid beyond orders."""
        cabinet = self._cabinet
        sql = "SELECT coalesce(sum(amount_cents), 0) FROM open_items WHERE kind = 'hopper_overpaid'"
        (overpaid,) = await cabinet.machine.journal.do(lambda tx: tx.execute(sql).fetchone())
        return Devices(
            stacked=cabinet.stacked_cents,
            tray=cabinet.tray_cents,
            returned=cabinet.returned_cents,
            hopper=cabinet.hopper.stock * COIN_CENTS + self._troubles.aside_cents,
            poured=self.poured * COIN_CENTS,
            overpaid=overpaid,
        )

    async def settle(self) -> None:
        """Have everything that is on its way arrive, every matter resolved, and every cent compared."""
        await self.mend()
        await asyncio.sleep(WARM_S)
        await self.mend()
        await self.resolve()
        meters = await self._cabinet.machine.journal.do(lifetime)
        self._tally.check(meters, await self.devices())

    # The menu.

    async def visit(self) -> None:
        """Come for something: to look, to give service credit, to close the machine, to collect, to refill."""
        work = self._chance.choice((self._look, self._look, self._give, self._close_for_players, self._collect))
        await work()

    async def _look(self) -> None:
        self._count("pages looked at")
        technician = self._chance.random() < 0.5
        await (self._open_technicians_menu() if technician else self._open_attendants_menu())
        for code in self._chance.sample(LOOKED_AT, 6):
            if technician or not pages()[code].technician:
                await self._go(code)
        await self._close()

    async def _give(self) -> None:
        await self._open_attendants_menu()
        await self._go("A.4")
        rows = [row.label for row in self._hand.page.rows]
        if "Give service credit" in rows:
            cents = self._chance.randint(1, 50) * 100
            self._tally.begin("service_credit", cents)
            await self._hand.touch(f"service:row:{rows.index('Give service credit')}")
            await self._type(str(cents))
            await self._agree()
            given = self._hand.page.message == GIVEN
            self._tally.end("service_credit", done=given)
            self._count("service credit given" if given else "service credit refused")
        await self._close()

    async def _close_for_players(self) -> None:
        """Close the machine, and open it again a while later."""
        self._count("closed for players")
        for seconds in (self._chance.uniform(5.0, 60.0), 0.0):
            await self._open_attendants_menu()
            await self._go("A.7")
            await self._touch_row(CLOSE if seconds else OPEN_AGAIN)
            await self._close()
            await asyncio.sleep(seconds)

    async def _collect(self) -> None:
        """Empty the boxes, close the period, and fill the hopper up."""
        await self._open_technicians_menu()
        await self._go("U.3")
        self._tally.begin("collections", 1)
        await self._hand.touch("service:row:0")
        await self._agree()
        closed = self._hand.page.message == utilities.CLOSED
        self._tally.end("collections", done=closed)
        self._count("collections")
        await self._go("U.2")
        rows = [row.label for row in self._hand.page.rows]
        if "Put coins in" in rows:
            coins = self._chance.randint(50, 400)
            self._cabinet.hopper.stock += coins
            self.poured += coins
            self._tally.begin("hopper_refill", coins * COIN_CENTS)
            await self._hand.touch(f"service:row:{rows.index('Put coins in')}")
            await self._type(str(coins))
            await self._agree()
            booked = self._hand.page.message == refill.BOOKED
            self._tally.end("hopper_refill", done=booked)
            self._count("refills" if booked else "refills refused")
        await self._close()

    async def _open_attendants_menu(self) -> None:
        self._hand.turn(on=True, key="attendant")
        await self._cabinet.until(lambda: not self._hand.closed)

    async def _open_technicians_menu(self) -> None:
        await self._hand.open()

    async def _touch_row(self, label: str) -> None:
        """Touch the row with that label where there is one: what must wait for a game's end is not listed."""
        labels = [row.label for row in self._hand.page.rows]
        if label in labels:
            await self._hand.touch(f"service:row:{labels.index(label)}")

    async def _go(self, code: str) -> None:
        await self._hand.go_by_touch(code)

    async def _type(self, digits: str) -> None:
        for digit in digits:
            await self._hand.touch(f"service:digit:{digit}")
        await self._hand.touch("service:done")

    async def _agree(self) -> None:
        for _ in range(3):
            if self._hand.page.question:
                await self._hand.touch("service:yes")
        await asyncio.sleep(PRESS_S)

    async def _close(self) -> None:
        for key in ("attendant", "technician"):
            self._hand.turn(on=False, key=key)
        await self._cabinet.until(lambda: self._hand.closed)
        self._cabinet.door("main", is_open=False)
        await self._cabinet.until(lambda: not self._hand.machine.conditions.doors["main"])


def _row_of(item: OpenItem, way: Resolution) -> int:
    """Return the row of A.8 that resolves the first of the open items in that way."""
    bounds = 0 if item.proved else 2
    return 1 + bounds + item.ways.index(way)


def _holds_up(fault: Fault) -> bool:
    """Whether a fault that nobody clears keeps anything from being done until its device has got over it."""
    return fault.clears is Clears.ITSELF and fault.stops is not Stops.NOTHING
