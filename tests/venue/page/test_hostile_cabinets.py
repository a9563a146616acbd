"""A cabinet that was broken open sends anything: every page opens and can be read, and the others' alarms go on."""

import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_floor import enrolled, status
from tests.rigs.venue_page import logged_in, text_of
from venue import overview
from venue.page.alarming import written
from venue.page.queries import alarms
from venue.page.roles import Role

PAGES = (
    *("/", "/cabinets/", "/cabinets/1/", "/cabinets/2/", "/software/", "/events/", "/events/alarms", "/events/past/"),
    *("/jackpots/", "/wall/", "/metrics"),
)
LONGEST_WORD = 310
"""Letters in a row: a tile, which breaks them, has a lock's reason of 300."""
BREAKS = str.maketrans({"\N{ZERO WIDTH SPACE}": " "})
LARGEST = 400_000
"""Bytes of a page: none grows without end for what a cabinet sends."""
KEYS = (
    *(
        "state",
        "game",
        "credit_cents",
        "denomination_cents",
        "currency",
        "doors",
        "faults",
        "software",
        "books",
        "lock",
    ),
    *("health", "clock_ms", "trial", "code", "place", "since_ms", "stops_play", "version", "whole", "proved_at_ms"),
    *(
        "temperature_c",
        "disk_free_mb",
        "card_wear_percent",
        "commit_ms",
        "text",
        "template",
        "figures",
        "since",
        "off_ms",
    ),
)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    WORDS,
    st.sampled_from(
        ["locked", "differs", "door_open", "x" * 5000, "9999-12-31T23:59:59+00:00", "{place}" * 200, "\x1b[2J", 10**400]
    ),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | WORDS, inner, max_size=5),
    max_leaves=20,
)
STATUSES = st.dictionaries(st.sampled_from(KEYS) | WORDS, JSON, max_size=8)


class Raw(NamedTuple):
    """A JSON as text, which Python itself cannot make."""

    text: str

    def __repr__(self) -> str:
        return f"Raw({self.text[:20]}…)"


DEEP = Raw("[" * 3000 + "]" * 3000)


def text_as_json(said: object) -> str:
    """Return a JSON in which texts as they are may stand."""
    if isinstance(said, Raw):
        return said.text
    if isinstance(said, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {text_as_json(one)}" for key, one in said.items()) + "}"
    return json.dumps(said)


def sent(said: object) -> Jsonb:
    """Return what is sent for this JSON."""
    return Jsonb(None, dumps=lambda _: text_as_json(said))


class Floor:
    """Two cabinets, the first of which is hostile, and an administrator's browser."""

    def __init__(self, site: VenueDatabase) -> None:
        self.site = site
        self.hostile = enrolled(site, 1, "Hostile")
        self.honest = enrolled(site, 2, "Honest")
        site.add_pool()
        self.client = logged_in(Role.ADMINISTRATOR)
        self.events = 0

    def judge(self) -> None:
        """Look at every page, the alarms, their messages and the command's lines."""
        self.honest.beat(**status())
        with self.site.connect("venue_page") as page:
            page.execute("SELECT venue.watch()")
        for address in PAGES:
            answer = self.client.get(address)
            assert answer.status_code == 200, address
            assert len(answer.content) < LARGEST, address
            if address != "/metrics":
                assert max(map(len, text_of(answer.content).translate(BREAKS).split())) <= LONGEST_WORD, address
        tiles = text_of(self.client.get("/", headers={"HX-Request": "true"}).content)
        assert tiles.count("Seen") == 2
        assert "2 Honest" in tiles
        for row in alarms.still_open():
            assert written(row, "de")[0]
        with self.site.connect() as admin:
            for line in overview.lines(admin, self.site.server.folder):
                assert line.isprintable()

    def send_event(self, body: object) -> None:
        """Send an event that alarms, with this body."""
        self.events += 1
        row = {"seq": self.events, "code": "logic_access", "cab_at_ms": 1_790_000_000_000, "body": body}
        self.hostile.call("events", self.hostile.session, sent(Raw(f"[{text_as_json(row)}]")))


