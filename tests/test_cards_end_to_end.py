"""Staff cards on a cabinet of real processes: a wedge on a pty, the supervisor, the display, and the books after it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.features.cards import page as pages
from controller.features.console.client import Console, ConsoleError
from controller.service.pin_gate import WORDS
from drivers.simulated.bench.frame_mirror import FrameMirror
from tests.rigs.hall import Hall
from tests.rigs.patience import PATIENCE_S, until
from tests.rigs.people import NAME, PIN, pad_presses
from ui.protocol.messages import ServicePage

CARD, OTHER = "0012345678", "04A1B2C3D4E5F6"


class Lobby(Hall):
    """A hall with a display, whose cards and key mean what `mode` says."""

    def __init__(self, folder: Path, mode: str) -> None:
        super().__init__(folder)
        written = self.run.configuration.read_text()
        assert written.count('mode = "instead"') == 1
        self.run.configuration.write_text(written.replace('mode = "instead"', f'mode = "{mode}"'))
        self.mirror = FrameMirror(self.run.frame_mirror)

    @contextmanager
    def cabinet(self) -> Iterator[None]:
        """Supervisor and display, shown."""
        run = self.run
        sockets = ("--socket", run.display_socket, "--touch", run.touch_socket, "--frame-mirror", run.frame_mirror)
        with (
            self.supervisor(),
            self.process("ui", *map(str, sockets), "--baked", "build/baked", SDL_VIDEODRIVER="dummy"),
        ):
            until(self.mirror.alive)
            yield

    def page(self) -> ServicePage | None:
        """The page of the menu, asked for over its socket; None while it is closed."""
        try:
            with Console(self.run.path / "console.sock") as console:
                return console.look()
        except ConsoleError:
            return None

    def shows(self, holds: Callable[[ServicePage], object]) -> ServicePage:
        """Wait for a page of the menu."""
        deadline = time.monotonic() + PATIENCE_S
        while (page := self.page()) is None or not holds(page):
            assert time.monotonic() < deadline, page
            time.sleep(0.05)
        return page

    def turn(self, *, on: bool) -> None:
        """Turn the technician's key until the cabinet has seen it: one that has just started may miss it."""
        for _ in range(8):
            self.hand.do(f"key technician {'on' if on else 'off'}")
            if self._sees_menu(is_open=on):
                self.sees(lambda front: front.lamps["service"] is not on)
                return
            self.hand.do(f"key technician {'off' if on else 'on'}")
            time.sleep(0.5)  # an off and on within the debouncing would be no turn
        raise AssertionError("the menu does not follow the key")

    def _sees_menu(self, *, is_open: bool) -> bool:
        deadline = time.monotonic() + 10.0
        while (self.page() is not None) is not is_open:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def picture(self) -> bytes:
        """What the monitor shows once it has shown it for a moment."""
        frame = self.mirror.frame()
        while True:
            assert frame is not None
            time.sleep(0.5)
            latest = self.mirror.frame()
            assert latest is not None
            if latest.number == frame.number:
                return bytes(latest.pixels)
            frame = latest

    def enrol(self) -> None:
        """Set up the technician, and enrol a card on the person's page, as somebody at a keyboard does."""
        self.hand.do("door main open")
        self.turn(on=True)
        with Console(self.run.path / "console.sock") as console:
            while self.shows(lambda _page: True).gate:
                if console.look().entry:
                    console.type(NAME if console.page.entry_kind == "text" else PIN)
            console.go("C.7")
            console.press(f"service:row:{_row(console, NAME)}")
            console.press(f"service:row:{_row(console, 'Enrol')}")
            console.type("BLUE")
            for step in (pages.FIRST, pages.SECOND):
                self.shows(lambda page, step=step: page.entry == step.label)  # type: ignore[misc]
                self.hand.do(f"card {CARD}")
            self.shows(lambda page: page.message == pages.ENROLLED)
        self.turn(on=False)
        self.hand.do("door main close")

    def codes(self) -> list[str]:
        """The events about cards and PINs, oldest first."""
        rows = self.books.rows("SELECT code FROM events WHERE code LIKE 'card_%' OR code LIKE 'pin_%' ORDER BY seq")
        return [str(code) for (code,) in rows]


def _row(console: Console, words: str) -> int:
    rows = [f"{row.label} {row.place}" for row in console.look().rows]
    return next(at for at, label in enumerate(rows) if words in label)


@pytest.mark.processes
def test_a_card_opens_the_menu_in_place_of_the_pin(tmp_path: Path) -> None:
    """It is enrolled, refused where it is another, and opens the menu in its owner's name; after a restart too."""
    hall = Lobby(tmp_path, "instead")
    with hall.devices():
        with hall.cabinet():
            hall.enrol()
            hall.hand.do(f"card {CARD}")  # without a key it means nothing
            hall.turn(on=True)
            gate = hall.shows(lambda page: page.gate)
            assert gate.message == WORDS["or card"]
            before = hall.picture()
            hall.hand.do(f"card {OTHER}")
            hall.shows(lambda page: page.message not in ("", gate.message))
            hall.hand.do(f"card {CARD}")
            menu = hall.shows(lambda page: not page.gate)
            assert (menu.person, menu.message) == (NAME, "")
            assert hall.picture() != before
            hall.turn(on=False)
        with hall.cabinet():
            hall.turn(on=True)
            hall.shows(lambda page: page.gate)
            hall.hand.do(f"card {CARD}")
            assert hall.shows(lambda page: not page.gate).person == NAME
    assert hall.codes() == ["card_enrolled", "card_refused", "card_taken", "card_taken"]


@pytest.mark.processes
def test_with_pin_the_card_alone_opens_nothing(tmp_path: Path) -> None:
    """The card names its owner, whose PIN is typed at the panel; a restart in between asks for the card again."""
    hall = Lobby(tmp_path, "with-pin")
    with hall.devices():
        hall.hand.do("door logic open")  # the way to a cabinet's first cards
        with hall.cabinet():
            hall.enrol()
            hall.hand.do("door logic close")
            hall.turn(on=True)
            hall.shows(lambda page: page.gate and not page.entry)
            hall.hand.do(f"card {CARD}")
            assert hall.shows(lambda page: page.entry == "PIN").person == NAME
        hall.hand.do("key technician off")  # one that stays turned opens nothing at a start
        with hall.cabinet():
            hall.turn(on=True)
            hall.shows(lambda page: page.gate and not page.entry)
            hall.hand.do(f"card {CARD}")
            hall.shows(lambda page: page.entry == "PIN")
            for what in (*PIN, "done"):
                for button in pad_presses(what):
                    hall.hand.do(f"tap {button}")
                    time.sleep(0.15)
            assert hall.shows(lambda page: not page.gate).person == NAME
    assert hall.codes() == ["card_enrolled", "card_taken", "card_taken", "pin_granted"]
