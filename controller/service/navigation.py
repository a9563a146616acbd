"""The path of pages that leads to the current page of the service menu, and the cursor on its rows."""

from collections.abc import Sequence

from controller.service import tree
from controller.service.keys import FRESH, first_of, moved
from controller.service.page import Line, Page


class Navigation:
    """The open pages by code, each with its cursor; `lines` are those of the current one.

    An empty code is the whole menu, a letter a section. Pages that are not in the menu's tree are kept while open.
    """

    def __init__(self) -> None:
        self.lines: tuple[Line, ...] = ()
        self._path: list[tuple[str, int]] = []
        self._found: dict[str, Page] = {}

    @property
    def code(self) -> str:
        """The code of the current page."""
        return self._path[-1][0]

    @property
    def focus(self) -> int:
        """The row of the cursor."""
        return self._path[-1][1]

    @property
    def page(self) -> Page | None:
        """The current page, None for the whole menu or a section."""
        return self._found.get(self.code) or tree.pages().get(self.code)

    def start(self, focus: int = 0) -> None:
        """Go to the first page, with the cursor on a row."""
        self._path = [("", focus)]

    def close(self) -> None:
        """Leave all pages."""
        self._path, self.lines, self._found = [], (), {}

    def jump(self, code: str) -> None:
        """Go to a section or page by its code; `back` then leads to its section."""
        self._found.clear()
        self._path = [("", FRESH), (code[0], FRESH), *([(code, FRESH)] if code[1:] else [])]

    def enter(self, code: str) -> None:
        """Open a section or page of the menu's tree."""
        self._found.pop(code, None)
        self._path.append((code, FRESH))

    def open(self, page: Page) -> None:
        """Open a page; another page of the same list is replaced."""
        self._found[page.code] = page
        if page.code == self.code:
            self._path.pop()
        self._path.append((page.code, FRESH))

    def back(self) -> bool:
        """Leave the current page; return False on the first page."""
        if len(self._path) == 1:
            return False
        self._path.pop()
        return True

    def move(self, key: str) -> None:
        """Move the cursor."""
        self._path[-1] = (self.code, moved(self.focus, key, len(self.lines)))

    def select(self, row: int) -> object:
        """Move the cursor to a row; return what it leads to, None if nothing."""
        self._path[-1] = (self.code, row)
        return self.lines[row].leads if row < len(self.lines) else None

    def show(self, lines: Sequence[Line]) -> None:
        """Take the lines of the current page; a new page has its cursor on the first row that leads somewhere."""
        self.lines, focus = tuple(lines), self.focus
        place = first_of(self.lines) if focus == FRESH else max(0, min(focus, len(self.lines) - 1))
        self._path[-1] = (self.code, place)
