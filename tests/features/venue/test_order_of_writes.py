"""No call to a venue precedes the commit of what it reports: every call, by what is durable as it goes out.

A commit takes far longer than a call. Each call of the link's protocol has a check here, or is known to report nothing
of the books; each check is done in a life in which that call reports something.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from controller.faults import DOOR_OPEN
from controller.features.venue.relay import CALLS
from tests.rigs.bewitched import MERLINS_JACKPOT, bewitched
from tests.rigs.linked_rig import ME, linked_by, venue_of
from tests.rigs.machine import Rig
from tests.rigs.model_venue import ModelVenue, Wire
from tests.rigs.offered_cabinet import OfferedCabinet
from tests.rigs.rounds import to_the_end
from tests.rigs.service_menu import with_sticks
from tests.rigs.slow_books import Row, Rows, SlowWriter, has, watched
from tests.rigs.ticket_hall import Fate, ModelHouse, TicketRig
from tests.rigs.updates import places

COMMIT_S = 0.02
WORTH = 2000
UNFIT = b"[sound]\npercent = 300\n"

REPORTS_NOTHING = frozenset({"offers", "fetch", "wanted", "enrol", "locked"})
"""The calls that report nothing of the books: they ask, or are of a cabinet without books."""


def _hello(durable: Rows, epoch: int, seqs: Mapping[int, int], event: int, _identity: str, _info: object) -> bool:
    known = epoch == 0 or has(durable, "venue", epoch=epoch, events=event)
    return known and all(has(durable, "venue_meters", epoch=epoch, pool=pool, seq=seq) for pool, seq in seqs.items())


def _beat(durable: Rows, _session: int, status: Mapping[str, Any]) -> bool:
    doors = all(has(durable, "faults", code=DOOR_OPEN, place=door, present=1) for door in status.get("doors", ()))
    recorded = [each for each in status.get("faults", ()) if each["since_ms"] is not None]
    faults = all(has(durable, "events", code=each["code"], place=each["place"]) for each in recorded)
    return doors and faults and has(durable, "cabinet", credit_cents=status["credit_cents"])


def _put(durable: Rows, _session: int, meters: Iterable[tuple[int, int, int]], _epoch: int | None) -> bool:
    rows = durable["venue_meters"]
    return all(any(row["pool"] == pool and row["cum"] == cum for row in rows) for pool, _, cum in meters)


def _claim(durable: Rows, _session: int, **named: int) -> bool:
    return has(durable, "venue_claims", epoch=named["epoch"], round_id=named["round_id"], number=named["number"])


def _events(durable: Rows, _session: int, rows: Iterable[Row]) -> bool:
    return all(has(durable, "venue_events", seq=row["seq"], code=row["code"]) for row in rows)


def _meters(durable: Rows, _session: int, rows: Iterable[Row]) -> bool:
    return all(has(durable, "venue_readings", seq=row["seq"], kind=row["kind"]) for row in rows)


def _ledger(durable: Rows, _session: int, rows: Iterable[Row]) -> bool:
    return all(has(durable, "ledger", seq=row["row"], hash=bytes.fromhex(str(row["hash"]))) for row in rows)


def _witness(durable: Rows, _session: int, row: int, digest: bytes) -> bool:
    return has(durable, "ledger", seq=row, hash=digest)


def _rebase(durable: Rows, _session: int, row: int, digest: bytes, by: str) -> bool:
    return has(durable, "ledger", seq=row, hash=digest) and has(durable, "venue", accepted_by=by)


def _give_back(durable: Rows, _session: int, claims: Iterable[Row]) -> bool:
    return all(has(durable, "venue_claims", pool=claim["pool"], award=claim["award"]) for claim in claims)


def _reported(durable: Rows, _session: int, seqs: Mapping[int, int]) -> bool:
    return all(has(durable, "venue_meters", pool=pool, seq=seq) for pool, seq in seqs.items())


def _offer_result(durable: Rows, _session: int, offer: int, state: str, _detail: str) -> bool:
    (kept,) = (str(row["value"]) for row in durable["settings"] if row["name"] == "venue_offers")
    due = msgspec.json.decode(kept)["due"]
    return any(result["key"]["offer"] == offer and result["state"] == state for result in due)


def _round(durable: Rows, _session: int, round_id: int, record: Mapping[str, Any] | None) -> bool:
    return record is None or has(durable, "rounds", id=round_id, state=record["state"], win_cents=record["win_cents"])


def _tickets(durable: Rows, _session: int, rows: Iterable[Row]) -> bool:
    return all(
        has(durable, "tickets", number=row["number"], cents=row["cents"])
        if row["kind"] == "issue"
        else has(durable, "venue_ticket_claims", claim=row["claim"], number=row["number"], state=row["state"])
        for row in rows
    )


def _ticket_claim(durable: Rows, _session: int, epoch: int, claim: int, number: str) -> bool:
    return has(durable, "venue_ticket_claims", epoch=epoch, claim=claim, number=number, state="asked")


CHECKS: Mapping[str, Callable[..., bool]] = {
    "hello": _hello, "beat": _beat, "put": _put, "claim": _claim, "events": _events, "meters": _meters,
    "ledger": _ledger, "witness": _witness, "rebase": _rebase, "give_back": _give_back, "reported": _reported,
    "offer_result": _offer_result, "round": _round, "tickets": _tickets, "ticket_claim": _ticket_claim,
}  # fmt: skip
"""Whether what a call reports is durable as it goes out."""


class WatchedWire(Wire):
    """A connection of which each call is checked against the `store` as it goes out; `reported` are those that said."""

    def __init__(self, venue: ModelVenue, me: int = ME, fate: Fate = lambda _name: "ok") -> None:
        super().__init__(venue, me, fate)
        self.store = watched()
        self.reported_calls: set[str] = set()
        self.early: list[tuple[str, object]] = []
        self.shut = lambda: False

    def is_out_of_date(self, *arguments: Any) -> bool:
        """Whether this is a status whose open door has been shut since."""
        return bool(arguments[1:] and isinstance(arguments[1], dict) and arguments[1].get("doors") and self.shut())

    async def _do(self, name: str, *arguments: Any, method: str = "", **named: Any) -> Any:
        check = CHECKS.get(name)
        if check is not None:
            self.reported_calls |= {name} if any(arguments[1:]) or named else set()
            if not check(self.store.durable, *arguments, **named) and not self.is_out_of_date(*arguments):
                self.early.append((name, (arguments, named)))
        return await super()._do(name, *arguments, method=method, **named)


def slowed(rig: Rig, wire: WatchedWire) -> SlowWriter:
    """Have the commits of a machine take time, and its connection look at what is durable."""
    rig.store, rig.writer = wire.store, SlowWriter()
    return rig.writer


async def settle(rig: Rig, writer: SlowWriter, seconds: float) -> None:
    """Let so much time pass in which each commit takes long."""
    writer.seconds = COMMIT_S
    await asyncio.sleep(seconds)
    for task in rig._tasks:
        if task.done():
            task.result()
    writer.hurry()


async def test_play_and_doors_are_reported_once_they_are_durable(tmp_path: Path) -> None:
    """All of the session, a jackpot's claim among it, and all again for a venue that was restored."""
    venue = venue_of()
    wire = WatchedWire(venue)
    rig = bewitched(tmp_path, *MERLINS_JACKPOT)
    writer = slowed(rig, wire)
    linked_by(rig, wire)
    async with rig:
        await rig.game(2000)
        await rig.until_true(lambda: rig.screen.view.message == "")
        writer.seconds = COMMIT_S
        await rig.press("spin")
        await to_the_end(rig)
        venue.wanted = {1, 99}
        writer.seconds, whims = 10 * COMMIT_S, random.Random(1)
        wire.shut = lambda: not rig.machine.conditions.doors["main"]
        for turn in range(100):
            rig.machine.states.door("main", is_open=turn % 2 == 0)
            await asyncio.sleep(whims.uniform(3.0, 6.0))
        venue.restore(venue.back_up())
        await settle(rig, writer, 60.0)
    assert wire.early == []
    assert wire.reported_calls == set(CHECKS) - {"rebase", "offer_result", "tickets", "ticket_claim"}


