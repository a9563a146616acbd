"""Old, cloned and foreign books, a restored venue, a cut line: nothing is paid twice, and a person is asked."""

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from controller.features.venue.calls import Greeting, UnreachableError
from controller.features.venue.membership import Trouble, leave
from controller.journal.open_items import JACKPOT, Resolution, open_items
from controller.journal.pools import JournalPools
from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.linked_cabinets import LINKED, agree, keep_card, put_in, running
from tests.rigs.model_venue import ModelVenue, Wire
from tests.rigs.pool_contract import KEY, RULE, SEED
from tests.rigs.venue_store import ME, linked


async def connected(cabinet: LinkedCabinet) -> None:
    """Wait until rounds may be played."""
    await cabinet.until(lambda: cabinet.may_play)


async def test_a_cabinet_that_joins_closes_its_own_pools_and_begins_them_anew_when_it_leaves(tmp_path: Path) -> None:
    """What they hold is in the record of the adjustment; a round that was begun for them ends with them."""
    venue = linked()
    async with running(tmp_path, venue, Wire(venue, ME, lambda _name: "cut")) as cabinet:
        number = cabinet.bet(1_000, jackpot=True)
        assert not cabinet.joined
        assert cabinet.do(lambda tx: JournalPools(tx).value(KEY, RULE)) == SEED + 5_000
        assert isinstance(cabinet.venue, Wire)
        cabinet.venue.fate = lambda _name: "ok"
        await asyncio.sleep(60)
        assert not cabinet.joined, "the open round waits for the cabinet's own pool"
        assert cabinet.do(lambda tx: JournalPools(tx).ask(KEY, RULE, number, 1)) == SEED // 20_000
        cabinet.void()
        cabinet.bet(2_000)
        await connected(cabinet)
        assert cabinet.joined
        closed = cabinet.rows("SELECT data ->> '$.closed' FROM ledger WHERE data ->> '$.text' = 'venue_joined'")
        assert closed == [('[{"coin_value_cents":20,"game":"bewitched","growth_millicents":10000}]',)]
        assert cabinet.do(lambda tx: JournalPools(tx).value(KEY, RULE)) == SEED
        cabinet.bet(1_000)
        await cabinet.until(cabinet.is_drained)
        assert venue.value(LINKED) == SEED + 5_000
        assert cabinet.do(leave)
        assert not cabinet.joined
        cabinet.bet(400)
        assert cabinet.do(lambda tx: JournalPools(tx).value(KEY, RULE)) == SEED + 2_000
        assert venue.value(LINKED) == SEED + 5_000


async def test_an_old_card_is_locked_and_pays_nothing_by_itself(tmp_path: Path) -> None:
    """The card of a moment before the jackpot was paid: another epoch, the books lock, and the claim is a person's."""
    venue, place = linked(), tmp_path / "place"
    place.mkdir()
    async with running(place, venue) as cabinet:
        await connected(cabinet)
        cabinet.bet(700, jackpot=True)
        card = keep_card(cabinet, tmp_path)
        await cabinet.finish()
        cabinet.bet(900)
        await cabinet.until(cabinet.is_drained)
        assert len(venue.claims) == 1
        before = venue.value(LINKED)
        await put_in(cabinet, card)
        await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.BEHIND)
        assert cabinet.link.closed(KEY) == "venue_trouble"
        await asyncio.sleep(120)
        assert not cabinet.go_on()
        await cabinet.restart()
        assert cabinet.link.state.trouble is Trouble.NONE or cabinet.link.closed(KEY)
        await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.BEHIND)
        cabinet.accept()
        await connected(cabinet)
        await cabinet.until(lambda: bool(cabinet.do(open_items)))
        assert not cabinet.go_on()
        (item,) = cabinet.do(open_items)
        assert (item.kind, item.amount_cents) == (JACKPOT, next(iter(venue.claims.values()))[1] // 1000)
        cabinet.resolve(Resolution.VOID)
        await cabinet.finish()
        assert cabinet.paid_cents == 0
        await cabinet.until(cabinet.is_drained)
        assert (venue.value(LINKED), len(venue.claims)) == (before, 1)
        assert len(venue.cabinets[ME].histories) == 1
        cabinet.bet(100)
        await cabinet.until(cabinet.is_drained)
        assert venue.value(LINKED) == before + 500


async def test_a_claim_of_an_earlier_epoch_is_credited_where_a_person_says_so(tmp_path: Path) -> None:
    """The venue begins a new epoch, because the key of the cabinet is another one, while a claim is open."""
    venue = linked()
    wire = Wire(venue, ME)
    async with running(tmp_path, venue, wire) as cabinet:
        await connected(cabinet)
        wire.fate = lambda _name: "cut"
        cabinet.bet(700, jackpot=True)
        cabinet.go_on()
        await asyncio.sleep(30)
        venue.cabinets[ME].identity = "another key"
        wire.fate = lambda _name: "ok"
        await cabinet.until(lambda: bool(cabinet.do(open_items)))
        assert not cabinet.go_on()
        cabinet.resolve(Resolution.CREDITED)
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        awards = [award for _, award, _, _ in venue.claims.values()]
        assert [cabinet.paid_cents * 1000] == awards


async def test_of_two_cabinets_with_one_card_the_first_is_fenced_until_a_person_decides(tmp_path: Path) -> None:
    """The second hello wins; the first one calls no more, not even after a restart, and pays nothing."""
    venue, one, two = linked(), tmp_path / "one", tmp_path / "two"
    one.mkdir()
    async with running(one, venue) as cabinet:
        await connected(cabinet)
        shutil.copytree(keep_card(cabinet, tmp_path), two)
        async with running(two, venue) as clone:
            await connected(clone)
            await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.FENCED)
            assert cabinet.link.closed(KEY) == "venue_trouble"
            await cabinet.restart()
            await asyncio.sleep(60)
            assert cabinet.link.state.trouble is Trouble.FENCED
            assert clone.may_play
            cabinet.accept()
            await clone.until(lambda: clone.link.state.trouble is Trouble.FENCED)


