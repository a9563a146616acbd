"""What the simulated bill validators share: the notes there are, and where the one inside is."""

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
