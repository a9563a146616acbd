"""What tests of sheets share: a page that is read, a percentage as it is written, what a module imports."""

import ast
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path


class Page(HTMLParser):
    """The cells of all tables, in order, and the number of plots; complains about tags left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.plots = 0
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # as called
        if tag != "meta":
            self.open.append(tag)
        self.plots += tag == "svg"
        if tag == "td":
            self.cells.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that closes itself leaves nothing open."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "td":
            self.cells[-1] += data


def percent(value: Fraction) -> str:
    """Return `value` as the sheets write percentages."""
    return f"{round(value * 10**8) / 10**6:.6f}"


def imported_by(module: object) -> set[str]:
    """Return what a module imports."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))  # type: ignore[attr-defined]
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return imported | {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
