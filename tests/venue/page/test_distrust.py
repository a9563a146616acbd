"""The page retires a cabinet that is not trusted: one person closes its login, two retire it, in English and German."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.rigs.venue_floor import enrolled
from tests.rigs.venue_page import acts, logged_in, text_of
from venue.page.queries import outbox
from venue.page.roles import Role

CONFIRMED = {"confirm": "1", "reason": "broken open"}
PRINTED, MADE_UP = "000000000000001234", "000000000000009999"


@pytest.fixture
def hostile(site: VenueDatabase) -> Iterator[VenueCabinet]:
    """Cabinet 1 says that it has not handed over all and holds two tickets; cabinet 2 has printed one of them."""
    with enrolled(site, 1, "Hostile") as cabinet, enrolled(site, 2, "Honest") as honest:
        issue = {"kind": "issue", "number": PRINTED, "cents": 500, "epoch": 1, "ticket": 1, "issued_ms": 1}
        honest.call("tickets", honest.session, Jsonb([issue]))
        claim = {"kind": "claim", "cents": 500, "epoch": 1, "state": "held"}
        claims = [claim | {"number": number, "claim": n} for n, number in enumerate((PRINTED, MADE_UP), 1)]
        cabinet.call("tickets", cabinet.session, Jsonb(claims))
        cabinet.beat(state="idle", unsent=3)
        yield cabinet


def test_two_people_retire_it(site: VenueDatabase, hostile: VenueCabinet) -> None:
    """The proposal ends its session; the approval leaves its tickets to people, and alarms with what there is."""
    olga, otto = logged_in(Role.OPERATOR, "olga"), logged_in(Role.OPERATOR, "otto")
    assert "holds tickets" in text_of(olga.post("/cabinets/1/retire", CONFIRMED, follow=True).content)
    for lacking in ({"confirm": "2", "reason": "why"}, {"confirm": "1", "reason": " "}):
        assert "number and a reason" in text_of(olga.post("/cabinets/1/distrust", lacking, follow=True).content)
    hostile.beat(unsent=3)
    assert "second person must" in text_of(olga.post("/cabinets/1/distrust", CONFIRMED, follow=True).content)
    with pytest.raises(psycopg.OperationalError):
        hostile.beat()
    shown = text_of(olga.get("/cabinets/1/").content)
    assert "olga" in shown
    assert "Reject" in shown
    assert "Approve" not in shown
    assert "another person" in text_of(
        olga.post("/cabinets/1/distrust/1", {"decision": "approve"}, follow=True).content
    )
    assert "Approve" in text_of(otto.get("/cabinets/1/").content)
    answer = otto.post("/cabinets/1/distrust/1", {"decision": "approve"}, follow=True)
    assert "The cabinet is retired." in text_of(answer.content)
    listed = text_of(otto.get("/tickets/").content)
    assert "Held, or claimed, by a cabinet that is not trusted" in listed
    assert MADE_UP[-4:] in listed
    outbox.watch()
    assert MADE_UP[-4:] not in text_of(otto.get("/tickets/").content)
    alarm = text_of(otto.get("/events/").content)
    assert "A cabinet that is not trusted was retired" in alarm
    assert "Not handed over, as it said: 3" in alarm
    done = [act for _, act, _ in acts(site) if act.startswith(("distrust", "login", "retired"))]
    assert done == ["login closed", "distrust proposed", "distrust approved", "retired"]


def test_a_held_ticket_is_opened_again(site: VenueDatabase, hostile: VenueCabinet) -> None:
    """The desk says why it is held, and what it takes; afterwards it is in the list of troubles no more."""
    olga, otto = logged_in(Role.OPERATOR, "olga"), logged_in(Role.OPERATOR, "otto")
    olga.post("/cabinets/1/distrust", CONFIRMED)
    otto.post("/cabinets/1/distrust/1", {"decision": "approve"})
    found = olga.post("/tickets/look-up", {"number": PRINTED})
    assert "is not trusted and was retired" in text_of(found.content)
    serial = str(found.context["found"]["serial"])
    olga.post("/tickets/propose", {"act": "reopen", "reason": "seen", "amount": "", "serial": serial})
    otto.post("/tickets/proposals/1", {"decision": "approve"})
    assert site.ask(f"SELECT state FROM venue.ticket WHERE number = '{PRINTED}'") == [("open",)]  # noqa: S608
    assert "is not trusted" not in text_of(olga.get("/tickets/").content)


def test_one_person_closes_its_login_and_opens_it(site: VenueDatabase, hostile: VenueCabinet) -> None:
    """The list of cabinets says so meanwhile; so does a rejected proposal open it."""
    olga = logged_in(Role.OPERATOR, "olga")
    olga.post("/cabinets/1/distrust", CONFIRMED | {"act": "close"})
    assert "Login closed" in text_of(olga.get("/cabinets/").content)
    assert "open again" in text_of(olga.post("/cabinets/1/open", follow=True).content)
    site.connect("cab_1").close()
    olga.post("/cabinets/1/distrust", CONFIRMED)
    assert "waits for a second person" in text_of(olga.post("/cabinets/1/open", follow=True).content)
    assert "Rejected." in text_of(olga.post("/cabinets/1/distrust/1", {"decision": "reject"}, follow=True).content)
    site.connect("cab_1").close()
    assert "Login closed" not in text_of(olga.get("/cabinets/").content)


def test_it_is_offered_in_german(site: VenueDatabase, hostile: VenueCabinet) -> None:
    """What it is for, and what waits."""
    olga, german = logged_in(Role.OPERATOR, "olga"), {"Accept-Language": "de"}
    assert "Nicht mehr vertrauenswürdig" in text_of(olga.get("/cabinets/1/", headers=german).content)
    olga.post("/cabinets/1/distrust", CONFIRMED)
    assert "Soll stillgelegt werden, da ihm nicht vertraut wird" in text_of(
        olga.get("/cabinets/1/", headers=german).content
    )
