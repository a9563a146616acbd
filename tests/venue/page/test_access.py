"""Who may open which address."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.rigs.postgres import VenueDatabase
from tests.rigs.venue_page import PASSWORD, account, acts, logged_in, token
from venue.page import access
from venue.page.models import Account
from venue.page.roles import Role
from venue.page.urls import urlpatterns

ARGUMENTS = {
    "number": 1,
    "collection_number": 1,
    "removal": 1,
    "proposal": 1,
    "cabinet": 1,
    "name": "01.png",
    "table": "days",
    "kind": "csv",
    "month": "2026-01",
    "code": "fault",
    "serial": 1,
}
OPEN = {"login", "wall", "wall_values", "metrics"}
INCOMPLETE = {"logout", "token", "second_factor"}


def address(name: str) -> str:
    (pattern,) = [one for one in urlpatterns if one.name == name]
    return reverse(name, kwargs={key: ARGUMENTS[key] for key in pattern.pattern.converters})


def test_every_address_names_its_role() -> None:
    """No address is open by omission: each is public by name, or needs a role."""
    assert {one.name for one in urlpatterns} == OPEN | set(access.NEEDS)


@pytest.mark.parametrize("name", sorted(access.NEEDS))
def test_an_address_needs_a_session(site: VenueDatabase, name: str) -> None:
    """Without a session every address leads to the login, read or written."""
    for answer in (Client().get(address(name)), Client().post(address(name))):
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/login/")


@pytest.mark.parametrize("role", list(Role))
def test_an_address_needs_its_role(site: VenueDatabase, role: Role) -> None:
    """Of every address a lower role gets 403, read or written, and nothing is recorded as done."""
    client = logged_in(role)
    for name, needs in access.NEEDS.items():
        if needs > role:
            assert client.get(address(name)).status_code == 403, name
            assert client.post(address(name)).status_code == 403, name
    assert acts(site) == []


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMINISTRATOR])
def test_a_high_role_needs_its_second_factor(site: VenueDatabase, role: Role) -> None:
    """With a password alone an operator opens nothing but the page that asks for the second factor."""
    user = account("half", role)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    for name in sorted(access.NEEDS.keys() - INCOMPLETE):
        answer = client.get(address(name))
        assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/login/token/"), name


def test_a_login_with_its_second_factor(site: VenueDatabase) -> None:
    """Name, password and the authenticator's code open the page that was asked for, and the login is recorded."""
    user = account("olga", Role.OPERATOR)
    client = Client()
    answer = client.post("/login/", {"username": "olga", "password": PASSWORD, "next": "/software/"}, follow=True)
    assert answer.redirect_chain[-1][0].startswith("/login/token/")
    answer = client.post("/login/token/", {"token": token(user), "next": "/software/"})
    assert (answer.status_code, answer["Location"]) == (302, "/software/")
    assert client.get("/software/").status_code == 200
    assert ("olga", "logged in", {}) in acts(site)


def test_a_code_is_good_once(site: VenueDatabase) -> None:
    """The same code of an authenticator does not open a second session."""
    user = account("olga", Role.OPERATOR)
    code = token(user)
    for wanted in (302, 200):
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert client.post("/login/token/", {"token": code}).status_code == wanted


def test_a_new_operator_sets_a_second_factor_up(site: VenueDatabase) -> None:
    """Who needs a second factor and has none is led to set it up, gets spare codes once, and each opens once."""
    user = Account.objects.add("new", PASSWORD, Role.OPERATOR)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/")["Location"].startswith("/login/second-factor/")
    assert b"<svg" in client.get("/login/second-factor/").content
    answer = client.post("/login/second-factor/", {"token": token(user)})
    spare = answer.context["codes"]
    assert len(spare) == 8
    assert client.get("/software/").status_code == 200
    for wanted in (302, 200):
        other = Client()
        other.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert other.post("/login/token/", {"token": spare[0]}).status_code == wanted


def test_a_login_does_not_lead_elsewhere(site: VenueDatabase) -> None:
    """`next` never leads to another host."""
    account("vera", Role.VIEWER)
    answer = Client().post("/login/", {"username": "vera", "password": PASSWORD, "next": "https://evil.example/"})
    assert answer["Location"] == "/"


def test_a_fragment_after_the_session_reloads_the_page(site: VenueDatabase) -> None:
    """A page that polls without a session is loaded again as a whole, so that it ends at the login."""
    answer = Client().get("/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")


def test_guessing_a_password_locks(site: VenueDatabase) -> None:
    """After five wrong passwords the right one is refused as well, and so are other names from there."""
    account("vera", Role.VIEWER)
    client = Client()
    for _ in range(5):
        client.post("/login/", {"username": "vera", "password": "wrong"})
    assert client.post("/login/", {"username": "vera", "password": PASSWORD}).status_code == 429
    account("otto", Role.VIEWER)
    assert client.post("/login/", {"username": "otto", "password": PASSWORD}).status_code == 429


def test_an_account_that_was_barred_is_out_at_once(site: VenueDatabase) -> None:
    """A session ends with its account's right to log in."""
    client = logged_in(Role.VIEWER, "vera")
    assert client.get("/").status_code == 200
    Account.objects.filter(username="vera").update(is_active=False)
    assert client.get("/")["Location"].startswith("/login/")


def test_logging_out_and_preferences_are_in_the_record_of_acts(site: VenueDatabase) -> None:
    """Each is a row with the account's name."""
    client = logged_in(Role.VIEWER, "vera")
    client.post("/account/", {"looks": "1", "language": "de", "theme": "dark"})
    client.post("/logout/")
    assert client.get("/").status_code == 302
    assert [(by, act) for by, act, _ in acts(site)] == [("vera", "own preferences changed"), ("vera", "logged out")]
