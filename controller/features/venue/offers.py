"""Handles the venue's offers: signed bundles go to the updater as from a stick, templates wait for a technician.

`exchange` talks to the venue as a side job of the link. `run` does the rest in its own task, so that verifying a bundle
does not delay a claim. The venue can only offer: a bundle is fetched and accepted only while the cabinet is idle
without credit, and is verified here, by the updater and on its trial. Installing a version older than the current one
needs a person with a stick.
"""

import asyncio
import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from controller.features.venue.calls import CHUNK_BYTES, ContradictionError, Offer
from controller.features.venue.events import VenueEvent
from controller.features.venue.offer_journal import (
    FAILED,
    INSTALLED,
    MOST_PROPOSALS,
    REFUSED,
    AskedUpdate,
    OfferKey,
    Proposal,
    ask_update,
    finish,
    offered,
    propose,
    repeat,
    reported,
    withdraw,
)
from controller.features.venue.reports import Reports
from controller.features.venue.templates import LARGEST_BYTES, TemplateError, template_of
from controller.files.bounded import printable
from controller.files.durable import digest, flush_folder
from controller.journal.errors import RefusedError
from controller.journal.receipt import each
from controller.journal.settings import stored_settings
from controller.journal.transaction import Transaction
from controller.machine.program import ON_TRIAL, Bundle, Program
from controller.machine.states import State
from controller.machine.view import MachineParts
from drivers.clock import Clock

EVERY_S = 15.0
"""The interval, in seconds, at which the venue is asked for offers."""
LOOK_S = 1.0
PIECES = 4
"""The most chunks fetched in one pass of the link, before claims and beats get their turn."""
LARGEST_BUNDLE = 1 << 30
"""The largest bundle that a venue itself accepts, in bytes."""
LONGEST_NAME = 60
IDLE = frozenset({State.ATTRACT, State.LOBBY, State.IDLE})
NO_UPDATES = "this machine takes no updates"
SYSTEM = "The system did not do what it was asked for"
WRONG_SIZE, WRONG_HASH = "it has another size than the venue says", "its SHA-256 is not the one that the venue says"
OLDER = "it is older than the present program: install it from a stick"
LOSES = "it cannot read these books: install it from a stick"


class _RefusedOfferError(ValueError):
    """An offer is refused permanently; the text says why."""


class _Fetch:
    """A bundle that is being fetched into the inbox; the file `part` holds what has arrived."""

    def __init__(self, offer: Offer, program: Program) -> None:
        self.offer = offer
        self.program = program
        self.key = key_of(offer)
        name = f"venue-{offer.offer}-{self.key.sha256[:16]}.cabinet"
        self.whole, self.part = program.inbox / name, program.inbox / f"{name}.part"
        self.from_start = True
        """Whether this process fetched all of it; a file left by a power cut may be damaged."""
        self.is_open = False
        self.is_whole = False
        self.may_be_taken = False
        """Whether the venue still offered it after it was complete."""


def key_of(offer: Offer) -> OfferKey:
    """Return the key of an offer in the books."""
    return OfferKey(offer.offer, offer.sha256.hex())


