"""What people do on the page: each act is done once, by whom it may, and recorded."""

import csv
import io
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import load_workbook
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_floor import enrolled, play_days, reading, status
from tests.rigs.venue_page import PASSWORD, acts, logged_in, text_of
from venue.authority import AuthorityFiles, make_authority
from venue.page import uploads
from venue.page.models import Account
from venue.page.roles import Role


def value(site: VenueDatabase, query: LiteralString, *parameters: object) -> object:
    """Return one value from the database."""
    with site.connect() as admin:
        row = admin.execute(query, parameters).fetchone()
    return None if row is None else row[0]


def done(site: VenueDatabase, by: str) -> list[str]:
    """Return what this person did, by the record of acts."""
    return [act for who, act, _ in acts(site) if who == by]


def test_an_adjustment_takes_two_people(site: VenueDatabase) -> None:
    """Who proposed it cannot approve it; a second person can, once, and the pool changes by exactly that."""
    site.add_pool(1, "bewitched", 25)
    olga, otto = logged_in(Role.OPERATOR, "olga"), logged_in(Role.OPERATOR, "otto")
    before = value(site, "SELECT amount FROM venue.jackpot")
    assert isinstance(before, int)
    olga.post("/jackpots/1/propose", {"amount": "-12,50", "reason": "counted twice"})
    olga.post("/jackpots/1/propose", {"amount": "100.00", "reason": "from the old cabinet"})
    assert "Refused" in text_of(olga.post("/jackpots/adjustments/2", {"decision": "approve"}, follow=True).content)
    assert value(site, "SELECT amount FROM venue.jackpot") == before
    for _ in range(2):
        otto.post("/jackpots/adjustments/2", {"decision": "approve"})
    assert value(site, "SELECT amount FROM venue.jackpot") == before + 10_000_000
    assert value(site, "SELECT amount FROM venue.adjustment WHERE adjustment = 1") == -1_250_000
    assert len(done(site, "olga")) == 2
    assert len(done(site, "otto")) == 1


@pytest.mark.parametrize(
    ("amount", "reason"), [("0", "x"), ("abc", "x"), ("1", ""), ("", ""), ("1.234.567.890.123,00", "x")]
)
def test_a_proposal_needs_amount_and_reason(site: VenueDatabase, amount: str, reason: str) -> None:
    """Nothing is proposed without an amount and a reason."""
    site.add_pool()
    logged_in(Role.OPERATOR, "olga").post("/jackpots/1/propose", {"amount": amount, "reason": reason})
    assert value(site, "SELECT count(*) FROM venue.adjustment") == 0


def test_a_count_is_compared_and_corrected(floor: VenueDatabase) -> None:
    """A count shows its difference; a correction is another count, and both stay."""
    carl = logged_in(Role.CASHIER, "carl2")
    number = value(floor, "SELECT max(collection) FROM venue.collection")
    drop = value(floor, "SELECT drop_cents FROM venue.collection WHERE collection = %s", number)
    assert isinstance(drop, int)
    carl.post(f"/money/collections/{number}/", {"coins": "1.00", "notes": "0", "remark": "torn bag"})
    carl.post(f"/money/collections/{number}/", {"coins": f"{drop / 100:.2f}", "notes": "0"})
    page = text_of(carl.get(f"/money/collections/{number}/").content)
    assert "torn bag" in page
    assert value(floor, "SELECT difference_cents FROM venue.collection_count WHERE collection = %s", number) == 0
    assert done(floor, "carl2") == ["cash counted", "cash counted"]


