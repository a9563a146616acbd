"""The page speaks German: every text has a translation, and the compiled catalogue is its source."""

import re
import string
from datetime import timedelta
from pathlib import Path

from babel.messages.pofile import read_po
from django.utils.timezone import localdate
from django.utils.translation import override

import venue
from controller.faults import known_faults
from controller.journal.event_catalogue import every_event
from tests.rigs.page_words import CATALOGUE, words
from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_floor import enrolled, events
from tests.rigs.venue_page import logged_in, text_of
from venue.page.catalogue import CABINETS, LOCALE, compiled, copied
from venue.page.kinds import ACTS, KINDS
from venue.page.models import Account
from venue.page.roles import Role
from venue.page.words import act, event

VENUE = Path(venue.__file__).parent
_ACT = re.compile(r"'([a-z][a-z ]+)'")


def _known_faults() -> dict[str | tuple[str, str], str | tuple[str, ...]]:
    with CATALOGUE.open("rb") as file:
        found = read_po(file)
    return {message.id: message.string for message in found if message.id}


def test_every_text_is_translated() -> None:
    """No text of code or template lacks its German, and none is left over."""
    assert set(_known_faults()) == words()
    assert all(_known_faults().values())


def test_translations_keep_their_figures() -> None:
    """A translation names the same figures as its original."""
    for english, german in _known_faults().items():
        if isinstance(english, str) and "%(" in english:
            assert _names(english) == _names(str(german)), english


def _names(text: str) -> set[str]:
    return {_name(one) for one in text.split("%(")[1:]}


def _name(part: str) -> str:
    return part[: part.index(")") + 2].rstrip(string.whitespace)


def test_the_compiled_catalogue_is_its_source() -> None:
    """`python -m venue.page.catalogue` was run after the last change."""
    assert CATALOGUE.with_suffix(".mo").read_bytes() == compiled(CATALOGUE)


def test_the_cabinets_words_are_those_of_their_screens() -> None:
    """`python -m venue.page.catalogue` was run after the last change of the cabinets' catalogue."""
    assert (LOCALE / "de" / "cabinet.json").read_text(encoding="utf-8") == copied(CABINETS / "de.po")


def test_an_event_is_german_and_found_by_german_words(site: VenueDatabase) -> None:
    """Template, place and a fault within a figure are translated as on the cabinet; a search finds German words."""
    body = {
        "template": "{fault} (cleared by: {who})",
        "figures": {"fault": "The {place} is open", "who": "key", "place": "main door"},
        "text": "The main door is open (cleared by: key)",
    }
    with enrolled(site, 1) as cabinet:
        events(cabinet, ("fault_cleared", body))
    client = logged_in(Role.VIEWER)
    for language, sought, said in (
        ("en", "door is open", "The main door is open (cleared by: key)"),
        ("de", "Haupttür", "Haupttür offen (beseitigt durch"),
        ("de", "offen Haupttür", "Haupttür offen (beseitigt durch"),
        ("de", "door is open", "offen"),
    ):
        page = text_of(client.get("/events/", {"text": sought}, headers={"Accept-Language": language}).content)
        assert said in page
        assert "{place}" not in page
    page = client.get("/events/", {"text": "Pfirsich"}, headers={"Accept-Language": "de"})
    assert "offen (" not in text_of(page.content)


def test_a_search_needs_every_word_and_three_letters(site: VenueDatabase) -> None:
    """Each word of a German text is in the template or in what fills it; a short text is looked for in a week."""
    said: dict[str, object] = {
        "template": "{fault} (cleared by: {who})",
        "figures": {"fault": "The {place} is open", "who": "key", "place": "main door"},
        "text": 'The "main door" is open',
    }
    with enrolled(site, 1) as cabinet:
        events(cabinet, ("fault_cleared", said))
    client = logged_in(Role.VIEWER)

    def found(text: str, language: str, **span: str) -> bool:
        page = client.get("/events/", {"text": text, **span}, headers={"Accept-Language": language})
        return b"/cabinets/1/" in page.content

    for text, language in (
        ("Haupttür offen", "de"),
        ("pe", "en"),
        ("pe", "de"),
        ('"main door"', "en"),
        ("Haupt pe", "de"),
    ):
        assert found(text, language), text
    for text, language in (("Haupttür Hopper", "de"), ("qq", "de"), ("Haupttür qq", "de"), ("offen Haupttür", "en")):
        assert not found(text, language), text
    with site.connect() as admin:
        admin.execute("UPDATE venue.event SET at = at - interval '10 days'")
    since = str(localdate() - timedelta(days=20))
    assert found("Haupttür", "de", since=since)
    assert not found("pe", "de", since=since)


