"""What a chapter of the dossier is, and the run that it is written in."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup, escape

from tests.dossier.results import Outcome


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of the dossier: where it writes, the results of the tests, and how much it draws and plays."""

    out: Path
    made: datetime
    outcomes: Sequence[Outcome]
    games: Sequence[str]
    seed: int
    """Of the generator that is a control beside the operating system's, and of the rounds that are played."""
    spins: int
    """Paid spins of each game for the batteries."""
    rounds: int
    """Rounds of each game beside the exact figures."""
    samples: Path | None = None
    """A folder with bytes of an earlier run, on which the batteries run again."""


class Written(NamedTuple):
    """A chapter's Markdown, its headings from the second level on, and what the first page names first."""

    text: str
    open: Sequence[str] = ()


class Chapter(NamedTuple):
    """A chapter: its place among the others, its title, and the function that writes it."""

    order: int
    title: str
    write: Callable[[Run], Written]


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as HTML, whose cells are text or `Markup`."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{lines}</tbody></table>\n"


def attached(run: Run, name: str, words: str | None = None) -> Markup:
    """Return a link to a file of the dossier's folder."""
    if not (run.out / name).is_file():
        raise FileNotFoundError(f"the dossier has no {name}")
    return Markup('<a href="{}">{}</a>').format(name, words or name)


def moved_down(page: str) -> str:
    """Return a page of docs/ without its title, to stand below a heading of the second level."""
    lines, code = [], False
    for line in page.splitlines():
        code ^= line.startswith("```")
        if code or not line.startswith("#"):
            lines.append(line)
        elif line.startswith("##"):
            lines.append(f"#{line}")
    return "\n".join(lines)