def test_a_closed_month_is_closed_for_ever(site: VenueDatabase) -> None:
    """An operator closes a month that is over; after that neither the page nor its role changes its figures."""
    with enrolled(site, 1) as cabinet:
        play_days(cabinet, 70, 0.95)
    first = value(site, "SELECT date_trunc('month', min(day))::date FROM venue.day_meter")
    assert isinstance(first, date)
    of_it = "SELECT count(*) FROM venue.collection WHERE date_trunc('month', day) = %s"
    uncounted = int(str(value(site, of_it, first)))
    olga = logged_in(Role.OPERATOR, "olga")
    olga.post(f"/money/months/{date.today():%Y-%m}/close", {"sure": "1"})  # noqa: DTZ011 - the venue's own day
    assert value(site, "SELECT count(*) FROM venue.month_close") == 0, "this month is not over"
    for _ in range(2):
        address = f"/money/months/{first:%Y-%m}/close"
        before = value(site, "SELECT count(*) FROM venue.month_close")
        asked = text_of(olga.post(address).content)
        assert "nobody can open it" in asked
        assert ("not counted. Nobody can" in asked) == (uncounted > 0)
        assert value(site, "SELECT count(*) FROM venue.month_close") == before, "it asks first"
        olga.post(address, {"sure": "1"})
    assert value(site, "SELECT count(*) FROM venue.month_close") == 1
    assert done(site, "olga") == ["month closed"]
    number = value(site, "SELECT min(collection) FROM venue.collection WHERE date_trunc('month', day) = %s", first)
    if number is not None:
        answer = olga.post(f"/money/collections/{number}/", {"coins": "1", "notes": "1"}, follow=True)
        assert "Refused" in text_of(answer.content)


def test_exports_hold_the_figures(floor: VenueDatabase) -> None:
    """CSV and XLSX of every table have the same rows, add up to the database, and are recorded."""
    carl = logged_in(Role.CASHIER, "carl3")
    for table in ("days", "meters", "hold", "collections"):
        text = carl.get(f"/money/export/{table}.csv").content.decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text)))
        book = load_workbook(io.BytesIO(carl.get(f"/money/export/{table}.xlsx").content))
        assert book.active is not None
        assert len(list(book.active.rows)) == len(rows) > 1, table
    stakes = sum(
        float(row["stakes"])
        for row in csv.DictReader(io.StringIO(carl.get("/money/export/days.csv").content.decode("utf-8-sig")))
    )
    assert round(stakes * 100) == value(floor, "SELECT sum(stakes)::bigint FROM venue.day_game")
    assert done(floor, "carl3") == ["export"] * 9


def test_a_long_time_is_shown_of_one_cabinet(floor: VenueDatabase) -> None:
    """Of all cabinets the last 100 days are shown, and the page says so; of one cabinet all that was asked for."""
    carl = logged_in(Role.CASHIER)
    until = date.today()  # noqa: DTZ011 - the venue's own day
    span = f"since={until - timedelta(days=364)}&until={until}"
    for query, days in ((span, 100), (f"{span}&cabinet=1", 365)):
        answer = carl.get(f"/money/?{query}")
        assert answer.context["period"].since == until - timedelta(days=days - 1)
        assert ("100 days are shown" in text_of(answer.content)) == (days == 100)


def test_exports_are_by_day_and_of_the_chosen_game(floor: VenueDatabase) -> None:
    """Meters of a cabinet are shown and exported day by day; days and hold are of the chosen game."""
    carl = logged_in(Role.CASHIER, "carl4")

    def exported(table: str, query: str) -> list[dict[str, str]]:
        return list(
            csv.DictReader(io.StringIO(carl.get(f"/money/export/{table}.csv?{query}").content.decode("utf-8-sig")))
        )

    sought = floor.ask("SELECT day::text, stakes FROM venue.day_meter WHERE cabinet = 2 ORDER BY day")
    since, until = sought[0][0], sought[-1][0]
    rows = exported("meters", f"cabinet=2&since={since}&until={until}")
    assert [(row["day"], round(float(row["stakes"]) * 100)) for row in rows] == sought
    games = {row["game"] for row in exported("days", f"since={since}&until={until}&game=neptune")}
    assert (
        games == {row["game"] for row in exported("hold", f"since={since}&until={until}&game=neptune")} == {"Neptune"}
    )
    page = carl.get(f"/money/?cabinet=2&since={since}&until={until}").content.decode()
    assert page.count("<h2>Meters by day</h2>") == 1
    assert "<h2>Meters by day</h2>" not in carl.get("/money/").content.decode()


