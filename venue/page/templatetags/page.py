"""Template filters and tags: money, ages, icons and the words for the venue's codes."""

import contextlib
import json
import re
from datetime import UTC, datetime

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils import formats, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from venue.page import words
from venue.page.bands import band as places
from venue.page.cabinet_words import translated
from venue.page.expectations import Judged
from venue.page.queries.tickets import SHOWN
from venue.page.statuses import cut

register = template.Library()
_MINUTE, _HOUR, _TWO_DAYS = 60, 3600, 172_800
_NAMED = re.compile(r"\{(\w+)\}")
_LONG_WORD = re.compile(r"\S{40,}")
_PIECE = 20
NONE = "\N{EN DASH}"
"""Shown in place of a missing figure."""
_AT = frozenset({"since", "newest", "last_seen", "cab_at"})
_POOL_AMOUNTS = frozenset({"award", "seed", "base", "base_due", "total"})
LONGEST_TEXT = 1000
"""Maximum number of characters shown of an event or an alarm."""
LONGEST_FIGURE = 200
_A_MOMENT_MS, _LAST_MS = 10**12, 10**14
"""A number of milliseconds above the first is a point in time, not a duration; the second is the last shown."""


@register.filter
def money(cents: object) -> str:
    """Format an amount in cents in the reader's language; a dash for a missing amount."""
    if not isinstance(cents, int):
        return NONE
    whole, part = divmod(abs(cents), 100)
    grouped = formats.number_format(whole, use_l10n=True, force_grouping=True)
    sign = "\N{MINUS SIGN}" if cents < 0 else ""
    return f"{sign}{grouped}{formats.get_format('DECIMAL_SEPARATOR')}{part:02d}"


@register.filter
def pool_money(millicents: object) -> str:
    """Format an amount in 1/1000 cent, rounded down to cents."""
    return money(millicents // 1000 if isinstance(millicents, int) else None)


@register.filter
def count(number: object) -> str:
    """Format a number with grouped thousands; a dash for a missing number."""
    return formats.number_format(number, use_l10n=True, force_grouping=True) if isinstance(number, int) else NONE


@register.filter
def percent(share: object) -> str:
    """Format a share of 1 as a percentage with two decimals; a dash for a missing share."""
    if not isinstance(share, (int, float)):
        return NONE
    sign = "\N{MINUS SIGN}" if share < 0 else ""
    return f"{sign}{formats.number_format(abs(share) * 100, decimal_pos=2, use_l10n=True)}\N{NO-BREAK SPACE}%"


@register.filter
def ago(at: object) -> str:
    """Format how long ago `at` was, in seconds, minutes, hours or days; "never" for a missing time."""
    if not isinstance(at, datetime):
        return gettext("never")
    seconds = max(0, int((timezone.now() - at).total_seconds()))
    if seconds < _MINUTE:
        return ngettext("%(number)d s ago", "%(number)d s ago", seconds) % {"number": seconds}
    if seconds < _HOUR:
        return gettext("%(number)d min ago") % {"number": seconds // 60}
    if seconds < _TWO_DAYS:
        return gettext("%(number)d h ago") % {"number": seconds // _HOUR}
    days = seconds // 86_400
    return ngettext("%(number)d day ago", "%(number)d days ago", days) % {"number": days}


@register.filter
def said(text: object) -> str:
    """Format a text from a cabinet in the way `event_text` formats an event."""
    return event_text(str(text))


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return a decorative SVG icon; the text beside it carries the meaning."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static("page/icons.svg"), name
    )


register.filter("game", words.game)
register.filter("alarm", words.alarm)
register.filter("state", words.state)
register.filter("event", words.event)
register.filter("act", words.act)
register.filter("severity", words.severity)
register.filter("ticket_state", words.ticket_state)
register.filter("ticket_act", words.ticket_act)
register.filter("late_reason", words.late_reason)
register.filter("recovery_reason", words.recovery_reason)


@register.filter
def ticket_number(number: str) -> str:
    """Group a ticket's number as printed below its barcode: two digits, then groups of four."""
    return " ".join((number[:2], *(number[at : at + 4] for at in range(2, len(number), 4))))


@register.filter
def masked_number(number: str) -> str:
    """Return the last four digits of a ticket's number, for tickets that nobody has handed in."""
    return f"… {number[-SHOWN:]}"


@register.simple_tag
def currency() -> str:
    """Return the currency of the venue's amounts."""
    return settings.CONFIG.currency


@register.filter
def minus(amount: int, other: int) -> int:
    """Return the difference of two amounts."""
    return amount - other


@register.filter
def share(part: int, whole: int) -> float | None:
    """Return `part / whole`; None if `whole` is 0."""
    return part / whole if whole else None


_BAND = (
    '<svg class="band" viewBox="0 0 200 18" preserveAspectRatio="none" role="img" aria-label="{}">'
    '<line class="rule" x1="0" y1="9" x2="200" y2="9"/><rect class="wide" x="{}" y="3" width="{}" height="12"/>'
    '<rect class="usual" x="{}" y="3" width="{}" height="12"/><line class="mean" x1="{}" y1="1" x2="{}" y2="17"/>'
    '<ellipse class="is" cx="{}" cy="9" rx="3" ry="5"/></svg>'
)


@register.filter
def band(judged: Judged) -> str:
    """Return an SVG picture of a hold and its band; "" without a band. A table may contain a thousand of them."""
    at, wide = places(judged), judged.hold_wide_band
    if at is None or wide is None:
        return ""
    label = gettext("between %(low)s and %(high)s by chance") % {"low": percent(wide[0]), "high": percent(wide[1])}
    figures = (at.wide, at.wide_width, at.usual, at.usual_width, at.mean, at.mean, at.at)
    return format_html(_BAND, label, *map(str, figures))  # SVG numbers must not be localised


@register.filter
def verdict(judged: Judged) -> str:
    """Return a verdict's word in a `<span>` with its tone."""
    tone, word = words.VERDICTS[judged.verdict]
    return format_html('<span class="tone {}">{}</span>', tone, word)


@register.filter
def tone(code: object) -> str:
    """Return the tone (a CSS class) of a severity."""
    return words.TONES.get(str(code), "look")


@register.filter
def event_text(body: object) -> str:
    """Return the text of an event or an alarm: its filled template, its own text, or its figures by name.

    A cabinet may send anything, so a long text is cut, and long words get places where a line may break.
    """
    return _LONG_WORD.sub(_in_pieces, cut(_said(body), LONGEST_TEXT))


def _in_pieces(word: re.Match[str]) -> str:
    return "\N{ZERO WIDTH SPACE}".join(word[0][at : at + _PIECE] for at in range(0, len(word[0]), _PIECE))


def _said(body: object) -> str:
    if not isinstance(body, dict):
        return str(body)
    if isinstance(body.get("template"), str) and isinstance(body.get("figures"), dict):
        return _filled(body["template"], body["figures"])
    if isinstance(body.get("text"), str):
        return translated(body["text"])
    named = ((str(words.figure(name)), _figure(name, value)) for name, value in body.items() if value is not None)
    return "; ".join(f"{name}: {figure}" for name, figure in named)


def _filled(template: str, figures: dict[str, object]) -> str:
    """Fill a template with its figures; a placeholder without a figure stays, because a cabinet may send anything.

    If the template has a translation, texts among the figures are translated too, and their own `{place}` is filled in
    (for the words of a fault).
    """
    own = translated(template)
    word = translated if own != template else str
    place = figures.get("place")

    def said(found: re.Match[str]) -> str:
        name = found[1]
        value = figures.get(name)
        if name not in figures:
            return found[0]
        if not isinstance(value, str):
            return cut(_figure(name, value), LONGEST_FIGURE)
        text = cut(word(value) if word(value) != value else _figure(name, value), LONGEST_FIGURE)
        return text.replace("{place}", cut(word(place), LONGEST_FIGURE)) if isinstance(place, str) else text

    return _NAMED.sub(said, cut(own, LONGEST_TEXT))


def _figure(name: str, value: object) -> str:
    """Format a figure; its name tells whether it is a time, an amount, a code or a plain value."""
    text = _word(name, value)
    if isinstance(value, bool):
        text = gettext("yes") if value else gettext("no")
    elif isinstance(value, list):
        text = ", ".join(_word(name, one) for one in value) or NONE
    elif name == "off_ms":
        text = seconds(value)
    elif name.endswith("_ms") and isinstance(value, int) and value > _A_MOMENT_MS:
        text = _moment(datetime.fromtimestamp(min(value, _LAST_MS) / 1000, UTC))
    elif name in _AT and isinstance(value, str):
        with contextlib.suppress(ValueError, OverflowError):  # not a time: show the cabinet's own text
            text = _moment(datetime.fromisoformat(value))
    elif name in _POOL_AMOUNTS:
        text = pool_money(value)
    elif name.endswith("_cents"):
        text = money(value)
    return text


def _word(name: str, value: object) -> str:
    if name in {"state", "answer"}:
        return str(words.state(value))
    if name == "code":
        return str(words.event(value))
    return words.place(value) if name in {"doors", "place"} else str(value)


def _moment(at: datetime) -> str:
    return formats.date_format(timezone.localtime(at) if at.tzinfo else at, "SHORT_DATETIME_FORMAT")


@register.filter
def seconds(ms: object) -> str:
    """Format milliseconds as seconds with one decimal; a dash for a missing value."""
    return formats.number_format(ms / 1000, decimal_pos=1, use_l10n=True) if isinstance(ms, int) else NONE


@register.filter
def pretty(record: object) -> str:
    """Return a record as indented JSON."""
    return json.dumps(record, indent=1, ensure_ascii=False)