@pytest.fixture
def hall(site: VenueDatabase) -> Iterator[Floor]:
    """A venue with one hostile and one honest cabinet."""
    made = Floor(site)
    yield made
    for cabinet in (made.hostile, made.honest):
        cabinet.connection.close()


@given(said=STATUSES)
@example({"faults": True})
@example({"doors": 3, "faults": [True, 5, [], {"code": [], "place": {}}]})
@example({"faults": [{"code": "x" * 4000, "place": "y" * 4000, "stops_play": True}], "doors": ["z" * 5000]})
@example(
    {"faults": [{"code": "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))}], "state": "w" * 5000, "lock": "v" * 5000}
)
@example({"health": {"temperature_c": 10**400, "commit_ms": -(10**400)}, "credit_cents": 10**400, "clock_ms": 10**400})
@example({"clock_ms": -9_223_372_036_854_775_808, "books": {"proved_at_ms": 10**18}})
@example({"faults": DEEP, "health": {"temperature_c": DEEP}})
@example({"doors": [str(n) for n in range(2000)], "faults": [{"code": str(n), "place": "here"} for n in range(400)]})
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_any_status_leaves_every_page_readable(hall: Floor, said: dict[str, object]) -> None:
    """Whatever JSON a status is, all pages answer 200, no word pushes the others away, and the watch goes on."""
    hall.hostile.call("beat", hall.hostile.session, sent(said))
    hall.judge()


@given(body=JSON)
@example({"since": "9999-12-31T23:59:59+00:00", "newest": "0001-01-01T00:00:00+00:00", "off_ms": 10**400})
@example({"template": "{a}" * 5000, "figures": {"a": "x" * 5000}})
@example({"text": "x" * 50_000})
@example({"a": "x" * 1_000_000})
@example({"code": "x" * 5000, "doors": ["x" * 5000] * 5})
@example(DEEP)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
def test_any_event_leaves_every_page_readable(hall: Floor, body: object) -> None:
    """Whatever JSON an event's body is, the same holds for the event and for the alarm that it raises."""
    hall.send_event(body)
    hall.judge()


@given(record=JSON)
@example(DEEP)
@example({"win_cents": 10**400, "game": "x" * 5000, "stake_cents": True})
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
def test_any_record_of_a_round_leaves_its_page_open(hall: Floor, record: object) -> None:
    """A round's record is shown as far as it is one."""
    with hall.site.connect() as admin:
        admin.execute("DELETE FROM venue.wanted_round")
    with hall.site.connect("venue_page") as page:
        page.execute("SELECT venue.want_round(1, 7, 'olga')")
    hall.hostile.call("round", hall.hostile.session, 7, sent(record))
    for address in ("/rounds/", "/rounds/1/7/"):
        assert hall.client.get(address).status_code == 200


def test_no_cabinet_fills_the_list_of_alarms(hall: Floor) -> None:
    """One that reports other faults with every beat opens a thousand alarms in a day, and is named for it."""
    with hall.site.connect("venue_page") as page:
        for beat in range(25):
            faults = [{"code": f"fault_{beat}_{number}", "place": "here"} for number in range(50)]
            hall.hostile.beat(faults=faults)
            hall.honest.beat(faults=[{"code": f"fault_{beat}", "place": "there"}])
            page.execute("SELECT venue.watch()")
        counted = page.execute("SELECT cabinet, count(*) FROM venue.alarm GROUP BY cabinet ORDER BY cabinet").fetchall()
        flood = page.execute(
            "SELECT cabinet FROM venue.alarm WHERE code = 'alarm_flood' AND over_at IS NULL"
        ).fetchall()
    assert counted == [(1, 1001), (2, 25)]
    assert flood == [(1,)]


def test_a_stranger_s_program_is_a_word(hall: Floor) -> None:
    """What a hello says of its program is shown where it is a text, and cut."""
    for program in (["a"], {"a": 1}, 5, "x" * 5000):
        hall.hostile.hello(info={"program": program})
    hall.judge()