@pytest.mark.parametrize("table", ["accounts", "days/../x"])
def test_there_are_no_other_exports(site: VenueDatabase, table: str) -> None:
    """No other table is exported."""
    assert logged_in(Role.ADMINISTRATOR).get(f"/money/export/{table}.csv").status_code == 404


def test_a_label_is_neither_markup_nor_formula(site: VenueDatabase) -> None:
    """A cabinet's name, which the cabinet sends, runs nowhere: not in a page, not in a spreadsheet."""
    evil = "=HYPERLINK(1)<script>alert(1)</script>"
    with enrolled(site, 1, evil) as cabinet:
        play_days(cabinet, 3, 0.95)
        cabinet.beat(**status(state=evil, game=evil, doors=[evil], software={"version": evil}, faults=[{"code": evil}]))
    client = logged_in(Role.ADMINISTRATOR)
    for page in ("/", "/cabinets/", "/cabinets/1/", "/money/?all=1", "/software/", "/events/", "/metrics"):
        content = client.get(page).content
        assert b"<script>alert" not in content, page
    first = next(csv.DictReader(io.StringIO(client.get("/money/export/days.csv").content.decode("utf-8-sig"))))
    assert first["label"].startswith("'=")


@pytest.mark.parametrize(
    "strange",
    [
        {"state": 5, "game": [], "credit_cents": "x", "doors": "open", "faults": {"a": 1}, "books": 3, "health": "hot"},
        {"books": {"proved_at_ms": 10**30, "whole": "yes"}, "software": [1], "faults": [1, None, {"code": None}]},
        {"health": {"temperature_c": "hot", "disk_free_mb": [], "commit_ms": {}}, "doors": [1, {}]},
        {},
    ],
)
def test_a_strange_status_fails_no_page(site: VenueDatabase, strange: dict[str, object]) -> None:
    """Whatever a cabinet reports, the pages about it open."""
    with enrolled(site, 1) as cabinet:
        cabinet.beat(**strange)
    client = logged_in(Role.ADMINISTRATOR)
    for page in ("/", "/cabinets/", "/cabinets/1/", "/software/", "/metrics", "/events/"):
        assert client.get(page).status_code == 200, page


def test_a_form_needs_its_token(site: VenueDatabase) -> None:
    """A form from another site is refused in every language, whoever is logged in."""
    site.add_pool()
    client = logged_in(Role.ADMINISTRATOR, "anna", csrf=True)
    answer = client.post("/jackpots/1/propose", {"amount": "1", "reason": "x"})
    assert answer.status_code == 403
    assert "another page" in text_of(answer.content)
    assert value(site, "SELECT count(*) FROM venue.adjustment") == 0


def test_a_code_enrols_once(site: VenueDatabase, tmp_path: Path) -> None:
    """It is a login and its password, by which a cabinet gets a number and the authority; no act has the password."""
    olga = logged_in(Role.OPERATOR, "olga")
    assert "cabinet venue init" in text_of(olga.post("/cabinets/enrol", follow=True).content)
    authority = make_authority(AuthorityFiles(tmp_path), "Test", datetime.now(UTC))
    with site.connect() as admin:
        admin.execute("UPDATE venue.site SET authority = %s", (authority,))
    assert "no cabinet 7" in text_of(olga.post("/cabinets/enrol", {"replaces": "7"}, follow=True).content)
    digits = str(olga.post("/cabinets/enrol").context["code"]).replace(" ", "")
    guest = site.server.tcp_dsn(site.name, f"enrol_{digits[:3]}", digits[3:])
    with psycopg.connect(guest, autocommit=True) as cabinet:
        row = cabinet.execute("SELECT cabinet, authority FROM venue.enrol(%s, 'Bar', '0.3')", ("ab" * 32,)).fetchone()
    assert row == (1, authority)
    assert done(site, "olga") == ["enrolment code made", "enrolled"]
    assert digits[3:] not in str(acts(site))


