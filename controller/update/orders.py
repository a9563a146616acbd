"""What supervisor and updater tell each other of an update, in small files: the wish, the trial, how it ended.

The supervisor may change no program. It writes what is wanted into the run directory, which power does not outlive;
`controller.update.updating`, root's, does it and answers in a folder of its own that everybody may read.
"""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from controller.files.bounded import ForeignFileError, read_bounded
from controller.files.durable import flush_folder, write_durably
from controller.update.bundle import SUFFIX
from ui.messages import UnreadableError, decoder

STATE = Path("/var/lib/cabinet-update")
"""The updater's folder."""
INTENT, OUTCOME = "intent.json", "outcome.json"
WANTED, REPORT = "update-wanted", "update-report"
"""In the run directory: what the supervisor wants, and how it fares while it is on trial."""
INBOX = "bundles"
"""Beside the journal: where the supervisor puts the bundle."""
LARGEST_BYTES = 64 * 1024

T = TypeVar("T")


class Act(StrEnum):
    """What is to be done: a bundle in place of the program, or the program of before."""

    INSTALL = "install"
    BACK = "back"


class Wish(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the supervisor wants: `id` names it in every answer, `bundle` is a file's name in the inbox."""

    id: str
    act: Act
    bundle: str = ""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What the updater is about; while it stands, the program that runs is on trial and plays nothing.

    `tree` is the mark of the tree that is to be the program (`controller.update.trees.mark_of`), `migrations` what
    the program of before knows of the journal. From `exchanging` on the trees may have changed places.
    """

    id: str
    act: Act
    old: str
    new: str
    tree: int
    migrations: tuple[str, ...]
    exchanging: bool = False


class End(StrEnum):
    """How an update ended: the new program plays, the old one does again, or nothing was ever touched.

    `KEPT` is the new program that was not found well and stayed all the same, because going back would forget money.
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
    """How the update `id` from version `old` to `new` ended; `detail` is for the log."""

    id: str
    act: Act
    old: str
    new: str
    end: End
    why: Why = Why.NOTHING
    detail: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How a supervisor on trial fares: which process of which version, when by the monotonic clock, and what it lacks.

    It would play if it were let where `lacks` is empty. One that is `locked` stays so until it is started again.
    """

    pid: int
    version: str
    at_s: float
    lacks: tuple[str, ...]
    locked: bool = False


class OrderError(ValueError):
    """A file is not what one of these must be."""


class Folders(NamedTuple):
    """Where everything lies; another root in tests."""

    program: Path = Path("/opt/cabinet")
    state: Path = STATE
    run: Path = Path("/run/cabinet")
    release: Path = Path("/etc/cabinet/release.pem")

    @property
    def stage(self) -> Path:
        """The other tree of an update: the new one until they change places, then the old one."""
        return self.program.with_name(self.program.name + ".update")

    @property
    def previous(self) -> Path:
        """The program of before the newest update."""
        return self.program.with_name(self.program.name + ".previous")

    @property
    def intent(self) -> Path:
        """What the updater is about."""
        return self.state / INTENT

    @property
    def outcome(self) -> Path:
        """How the newest update ended."""
        return self.state / OUTCOME

    @property
    def wanted(self) -> Path:
        """What the supervisor wants."""
        return self.run / WANTED

    @property
    def report(self) -> Path:
        """How a supervisor on trial fares."""
        return self.run / REPORT


THIS_MACHINE = Folders()


def read(path: Path, kind: type[T]) -> T | None:
    """Return what a file holds, None where there is no file; raise `OrderError` for what is none of that kind.

    It may be another user's, who may have put anything there.
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
    """Write one of these, whole or not at all, for everybody to read."""
    write_durably(path, msgspec.json.encode(order) + b"\n")


def forget(path: Path) -> None:
    """Have a file be gone, durably."""
    path.unlink(missing_ok=True)
    flush_folder(path.parent)


def is_plain(name: str) -> bool:
    """Whether a name is that of a bundle in the inbox, and no way to anywhere else."""
    return name == Path(name).name and name.endswith(SUFFIX) and name.isprintable() and not name.startswith(".")
