"""Pools on the page: a recovery from its beginning to open pools, late claims, new terms, closing."""

import re
from importlib import resources
from typing import LiteralString

import pytest
from django.db import connection
from django.test import Client

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_floor import enrolled
from tests.rigs.venue_page import acts, logged_in, text_of
from venue.page.roles import Role
from venue.page.words import LATE, MOVED


def value(site: VenueDatabase, query: LiteralString) -> object:
    """Return one value from the database."""
    with site.connect() as admin:
        row = admin.execute(query).fetchone()
    return None if row is None else row[0]


@pytest.mark.parametrize(("paid", "base"), [("0", 0), ("150,00", 5_000_000)])
def test_a_recovery_is_ended_on_the_page(site: VenueDatabase, paid: str, base: int) -> None:
    """A cabinet is written off, its hit entered with what it paid, the pools are opened; each step in its order."""
    site.add_pool(1, "bewitched", 5)
    with enrolled(site, 1) as cabinet, enrolled(site, 2) as other:
        cabinet.play(1, 12_345)
        cabinet.put()
        with site.connect() as admin:
            admin.execute("UPDATE venue.pool SET hits = 1")
            admin.execute("SELECT venue.begin_recovery('restored', 'root')")
        olga = logged_in(Role.OPERATOR, "olga")
        assert "Recovery" in text_of(olga.get("/jackpots/").content)
        other.call("reported", other.session, "{}")
        assert "cabinets 1 have not" in text_of(olga.post("/jackpots/recovery/open", follow=True).content)
        for confirm, reason in (("2", "burnt"), ("1", "")):
            olga.post("/jackpots/recovery/cabinets/1", {"confirm": confirm, "reason": reason})
            assert value(site, "SELECT count(*) FROM venue.not_reported") == 1
        olga.post("/jackpots/recovery/cabinets/1", {"confirm": "1", "reason": "burnt"})
        assert "Hits that nobody gave back" in text_of(olga.get("/jackpots/recovery/").content)
        hit = {"pool": "1", "hit": "1", "paid": "-1", "reason": "receipt 7"}
        olga.post("/jackpots/recovery/hits", hit)
        assert value(site, "SELECT count(*) FROM venue.lost_hit") == 0
        with site.connect() as admin:
            admin.execute("UPDATE venue.meter SET cum = cum + 10000000, seq = seq + 1")
        olga.post("/jackpots/recovery/hits", hit | {"paid": paid})
        assert "confirm first" in text_of(olga.post("/jackpots/recovery/open", follow=True).content)
        olga.post("/jackpots/recovery/open", {"complete": "1"})
        assert (value(site, "SELECT state FROM venue.pool"), value(site, "SELECT base FROM venue.pool")) == (
            "open",
            base,
        )
    assert [act for _, act, _ in acts(site)][-3:] == ["written off", "hit written off", "pools opened"]


def test_a_promoted_server_is_named_with_what_to_do(site: VenueDatabase) -> None:
    """The page's own connection begins the recovery; an act in one that outlived the promotion is refused."""
    site.add_pool(1, "bewitched", 5)
    olga = logged_in(Role.OPERATOR, "olga")
    assert "No pool is recovering" in text_of(olga.get("/jackpots/recovery/").content)
    with site.connect() as admin:
        admin.execute("UPDATE venue.cluster SET timeline = timeline + 1")
    answer = olga.post("/jackpots/1/closed", {"closed": "1", "reason": "rebuilt"}, follow=True)
    assert "promoted or set back: its recovery begins within seconds" in text_of(answer.content)
    connection.close()
    shown = text_of(olga.get("/jackpots/recovery/").content)
    assert "The database server was promoted or set back" in shown
    assert "See that the old server is off and stays off" in shown
    assert "Pools recover" in text_of(olga.get("/jackpots/").content)
    assert value(site, "SELECT state FROM venue.pool") == "recovering"
    assert value(site, "SELECT reason FROM venue.recovery") == MOVED


