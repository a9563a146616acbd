"""Every reason why the journal refuses to go on; each stops play with a screen in plain words.

JournalError (controller.errors.LockingError)
├── JournalBusyError (BlockingIOError)   another supervisor holds this journal
├── CorruptJournalError (ValueError)     the file is damaged, or its books do not balance
├── NewerJournalError (ValueError)       a newer program wrote it
├── JournalStorageError (OSError)        the disk is full, read-only or failing
├── JournalSetupError (ValueError)       SQLite did not take a setting that the books rely on
├── SimulatedJournalError (ValueError)   a demo's journal in a real cabinet, or the reverse
└── RefusedError (ValueError)            a transaction would break a rule of the books (nothing was written)
"""

from controller.errors import LockingError
from controller.journal.templates import filled


class JournalError(LockingError):
    """The journal cannot be used; `code` names the fault, the message is for people."""

    code = "journal"


class JournalBusyError(JournalError, BlockingIOError):
    """Another supervisor holds this journal."""

    code = "journal_busy"


class CorruptJournalError(JournalError, ValueError):
    """The file is damaged, or its books do not balance."""

    code = "journal_corrupt"


class NewerJournalError(JournalError, ValueError):
    """A newer program wrote this journal."""

    code = "journal_newer"


class JournalStorageError(JournalError, OSError):
    """The disk is full, read-only or failing."""

    code = "journal_storage"


class JournalSetupError(JournalError, ValueError):
    """SQLite did not take a setting that the books rely on."""

    code = "journal_setup"


class SimulatedJournalError(JournalError, ValueError):
    """A demo's journal in a real cabinet, or a real one in a demo."""

    code = "journal_simulated"


class RefusedError(JournalError, ValueError):
    """The transaction would break a rule of the books, or of the service menu; nothing was written.

    `template` says why, to be translated; its `figures` are filled in by name: those that end in `_cents` are amounts,
    texts are translated too.
    """

    code = "journal_refused"

    def __init__(self, template: str, **figures: str | int) -> None:
        self.template = template
        self.figures = figures
        super().__init__(filled(template, figures))
