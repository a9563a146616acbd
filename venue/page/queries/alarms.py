"""Queries for alarms, alarm rules and messages about alarms."""

from venue.page.queries.rows import Row, row, rows, value

_NEWEST = """
    SELECT a.alarm, a.code, a.cabinet, c.label, a.severity, a.detail, a.times, a.since, a.last_at, a.over_at,
           a.acknowledged_by, a.acknowledged_at, a.remark, a.escalation
    FROM venue.alarm a LEFT JOIN venue.cabinet c USING (cabinet)
"""


def waiting() -> int:
    """Return the number of open alarms that nobody has acknowledged."""
    return int(value("SELECT count(*) FROM venue.alarm WHERE over_at IS NULL AND acknowledged_at IS NULL"))


def still_open(cabinet: int | None = None) -> list[Row]:
    """Return the open alarms: unacknowledged first, then by severity, then newest first."""
    return rows(
        _NEWEST + " WHERE a.over_at IS NULL AND (%(cabinet)s::int IS NULL OR a.cabinet = %(cabinet)s)"
        " ORDER BY a.acknowledged_at IS NOT NULL, array_position(ARRAY['critical', 'warning', 'info'], a.severity),"
        " a.since DESC LIMIT 300",
        {"cabinet": cabinet},
    )


def past(limit: int, offset: int) -> list[Row]:
    """Return alarms that are over, newest first."""
    return rows(_NEWEST + " WHERE a.over_at IS NOT NULL ORDER BY a.since DESC LIMIT %s OFFSET %s", [limit, offset])


def one(alarm: int) -> Row | None:
    """Return one alarm; None if the number is unknown."""
    return row(_NEWEST + " WHERE a.alarm = %s", [alarm])


def rules() -> list[Row]:
    """Return the alarm rules in order of their codes."""
    return rows(
        "SELECT code, source, severity, enabled, figure, hours_from, hours_to,"
        " extract(epoch FROM escalate_after)::int / 60 AS escalate_min FROM venue.alarm_rule ORDER BY code"
    )


def messages(limit: int = 20) -> list[Row]:
    """Return the newest messages to channels with their results."""
    return rows(
        "SELECT m.channel, m.made_at, m.sent_at, m.tries, m.error, m.escalation, a.code, a.cabinet"
        " FROM venue.alarm_message m JOIN venue.alarm a USING (alarm) ORDER BY m.message DESC LIMIT %s",
        [limit],
    )
