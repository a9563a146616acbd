"""What the simulated bill validators share: what is put into them, where the paper inside is, and what befalls it."""

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


_ON_THE_WAY: Final = ("pulled_on_the_way", "cassette_out_on_the_way")
AT_THE_END: Final = ("jam_after_credit", "pulled_after_credit", "end_unreported", "reset_after_end")
"""What befalls a note at the last sensor."""


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
    `_credited`: it was reported as stacked and has not yet reached the cash box. `where` is what has left the device.
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
        """Begin empty; `rows` are what can befall it."""
        self.where = Whereabouts()
        self.mishaps = Mishaps(befalling(rows), chance)
        self._returned, self._stacked, self._changed = returned, stacked, changed
        self._note_cents = None
        self._faults = set()

    # What a hand does to it.

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
    def pull_back(self) -> None:
        """Draw what a hand reaches back out of the mouth."""

    if TYPE_CHECKING:
        # a device inherits it beside this class: a method here would hide that one
        def power(self, *, on: bool) -> None:
            """The mains switch."""

    @abstractmethod
    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `faults`; raise `ValueError` for one that it does not have."""

    def brown_out(self) -> None:
        """Let its own supply fail for an instant: it starts as after a power cut."""
        if self.powered:
            self.power(on=False)
            self.power(on=True)

    def swap(self) -> None:
        """Put another device of its make in its place; the old one is carried away with the paper inside."""
        powered = self.powered
        self.power(on=False)
        if self._inside() is not None:
            self._leave_at(Spot.TAKEN)
        self._forget_paper()
        self._faults.clear()
        self._become_another()
        self.power(on=powered)

    def clear_jam(self, spot: Spot) -> None:
        """Free what is jammed by hand and lay it at `spot`; the device is not told what became of it.

        Raise `ValueError` where nothing is jammed.
        """
        if self._inside() is None or not self.jammed:
            raise ValueError("nothing is jammed in it")
        self._leave_at(spot)
        for name in sorted(self.jammed):
            self.set_fault(name, on=False)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """What can be brought about, by name: faults begin (1) and end (0), mishaps befall so many occasions."""

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

    # What can be seen of it, and where its money is.

    @property
    def jammed(self) -> frozenset[str]:
        """The jams that last."""
        return frozenset(self._faults & set(self.jams.values()))

    def money(self) -> dict[Spot, Counter[Piece]]:
        """What lies where, whatever the device counts or reports."""
        lies = self.where.money()
        if inside := self._inside():
            lies[Spot.PATH] = Counter([inside])
        return lies

    def _inside(self) -> Paper | None:
        return None if self._note_cents is None else self._paper

    @property
    def _paper(self) -> Paper:
        return self._ticket or self._note_cents or 0

    # The paper's way.

    @abstractmethod
    def _push(self, paper: Paper) -> None:
        """Draw the paper in, or give it back at once."""

    @abstractmethod
    def _become_another(self) -> None:
        """Have another serial number, and none of the non-volatile memory."""

    def _refuse(self, paper: Paper) -> None:
        """Leave it in the hand that holds it to the mouth."""
        self.where.put(paper, Spot.RETURNED)
        self._returned(paper)

    def _take_in(self, paper: Paper) -> None:
        self._note_cents, self._ticket = (0, paper) if isinstance(paper, str) else (paper, "")
        self._credited = False

    def _spoilt(self) -> bool:
        """Whether what is being read is not recognised, using up one of `unreadable`."""
        if self.unreadable:
            self.unreadable -= 1
            return True
        return self.mishaps.happens("unreadable")

    def _leave_at(self, spot: Spot) -> Paper:
        """Have the paper leave the device's path; return it."""
        paper = self._forget_paper()
        self.where.put(paper, spot)
        if spot is Spot.RETURNED:
            self._returned(paper)
        elif spot is Spot.CASH_BOX:
            self._stacked(paper)
        return paper

    def _forget_paper(self) -> Paper:
        """Return the paper that was in the device; nothing is in it any more."""
        paper = self._paper
        self._note_cents, self._ticket, self._credited = None, "", False
        return paper

    def _start_sends(self) -> Spot | None:
        """At a start with paper inside: return where it is sent this time, None for the device's habit.

        What is sent is not jammed any more.
        """
        sent = {"start_stacks": Spot.CASH_BOX, "start_returns": Spot.RETURNED}.get(
            self.mishaps.which("start_stacks", "start_returns")
        )
        if sent is not None:
            self._faults -= self.jammed
        return sent


class Times(Protocol):
    """The times of a note's way, in seconds."""

    @property
    def stack_s(self) -> float:
        """From the order to the last sensor."""

    @property
    def return_s(self) -> float:
        """From the order to the player's hand."""


class NotePath(PaperPath):
    """A device whose paper is at one `Place`: its moves, what halts and what befalls them, with power or without."""

    halting: ClassVar[frozenset[str]]
    """Faults in which nothing moves; a move begins anew when they end."""
    habits: Times
    _place: Place
    _timers: "NoteTimers"
    _move: tuple[float, Callable[[], None] | None] = (0.0, None)

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

    # Its moves.

    def _go(self, place: Place, *, after: float = 0.0, then: Callable[[], None] | None = None) -> None:
        """Be at `place` from now on, and do `then` `after` seconds unless something comes between."""
        self._place = place
        self._move = (after, then)
        self._arm()
        if self._changed is not None:
            self._changed()

    def _arm(self) -> None:
        """Wait for the next move, unless a fault keeps everything where it is."""
        after, then = self._move
        self._timers.next(after, None if self._faults & self.halting else then)

    def _forget_paper(self) -> Paper:
        paper = super()._forget_paper()
        self._go(Place.NOWHERE)
        return paper

    def _stack(self) -> None:
        """Carry it to the last sensor, unless something befalls it on its way."""
        befalls = self.mishaps.which("returned_in_spite", *_ON_THE_WAY, *self.jams)
        if befalls == "returned_in_spite":
            self._give_back()
        elif befalls:
            self._go(Place.STACKING, after=self.habits.stack_s / 2, then=lambda: self._befall(befalls))
        else:
            self._go(Place.STACKING, after=self.habits.stack_s, then=self._store)

    def _befall(self, what: str) -> None:
        """Half way to the cash box."""
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
        """It has passed the last sensor: report it, and let it fall into the cash box."""
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
        """Let it fall into the cash box; `said` is whether it was reported."""
        del said
        self._leave_at(Spot.CASH_BOX)

    def _pulled_out(self) -> None:
        self._report_pulled()
        self._gone()

    def _gone(self) -> None:
        """It is out of the mouth, and nothing is said of it."""
        self._leave_at(Spot.RETURNED)

    @abstractmethod
    def _give_back(self) -> None:
        """Carry it to the mouth."""

    @abstractmethod
    def _report_stacked(self) -> None:
        """Report the paper inside as the machine's."""

    @abstractmethod
    def _report_pulled(self) -> None:
        """Report that it is drawn out by force."""


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
