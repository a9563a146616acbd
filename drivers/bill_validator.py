"""Driver of a bill validator with escrow, for all supported protocols (requirements.md, B)."""

from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from drivers.bill_diagnostic import BillDiagnostic, NoteSight
from drivers.capabilities import BILL_VALIDATOR, BillListener
from drivers.clock import Clock
from drivers.currency import Currency
from drivers.errors import CurrencyError, IdentityError, KeyLostError, NoReplyError
from drivers.note_alarms import NoteAlarms
from drivers.port import Port
from drivers.validator_protocols import validator_protocols
from drivers.wiring import BillValidator as Settings

if TYPE_CHECKING:
    from drivers.ssp.desk import RecyclerDesk


class Session(Protocol):
    """One session with a device, from opening its port to losing it."""

    async def begin(self) -> None:
        """Open the port and continue where an earlier session was interrupted; raise a `DriverError`."""

    async def step(self, accepted: frozenset[int]) -> None:
        """Poll once and handle the answer; raise a `DriverError`."""


class BillValidator:
    """A bill validator with escrow; notes are inhibited until `accept` is called.

    Notes of another currency than `currency` stay inhibited, and a device that knows only such notes is refused.
    `recycler` is the state that an SSP validator shares with its note recycler's driver, None without a recycler.
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
        """Accept only these notes, applied when the device is at rest.

        For a note already inside the listener is asked.
        """
        self._accepted = values_cents

    def give_up(self) -> None:
        """Give up the note in the device because a person says that its end will not be reported."""
        self._alarms.given_up_at = self._clock.now()

    def test(self, on_sight: Callable[[NoteSight], None] | None) -> None:
        """Hold every note in escrow for a while, report it to `on_sight`, and return it; None ends the test.

        Rejected notes do not count towards an alarm during a test.
        """
        self._desk.on_sight = on_sight or (lambda _sight: None)
        self._alarms.paused = on_sight is not None
        self._desk.test(on=on_sight is not None)

    @property
    def identity(self) -> str:
        """The device's reported identity, empty before it is known."""
        return self._desk.identity

    async def run(self) -> None:
        """Serve the device until cancelled.

        Raise `NoReplyError` when it falls silent, `IdentityError` if another device answers, `WireError` if it refuses
        an inhibit, `PortError` when the line is lost. May be run again after each of them.
        """
        try:
            while True:
                with suppress(KeyLostError):  # the device restarted: start a new session
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
        """Return a session for the configured protocol; only that protocol's module is loaded."""
        module, _, name = validator_protocols()[self._settings.protocol].session.partition(":")
        session: Callable[..., Session] = getattr(import_module(f"drivers.{self._settings.protocol}.{module}"), name)
        line = (self._port, self._clock, self._desk, self._settings, self._alarms)
        if self._recycler is None:
            return session(*line, currency=self._currency)
        return session(*line, currency=self._currency, desk=self._recycler)

    def stop(self) -> None:
        """Close the port: a validator that is not polled returns every note that it has not stacked."""
        if self._recycler is not None:
            self._recycler.left()
        self._port.close()
