"""Long lists, newest first, split into pages, so that every row of the journal can be reached."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from controller.journal.errors import RefusedError
from controller.journal.search import NEWEST, Numbers, first_at
from controller.journal.transaction import Transaction
from controller.service.page import Job, Line, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.service.typed_days import DAY, day_entry, read_day
from ui.protocol.values import USUAL_DATES

MOST = 200
"""The most entries of a page."""
SO_OLD = "Nothing is so old"
Entries = Sequence[tuple[int, Line]]


class _List(NamedTuple):
    """A list, with what its pages have in common."""

    code: str
    title: str
    read: Callable[[Transaction, int], Entries]
    numbers: Numbers
    empty: str
    head: Sequence[Line]
    columns: Line | None

    def page(self, before: int = NEWEST, newer: tuple[int, ...] = ()) -> Page:
        """Return the page of the entries below the number `before`; `newer` are the starts of the newer pages."""

        def lines(tx: Transaction, dates: str = USUAL_DATES) -> Sequence[Line]:
            found = self.read(tx, before)
            older = [Line("Older", leads=self.page(found[-1][0], (*newer, before)))] if len(found) == MOST else []
            ways = [] if before != NEWEST else list(self.head)
            if older or before != NEWEST:
                ways.append(Line("Go to a day", leads=self._search(dates)))
            ways += older
            if newer:
                ways.append(Line("Newer", leads=self.page(newer[-1], newer[:-1])))
            if before != NEWEST:
                ways.append(Line("Newest", leads=self.page()))
            entries = [line for _, line in found] or [Line(self.empty if before == NEWEST else SO_OLD)]
            return [*ways, *([self.columns] if self.columns is not None and found else []), *entries, *older]

        return Page(
            self.code,
            self.title,
            lambda tx, machine: lines(tx, machine.settings.config.cabinet.written_dates),
            books=lines,
        )

    def _search(self, dates: str) -> Job:
        """Return the job that goes to the newest entry of a day, or of an earlier day."""

        async def run(machine: ServicedMachine, submission: Submission) -> Page:
            after_ms = _end_of(submission.typed[DAY], dates)
            return self.page(await machine.journal.do(lambda tx: first_at(tx, self.numbers, after_ms)))

        return Job(run, (day_entry(DAY, dates),))


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
    """Return a list page; `read(tx, before)` returns the newest entries below a number, at most `MOST`.

    The first rows lead to a day and to older, newer and the newest entries. All these pages have the same code, so that
    one BACK leaves the list. The last row also leads to older entries. `columns` are the headings of the entries'
    columns.
    """
    return _List(code, title, read, numbers, empty, head, columns).page()


def _end_of(day: str, dates: str) -> int:
    """Return the end of the typed day in local time, in milliseconds; raise `RefusedError` if there is no such day."""
    try:
        ends = read_day(day, dates).replace(hour=23, minute=59, second=59).astimezone()
    except ValueError as error:
        raise RefusedError("There is no day {date}", date=day) from error
    return int(ends.timestamp() * 1000) + 1000
