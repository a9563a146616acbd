"""The cashier's desk: a ticket is looked up, paid once, and what is out of the ordinary takes two people."""

import csv
import io

import pytest
from django.test import Client
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_cabinet import VenueCabinet
from tests.rigs.venue_floor import enrolled, tickets
from tests.rigs.venue_page import acts, logged_in, text_of
from venue.page.queries import outbox
from venue.page.roles import Role

OPEN, ZERO, TAKEN, HELD, STRANGE = (f"00{digit * 16}" for digit in ("4", "0", "2", "3", "9"))
STRANGE = "009999999999999998"


@pytest.fixture
def desk(site: VenueDatabase) -> Client:
    """A cashier's browser; cabinet 1 has printed ten tickets, cabinet 2 redeemed one and holds one."""
    cabinets = [enrolled(site, number) for number in (1, 2)]
    tickets(*cabinets)
    for cabinet in cabinets:
        cabinet.connection.close()
    return logged_in(Role.CASHIER, "carla")


def shown(client: Client, number: str) -> str:
    """The page of a ticket that somebody has handed in."""
    return text_of(client.post("/tickets/look-up", {"number": number}).content)


def listed(client: Client, site: VenueDatabase, number: str) -> str:
    """The page of a ticket to which a list leads."""
    serials = dict(site.ask("SELECT number, serial FROM venue.ticket"))
    return text_of(client.get(f"/tickets/{serials[number]}/").content)


def form(client: Client, number: str) -> dict[str, str]:
    """Return the hidden fields of the form that pays."""
    answer = client.post("/tickets/look-up", {"number": number})
    return {"number": number, "key": answer.context["key"], "cents": str(answer.context["found"]["cents"])}


def proposed(client: Client, number: str, act: str, amount: str = "") -> str:
    """Propose an act on a ticket that was handed in; return what the page says."""
    found = client.post("/tickets/look-up", {"number": number}).context["found"]
    which = {"number": number} if found is None else {"serial": str(found["serial"])}
    asked = {"act": act, "reason": "seen", "amount": amount, **which}
    return text_of(client.post("/tickets/propose", asked, follow=True).content)


def alarms(site: VenueDatabase) -> list[str]:
    return [code for (code,) in site.ask("SELECT code FROM venue.alarm WHERE code LIKE 'ticket%' ORDER BY alarm")]


def test_a_scanned_number_leads_to_its_ticket(desk: Client) -> None:
    """With or without spaces; anything else is refused with words."""
    assert "30.60" in shown(desk, f"{OPEN[:2]} {OPEN[2:6]} {OPEN[6:]}")
    answer = desk.post("/tickets/look-up", {"number": "12a"}, follow=True)
    assert "18 digits" in text_of(answer.content)


def test_only_who_has_the_paper_reads_a_number(desk: Client, site: VenueDatabase) -> None:
    """Lists, pages, alarms and acts have the last four digits of what is not redeemed; it is paid by all of them."""
    proposed(desk, OPEN, "void")
    proposed(desk, STRANGE, "enter", "12.50")
    shown(desk, ZERO)
    outbox.watch()
    site_update(site, "UPDATE venue.ticket_claim SET at = at - interval '1 hour'")
    outbox.watch()
    admin = logged_in(Role.ADMINISTRATOR, "ada")
    pages = ["/tickets/", "/tickets/?digits=4444", "/events/", "/events/past/", "/accounts/acts/"]
    texts = [admin.get(page, follow=True).content.decode() for page in pages]
    texts.append(listed(desk, site, OPEN))
    for text in texts:
        assert not [number for number in (OPEN, ZERO, HELD, STRANGE) if number in text.replace(" ", "")]
    assert "… 4444" in texts[0]
    assert "To pay it, type or scan the number on the paper." in texts[-1]
    assert "Pay 30.60" not in texts[-1]
    assert TAKEN in listed(desk, site, TAKEN).replace(" ", "")
    stored = site.ask("SELECT detail::text FROM venue.alarm UNION ALL SELECT detail::text FROM venue.audit")
    assert not [text for (text,) in stored for number in (OPEN, ZERO, HELD, STRANGE) if number in text]


