"""Outgoing messages about alarms: create, select those due, record results."""

from collections.abc import Sequence

from venue.page.queries.rows import Row, rows, value

MOST_TRIES = 8


def watch() -> None:
    """Open alarms for new problems, end those that are over, and escalate those that nobody has acknowledged."""
    value("SELECT venue.watch()")
    value("SELECT venue.watch_tickets()")
    rows("SELECT alarm FROM venue.escalate()")


def tidy() -> None:
    """Create the partitions of the coming months and drop those past their retention."""
    value("SELECT venue.tidy()")


def make(channel: str, severities: Sequence[str], escalation: int) -> None:
    """Create the messages for a channel: one for each unacknowledged open alarm, and one more at each escalation."""
    rows(
        "INSERT INTO venue.alarm_message (alarm, channel, escalation)"
        " SELECT a.alarm, %(channel)s, a.escalation FROM venue.alarm a"
        " WHERE a.over_at IS NULL AND a.acknowledged_at IS NULL AND a.severity = ANY (%(severities)s)"
        " AND a.escalation >= %(escalation)s ON CONFLICT DO NOTHING RETURNING message",
        {"channel": channel, "severities": list(severities), "escalation": escalation},
    )


def due(channel: str, most: int) -> list[Row]:
    """Return up to `most` messages due in `channel`, oldest first.

    A failed message waits 30 s times the square of its tries, and is given up after `MOST_TRIES`.
    """
    return rows(
        "SELECT m.message, m.channel, m.tries, m.escalation, a.code, a.cabinet, c.label, a.severity, a.detail, a.since"
        " FROM venue.alarm_message m JOIN venue.alarm a USING (alarm) LEFT JOIN venue.cabinet c USING (cabinet)"
        " WHERE m.channel = %s AND m.sent_at IS NULL AND m.tries < %s AND a.acknowledged_at IS NULL"
        " AND m.made_at + make_interval(secs => 30 * m.tries * m.tries) <= clock_timestamp()"
        " ORDER BY m.message LIMIT %s",
        [channel, MOST_TRIES, most],
    )


def sent(message: int, error: str) -> None:
    """Record the result of sending a message; an empty `error` means that it was sent."""
    rows(
        "UPDATE venue.alarm_message SET tries = tries + 1, error = nullif(%(error)s, ''),"
        " sent_at = CASE WHEN %(error)s = '' THEN clock_timestamp() END WHERE message = %(message)s RETURNING message",
        {"error": error, "message": message},
    )