def test_retiring_needs_the_number_again(site: VenueDatabase) -> None:
    """A cabinet is retired with its number typed and a reason; its figures stay and it is off the floor."""
    with enrolled(site, 1):
        olga = logged_in(Role.OPERATOR, "olga")
        olga.post("/cabinets/1/retire", {"confirm": "2", "reason": "sold"})
        assert done(site, "olga") == []
        olga.post("/cabinets/1/rename", {"label": "By the door"})
        olga.post("/cabinets/1/retire", {"confirm": "1", "reason": "sold"})
    assert done(site, "olga") == ["renamed", "retired"]
    assert "By the door" not in text_of(olga.get("/").content)
    assert "By the door" in text_of(olga.get("/cabinets/").content)


def test_an_upload_is_offered_to_one_first(site: VenueDatabase) -> None:
    """A bundle is a draft until it is offered, then goes to the chosen first cabinet alone."""
    for number in (1, 2, 3):
        enrolled(site, number).connection.close()
    olga = logged_in(Role.OPERATOR, "olga")
    content = bytes(range(256)) * 10_000
    answer = olga.post("/software/upload", {"kind": "bundle", "file": SimpleUploadedFile("cabinet-1.cabinet", content)})
    assert answer["Location"] == "/software/1/"
    olga.post("/software/1/start", {"cabinet": ["1", "2", "3", "99", "x"], "first": "2", "at_once": "5"})
    with site.connect() as admin:
        rows = admin.execute("SELECT cabinet, state FROM venue.offer_to ORDER BY place").fetchall()
        stored = admin.execute("SELECT sha256 = sha256(%s), size FROM venue.offer", (content,)).fetchone()
    assert rows == [(2, "offered"), (1, "waiting"), (3, "waiting")]
    assert stored == (True, len(content))
    olga.post("/software/1/stop")
    assert done(site, "olga") == ["uploaded", "offered", "offer stopped"]


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("bundle", "virus.exe", b"MZ"),
        ("bundle", "x.cabinet", b""),
        ("settings", "x.toml", b"= not toml"),
        ("settings", "x.toml", b"\xff\xfe"),
        ("settings", "x.toml", b"#" * 300_000),
        ("other", "x.toml", b"a = 1"),
    ],
)
def test_what_cannot_be_offered_is_not_stored(site: VenueDatabase, kind: str, name: str, content: bytes) -> None:
    """Empty, foreign and oversized files leave no draft."""
    logged_in(Role.OPERATOR).post("/software/upload", {"kind": kind, "file": SimpleUploadedFile(name, content)})
    assert value(site, "SELECT count(*) FROM venue.offer") == 0


