"""Driver of an SSP validator's note recycler, which pays out stored notes (GA138, "SMART Payout")."""

from typing import Final

from drivers.capabilities import StockListener
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import NoReplyError, WireError
from drivers.ssp.desk import RecyclerDesk
from drivers.ssp.dispenser import WATCH_S, SspDispenser
from drivers.ssp.link import SspLink
from drivers.ssp.payout_wire import PayoutWire
from drivers.ssp.protocol import Command
from drivers.ssp.stock import levels
from drivers.wiring import Hopper as Settings

JOIN_S: Final = 15.0
"""Timeout for the start of the validator's session."""

LOOK_S: Final = 0.25
REST_S: Final = 30.0
"""Timeout for a note to be stored or returned before a payout."""


class Recycler(SspDispenser):
    """The note store of an SSP validator, a `drivers.capabilities.Dispenser` that uses the validator's session.

    Notes that are multiples of `coin_value_cents` are stored for payouts, up to `float_coins`; others go to the cash
    box.
    """

    def __init__(
        self, settings: Settings, desk: RecyclerDesk, clock: Clock, listener: StockListener, *, currency: Currency
    ) -> None:
        super().__init__(settings, clock, listener, currency=currency)
        self._desk = desk
        self._stores: bool | None = None

    async def run(self) -> None:
        """Serve the recycler until cancelled; raise `NoReplyError` if its validator has no session."""
        try:
            link = await self._joined()
            wire = PayoutWire(
                link,
                unit_cents=self.coin_value_cents,
                currency=self._currency.code,
                enabled_by=Command.ENABLE_PAYOUT,
                disabled_by=Command.DISABLE_PAYOUT,
                poll=self._desk.next_poll,
                acknowledge=self._acknowledged,
            )
            self._stores = None
            await self._set_ways(link, wire)
            await self._found(f"recycler of validator {self._desk.serial}", self._desk.serial, wire)
            while True:
                await self._clock.sleep(WATCH_S)
                await self._watch(wire)
        finally:
            self.stop()

    def stop(self) -> None:
        """Leave the validator's session; a payout in progress fails and continues later as an interrupted order."""
        self._lost()
        self._desk.takes_notes = False

    async def _joined(self) -> SspLink:
        deadline = self._clock.now() + JOIN_S
        while self._desk.link is None:
            if self._clock.now() > deadline:
                raise NoReplyError(
                    f"{self._settings.port}: the bill validator does not answer in eSSP, and so neither does its "
                    "recycler: check its power, its cable and `encryption` in [bill_validator]"
                )
            await self._clock.sleep(LOOK_S)
        return self._desk.link

    async def _set_ways(self, link: SspLink, wire: PayoutWire) -> None:
        """Route notes of payable values to the store and all others to the cash box."""
        answer = await link.whole(Command.ALL_LEVELS)
        try:
            found = levels(answer.data) if answer.ok else []
        except ValueError as error:
            raise WireError(f"{self._settings.port}: {error}") from error
        values = {level.cents for level in found if level.currency == self._currency.code and level.cents}
        for cents in sorted(values):
            await wire.route(cents, kept=not cents % self.coin_value_cents)

    async def _acknowledged(self) -> bool:
        """Let the session acknowledge the events: they are booked."""
        return await self._desk.booked()

    @property
    def _still(self) -> bool:
        return self._desk.still

    async def _make_way(self) -> None:
        """Inhibit notes and wait until none is moving: a note would change the levels by which a payout is counted."""
        self._desk.takes_notes = False
        deadline = self._clock.now() + REST_S
        while not self._desk.at_rest:
            if self._clock.now() > deadline:
                raise NoReplyError(f"{self}: the validator does not come to rest; take the note that is in it")
            await self._desk.next_poll()

    async def _clear_away(self, wire: PayoutWire) -> None:
        self._stores = None
        await self._between_orders(wire)

    async def _between_orders(self, wire: PayoutWire) -> None:
        """Store notes up to the float; further notes go to the cash box."""
        if self._stores is not (not self._full):
            self._stores = not self._full
            await (wire.enable() if self._stores else wire.disable())
        self._desk.takes_notes = self._settled
