"""Long lists, newest first, on pages that take each other's place: all of the journal can be reached."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from controller.journal.errors import RefusedError
from controller.journal.search import NEWEST, Numbers, first_at
from controller.journal.transaction import Transaction
from controller.service.page import Entry, Job, Line, Page, Submission, of_books

if TYPE_CHECKING:
    from controller.machine.machine import Machine

MOST = 200
"""How many entries a page holds."""
SO_OLD = "Nothing is so old"
Entries = Sequence[tuple[int, Line]]
_DATES = (20_200_101, 20_991_231)


class _List(NamedTuple):
    """A list with all that its pages share."""

    code: str
    title: str
    read: Callable[[Transaction, int], Entries]
    numbers: Numbers
    empty: str
    head: Sequence[Line]
    columns: Line | None

    def page(self, before: int = NEWEST, newer: tuple[int, ...] = ()) -> Page:
        """Return the page of what is older than the number `before`; `newer` are those of the pages before it."""

        def lines(tx: Transaction) -> Sequence[Line]:
            found = self.read(tx, before)
            older = [Line("Older", leads=self.page(found[-1][0], (*newer, before)))] if len(found) == MOST else []
            ways = [] if before != NEWEST else list(self.head)
            if older or before != NEWEST:
                ways.append(Line("Go to a day", leads=self._search))
            ways += older
            if newer:
                ways.append(Line("Newer", leads=self.page(newer[-1], newer[:-1])))
            if before != NEWEST:
                ways.append(Line("Newest", leads=self.page()))
            entries = [line for _, line in found] or [Line(self.empty if before == NEWEST else SO_OLD)]
            return [*ways, *([self.columns] if self.columns is not None and found else []), *entries, *older]

        return of_books(self.code, self.title, lines)

    @property
    def _search(self) -> Job:
        """The search for the newest entry of a day, or of the days before it."""

        async def run(machine: "Machine", submission: Submission) -> Page:
            after_ms = _end_of(submission.typed["day"])
            return self.page(await machine.journal.do(lambda tx: first_at(tx, self.numbers, after_ms)))

        return Job(run, (Entry("day", "Day: year, month, day as 8 digits", "number", limits=_DATES),))


def listed(
    code: str,
    title: str,
    read: Callable[[Transaction, int], Entries],
    *,
    numbers: Numbers,
    empty: str,
    head: Sequence[Line] = (),
    columns: Line | None = None,
) -> Page:
    """Return the page of a list: `read(tx, before)` gives its newest entries below a number, `MOST` at the most.

    Its first rows lead to a day, to what is older, newer, and back to the newest, under the same code, so that one BACK
    leaves them all; its last row leads to what is older too. `columns` says what stands in the columns of its entries.
    """
    return _List(code, title, read, numbers, empty, head, columns).page()


def _end_of(day: str) -> int:
    """Return when the day that was typed ends, in local time; raise `RefusedError` where there is no such day."""
    try:
        ends = datetime.strptime(day, "%Y%m%d").replace(hour=23, minute=59, second=59).astimezone()
    except ValueError as error:
        raise RefusedError("There is no day {date}", date=day) from error
    return int(ends.timestamp() * 1000) + 1000