def test_an_account_chooses_its_language(site: VenueDatabase) -> None:
    """An account's own language wins over the browser's, and stays."""
    client = logged_in(Role.VIEWER, "vera")
    assert "Noch kein Gerät" in text_of(client.get("/", headers={"Accept-Language": "de"}).content)
    client.post("/account/", {"looks": "1", "language": "de", "theme": "dark"})
    answer = client.get("/", headers={"Accept-Language": "en"})
    assert "Noch kein Gerät" in text_of(answer.content)
    assert b'<html lang="de" data-theme="dark">' in answer.content
    assert Account.objects.get(username="vera").theme == "dark"


def test_doors_faults_and_alarms_are_german(floor: VenueDatabase) -> None:
    """As on the cabinet's own screen: on the floor, on the cabinet's page and in what an alarm says."""
    with floor.connect() as admin:
        admin.execute("UPDATE venue.status SET at = clock_timestamp()")
    client = logged_in(Role.VIEWER)
    german = {"Accept-Language": "de"}
    seen = text_of(client.get("/", headers=german).content)
    assert "Offen: Haupttür" in seen
    assert "Tür offen (Haupttür)" in seen
    assert "Hopper fast leer (Hopper)" in seen
    assert "Offene Türen Haupttür" in text_of(client.get("/cabinets/3/", headers=german).content)
    assert "Art: Hopper fast leer; Ort: Hopper" in text_of(client.get("/events/", headers=german).content)
    for page in ("/", "/events/"):
        assert "main door" not in text_of(client.get(page, headers=german).content)
    english = text_of(client.get("/").content)
    assert "Open: main door" in english
    assert "Hopper low (hopper)" in english


def test_money_is_written_as_the_language_does(floor: VenueDatabase) -> None:
    """Thousands and decimals are the reader's."""
    client = logged_in(Role.CASHIER)
    assert "12,345.00" in text_of(client.get("/", headers={"Accept-Language": "en"}).content)
    assert "12.345,00" in text_of(client.get("/", headers={"Accept-Language": "de"}).content)


def test_every_kind_of_event_and_every_act_has_a_name() -> None:
    """Of no kind that the cabinets' catalogue has not; the acts are those that the schema and the page record."""
    kinds = {event.code for event in every_event()} | set(known_faults())
    assert set(KINDS) <= kinds
    schema = "".join(path.read_text() for path in sorted((VENUE / "schema").rglob("*.sql")))
    noted = {
        what
        for call in re.findall(r"PERFORM venue\.note\([^;]*;", schema)
        for what in _ACT.findall(call.partition("jsonb_")[0])
    }
    assert len(noted) > 20
    assert noted <= set(ACTS)
    page = "".join(path.read_text() for path in sorted(VENUE.rglob("*.py")))
    recorded = re.findall(r'\b(?:act|record)\(\s*(?:request|"[^"]*"|[^,()]*(?:\([^()]*\))?[^,()]*),\s*"([^"]*)"', page)
    assert len(recorded) > 12
    assert set(recorded) <= set(ACTS)


def test_a_kind_and_an_act_are_german() -> None:
    """So are titles of alarms, which are kinds of events."""
    with override("de"):
        assert str(event("service_menu")) == "Servicemenü"
        assert str(event("stacker_jam")) == "Stapler blockiert"
        assert str(act("month closed")) == "Monat abgeschlossen"
    assert str(event("a_newer_one")) == "A newer one"
