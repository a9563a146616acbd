"""What the sheet says that regulators are given: its tables and sentences, as HTML or PDF, and nothing else.

A constant's table has its name as title, and the words of its head say how its rows are read. A sentence says a rule: a
reader takes it by what it says, and what no sentence says he does not know.
"""

import io
import json
import re
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from typing import Any

from pypdf import PdfReader

Rows = list[list[str]]
Titled = list[tuple[str, Rows]]

FOOT, CELL = 40, 7
"""Where a page's number stands, in points, and the largest type of a cell."""


class _Page(HTMLParser):
    """The tables of a page, each under the heading before it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: Titled = []
        self.paragraphs: list[str] = []
        self._heading = ""
        self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # as called
        self._tag = tag
        if tag in {"h1", "h2", "h3"}:
            self._heading = ""
        elif tag == "p":
            self.paragraphs.append("")
        elif tag == "table":
            self.tables.append((self._heading, []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag in {"th", "td"}:
            self.tables[-1][1][-1].append("")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  # as called
        self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag in {"h1", "h2", "h3"}:
            self._heading += data
        elif self._tag == "p":
            self.paragraphs[-1] += data
        elif self._tag in {"th", "td"}:
            self.tables[-1][1][-1][-1] += data


def tables_of_html(text: str) -> Titled:
    """Return the tables of a sheet as HTML."""
    return _Page(text).tables


def tables_of_pdf(data: bytes) -> Titled:
    """Return the tables of a sheet as PDF, by the places of its texts.

    Headings are bold, and so are heads of tables; a cell begins at its column's left edge, and its further lines stand
    under it. A head is repeated on each new page that its table goes on to.
    """
    tables: Titled = []
    heading, columns, head_at = "", [0.0], 0.0
    for page in PdfReader(io.BytesIO(data)).pages:
        repeated_at = None
        first = True
        for text, x, y, kind in _texts(page):
            if kind == "heading":
                heading, columns = text, []
            elif kind == "head":
                if first and columns and tables and text == tables[-1][1][0][0]:
                    repeated_at = y
                elif y == repeated_at:
                    continue
                elif columns and abs(y - head_at) < 0.1:
                    columns.append(x)
                    tables[-1][1][0].append(text)
                else:
                    columns, head_at = [x], y
                    tables.append((heading, [[text]]))
            elif columns:
                rows = tables[-1][1]
                place = min(range(len(columns)), key=lambda number: abs(columns[number] - x))
                if (place == 0 and len(rows[0]) > 1) or len(rows) == 1:
                    rows.append([""] * len(columns))
                rows[-1][place] = f"{rows[-1][place]} {text}".strip()
            first = False
    return tables


def _texts(page: Any) -> Iterable[tuple[str, float, float, str]]:
    """Return each text of a page with its place and its kind: a heading, the head of a table, or another."""
    found: list[tuple[str, float, float, str]] = []

    def visit(text: str, _cm: Any, matrix: Any, font: Any, size: float) -> None:
        if text.strip() and matrix[5] > FOOT:
            name = font["/BaseFont"] if font else ""
            kind = "" if "Bold" not in name else "heading" if "Courier" in name or size > CELL else "head"
            found.append((text.strip(), matrix[4], matrix[5], kind))

    page.extract_text(visitor_text=visit)
    return found


class UnreadableError(LookupError):
    """No sentence says a rule, or one was left over that no rule is taken from."""


class Words:
    """Sentences, each of which is taken once."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._left = list(sentences)

    def say(self, rule: str) -> dict[str, str]:
        """Return what the sentence that says `rule` has in its places; raise `UnreadableError` where none says it.

        A place is a name (`{pays}`), a row of numbers (`{counts:row}`), or one of several words (`{not:is|is not}`).
        """
        pattern = re.compile(_PLACE.sub(_place, re.escape(rule)))
        found = [(sentence, said) for sentence in self._left if (said := pattern.fullmatch(sentence))]
        if len(found) != 1:
            raise UnreadableError(f"{len(found)} sentences say: {rule}")
        ((sentence, said),) = found
        self._left.remove(sentence)
        return said.groupdict()

    def end(self) -> None:
        """Raise `UnreadableError` where a sentence was not taken."""
        if self._left:
            raise UnreadableError(f"not understood: {self._left}")


_PLACE = re.compile(r"\\\{(\w+)(?::(.*?))?\\\}")


def _place(match: re.Match[str]) -> str:
    name, kind = match.groups()
    if kind is None:
        return rf"(?P<{name}>\w+)"
    return rf"(?P<{name}>\d+(?:, \d+)*)" if kind == "row" else rf"(?P<{name}>{kind.replace(chr(92) + '|', '|')})"


def numbers(said: str) -> list[int]:
    """Return a row of numbers."""
    return [int(number) for number in said.split(", ")]


class Filed:
    """A sheet as HTML: its constants, what the table of identity says, and the words of its order and of its notes."""

    def __init__(self, text: str) -> None:
        page = _Page(text)
        self.constants = constants(page.tables)
        self.returns = returns(page.tables)
        self.identity = {row[0]: row[1] for heading, rows in page.tables if heading == "Identity" for row in rows}
        steps = next(rows for heading, rows in page.tables if heading == "Order of evaluation")
        assert steps[0] == ["step", "what happens"]
        self.order = Words([said for _, said in steps[1:]])
        self.notes = Words(page.paragraphs)


def constants(tables: Titled) -> dict[str, Any]:
    """Return the constants that the tables hold, as the PAR sheet's JSON holds them."""
    found: dict[str, Any] = {}
    for heading, rows in tables:
        head, *body = rows
        if head[0] == "stop":
            name, window = heading.split(": window of ")
            strips = [" ".join(row[reel] for row in body if row[reel]) for reel in range(1, len(head))]
            found[name] = {"rows": int(window.split()[0]), "strips": strips}
        elif head == ["amount", "weight"]:
            *pairs, total = body
            found[heading] = {"weights": [[_value(a), int(w)] for a, w in pairs], "total": int(total[1])}
        elif head[0] == "symbol" and all(count.isdigit() for count in head[1:]):
            found[heading] = {
                row[0]: [[int(n), int(pay)] for n, pay in zip(head[1:], row[1:], strict=True) if pay] for row in body
            }
        elif head == ["name", "value"]:
            found[heading] = {str(_value(key)): _value(value) for key, value in body}
        elif head == ["for", "value"]:
            found[heading] = [[_value(key), _value(value)] for key, value in body]
        elif head == ["number", "entries"]:
            found[heading] = [_value(entry) for _, entry in body]
        elif head == ["value"]:
            found[heading] = _value(body[0][0]) if body else ""
    return found


def returns(tables: Titled) -> list[dict[str, str]]:
    """Return the rows of the table of returns, by its head."""
    rows = next(rows for heading, rows in tables if heading == "Return of every bet and state")
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def _value(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell
