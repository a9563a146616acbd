"""One pass of the alarm worker: open alarms, write messages about them and send the messages."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext

from venue.page import words
from venue.page.delivery import Deliveries, Message, Send
from venue.page.models import Channel
from venue.page.queries import outbox
from venue.page.templatetags.page import event_text

_LEVELS = ("info", "warning", "critical")
_AT_ONCE = 20
"""Maximum number of messages handed to a channel at once, so that many alarms do not fill the memory."""


def step(deliveries: Deliveries) -> int:
    """Run one pass without waiting for channels; return how many messages were sent since the last pass."""
    gone = _record(deliveries)
    outbox.watch()
    for channel in Channel.objects.filter(enabled=True):
        outbox.make(channel.name, _LEVELS[_LEVELS.index(channel.severity) :], channel.escalation)
        if deliveries.free(channel.name):
            due = [_message(row, channel.language) for row in outbox.due(channel.name, _AT_ONCE)]
            if due:
                deliveries.hand(channel.name, channel.address, due)
    return gone


def once(send: Send, seconds: float) -> int:
    """Run one pass and wait up to `seconds` for the channels; return how many messages were sent."""
    deliveries = Deliveries(send)
    step(deliveries)
    deliveries.wait(seconds)
    return _record(deliveries)


def _record(deliveries: Deliveries) -> int:
    results = deliveries.results()
    for number, error in results:
        outbox.sent(number, error)
    return sum(not error for _, error in results)


def _message(row: Mapping[str, Any], language: str) -> Message:
    return Message(row["message"], *written(row, language), row["severity"])


def written(row: Mapping[str, Any], language: str) -> tuple[str, str]:
    """Return title and text of a message in the channel's language; it contains no amounts of a cabinet's takings."""
    with translation.override(language):
        name = str(words.alarm(row["code"]))
        if row["code"] == "fault" and isinstance(row["detail"], dict) and row["detail"].get("code"):
            name = f"{name}: {words.event(row['detail']['code'])}"
        where = gettext("cabinet %(number)s %(label)s") % {"number": row["cabinet"], "label": row["label"]}
        place = where.strip() if row["cabinet"] else settings.CONFIG.name
        title = f"{words.severity(row['severity'])}: {name}, {place}"
        if row["escalation"]:
            title = gettext("Nobody has answered: %(title)s") % {"title": title}
        since = timezone.localtime(row["since"]).strftime("%Y-%m-%d %H:%M:%S")
        return title, f"{event_text(row['detail'])}\n{settings.CONFIG.name}, {since}"
