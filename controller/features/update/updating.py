"""The updater: installs a new program, watches its trial, and undoes it if it fails.

`python -m controller.features.update.updating take|judge|boot|mend` runs as root (`systemd/update`) and trusts nothing
written by the supervisor: a bundle is verified against the maker's key again as it is read.

The new tree is made beside the old one, and the two are exchanged in one step. From then on the old tree's own program
is the judge. The intent is durable in the updater's folder before anything is changed, and the outcome before anything
is cleaned up; an interrupted update is undone or cleaned up at the next start of the computer, before the supervisor's.
No money is lost: the program on trial takes and pays none, and if money has moved nevertheless, the journal's own rule
keeps the new program (`systemd/journal_copies.py`).
"""

import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from common.error_words import error_words
from controller.books.rotation import Step, no_step
from controller.features.update.bundle import BundleError, opened_bundle
from controller.features.update.host_services import (
    HostServices,
    JournalRefusedError,
    SystemdServices,
    SystemFailedError,
)
from controller.features.update.orders import (
    THIS_MACHINE,
    Act,
    End,
    Folders,
    Intent,
    OrderError,
    Outcome,
    Why,
    Wish,
    forget,
    is_plain,
    read,
    write,
)
from controller.features.update.trees import exchange, free_bytes, mark_of, move, remove, version_of
from controller.features.update.trial import Verdict, judged
from controller.files.bounded import ForeignFileError, printable
from controller.keys.identity import NotAuthenticError, read_public_key

_log = logging.getLogger(__name__)

RESERVE_BYTES = 128 << 20
"""The space that must stay free beside the new tree: for the log, and the journal if it is on the same disk."""


class RefusedUpdateError(Exception):
    """The update was refused, with the reason; nothing was changed."""

    def __init__(self, why: Why, detail: str) -> None:
        super().__init__(detail)
        self.why = why


