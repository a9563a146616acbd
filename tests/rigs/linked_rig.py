"""A machine's rig that is linked to a model venue."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from controller.features.venue.calls import Venue
from controller.features.venue.keeper import VenueKeeper
from controller.journal.pools import MILLI
from controller.machine.view import MachineParts
from drivers.clock import LoopClock
from games.bewitched.pays import POOL
from tests.rigs.machine import Rig
from tests.rigs.model_venue import Cabinet, ModelVenue, Pool, Wire

COIN = 10
ME = 7


def venue_of(*coins: int) -> ModelVenue:
    """A venue with Bewitched's pools, each worth 1.23 more than its seed."""
    pools = {coin: Pool("bewitched", coin, POOL.seed_coins * coin * MILLI, 5) for coin in coins or (COIN,)}
    venue = ModelVenue(pools)
    venue.cabinets[ME] = Cabinet()
    venue.meters = {(coin, 8, 1): (1, 123 * MILLI) for coin in pools}
    return venue


def linked(rig: Rig, venue: ModelVenue, fate: Callable[[str], str] = lambda _name: "ok") -> Wire:
    """Link the cabinet to the venue from its next start on."""
    wire = Wire(venue, ME, fate)
    linked_by(rig, wire)
    return wire


def linked_by(rig: Rig, venue: Venue) -> None:
    """Link the cabinet by this connection from its next start on."""

    def keeper(parts: MachineParts) -> VenueKeeper:
        return VenueKeeper(
            parts,
            venue,
            LoopClock(),
            site=rig.config.cabinet,
            identity=lambda: "ab" * 32,
            jitter=lambda: 0.5,
        )

    rig.keeper_of = keeper


@asynccontextmanager
async def seated(rig: Rig, venue: ModelVenue) -> AsyncIterator[Wire]:
    """Run the cabinet linked to the venue, seated at its linked game with 20.00 on the meter; yield its wire."""
    wire = linked(rig, venue)
    async with rig:
        await rig.game(2000)
        await rig.until_true(lambda: rig.screen.view.message == "")
        yield wire


async def win_unanswered(rig: Rig, wire: Wire) -> None:
    """Cut the wire and play until a jackpot waits for the venue's answer."""
    wire.fate = lambda _name: "cut"
    await rig.press("spin")
    for _ in range(40):
        if "jackpot_waits" in rig.notices():
            break
        await rig.press("spin", 1.0)
