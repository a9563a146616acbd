"""Context of every template: the page's configuration and the navigation for the account's role."""

from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext

from venue.page.access import NEEDS
from venue.page.models import Account
from venue.page.queries import alarms


class Entry(NamedTuple):
    """One entry of the navigation."""

    address: str
    icon: str
    word: str
    current: bool
    badge: int = 0


def page(request: HttpRequest) -> dict[str, object]:
    """Return `config` and `navigation`, which is empty without a login."""
    return {"config": settings.CONFIG, "navigation": SimpleLazyObject(lambda: navigation(request))}


def navigation(request: HttpRequest) -> list[Entry]:
    """Return the navigation entries that this account may open."""
    if not isinstance(request.user, Account):
        return []
    known = (
        ("floor", gettext("Floor")),
        ("jackpots", gettext("Jackpots")),
        ("money", gettext("Money")),
        ("tickets", gettext("Tickets")),
        ("events", gettext("Events")),
        ("rounds", gettext("Rounds")),
        ("software", gettext("Software")),
        ("cabinets", gettext("Cabinets")),
        ("accounts", gettext("Accounts")),
    )
    here = request.path.strip("/").partition("/")[0]
    return [
        Entry(name, name, word, here == name or (name == "floor" and not here), open_alarms(name))
        for name, word in known
        if request.user.role >= NEEDS[name]
    ]


def open_alarms(name: str) -> int:
    """Return the number of unacknowledged alarms for the events entry, 0 for every other entry."""
    return alarms.waiting() if name == "events" else 0
