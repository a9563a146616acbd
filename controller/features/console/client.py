"""The console's end of the socket: request the page, press its controls, and wait for the outcome.

ConsoleError (RuntimeError)       the menu cannot be used from here; `exit_code` is the script's
├── NoSupervisorError (ConnectionError)   no process serves the socket
├── NotServedError (PermissionError)      the socket or the supervisor refuses this user
├── MenuClosedError                        no key is turned at the cabinet
├── NotThereError (LookupError)            this page, row or key is not available now
└── SupervisorGoneError (ConnectionError)  the supervisor ended meanwhile
"""

import os
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from common.decoding import UnreadableError
from common.error_words import error_words
from controller.features.console.words import (
    MOST_BYTES,
    Denied,
    Look,
    Push,
    Sheet,
    ToSupervisor,
    decode_to_console,
    encode,
)
from ui.protocol.messages import ServicePage

_PATIENCE_S = 30.0
_SHIFT = "aA"


class ConsoleError(RuntimeError):
    """The menu cannot be used from here."""

    exit_code = 1


class NoSupervisorError(ConsoleError, ConnectionError):
    """No process serves the socket."""

    exit_code = 3


class NotServedError(ConsoleError, PermissionError):
    """The socket or the supervisor refuses this user."""

    exit_code = 4


class MenuClosedError(ConsoleError):
    """No key is turned at the cabinet, or the menu has closed."""

    exit_code = 5


class NotThereError(ConsoleError, LookupError):
    """The page, row or key is not available now."""

    exit_code = 6


class SupervisorGoneError(ConsoleError, ConnectionError):
    """The supervisor ended or stopped answering."""

    exit_code = 7


class Console:
    """An open console; a context manager. `sheet` is the newest page received."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(_PATIENCE_S)
        try:
            self._socket.connect(os.fspath(path))
        except PermissionError as error:
            self._socket.close()
            raise NotServedError(f"{path}: this user may not use it; take root or the supervisor's user") from error
        except OSError as error:
            self._socket.close()
            raise NoSupervisorError(
                f"{path}: no supervisor listens there ({error.strerror}); is it running?"
            ) from error
        try:
            self.sheet = self._ask(Look())
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect; the menu at the cabinet stays as it is."""
        self._socket.close()

    @property
    def page(self) -> ServicePage:
        """The page; raises `MenuClosedError` if there is none."""
        page = self.sheet.page
        if page is None:
            why = f" The machine is locked: {self.sheet.locked}." if self.sheet.locked else ""
            raise MenuClosedError(f"The service menu is closed: turn a key switch at the cabinet.{why}")
        return page

    def look(self) -> ServicePage:
        """Request the current page."""
        self.sheet = self._ask(Look())
        return self.page

    def press(self, control: str) -> ServicePage:
        """Press a control of the page; raises `NotThereError` if it is not live, or if the page has changed."""
        if control not in self.sheet.controls:
            raise NotThereError("That does nothing here")
        self.sheet = self._ask(Push(control, self.sheet.turn))
        if self.sheet.stale:
            raise NotThereError("The page has changed meanwhile: look again")
        return self.page

    def go(self, code: str) -> ServicePage:
        """Open the page of that code, row by row; raises `NotThereError` if no row leads to it."""
        page = self.look()
        if page.entry or page.question:
            raise NotThereError("Something is being typed or asked: answer it, or leave it with BACK, first")
        way = _way_to(code)
        while page.code not in way:
            page = self.press("service:back")
        while page.code != way[-1]:
            left = way[way.index(page.code) + 1 :]
            rows = {row.code: number for number, row in enumerate(page.rows) if row.leads and row.code in left}
            if not rows:
                raise NotThereError(f"No row leads to {left[0]} here, for the {page.who}")
            step = max(rows, key=left.index)
            page = self.press(f"service:row:{rows[step]}")
            if page.code != step:
                raise NotThereError(page.message or f"{step} does not open now")
        return page

    def type(self, words: str) -> ServicePage:
        """Type a whole entry and end it: digits, the words of a choice, a text, or a page's code."""
        page = self.page
        if page.entry_kind == "choice":
            if words not in page.options:
                raise NotThereError(f"Choose one of: {', '.join(page.options)}")
            return self.press(f"service:choice:{page.options.index(words)}")
        if page.entry_kind == "card":
            raise NotThereError("Present the card to the reader of the cabinet, then show the page again")
        if page.entry_kind == "code":
            return self._type_code(words)
        for character in words:
            self._type_one(character)
        return self.press("service:done")

    def _type_code(self, code: str) -> ServicePage:
        """Type a page's code, which ends itself as soon as it is unique."""
        for letter in (character for character in code.upper() if character.isalnum()):
            if not self.page.entry or letter not in self.page.options:
                raise NotThereError(f"There is no page {code}")
            self.press(f"service:letter:{self.page.options.index(letter)}")
        return self.press("service:done") if self.page.entry else self.page

    def _type_one(self, character: str) -> None:
        page = self.page
        if page.entry_kind != "text":
            if not (character.isascii() and character.isdigit()):
                raise NotThereError("Digits only")
            self.press(f"service:digit:{character}")
            return
        if character not in page.options and _SHIFT in page.options:
            page = self.press(f"service:letter:{page.options.index(_SHIFT)}")
        if character not in page.options:
            raise NotThereError(f"The cabinet has no letter {character!r}")
        self.press(f"service:letter:{page.options.index(character)}")

    def answer(self, *, yes: bool) -> ServicePage:
        """Answer the open question."""
        if self.page.yes is not yes:
            self.press("service:up")
        return self.press("service:enter")

    def _ask(self, message: ToSupervisor) -> Sheet:
        try:
            self._socket.sendall(encode(message))
            packet = self._socket.recv(MOST_BYTES)
        except OSError as error:
            packet = b""
            gone = error_words(error)
        else:
            gone = "it closed the connection"
        if not packet:
            raise SupervisorGoneError(f"The supervisor ended or answers no more ({gone})")
        try:
            answer = decode_to_console(packet)
        except UnreadableError as error:
            raise SupervisorGoneError(f"The supervisor speaks otherwise than this program ({error})") from error
        if isinstance(answer, Denied):
            raise NotServedError(answer.reason)
        return answer


def _way_to(code: str) -> list[str]:
    """Return the codes on the way from the whole menu (an empty code) to a page."""
    parts = code.split(".")
    return ["", *(".".join(parts[: count + 1]) for count in range(len(parts)))] if code else [""]
