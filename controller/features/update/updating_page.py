"""U.7.3: install another program from a USB stick, or roll back; the updater verifies everything again."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.features.update.bundle import BundleError, bundles, opened_bundle
from controller.features.update.events import UpdateEvent
from controller.features.update.inbox import bring, numbers, refuse_unless_idle
from controller.features.update.orders import INBOX, Act, End, Folders, Outcome, Why, Wish
from controller.features.update.trees import version_of
from controller.features.update.trial_watch import UpdateTrial
from controller.files.bounded import ForeignFileError
from controller.journal.errors import RefusedError
from controller.journal.schema import NAMES
from controller.journal.transaction import Transaction
from controller.keys.identity import NotAuthenticError, read_public_key
from controller.media.sticks import NO_STICK, chunks_of_stick, is_named, stick_errors, sticks
from controller.service.attendant import in_play
from controller.service.doors import refuse_shut_door
from controller.service.page import Job, Line, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.system.versions import versions

NO_UPDATES = "This machine takes no updates: see docs, installation"
NOT_MAKERS = "not whole or not the maker's"
UNFIT = "for another kind of machine"
NEWER, OLDER, SAME = "newer", "older", "the same version"
"""The relation of a bundle to the running program."""
LOSES = "This one takes the books only while no money was counted since they were copied"
ENDS = {
    End.DONE: "it plays",
    End.UNDONE: "undone: the program of before plays",
    End.REFUSED: "refused: nothing was changed",
    End.KEPT: "it stays: going back would forget money",
}
WHYS = tuple(why for why in Why if why)
INSTALL_QUESTION = "Put this program in place of the present one?"
BACK_QUESTION = "Go back to the program of before?"
UNDER_WAY = "The update is under way: the machine plays again when it has ended"
AT_WORK = "An update is under way"


class Found(NamedTuple):
    """A bundle on a stick: its version and its relation to this machine; an `unfit` one is not offered.

    A program that `loses` is too old to read the current journal.
    """

    path: Path
    version: str
    what: str
    unfit: bool = False
    loses: bool = False


def _updates(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return the result of the newest update, the sticks, and the previous program."""
    trial = machine.of(UpdateTrial)
    folders = trial.folders
    if folders is None:
        return (Line(NO_UPDATES),)
    running = Line("{place}", versions()["cabinet"], place="cabinet")
    if trial.waits:
        return (running, Line(AT_WORK, tone="bad"))
    lines = (running, *_newest(trial.newest()))
    if busy := in_play(machine):
        return (*lines, *busy)
    found = sticks(machine.settings.config.export.roots, simulated=tx.is_simulated)
    offered = [Line("Look for updates on the stick {place}", place=stick.name, leads=_looks(stick)) for stick in found]
    return (*lines, *(offered or [Line(NO_STICK)]), *_before(folders))


def _newest(outcome: Outcome | None) -> Sequence[Line]:
    if outcome is None:
        return ()
    good = outcome.end is End.DONE
    listed = Line("Newest update: {place}", ENDS[outcome.end], place=outcome.new, tone="good" if good else "bad")
    return (listed, Line(outcome.why, tone="bad")) if outcome.why else (listed,)


def _before(folders: Folders) -> Sequence[Line]:
    """Return the line of the previous program, if it can be run on trial."""
    tree = folders.previous
    try:
        version = version_of(tree) if (tree / "system/update").is_file() else ""
    except (OSError, ForeignFileError):
        version = ""
    if not version:
        return ()
    job = Job(_update(Act.BACK, version, None), question=BACK_QUESTION, confirmations=2)
    return (Line("Go back to the program of before: {place}", place=version, tone="bad", leads=job),)


def _looks(stick: Path) -> Job:
    """Return the job that lists the bundles on a stick."""

    async def look(machine: ServicedMachine, _submission: Submission) -> Page:
        folders = _folders(machine)
        found = await asyncio.to_thread(lambda: [_examined(path, folders) for path in bundles(stick) if is_named(path)])
        lines = tuple(line for one in found for line in _offer(one)) or (Line("There is no update on this stick"),)
        return Page("U.7.4", "Updates on the stick", lambda _tx, _machine: lines, technician=True)

    return Job(look)


def _offer(found: Found) -> Sequence[Line]:
    if found.unfit:
        return (Line("{place}", found.what, place=found.path.name, tone="bad"),)
    job = Job(_update(Act.INSTALL, found.version, found.path), question=INSTALL_QUESTION, confirmations=2)
    offer = Line("Install {place}", found.what, place=found.version, leads=job)
    return (offer, Line(LOSES, tone="bad")) if found.loses else (offer,)


def _examined(path: Path, folders: Folders) -> Found:
    """Return a bundle's line, judged by its signed head."""
    try:
        with opened_bundle(path, read_public_key(folders.release)) as bundle:
            head = bundle.head
    except (BundleError, NotAuthenticError, OSError):
        return Found(path, "", NOT_MAKERS, unfit=True)
    if head.unfit():
        return Found(path, head.version, UNFIT, unfit=True)
    own, other = numbers(versions()["cabinet"]), numbers(head.version)
    what = SAME if own == other else NEWER if other > own else OLDER
    return Found(path, head.version, what, loses=not set(NAMES) <= set(head.migrations))


def _update(act: Act, version: str, bundle: Path | None) -> Callable[[ServicedMachine, Submission], Awaitable[str]]:
    """Return the function that requests another program from the updater; a bundle is first copied into its inbox."""

    async def ask(machine: ServicedMachine, submission: Submission) -> str:
        folders, inbox = _folders(machine), machine.journal.path.with_name(INBOX)

        def refuse(tx: Transaction) -> None:
            refuse_shut_door(machine)
            refuse_unless_idle(tx)
            _folders(machine)

        await machine.journal.attempt(refuse)
        if bundle is not None:
            await asyncio.to_thread(_bring, bundle, inbox / bundle.name, folders)
        name = "" if bundle is None else bundle.name
        wish = Wish(id=secrets.token_hex(8), act=act, bundle=name)
        figures = {"new": version, "old": versions()["cabinet"], "who": submission.who}
        if bundle is not None:
            figures["stick"] = bundle.parent.name

        def decide(tx: Transaction) -> None:
            refuse(tx)
            machine.of(UpdateTrial).ask(
                tx, wish, UpdateEvent.UPDATE_ASKED if bundle else UpdateEvent.ROLL_BACK_ASKED, **figures
            )

        await machine.journal.attempt(decide)
        try:
            await machine.of(UpdateTrial).send(wish)
        except OSError as error:
            raise RefusedError(Why.SYSTEM) from error
        return UNDER_WAY

    return ask


def _folders(machine: ServicedMachine) -> Folders:
    trial = machine.of(UpdateTrial)
    if trial.folders is None:
        raise RefusedError(NO_UPDATES)
    if trial.waits:
        raise RefusedError(AT_WORK)
    return trial.folders


def _bring(bundle: Path, copy: Path, folders: Folders) -> None:
    """Copy a bundle durably from a stick into the inbox and verify the copy; raise `RefusedError` if that fails."""
    with stick_errors():
        size = bundle.lstat().st_size
    bring(_chunks(bundle, size), size, copy, folders)


def _chunks(path: Path, size: int) -> Iterator[bytes]:
    """Yield the content of a file on a stick; raise `StickError`, and `RefusedError` if its size differs."""
    try:
        yield from chunks_of_stick(path, size)
    except ForeignFileError as error:
        raise RefusedError(Why.BUNDLE) from error


UPDATES = Page("U.7.3", "Update and roll back", _updates, technician=True)
