"""Every page opens, full and empty, in both languages."""

import pytest
from django.utils import translation

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_page import logged_in
from venue.page.roles import Role
from venue.page.templatetags.page import event_text

PAGES = (
    "/",
    "/?only=stop",
    "/jackpots/",
    "/events/",
    "/events/?cabinet=1&code=large_win&text=WIN&since=2020-01-01",
    "/events/past/",
    "/events/rules/",
    "/events/rules/fault/",
    "/events/channels/add",
    "/money/",
    "/money/?cabinet=1&game=neptune&all=1",
    "/money/collections/",
    "/money/months/",
    "/money/tickets/",
    "/tickets/",
    "/tickets/?digits=12&cabinet=1",
    "/rounds/",
    "/rounds/?cabinet=1&round=12",
    "/software/",
    "/cabinets/",
    "/account/",
    "/accounts/",
    "/accounts/add",
    "/accounts/acts/",
    "/wall/",
    "/wall/values",
    "/metrics",
    "/login/",
)
FULL = (
    "/tickets/1/",
    "/jackpots/1/",
    "/cabinets/1/",
    "/cabinets/8/",
    "/money/collections/1/",
    "/rounds/1/1001/",
    "/rounds/2/77/",
    "/rounds/3/999/",
    "/software/1/",
    "/software/2/",
)


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_opens(floor: VenueDatabase, language: str) -> None:
    """With a full floor every page answers 200, within the policy that keeps browsers at home."""
    client = logged_in(Role.ADMINISTRATOR)
    for page in PAGES + FULL:
        answer = client.get(page, headers={"Accept-Language": language}, follow=True)
        assert answer.status_code == 200, page
        assert answer["Content-Security-Policy"].startswith("default-src 'self'")
        assert b"http://" not in answer.content.replace(b"http://www.w3.org", b""), page


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_venue_shows_every_page(site: VenueDatabase, page: str) -> None:
    """A venue without a cabinet, a pool or a figure fails no page."""
    assert logged_in(Role.ADMINISTRATOR).get(page, follow=True).status_code == 200


@pytest.mark.parametrize("page", FULL)
def test_what_is_not_there_is_not_found(site: VenueDatabase, page: str) -> None:
    """A number that was never given is 404."""
    assert logged_in(Role.ADMINISTRATOR).get(page).status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "cabinet=999999999999",
        "cabinet=-1",
        "page=0",
        "page=99999",
        "page=x",
        "since=x",
        "since=0001-01-01",
        "until=9999-12-31",
        "cabinet=%00",
        "text=%00",
        "code=%27%3B",
    ],
)
def test_odd_questions_are_answered(floor: VenueDatabase, query: str) -> None:
    """No query string fails a page."""
    client = logged_in(Role.ADMINISTRATOR)
    for page in ("/", "/events/", "/money/", "/money/collections/", "/rounds/", "/accounts/acts/", "/jackpots/1/"):
        assert client.get(f"{page}?{query}&by=%00&act=%00").status_code in (200, 400), page


def test_an_events_figures_are_written_as_the_reader_writes_money() -> None:
    """A template gets its figures; one that a cabinet sends without them keeps their names."""
    body = {"template": "Put in by the {who}: {coins} coins of {value_cents}", "text": "-"}
    figures = {"who": "attendant", "coins": 20, "value_cents": 123_400}
    assert event_text({**body, "figures": figures}) == "Put in by the attendant: 20 coins of 1,234.00"
    with translation.override("de"):
        assert event_text({**body, "figures": figures}) == "Put in by the attendant: 20 coins of 1.234,00"
    assert event_text({**body, "figures": {"coins": 3}}) == "Put in by the {who}: 3 coins of {value_cents}"
    assert event_text({"text": "Power was lost"}) == "Power was lost"