class Offers:
    """The offers of a venue to one cabinet."""

    def __init__(self, machine: MachineParts, venue: Reports, clock: Clock, program: Program | None) -> None:
        self._machine = machine
        self._journal = machine.journal
        self._venue = venue
        self._clock = clock
        self._program = program
        self._next_s = 0.0
        self._fetch: _Fetch | None = None

    def __repr__(self) -> str:
        return f"<Offers {self._fetch.part.name if self._fetch is not None else 'none on its way'}>"

    @property
    def is_idle(self) -> bool:
        """Whether nobody plays, has credit or works on the machine, and no update is in progress."""
        machine, program = self._machine, self._program
        idle = machine.states.state in IDLE and machine.conditions.overlay is None and self._journal.lock is None
        busy = program is not None and bool(program.trial)
        return idle and not busy and self._journal.credit_cents == 0 and machine.play.payout is None

    # with the venue

    async def exchange(self, session: int) -> None:
        """Report results, ask for offers every `EVERY_S`, and fetch some chunks of a bundle; a side job of the link."""
        stored = await self._journal.commit_or_lock(offered)
        for ended in each(stored.map(lambda stored: stored.due)):
            with suppress(ContradictionError):  # a restored venue has no such offer: nobody waits for its result
                await self._venue.offer_result(session, ended)
            await self._journal.do(lambda tx: reported(tx, ended.result))  # noqa: B023 - awaited in this pass
        if self._clock.now() >= self._next_s:
            self._next_s = self._clock.now() + EVERY_S
            await self._look(session, await self._venue.offers(session))
        if self._fetch is not None and not self._fetch.is_whole and self.is_idle:
            await self._some_pieces(session, self._fetch)

    async def _look(self, session: int, offers: Sequence[Offer]) -> None:
        """Start new offers and drop the withdrawn ones."""
        still = frozenset(key_of(offer) for offer in offers)
        await self._journal.do(lambda tx: withdraw(tx, still))
        fetch = self._fetch
        if fetch is not None and fetch.key in still:
            fetch.may_be_taken = fetch.is_whole
        elif fetch is not None:
            self._fetch = None
            await asyncio.to_thread(_remove, fetch)
        for offer in offers:
            key = key_of(offer)
            if await self._journal.do(lambda tx: repeat(tx, key)):  # noqa: B023 - awaited in this pass
                continue
            try:
                await self._take_up(session, offer)
            except _RefusedOfferError as error:
                await self._end(key, REFUSED, str(error))

    async def _take_up(self, session: int, offer: Offer) -> None:
        """Start an offer that is neither finished nor started; raise `_RefusedOfferError`."""
        now = await self._journal.do(offered)
        if offer.kind == "bundle":
            if self._fetch is None and now.update is None:
                self._fetch = self._begun(offer)
        elif offer.kind == "settings":
            waits = any(one.key == key_of(offer) for one in now.proposals)
            if not waits and len(now.proposals) < MOST_PROPOSALS:
                await self._propose(session, offer)
        else:
            raise _RefusedOfferError(f"'{printable(offer.kind[:LONGEST_NAME])}' is no kind of offer")

    async def _end(self, key: OfferKey, state: str, detail: str) -> None:
        await self._journal.do(lambda tx: finish(tx, key, state, detail))

    def _begun(self, offer: Offer) -> _Fetch:
        """Return the bundle to fetch, continuing a partial file; raise `_RefusedOfferError`."""
        program = self._program
        if program is None or not program.takes_bundles:
            raise _RefusedOfferError(NO_UPDATES)
        if not 0 < offer.size <= LARGEST_BUNDLE:
            raise _RefusedOfferError(f"{offer.size} bytes: a bundle has at most {LARGEST_BUNDLE}")
        return _Fetch(offer, program)

    async def _some_pieces(self, session: int, fetch: _Fetch) -> None:
        try:
            size = await asyncio.to_thread(_opened, fetch)
            for _ in range(PIECES):
                if size < fetch.offer.size:
                    piece = await self._venue.fetch(session, fetch.offer.offer, size)
                    _refuse_wrong_size(piece, fetch.offer.size - size)
                    await asyncio.to_thread(_append, fetch.part, piece, size)
                    size += len(piece)
        except ContradictionError:  # withdrawn in between: the next check drops it
            self._next_s = 0.0
        except _RefusedOfferError as error:
            await self._drop(fetch, str(error))
        except RefusedError as error:
            await self._drop(fetch, str(error))
        except OSError as error:
            await self._drop(fetch, f"{SYSTEM}: {error.strerror}")
        else:
            fetch.is_whole = size == fetch.offer.size
            self._next_s = 0.0 if fetch.is_whole else self._next_s  # ask at once whether it is still offered

    async def _drop(self, fetch: _Fetch, why: str) -> None:
        """Refuse a bundle permanently, unless it was withdrawn in between."""
        if self._fetch is fetch:
            self._fetch = None
            await asyncio.to_thread(_remove, fetch)
            await self._end(fetch.key, REFUSED, why)

    async def _propose(self, session: int, offer: Offer) -> None:
        """Fetch a template and store its settings for a technician; raise `_RefusedOfferError`."""
        if not 0 < offer.size <= LARGEST_BYTES:
            raise _RefusedOfferError(f"{offer.size} bytes: a template has at most {LARGEST_BYTES}")
        content = b""
        while len(content) < offer.size:
            try:
                piece = await self._venue.fetch(session, offer.offer, len(content))
            except ContradictionError:
                return  # withdrawn in between
            _refuse_wrong_size(piece, offer.size - len(content))
            content += piece
        if _sha256(content) != offer.sha256:
            raise _RefusedOfferError(WRONG_HASH)
        name = "".join(letter for letter in offer.name if letter.isprintable())[:LONGEST_NAME]
        config = self._machine.settings.file_config

        def keep(tx: Transaction) -> str:
            try:
                values = template_of(content, config, stored_settings(tx))
            except TemplateError as error:
                return printable(error)
            propose(tx, Proposal(key_of(offer), name, values))
            return ""

        if wrong := await self._journal.do(keep):
            raise _RefusedOfferError(wrong)

    # on the machine

    async def run(self) -> None:
        """Pass a complete bundle to the updater and record the result of its update, until cancelled."""
        await self._machine.states.up.wait()
        while True:
            await self._settle()
            if self._fetch is not None and self._fetch.may_be_taken and self.is_idle:
                await self._take(self._fetch)
            await self._clock.sleep(LOOK_S)

    async def _settle(self) -> None:
        """Record the updater's answer once it is in the books."""
        program = self._program
        if program is None or program.trial == ON_TRIAL:
            return

        def settle(tx: Transaction) -> None:
            update = offered(tx).update
            if update is None or program.is_asked(tx, update.wish):
                return
            ended = program.ended(update.wish)
            if ended is None:
                finish(tx, update.key, FAILED, "the updater has not answered")
            else:
                state = INSTALLED if ended.is_done else REFUSED if ended.is_refused else FAILED
                finish(tx, update.key, state, ended.reason)

        if await self._journal.do(lambda tx: offered(tx).update is not None):
            await self._journal.do(settle)

    async def _take(self, fetch: _Fetch) -> None:
        """Verify a complete bundle and ask the updater to install it."""
        try:
            if not await asyncio.to_thread(_is_as_offered, fetch):
                fetch.is_whole = fetch.may_be_taken = False
                return
            bundle = await asyncio.to_thread(fetch.program.examine, fetch.whole)
        except (_RefusedOfferError, RefusedError) as error:
            await self._drop(fetch, str(error))
            return
        except OSError as error:
            await self._drop(fetch, f"{SYSTEM}: {error.strerror}")
            return
        if bundle.is_running:
            self._fetch = None
            await asyncio.to_thread(_remove, fetch)
            await self._end(fetch.key, INSTALLED, "this version plays already")
            return
        if why := bundle.unfit or (OLDER if bundle.is_older else LOSES if bundle.loses else ""):
            await self._drop(fetch, why)
            return
        await self._ask(fetch, bundle)

    async def _ask(self, fetch: _Fetch, bundle: Bundle) -> None:
        program, name = fetch.program, fetch.whole.name
        figures = {"new": bundle.version, "old": version("cabinet"), "offer": fetch.offer.offer}

        def decide(tx: Transaction) -> str:
            if not self.is_idle or self._fetch is not fetch:
                raise RefusedError("A game or a payout is in progress")
            request = program.ask(tx, name, VenueEvent.UPDATE_OFFERED, **figures)
            ask_update(tx, AskedUpdate(fetch.key, request))
            return request

        try:
            request = await self._journal.attempt(decide)
        except RefusedError:
            return  # somebody began to play: try again at the next check
        self._fetch = None
        try:
            await program.send(request, name)
        except OSError as error:
            await self._end(fetch.key, FAILED, f"{SYSTEM}: {error.strerror}")


