"""Views for cabinets: list, details and health; enrol, replace, rename and retire; distrust and logins."""

import psycopg
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from venue.codes import NoAuthorityError
from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.periods import chosen
from venue.page.periods import number as typed_number
from venue.page.queries import acting, alarms, cabinets, events, floor
from venue.page.tiles import tile

DAYS = 14


def listed(request: HttpRequest) -> HttpResponse:
    """Show every cabinet with its health, and the open enrolment codes."""
    return render(request, "page/cabinets.html", {"cabinets": cabinets.enrolled(), "codes": cabinets.codes()})


def one(request: HttpRequest, number: int) -> HttpResponse:
    """Show one cabinet: its state, alarms, health, ledger, pools and newest events."""
    found = floor.status(number)
    if found is None:
        raise Http404
    shown = tile(found)
    if request.headers.get("HX-Request"):
        return render(request, "page/cabinet_state.html", {"tile": shown, "row": found})
    hours = cabinets.health(number, DAYS)
    period = chosen(request, DAYS)
    wanted = events.Wanted(number, "", "")
    return render(
        request,
        "page/cabinet.html",
        {
            "row": found,
            "tile": shown,
            "alarms": alarms.still_open(number),
            "hours": hours,
            "chart": _health_chart(hours),
            "ledger": cabinets.ledger(number),
            "pools": cabinets.pools(number),
            "events": events.found(wanted, period.begins, period.ends, 15, 0),
            "closed": cabinets.closed_login(number),
            "distrust": cabinets.distrust(number),
            "retired": any(one["cabinet"] == number and one["retired"] for one in cabinets.enrolled()),
        },
    )


def _health_chart(hours: list[dict[str, object]]) -> dict[str, object]:
    return {
        "x": [int(one["at"].timestamp()) for one in hours if hasattr(one["at"], "timestamp")],
        "time": gettext("Hour"),
        "hours": True,
        "digits": 1,
        "series": [
            {"label": gettext("Temperature, °C"), "values": [one["temperature"] for one in hours]},
            {"label": gettext("Commit, ms"), "values": [one["commit_ms"] for one in hours]},
        ],
    }


@require_POST
def enrol(request: HttpRequest) -> HttpResponse:
    """Create and show a one-time enrolment code for a new cabinet or a replacement; it is shown only once."""
    replaces = typed_number(request.POST.get("replaces", ""))
    try:
        with transaction.atomic():
            code = acting.new_code(replaces, account(request).username)
    except NoAuthorityError:
        messages.error(request, gettext("The venue has no authority yet: run `cabinet venue init`."))
    except psycopg.Error as error:
        messages.error(request, gettext("Refused: %(why)s") % {"why": acting.reason(error)})
    else:
        return render(request, "page/code.html", {"code": code, "replaces": replaces})
    return redirect("cabinets")


@require_POST
def rename(request: HttpRequest, number: int) -> HttpResponse:
    """Rename a cabinet."""
    label, by = request.POST.get("label", "").strip()[:60], account(request).username
    attempt(request, gettext("Stored."), lambda: acting.rename(number, label, by))
    return redirect("cabinet", number)


@require_POST
def retire(request: HttpRequest, number: int) -> HttpResponse:
    """Take a cabinet out of service; the user types its number to confirm."""
    why = request.POST.get("reason", "").strip()[:500]
    if request.POST.get("confirm", "").strip() != str(number) or not why:
        messages.error(request, gettext("Type the cabinet's number and a reason to retire it."))
        return redirect("cabinet", number)
    by = account(request).username
    attempt(request, gettext("The cabinet is retired."), lambda: acting.retire(number, why, by))
    return redirect("cabinet", number)


@require_POST
def distrust(request: HttpRequest, number: int) -> HttpResponse:
    """Propose to retire a distrusted cabinet, or only close its login; the user types its number to confirm."""
    why, alone = request.POST.get("reason", "").strip()[:500], request.POST.get("act") == "close"
    if request.POST.get("confirm", "").strip() != str(number) or not why:
        messages.error(request, gettext("Type the cabinet's number and a reason."))
        return redirect("cabinet", number)
    by = account(request).username
    if alone:
        attempt(request, gettext("Its login is closed."), lambda: acting.close_login(number, why, by))
    else:
        done = gettext("Its login is closed. A second person must approve the retirement.")
        attempt(request, done, lambda: acting.propose_distrust(number, why, by))
    return redirect("cabinet", number)


@require_POST
def decide_distrust(request: HttpRequest, number: int, proposal: int) -> HttpResponse:
    """Approve or reject the retirement of a distrusted cabinet."""
    approve, by = request.POST.get("decision") == "approve", account(request).username
    done = gettext("The cabinet is retired.") if approve else gettext("Rejected. Its login is open again.")
    attempt(request, done, lambda: acting.decide_distrust(proposal, by, approve=approve))
    return redirect("cabinet", number)


@require_POST
def open_login(request: HttpRequest, number: int) -> HttpResponse:
    """Open a cabinet's closed login again."""
    by = account(request).username
    attempt(request, gettext("Its login is open again."), lambda: acting.open_login(number, by))
    return redirect("cabinet", number)
