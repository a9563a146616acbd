"""The venue's offers in the journal: requested updates, proposed settings, and unreported results.

An offer ends once (`finish`). Its result is kept, so that a restored venue that repeats the offer gets the same answer
and nothing is done twice.
"""

from collections.abc import Mapping

import msgspec

from controller.features.venue.events import VenueEvent
from controller.journal.key_value import SETTINGS, Stored
from controller.journal.transaction import Transaction

TAKEN, INSTALLED, FAILED, REFUSED = "taken", "installed", "failed", "refused"
"""The states of an offer's result (docs/venue-protocol.md)."""
MOST_FINISHED = 20
MOST_PROPOSALS = 5
LONGEST_DETAIL = 500


class OfferKey(msgspec.Struct, frozen=True):
    """An offer's key: its number at the venue, and the SHA-256 of its content in hexadecimal digits."""

    offer: int
    sha256: str


class OfferResult(msgspec.Struct, frozen=True):
    """The result of an offer."""

    key: OfferKey
    state: str
    detail: str = ""


class AskedUpdate(msgspec.Struct, frozen=True):
    """An offered bundle that was passed to the updater; `wish` is the request's id in the updater's answer."""

    key: OfferKey
    wish: str


class Proposal(msgspec.Struct, frozen=True):
    """Settings proposed by the venue: JSON values by key, and the template's name."""

    key: OfferKey
    name: str
    values: Mapping[str, str]


class Offered(msgspec.Struct, frozen=True):
    """All stored offer data; `due` are results that the venue has not received, the oldest first."""

    due: tuple[OfferResult, ...] = ()
    finished: tuple[OfferResult, ...] = ()
    update: AskedUpdate | None = None
    proposals: tuple[Proposal, ...] = ()


_OFFERED = Stored(SETTINGS, "venue_offers", Offered)


def offered(tx: Transaction) -> Offered:
    """Return the stored offer data."""
    return _OFFERED.read(tx) or Offered()


def _change(tx: Transaction, **changes: object) -> None:
    _OFFERED.write(tx, msgspec.structs.replace(offered(tx), **changes))


def ask_update(tx: Transaction, update: AskedUpdate) -> None:
    """Record that the updater is asked to install a bundle, and queue the report that it is taken."""
    _change(tx, update=update, due=(*offered(tx).due, OfferResult(update.key, TAKEN)))


def finish(tx: Transaction, key: OfferKey, state: str, detail: str = "") -> None:
    """Record an offer's result and queue its report; remove the offer's other data."""
    now, result = offered(tx), OfferResult(key, state, detail[:LONGEST_DETAIL])
    if state == REFUSED:
        tx.event(VenueEvent.OFFER_REFUSED, offer=key.offer, reason=result.detail)
    _change(
        tx,
        due=(*now.due, result),
        finished=(*(one for one in now.finished if one.key != key), result)[-MOST_FINISHED:],
        update=None if now.update is not None and now.update.key == key else now.update,
        proposals=tuple(one for one in now.proposals if one.key != key),
    )


def repeat(tx: Transaction, key: OfferKey) -> bool:
    """Queue the result of a finished offer again; return whether the offer is finished."""
    now = offered(tx)
    result = next((one for one in now.finished if one.key == key), None)
    if result is not None and result not in now.due:
        _change(tx, due=(*now.due, result))
    return result is not None


def reported(tx: Transaction, result: OfferResult) -> None:
    """Remove a result that the venue has received."""
    _change(tx, due=tuple(one for one in offered(tx).due if one != result))


def propose(tx: Transaction, proposal: Proposal) -> None:
    """Keep proposed settings until a technician decides."""
    _change(tx, proposals=(*offered(tx).proposals, proposal))
    tx.event(VenueEvent.SETTINGS_PROPOSED, offer=proposal.key.offer, template=proposal.name)


def withdraw(tx: Transaction, still: frozenset[OfferKey]) -> None:
    """Remove proposals that are not in `still`, the venue's current offers."""
    gone = [one for one in offered(tx).proposals if one.key not in still]
    if gone:
        _change(tx, proposals=tuple(one for one in offered(tx).proposals if one.key in still))
    for proposal in gone:
        tx.event(VenueEvent.SETTINGS_WITHDRAWN, offer=proposal.key.offer, template=proposal.name)
