"""The running program, for those who must know whether it is as it was signed, or bring another one."""

from pathlib import Path
from typing import Any, NamedTuple, Protocol

from controller.journal.event_catalogue import EventKind
from controller.journal.transaction import Transaction

ON_TRIAL, ASKED = "on_trial", "asked"


class Bundle(NamedTuple):
    """A program in the inbox, whole and the maker's.

    `is_running` is true for the version that runs now. `unfit` says why it does not run on this machine, empty if it
    does. An `is_older` one has a lower version; one that `loses` cannot read the present books.
    """

    version: str
    is_running: bool
    unfit: str
    is_older: bool
    loses: bool


class Ended(NamedTuple):
    """How an update ended, with the reason unless it is done."""

    is_done: bool
    is_refused: bool
    reason: str


class Program(Protocol):
    """What verifies the running program, and puts another one in its place."""

    @property
    def is_authentic(self) -> bool | None:
        """Whether it was as signed at the newest verification; None before the first."""

    @property
    def trial(self) -> str:
        """`ON_TRIAL` for a program on trial, `ASKED` while an update is requested, empty otherwise."""

    @property
    def takes_bundles(self) -> bool:
        """Whether this machine can be updated."""

    @property
    def inbox(self) -> Path:
        """The folder for bundles."""

    def make_room(self, size: int, *, but: str) -> None:
        """Remove all bundles from the inbox but the file `but`.

        Raises `RefusedError` without room for `size` bytes, and `OSError`.
        """

    def examine(self, bundle: Path) -> Bundle:
        """Verify a bundle in the inbox; raise `RefusedError` for one that is not whole or not the maker's."""

    def ask(self, tx: Transaction, bundle: str, event: EventKind, **figures: Any) -> str:
        """Record the request to install a bundle as `event` and return its id; raise `RefusedError` in play."""

    async def send(self, request: str, bundle: str) -> None:
        """Send the recorded request to the updater; raise `OSError`."""

    def is_asked(self, tx: Transaction, request: str) -> bool:
        """Whether the request with this id still waits for an answer."""

    def ended(self, request: str) -> Ended | None:
        """Return how the requested update ended, None if the newest update is another one."""
