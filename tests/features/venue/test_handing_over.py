"""What the books hand over, against the venue's own database: readings, rounds in dispute, how much at once."""

import asyncio
import hashlib
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from controller.features.venue import handing_over
from controller.journal import periods
from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction
from gamekit.catalogue import load
from gamekit.play import Answer, Offer, Stake
from tests.rigs.bewitched import MERLINS_JACKPOT, bewitched
from tests.rigs.linked_cabinet import LinkedCabinet
from tests.rigs.linked_rig import COIN, linked_by
from tests.rigs.postgres import VenueDatabase
from tests.rigs.rounds import to_the_end
from tests.rigs.threaded_venue import ThreadedVenue
from tests.rigs.venue_store import ME


def noon() -> datetime:
    """A noon by the clock of this process, whose time zone a test before may have changed (Django sets it)."""
    return datetime(2026, 3, 10, 12, 20, tzinfo=UTC).astimezone()


def here(at: datetime) -> str:
    """The name of that moment's time zone, for the venue's: the sign is POSIX'."""
    return f"Etc/GMT{-(at.utcoffset() or timedelta()) // timedelta(hours=1):+d}"


def ms(at: datetime) -> int:
    """Milliseconds since 1970."""
    return int(at.timestamp() * 1000)


def _hours(tx: Transaction) -> int:
    """Return how many hourly readings the books have."""
    (count,) = tx.execute("SELECT count(*) FROM venue_readings WHERE kind = 'hour'").fetchone()
    return int(count)


