"""Queries for money by day, cabinet and game, for collections and their counts, and for months. Amounts are cents."""

from datetime import date

from venue.page.queries.rows import Row, row, rows

_COLLECTION = """
    SELECT v.*, v.counted_coins_cents + v.counted_notes_cents AS counted_cents, c.label, r.redated
    FROM venue.collection_count v JOIN venue.cabinet c USING (cabinet)
    LEFT JOIN venue.reading r ON (r.cabinet, r.epoch, r.seq) = (v.cabinet, v.epoch, v.seq)
"""


def _span(since: date, until: date, cabinet: int | None = None, game: str = "") -> dict[str, object]:
    return {"since": since, "until": until, "cabinet": cabinet, "game": game}


def by_day(since: date, until: date, cabinet: int | None, game: str) -> list[Row]:
    """Return rounds, stakes and wins by day from `since` to `until`, both included."""
    return rows(
        "SELECT day, sum(rounds)::bigint AS rounds, sum(stakes)::bigint AS stakes, sum(wins)::bigint AS wins"
        " FROM venue.day_game WHERE day BETWEEN %(since)s AND %(until)s"
        " AND (%(cabinet)s::int IS NULL OR cabinet = %(cabinet)s) AND (%(game)s = '' OR game = %(game)s)"
        " GROUP BY day ORDER BY day",
        _span(since, until, cabinet, game),
    )


def by_cabinet_and_game(since: date, until: date, cabinet: int | None, game: str) -> list[Row]:
    """Return rounds, stakes and wins by cabinet and game."""
    return rows(
        "SELECT d.cabinet, c.label, d.game, d.rounds, d.stakes, d.wins, d.squares FROM ("
        "  SELECT cabinet, game, sum(rounds)::bigint AS rounds, sum(stakes)::bigint AS stakes,"
        "  sum(wins)::bigint AS wins, sum(stakes::float * stakes / nullif(rounds, 0)) AS squares FROM venue.day_game"
        "  WHERE day BETWEEN %(since)s AND %(until)s AND (%(cabinet)s::int IS NULL OR cabinet = %(cabinet)s)"
        "  AND (%(game)s = '' OR game = %(game)s) GROUP BY cabinet, game) d"
        " JOIN venue.cabinet c USING (cabinet) ORDER BY d.cabinet, d.game",
        _span(since, until, cabinet, game),
    )


def meters(since: date, until: date, cabinet: int | None) -> list[Row]:
    """Return the money meters of each cabinet, summed over the days."""
    return rows(
        "SELECT cabinet, c.label, sum(coins_in)::bigint AS coins_in, sum(notes_in)::bigint AS notes_in,"
        " sum(tickets_in)::bigint AS tickets_in, sum(tickets_out)::bigint AS tickets_out,"
        " sum(hopper_out)::bigint AS hopper_out, sum(hand_pay)::bigint AS hand_pay, sum(stakes)::bigint AS stakes,"
        " sum(wins)::bigint AS wins, sum(dropped)::bigint AS dropped FROM venue.day_meter"
        " JOIN venue.cabinet c USING (cabinet) WHERE day BETWEEN %(since)s AND %(until)s"
        " AND (%(cabinet)s::int IS NULL OR cabinet = %(cabinet)s) GROUP BY cabinet, c.label ORDER BY cabinet",
        _span(since, until, cabinet),
    )


def day_meters(since: date, until: date, cabinet: int | None) -> list[Row]:
    """Return the money meters by day and cabinet."""
    return rows(
        "SELECT day, cabinet, c.label, coins_in, notes_in, tickets_in, hopper_out, tickets_out, hand_pay, stakes, wins,"
        " dropped"
        " FROM venue.day_meter JOIN venue.cabinet c USING (cabinet) WHERE day BETWEEN %(since)s AND %(until)s"
        " AND (%(cabinet)s::int IS NULL OR cabinet = %(cabinet)s) ORDER BY day, cabinet",
        _span(since, until, cabinet),
    )