def test_no_number_is_found_digit_by_digit(desk: Client) -> None:
    """The list is searched by the last four digits and no others."""
    assert "… 4444" in text_of(desk.get("/tickets/", {"digits": "444"}).content)
    for digits in ("0044", "00444", "0", "9444"):
        assert "… 4444" not in text_of(desk.get("/tickets/", {"digits": digits}).content)
    assert "… 4444" in text_of(desk.get("/tickets/", {"digits": "99994444"}).content)


def test_a_ticket_is_paid_once(desk: Client, site: VenueDatabase) -> None:
    """The same form sent twice pays once, another form nothing; the act and the slip are recorded."""
    assert "30.60" in shown(desk, OPEN)
    first, second = form(desk, OPEN), form(desk, OPEN)
    for _ in range(2):
        assert "Paid." in text_of(desk.post("/tickets/pay", first, follow=True).content)
    assert "redeemed before" in text_of(desk.post("/tickets/pay", second, follow=True).content)
    assert site.ask("SELECT number, cents, by FROM venue.ticket_payment") == [(OPEN, 3060, "carla")]
    assert "COPY" not in text_of(desk.post("/tickets/payments/1/slip").content)
    assert "COPY 1" in text_of(desk.post("/tickets/payments/1/slip").content)
    assert [act for by, act, _ in acts(site) if by == "carla"] == ["ticket paid", "ticket slip copied"]
    # one of the floor's, and one by the second form: none by looking at it
    assert alarms(site) == ["ticket_twice"] * 2


@pytest.mark.parametrize(
    ("number", "words"),
    [(TAKEN, "redeemed before"), (HELD, "holds this ticket"), (ZERO, "has expired"), (STRANGE, "No cabinet has")],
)
def test_what_is_not_open_is_not_paid(desk: Client, site: VenueDatabase, number: str, words: str) -> None:
    """The page says why, and a form that pays all the same pays nothing."""
    assert words in shown(desk, number)
    form = {"number": number, "key": "ab" * 16, "cents": "1000"}
    assert words in text_of(desk.post("/tickets/pay", form, follow=True).content)
    assert site.ask("SELECT count(*) FROM venue.ticket_payment") == [(0,)]


def test_looking_at_a_listed_ticket_alarms_nobody(desk: Client, site: VenueDatabase) -> None:
    """A redeemed or expired one alarms where it is handed in, not where somebody reads about it."""
    tries = "SELECT answer FROM venue.ticket_try WHERE by = 'carla' ORDER BY try"
    listed(desk, site, TAKEN)
    listed(desk, site, ZERO)
    assert site.ask(tries) == []
    for number in (TAKEN, ZERO):
        shown(desk, number)
    assert site.ask(tries) == [("redeemed",), ("expired",)]
    assert "ticket_expired" in alarms(site)


def test_who_guesses_numbers_alarms_and_waits(desk: Client, site: VenueDatabase) -> None:
    """Five unknown numbers alarm, after ten nothing is looked up any more, a ticket that exists included."""
    for at in range(10):
        assert "No cabinet has" in shown(desk, f"0088888888888888{at:02d}")
        assert ("ticket_unknown" in alarms(site)) == (at >= 4)
    assert "wait ten minutes" in shown(desk, OPEN)
    assert "30.60" in shown(logged_in(Role.CASHIER, "cosima"), OPEN)