def test_an_oversized_upload_is_cut(site: VenueDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload beyond the limit is not read to its end."""
    monkeypatch.setattr(uploads, "LARGEST", 100_000)
    file = SimpleUploadedFile("x.cabinet", b"x" * 200_000)
    answer = logged_in(Role.OPERATOR).post("/software/upload", {"kind": "bundle", "file": file})
    assert answer.status_code == 400
    assert value(site, "SELECT count(*) FROM venue.offer") == 0


def test_a_round_is_asked_for(site: VenueDatabase) -> None:
    """A cashier asks for a round; the cabinet sees the wish and its record appears on the page."""
    with enrolled(site, 1) as cabinet:
        carl = logged_in(Role.CASHIER, "carl")
        assert carl.post("/rounds/ask", {"cabinet": "1", "round": "77"})["Location"] == "/rounds/1/77/"
        assert [row[0] for row in cabinet.call("wanted", cabinet.session)] == [77]
        assert "Waiting" in text_of(carl.get("/rounds/1/77/").content)
        cabinet.call("round", cabinet.session, 77, None)
        assert "no such round" in text_of(carl.get("/rounds/1/77/").content)
    assert carl.post("/rounds/ask", {"cabinet": "9", "round": "77"})["Location"] == "/rounds/"
    assert done(site, "carl") == ["round asked for"]


@pytest.mark.parametrize("name", ["../../secret", "..%2f..%2fsecret", "made.json", "1.png", "01.svg"])
def test_a_picture_is_only_a_picture(site: VenueDatabase, name: str) -> None:
    """No other file than a round's pictures is served."""
    assert logged_in(Role.CASHIER).get(f"/rounds/1/1/{name}").status_code == 404


def test_accounts_are_made_and_barred(site: VenueDatabase) -> None:
    """An administrator adds an account with a good password; nobody changes the own role; all of it is recorded."""
    anna = logged_in(Role.ADMINISTRATOR, "anna")
    new = {"username": "vera", "name": "", "role": "1", "is_active": "on"}
    anna.post("/accounts/add", new | {"password": "12345678"})
    anna.post("/accounts/add", new)
    assert not Account.objects.filter(username="vera").exists()
    anna.post("/accounts/add", new | {"password": PASSWORD})
    vera = Account.objects.get(username="vera")
    assert (vera.must_change, vera.check_password(PASSWORD)) == (True, True)
    own = Account.objects.get(username="anna")
    anna.post(f"/accounts/{own.pk}/", {"username": "anna", "name": "", "role": "1"})
    assert Account.objects.get(username="anna").role == Role.ADMINISTRATOR
    anna.post(f"/accounts/{own.pk}/", {"username": "anna2", "name": "", "role": "4", "is_active": "on"})
    assert Account.objects.filter(username="anna").exists(), "else one person could approve what it has proposed"
    anna.post(f"/accounts/{vera.pk}/", {"username": "vera", "name": "", "role": "1"})
    assert not Account.objects.get(username="vera").is_active
    assert done(site, "anna") == ["account added", "account changed", "account changed"]
    assert PASSWORD not in str(acts(site))


def test_a_lost_phone_ends_its_sessions(site: VenueDatabase) -> None:
    """Taking away a second factor logs that person out everywhere."""
    olga = logged_in(Role.OPERATOR, "olga")
    number = Account.objects.get(username="olga").pk
    logged_in(Role.ADMINISTRATOR, "anna").post(f"/accounts/{number}/drop-factor")
    assert olga.get("/")["Location"].startswith("/login/")


def test_the_record_of_acts_cannot_be_changed(site: VenueDatabase) -> None:
    """The page's own role neither changes nor deletes an act."""
    logged_in(Role.OPERATOR, "olga").post("/cabinets/enrol")
    with site.connect("venue_page") as page:
        for statement in ("DELETE FROM venue.audit", "UPDATE venue.audit SET by = 'x'", "TRUNCATE venue.audit"):
            with pytest.raises(Exception, match="permission denied"):
                page.execute(statement)


def test_metrics_name_no_money(floor: VenueDatabase) -> None:
    """`/metrics` has every cabinet's health and no amount of money."""
    text = Client().get("/metrics").content.decode()
    assert 'cabinet_temperature_c{cabinet="1"} 54.5' in text
    assert 'cabinet_books_whole{cabinet="5"} 0.0' in text
    assert not any(word in text for word in ("credit", "stake", "win", "cents", "12350", "drop", "award"))


def test_metrics_are_for_this_machine(site: VenueDatabase) -> None:
    """Without a token `/metrics` answers this machine alone."""
    assert Client(REMOTE_ADDR="192.0.2.1").get("/metrics").status_code == 403


def test_the_wall_shows_values_and_nothing_else(floor: VenueDatabase) -> None:
    """The public page has the values of pools, in whole cents, and not one word about a cabinet."""
    answer = Client().get("/wall/values").json()
    assert [sorted(pool) for pool in answer["pools"]] == [["cents", "coin", "game", "pool"]] * 2
    assert "Bar left" not in text_of(Client().get("/wall/").content)


@pytest.mark.requirement("J1")
def test_the_page_of_a_pool_says_all_of_its_level(floor: VenueDatabase) -> None:
    """Value, seed, increment and each hit with its award can be read of every pool, which has no limit."""
    words = text_of(logged_in(Role.VIEWER).get("/jackpots/1/").content)
    assert "Worth 100.00 Contributed 535.80 Seed 100.00 Hits 2 Rate 5 ‰" in words
    for number, taken in floor_hits(floor):
        assert re.search(rf"Bewitched, 0.05 {number} .* {taken // 100_000}\.{taken // 1_000 % 100:02} 100.00", words)


def floor_hits(floor: VenueDatabase) -> list[tuple[int, int]]:
    """Return number and award of each hit of the first pool, in thousandths of a cent."""
    with floor.connect() as admin:
        return admin.execute("SELECT hit, award FROM venue.hit WHERE pool = 1").fetchall()


def test_the_floor_shows_a_beat_at_once(site: VenueDatabase) -> None:
    """What a cabinet reports is on the next reading of the tiles, which the page makes every second."""
    client = logged_in(Role.VIEWER)
    with enrolled(site, 1, "Bar") as cabinet:
        cabinet.beat(**status())
        assert "Fine" in text_of(client.get("/", headers={"HX-Request": "true"}).content)
        cabinet.beat(**status(doors=["main_door"]))
        fragment = client.get("/", headers={"HX-Request": "true"})
    assert "Open: main door" in text_of(fragment.content)
    assert b"<html" not in fragment.content
    assert b'hx-trigger="every 1s"' in client.get("/").content


def test_the_floor_says_why_a_cabinet_is_locked(site: VenueDatabase) -> None:
    """Once, beside the alarm of its rule, and without calling it away."""
    client = logged_in(Role.VIEWER)
    with enrolled(site, 1, "Bar") as cabinet:
        cabinet.call("locked", cabinet.session, None, "no <b>room</b> on the disk")
        site.ask("SELECT venue.watch()")
        told = text_of(client.get("/", headers={"HX-Request": "true"}).content)
    assert "Locked: no <b>room</b> on the disk" in told
    assert told.count("Locked:") == 1
    assert "No link" not in told


def test_the_floor_is_sorted_by_need(floor: VenueDatabase) -> None:
    """Cabinets that need a person come first, those without a link next."""
    with floor.connect() as admin:
        admin.execute("UPDATE venue.status SET at = clock_timestamp() WHERE cabinet <> 1")
    tiles = logged_in(Role.VIEWER).get("/").context["tiles"]
    assert [(tile.cabinet, tile.tone) for tile in tiles][:4] == [(2, "stop"), (3, "stop"), (5, "stop"), (1, "away")]


def test_the_close_of_a_month_names_who_has_not_read(site: VenueDatabase) -> None:
    """Before a month is closed for ever the page names the cabinets whose readings do not reach its end."""
    first = datetime.now(UTC).replace(day=1, hour=12)
    before = first - timedelta(days=3)
    with enrolled(site, 1, "Bar") as done, enrolled(site, 2, "Window") as lacking:
        for cabinet, last in ((done, first), (lacking, before)):
            rows = [reading(1, before - timedelta(days=1), "hour", 0, 0.9), reading(2, last, "hour", 700, 0.9)]
            cabinet.call("meters", cabinet.session, Jsonb(rows))
    olga = logged_in(Role.OPERATOR, "olga")
    shown = text_of(olga.post(f"/money/months/{before:%Y-%m}/close").content)
    assert "2 Window" in shown
    assert "1 Bar" not in shown
    assert "first open day" in shown
    olga.post(f"/money/months/{before:%Y-%m}/close", {"sure": "1"})
    assert value(site, "SELECT count(*) FROM venue.month_close") == 1


def test_what_counts_for_the_day_of_its_arrival_is_marked(site: VenueDatabase) -> None:
    """Figures and collections that bore an impossible date say so, with the date that they bore."""
    with enrolled(site, 1, "Bar") as cabinet:
        far = datetime(2999, 1, 5, 12, tzinfo=UTC)
        rows = [reading(1, datetime.now(UTC), "hour", 0, 0.9), reading(2, far, "collection", 700, 0.9)]
        cabinet.call("meters", cabinet.session, Jsonb(rows))
    client = logged_in(Role.CASHIER)
    figures = text_of(client.get("/money/").content)
    assert "Readings that count for the day of their arrival" in figures
    assert "2999" in figures
    assert "day of arrival" in text_of(client.get("/money/collections/").content)
    assert "impossible date" in text_of(client.get("/events/").content)
