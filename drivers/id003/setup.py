"""Setup of an ID-003 bill validator: its identity, its notes, which of them it may accept, and tickets.

Setup order and formats: protocols.md §2.1; country bytes of currencies: `drivers.currency`. Notes of another country
have no value here and stay disabled.
"""

import logging
from typing import Final

from drivers.currency import Currency, by_byte, foreign
from drivers.device_words import readable
from drivers.errors import IdentityError, WireError
from drivers.id003.link import Id003Link
from drivers.id003.protocol import (
    INTERLEAVED_2_OF_5,
    POWER_RECOVERY,
    TICKET_DIGITS,
    Command,
    Denomination,
    currency_table,
    denomination_mask,
)

_log = logging.getLogger(__name__)

_ALL_DISABLED: Final = b"\xff\xff"
_INHIBITED: Final = b"\x01"
_ENABLED: Final = b"\x00"
_POLLED: Final = b"\x00"

_OPTIONAL: Final = (
    (Command.SET_SECURITY, b"\x00\x00"),
    (Command.SET_MODE, _POLLED),
    (Command.SET_DIRECTION, b"\x00"),
    (Command.SET_OPTIONS, bytes((POWER_RECOVERY, 0))),
)
"""Settings that a device may refuse: no note is credited or lost because of them."""

_BARCODE: Final = bytes((INTERLEAVED_2_OF_5, TICKET_DIGITS))
_NOTES_AND_TICKETS: Final = b"\xfc"
_NOTES_ALONE: Final = b"\x02"
"""The barcode inhibit: bit 0 inhibits notes, bit 1 tickets (hackwin/JCMBillAcceptorID003, jcmbillacceptorid003.h)."""

_PATIENCE = 5
"""Number of polls with a status that contradicts the inhibits before they are set again."""


class ValidatorSetup:
    """The device's identity and the settings sent since its last reset."""

    def __init__(self, link: Id003Link, currency: Currency) -> None:
        self._link = link
        self._currency = currency
        self._applied: frozenset[int] | None = None
        self._contradictions = 0
        self.table: dict[int, Denomination] = {}
        self.version = ""
        self.configured = False

    def __repr__(self) -> str:
        return f"<ValidatorSetup {self.version or 'unknown'} configured={self.configured} takes={self._applied}>"

    def value_cents(self, escrow_code: int) -> int | None:
        """Return the value in cents of an escrow code, None for a ticket or a note that is not in the table."""
        note = self.table.get(escrow_code)
        return None if note is None else note.value_cents

    def forget(self) -> None:
        """Forget the settings: the device was reset."""
        self.configured = False
        self._applied = None

    async def identify(self) -> None:
        """Read version and currency table.

        Raise `CurrencyError` if it knows no note of the cabinet's currency, `IdentityError` if it is not a supported
        validator, `NoReplyError` if nothing answers.
        """
        version = await self._link.get(Command.GET_VERSION)
        currencies = await self._link.get(Command.GET_CURRENCIES)
        if version is None or currencies is None:
            raise IdentityError(
                f"{self._link.path}: the device knows no command for its version (88) or its notes (8A): "
                "check that it is an ID-003 validator with a currency table"
            )
        try:
            table = currency_table(currencies)
        except ValueError as error:
            raise IdentityError(f"{self._link.path}: {error}; load the validator's currency data anew") from error
        countries = {note.country for note in table.values()}
        if self._currency.id003 not in countries:
            notes = [f"notes of {by_byte(country)}" for country in sorted(countries)]
            raise foreign(self._link.path, notes, self._currency, "currency or id003_country")
        self.version = readable(version)
        self.table = {code: note for code, note in table.items() if note.country == self._currency.id003}

    async def inhibit(self) -> None:
        """Inhibit all notes until `apply` is called; raise `WireError` if the device refuses."""
        await self._must_set(Command.SET_INHIBIT, _INHIBITED)

    async def configure(self) -> None:
        """Send all settings after a reset, with all notes disabled; raise `WireError` if an inhibit is refused."""
        await self._must_set(Command.SET_DENOMINATIONS, _ALL_DISABLED)
        for command, data in _OPTIONAL:
            await self._link.set(command, data)
        await self._read_tickets()
        await self._must_set(Command.SET_INHIBIT, _INHIBITED)
        self._applied = frozenset()
        self.configured = True

    async def _read_tickets(self) -> None:
        """Set the barcode reader up for this cabinet's tickets; a refusal disables tickets, not notes."""
        reads = await self._link.set(Command.SET_BARCODE, _BARCODE)
        inhibit = _NOTES_AND_TICKETS if reads else _NOTES_ALONE
        if not await self._link.set(Command.SET_BARCODE_INHIBIT, inhibit) or not reads:
            _log.warning(
                "%s: no tickets: it does not echo %s",
                self._link.path,
                Command.SET_BARCODE_INHIBIT.name if reads else Command.SET_BARCODE.name,
            )

    async def apply(self, accepted_cents: frozenset[int], *, enabled: bool) -> None:
        """Enable exactly these notes in a device at rest; `enabled` is the state that its status shows.

        A device that keeps contradicting its inhibits was reset unnoticed and gets them again. Raise `WireError` if an
        inhibit is refused.
        """
        wanted = accepted_cents & {note.value_cents for note in self.table.values()}
        self._contradictions = 0 if enabled == bool(wanted) else self._contradictions + 1
        if wanted == self._applied and self._contradictions < _PATIENCE:
            return
        self._contradictions = 0
        await self._must_set(Command.SET_DENOMINATIONS, denomination_mask(self.table, wanted))
        await self._must_set(Command.SET_INHIBIT, _ENABLED if wanted else _INHIBITED)
        self._applied = wanted

    async def _must_set(self, command: Command, data: bytes) -> None:
        if not await self._link.set(command, data):
            raise WireError(
                f"{self._link.path}: the validator does not echo setting {command:02X} {data.hex()}: "
                "check the line for noise, or the validator for a fault"
            )
