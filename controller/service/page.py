"""What the service menu is made of: leaves with lines to read, and acts to do from them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from controller.journal.actor import Actor, Role
from controller.journal.transaction import Transaction
from ui.messages import ServiceRow

if TYPE_CHECKING:
    from controller.machine.machine import Machine
    from controller.service.testing.context import Bench
    from controller.service.testing.device_test import Trial

Tone = Literal["plain", "good", "bad", "heading"]
Who = Role
"""Whose key is turned."""


class Entry(NamedTuple):
    """Something to be typed before an act: `digits` (a PIN, never shown), a figure, a text, or one of `choices`.

    Of a choice `now` is where its cursor begins; a `code` is typed as far as it takes to tell it from the other
    `choices`. `limits` are the lowest and the highest figure, `longest` is how many
    digits or letters there may be.
    """

    name: str
    label: str
    kind: Literal["digits", "cents", "number", "text", "choice", "code"]
    choices: tuple[str, ...] = ()
    now: str = ""
    limits: tuple[int, int] | None = None
    longest: int = 8
    may_be_empty: bool = False
    unit: str = ""


class Deed(NamedTuple):
    """An act being done: by whom, and what was typed for it, by the entry's name (cents as their figure)."""

    by: Actor
    typed: Mapping[str, str]

    @property
    def who(self) -> Who:
        """Whose key is turned."""
        return self.by.role

    @property
    def name(self) -> str:
        """What the books call whoever does it: the person's name, or the key that was enough."""
        return self.by.words


class Act(NamedTuple):
    """Something that a person can do: `do` runs in one transaction, so that a power cut leaves it done or not done.

    `do` returns what to tell. It raises `RefusedError` for what cannot be done, which is told too and changes nothing.
    Before it, `entries` are typed, then `question` is asked `asks` times, NO being the answer of whoever does not look.
    """

    do: Callable[[Transaction, Deed], str]
    entries: tuple[Entry, ...] = ()
    question: str = ""
    asks: int = 0


class Work(NamedTuple):
    """Something that takes its time and touches more than the books, such as an export; typed and asked like an `Act`.

    `run` is awaited outside any transaction while the page says that it works. It returns what to tell, or a page of
    its own to be opened, and raises `RefusedError` for what cannot be done.
    """

    run: Callable[["Machine", Deed], Awaitable["str | Leaf"]]
    entries: tuple[Entry, ...] = ()
    question: str = ""
    asks: int = 0


class Again(NamedTuple):
    """Leads to the recall of a past round: the display shows it on the reels, step by step."""

    round: int


class Chosen(NamedTuple):
    """Leads to the PIN of the person who was chosen as the one who turned the key."""

    person: int


class GoTo(NamedTuple):
    """Leads to the field in which the code of a page is typed."""


class Drive(NamedTuple):
    """What a row of an open test does to a device, beside the menu and outside any transaction; asked like an `Act`.

    `do` returns what to tell, and raises `RefusedError` for what cannot be done, which is told too. Leaving the test
    cancels it; a `DriverError` ends the test.
    """

    do: Callable[[Deed], Awaitable[str]]
    entries: tuple[Entry, ...] = ()
    question: str = ""
    asks: int = 0


MOST_LINES = 220
_LONGEST = 90
_SHORTER = (64, 44, 30)
_ROOM = 52 * 1024
"""How many bytes the rows of a page may take, so that it fits into one packet with all that is around it."""
NOT_SHOWN = "Lines that are not shown"


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[: longest - 1]}\u2026"


def _cut_figures(figures: Mapping[str, str | int], longest: int) -> dict[str, str | int]:
    """Return figures whose words are together no longer than that."""
    left, kept = longest, dict[str, str | int]()
    for name, value in figures.items():
        cut = value if isinstance(value, int) else _cut(value, max(1, left))
        left -= 0 if isinstance(cut, int) else len(cut)
        kept[name] = cut
    return kept


