"""The regulators' sheet as PDF, by fpdf2 (pip install 'cabinet[sheets]'): the same bytes each time."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, WrapMode
from fpdf.fonts import FontFace

from gamekit.designer.regulator import Block, Heading, Table, Text

_SIZES = {1: 18, 2: 13, 3: 9}
_BODY, _CELL = 9, 7
_SMALLEST = 4.5
_PADDING_MM = 2.4


class LetterError(ValueError):
    """The sheet has a letter that the PDF's built-in fonts lack."""


class _Sheet(FPDF):
    def footer(self) -> None:
        """Number the page."""
        self.set_y(-12)
        self.set_font("Helvetica", size=7)
        self.cell(0, 5, f"{self.page_no()} / {{nb}}", align="R")


def as_pdf(blocks: Iterable[Block]) -> bytes:
    """Return `blocks` as a PDF; raise `LetterError` for what its fonts, those of Latin-1, cannot write."""
    pdf = _Sheet(format="A4")
    # The sheet has no time of its own: the same maths give the same file.
    pdf.set_creation_date(datetime(2000, 1, 1, tzinfo=UTC))
    pdf.set_margins(14, 14)
    pdf.set_auto_page_break(auto=True, margin=16)
    pdf.add_page()
    for block in blocks:
        match block:
            case Heading(level, text):
                if level == 1:
                    pdf.set_title(_letters(text))
                if pdf.will_page_break(28):
                    pdf.add_page()
                pdf.ln(2 if level > 1 else 0)
                pdf.set_font("Courier" if level == max(_SIZES) else "Helvetica", "B", _SIZES[level])
                pdf.multi_cell(0, None, _letters(text), new_x="LMARGIN", new_y="NEXT")
                pdf.ln(1)
            case Text(text):
                pdf.set_font("Helvetica", size=_BODY)
                pdf.multi_cell(
                    0,
                    None,
                    _letters(text),
                    new_x="LMARGIN",
                    new_y="NEXT",
                    align="L",
                    wrapmode=WrapMode.WORD if " " in text else WrapMode.CHAR,
                )
                pdf.ln(1.5)
            case Table(head, rows):
                _table(pdf, [[_letters(cell) for cell in row] for row in (head, *rows)])
    return bytes(pdf.output())


def _table(pdf: FPDF, rows: Sequence[Sequence[str]]) -> None:
    size, widths = _widths(pdf, rows)
    pdf.set_font("Helvetica", size=size)
    with pdf.table(
        col_widths=widths,
        width=min(sum(widths), pdf.epw),
        align="LEFT",
        text_align="LEFT",
        line_height=size * 0.45,
        padding=0.4,
        borders_layout=TableBordersLayout.ALL,
        headings_style=FontFace(emphasis="BOLD", fill_color=(232, 232, 232)),
    ) as table:
        for row in rows:
            drawn = table.row()
            for cell in row:
                drawn.cell(cell)
    pdf.ln(2)


def _widths(pdf: FPDF, rows: Sequence[Sequence[str]]) -> tuple[float, tuple[float, ...]]:
    """Return the size of type at which no word of a table's cells is broken, and its columns' widths in millimetres."""
    size = float(_CELL)
    while True:
        pdf.set_font("Helvetica", "B", size)
        words = [
            max((pdf.get_string_width(word) for row in rows for word in row[column].split()), default=0) + _PADDING_MM
            for column in range(len(rows[0]))
        ]
        if sum(words) <= pdf.epw or size <= _SMALLEST:
            break
        size -= 0.5
    whole = [max(pdf.get_string_width(row[column]) for row in rows) + _PADDING_MM for column in range(len(rows[0]))]
    room = pdf.epw - sum(words)
    more = sum(whole) - sum(words)
    share = min(1.0, max(0.0, room / more)) if more else 0.0
    return size, tuple(word + share * (full - word) for word, full in zip(words, whole, strict=True))


def _letters(text: str) -> str:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError as error:
        raise LetterError(
            f"the PDF's fonts have no {text[error.start]!r}: write the sheet as HTML and print that"
        ) from error
    return text
