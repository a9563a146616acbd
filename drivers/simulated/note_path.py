"""Common parts of the simulated bill validators: inserted paper, its place in the device, and its mishaps."""

import asyncio
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from drivers.simulated.fault_model.rows import Row, befalling
from drivers.simulated.front import NOTES_CENTS
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.whereabouts import Piece, Spot, Whereabouts

NOTE_NUMBERS: Final = {cents: number for number, cents in enumerate(NOTES_CENTS, start=1)}
"""The number (SSP's channel, ccTalk's bill type) of each note, by its value in cents."""


Paper = int | str
"""Inserted paper: a note, by its value in cents, or a ticket, by the number in its barcode."""

TICKET_DIGITS: Final = range(6, 25)
"""The allowed lengths of a ticket's barcode (GA138, Set Barcode Reader Configuration: 6 to 24
characters)."""


def require_ticket(number: str) -> None:
    """Raise `ValueError` for a number that no ticket barcode can hold."""
    if not (number.isascii() and number.isdigit() and len(number) in TICKET_DIGITS):
        raise ValueError(
            f"no such ticket: {number!r}; a ticket's barcode has {TICKET_DIGITS[0]} to {TICKET_DIGITS[-1]} digits"
        )


def require_note(value_cents: int) -> None:
    """Raise `ValueError` for a value that no note has."""
    if value_cents not in NOTES_CENTS:
        notes = ", ".join(str(cents // 100) for cents in NOTES_CENTS)
        raise ValueError(f"no such note: {value_cents} cents; there are {notes} EUR")


_ON_THE_WAY: Final = ("pulled_on_the_way", "cassette_out_on_the_way")
AT_THE_END: Final = ("jam_after_credit", "pulled_after_credit", "end_unreported", "reset_after_end")
"""The mishaps of a note at the last sensor."""


class Place(Enum):
    """The place of the note, in one word."""

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
        """Raise `ValueError`: this validator takes only notes."""
        raise ValueError(f"this bill validator reads no tickets: {number}")


class PaperPath(NoTickets):
    """The paper in a device that reads tickets: a note or a ticket.

    `_note_cents` is the value of the note inside, 0 for a ticket, whose number is `_ticket`, and None if empty.
    `_credited`: the paper was reported as stacked and has not yet reached the cash box. `where` records the paper that
    has left the device.
    """

    faults: ClassVar[Sequence[str]]
    jams: ClassVar[Mapping[str, str]]
    """The fault that each jam is, by the mishap's name."""
    powered: bool
    unreadable: int
    where: Whereabouts
    mishaps: Mishaps
    _faults: set[str]
    _note_cents: int | None
    _ticket: str = ""
    _credited: bool = False

    def _fit(
        self,
        rows: Sequence[Row],
        *,
        returned: Callable[[Paper], None],
        stacked: Callable[[Paper], None],
        changed: Callable[[], None] | None,
        chance: random.Random | None,
    ) -> None:
        """Start empty; `rows` are its possible mishaps."""
        self.where = Whereabouts()
        self.mishaps = Mishaps(befalling(rows), chance)
        self._returned, self._stacked, self._changed = returned, stacked, changed
        self._note_cents = None
        self._faults = set()

    # Physical actions on the device.

    def insert(self, value_cents: int) -> None:
        """Push a note into the slot; only an enabled and idle validator draws it in.

        Raise `ValueError` for a value that no note has.
        """
        require_note(value_cents)
        self._push(value_cents)

    def insert_ticket(self, number: str) -> None:
        """Push a ticket into the slot, as `insert` does a note; raise `ValueError` for an impossible number."""
        require_ticket(number)
        self._push(number)

    @abstractmethod
    def pull_back(self) -> None:
        """Pull paper within reach back out of the slot."""

    if TYPE_CHECKING:
        # a device inherits it beside this class: a method here would hide that one
        def power(self, *, on: bool) -> None:
            """Switch the mains on or off."""

    @abstractmethod
    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `faults`; raise `ValueError` for an unknown one."""

    def brown_out(self) -> None:
        """Interrupt its own supply for an instant: it starts as after a power cut."""
        if self.powered:
            self.power(on=False)
            self.power(on=True)

    def swap(self) -> None:
        """Replace it by another device of its make; the old one is removed with the paper inside."""
        powered = self.powered
        self.power(on=False)
        if self._inside() is not None:
            self._leave_at(Spot.TAKEN)
        self._forget_paper()
        self._faults.clear()
        self._become_another()
        self.power(on=powered)

    def clear_jam(self, spot: Spot) -> None:
        """Free jammed paper by hand and put it at `spot`; the device is not told where it went.

        Raise `ValueError` if nothing is jammed.
        """
        if self._inside() is None or not self.jammed:
            raise ValueError("nothing is jammed in it")
        self._leave_at(spot)
        for name in sorted(self.jammed):
            self.set_fault(name, on=False)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered, by name: 1 and 0 begin and end a fault, a number queues a mishap that often."""

        def fault(name: str, much: int) -> None:
            self.set_fault(name, on=bool(much))

        def spoil(much: int) -> None:
            self.unreadable = much

        def clear(spot: Spot, _much: int) -> None:
            self.clear_jam(spot)

        return {
            **{name: partial(fault, name) for name in self.faults},
            **self.mishaps.orders(),
            "unreadable": spoil,
            "pulled_back": lambda _much: self.pull_back(),
            "brown_out": lambda _much: self.brown_out(),
            "swapped": lambda _much: self.swap(),
            "jam_to_box": partial(clear, Spot.CASH_BOX),
            "jam_to_mouth": partial(clear, Spot.RETURNED),
            "jam_to_hand": partial(clear, Spot.TAKEN),
        }

    # Its visible state, and where its money is.

    @property
    def jammed(self) -> frozenset[str]:
        """The jams that have not been cleared."""
        return frozenset(self._faults & set(self.jams.values()))

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot, independent of the device's counts and reports."""
        lies = self.where.money()
        if inside := self._inside():
            lies[Spot.PATH] = Counter([inside])
        return lies

    def _inside(self) -> Paper | None:
        return None if self._note_cents is None else self._paper

    @property
    def _paper(self) -> Paper:
        return self._ticket or self._note_cents or 0

    # The paper's movement.

    @abstractmethod
    def _push(self, paper: Paper) -> None:
        """Draw the paper in, or return it at once."""

    @abstractmethod
    def _become_another(self) -> None:
        """Take another serial number and clear the non-volatile memory."""

    def _refuse(self, paper: Paper) -> None:
        """Leave the paper in the player's hand."""
        self.where.put(paper, Spot.RETURNED)
        self._returned(paper)

    def _take_in(self, paper: Paper) -> None:
        self._note_cents, self._ticket = (0, paper) if isinstance(paper, str) else (paper, "")
        self._credited = False

    def _spoilt(self) -> bool:
        """Return whether the paper being read is not recognised, and use up one of `unreadable`."""
        if self.unreadable:
            self.unreadable -= 1
            return True
        return self.mishaps.happens("unreadable")

    def _leave_at(self, spot: Spot) -> Paper:
        """Move the paper out of the device to `spot` and return it."""
        paper = self._forget_paper()
        self.where.put(paper, spot)
        if spot is Spot.RETURNED:
            self._returned(paper)
        elif spot is Spot.CASH_BOX:
            self._stacked(paper)
        return paper

    def _forget_paper(self) -> Paper:
        """Empty the device and return the paper that was in it."""
        paper = self._paper
        self._note_cents, self._ticket, self._credited = None, "", False
        return paper

    def _start_sends(self) -> Spot | None:
        """Return where a start with paper inside sends it this time, None for the device's habit.

        Sending the paper ends its jam.
        """
        sent = {"start_stacks": Spot.CASH_BOX, "start_returns": Spot.RETURNED}.get(
            self.mishaps.which("start_stacks", "start_returns")
        )
        if sent is not None:
            self._faults -= self.jammed
        return sent


class Times(Protocol):
    """The times of a note's movement, in seconds."""

    @property
    def stack_s(self) -> float:
        """The time from the order to the last sensor."""

    @property
    def return_s(self) -> float:
        """The time from the order to the player's hand."""


class NotePath(PaperPath):
    """A device whose paper is at one `Place`: its moves, the faults that halt them and its mishaps."""

    halting: ClassVar[frozenset[str]]
    """Faults that halt every move; the move restarts when they end."""
    habits: Times
    _place: Place
    _timers: "NoteTimers"
    _move: tuple[float, Callable[[], None] | None] = (0.0, None)

    def _switch_fault(self, name: str, *, on: bool) -> bool:
        """Begin or end a fault and return whether that changes anything; raise `ValueError` for an unknown one."""
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
        """One word for the state of the paper in the device; empty when there is none."""
        if self._note_cents is None:
            return ""
        return self._place.value if self.powered else "stuck"

    # Its moves.

    def _go(self, place: Place, *, after: float = 0.0, then: Callable[[], None] | None = None) -> None:
        """Set the place to `place`, and call `then` after `after` seconds unless another move comes first."""
        self._place = place
        self._move = (after, then)
        self._arm()
        if self._changed is not None:
            self._changed()

    def _arm(self) -> None:
        """Start the timer of the next move, unless a fault halts it."""
        after, then = self._move
        self._timers.next(after, None if self._faults & self.halting else then)

    def _forget_paper(self) -> Paper:
        paper = super()._forget_paper()
        self._go(Place.NOWHERE)
        return paper

    def _stack(self) -> None:
        """Move the paper to the last sensor, unless a mishap happens on the way."""
        befalls = self.mishaps.which("returned_in_spite", *_ON_THE_WAY, *self.jams)
        if befalls == "returned_in_spite":
            self._give_back()
        elif befalls:
            self._go(Place.STACKING, after=self.habits.stack_s / 2, then=lambda: self._befall(befalls))
        else:
            self._go(Place.STACKING, after=self.habits.stack_s, then=self._store)

    def _befall(self, what: str) -> None:
        """Apply mishap `what` half way to the cash box."""
        if what == "pulled_on_the_way":
            self._report_pulled()
            self._go(Place.RETURNING, after=self.habits.return_s, then=self._gone)
        elif what == "cassette_out_on_the_way":
            self._leave_at(Spot.LOOSE)
            self.set_fault("stacker_open", on=True)
        else:
            self._go(Place.STACKING, after=self.habits.stack_s / 2, then=self._store)
            self.set_fault(self.jams[what], on=True)

    def _store(self) -> None:
        """Report paper that has passed the last sensor, and drop it into the cash box."""
        befalls = "" if self._credited else self.mishaps.which(*AT_THE_END)
        if not self._credited and befalls != "end_unreported":
            self._report_stacked()
        if befalls == "jam_after_credit":
            self._credited = True
            self._go(Place.STACKING, after=self.habits.stack_s / 2, then=self._store)
            self.set_fault(self.jams["jam_in_stacker"], on=True)
        elif befalls == "pulled_after_credit":
            self._credited = True
            self._go(Place.RETURNING, after=self.habits.return_s, then=self._pulled_out)
        else:
            self._land(said=befalls != "end_unreported")
        if befalls == "reset_after_end":
            self.brown_out()

    def _land(self, *, said: bool) -> None:
        """Drop the paper into the cash box; `said` is whether it was reported."""
        del said
        self._leave_at(Spot.CASH_BOX)

    def _pulled_out(self) -> None:
        self._report_pulled()
        self._gone()

    def _gone(self) -> None:
        """Move the paper out of the slot without a report."""
        self._leave_at(Spot.RETURNED)

    @abstractmethod
    def _give_back(self) -> None:
        """Move the paper back to the slot."""

    @abstractmethod
    def _report_stacked(self) -> None:
        """Report the paper inside as stacked."""

    @abstractmethod
    def _report_pulled(self) -> None:
        """Report that the paper is pulled out by force."""


class NoteTimers:
    """The timers of a device: its next move, and its action after too long a silence of the host."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._silence: asyncio.TimerHandle | None = None

    def next(self, seconds: float, then: Callable[[], None] | None) -> None:
        """Cancel the pending move and call `then` after `seconds`; None schedules nothing."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if then is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._fire, then)

    @property
    def moving(self) -> bool:
        """Whether a move is pending."""
        return self._timer is not None

    def heard(self, seconds: float, unheard: Callable[[], None]) -> None:
        """Restart the silence timer: call `unheard` unless the host is heard again within `seconds`."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(seconds, unheard)

    def cancel(self) -> None:
        """Cancel both timers."""
        for timer in (self._timer, self._silence):
            if timer is not None:
                timer.cancel()
        self._timer = self._silence = None

    def _fire(self, then: Callable[[], None]) -> None:
        self._timer = None
        then()