class Updater:
    """The programs of a machine: the running one, the previous one, and the next one.

    `inbox` is the folder in which the supervisor puts bundles. `step` is called before each step that a power cut may
    precede.
    """

    def __init__(self, folders: Folders, inbox: Path, host: HostServices, step: Step = no_step) -> None:
        self._at = folders
        self._inbox = inbox
        self._host = host
        self._step = step

    # the requests

    def take(self) -> bool:
        """Take the supervisor's request; return whether the trees were exchanged and `judge` must follow."""
        try:
            wish = read(self._at.wanted, Wish)
        except OrderError as error:
            _log.error("the supervisor's wish cannot be read: %s", error)
            wish = None
        self._at.wanted.unlink(missing_ok=True)
        if wish is None or self._at.intent.exists():
            return False
        self._sweep()
        try:
            migrations = self._prepared(wish)
            self._changed_places(migrations)
        except (RefusedUpdateError, SystemFailedError, OSError) as error:
            intent = read(self._at.intent, Intent)
            verdict = Verdict(error.why if isinstance(error, RefusedUpdateError) else Why.SYSTEM, error_words(error))
            if intent is None:
                _log.warning("update refused: %s", error_words(error))
                self._finish(_outcome(self._unprepared(wish), End.REFUSED, verdict))
            else:
                self._undo(intent, verdict)
                self._host.start()
            return False
        return True

    def judge(self) -> None:
        """Bring the system in line with the new program, start it on trial, and keep it or undo it."""
        intent = read(self._at.intent, Intent)
        if intent is None:
            return
        try:
            self._step("before the new program's system files")
            self._host.settle()
            self._step("before the new program starts")
            self._host.start()
            verdict = judged(self._host, self._at.report, intent.new)
        except (SystemFailedError, OSError) as error:
            verdict = Verdict(Why.SYSTEM, error_words(error))
        if verdict.why is Why.NOTHING:
            self._step("before it is kept")
            self._finish(_outcome(intent, End.DONE, verdict))
        else:
            self._undo(intent, verdict)
            self._host.start()

    def boot(self) -> None:
        """Undo or clean up an update that a power cut interrupted; runs before the supervisor starts."""
        self._set_right(Verdict(Why.POWER, "the power was off before it had proved itself"), booting=True)

    def mend(self) -> None:
        """Undo or clean up after an updater that has itself failed."""
        if self._set_right(Verdict(Why.SYSTEM, "the updater failed"), booting=False):
            self._host.start()

    def _set_right(self, verdict: Verdict, *, booting: bool) -> bool:
        intent = read(self._at.intent, Intent)
        if intent is None:
            self._sweep()
            return False
        outcome = read(self._at.outcome, Outcome)
        if outcome is not None and outcome.id == intent.id:
            self._finish(outcome)
        else:
            self._undo(intent, verdict, booting=booting)
        return True

    # the steps

    def _prepared(self, wish: Wish) -> tuple[str, ...]:
        """Make the new tree and record the intent; return the migrations of the new program."""
        if wish.act is Act.INSTALL:
            version, migrations = self._unpacked(wish.bundle)
            tree = self._at.stage
        else:
            tree = self._at.previous
            if not (tree / "system/update").is_file():  # nothing could watch its trial or undo it
                raise RefusedUpdateError(Why.NO_PREVIOUS, f"{tree} holds no program, or one without an updater")
            version, migrations = _version(tree), self._host.migrations(tree)
        known = self._host.migrations(self._at.program)
        self._step("before it is intended")
        write(self._at.intent, replace(self._unprepared(wish), new=version, tree=mark_of(tree), migrations=known))
        if wish.act is Act.BACK:
            self._step("before the program of before is taken up")
            move(tree, self._at.stage)
        return migrations

    def _unprepared(self, wish: Wish) -> Intent:
        old = _version(self._at.program)
        return Intent(id=wish.id, act=wish.act, old=old, new=wish.bundle, tree=0, migrations=())

    def _unpacked(self, name: str) -> tuple[str, tuple[str, ...]]:
        """Unpack the bundle of that name; return its version and its migrations."""
        if not is_plain(name):
            raise RefusedUpdateError(Why.BUNDLE, f"'{printable(name)}' is no bundle's name")
        try:
            with opened_bundle(self._inbox / name, read_public_key(self._at.release)) as bundle:
                head = bundle.head
                if unfit := head.unfit():
                    raise RefusedUpdateError(Why.UNFIT, f"{name}: {unfit}")
                needed = head.needed_bytes + RESERVE_BYTES
                if (free := free_bytes(self._at.program.parent)) < needed:
                    raise RefusedUpdateError(Why.ROOM, f"{name} needs {needed} bytes, {free} are free")
                self._step("before it is unpacked")
                bundle.unpack(self._at.stage)
        except (BundleError, NotAuthenticError) as error:
            raise RefusedUpdateError(Why.BUNDLE, f"{name}: {error}") from error
        return head.version, head.migrations

    def _changed_places(self, migrations: tuple[str, ...]) -> None:
        """Stop the cabinet, make the journal suit the new program, and exchange the two."""
        program, intent = self._at.program, read(self._at.intent, Intent)
        if intent is None:
            raise RefusedUpdateError(Why.SYSTEM, f"{self._at.intent} is gone")
        try:
            self._step("before the cabinet is stopped")
            self._host.stop()
            self._step("before the journal is copied")
            self._host.keep_journal(program, f"before-{intent.new}")
            self._step("before the journal suits the new program")
            self._host.suit_journal(program, migrations)
            self._step("before the trees may change places")
            write(self._at.intent, replace(intent, exchanging=True))
            self._step("before the trees change places")
            exchange(program, self._at.stage)
        except JournalRefusedError as error:
            raise RefusedUpdateError(Why.JOURNAL, str(error)) from error
        self._step("before the judge begins")

    def _undo(self, intent: Intent, verdict: Verdict, *, booting: bool = False) -> None:
        """Restore the old program; if the journal forbids it, keep the new one.

        If the system cannot be brought in line with the old program the intent stays, and the next start tries again.
        """
        _log.warning("update to %s undone: %s", intent.new, verdict.detail)
        if not booting:  # at the start of the computer it is not running, and stopping it would prevent its start
            self._step("before the program on trial is stopped")
            self._host.stop()
        if intent.exchanging:
            if mark_of(self._at.program) == intent.tree:
                self._step("before the journal suits the old program")
                try:
                    self._host.suit_journal(self._at.stage, intent.migrations)
                except JournalRefusedError as error:
                    kept = Verdict(verdict.why, f"{verdict.detail}; not undone: {error}")
                    self._finish(_outcome(intent, End.KEPT, kept))
                    return
                self._step("before the trees change places again")
                exchange(self._at.program, self._at.stage)
            self._step("before the old program's system files")
            try:
                self._host.settle()
            except SystemFailedError:
                if not booting:
                    raise
                _log.exception("the system is not as the program wants it")
        self._step("before it is undone")
        self._finish(_outcome(intent, End.UNDONE if intent.exchanging else End.REFUSED, verdict))

    def _finish(self, outcome: Outcome) -> None:
        """Record the outcome, which decides the update, and clean up."""
        write(self._at.outcome, outcome)
        stage, previous = self._at.stage, self._at.previous
        self._step("before it is cleared away")
        if outcome.end in (End.DONE, End.KEPT):
            if stage.exists():
                remove(previous)
                self._step("before the old program is the one of before")
                move(stage, previous)
        elif outcome.act is Act.BACK and stage.exists() and not previous.exists():
            move(stage, previous)
        else:
            remove(stage)
        self._step("before the bundle goes")
        for bundle in self._inbox.glob("*.cabinet*"):
            try:
                bundle.unlink(missing_ok=True)
            except OSError as error:  # must not leave a program on trial forever
                _log.warning("%s stays in the inbox: %s", bundle.name, error_words(error))
        self._step("before nothing is intended any more")
        forget(self._at.intent)

    def _sweep(self) -> None:
        """Remove the remains of an update that has no intent yet."""
        remove(self._at.stage)


def _version(tree: Path) -> str:
    try:
        return version_of(tree)
    except (OSError, ForeignFileError):
        return "?"


def _outcome(intent: Intent, end: End, verdict: Verdict) -> Outcome:
    return Outcome(
        id=intent.id,
        act=intent.act,
        old=intent.old,
        new=intent.new,
        end=end,
        why=verdict.why,
        detail=verdict.detail[:2000],
    )


def main(arguments: list[str] | None = None, *, become: Callable[[str, list[str]], None] = os.execv) -> int:
    """Take the supervisor's request, judge a program on trial, or clean up an interrupted update."""
    logging.basicConfig(format="%(message)s")
    command = sys.argv[1:] if arguments is None else arguments
    folders = THIS_MACHINE
    host = SystemdServices(folders)
    updater = Updater(folders, host.inbox(), host)
    deeds = {"judge": updater.judge, "boot": updater.boot, "mend": updater.mend}
    match command:
        case ["take"]:
            if updater.take():
                # this process's modules are in the tree that was just renamed: run again from there
                python = str(folders.stage / "venv/bin/python")
                become(python, [python, "-P", "-B", "-m", "controller.features.update.updating", "judge"])
        case [one] if one in deeds:
            deeds[one]()
        case _:
            sys.stderr.write("usage: python -m controller.features.update.updating take|judge|boot|mend\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
