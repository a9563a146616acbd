"""The small files between supervisor and updater: the request, the trial's report, and the outcome.

The supervisor may not change programs. It writes its request into the run directory, which does not outlive the power;
`controller.features.update.updating`, run by root, carries it out and answers in a folder that everybody may read.
"""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from common.decoding import UnreadableError, decoder
from controller.features.update.bundle import SUFFIX
from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import flush_folder, write_durably
from controller.files.own_files import JSON

STATE = Path("/var/lib/cabinet-update")
"""The updater's folder."""
INTENT, OUTCOME = "intent.json", "outcome.json"
WANTED, REPORT = "update-wanted", "update-report"
"""In the run directory: the supervisor's request, and its report while it is on trial."""
INBOX = "bundles"
"""Beside the journal: the folder in which the supervisor puts the bundle."""
LARGEST_BYTES = 64 * 1024

T = TypeVar("T")


class Act(StrEnum):
    """The kind of update: install a bundle, or go back to the previous program."""

    INSTALL = "install"
    BACK = "back"


class Wish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The supervisor's request: `id` names it in every answer, `bundle` is a file's name in the inbox."""

    id: str
    act: Act
    bundle: str = ""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """The update in progress; while it exists, the running program is on trial and plays nothing.

    `tree` is the mark of the tree that will be the program (`controller.features.update.trees.mark_of`), `migrations`
    are those of the previous program. From `exchanging` on the trees may have been exchanged.
    """

    id: str
    act: Act
    old: str
    new: str
    tree: int
    migrations: tuple[str, ...]
    exchanging: bool = False


class End(StrEnum):
    """How an update ended: with the new program, with the old one again, or refused.

    `KEPT` is a new program that failed its trial but stays, because going back would lose money.
    """

    DONE = "done"
    UNDONE = "undone"
    REFUSED = "refused"
    KEPT = "kept"


class Why(StrEnum):
    """Why an update was refused or undone, in the screen's words."""

    NOTHING = ""
    BUNDLE = "The bundle is not whole or not the maker's"
    UNFIT = "The bundle is for another kind of machine"
    ROOM = "There is not enough room on the disk"
    NO_PREVIOUS = "There is no program of before"
    JOURNAL = "A game is open, or the older program would forget money"
    SYSTEM = "The system did not do what it was asked for"
    POWER = "The power was off before it had proved itself"
    ENDED = "The new program failed"
    UNWELL = "The new program was not ready in time"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of the update `id` from version `old` to `new`; `detail` is for the log."""

    id: str
    act: Act
    old: str
    new: str
    end: End
    why: Why = Why.NOTHING
    detail: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The report of a supervisor on trial: process, version, monotonic time, and what it lacks.

    It is ready to play if `lacks` is empty. A `locked` one stays locked until it is restarted.
    """

    pid: int
    version: str
    at_s: float
    lacks: tuple[str, ...]
    locked: bool = False


class OrderError(ValueError):
    """A file is not a valid message."""


class Folders(NamedTuple):
    """The paths of the files; another root in tests."""

    program: Path = Path("/opt/cabinet")
    state: Path = STATE
    run: Path = Path("/run/cabinet")
    release: Path = Path("/etc/cabinet/release.pem")

    @property
    def stage(self) -> Path:
        """The other tree of an update: the new one until the exchange, then the old one."""
        return self.program.with_name(self.program.name + ".update")

    @property
    def previous(self) -> Path:
        """The program before the newest update."""
        return self.program.with_name(self.program.name + ".previous")

    @property
    def intent(self) -> Path:
        """The update in progress."""
        return self.state / INTENT

    @property
    def outcome(self) -> Path:
        """The outcome of the newest update."""
        return self.state / OUTCOME

    @property
    def wanted(self) -> Path:
        """The supervisor's request."""
        return self.run / WANTED

    @property
    def report(self) -> Path:
        """The report of a supervisor on trial."""
        return self.run / REPORT


THIS_MACHINE = Folders()


def is_on_trial() -> bool:
    """Whether this machine's program is on trial."""
    return THIS_MACHINE.intent.exists()


def read(path: Path, kind: type[T]) -> T | None:
    """Return the content of a file, None if it does not exist; raise `OrderError` if it is invalid.

    The file may be another user's, so nothing in it is trusted.
    """
    try:
        content = read_bounded(path, LARGEST_BYTES)
    except FileNotFoundError:
        return None
    except ForeignFileError as error:
        raise OrderError(str(error)) from error
    except OSError as error:
        raise OrderError(f"{path}: {error.strerror}") from error
    try:
        order: T = decoder(kind)(content)
    except UnreadableError as error:
        raise OrderError(f"{path}: {error}") from error
    return order


def write(path: Path, order: msgspec.Struct) -> None:
    """Write a message, whole or not at all, readable for everybody."""
    write_durably(path, msgspec.json.encode(order) + b"\n", JSON)


def forget(path: Path) -> None:
    """Delete a file durably."""
    path.unlink(missing_ok=True)
    flush_folder(path.parent)


def is_plain(name: str) -> bool:
    """Whether a name is that of a bundle in the inbox, and not a path."""
    return name == Path(name).name and name.endswith(SUFFIX) and name.isprintable() and not name.startswith(".")
