"""A full clear of a whole cabinet in real processes: ordered at its panel, finished by the next supervisor (U.8)."""

from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.books.rotation import seal_of, sealed_files
from controller.system.host import EXIT_RESTART
from tests.rigs.display_client import DisplayClient
from tests.rigs.hall import TECHNICIAN_TYPED, Hall
from tests.rigs.patience import PATIENCE_S
from ui.protocol.messages import ServicePage


class Menu:
    """The open service menu as a display shows it, and the panel's buttons under it."""

    def __init__(self, hall: Hall, display: DisplayClient) -> None:
        self._hall = hall
        self._display = display

    @property
    def page(self) -> ServicePage | None:
        """The page that is shown, if the menu is open."""
        return self._display.snapshots[-1].view.pages.service if self._display.snapshots else None

    def tap(self, button: str) -> None:
        """Press a button, and wait for what comes of it on the screen."""
        before = len(self._display.snapshots)
        self._hall.hand.do(f"tap {button}")
        self._display.serve_until(lambda: len(self._display.snapshots) > before)
        self._display.serve(0.15)

    def enter(self, code: str) -> None:
        """Move down to the row that leads there, and enter it."""
        assert self.page is not None
        rows = [row.code or row.label for row in self.page.rows]
        for _ in range(rows.index(code) - self.page.focus):
            self.tap("bet")
        self.tap("spin")


@pytest.mark.processes
def test_a_cleared_cabinet_starts_anew(tmp_path: Path) -> None:
    """The supervisor ends in order and asks to be started; the next one finishes the clear; both books are proved."""
    hall = Hall(tmp_path)
    display = DisplayClient(hall.run.display_socket)
    menu = Menu(hall, display)
    with hall.devices():
        with hall.supervisor() as supervisor:
            display.serve_until(lambda: display.state == "attract")
            hall.hand.do("door logic open")
            hall.hand.do("key technician on")
            display.serve_until(lambda: menu.page is not None)
            for button in TECHNICIAN_TYPED:
                menu.tap(button)
            display.serve_until(lambda: menu.page is not None and bool(menu.page.rows))
            menu.enter("U")
            menu.enter("U.8")
            menu.enter("Clear everything and begin anew")
            menu.tap("spin")
            for button in ("lines", "spin", "lines"):
                menu.tap(button)
            hall.hand.do("tap spin")
            assert supervisor.wait(PATIENCE_S) == EXIT_RESTART
        assert seal_of(hall.run.journal) is not None
        with hall.supervisor():
            display.serve_until(lambda: display.state in ("attract", "tilted"))
            assert hall.meter("power_ups") == 1
            assert hall.books.rows("SELECT code FROM events WHERE code = 'full_clear'") == [("full_clear",)]
    display.close()
    (kept,) = sealed_files(hall.run.journal)
    for path in (hall.run.journal, kept):
        assert audit(path, lambda *_: None).failures == []