def test_who_guesses_by_the_form_that_pays_waits_too(desk: Client, site: VenueDatabase) -> None:
    """It answers otherwise for a ticket that exists: after ten unknown numbers it says nothing more."""
    guess = {"cents": "1"}
    for at in range(10):
        form = guess | {"number": f"0088888888888888{at:02d}", "key": f"{at:032x}"}
        assert "No cabinet has" in text_of(desk.post("/tickets/pay", form, follow=True).content)
    with site.connect("venue_page") as page:
        said = [
            page.execute("SELECT answer FROM venue.pay_ticket(%s, 3060, %s, %s)", (OPEN, key, by)).fetchone()
            for key, by in (("c" * 32, "carla"), ("d" * 32, "cosima"))
        ]
    assert said == [("wait",), ("paid",)]


def test_a_limit_of_none_alarms_at_once_and_stops_nobody(desk: Client, site: VenueDatabase) -> None:
    """With a limit of 0 the first unknown number alarms; who types a number that exists need not wait."""
    site_update(site, "UPDATE venue.alarm_rule SET figure = 0 WHERE code = 'ticket_unknown'")
    assert "30.60" in shown(desk, OPEN)
    assert "No cabinet has" in shown(desk, STRANGE)
    assert "ticket_unknown" in alarms(site)


@pytest.mark.parametrize(
    "case",
    [
        ("void", OPEN, "", "void"),
        ("reopen", HELD, "", "open"),
        ("void", HELD, "", "void"),
        ("extend", ZERO, "", "open"),
        ("enter", STRANGE, "12.50", "open"),
    ],
)
def test_what_is_out_of_the_ordinary_takes_two_people(
    desk: Client, site: VenueDatabase, case: tuple[str, str, str, str]
) -> None:
    """A cashier proposes, and not the same person but an operator approves; it is done once."""
    act, number, amount, worth = case
    assert "Proposed" in proposed(desk, number, act, amount)
    assert "already" in proposed(desk, number, act, amount)
    assert desk.post("/tickets/proposals/1", {"decision": "approve"}).status_code == 403
    olga = logged_in(Role.OPERATOR, "olga")
    olga.post("/tickets/proposals/1", {"decision": "approve"})
    worths = dict(site.ask("SELECT number, venue.worth_of(t) FROM venue.ticket t"))
    assert worths[number] == worth
    assert "Refused" in text_of(olga.post("/tickets/proposals/1", {"decision": "approve"}, follow=True).content)
    assert [what for by, what, _ in acts(site) if by in ("carla", "olga")] == [
        "ticket act proposed",
        "ticket act approved",
    ]
    if worth == "open":
        assert "Paid." in text_of(desk.post("/tickets/pay", form(desk, number), follow=True).content)


def test_nobody_approves_an_own_proposal(desk: Client, site: VenueDatabase) -> None:
    """An operator's own proposal waits for another person."""
    olga = logged_in(Role.OPERATOR, "olga")
    proposed(olga, OPEN, "void")
    assert "another person" in text_of(olga.post("/tickets/proposals/1", {"decision": "approve"}, follow=True).content)
    assert dict(site.ask("SELECT number, state FROM venue.ticket"))[OPEN] == "open"


def test_the_days_add_up_and_are_exported(desk: Client, site: VenueDatabase) -> None:
    """Open before, printed, redeemed, paid and void make what is open; the file has the same figures."""
    desk.post("/tickets/pay", form(desk, OPEN))
    printed = sum(1000 + 515 * digit for digit in range(10))
    rows = list(csv.DictReader(io.StringIO(desk.get("/money/export/tickets.csv").content.decode("utf-8-sig"))))
    for row in rows:
        figures = {key: round(float(value) * 100) for key, value in row.items() if key != "day"}
        taken = figures["redeemed"] + figures["paid"] + figures["void"]
        assert figures["open_before"] + figures["issued"] - taken == figures["open_after"]
    assert sum(round(float(row["issued"]) * 100) for row in rows) == printed
    assert round(float(rows[-1]["open_after"]) * 100) == printed - 2030 - 3060
    assert "Open before" in text_of(desk.get("/money/tickets/").content)
    assert desk.get("/money/export/tickets.xlsx").status_code == 200