async def test_meters_arrive_by_hour_day_and_collection_also_from_days_without_the_venue(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """The line is cut for three days: each day counts what was played on it, each collection what dropped before it."""
    start = noon()
    with database.connect() as admin:
        admin.execute("UPDATE venue.site SET timezone = %s", (here(start),))
    cabinet = LinkedCabinet(tmp_path, line, now_ms=ms(start))
    played: Counter[str] = Counter()
    dropped: list[int] = []
    box = 0
    await cabinet.start()
    try:
        await cabinet.until(lambda: "meters" in line.called)
        for hour in range(72):
            now = start + timedelta(hours=hour)
            cabinet.now_ms = ms(now)
            if hour == 5:
                line.fate = lambda _name: "cut"
            await cabinet.until(lambda: cabinet.do(_hours) == hour + 1)  # noqa: B023 - awaited within this pass
            cabinet.bet(100 + hour)
            played[now.date().isoformat()] += 100 + hour
            to_hopper = 50 if hour % 3 == 0 else 0
            cabinet.do(
                lambda tx: tx.post("coin", credit=50, meters={"coins_in": 50, "coins_to_hopper": to_hopper})  # noqa: B023
            )
            box += 50 - to_hopper
            if hour in (20, 47):
                cabinet.do(lambda tx: periods.close_period(tx, "attendant"))
                dropped.append(box)
                box = 0
            if hour == 30:
                cabinet.do(lambda tx: periods.clear_period(tx, "attendant"))  # no money was taken out
        cabinet.now_ms = ms(start + timedelta(hours=72))
        line.fate = lambda _name: "ok"
        await cabinet.until(lambda: database.ask("SELECT count(*) FROM venue.reading")[0][0] == 73 + 3 + 2)
    finally:
        await cabinet.kill()
    days = database.ask("SELECT day::text, stakes FROM venue.day_meter ORDER BY day")
    assert dict(days) == dict(played)
    assert [row[0] for row in database.ask("SELECT drop_cents FROM venue.collection ORDER BY seq")] == dropped
    kinds = Counter(row[0] for row in database.ask("SELECT kind FROM venue.reading"))
    assert kinds == {"hour": 73, "day": 3, "collection": 2}
    ends = database.ask("SELECT cab_at FROM venue.reading WHERE kind = 'day' ORDER BY seq")
    midnight = start.replace(hour=0, minute=0)
    assert [row[0] for row in ends] == [midnight + timedelta(days=day, milliseconds=-1) for day in (1, 2, 3)]


async def test_an_event_arrives_in_words(database: VenueDatabase, line: ThreadedVenue, tmp_path: Path) -> None:
    """The venue has no templates: an event brings its English words, and the template and figures for the page."""
    async with LinkedCabinet(tmp_path, line) as cabinet:
        await cabinet.until(lambda: "meters" in line.called)
        cabinet.do(lambda tx: tx.event(Event.HOPPER_REFILL, who="attendant", coins=20, value_cents=100))
        await cabinet.until(lambda: bool(database.ask("SELECT 1 FROM venue.event WHERE code = 'hopper_refill'")))
    ((body,),) = database.ask("SELECT body FROM venue.event WHERE code = 'hopper_refill'")
    assert body["text"] == "Put into the hopper by the attendant: 20 coins of 100 cents"
    assert body["template"] == "Put into the hopper by the {who}: {coins} coins of {value_cents}"
    assert body["figures"] == {"who": "attendant", "coins": 20, "value_cents": 100, "place": ""}


def replayed(record: dict[str, Any]) -> list[str]:
    """Play a record's draws and answers again, with nothing but the game; return the hashes of its segments."""
    game, bet = load(record["game"]), record["bet"]
    stake = Stake(**bet, gamble_cap_cents=record["gamble_cap_cents"])
    draws = [tuple(draw) for segment in record["segments"] for draw in segment["draws"]]

    def draw(bound: int, /) -> int:
        drawn, value = draws.pop(0)
        assert drawn == bound
        return value

    play = game.play(stake, draw, msgspec.json.decode(record["memory_before"]))
    hashes = []
    for segment in record["segments"]:
        sent = None if segment["answer"] is None else Answer(segment["answer"])
        steps: list[bytes] = []
        try:
            step: object = None
            while not isinstance(step, Offer):
                step, sent = play.send(sent), None
                steps.append(msgspec.json.encode(step))
        except StopIteration:
            pass
        hashes.append(hashlib.sha256(b"\n".join(steps)).hexdigest())
    assert draws == []
    return hashes


async def test_a_round_in_dispute_is_handed_over_once_it_is_over(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """Its draws and answers give its hashes again; one that nobody played is answered as such; a bad line delays it."""
    database.add_pool(10, "bewitched", COIN)
    rig = bewitched(tmp_path, *MERLINS_JACKPOT)
    linked_by(rig, line)
    chance = random.Random(3)
    answered = "SELECT round, record FROM venue.wanted_round WHERE answered_at IS NOT NULL ORDER BY 1"
    async with rig:
        await rig.game(2000)
        await rig.until_true(lambda: rig.screen.view.message == "")
        await rig.press("spin")
        with database.connect("venue_page") as page:
            page.execute("SELECT venue.want_round(%s, 1, 'anna'), venue.want_round(%s, 99, 'anna')", (ME, ME))
        await rig.until_true(lambda: "round" in line.called)
        await asyncio.sleep(20)
        assert database.ask(answered) == [(99, None)]
        assert rig.shown == "offer"
        line.fate = lambda name: "lost" if name in ("wanted", "round") and chance.randrange(3) else "ok"
        await to_the_end(rig)
        line.called.clear()
        await rig.until_true(lambda: line.called.count("wanted") > line.called.count("round") + 3, 600)
        (won,), *_ = await rig.rows("SELECT win_cents FROM rounds")
    record = database.ask(answered)[0][1]
    assert (record["state"], record["win_cents"]) == ("settled", won)
    assert [segment["sha256"] for segment in record["segments"]] == replayed(record)
    assert len(record["segments"]) > 1


async def test_a_month_without_the_venue_is_handed_over_in_bounded_calls(
    database: VenueDatabase, line: ThreadedVenue, tmp_path: Path
) -> None:
    """Rows as long as the books have them; no call carries more than the venue takes, and beats have their turn."""
    async with LinkedCabinet(tmp_path, line) as cabinet:
        await cabinet.until(lambda: cabinet.may_play)
        line.fate = lambda _name: "cut"
        await asyncio.sleep(10)
        cabinet.do(lambda tx: [tx.log("service_call", "x" * 100_000, place="a") for _ in range(45)])
        line.fate = lambda _name: "ok"
        line.called.clear()
        await cabinet.until(cabinet.is_drained)
        assert database.ask("SELECT max(row) FROM venue.ledger_row") == [(cabinet.do(lambda tx: tx.head)[0],)]
        assert database.ask("SELECT count(*) FROM venue.event WHERE code = 'service_call'") == [(45,)]
        assert database.ask("SELECT FROM venue.alarm WHERE code IN ('calls_refused', 'chain_refused')") == []
        assert line.called.count("ledger") > 45 * 2 * 100_000 // handing_over.MOST_BYTES
