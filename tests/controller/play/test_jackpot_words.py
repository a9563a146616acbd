"""What a player reads while a linked jackpot is not played for: each sentence where it is true, and gone afterwards."""

from collections.abc import Callable
from pathlib import Path

from tests.rigs.bewitched import NOTHING_ON_ANY_LINE, bewitched
from tests.rigs.linked_rig import COIN, ME, seated, venue_of
from tests.rigs.model_venue import ModelVenue
from tests.rigs.rounds import to_the_end


def close(venue: ModelVenue) -> Callable[[], None]:
    """Close the pool; return what opens it again."""
    venue.pools[COIN].state = "closed"
    return lambda: setattr(venue.pools[COIN], "state", "open")


async def test_a_closed_pool_is_named_until_it_opens(tmp_path: Path) -> None:
    """SPIN stakes nothing while the venue's pool is closed."""
    venue = venue_of()
    rig = bewitched(tmp_path)
    async with seated(rig, venue):
        reopen = close(venue)
        await rig.until_true(lambda: rig.screen.view.message == "venue_pool_closed", 8)
        await rig.press("spin", 2.0)
        assert (rig.shown, rig.credit) == ("idle", 2000)
        reopen()
        await rig.until_true(lambda: rig.screen.view.message == "", 8)


async def test_a_machine_that_the_venue_refuses_calls_the_attendant(tmp_path: Path) -> None:
    """Another process speaks in its name: no jackpot is played for until a person has decided."""
    venue = venue_of()
    rig = bewitched(tmp_path)
    async with seated(rig, venue):
        venue.cabinets[ME].session += 1
        await rig.until_true(lambda: rig.screen.view.message == "venue_trouble", 8)
        await rig.press("spin", 2.0)
        assert (rig.shown, rig.credit) == ("idle", 2000)


async def test_a_round_begun_for_the_venue_keeps_its_jackpots_closed_without_it(tmp_path: Path) -> None:
    """Taken out of the venue in the middle of a round: it ends, and the game waits for the next start."""
    venue = venue_of()
    rig = bewitched(tmp_path)
    async with seated(rig, venue):
        await rig.press("spin", 0.1)
        assert rig.shown == "round"
        rig.keeper_of = None
        await rig.restart(until="recovering")
        await to_the_end(rig)
        await rig.until_true(lambda: rig.screen.view.message == "venue_left", 8)
        await rig.restart(until="idle")
        await rig.until_true(lambda: rig.screen.view.message == "", 8)


async def test_autospin_stops_where_the_jackpot_is_out_of_reach(tmp_path: Path) -> None:
    """The round in play ends, no other follows, and the message names the reason."""
    venue = venue_of()
    rig = bewitched(tmp_path, *NOTHING_ON_ANY_LINE)
    async with seated(rig, venue) as wire:
        await rig.press("auto")
        await rig.press("auto:start", 0.2)
        wire.fate = lambda _name: "cut"
        await rig.until_true(lambda: rig.screen.view.message == "autospin_closed", 60)
        played = await rig.rows("SELECT count(*) FROM rounds")
        await rig.press("spin", 5.0)
        assert await rig.rows("SELECT count(*) FROM rounds") == played
        assert await rig.rows("SELECT count(*) FROM rounds WHERE state = 'open'") == [(0,)]