class WatchedHouse(ModelHouse):
    """A venue whose connection is watched."""

    def line(self, me: int, folder: Path, fate: Fate) -> WatchedWire:
        """Return a cabinet's connection."""
        del folder
        return WatchedWire(self.venue, me, fate)


async def test_tickets_and_accepted_books_are_reported_once_they_are_durable(tmp_path: Path) -> None:
    """A ticket out and in, and an older card that a technician accepts."""
    house = WatchedHouse(1)
    rig = TicketRig(tmp_path / "1", house, 1)
    assert isinstance(rig.line, WatchedWire)
    wire: WatchedWire = rig.line
    writer = slowed(rig, wire)
    async with rig:
        await rig.until_linked()
        writer.seconds = COMMIT_S
        number = await rig.printed(WORTH)
        await settle(rig, writer, 10.0)
        await rig.keep_card(tmp_path / "card")
        await rig.until_linked()
        writer.seconds = COMMIT_S
        assert await rig.ticket(number)
        await settle(rig, writer, 10.0)
        await rig.put_back(tmp_path / "card")
        await settle(rig, writer, 60.0)
    assert wire.early == []
    assert {"tickets", "ticket_claim", "rebase"} <= wire.reported_calls


async def test_what_became_of_an_offer_is_reported_once_it_is_durable(tmp_path: Path) -> None:
    """A template that does not fit is refused."""
    venue = ModelVenue({})
    venue.cabinets = venue_of().cabinets
    venue.offered[1] = "settings", "House", UNFIT
    wire = WatchedWire(venue)
    rig = OfferedCabinet(tmp_path, config=with_sticks(tmp_path).config)
    writer = slowed(rig, wire)
    rig.join_by(wire, places(tmp_path))
    await rig.begin()
    await settle(rig, writer, 60.0)
    await rig.kill()
    assert wire.early == []
    assert "offer_result" in wire.reported_calls


def test_each_call_of_the_protocol_has_a_check_here() -> None:
    """By the link's own list: a call that is new there must be named here."""
    assert set(CHECKS) | REPORTS_NOTHING == CALLS
    assert not set(CHECKS) & REPORTS_NOTHING
