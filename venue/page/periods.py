"""Spans of days chosen on a page."""

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

LONGEST = timedelta(days=800)
_MOST_DIGITS = 12
_AMOUNT = re.compile(
    # digits, or groups of three with one sign; with groups the cents have the other sign, and must be there, unless
    # there are several groups
    r"(?P<whole>[0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?=,)|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?=\.)"
    r"|[1-9][0-9]{0,2}(?:(?:\.[0-9]{3}){2,}|(?:,[0-9]{3}){2,})(?![.,]))(?:[.,](?P<part>[0-9]{1,2}))?",
    re.ASCII,
)


class Period(NamedTuple):
    """Days from `since` to `until`, both included, in the venue's time."""

    since: date
    until: date

    @property
    def begins(self) -> datetime:
        """The first instant."""
        return timezone.make_aware(datetime.combine(self.since, time.min))

    @property
    def ends(self) -> datetime:
        """The first instant after the last day."""
        return timezone.make_aware(datetime.combine(self.until + timedelta(days=1), time.min))


def day(text: str) -> date | None:
    """Return the day that `text` names as 2026-11-22; None for anything else."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if date(2000, 1, 1) <= found <= date(2200, 1, 1) else None


def chosen(request: HttpRequest, days: int) -> Period:
    """Return the days that the address names, the last `days` where it names none; never more than `LONGEST`."""
    until = day(request.GET.get("until", "")) or timezone.localdate()
    since = day(request.GET.get("since", "")) or until - timedelta(days=days - 1)
    since = min(since, until)
    return Period(max(since, until - LONGEST), until)


def number(text: str) -> int | None:
    """Return a positive number of up to nine digits, None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None  # noqa: PLR2004 - PostgreSQL's int


def amount_cents(text: str) -> int | None:
    """Return an amount typed as `1234`, `1234.5`, `1.234,50` or `1,234.50` in cents; None for anything else.

    What could be read in two ways is none: `12.345` is twelve thousand in one language and twelve in the other.
    """
    typed = text.strip().replace(" ", "").replace("\N{NO-BREAK SPACE}", "").replace("'", "")
    sign, typed = (-1, typed[1:]) if typed[:1] in ("-", "\N{MINUS SIGN}") else (1, typed)
    found = _AMOUNT.fullmatch(typed)
    if found is None:
        return None
    whole = re.sub(r"[.,]", "", found["whole"])
    if len(whole) > _MOST_DIGITS:
        return None
    return sign * (int(whole) * 100 + int((found["part"] or "").ljust(2, "0")))