class LateWire(Wire):
    """A wire whose hellos are lost, as many as `late`, and done after the next one that is answered."""

    late = 0

    async def hello(self, epoch: int, seqs: Mapping[int, int], event: int, identity: str, info: object) -> Greeting:
        """`Venue.hello`."""
        if self.late > 0 and self.called.count("hello") % 2 == 0:
            self.called.append("hello")
            raise UnreachableError("the venue does not answer")
        greeting = await super().hello(epoch, seqs, event, identity, info)
        if self.late > 0:
            self.late -= 1
            self.venue.hello(self.me, epoch, seqs, event, identity, info)
        return greeting


@pytest.mark.parametrize(("late", "trouble"), [(1, Trouble.NONE), (3, Trouble.NONE), (4, Trouble.FENCED)])
async def test_a_hello_of_its_own_that_is_done_late_fences_no_cabinet(
    tmp_path: Path, late: int, trouble: Trouble
) -> None:
    """It says hello again, and plays in the epoch that it has; after four such in a row it asks for a person."""
    venue = linked()
    wire = LateWire(venue, ME)
    wire.late = late
    async with running(tmp_path, venue, wire) as cabinet:
        await asyncio.sleep(120)
        assert cabinet.link.state.trouble is trouble
        assert cabinet.may_play is (trouble is Trouble.NONE)
        assert venue.cabinets[ME].epoch == 1


async def test_an_answer_that_was_lost_begins_no_other_epoch(tmp_path: Path) -> None:
    """Whatever answers to hello are lost, and however often the cabinet starts anew meanwhile."""
    venue = linked()
    wire = Wire(venue, ME, lambda name: "lost" if name == "hello" else "ok")
    async with running(tmp_path, venue, wire) as cabinet:
        for _ in range(3):
            await asyncio.sleep(60)
            await cabinet.restart()
        assert venue.cabinets[ME].session > 6
        wire.fate = lambda _name: "ok"
        await connected(cabinet)
        assert (venue.cabinets[ME].epoch, cabinet.link.state.epoch) == (1, 1)


async def test_a_venue_restored_from_an_older_backup_gets_all_back_and_pays_nothing_twice(tmp_path: Path) -> None:
    """Its pools recover until the cabinet has reported; a claim that is open meanwhile is answered afterwards."""
    venue = linked()
    async with running(tmp_path, venue) as cabinet:
        await connected(cabinet)
        cabinet.bet(1_000)
        await cabinet.until(cabinet.is_drained)
        backup = venue.back_up()
        for cents in (700, 900):
            cabinet.bet(cents, jackpot=True)
            await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        before = venue.value(LINKED)
        venue.restore(backup)
        await cabinet.until(lambda: venue.cabinets[ME].reported)
        assert cabinet.link.closed(KEY) == "venue_pool_closed"
        assert venue.value(LINKED) == before
        venue.open()
        await connected(cabinet)
        cabinet.bet(100, jackpot=True)
        await cabinet.finish()
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, venue)
        assert sorted(hit for _, _, hit, _ in venue.claims.values()) == [1, 2, 3]


async def test_without_the_venue_for_six_seconds_no_new_round_begins_and_a_begun_one_ends(tmp_path: Path) -> None:
    """The amount is the pool's when the claim arrives, asked for with the same key all the time."""
    venue = linked()
    wire = Wire(venue, ME)
    async with running(tmp_path, venue, wire) as cabinet:
        await connected(cabinet)
        cabinet.bet(700, jackpot=True)
        wire.fate = lambda _name: "cut"
        await asyncio.sleep(2)
        assert cabinet.may_play
        await asyncio.sleep(6)
        assert cabinet.link.closed(KEY) == "venue_unreached"
        assert not cabinet.go_on()
        await asyncio.sleep(3_600)
        wire.fate = lambda _name: "ok"
        await cabinet.finish()
        await connected(cabinet)
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, venue)