def _refuse_wrong_size(piece: bytes, left: int) -> None:
    """Raise `_RefusedOfferError` for a chunk that is empty or longer than the rest of its offer."""
    if not 0 < len(piece) <= min(CHUNK_BYTES, left):
        raise _RefusedOfferError(WRONG_SIZE)


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _remove(fetch: _Fetch) -> None:
    fetch.part.unlink(missing_ok=True)
    fetch.whole.unlink(missing_ok=True)


def _opened(fetch: _Fetch) -> int:
    """Return how many bytes have arrived; the first call frees space for the rest (`RefusedError`, `OSError`)."""
    if not fetch.is_open and fetch.whole.is_file():
        fetch.whole.rename(fetch.part)
    size = fetch.part.stat().st_size if fetch.part.is_file() else 0
    if size > fetch.offer.size:
        fetch.part.unlink()
        size = 0
    if not fetch.is_open:
        fetch.program.make_room(fetch.offer.size - size, but=fetch.part.name)
    fetch.from_start = size == 0 or (fetch.is_open and fetch.from_start)
    fetch.is_open = True
    return size


def _append(part: Path, piece: bytes, offset: int) -> None:
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o640)
    with os.fdopen(handle, "wb") as file:
        file.seek(offset)
        file.write(piece)


def _is_as_offered(fetch: _Fetch) -> bool:
    """Rename a bundle to its final name once it is durable and its hash is right; return whether that is so.

    One that an earlier process began is fetched again once. Raises `_RefusedOfferError` for any other wrong hash, and
    `OSError`.
    """
    if not fetch.part.exists():
        return fetch.whole.is_file()  # verified before; if not there, a technician's bundle replaced it
    with fetch.part.open("rb") as file:
        os.fsync(file.fileno())
    if digest(fetch.part) != fetch.key.sha256:
        if fetch.from_start:
            raise _RefusedOfferError(WRONG_HASH)
        fetch.part.unlink()
        return False
    fetch.part.rename(fetch.whole)
    flush_folder(fetch.whole.parent)
    return True
