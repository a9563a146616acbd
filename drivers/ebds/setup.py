"""Setting an EBDS validator up: who it is, which notes it knows, which of them it may take.

A validator that knows extended notes lists them one by one, and names each note by currency and value; one that does
not has a table of the values of its seven denominations. One that says neither is refused: what its notes are worth is
written in its maker's papers only, and is not guessed.
"""

import logging
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
from drivers.errors import IdentityError

_log = logging.getLogger(__name__)

INHIBIT_BYTES: Final = (19, 8)
"""How long the order may be that says which listed notes are taken: up to 128 notes, or up to 50."""

NO_ORDER: Final = Mode(0)
_ALL: Final = 0x7F


class EbdsSetup:
    """The device's identity and what is set in it."""

    def __init__(self, link: EbdsLink, currency: Currency) -> None:
        self._link = link
        self._currency = currency
        self._applied: frozenset[int] | None = None
        self._sizes: tuple[int, ...] = INHIBIT_BYTES
        self.denominations: dict[int, Note] = {}
        """The notes of a device that knows no extended ones, by denomination."""
        self.listed: dict[int, Note] = {}
        """The notes of a device that knows extended ones, by their index."""
        self.taken = frozenset[int]()
        """The values in cents that polls let the device take."""
        self.known = False

    def __repr__(self) -> str:
        return f"<EbdsSetup known={self.known} takes={sorted(self.taken)}>"

    @property
    def extended(self) -> bool:
        """Whether notes are extended ones; so it is asked until the device is known to have none."""
        return not self.denominations

    def value_cents(self, said: Status) -> int | None:
        """The value of the note that an answer describes, None for one of no value here."""
        note = said.note or self.denominations.get(said.denomination)
        return note.cents or None if note is not None and note.currency == self._currency.code else None

    def poll_data(self, order: Mode = NO_ORDER) -> bytes:
        """Return the data of a poll that lets the device take what `apply` said, and gives `order` to a note in escrow.

        Tickets are taken while any note is.
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
        """The device was switched on anew: what is set in it is its own again, and the notes it knows may be others."""
        self._applied = None
        self.known = False

    async def identify(self, seen: Status) -> str:
        """Read the notes that the device knows, and return who it is; `seen` is its newest answer.

        Raise `CurrencyError` where it knows no note of the cabinet's currency, `IdentityError` where it does not say
        what its notes are worth.
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
        application = await self._text(Auxiliary.APPLICATION_PART_NUMBER)
        variant = await self._text(Auxiliary.VARIANT_NAME)
        self.known = True
        model = f"model {seen.model:02X} revision {seen.revision:02X}"
        return f"{model}, application {application}, variant {variant}"

    async def _list(self) -> dict[int, Note]:
        """Return the extended notes by their index, none for a device that does not know them."""
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
        """Return the notes by denomination, none for a device that has no table of them."""
        question = omnibus(0, Mode.ALL_ORIENTATIONS | Mode.ESCROW, Options(0))
        data = _extension(await self._link.extended(Extended.VALUE_TABLE, question), Extended.VALUE_TABLE)
        return {} if data is None else value_table(data)

    async def _text(self, question: Auxiliary) -> str:
        """What the device says about itself, `unknown` where it does not know the question."""
        answer = await self._link.auxiliary(question)
        return readable(answer.data) if answer is not None and answer.type == Type.AUXILIARY else "unknown"

    async def apply(self, accepted_cents: frozenset[int]) -> None:
        """Have the resting device take exactly these notes from the next poll on; raise `NoReplyError`."""
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
        """Say which listed notes are taken; a device that refuses takes all, and what is not wanted goes back.

        How long that order is depends on the model, and which model wants which is not public: both are tried.
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
    """Whether the device says that it does not know the message."""
    try:
        said = status(answer)
    except ValueError:
        return True
    return said is not None and bool(said.trouble & Trouble.INVALID_COMMAND)


def _extension(answer: Frame | None, subtype: Extended) -> bytes | None:
    """Return what stands behind the state in the answer to an extended question, None where it does not know it."""
    if answer is None or answer.type != Type.EXTENDED or answer.data[:1] != bytes((subtype,)) or _refused(answer):
        return None
    return answer.data[1 + STATUS_BYTES :]
