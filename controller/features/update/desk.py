"""The running program as the venue sees it (`controller.machine.program.Program`)."""

import secrets
from importlib.metadata import version
from pathlib import Path
from typing import Any

from controller.features.update.inbox import make_room, numbers, proved, refuse_unless_idle
from controller.features.update.orders import INBOX, Act, End, Folders, Why, Wish
from controller.features.update.software_watch import SoftwareWatch
from controller.features.update.trial_watch import UpdateTrial
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import EventKind
from controller.journal.schema import NAMES
from controller.journal.transaction import Transaction
from controller.machine.program import Bundle, Ended


class ProgramDesk:
    """The verification and the updates of one machine, whose journal is at `journal`."""

    def __init__(self, software: SoftwareWatch, trial: UpdateTrial, journal: Path) -> None:
        self.inbox = journal.with_name(INBOX)
        self._software = software
        self._trial = trial

    @property
    def is_authentic(self) -> bool | None:
        """Whether it was as signed at the newest verification; None before the first."""
        return self._software.is_authentic

    @property
    def trial(self) -> str:
        """The state of an update."""
        return self._trial.state

    @property
    def takes_bundles(self) -> bool:
        """Whether this machine can be updated."""
        return self._trial.folders is not None

    def make_room(self, size: int, *, but: str) -> None:
        """Remove all bundles from the inbox but one."""
        make_room(self.inbox, size, but=but)

    def examine(self, bundle: Path) -> Bundle:
        """Verify a bundle in the inbox."""
        head, own = proved(bundle, self._folders), version("cabinet")
        return Bundle(
            version=head.version,
            is_running=head.version == own,
            unfit=head.unfit(),
            is_older=numbers(head.version) < numbers(own),
            loses=not set(NAMES) <= set(head.migrations),
        )

    def ask(self, tx: Transaction, bundle: str, event: EventKind, **figures: Any) -> str:
        """Record the request to install a bundle."""
        refuse_unless_idle(tx)
        wish = _wish(secrets.token_hex(8), bundle)
        self._trial.ask(tx, wish, event, **figures)
        return wish.id

    async def send(self, request: str, bundle: str) -> None:
        """Send the recorded request to the updater."""
        await self._trial.send(_wish(request, bundle))

    def is_asked(self, tx: Transaction, request: str) -> bool:
        """Whether a request still waits for an answer."""
        return self._trial.is_asked(tx, request)

    def ended(self, request: str) -> Ended | None:
        """Return how the requested update ended."""
        outcome = self._trial.newest()
        if outcome is None or outcome.id != request:
            return None
        return Ended(outcome.end is End.DONE, outcome.end is End.REFUSED, outcome.detail or outcome.why)

    @property
    def _folders(self) -> Folders:
        if self._trial.folders is None:
            raise RefusedError(Why.SYSTEM)
        return self._trial.folders


def _wish(request: str, bundle: str) -> Wish:
    return Wish(id=request, act=Act.INSTALL, bundle=bundle)
