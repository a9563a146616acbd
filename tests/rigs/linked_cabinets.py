"""What tests of linked cabinets share: one that runs, its comparison with the venue, and exchanged cards."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.model_venue import ModelVenue, Wire
from tests.rigs.venue_store import ME, POOLS

LINKED = next(number for number, key in POOLS.items() if key.coin_value_cents == 20)


@asynccontextmanager
async def running(folder: Path, venue: ModelVenue, wire: Wire | None = None) -> AsyncIterator[LinkedCabinet]:
    """A cabinet in that folder, linked to the venue."""
    async with LinkedCabinet(folder, wire or Wire(venue, ME)) as cabinet:
        yield cabinet


def agree(cabinet: LinkedCabinet, venue: ModelVenue) -> None:
    """Both sides have the same: meters, claims, money paid, events and the chain; each claim was paid once."""
    venue.audit()
    meters = {(pool, epoch): (seq, cum) for epoch, pool, seq, cum, _ in cabinet.rows("SELECT * FROM venue_meters")}
    assert {(pool, epoch): meter for (pool, me, epoch), meter in venue.meters.items() if me == ME} == meters
    claims = {key[1:]: claim for key, claim in venue.claims.items() if key[0] == ME}
    assert claims == cabinet.claims
    assert sum(award for _, award, _, _ in claims.values()) == cabinet.paid_cents * 1000
    chain = dict(cabinet.rows("SELECT seq, hash FROM ledger"))
    assert venue.cabinets[ME].chain == chain
    events = cabinet.rows("SELECT epoch, seq, code FROM venue_events")
    stored = venue.cabinets[ME].events
    assert {(epoch, seq): code for epoch, seq, code in events} == {at: row["code"] for at, row in stored.items()}


def keep_card(cabinet: LinkedCabinet, folder: Path) -> Path:
    """Copy the cabinet's card as it is now."""
    copy = folder / "card"
    shutil.copytree(cabinet.path.parent, copy, ignore=shutil.ignore_patterns("*.lock"))
    return copy


async def put_in(cabinet: LinkedCabinet, card: Path) -> None:
    """Start the cabinet on another card."""
    await cabinet.kill()
    shutil.rmtree(cabinet.path.parent)
    shutil.copytree(card, cabinet.path.parent)
    await cabinet.start()