async def test_a_venue_that_takes_no_contributions_is_not_played_for(tmp_path: Path) -> None:
    """It answers beats, but its disk is full: the linked game closes within seconds, and opens once it takes them."""
    venue = linked()
    wire = Wire(venue, ME)
    async with running(tmp_path, venue, wire) as cabinet:
        await connected(cabinet)
        cabinet.bet(700)
        wire.fate = lambda name: "cut" if name == "put" else "ok"
        await cabinet.until(lambda: not cabinet.may_play, 10)
        assert cabinet.link.closed(KEY) == "venue_unreached"
        await asyncio.sleep(600)
        assert not cabinet.may_play
        wire.fate = lambda _name: "ok"
        await connected(cabinet)
        await cabinet.until(cabinet.is_drained)
        agree(cabinet, venue)


async def test_pauses_between_calls_grow_to_half_a_minute(tmp_path: Path) -> None:
    """A venue that is away is called less and less often, and found within a pause once it is back."""
    venue = linked()
    wire = Wire(venue, ME, lambda _name: "cut")
    async with running(tmp_path, venue, wire) as cabinet:
        await asyncio.sleep(3_600)
        assert 3_600 / 30 <= wire.called.count("hello") <= 3_600 / 15
        wire.fate = lambda _name: "ok"
        await cabinet.until(lambda: cabinet.may_play, 31)


@pytest.mark.requirement("J6")
async def test_what_the_venue_refuses_is_recorded_once(tmp_path: Path) -> None:
    """The chain of another cabinet under this one's number: the venue sees it, and so does the event log."""
    venue: ModelVenue = linked()
    venue.cabinets[ME].chain[1] = bytes(32)
    async with running(tmp_path, venue) as cabinet:
        await cabinet.until(lambda: cabinet.link.state.trouble is Trouble.BESIDE)
        await asyncio.sleep(120)
        assert len(cabinet.rows("SELECT 1 FROM events WHERE code = 'venue_trouble'")) == 1


LINK_EVENTS = "SELECT data ->> '$.{what}' FROM events JOIN ledger USING (seq) WHERE code = 'venue_link' ORDER BY seq"


@pytest.mark.requirement("J6")
async def test_a_lost_link_is_an_event_and_so_is_its_return(tmp_path: Path) -> None:
    """Once for each loss, however often it is tried, and not for a moment without an answer."""
    venue: ModelVenue = linked()
    wire = Wire(venue, ME, lambda _name: "ok")
    async with running(tmp_path, venue, wire) as cabinet:

        def events() -> list[str]:
            rows = cabinet.rows(
                "SELECT data ->> '$.text' FROM events JOIN ledger USING (seq) WHERE code = 'venue_link'"
            )
            return [str(text) for (text,) in rows]

        await cabinet.until(lambda: cabinet.may_play)
        called = len(wire.called)
        wire.fate = lambda _name: "cut" if len(wire.called) < called + 3 else "ok"
        await asyncio.sleep(60)
        assert cabinet.may_play
        assert events() == []
        for loss in (1, 2):
            wire.fate = lambda _name: "cut"
            await asyncio.sleep(3_600)
            assert events() == ["venue_lost", "venue_back"] * (loss - 1) + ["venue_lost"]
            wire.fate = lambda _name: "ok"
            await asyncio.sleep(120)
            assert events() == ["venue_lost", "venue_back"] * loss


async def test_a_link_that_comes_and_goes_is_one_loss(tmp_path: Path) -> None:
    """Neither a short return nor a restart makes another event of it; its return is recorded once it has held."""
    venue: ModelVenue = linked()
    texts = LINK_EVENTS.format(what="text")
    for _ in range(2):
        wire = Wire(venue, ME, lambda _name: "ok")
        async with running(tmp_path, venue, wire) as cabinet:
            for _ in range(50):
                wire.fate = lambda _name: "cut"
                await asyncio.sleep(10)
                wire.fate = lambda _name: "ok"
                await asyncio.sleep(8)
            wire.fate = lambda _name: "cut"
            await asyncio.sleep(60)
            assert cabinet.rows(texts) == [("venue_lost",)]
    async with running(tmp_path, venue, Wire(venue, ME, lambda _name: "ok")) as cabinet:
        await asyncio.sleep(300)
        assert cabinet.rows(texts) == [("venue_lost",), ("venue_back",)]


@pytest.mark.requirement("J6")
async def test_a_venue_that_is_away_from_the_start_is_a_lost_link(tmp_path: Path) -> None:
    """Recorded once, with what the line said."""
    async with running(tmp_path, linked(), Wire(linked(), ME, lambda _name: "cut")) as cabinet:
        await asyncio.sleep(3_600)
        rows = cabinet.rows(LINK_EVENTS.format(what="reason"))
        assert rows == [(cabinet.link.state.error,)]
