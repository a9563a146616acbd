"""An attacker's tour: what cabinets, files and forms carry in, and sessions that are not yet whole."""

from typing import LiteralString

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_floor import enrolled, status
from tests.rigs.venue_page import PASSWORD, account, logged_in, token
from venue.page.models import Account
from venue.page.roles import Role

EVIL = "<script>alert(1)</script>"
BACKEND = "django.contrib.auth.backends.ModelBackend"


def value(site: VenueDatabase, query: LiteralString) -> object:
    """Return one value from the database."""
    with site.connect() as admin:
        row = admin.execute(query).fetchone()
    return None if row is None else row[0]


def test_nothing_that_a_cabinet_sends_is_markup(site: VenueDatabase) -> None:
    """Events, faults, doors, versions, results and records of a broken-open cabinet run in no page."""
    with enrolled(site, 1, EVIL) as cabinet:
        event = {"seq": 1, "code": EVIL, "cab_at_ms": 1, "body": {EVIL: EVIL, "doors": [EVIL]}}
        cabinet.call("events", cabinet.session, Jsonb([event, event | {"seq": 2, "body": {"text": EVIL}}]))
        fault = {"code": EVIL, "place": EVIL, "stops_play": True, "since_ms": 10**30}
        strange = {"state": EVIL, "game": EVIL, "doors": [EVIL], "faults": [fault], "trial": EVIL}
        cabinet.beat(**status(**strange, software={"version": EVIL, "state": EVIL}, health={EVIL: EVIL}))
        with site.connect("venue_page") as page:
            page.execute("SELECT venue.watch()")
            page.execute("SELECT venue.new_offer('bundle', 'a.cabinet', 'olga')")
            page.execute("SELECT venue.add_part(1, 'signed')")
            page.execute("SELECT venue.start_offer(1, sha256('signed'), ARRAY[1], 5, 'olga')")
            page.execute("SELECT venue.want_round(1, 7, 'olga')")
        cabinet.call("offer_result", cabinet.session, 1, "failed", EVIL)
        cabinet.call("round", cabinet.session, 7, Jsonb({"game": EVIL, "win_cents": EVIL, EVIL: EVIL}))
    client = logged_in(Role.ADMINISTRATOR)
    for address in ("/", "/events/", "/events/alarms", "/cabinets/", "/cabinets/1/", "/software/", "/software/1/",
                    "/rounds/", "/rounds/1/7/", "/accounts/acts/", "/metrics"):  # fmt: skip
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert b"<script>alert" not in answer.content, address


def test_a_password_of_somebody_else_must_be_changed(site: VenueDatabase) -> None:
    """Until it is changed every address leads to the own account; then none does."""
    vera = logged_in(Role.VIEWER, "vera")
    Account.objects.filter(username="vera").update(must_change=True)
    for address in ("/", "/events/", "/cabinets/"):
        assert vera.get(address)["Location"].startswith("/account/")
    assert vera.get("/account/").status_code == 200
    fresh = "another battery staple"
    vera.post("/account/", {"password": "1", "old_password": PASSWORD, "new_password1": fresh, "new_password2": fresh})
    assert vera.get("/").status_code == 200


def test_a_session_gets_another_key_at_login(site: VenueDatabase) -> None:
    """A key that was planted before the login is worth nothing after it."""
    account("vera", Role.VIEWER)
    client = Client()
    planted = client.session
    planted["planted"] = True
    planted.save()
    client.cookies["sessionid"] = planted.session_key or ""
    client.post("/login/", {"username": "vera", "password": PASSWORD})
    assert client.cookies["sessionid"].value != planted.session_key
    thief = Client()
    thief.cookies["sessionid"] = planted.session_key or ""
    assert thief.get("/")["Location"].startswith("/login/")


def test_half_a_login_sets_up_no_second_factor(site: VenueDatabase) -> None:
    """Who knows the password alone can neither add an authenticator nor see the spare codes."""
    user = account("olga", Role.OPERATOR)
    client = Client()
    client.force_login(user, backend=BACKEND)
    for answer in (client.get("/login/second-factor/"), client.post("/login/second-factor/", {"token": "123456"})):
        assert (answer.status_code, answer["Location"]) == (302, "/account/")
    assert client.get("/account/")["Location"].startswith("/login/token/")
    assert TOTPDevice.objects.count() == 1


def test_guessing_a_code_is_slowed_down(site: VenueDatabase) -> None:
    """Right after a wrong code the right one is refused as well."""
    user = account("olga", Role.OPERATOR)
    client = Client()
    client.force_login(user, backend=BACKEND)
    for _ in range(8):
        client.post("/login/token/", {"token": "000000"})
    assert client.post("/login/token/", {"token": token(user)}).status_code == 200
    assert client.get("/")["Location"].startswith("/login/token/")


@pytest.mark.parametrize("wanted", ["//evil.example/", "https:evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_no_login_leads_elsewhere(site: VenueDatabase, wanted: str) -> None:
    """Neither the password's page nor the second factor's leads to another host."""
    user = account("olga", Role.OPERATOR)
    client = Client()
    client.post("/login/", {"username": "olga", "password": PASSWORD, "next": wanted})
    assert client.post("/login/token/", {"token": token(user), "next": wanted})["Location"] == "/"


@pytest.mark.parametrize("name", ["../../../etc/cron.d/x.cabinet", "..\\..\\x.cabinet", "/etc/x.cabinet"])
def test_a_file_s_name_is_no_path(site: VenueDatabase, name: str) -> None:
    """Of an uploaded name the last part alone is kept, as text."""
    file = SimpleUploadedFile("x", b"signed")
    file.name = name
    logged_in(Role.OPERATOR).post("/software/upload", {"kind": "bundle", "file": file})
    assert value(site, "SELECT name FROM venue.offer") == "x.cabinet"


def test_an_offer_keeps_to_its_stages(site: VenueDatabase) -> None:
    """No way of writing a number offers to more cabinets at once than the page allows."""
    with enrolled(site, 1):
        olga = logged_in(Role.OPERATOR, "olga")
        olga.post("/software/upload", {"kind": "bundle", "file": SimpleUploadedFile("a.cabinet", b"signed")})
        for at_once in ("00050000", "51", "-1", "5e3", "\N{ARABIC-INDIC DIGIT FIVE}", "9" * 400):
            olga.post("/software/1/start", {"cabinet": "1", "at_once": at_once})
            assert value(site, "SELECT state FROM venue.offer") == "draft", at_once


def test_two_acknowledge_the_same_alarm(site: VenueDatabase) -> None:
    """The second one is told so, and fails no page."""
    with enrolled(site, 1) as cabinet:
        cabinet.beat(**status(books={"whole": False}))
        with site.connect("venue_page") as page:
            page.execute("SELECT venue.watch()")
        first, second = logged_in(Role.CASHIER, "carl"), logged_in(Role.CASHIER, "cora")
        for client in (first, second):
            assert client.post("/events/1/acknowledge", follow=True).status_code == 200
    assert value(site, "SELECT acknowledged_by FROM venue.alarm") == "carl"
