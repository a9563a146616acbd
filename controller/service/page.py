"""The parts of the service menu: pages, their lines, and what a line leads to."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from controller import feature
from controller.journal.actor import Actor, Role
from controller.journal.transaction import Transaction
from controller.service.serviced_machine import ServicedMachine
from ui.protocol.messages import ServiceRow

Tone = Literal["plain", "good", "bad", "heading"]
Who = Role
"""The role whose key is turned."""


class Entry(NamedTuple):
    """An input that an action needs: `digits` (a PIN, never shown), a figure, a text, or one of `choices`.

    The cursor of a choice starts at `now`. A `code` is complete as soon as it matches one of `choices` only. `limits`
    are the lowest and the highest figure, `longest` the most digits or letters. A `card` is presented to the reader and
    is never typed nor shown.
    """

    name: str
    label: str
    kind: Literal["digits", "cents", "number", "text", "choice", "code", "card"]
    choices: tuple[str, ...] = ()
    now: str = ""
    limits: tuple[int, int] | None = None
    longest: int = 8
    may_be_empty: bool = False
    unit: str = ""


class Submission(NamedTuple):
    """A confirmed action: who submitted it, and the input of each entry by its name (cents as a figure)."""

    by: Actor
    typed: Mapping[str, str]

    @property
    def who(self) -> Who:
        """The role whose key is turned."""
        return self.by.role

    @property
    def name(self) -> str:
        """The person's name as written into the journal, or the role if no PIN was needed."""
        return self.by.words


class MenuTransaction(NamedTuple):
    """An action in one journal transaction: after a power cut it is either done or not done.

    `do` returns the message to show, or raises `RefusedError` with the reason and changes nothing. Before that, all
    `entries` are typed and `question` is answered with YES `confirmations` times; NO is preselected.
    """

    do: Callable[[Transaction, Submission], str]
    entries: tuple[Entry, ...] = ()
    question: str = ""
    confirmations: int = 0


class Job(NamedTuple):
    """A longer action outside any transaction, such as an export; confirmed like a `MenuTransaction`.

    `run` is awaited while the page shows that it is busy. It returns the message to show or a page to open, or raises
    `RefusedError` with the reason.
    """

    run: Callable[[ServicedMachine, Submission], Awaitable["str | Page"]]
    entries: tuple[Entry, ...] = ()
    question: str = ""
    confirmations: int = 0


class RecallRound(NamedTuple):
    """Opens the recall of a past round: the display shows it on the reels, step by step."""

    round: int


class ChoosePerson(NamedTuple):
    """Opens the PIN entry of the chosen person."""

    person: int


class ChooseLanguage(NamedTuple):
    """Sets the language of a new cabinet, before anybody has a PIN."""

    language: str


class TypeCode(NamedTuple):
    """Opens the field for typing the code of a page."""


class DeviceAction(NamedTuple):
    """An action of an open device test, run beside the menu; confirmed like a `MenuTransaction`.

    `do` returns the message to show, or raises `RefusedError` with the reason. Leaving the test cancels it; a
    `DriverError` ends the test.
    """

    do: Callable[[Submission], Awaitable[str]]
    entries: tuple[Entry, ...] = ()
    question: str = ""
    confirmations: int = 0


Leads: TypeAlias = (
    "str | Page | RecallRound | ChoosePerson | ChooseLanguage | TypeCode | MenuTransaction | Job | DeviceAction"
)
"""What a line leads to: the code of a page, a page, or an action."""

MOST_LINES = 220
_LONGEST = 90
_SHORTER = (64, 44, 30)
_ROOM = 52 * 1024
"""The most bytes for the rows of a page: with its other fields it must fit into one packet."""
NOT_SHOWN = "Lines that are not shown"


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[: longest - 1]}\u2026"


def _cut_figures(figures: Mapping[str, str | int], longest: int) -> dict[str, str | int]:
    """Return `figures` with their texts cut to `longest` characters in all."""
    left, fitting = longest, dict[str, str | int]()
    for name, value in figures.items():
        cut = value if isinstance(value, int) else _cut(value, max(1, left))
        left -= 0 if isinstance(cut, int) else len(cut)
        fitting[name] = cut
    return fitting


@dataclass(frozen=True)
class Line:
    """One line of a page: a `label` and its `value` (both are translated), `count` or amount in cents.

    `leads` is the code of a page, a page or an action. `mark` is a code shown before the label, `detail` an
    untranslated text after it in small letters. `place` and `figures` fill in the label's placeholders. `columns` are
    texts and amounts in cents, aligned from line to line. The value of a `whole` line is never cut.
    """

    label: str
    value: str = ""
    count: int | None = None
    cents: int | None = None
    tone: Tone = "plain"
    leads: "Leads | None" = None
    place: str = ""
    mark: str = ""
    detail: str = ""
    figures: Mapping[str, str | int] = field(default_factory=dict)
    columns: tuple[str | int, ...] = ()
    whole: bool = False

    @property
    def row(self) -> ServiceRow:
        """The row for the display."""
        return self.cut(_LONGEST)

    def cut(self, longest: int) -> ServiceRow:
        """Return the row for the display, with its texts cut to `longest` characters, except a `whole` value."""
        leads = self.leads.code if isinstance(self.leads, Page) else self.leads
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
    """Return the lines that fit into one packet with the shortest texts; a last line counts the omitted ones."""
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
    """Return the rows of `bounded` lines, their texts cut until the page fits into one packet."""
    found = tuple(line.row for line in lines)
    for longest in _SHORTER:
        if len(msgspec.json.encode(found)) <= _ROOM:
            break
        found = tuple(line.cut(longest) for line in lines)
    return found


@dataclass(frozen=True)
class Page:
    """One page of the menu; `read` returns its lines.

    A `technician` page needs the technician's key, unless the setting of `[service]` named by `shared` opens it to the
    attendant. A `door` page (tests and configuration) needs the open main door, a `memory` page the door in front of
    the computer's memory (`controller.service.doors`). The rows of a `chart` are drawn as bars. `books` reads a page
    that needs only the journal.
    """

    code: str
    title: str
    read: Callable[[Transaction, ServicedMachine], Sequence[Line]]
    technician: bool = False
    door: bool = False
    memory: bool = False
    modules: tuple[str, ...] = ()
    chart: bool = False
    books: Callable[[Transaction], Sequence[Line]] | None = None
    shared: Literal["", "attendant_refills", "attendant_collects", "attendant_tests_lamps"] = ""

    @property
    def section(self) -> str:
        """The letter of its section."""
        return self.code[0]


def of_books(code: str, title: str, read: Callable[[Transaction], Sequence[Line]], *, chart: bool = False) -> Page:
    """Return a page that needs only the journal, so that a locked cabinet can show it too."""
    return Page(code, title, lambda tx, _machine: read(tx), chart=chart, books=read)


def added_lines(code: str, tx: Transaction, machine: ServicedMachine, *about: object) -> list[Line]:
    """Return the lines that features add to a page; `about` is what that page shows."""
    adding = feature.imported(lambda one: one.lines.get(code, ""))
    return [line for lines_of in adding for line in lines_of(tx, machine, *about)]
