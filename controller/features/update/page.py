"""U.7: versions and verification of the software."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from controller.faults import place_in_words
from controller.features.update.events import UpdateEvent
from controller.features.update.manifest import Wrong
from controller.features.update.software_watch import SoftwareWatch
from controller.features.update.trust import accept, known_software, strangers
from controller.features.update.updating_page import UPDATES
from controller.journal.errors import RefusedError
from controller.journal.transaction import Transaction
from controller.keys.identity import fingerprint
from controller.service.doors import refuse_shut_door
from controller.service.page import Job, Line, MenuTransaction, Page, Submission
from controller.service.serviced_machine import ServicedMachine
from controller.system.versions import PACKAGES, folder_hash, mathematics, package_hash, versions
from ui.protocol.values import moment

NOT_SIGNED = "none: this is a source tree"
AS_SIGNED, NOT_AS_SIGNED, NOT_YET = "as it was signed", "not as it was signed", "not proved yet"
TRUSTED, KNOWN = "The key is trusted from now on", "This key is trusted already"
WRONGS = tuple(Wrong)
"""The kinds of differences of a file."""
HASH_SHOWN = 40
"""The digits of a hash shown beside its name."""


def _software(tx: Transaction, machine: ServicedMachine) -> Sequence[Line]:
    """Return versions, signer and each game's mathematics."""
    return (
        Line("Versions", tone="heading"),
        *(Line("{place}", number, place=name) for name, number in versions().items()),
        Line("Signed software", tone="heading"),
        *_signed(tx, machine),
        Line("Mathematics of the games", tone="heading"),
        *(Line("{place}", maths.sha256[:HASH_SHOWN], count=maths.version, place=maths.game) for maths in mathematics()),
        Line("Hashes of program and art", leads=Job(_hashes)),
        Line("Update and roll back", leads=UPDATES),
    )


def _signed(tx: Transaction, machine: ServicedMachine) -> Iterator[Line]:
    """Yield the signer of the software, the result of the newest verification, and the actions for both."""
    watch = machine.of(SoftwareWatch)
    if not watch.is_installed:
        yield Line("Signed software", NOT_SIGNED)
        return
    newest = watch.newest
    if newest is None:
        yield Line("Newest proof", NOT_YET)
    else:
        good = newest.verdict.is_authentic
        words = AS_SIGNED if good else NOT_AS_SIGNED
        yield Line("Newest proof", words, tone="good" if good else "bad", detail=moment(newest.at_ms))
        for kind, stranger in strangers(tx, newest.verdict.authorities).items():
            trust = MenuTransaction(_trusts(machine), question="Trust this key from now on?", confirmations=2)
            key = fingerprint(stranger.public_key)
            yield Line("New signing key of the {place}", key, tone="bad", place=place_in_words(kind), leads=trust)
    for kind, known in known_software(tx).items():
        place = place_in_words(kind)
        yield Line("Signing key of the {place}", fingerprint(bytes.fromhex(known.public_key)), place=place)
        yield Line("{place}", known.manifest_sha256[:HASH_SHOWN], place=place, detail=known.version)
    yield Line("Verify the software now", leads=Job(_verified))


def _trusts(machine: ServicedMachine) -> Callable[[Transaction, Submission], str]:
    """Return the action that trusts the keys of the newest verification, with the main door open."""

    def do(tx: Transaction, submission: Submission) -> str:
        refuse_shut_door(machine)
        newest = machine.of(SoftwareWatch).newest
        return TRUSTED if newest and accept(tx, newest.verdict.authorities, submission.who) else KNOWN

    return do


async def _verified(machine: ServicedMachine, submission: Submission) -> Page:
    """Return the page with the result of a new verification, read from the medium; an event records who started it."""
    newest = await machine.of(SoftwareWatch).verify_now()
    if newest is None:
        raise RefusedError("The program's files cannot be read")
    found, good = newest.verdict, newest.verdict.is_authentic
    count, who = len(found.differences), submission.who
    await machine.journal.do(
        lambda tx: tx.event(UpdateEvent.SOFTWARE_VERIFIED, who=who, files=found.files, differences=count)
    )
    lines = (
        Line("Newest proof", AS_SIGNED if good else NOT_AS_SIGNED, tone="good" if good else "bad"),
        Line("Files", count=found.files),
        Line("Megabytes", count=found.size // 1_000_000),
        Line("Differences", count=count),
        *(Line("{place}", difference.wrong, place=difference.path, tone="bad") for difference in found.differences),
    )
    return Page("U.7.2", "Verified software", lambda _tx, _machine: lines)


async def _hashes(machine: ServicedMachine, _submission: Submission) -> Page:
    """Return the page with the hashes, which take some seconds to compute."""
    baked = Path(machine.settings.config.display.baked)

    def count() -> dict[str, str]:
        found = {name: package_hash(name) for name in PACKAGES}
        if baked.is_dir():
            found[str(baked)] = folder_hash(baked)
        return found

    try:
        found = await asyncio.to_thread(count)
    except OSError as error:
        raise RefusedError("The program's files cannot be read") from error
    lines = tuple(Line("{place}", digest, place=name) for name, digest in found.items())
    return Page("U.7.1", "Hashes of program and art", lambda _tx, _machine: lines)


PAGES = (Page("U.7", "Software", _software, technician=True),)
