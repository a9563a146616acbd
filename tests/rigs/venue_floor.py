"""A venue with something of everything: cabinets in all states, hits, events, alarms, money, offers and a round."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from gamekit.catalogue import names
from tests.rigs.postgres import VenueDatabase
from tests.rigs.round_records import record
from tests.rigs.venue_cabinet import LedgerRows, VenueCabinet


def status(**changes: object) -> dict[str, object]:
    """Return the status of a cabinet that is well and idle, changed where the test wants."""
    now = int(time.time() * 1000)
    plain: dict[str, object] = {
        "state": "idle",
        "game": "bewitched",
        "credit_cents": 12_350,
        "currency": "EUR",
        "doors": [],
        "faults": [],
        "software": {"version": "0.3.0", "state": "running"},
        "books": {"proved_at_ms": now - 3_600_000, "whole": True},
        "health": {"temperature_c": 54.5, "disk_free_mb": 21_500, "card_wear_percent": 3, "commit_ms": 6.2},
        "clock_ms": now,
    }
    return plain | changes


def enrolled(database: VenueDatabase, number: int, label: str | None = None) -> VenueCabinet:
    """Return a new cabinet of this number with a session."""
    role = database.add_cabinet(number)
    if label is not None:
        with database.connect() as admin:
            admin.execute("UPDATE venue.cabinet SET label = %s WHERE cabinet = %s", (label, number))
    cabinet = VenueCabinet(database.dsn(role), identity=f"{number:064x}")
    cabinet.hello(info={"program": "0.3.0"})
    return cabinet


def reading(seq: int, at: datetime, kind: str, rounds: int, payback: float) -> dict[str, Any]:
    """Return lifetime meters after so many rounds of each game at 1.50 a round."""
    stakes, wins = rounds * 150, int(rounds * 150 * payback)
    each = {game: {"rounds": rounds, "stakes": stakes, "wins": wins} for game in names()}
    total = {"stakes": stakes * len(each), "wins": wins * len(each), "games": rounds * len(each)}
    cash = {
        "coins_in": stakes,
        "notes_in": stakes * 2,
        "hopper_out": stakes,
        "hand_pay": wins // 100,
        "drop": stakes * 2,
    }
    return {"seq": seq, "kind": kind, "cab_at_ms": int(at.timestamp() * 1000), "meters": total | cash, "games": each}


def play_days(cabinet: VenueCabinet, days: int, payback: float, rounds: int = 700) -> None:
    """Send readings of the last days, with a collection on every seventh."""
    first = datetime.now(UTC).replace(hour=12) - timedelta(days=days)
    rows = [reading(1, first, "hour", 0, payback)]
    for day in range(1, days + 1):
        at = first + timedelta(days=day)
        kind = "collection" if day % 7 == 0 else "day"
        rows.append(reading(day + 1, at, kind, day * rounds, payback))
    cabinet.call("meters", cabinet.session, Jsonb(rows))


def events(cabinet: VenueCabinet, *rows: tuple[str, dict[str, object]]) -> None:
    """Send events, numbered from 1."""
    now = int(time.time() * 1000)
    sent = [
        {"seq": seq, "code": code, "cab_at_ms": now - 60_000 + seq, "body": body}
        for seq, (code, body) in enumerate(rows, start=1)
    ]
    cabinet.call("events", cabinet.session, Jsonb(sent))


def tickets(printing: VenueCabinet, taking: VenueCabinet) -> None:
    """Have one cabinet print ten tickets, 0011…, 0022… and so on, of which another has redeemed one and holds one."""
    now = int(time.time() * 1000)
    rows = [
        {
            "kind": "issue",
            "number": f"00{str(digit) * 16}",
            "cents": 1000 + 515 * digit,
            "epoch": printing.epoch,
            "ticket": digit + 1,
            "issued_ms": now - 3_600_000 * (10 - digit),
            "expires_ms": now + 86_400_000 * (digit - 1),
        }
        for digit in range(10)
    ]
    printing.call("tickets", printing.session, Jsonb(rows))
    for claim, digit in enumerate((2, 3), start=1):
        taking.call("ticket_claim", taking.session, taking.epoch, claim, f"00{str(digit) * 16}")
    ended = {"kind": "claim", "epoch": taking.epoch, "claim": 1, "number": f"00{'2' * 16}", "cents": 2030}
    taking.call("tickets", taking.session, Jsonb([ended | {"state": "redeemed"}]))
    taking.call("ticket_claim", taking.session, taking.epoch, 3, f"00{'2' * 16}")


def populate(database: VenueDatabase, cabinets: list[VenueCabinet], days: int = 45) -> None:
    """Fill the venue and put its cabinets' connections into `cabinets`; the caller closes them."""
    database.add_pool(1, "bewitched", 5)
    database.add_pool(2, "mona_lisa_jewels", 10)
    states: list[tuple[str, dict[str, object]]] = [
        ("Bar left", status(state="round", game="bewitched")),
        ("Bar right", status(state="handpay", game="neptune", credit_cents=1_234_500)),
        (
            "Window",
            status(doors=["main_door"], faults=[{"code": "door_open", "place": "main door", "stops_play": True}]),
        ),
        (
            "Entrance",
            status(state="attract", game="", credit_cents=0, faults=[{"code": "hopper_low", "place": "hopper"}]),
        ),
        ("Lounge", status(state="locked", books={"proved_at_ms": 1, "whole": False})),
        ("Pillar", status(state="attract", game="", credit_cents=0, software={"version": "0.2.9", "state": "differs"})),
        ("Corner", status(state="autospin", game="witch_feature", health={"temperature_c": 84, "commit_ms": 41.0})),
        ("Stairs", {}),
    ]
    for number, (label, shown) in enumerate(states, start=1):
        cabinet = enrolled(database, number, label)
        cabinets.append(cabinet)
        if not shown:
            continue
        play_days(cabinet, days, 0.80 if number == 6 else 0.945 + number / 1000)
        cabinet.play(1, 7_654_321)
        cabinet.play(2, 987_654)
        cabinet.put()
        events(
            cabinet,
            ("power_up", {"text": "The program started in order", "how": "started in order"}),
            ("service_menu", {"text": "Service menu opened by the technician"}),
            ("large_win", {"text": f"Large win of 250.00 in round {1000 + number}", "won_cents": 25_000}),
        )
        rows = LedgerRows().append(20)
        cabinet.call("ledger", cabinet.session, Jsonb(rows))
        cabinet.beat(**shown)
    tickets(cabinets[0], cabinets[1])
    cabinets[0].claim(1, 1001)
    cabinets[1].claim(1, 77)
    cabinets[2].claim(2, 5)
    with database.connect("venue_page") as page:
        page.execute("SELECT venue.watch()")
        page.execute("SELECT venue.propose_adjustment(1, 5000000, 'moved from the old cabinet', 'petra')")
        offer = page.execute("SELECT venue.new_offer('bundle', 'cabinet-0.3.1.cabinet', 'olga')").fetchone()
        page.execute("SELECT venue.add_part(%s, %s)", (offer[0] if offer else 0, b"signed" * 1000))
        page.execute("SELECT venue.start_offer(1, sha256('signed'), ARRAY[1,2,3,4], 5, 'olga')")
        page.execute("SELECT venue.new_offer('settings', 'quiet-hours.toml', 'olga')")
        for cabinet, number in ((1, 1001), (2, 77), (3, 999)):
            page.execute("SELECT venue.want_round(%s, %s, 'olga')", (cabinet, number))
        first = page.execute("SELECT min(collection) FROM venue.collection").fetchone()
        page.execute("SELECT venue.count_cash(%s, 1, 2, 'short', 'carl')", (first[0] if first else 0,))
    cabinets[0].call("offer_result", cabinets[0].session, 1, "installed", "")
    cabinets[0].call("round", cabinets[0].session, 1001, Jsonb(record("neptune")))
    cabinets[2].call("round", cabinets[2].session, 999, None)


def close(cabinets: list[VenueCabinet]) -> None:
    """Close the cabinets' connections."""
    for cabinet in cabinets:
        cabinet.connection.close()
