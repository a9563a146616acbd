"""Parsing of day ranges, numbers and amounts that are entered on a page."""

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone

LONGEST = timedelta(days=800)
_MOST_DIGITS = 12
_AMOUNT = re.compile(
    # Digits, or groups of three with one separator. With groups the decimal separator is the other one, and the cents
    # are required unless there are two or more separators.
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
        """Start of the first day."""
        return timezone.make_aware(datetime.combine(self.since, time.min))

    @property
    def ends(self) -> datetime:
        """End of the last day, which is the start of the next."""
        return timezone.make_aware(datetime.combine(self.until + timedelta(days=1), time.min))


def day(text: str) -> date | None:
    """Parse a date such as 2026-11-22 from 2000 to 2200-01-01; return None for anything else."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if date(2000, 1, 1) <= found <= date(2200, 1, 1) else None


def chosen(request: HttpRequest, days: int) -> Period:
    """Return the period in the query string, by default the last `days` days; it spans at most `LONGEST`."""
    until = day(request.GET.get("until", "")) or timezone.localdate()
    since = day(request.GET.get("since", "")) or until - timedelta(days=days - 1)
    since = min(since, until)
    return Period(max(since, until - LONGEST), until)


def number(text: str) -> int | None:
    """Parse a number of up to nine digits; return None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None  # noqa: PLR2004 - PostgreSQL's int


def amount_cents(text: str) -> int | None:
    """Parse an amount such as `1234`, `1234.5`, `1.234,50` or `1,234.50` to cents; return None for anything else.

    Ambiguous amounts give None: `12.345` is twelve thousand in one language and twelve in the other.
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
