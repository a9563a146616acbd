"""Views for disputed rounds: request a round by number and show it as the player saw it.

The display's own code draws the pictures (`venue.page.redrawing`).
"""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from venue.page import redrawing
from venue.page.access import account
from venue.page.paging import paged
from venue.page.periods import number as typed_number
from venue.page.queries import acting, floor, offers
from venue.page.queries import money as cabinets


def listed(request: HttpRequest) -> HttpResponse:
    """Show the request form and the requested rounds."""
    return render(
        request,
        "page/rounds.html",
        {
            "cabinets": cabinets.cabinets(),
            "cabinet": typed_number(request.GET.get("cabinet", "")),
            "round": typed_number(request.GET.get("round", "")),
            **paged(request, offers.wanted),
        },
    )


@require_POST
def ask(request: HttpRequest) -> HttpResponse:
    """Request a round's record from a cabinet."""
    cabinet, wanted = (typed_number(request.POST.get(key, "")) for key in ("cabinet", "round"))
    if not cabinet or not wanted or floor.status(cabinet) is None:
        messages.error(request, gettext("Choose a cabinet and type a round's number."))
        return redirect("rounds")
    redrawing.forget_failure(cabinet, wanted)
    acting.want_round(cabinet, wanted, account(request).username)
    return redirect("round", cabinet, wanted)


def one(request: HttpRequest, cabinet: int, number: int) -> HttpResponse:
    """Show a round's record and pictures; the page polls until both are there."""
    found = offers.record(cabinet, number)
    if found is None:
        raise Http404
    if request.method == "POST":
        redrawing.forget_failure(cabinet, number)
        return redirect("round", cabinet, number)
    pictures = None
    if found["record"] is not None:
        pictures = redrawing.pictures(cabinet, number, found["record"])
    context = {"found": found, "pictures": pictures, "record": found["record"] or {}}
    return render(request, "page/round_state.html" if request.headers.get("HX-Request") else "page/round.html", context)


def picture(request: HttpRequest, cabinet: int, number: int, name: str) -> HttpResponse:  # noqa: ARG001 - signature of a view
    """Return one picture of a round."""
    path = redrawing.picture(cabinet, number, name)
    if path is None:
        raise Http404
    return HttpResponse(path.read_bytes(), content_type="image/png")
