"""Setup of an EBDS bill validator: its identity, its notes and which of them it may accept.

A validator that supports extended notes lists them one by one, each with currency and value; others have a table of the
values of their seven denominations. A validator that supports neither is refused: its note values are only in its
maker's documents and are not guessed.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from drivers.currency import Currency, foreign
from drivers.device_words import readable
from drivers.ebds.link import EbdsLink
from drivers.ebds.protocol import (
    LISTED_NOTES,
    STATUS_BYTES,
    Auxiliary,
    Extended,
    Frame,
    Mode,
    Note,
    Options,
    Status,
    Trouble,
    Type,
    enabled,
    listed_note,
    omnibus,
    status,
    value_table,
)
from drivers.errors import IdentityError, NoReplyError

_log = logging.getLogger(__name__)

INHIBIT_BYTES: Final = (19, 8)
"""Possible lengths of the inhibit data for listed notes: for up to 128 notes, or up to 50."""

TEXT_TRIES: Final = 5
"""How often a text of the identity is asked for until two answers agree."""
UNKNOWN: Final = "unknown"
"""The value of a text that the device does not report."""
NO_ORDER: Final = Mode(0)
Keep = Callable[[Frame], Awaitable[None]]
"""Keeps an answer that came in place of a text."""
_ALL: Final = 0x7F


class EbdsSetup:
    """Identifies and configures the device."""

    def __init__(self, link: EbdsLink, currency: Currency) -> None:
        self._link = link
        self._currency = currency
        self._applied: frozenset[int] | None = None
        self._sizes: tuple[int, ...] = INHIBIT_BYTES
        self.denominations: dict[int, Note] = {}
        """Notes of a device without extended notes, by denomination."""
        self.listed: dict[int, Note] = {}
        """Notes of a device with extended notes, by index."""
        self.taken = frozenset[int]()
        """The values in cents that polls enable."""
        self.known = False
        self.serial = UNKNOWN
        """The serial number of the identified device."""

    def __repr__(self) -> str:
        return f"<EbdsSetup known={self.known} takes={sorted(self.taken)}>"

    @property
    def extended(self) -> bool:
        """Whether polls request extended notes; true until the device is known not to support them."""
        return not self.denominations

    def value_cents(self, said: Status) -> int | None:
        """Return the value in cents of the note in an answer, None if it has no value here."""
        note = said.note or self.denominations.get(said.denomination)
        return note.cents or None if note is not None and note.currency == self._currency.code else None

    def poll_data(self, order: Mode = NO_ORDER) -> bytes:
        """Return the data of a poll that enables the notes set by `apply` and gives `order` for the note in escrow.

        Tickets are enabled while any note is.
        """
        options = Options.EXTENDED_NOTES if self.extended else Options(0)
        if self.taken:
            options |= Options.BARCODES
        return omnibus(self._mask(), Mode.ALL_ORIENTATIONS | Mode.ESCROW | order, options)

    def _mask(self) -> int:
        if self.extended:
            return _ALL if self.taken else 0
        notes = self.denominations.items()
        return sum(1 << (number - 1) for number, note in notes if note.cents in self.taken)

    def forget(self) -> None:
        """Forget the setup: the device restarted, so its settings are lost and its notes may have changed."""
        self._applied = None
        self.known = False

    async def identify(self, seen: Status) -> str:
        """Read the device's notes and return its identity; `seen` is its newest answer.

        Raise `CurrencyError` if it knows no note of the cabinet's currency, `IdentityError` if it does not report its
        note values, and what `_text` raises.
        """
        try:
            self.denominations = {}
            self.listed = await self._list()
            if not self.listed:
                self.denominations = await self._table()
        except ValueError as error:
            raise IdentityError(f"{self._link.path}: {error}; check the device and its note table") from error
        notes = [*self.listed.values(), *self.denominations.values()]
        if not notes:
            raise IdentityError(
                f"{self._link.path}: the validator does not say what its notes are worth, neither one by one (70 02) "
                "nor in a table (70 06): fit one that does"
            )
        if not any(note.currency == self._currency.code for note in notes):
            found = sorted({note.currency for note in notes})
            raise foreign(self._link.path, [f"notes of {currency}" for currency in found], self._currency)
        application = await self._text(Auxiliary.APPLICATION_PART_NUMBER, self._hear)
        variant = await self._text(Auxiliary.VARIANT_NAME, self._hear)
        self.serial = await self._serial_now(self._hear) if application != UNKNOWN else UNKNOWN
        self.known = True
        model = f"model {seen.model:02X} revision {seen.revision:02X}"
        return f"{model}, application {application}, variant {variant}, serial number {self.serial}"

    async def is_other(self, keep: Keep) -> bool:
        """Return whether a device with another serial number than the known one answers now.

        `keep` is given each answer that carries the device's state and may carry events.
        """
        return self.serial != UNKNOWN and await self._serial_now(keep) not in {self.serial, UNKNOWN}

    async def _serial_now(self, keep: Keep) -> str:
        return await self._text(Auxiliary.SERIAL_NUMBER, keep) or UNKNOWN

    async def _hear(self, answer: Frame) -> None:
        """Leave an answer in place of a text to the session."""
        self._link.heard.append(answer)

    async def _list(self) -> dict[int, Note]:
        """Return the extended notes by index; empty if the device does not support them."""
        notes: dict[int, Note] = {}
        for index in range(1, LISTED_NOTES + 1):
            answer = await self._link.extended(Extended.NOTE, self.poll_data() + bytes((index,)))
            data = _extension(answer, Extended.NOTE)
            note = listed_note(data) if data is not None else None
            if data is None or note is None:
                break
            if data[0] != index:
                raise ValueError(f"asked for note {index} the device describes note {data[0]}")
            notes[index] = note
        return notes

    async def _table(self) -> dict[int, Note]:
        """Return the notes by denomination; empty if the device has no value table."""
        question = omnibus(0, Mode.ALL_ORIENTATIONS | Mode.ESCROW, Options(0))
        data = _extension(await self._link.extended(Extended.VALUE_TABLE, question), Extended.VALUE_TABLE)
        return {} if data is None else value_table(data)

    async def _text(self, question: Auxiliary, keep: Keep) -> str:
        """Return the text in which two answers in a row agree, `UNKNOWN` if the device does not support the request.

        A device whose answer was lost may repeat it in place of the next one, so it is polled before it is asked again.
        The request counts as unsupported if it stays unanswered twice. `keep` is given the answers that are no texts.
        Raise `NoReplyError` if no two answers agree.
        """
        before = None
        for _ in range(TEXT_TRIES):
            answer = await self._link.auxiliary(question)
            if answer is None:
                answer = await self._link.poll(self.poll_data())
            text = readable(answer.data) if answer.type == Type.AUXILIARY else UNKNOWN
            if answer.type != Type.AUXILIARY:
                await keep(answer)
            if text == before:
                return text
            before = text
        raise NoReplyError(f"{self._link.path}: no two answers to request {question:02X} agree: check its cable")

    async def apply(self, accepted_cents: frozenset[int]) -> None:
        """Enable exactly these notes from the next poll on; the device must be at rest. Raise `NoReplyError`."""
        listed = {note.cents for note in (*self.listed.values(), *self.denominations.values()) if self._ours(note)}
        wanted = accepted_cents & listed
        if wanted == self._applied:
            return
        self.taken = wanted
        if self.extended and wanted:
            await self._inhibit_others()
        self._applied = wanted

    def _ours(self, note: Note) -> bool:
        return note.currency == self._currency.code and note.cents > 0

    async def _inhibit_others(self) -> None:
        """Send the inhibits of listed notes; if the device refuses, unwanted notes are returned from escrow.

        The length of the inhibit data depends on the model and is not documented publicly: both lengths are tried.
        """
        indexes = frozenset(at for at, note in self.listed.items() if self._ours(note) and note.cents in self.taken)
        for size in self._sizes:
            if max(indexes) > 7 * size:
                continue
            answer = await self._link.extended(Extended.NOTE_INHIBITS, self.poll_data() + enabled(indexes, size))
            if answer is not None and not _refused(answer):
                self._sizes = (size,)
                return
        _log.warning(
            "%s: it takes no order about single notes: unwanted ones are returned from escrow", self._link.path
        )
        self._sizes = ()


def _refused(answer: Frame) -> bool:
    """Return whether the device reports an invalid command."""
    try:
        said = status(answer)
    except ValueError:
        return True
    return said is not None and bool(said.trouble & Trouble.INVALID_COMMAND)


def _extension(answer: Frame | None, subtype: Extended) -> bytes | None:
    """Return the data after the state in an extended answer, None if the device does not support the request."""
    if answer is None or answer.type != Type.EXTENDED or answer.data[:1] != bytes((subtype,)) or _refused(answer):
        return None
    return answer.data[1 + STATUS_BYTES :]