def day_rows(since: date, until: date, cabinet: int | None, game: str) -> list[Row]:
    """Return a row for each day, cabinet and game, for the export."""
    return rows(
        "SELECT day, cabinet, c.label, game, rounds, stakes, wins FROM venue.day_game"
        " JOIN venue.cabinet c USING (cabinet) WHERE day BETWEEN %(since)s AND %(until)s"
        " AND (%(cabinet)s::int IS NULL OR cabinet = %(cabinet)s) AND (%(game)s = '' OR game = %(game)s)"
        " ORDER BY day, cabinet, game",
        _span(since, until, cabinet, game),
    )


def redated(since: date, until: date, cabinet: int | None) -> list[Row]:
    """Return the number of readings that count for the day of their arrival, and their first and last own date."""
    return rows(
        "SELECT r.day, r.cabinet, c.label, count(*) AS readings, min(r.cab_at) AS first, max(r.cab_at) AS last"
        " FROM venue.reading r JOIN venue.cabinet c USING (cabinet)"
        " WHERE r.redated AND r.day BETWEEN %(since)s AND %(until)s"
        " AND (%(cabinet)s::int IS NULL OR r.cabinet = %(cabinet)s)"
        " GROUP BY r.day, r.cabinet, c.label ORDER BY r.day DESC, r.cabinet LIMIT 200",
        _span(since, until, cabinet),
    )


def cabinets() -> list[Row]:
    """Return all cabinets, for selection lists."""
    return rows("SELECT cabinet, label, retired FROM venue.cabinet ORDER BY cabinet")


def collections(limit: int, offset: int, cabinet: int | None = None) -> list[Row]:
    """Return collections, newest first, with their counted amounts (None if nobody has counted)."""
    return rows(
        _COLLECTION + " WHERE v.collection IN (SELECT k.collection FROM venue.collection k"  # noqa: S608 - constants only
        " WHERE %(cabinet)s::int IS NULL OR k.cabinet = %(cabinet)s"
        " ORDER BY k.collection DESC LIMIT %(limit)s OFFSET %(offset)s) ORDER BY v.collection DESC",
        {"cabinet": cabinet, "limit": limit, "offset": offset},
    )


def collections_of_days(since: date, until: date, cabinet: int | None) -> list[Row]:
    """Return the collections of these days, for the export."""
    return rows(
        _COLLECTION + " WHERE v.day BETWEEN %(since)s AND %(until)s"
        " AND (%(cabinet)s::int IS NULL OR v.cabinet = %(cabinet)s) ORDER BY v.collection DESC",
        _span(since, until, cabinet),
    )


def collection(number: int) -> Row | None:
    """Return one collection with its newest count."""
    return row(_COLLECTION + " WHERE v.collection = %s", [number])


def counts(collection: int) -> list[Row]:
    """Return all counts of a collection, newest first."""
    return rows(
        "SELECT revision, coins_cents, notes_cents, remark, by, at FROM venue.counted"
        " WHERE collection = %s ORDER BY revision DESC",
        [collection],
    )


def months() -> list[Row]:
    """Return the newest 36 months with figures, newest first, with their sums."""
    return rows(
        "SELECT date_trunc('month', d.day)::date AS month, sum(d.stakes)::bigint AS stakes,"
        " sum(d.wins)::bigint AS wins,"
        " sum(d.dropped)::bigint AS dropped, m.closed_by, m.closed_at,"
        " encode(m.sha256, 'hex') AS sha256"
        " FROM venue.day_meter d LEFT JOIN venue.month_close m ON m.month = date_trunc('month', d.day)"
        " GROUP BY 1, m.closed_by, m.closed_at, m.sha256 ORDER BY 1 DESC LIMIT 36"
    )


def uncounted(month: date) -> int:
    """Return the number of uncounted collections of a month; after the month is closed they cannot be counted."""
    found = row(
        "SELECT count(*) FROM venue.collection_count WHERE day >= %(month)s AND day < %(month)s + interval '1 month'"
        " AND revision IS NULL",
        {"month": month},
    )
    return int(found["count"]) if found else 0


def unread(month: date) -> list[Row]:
    """Return the cabinets that have not sent a reading of the month's end, with the day of their newest reading."""
    return rows(
        "SELECT u.cabinet, c.label, u.newest FROM venue.unread(%s) u JOIN venue.cabinet c USING (cabinet) ORDER BY 1",
        [month],
    )
