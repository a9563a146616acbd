"""Views for the recovery after a restore: write off cabinets and hits, open the pools, settle late claims."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.periods import amount_cents, number
from venue.page.queries import recovery
from venue.page.words import MOVED

MILLI = 1000


def show(request: HttpRequest) -> HttpResponse:
    """Show the cabinets that the pools wait for, cabinets with lost books, missing hits and late claims."""
    running = recovery.running()
    waits = recovery.waits_for() if running else []
    cabinets = recovery.cabinets() if running else []
    lost = any(row["why"] for row in cabinets)
    return render(
        request,
        "page/recovery.html",
        {
            "running": running,
            "moved": running is not None and running["reason"] == MOVED,
            "waits": waits,
            "cabinets": cabinets,
            "strangers": recovery.strangers() if running else [],
            "missing": recovery.missing_hits() if lost and not waits else [],
            "next_hits": recovery.next_hits() if running else [],
            "lost": lost,
            "late": recovery.late_claims(),
        },
    )


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "").strip()[:500]


@require_POST
def write_off(request: HttpRequest, number: int) -> HttpResponse:
    """Write off a cabinet, so that the recovery stops waiting for it; the user types its number to confirm."""
    why = _reason(request)
    if request.POST.get("confirm", "").strip() != str(number) or not why:
        messages.error(request, gettext("Type the cabinet's number and a reason to write it off."))
    else:
        by = account(request).username
        attempt(request, gettext("The cabinet is written off."), lambda: recovery.write_off(number, why, by))
    return redirect("recovery")


@require_POST
def write_off_hit(request: HttpRequest) -> HttpResponse:
    """Enter the award of a hit that no cabinet has returned, 0 for none; an empty seed means the one the venue knows.

    If cabinet and round are given, a cabinet with an older copy of its books that claims this round again gets the same
    answer.
    """
    pool, hit = (number(request.POST.get(key, "")) for key in ("pool", "hit"))
    typed = request.POST.get("seed", "").strip()
    cents, seed, why = amount_cents(request.POST.get("paid", "")), amount_cents(typed), _reason(request)
    names = [request.POST.get(key, "").strip() for key in ("cabinet", "round")]
    cabinet, played = (number(name) for name in names)
    if not pool or not hit or cents is None or cents < 0 or not why or (typed and not seed):
        messages.error(request, gettext("Type the pool, the hit, what was paid, 0 for nothing, and a reason."))
    elif any(names) and not (cabinet and played):
        messages.error(request, gettext("Type the cabinet and the round of the slip, or neither."))
    else:
        lost = recovery.LostHit(pool, hit, cents * MILLI or None, seed * MILLI if seed else None, cabinet, played)
        by = account(request).username
        attempt(request, gettext("Stored."), lambda: recovery.write_off_hit(lost, why, by))
    return redirect("recovery")


@require_POST
def open_pools(request: HttpRequest) -> HttpResponse:
    """Open the pools; refused while a cabinet or hit is missing, a pool does not balance or the list is unconfirmed."""
    by, complete = account(request).username, request.POST.get("complete") == "1"
    done = attempt(request, gettext("The pools are open."), lambda: recovery.open_pools(by, complete=complete))
    return redirect("jackpots" if done else "recovery")


@require_POST
def settle(request: HttpRequest) -> HttpResponse:
    """Record the approved adjustment that settles a late claim."""
    given = [number(request.POST.get(key, "")) for key in ("cabinet", "epoch", "round", "number", "adjustment")]
    numbers = [one for one in given if one is not None]
    if len(numbers) != len(given):
        messages.error(request, gettext("Type the number of an approved adjustment of this pool."))
    else:
        cabinet, epoch, played, claimed, adjustment = numbers
        by = account(request).username
        attempt(
            request,
            gettext("Stored."),
            lambda: recovery.settle((cabinet, epoch, played, claimed), adjustment, by),
        )
    return redirect("recovery")
