"""The driver of a bill validator with escrow, in whichever language it speaks (requirements.md, B)."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, assert_never

from drivers.bill_diagnostic import BillDiagnostic, NoteSight
from drivers.capabilities import BILL_VALIDATOR, BillListener
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import CurrencyError, IdentityError, KeyLostError, NoReplyError
from drivers.note_alarms import NoteAlarms
from drivers.port import Port
from drivers.wiring import BillValidator as Settings

if TYPE_CHECKING:
    from drivers.ssp.desk import RecyclerDesk


class Session(Protocol):
    """One conversation with a device, from opening its port to losing it."""

    async def begin(self) -> None:
        """Open the port and take up where an earlier conversation was cut off; raise a `DriverError`."""

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and do what the answer asks for; raise a `DriverError`."""


class BillValidator:
    """A bill validator, a `drivers.capabilities.BillAcceptor`; takes no notes until `accept` names some.

    Notes of another currency than `currency` stay inhibited, and a device that knows no others is refused. `recycler`
    is where an SSP validator meets the driver of its note recycler, None for one without.
    """

    name = BILL_VALIDATOR

    def __init__(
        self,
        settings: Settings,
        port: Port,
        clock: Clock,
        listener: BillListener,
        *,
        currency: Currency,
        recycler: "RecyclerDesk | None" = None,
    ) -> None:
        self._settings = settings
        self._currency = currency
        self._recycler = recycler
        self._port = port
        self._clock = clock
        self._listener = listener
        self._desk = BillDiagnostic(listener)
        self._alarms = NoteAlarms(settings, clock, listener)
        self._accepted: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return f"<BillValidator {self._settings.protocol} {self._port.path} takes={sorted(self._accepted)}>"

    def accept(self, values_cents: frozenset[int]) -> None:
        """Take only these notes from now on, applied when the device rests; of a note inside the listener is asked."""
        self._accepted = values_cents

    def give_up(self) -> None:
        """End the note on its way, of which a person says that its end will not be reported: it becomes unknown."""
        self._alarms.given_up_at = self._clock.now()

    def test(self, on_sight: Callable[[NoteSight], None] | None) -> None:
        """Hold every note in escrow for a while, report it to `on_sight`, and return it; None ends the test.

        Notes that are rejected in a test count for no alarm.
        """
        self._desk.on_sight = on_sight or (lambda _sight: None)
        self._alarms.paused = on_sight is not None
        self._desk.test(on=on_sight is not None)

    @property
    def identity(self) -> str:
        """What the device said it is, empty until it has."""
        return self._desk.identity

    async def run(self) -> None:
        """Serve the device until cancelled.

        Raise `NoReplyError` when it falls silent, `IdentityError` where another device answers, `WireError` when
        it refuses to be inhibited, `PortError` when the line is lost. May be run again after any of them.
        """
        try:
            while True:
                with suppress(KeyLostError):  # started anew: the conversation begins anew, too
                    await self._converse()
                self.stop()
        except NoReplyError as error:
            await self._listener.device_fault(self.name, "no_reply", present=True, detail=str(error))
            raise
        except IdentityError as error:
            code = "wrong_currency" if isinstance(error, CurrencyError) else "wrong_device"
            await self._listener.device_fault(self.name, code, present=True, detail=str(error))
            raise
        finally:
            self.stop()

    async def _converse(self) -> None:
        session = self._session()
        await session.begin()
        while True:
            await session.step(self._accepted)

    def _session(self) -> Session:
        """Return a conversation in the validator's language, the only one whose module is loaded."""
        settings, line, currency = self._settings, (self._port, self._clock, self._desk), self._currency
        match settings.protocol:
            case "cctalk":
                from drivers.cctalk.bill_session import CctalkBillSession  # noqa: PLC0415 - only the one that is spoken

                return CctalkBillSession(*line, settings, self._alarms, currency=currency)
            case "ebds":
                from drivers.ebds.session import EbdsSession  # noqa: PLC0415 - as above

                return EbdsSession(*line, settings, self._alarms, currency=currency)
            case "id003":
                from drivers.id003.session import Id003Session  # noqa: PLC0415 - as above

                return Id003Session(*line, settings, self._alarms, currency=currency)
            case "mdb":
                from drivers.mdb.bill_session import MdbBillSession  # noqa: PLC0415 - as above

                return MdbBillSession(*line, settings, self._alarms, currency=currency)
            case "ssp":
                from drivers.ssp.session import SspSession  # noqa: PLC0415 - as above

                return SspSession(*line, settings, self._alarms, currency=currency, desk=self._recycler)
        assert_never(settings.protocol)

    def stop(self) -> None:
        """Release the line: unpolled, the validator gives back whatever it has not stacked."""
        if self._recycler is not None:
            self._recycler.left()
        self._port.close()
