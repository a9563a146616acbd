"""Views for money: stakes, wins and hold compared with each game's expectation; collections, months, exports."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from gamekit.catalogue import names
from venue.page import exports
from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.audit import act
from venue.page.expectations import Judged, judge
from venue.page.paging import paged
from venue.page.periods import Period, amount_cents, chosen, day, number
from venue.page.queries import acting, money, tickets
from venue.page.queries.rows import Row
from venue.page.words import game as title

DAYS = 31
SCREENFUL = 60
"""Maximum number of rows shown before the user asks for all."""
MOST_DAYS_OF_ALL = 100
"""Maximum days shown for all cabinets together; a longer period is shown only for a single cabinet."""


def _judged(row: Row) -> Judged:
    return judge(row["game"], row["rounds"], row["stakes"], row["wins"], row["squares"])


def _with_band(rows: Sequence[Row]) -> list[Row]:
    found = []
    for row in rows:
        judged = _judged(row)
        found.append({**row, "kept": row["stakes"] - row["wins"], "judged": judged})
    return found


def _sums(rows: Iterable[Row], *keys: str) -> dict[str, int]:
    all_rows = list(rows)
    return {key: sum(int(row[key] or 0) for row in all_rows) for key in keys}


def _by_game(rows: Iterable[Row]) -> list[Row]:
    """Sum the rows of each game over its cabinets."""
    found: dict[str, Row] = {}
    for row in rows:
        game = found.setdefault(row["game"], {"game": row["game"], "rounds": 0, "stakes": 0, "wins": 0, "squares": 0.0})
        for key in ("rounds", "stakes", "wins", "squares"):
            game[key] += row[key] or 0
    return [found[name] for name in sorted(found)]


def listed(request: HttpRequest) -> HttpResponse:
    """Show stakes, wins and hold by day, game and cabinet."""
    period = chosen(request, DAYS)
    cabinet = number(request.GET.get("cabinet", ""))
    cut = cabinet is None and (period.until - period.since).days >= MOST_DAYS_OF_ALL
    if cut:
        period = period._replace(since=period.until - timedelta(days=MOST_DAYS_OF_ALL - 1))
    name = _game(request)
    days = money.by_day(period.since, period.until, cabinet, name)
    sums = money.by_cabinet_and_game(period.since, period.until, cabinet, name)
    games, each = _with_band(_by_game(sums)), _with_band(sums)
    shown: dict[str, object] = {"rows": each if cabinet is not None or len(each) <= SCREENFUL else []}
    if request.GET.get("all") and not shown["rows"]:
        shown = paged(request, lambda limit, offset: each[offset : offset + limit])
    marked = [one for one in each if one["judged"].verdict in ("outside", "edge")]
    return render(
        request,
        "page/money.html",
        {
            "period": period,
            "cut": cut,
            "most_days": MOST_DAYS_OF_ALL,
            "cabinet": cabinet,
            "game": name,
            "games_known": names(),
            "cabinets": money.cabinets(),
            "days": days,
            "chart": _chart(days),
            "games": games,
            "sums": _sums(days, "rounds", "stakes", "wins"),
            "meters": money.meters(period.since, period.until, cabinet),
            "day_meters": [] if cabinet is None else money.day_meters(period.since, period.until, cabinet),
            "marked": marked,
            "redated": money.redated(period.since, period.until, cabinet),
            **shown,
            "hidden": len(each),
            "query": request.GET.urlencode(),
        },
    )


def _game(request: HttpRequest) -> str:
    """Return the name of the chosen game, "" for all games."""
    wanted = request.GET.get("game", "")
    return wanted if wanted in names() else ""


def _chart(days: Sequence[Row]) -> dict[str, Any]:
    noon = [int(timezone.make_aware(datetime.combine(one["day"], time(12))).timestamp()) for one in days]
    return {
        "x": noon,
        "time": gettext("Day"),
        "from": 0,
        "series": [
            {"label": gettext("Stakes"), "values": [one["stakes"] / 100 for one in days]},
            {"label": gettext("Wins"), "values": [one["wins"] / 100 for one in days]},
            {"label": gettext("Kept"), "values": [(one["stakes"] - one["wins"]) / 100 for one in days]},
        ],
    }


Writer = Callable[[str, Sequence[str], Iterable[Sequence[exports.Cell]]], HttpResponse]
WRITERS: dict[str, Writer] = {"csv": exports.as_csv, "xlsx": exports.as_xlsx}


def export(request: HttpRequest, table: str, kind: str) -> HttpResponse:
    """Export the figures of the chosen days: `days`, `meters`, `hold`, `collections` or `tickets`.

    A chosen game limits `days` and `hold`; the other tables have no games.
    """
    tables: dict[str, Callable[[Period, int | None, str], tuple[list[str], list[Sequence[exports.Cell]]]]] = {
        "days": _day_table,
        "meters": _meter_table,
        "hold": _hold_table,
        "collections": _collection_table,
        "tickets": _ticket_table,
    }
    if table not in tables or kind not in WRITERS:
        raise Http404
    period, cabinet = chosen(request, DAYS), number(request.GET.get("cabinet", ""))
    header, rows = tables[table](period, cabinet, _game(request))
    if kind == "xlsx" and len(rows) > exports.MOST_XLSX_ROWS:
        messages.error(request, gettext("Too many rows for a workbook: choose fewer days, or CSV."))
        return redirect("money")
    act(request, "export", cabinet=cabinet, table=table, kind=kind, since=period.since, until=period.until)
    return WRITERS[kind](f"{table}-{period.since}-{period.until}", header, rows)


def _euros(cents: int | None) -> float | None:
    """Convert cents to units of the currency for a spreadsheet; exact up to 15 digits."""
    return None if cents is None else cents / 100


def _day_table(period: Period, cabinet: int | None, game: str) -> tuple[list[str], list[Sequence[exports.Cell]]]:
    header = ["day", "cabinet", "label", "game", "rounds", "stakes", "wins", "kept"]
    return header, [
        (
            one["day"],
            one["cabinet"],
            one["label"],
            title(one["game"]),
            one["rounds"],
            _euros(one["stakes"]),
            _euros(one["wins"]),
            _euros(one["stakes"] - one["wins"]),
        )
        for one in money.day_rows(period.since, period.until, cabinet, game)
    ]


_METERS = (
    *("coins_in", "notes_in", "tickets_in", "hopper_out", "tickets_out", "hand_pay"),
    *("stakes", "wins", "dropped"),
)


def _meter_table(period: Period, cabinet: int | None, _game: str) -> tuple[list[str], list[Sequence[exports.Cell]]]:
    return ["day", "cabinet", "label", *_METERS], [
        (one["day"], one["cabinet"], one["label"], *(_euros(one[key]) for key in _METERS))
        for one in money.day_meters(period.since, period.until, cabinet)
    ]


def _hold_table(period: Period, cabinet: int | None, game: str) -> tuple[list[str], list[Sequence[exports.Cell]]]:
    header = ["cabinet", "label", "game", "rounds", "stakes", "wins", "hold", "expected", "from", "to", "verdict"]
    rows: list[Sequence[exports.Cell]] = []
    for one in money.by_cabinet_and_game(period.since, period.until, cabinet, game):
        judged = _judged(one)
        low, high = judged.hold_wide_band or (None, None)
        rows.append(
            (
                one["cabinet"],
                one["label"],
                title(one["game"]),
                one["rounds"],
                _euros(one["stakes"]),
                _euros(one["wins"]),
                judged.hold,
                judged.expected_hold,
                low,
                high,
                judged.verdict,
            )
        )
    return header, rows


def _collection_table(
    period: Period, cabinet: int | None, _game: str
) -> tuple[list[str], list[Sequence[exports.Cell]]]:
    header = ["collection", "day", "cabinet", "label", "drop", "counted", "difference", "counted by"]
    return header, [
        (
            one["collection"],
            one["day"],
            one["cabinet"],
            one["label"],
            _euros(one["drop_cents"]),
            _euros(one["counted_cents"]),
            _euros(one["difference_cents"]),
            one["counted_by"] or "",
        )
        for one in money.collections_of_days(period.since, period.until, cabinet)
    ]


_TICKETS = ("open_before", "issued", "redeemed", "paid", "void", "open_after", "expired")


def _ticket_table(period: Period, _cabinet: int | None, _game: str) -> tuple[list[str], list[Sequence[exports.Cell]]]:
    return ["day", *_TICKETS], [
        (one["day"], *(_euros(one[key]) for key in _TICKETS)) for one in tickets.days(period.since, period.until)
    ]


def collections(request: HttpRequest) -> HttpResponse:
    """Show each collection: the cash box content by the meters, the counted amount and the difference."""
    cabinet = number(request.GET.get("cabinet", ""))
    found = paged(request, lambda limit, offset: money.collections(limit, offset, cabinet))
    return render(
        request,
        "page/collections.html",
        {"cabinet": cabinet, "cabinets": money.cabinets(), "today": timezone.localdate(), **found},
    )


def count(request: HttpRequest, collection_number: int) -> HttpResponse:
    """Enter the counted cash of a collection; a correction adds another count and keeps the earlier one."""
    found = money.collection(collection_number)
    if found is None:
        raise Http404
    if request.method == "POST":
        coins, notes = (amount_cents(request.POST.get(key, "")) for key in ("coins", "notes"))
        if coins is None or notes is None or coins < 0 or notes < 0:
            messages.error(
                request,
                gettext("Type both amounts, 0 where there was nothing, as 1234.50: 1.234 could be read in two ways."),
            )
            return redirect("count", collection_number)
        by, remark = account(request).username, request.POST.get("remark", "")[:500]
        counted = attempt(
            request, gettext("Counted."), lambda: acting.count_collection(collection_number, coins, notes, by, remark)
        )
        return redirect("collections") if counted else redirect("count", collection_number)
    return render(request, "page/count.html", {"collection": found, "counts": money.counts(collection_number)})


def months(request: HttpRequest) -> HttpResponse:
    """Show open and closed months with their sums."""
    this = timezone.localdate().replace(day=1)
    return render(request, "page/months.html", {"months": money.months(), "this": this})


def _month_sums(month: date) -> Row | None:
    return next((one for one in money.months() if one["month"] == month), None)


@require_POST
def close(request: HttpRequest, month: str) -> HttpResponse:
    """Close a month permanently; figures that arrive later count for the first open day."""
    found = day(f"{month}-01")
    if found is None:
        raise Http404
    if request.POST.get("sure") != "1":
        lacking = {"uncounted": money.uncounted(found), "unread": money.unread(found)}
        return render(request, "page/close_month.html", {"month": found, "sums": _month_sums(found), **lacking})
    by = account(request).username
    attempt(request, gettext("The month is closed."), lambda: acting.close_month(found, by))
    return redirect("months")
