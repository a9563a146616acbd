"""Views for software and settings: upload once, offer to one cabinet, then to the rest.

The page only offers; each cabinet decides when it installs.
"""

import hashlib
import tomllib

from django.contrib import messages
from django.core.files import File
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.audit import act
from venue.page.paging import paged
from venue.page.periods import number as number_typed
from venue.page.queries import acting, floor, offers

PART = 1 << 20
LARGEST_SETTINGS = 256 * 1024
MOST_AT_ONCE = 50
KINDS = ("bundle", "settings")


def listed(request: HttpRequest) -> HttpResponse:
    """Show the software versions in use and all offers."""
    return render(request, "page/software.html", {"versions": offers.versions(), **paged(request, offers.newest)})


def one(request: HttpRequest, number: int) -> HttpResponse:
    """Show one offer with its cabinets; for a draft, the form that starts the offer."""
    found = offers.one(number)
    if found is None:
        raise Http404
    context = {"offer": found, "to": offers.cabinets(number)}
    if request.headers.get("HX-Request"):
        return render(request, "page/offer_state.html", context)
    return render(request, "page/offer.html", {**context, "cabinets": floor.statuses(), "most": MOST_AT_ONCE})


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Store an uploaded bundle or settings template in parts as a draft; the audit log gets its SHA-256."""
    given, kind = request.FILES.get("file"), request.POST.get("kind", "")
    if given is None or kind not in KINDS:
        messages.error(request, gettext("Choose a file and its kind."))
        return redirect("software")
    wrong = _wrong(given, kind)
    if wrong:
        messages.error(request, wrong)
        return redirect("software")
    name = "".join(one for one in (given.name or "") if one.isprintable())[-120:] or kind
    number = acting.new_offer(kind, name, account(request).username)
    digest = hashlib.sha256()
    for part in given.chunks(PART):
        digest.update(part)
        acting.add_part(number, bytes(part))
    act(request, "uploaded", offer=number, kind=kind, name=name, size=given.size, sha256=digest.hexdigest())
    return redirect("offer", number)


def _wrong(given: "File[bytes]", kind: str) -> str:
    """Return why a file cannot be offered, "" if it can; only the cabinet verifies a bundle's signature."""
    if not given.size:
        return gettext("The file is empty.")
    if kind == "bundle":
        return "" if str(given.name).endswith(".cabinet") else gettext("A bundle's name ends with .cabinet.")
    if given.size > LARGEST_SETTINGS:
        return gettext("A template of settings has at most 256 KiB.")
    try:
        tomllib.loads(given.read().decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not text, not TOML, a number of 5,000 digits, or too deeply nested
        return gettext("A template of settings is a TOML file; this is none.")
    given.seek(0)
    return ""


@require_POST
def start(request: HttpRequest, number: int) -> HttpResponse:
    """Offer a draft to the chosen cabinets, first to one alone."""
    found = offers.one(number)
    if found is None:
        raise Http404
    known = {row["cabinet"] for row in floor.statuses()}
    chosen = [one for one in map(number_typed, request.POST.getlist("cabinet")) if one is not None]
    first = request.POST.get("first", "")
    chosen = sorted({one for one in chosen if one in known}, key=lambda one: (str(one) != first, one))
    at_once = number_typed(request.POST.get("at_once", "5"))
    if not chosen or at_once is None or not 1 <= at_once <= MOST_AT_ONCE:
        messages.error(request, gettext("Choose at least one cabinet."))
        return redirect("offer", number)
    done = gettext("Offered. Each cabinet takes it when it is idle, and proves it itself.")
    by = account(request).username
    attempt(request, done, lambda: acting.start_offer(number, offers.digest(number), chosen, at_once, by))
    return redirect("offer", number)


@require_POST
def stop(request: HttpRequest, number: int) -> HttpResponse:
    """Stop an offer: no further cabinet gets it."""
    by = account(request).username
    attempt(request, "", lambda: acting.stop_offer(number, by))
    return redirect("offer", number)
