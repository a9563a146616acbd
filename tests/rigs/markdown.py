"""Our own Markdown pages: tables as rows by the names of their columns, and the items of lists that are written."""

import textwrap
from itertools import groupby

Row = dict[str, str]
WIDTH = 120


def tables(page: str) -> list[list[Row]]:
    """Return every table of `page`, each as its rows."""
    found = []
    for is_table, lines in groupby(page.splitlines(), lambda line: line.lstrip().startswith("|")):
        if is_table:
            cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
            found.append([dict(zip(cells[0], row, strict=True)) for row in cells[2:]])
    return found


def table(page: str, *columns: str) -> list[Row]:
    """Return the rows of the one table of `page` that has all these columns."""
    (found,) = [rows for rows in tables(page) if rows and set(columns) <= set(rows[0])]
    return found


def wrapped(item: str, indent: str = "") -> list[str]:
    """Return an item of a list as lines that fit a page."""
    lines = textwrap.TextWrapper(
        WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False, break_long_words=False
    )
    return lines.wrap(item)
