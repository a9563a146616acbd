"""Setup of an SSP bill validator: its identity, the notes of its channels and which of them it may accept.

Setup order and formats: protocols.md §2.2 and the frames of `ssp_ga138.tsv`.
"""

import logging
from typing import Final

import msgspec

from drivers.currency import Currency, foreign
from drivers.device_words import readable
from drivers.errors import IdentityError, WireError
from drivers.ssp.link import SspLink
from drivers.ssp.protocol import Command

_log = logging.getLogger(__name__)

PROTOCOL_VERSION: Final = 6
"""The newest supported protocol version; for older devices lower versions are tried."""

EXPANDED_FROM: Final = 6
"""From this version on the setup data ends with each channel's currency and full value."""

VALIDATORS: Final = frozenset({0, 6, 7})
"""Unit types: validator, validator with SMART Payout, validator with note float (NV11).

Their setup data have one format.
"""

MAX_NOTE_CENTS: Final = 100_000_000
BOTH_READERS: Final = 3
INTERLEAVED_2_OF_5: Final = 1
TICKET_DIGITS: Final = 18
TICKETS_AND_NOTES: Final = bytes((0xFC,))
"""The barcode inhibit register: bit 0 inhibits notes, bit 1 tickets, the other bits are 1 (GA138, pages 85 and 86)."""
_FIXED: Final = 12
"""Number of bytes in the setup answer before the channels' values."""

_PATIENCE: Final = 5
"""Number of polls that report "disabled" although notes were enabled, before they are enabled again."""

_FRUITLESS: Final = 3
"""Number of times that notes are enabled and the device stays disabled, before that is a fault."""


class Channels(msgspec.Struct, frozen=True):
    """A decoded setup answer: the dataset's currency, and the note values in cents by channel (from 1).

    `others` are the currencies of channels that differ from the dataset's.
    """

    currency: str
    cents: dict[int, int]
    others: dict[int, str] = {}

    def of(self, currency: str) -> dict[int, int]:
        """Return the values of the channels that hold notes of that currency."""
        return {channel: cents for channel, cents in self.cents.items() if self.currency_of(channel) == currency}

    def currency_of(self, channel: int) -> str:
        """Return the currency of a channel's note."""
        return self.others.get(channel, self.currency)


def channels(data: bytes) -> Channels:
    """Decode the answer to `SETUP`; raise `ValueError` if it is not a validator's or is invalid."""
    if len(data) < _FIXED or data[0] not in VALIDATORS:
        kind = f"unit type {data[0]:02X}" if data else "nothing"
        raise ValueError(f"the set-up answer is no validator's ({kind})")
    multiplier = int.from_bytes(data[8:11], "big") or 1
    count = data[11]
    basic = _FIXED + 2 * count + 4
    if len(data) < basic:
        raise ValueError(f"the set-up answer names {count} channels and ends after {len(data)} bytes")
    currency = readable(data[5:8])
    values = [value * multiplier for value in data[_FIXED : _FIXED + count]]
    others: dict[int, str] = {}
    if data[basic - 1] >= EXPANDED_FROM:
        expanded = data[basic:]
        if len(expanded) < 7 * count:
            raise ValueError(f"the set-up answer names {count} channels, and not the value of each")
        codes = [readable(expanded[at : at + 3]) for at in range(0, 3 * count, 3)]
        # a channel without its own code has the dataset's currency
        others = {channel: code for channel, code in enumerate(codes, start=1) if code not in {"", currency}}
        values = [
            int.from_bytes(expanded[3 * count + at : 3 * count + at + 4], "little") for at in range(0, 4 * count, 4)
        ]
    cents = {channel: value * 100 for channel, value in enumerate(values, start=1) if value}
    for channel, value in cents.items():
        if value > MAX_NOTE_CENTS:
            raise ValueError(f"channel {channel} would be worth {value // 100}; no note is")
    return Channels(currency, cents, {channel: code for channel, code in others.items() if channel in cents})


