"""What the simulated bill validators share: what is put into them, where the paper inside is, and their timers."""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from typing import ClassVar, Final

from drivers.simulated.front import NOTES_CENTS

NOTE_NUMBERS: Final = {cents: number for number, cents in enumerate(NOTES_CENTS, start=1)}
"""The number (SSP's channel, ccTalk's bill type) of each note, by its value in cents."""


Paper = int | str
"""What is put into a validator: a note, by its value in cents, or a ticket, by the number in its barcode."""

TICKET_DIGITS: Final = range(6, 25)
"""How many digits a ticket's barcode may have (GA138, Set Barcode Reader Configuration: 6 to 24 characters)."""


def require_ticket(number: str) -> None:
    """Raise `ValueError` for a number that no ticket's barcode holds."""
    if not (number.isascii() and number.isdigit() and len(number) in TICKET_DIGITS):
        raise ValueError(
            f"no such ticket: {number!r}; a ticket's barcode has {TICKET_DIGITS[0]} to {TICKET_DIGITS[-1]} digits"
        )


def require_note(value_cents: int) -> None:
    """Raise `ValueError` for a value that is no note."""
    if value_cents not in NOTES_CENTS:
        notes = ", ".join(str(cents // 100) for cents in NOTES_CENTS)
        raise ValueError(f"no such note: {value_cents} cents; there are {notes} EUR")


class Place(Enum):
    """Where the note is, in one word."""

    NOWHERE = ""
    READ = "accepting"
    ESCROW = "escrow"
    STACKING = "stacking"
    RETURNING = "returning"


class NoTickets:
    """A validator without a barcode reader."""

    @property
    def escrow_ticket(self) -> str:
        """The number of the ticket held in escrow, empty for none."""
        return ""

    def insert_ticket(self, number: str) -> None:
        """Raise `ValueError`: only notes are put into this one."""
        raise ValueError(f"this bill validator reads no tickets: {number}")


class PaperPath(NoTickets):
    """What a hand puts into a device that reads tickets: a note, or a ticket.

    `_note_cents` is the value of the note inside, 0 for a ticket, whose number is `_ticket`, and None for nothing.
    """

    _note_cents: int | None
    _ticket: str = ""

    def insert(self, value_cents: int) -> None:
        """Push a note into the mouth; it is drawn in only by a validator that is enabled and idle.

        Raise `ValueError` for a value that is no note.
        """
        require_note(value_cents)
        self._push(value_cents)

    def insert_ticket(self, number: str) -> None:
        """Push a ticket into the mouth, as `insert` does a note; raise `ValueError` for what no barcode holds."""
        require_ticket(number)
        self._push(number)

    @abstractmethod
    def _push(self, paper: Paper) -> None:
        """Draw the paper in, or give it back at once."""

    def _take_in(self, paper: Paper) -> None:
        self._note_cents, self._ticket = (0, paper) if isinstance(paper, str) else (paper, "")

    @property
    def _paper(self) -> Paper:
        return self._ticket or self._note_cents or 0

    def _forget_paper(self) -> Paper:
        """Return the paper that was in the device; nothing is in it any more."""
        paper = self._paper
        self._note_cents, self._ticket = None, ""
        return paper


class NotePath(PaperPath):
    """What a hand does to a device, and what can be seen from outside of the paper in it, with power or without."""

    faults: ClassVar[Sequence[str]]
    powered: bool
    _place: Place
    _faults: set[str]

    def _switch_fault(self, name: str, *, on: bool) -> bool:
        """Begin or end a fault; return whether that changes anything. Raise `ValueError` for one it does not have."""
        if name not in self.faults:
            raise ValueError(f"no such fault: {name}; there are {', '.join(self.faults)}")
        if on == (name in self._faults):
            return False
        (self._faults.add if on else self._faults.discard)(name)
        return True

    @property
    def escrow_cents(self) -> int:
        """The value of the note held in escrow, 0 for none."""
        return self._note_cents or 0 if self.powered and self._place is Place.ESCROW else 0

    @property
    def escrow_ticket(self) -> str:
        """The number of the ticket held in escrow, empty for none."""
        return self._ticket if self.powered and self._place is Place.ESCROW else ""

    @property
    def slot(self) -> str:
        """In one word what the paper in the device is doing; empty when there is none."""
        if self._note_cents is None:
            return ""
        return self._place.value if self.powered else "stuck"


class NoteTimers:
    """What a device does by itself: its next move, and what it does when nobody is heard for too long."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._silence: asyncio.TimerHandle | None = None

    def next(self, seconds: float, then: Callable[[], None] | None) -> None:
        """Do `then` after `seconds` instead of whatever was to come next; nothing at all for None."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if then is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._fire, then)

    @property
    def moving(self) -> bool:
        """Whether a next move is due."""
        return self._timer is not None

    def heard(self, seconds: float, unheard: Callable[[], None]) -> None:
        """Somebody was heard: do `unheard` if that does not happen again within `seconds`."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(seconds, unheard)

    def cancel(self) -> None:
        """Do nothing any more."""
        for timer in (self._timer, self._silence):
            if timer is not None:
                timer.cancel()
        self._timer = self._silence = None

    def _fire(self, then: Callable[[], None]) -> None:
        self._timer = None
        then()