def test_a_jackpot_above_the_known_hits_is_entered_from_its_slip(site: VenueDatabase) -> None:
    """Whose books are lost is named with the next hit of each pool; the slip's hit is stored with its seed."""
    site.add_pool(1, "bewitched", 5)
    with enrolled(site, 1) as cabinet:
        cabinet.play(1, 12_345)
        cabinet.put()
        with site.connect() as admin:
            admin.execute("SELECT venue.begin_recovery('restored', 'root')")
            admin.execute("SELECT venue.retire(1, 'burnt', 'root')")
    olga = logged_in(Role.OPERATOR, "olga")
    shown = text_of(olga.get("/jackpots/recovery/").content)
    assert "retired: what it was paid is unknown" in shown
    assert "next hit 1" in shown
    assert "every jackpot that one without its books has paid is entered" in shown
    slip = {"pool": "1", "hit": "1", "paid": "100,05", "reason": "slip 7"}
    for wrong in (
        {"seed": "x"},
        {"seed": "0"},
        {"paid": "99,95"},
        {"hit": ""},
        {"cabinet": "1"},
        {"round": "7"},
        {"cabinet": "1", "round": "x"},
    ):
        olga.post("/jackpots/recovery/hits", slip | wrong)
    assert value(site, "SELECT count(*) FROM venue.lost_hit") == 0
    olga.post("/jackpots/recovery/hits", slip)
    olga.post(
        "/jackpots/recovery/hits", slip | {"hit": "2", "paid": "120", "seed": "120", "cabinet": "1", "round": "7"}
    )
    assert value(site, "SELECT array_agg(round ORDER BY hit) FROM venue.lost_hit") == [None, 7]
    assert value(site, "SELECT array_agg(seed ORDER BY hit) FROM venue.lost_hit") == [10_000_000, 12_000_000]
    assert value(site, "SELECT base FROM venue.pool") == 5_000
    olga.post("/jackpots/recovery/open", {"complete": "1"})
    assert value(site, "SELECT state FROM venue.pool") == "open"


def test_the_wall_has_no_value_of_a_pool_that_recovers(site: VenueDatabase) -> None:
    """What was restored may be too little or too much; the value is back once the pools are open."""
    site.add_pool(1, "bewitched", 5)
    assert Client().get("/wall/values").json()["pools"][0]["cents"] == 10_000
    with site.connect() as admin:
        admin.execute("SELECT venue.begin_recovery('restored', 'root')")
    assert Client().get("/wall/values").json()["pools"][0]["cents"] is None
    assert "100.00" not in text_of(Client().get("/wall/").content)
    logged_in(Role.OPERATOR, "olga").post("/jackpots/recovery/open", {"complete": "1"})
    assert "100.00" in text_of(Client().get("/wall/").content)


def test_every_reason_of_a_late_claim_has_its_words() -> None:
    """Those that the schema writes, and no others."""
    body = resources.files("venue").joinpath("schema/0001_schema/06_recovery.sql").read_text()
    choice = body.split("late := CASE")[1].split("END;")[0]
    assert set(re.findall(r"THEN '([^']+)'", choice)) == set(LATE)


def test_a_late_claim_is_settled_by_its_adjustment(site: VenueDatabase) -> None:
    """Only an approved adjustment of the same pool settles it, once."""
    site.add_pool(1, "bewitched", 5)
    with enrolled(site, 1), site.connect() as admin:
        admin.execute(
            "INSERT INTO venue.late_claim (cabinet, epoch, round, number, pool, hit, seed, award, reason)"
            " VALUES (1, 1, 5, 0, 1, 1, 10000000, 10000000, 'the pool was not recovering')"
        )
    olga, otto = logged_in(Role.OPERATOR, "olga"), logged_in(Role.OPERATOR, "otto")
    olga.post("/jackpots/1/propose", {"amount": "1", "reason": "late"})
    claim = {"cabinet": "1", "epoch": "1", "round": "5", "number": "0", "adjustment": "1"}
    assert "Refused" in text_of(olga.post("/jackpots/recovery/late", claim, follow=True).content)
    otto.post("/jackpots/adjustments/1", {"decision": "approve"})
    olga.post("/jackpots/recovery/late", claim | {"adjustment": "x"})
    assert value(site, "SELECT adjustment FROM venue.late_claim") is None
    olga.post("/jackpots/recovery/late", claim)
    assert value(site, "SELECT adjustment FROM venue.late_claim") == 1
    assert "No pool is recovering" in text_of(olga.get("/jackpots/recovery/").content)