def test_while_the_venue_recovers_nothing_is_paid(desk: Client, site: VenueDatabase) -> None:
    """What the desk has paid since the backup is entered from the papers, and is not paid again afterwards."""
    with site.connect("venue_page") as page:
        page.execute("SELECT venue.begin_recovery('restored', 'anna')")
    assert "no ticket is paid" in shown(desk, OPEN)
    entered = {"number": OPEN, "amount": "30.60", "reason": "in the till"}
    assert desk.post("/tickets/paid", entered).status_code == 403
    olga = logged_in(Role.OPERATOR, "olga")
    assert "Stored" in text_of(olga.post("/tickets/paid", entered, follow=True).content)
    assert "Refused" in text_of(olga.post("/tickets/paid", entered, follow=True).content)
    assert "redeemed before" in shown(desk, OPEN)


def test_a_ticket_held_too_long_alarms_once(desk: Client, site: VenueDatabase) -> None:
    """After its rule's seconds, once for each claim, however often the watch looks and whoever has seen it."""
    outbox.watch()
    assert "ticket_held" not in alarms(site)
    site_update(site, "UPDATE venue.ticket_claim SET at = at - interval '1 hour'")
    outbox.watch()
    site_update(site, "UPDATE venue.alarm SET over_at = now() WHERE code = 'ticket_held'")
    outbox.watch()
    assert alarms(site).count("ticket_held") == 1


def site_update(site: VenueDatabase, statement: str) -> None:
    with site.connect() as admin:
        admin.execute(statement.encode())


def test_a_ticket_that_ended_otherwise_is_in_the_list_of_troubles(desk: Client, site: VenueDatabase) -> None:
    """A cabinet that redeemed what the desk has paid, and a number with other figures, are listed and alarm."""
    desk.post("/tickets/pay", form(desk, OPEN))
    with VenueCabinet(site.dsn("cab_2"), identity=f"{2:064x}") as cabinet:
        cabinet.epoch = 1
        cabinet.hello()
        row = {"kind": "claim", "epoch": cabinet.epoch, "claim": 9, "number": OPEN, "cents": 3060, "state": "redeemed"}
        issue = {"kind": "issue", "number": OPEN, "cents": 1, "epoch": cabinet.epoch, "ticket": 1, "issued_ms": 1}
        for _ in range(2):
            cabinet.call("tickets", cabinet.session, Jsonb([row, issue | {"expires_ms": None}]))
    text = text_of(desk.get("/tickets/").content)
    assert "Redeemed at this cabinet too" in text
    assert "the same number and other figures" in text
    assert alarms(site).count("ticket_paid_twice") == alarms(site).count("ticket_clash") == 1


def test_a_cabinet_that_holds_tickets_is_not_retired(desk: Client, site: VenueDatabase) -> None:
    """Nobody would ever report their ends: they are decided first; nor is one that says it has more for the venue."""
    olga = logged_in(Role.OPERATOR, "olga")
    retiring = {"confirm": "2", "reason": "sold"}
    said = text_of(olga.post("/cabinets/2/retire", retiring, follow=True).content)
    assert "cabinet 2 holds tickets: 1" in said
    proposed(desk, HELD, "void")
    olga.post("/tickets/proposals/1", {"decision": "approve"})
    with VenueCabinet(site.dsn("cab_2"), identity=f"{2:064x}") as cabinet:
        cabinet.epoch = 1
        cabinet.hello()
        cabinet.call("beat", cabinet.session, Jsonb({"state": "attract", "unsent": 3}))
        said = text_of(olga.post("/cabinets/2/retire", retiring, follow=True).content)
        assert "has not handed over all that it has" in said
        for status in ({"state": "attract"}, {"state": "attract", "unsent": "many"}):
            cabinet.call("beat", cabinet.session, Jsonb(status))
    assert "The cabinet is retired." in text_of(olga.post("/cabinets/2/retire", retiring, follow=True).content)