class SspSetup:
    """The device's identity and the settings sent since its last reset."""

    def __init__(self, link: SspLink, currency: Currency, serial: int = 0) -> None:
        self._link = link
        self._currency = currency
        self._serial = serial
        self._number = 0
        self._applied: frozenset[int] | None = None
        self._contradictions = 0
        self._fruitless = 0
        self._readers = 0
        self.cents: dict[int, int] = {}
        """Note values in cents by channel, for channels of the cabinet's currency."""
        self.repeats_until_acknowledged = False
        """Whether the device supports the poll with acknowledgement, which repeats events until the event-ack."""

    def __repr__(self) -> str:
        return f"<SspSetup {self._currency} takes={self._applied}>"

    @property
    def known(self) -> bool:
        """Whether the channels have been read."""
        return bool(self.cents)

    def value_cents(self, channel: int) -> int | None:
        """Return the value in cents of the note in `channel`, None for an unknown channel or another currency."""
        return self.cents.get(channel)

    @property
    def number(self) -> int:
        """The serial number of the device, 0 before `reach` and if the device refuses the request."""
        return self._number

    @property
    def takes(self) -> bool:
        """Whether notes may be enabled, according to the last settings."""
        return self._applied != frozenset()

    @property
    def stays_disabled(self) -> bool:
        """Whether the device stays disabled although notes were enabled repeatedly."""
        return self._fruitless >= _FRUITLESS

    def forget(self) -> None:
        """Forget the settings: the device was reset."""
        self._applied = None
        self._fruitless = 0

    async def reach(self) -> None:
        """Read the serial number; raise `IdentityError` if it is not the configured one (0 for any)."""
        self._number = await self._asked_number()
        if self._serial not in {0, self._number}:
            raise IdentityError(
                f"{self._link.path}: the validator has serial number {self._number}, cabinet.toml says "
                f"{self._serial}: put the right device back, or correct `serial`"
            )

    async def require_same(self) -> None:
        """Raise `WireError` if another device has taken this one's place, whose channels may be other notes."""
        number = await self._asked_number()
        if self.is_other_than(number):
            raise WireError(
                f"{self._link.path}: the validator with serial number {self._number} was replaced by {number}"
            )

    def is_other_than(self, number: int) -> bool:
        """Return whether `number` is another device's serial number; 0 stands for one that is not known."""
        return 0 not in {number, self._number} and number != self._number

    async def _asked_number(self) -> int:
        """Return the serial number of the device that answers now, 0 if it refuses the request."""
        answer = await self._link.command(Command.SERIAL_NUMBER)
        return int.from_bytes(answer.data, "big") if answer.ok else 0

    async def inhibit(self) -> None:
        """Inhibit all notes until `apply` is called."""
        await self._link.command(Command.DISABLE)

    async def identify(self) -> str:
        """Read the channels and return the device's identity; call `reach` before.

        Raise `CurrencyError` if it knows no note of the cabinet's currency, `IdentityError` if it is not a supported
        validator.
        """
        for version in range(PROTOCOL_VERSION, 0, -1):
            if (await self._link.command(Command.PROTOCOL_VERSION, bytes((version,)))).ok:
                break
        answer = await self._link.command(Command.SETUP)
        if not answer.ok:
            raise IdentityError(
                f"{self._link.path}: the device answers {answer.reply:02X} to the set-up request (05): "
                "check that it is an SSP bill validator"
            )
        try:
            found = channels(answer.data)
        except ValueError as error:
            raise IdentityError(f"{self._link.path}: {error}; check the device and its dataset") from error
        if not found.cents:
            raise IdentityError(f"{self._link.path}: the validator knows no notes: load its dataset")
        self.cents = found.of(self._currency.code)
        if not self.cents:
            codes = sorted({found.currency_of(channel) for channel in found.cents})
            raise foreign(self._link.path, [f"notes of {code or 'no currency'}" for code in codes], self._currency)
        await self.find_readers()
        firmware, dataset = await self._text(Command.FIRMWARE), await self._text(Command.DATASET)
        return f"serial number {self._number}, firmware {firmware}, dataset {dataset}"

    async def find_readers(self) -> None:
        """Ask whether the device has barcode readers; a device that does not support the request has none."""
        answer = await self._link.command(Command.BARCODE_READERS)
        self._readers = answer.data[0] & BOTH_READERS if answer.ok and answer.data else 0

    async def _text(self, command: Command) -> str:
        """Return the answer to `command` as text, `unknown` if the device does not support it."""
        answer = await self._link.command(command)
        return readable(answer.data) if answer.ok else "unknown"

    async def apply(self, accepted_cents: frozenset[int], *, disabled: bool) -> None:
        """Enable exactly these notes in a device at rest; `disabled` is what its last poll reported.

        A device that keeps reporting "disabled" although notes were enabled (as after ten seconds without a poll) gets
        the inhibits again. Raise `WireError` if an inhibit is refused.
        """
        wanted = accepted_cents & frozenset(self.cents.values())
        contradicts = disabled == bool(wanted)
        self._contradictions = self._contradictions + 1 if contradicts else 0
        if wanted and not disabled:
            self._fruitless = 0
        if wanted == self._applied and self._contradictions < _PATIENCE:
            return
        if wanted and self._contradictions:
            self._fruitless += 1
        self._contradictions = 0
        mask = sum(1 << (channel - 1) for channel, cents in self.cents.items() if cents in wanted)
        await self._must(Command.SET_INHIBITS, mask.to_bytes(2, "little"))
        if wanted:
            await self._read_tickets()
        await self._must(Command.ENABLE if wanted else Command.DISABLE)
        self._applied = wanted

    async def _read_tickets(self) -> None:
        """Set the barcode readers up for this cabinet's tickets; a reset disables tickets again."""
        if not self._readers:
            return
        configuration = bytes((self._readers, INTERLEAVED_2_OF_5, TICKET_DIGITS))
        for command, data in (
            (Command.SET_BARCODE_READERS, configuration),
            (Command.SET_BARCODE_INHIBIT, TICKETS_AND_NOTES),
        ):
            answer = await self._link.command(command, data)
            if not answer.ok:
                _log.warning("%s: no tickets: it answers %02X to %s", self._link.path, answer.reply, command.name)
                self._readers = 0
                return

    async def _must(self, command: Command, data: bytes = b"") -> None:
        answer = await self._link.command(command, data)
        if not answer.ok:
            raise WireError(
                f"{self._link.path}: the validator answers {answer.reply:02X} to {command.name.lower()} "
                f"({command:02X} {data.hex()}): look it up in its manual, or reset it"
            )
