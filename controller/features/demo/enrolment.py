"""Enrols a demo's cabinet at a venue: a technician with a key, a new PIN and the venue's one-time code."""

from contextlib import suppress
from pathlib import Path

from controller.features.console.client import Console, MenuClosedError, NoSupervisorError
from controller.features.demo.scripted_player import ScriptedPlayer, StoryError
from controller.features.venue.page import CONNECTED, ENROLLED
from controller.features.venue.relayed import NO_LINK
from controller.journal.templates import filled

TECHNICIAN, PIN = "DEMO", "258014"
_PATIENCE_S = 60.0
_MOST_TRIES = 30


def enrol(player: ScriptedPlayer, console_socket: Path, code: str) -> None:
    """Type the code on page U.13 of the service menu, with the main door open as that page requires.

    Returns once the cabinet is connected. Raises `StoryError` if the menu does not open, the venue refuses the code, or
    the cabinet does not connect.
    """
    player.until_front("the cabinet is on", lambda front: front.lamps["service"], _PATIENCE_S)
    player.client.do("door main open")
    player.client.do("key technician on")
    console = player.until("the service menu opens", lambda: _opened(console_socket), _PATIENCE_S)
    with console:
        player.until("the menu has a page", lambda: _shows_page(console))
        while console.look().gate:
            if console.page.entry:
                console.type(TECHNICIAN if console.page.entry_kind == "text" else PIN)
            else:
                player.pause(0.1)
        console.go("U.13")
        for _ in range(_MOST_TRIES):
            said = _typed(player, console, code.replace(" ", ""))
            if not said.endswith(NO_LINK):
                break
            player.pause(1.0)  # the link's process has not connected yet
        if said != ENROLLED:
            raise StoryError(f"the cabinet is not enrolled: {said}")
        player.until("the cabinet is connected", lambda: _is_connected(console), _PATIENCE_S)
    player.client.do("key technician off")
    player.client.do("door main close")
    player.report("Enrolled at the venue, and connected.")


def _typed(player: ScriptedPlayer, console: Console, code: str) -> str:
    """Type the code and return the page's message."""
    entry = next(at for at, row in enumerate(console.page.rows) if row.label.startswith("Enrol"))
    console.press(f"service:row:{entry}")
    console.type(code)
    player.until("the venue answers", lambda: console.look().message, _PATIENCE_S)
    return filled(console.page.message, console.page.figures)


def _is_connected(console: Console) -> bool:
    return any((row.label, row.value) == ("The venue is", CONNECTED) for row in console.look().rows)


def _opened(path: Path) -> Console | None:
    with suppress(NoSupervisorError):
        return Console(path)
    return None


def _shows_page(console: Console) -> bool:
    with suppress(MenuClosedError):
        console.look()
    return console.sheet.page is not None