@dataclass(frozen=True)
class Line:
    """One line of a page: a `label` (with its `{place}`) and its `value`, `count` or amount; both words are translated.

    `leads` to the page of that code, to a page of its own, or to an act. `mark` is a code of its own before the label,
    `detail` stands behind it in small letters as it is. `figures` fill the label's names in, as a refusal's do;
    `columns` are words and amounts in cents that stand below one another from line to line. A `whole` line's value is
    never cut short: it is worth something as a whole only.
    """

    label: str
    value: str = ""
    count: int | None = None
    cents: int | None = None
    tone: Tone = "plain"
    leads: "str | Leaf | Again | Chosen | GoTo | Act | Work | Drive | None" = None
    place: str = ""
    mark: str = ""
    detail: str = ""
    figures: Mapping[str, str | int] = field(default_factory=dict)
    columns: tuple[str | int, ...] = ()
    whole: bool = False

    @property
    def row(self) -> ServiceRow:
        """The line as the display sees it."""
        return self.cut(_LONGEST)

    def cut(self, longest: int) -> ServiceRow:
        """Return the line as the display sees it, none of its words longer than that but a `whole` value."""
        leads = self.leads.code if isinstance(self.leads, Leaf) else self.leads
        code = self.mark or (leads if isinstance(leads, str) else "")
        return ServiceRow(
            label=_cut(self.label, longest),
            place=_cut(self.place, longest),
            code=code,
            value=self.value if self.whole else _cut(self.value, longest),
            count=self.count,
            cents=self.cents,
            tone=self.tone,
            detail=_cut(self.detail, longest),
            leads=self.leads is not None,
            figures=_cut_figures(self.figures, longest),
            columns=tuple(_cut(column, longest) if isinstance(column, str) else column for column in self.columns),
        )


def bounded(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return as many lines as fit on a page with their words cut shortest; a last line counts those left out."""
    left = _ROOM - len(msgspec.json.encode((Line(NOT_SHOWN, count=len(lines)).row,)))
    fitting = 0
    for line in lines[:MOST_LINES]:
        left -= len(msgspec.json.encode(line.cut(_SHORTER[-1]))) + len(",")
        if left < 0:
            break
        fitting += 1
    if fitting == len(lines):
        return tuple(lines)
    shown = min(fitting, MOST_LINES - 1)
    return (*lines[:shown], Line(NOT_SHOWN, count=len(lines) - shown))


def rows(lines: Sequence[Line]) -> tuple[ServiceRow, ...]:
    """Return `bounded` lines as the display sees them, their words cut until the page fits into one packet."""
    told = tuple(line.row for line in lines)
    for longest in _SHORTER:
        if len(msgspec.json.encode(told)) <= _ROOM:
            break
        told = tuple(line.cut(longest) for line in lines)
    return told


class Leaf(NamedTuple):
    """One page of the menu, as `code` names it on the telephone. `read` returns what it says now.

    `technician` leaves are for the technician alone, but for those that the setting `shared` of `[service]` gives to
    the attendant as well; `door` ones need the main door open (tests and configuration).
    Where it has a `trial`, the page is a test that is live for as long as it is open (`controller.service.testing`).
    The rows of a `chart` are drawn as bars. `books` reads the page from the books alone, where that is all it says.
    """

    code: str
    title: str
    read: Callable[[Transaction, "Machine"], Sequence[Line]]
    technician: bool = False
    door: bool = False
    trial: "Callable[[Bench], Trial] | None" = None
    modules: tuple[str, ...] = ()
    chart: bool = False
    books: Callable[[Transaction], Sequence[Line]] | None = None
    shared: Literal["", "attendant_refills", "attendant_collects", "attendant_tests_lamps"] = ""

    @property
    def section(self) -> str:
        """The letter of its section."""
        return self.code[0]


def of_books(code: str, title: str, read: Callable[[Transaction], Sequence[Line]], *, chart: bool = False) -> Leaf:
    """Return a page that says what the books say and nothing else: a locked cabinet can show it too."""
    return Leaf(code, title, lambda tx, _machine: read(tx), chart=chart, books=read)