@pytest.mark.requirement("J3")
def test_a_pool_takes_the_terms_of_its_game_s_rules_and_no_others(site: VenueDatabase) -> None:
    """Whatever is typed, seed and rate of the rules are proposed; a second person approves, for the next hit."""
    site.add_pool(1, "bewitched", 5)
    with site.connect() as admin:
        admin.execute("UPDATE venue.pool SET rate_per_mille = 7, seed = 25000")
    olga, otto = logged_in(Role.OPERATOR, "olga"), logged_in(Role.OPERATOR, "otto")
    olga.post("/jackpots/1/terms", {"seed": "999999999999.00", "rate": "999999"})
    olga.post("/jackpots/1/terms/decide", {"decision": "approve"})
    assert value(site, "SELECT next_seed FROM venue.pool") is None, "nobody approves the own proposal"
    assert "olga" in text_of(otto.get("/jackpots/1/").content)
    otto.post("/jackpots/1/terms/decide", {"decision": "approve"})
    assert value(site, "SELECT next_seed FROM venue.pool") == 2000 * 5 * 1000
    assert value(site, "SELECT next_rate_per_mille FROM venue.pool") == 5
    assert "From the next hit on: Seed 100.00 Rate 5" in text_of(olga.get("/jackpots/1/").content)
    assert [act for _, act, _ in acts(site) if act.startswith("terms")] == ["terms proposed", "terms approved"]


def test_a_pool_is_closed_and_opened_with_a_reason(site: VenueDatabase) -> None:
    """A closed pool is not on the wall, and both acts are recorded."""
    site.add_pool(1, "bewitched", 5)
    olga = logged_in(Role.OPERATOR, "olga")
    olga.post("/jackpots/1/closed", {"closed": "1", "reason": ""})
    assert value(site, "SELECT state FROM venue.pool") == "open"
    olga.post("/jackpots/1/closed", {"closed": "1", "reason": "rebuilt"})
    assert olga.get("/wall/values").json()["pools"] == []
    olga.post("/jackpots/1/closed", {"closed": "0", "reason": "ready"})
    assert value(site, "SELECT state FROM venue.pool") == "open"
    assert [act for _, act, _ in acts(site)] == ["pool closed", "pool opened"]


def test_two_people_take_a_cabinet_out_of_a_pool(site: VenueDatabase) -> None:
    """One proposes it with a reason, another approves it; the pool keeps what the others contributed, and its proof."""
    site.add_pool()
    with enrolled(site, 1, "Broken") as broken, enrolled(site, 2, "Honest") as honest:
        for cabinet, millicents in ((broken, 10**13), (honest, 7_000_000)):
            cabinet.play(1, millicents)
            cabinet.put()
        olga, otto = logged_in(Role.OPERATOR, "olga"), logged_in(Role.OPERATOR, "otto")
        for lacking in ({"cabinet": "1"}, {"reason": "why"}, {"cabinet": "x", "reason": "why"}):
            assert "Choose a cabinet" in text_of(olga.post("/jackpots/1/remove", lacking, follow=True).content)
        olga.post("/jackpots/1/remove", {"cabinet": "1", "reason": "broken open"})
        assert "Approve 1" not in text_of(olga.get("/jackpots/1/").content)
        answer = olga.post("/jackpots/1/remove/1", {"decision": "approve"}, follow=True)
        assert "another person" in text_of(answer.content)
        assert "broken open" in text_of(otto.get("/jackpots/1/").content)
        otto.post("/jackpots/1/remove/1", {"decision": "approve"})
        shown = text_of(otto.get("/jackpots/1/").content)
        assert "Worth 570.00" in shown
        assert "1 Broken Taken out" in shown
        assert "Balances" in shown
        assert broken.beat()[1].state == "closed"
    assert [act for _, act, _ in acts(site) if act.startswith("removal")] == ["removal proposed", "removal approved"]
