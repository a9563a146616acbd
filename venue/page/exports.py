"""Export of tables as CSV and XLSX files; numbers stay numbers, and no text can run as a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from functools import lru_cache

from django.http import HttpResponse
from openpyxl import Workbook

Cell = str | int | float | date | datetime | None


MOST_XLSX_ROWS = 100_000
"""Maximum rows of a workbook; writing more takes longer than a browser waits."""


@lru_cache(maxsize=4096)
def _text(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula; drop non-printable characters."""
    printable = "".join(one for one in text if one.isprintable())
    return f"'{printable}" if printable[:1] in ("=", "+", "-", "@") else printable


def _plain(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return _text(cell)
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None, microsecond=0)
    return cell


def as_csv(name: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> HttpResponse:
    """Return the table as a CSV file in UTF-8 with a byte order mark."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([cell if isinstance(cell, (int, float)) else _plain(cell) for cell in row] for row in rows)
    return _file(f"{name}.csv", "text/csv; charset=utf-8", text.getvalue().encode("utf-8-sig"))


def as_xlsx(name: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> HttpResponse:
    """Return the table as an XLSX workbook with one sheet."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(name[:31])
    sheet.freeze_panes = "A2"
    sheet.append(list(header))
    for row in rows:
        sheet.append([_plain(cell) for cell in row])
    content = io.BytesIO()
    book.save(content)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return _file(f"{name}.xlsx", kind, content.getvalue())


def _file(name: str, kind: str, content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
