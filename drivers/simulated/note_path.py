"""What the simulated bill validators share: the notes there are, where the one inside is, and their timers."""

import asyncio
from collections.abc import Callable
from enum import Enum
from typing import Final

from drivers.simulated.front import NOTES_CENTS

NOTE_NUMBERS: Final = {cents: number for number, cents in enumerate(NOTES_CENTS, start=1)}
"""The number (SSP's channel, ccTalk's bill type) of each note, by its value in cents."""


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


class NotePath:
    """What can be seen from outside of the note in a device, with power or without."""

    powered: bool
    _place: Place
    _note_cents: int | None

    @property
    def escrow_cents(self) -> int:
        """The value of the note held in escrow, 0 for none."""
        return self._note_cents or 0 if self.powered and self._place is Place.ESCROW else 0

    @property
    def slot(self) -> str:
        """In one word what the note in the device is doing; empty when there is none."""
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
