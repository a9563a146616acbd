"""The cashier's desk: look up and pay tickets, print slips, approve proposals, show daily totals."""

import re
import secrets

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.paging import paged
from venue.page.periods import amount_cents, chosen
from venue.page.periods import number as number_typed
from venue.page.queries import money, tickets
from venue.page.queries.rows import Row

DAYS = 31
ANSWERS: dict[str, str | Promise] = {
    "redeemed": _("This ticket was redeemed before. Do not pay it."),
    "void": _("This ticket is void. Do not pay it."),
    "held": _("A cabinet holds this ticket: it is being put in, or somebody looks for it."),
    "expired": _("This ticket has expired."),
    "unknown": _("No cabinet has reported this ticket. Is its cabinet linked? Compare the number."),
    "recovering": _("The venue recovers: no ticket is paid until the pools are opened."),
    "other_amount": _("The amount has changed: look at the ticket again."),
    "wait": _("Too many unknown numbers: wait ten minutes."),
}
"""Explanations why a ticket is not paid, by state or answer."""
ACTS = ("void", "reopen", "extend", "enter")
_TONES = {"open": "good", "expired": "look", "held": "look"}


def typed(text: str) -> str:
    """Return the 18 digits of a typed or scanned ticket number; "" if it is not a ticket number."""
    digits = re.sub(r"[\s-]", "", text)
    return digits if re.fullmatch(r"[0-9]{18}", digits) else ""


def listed(request: HttpRequest) -> HttpResponse:
    """Show the desk: an input for a number, pending proposals, and open tickets with the last digits of each number."""
    cabinet = number_typed(request.GET.get("cabinet", ""))
    digits = re.sub(r"[^0-9]", "", request.GET.get("digits", ""))[-tickets.SHOWN :]
    found = paged(request, lambda limit, offset: tickets.still_open(digits, cabinet, limit, offset))
    return render(
        request,
        "page/tickets.html",
        {
            "digits": digits,
            "cabinet": cabinet,
            "cabinets": money.cabinets(),
            "liability": tickets.liability(),
            "proposals": tickets.proposals(),
            "trouble": tickets.trouble(),
            "recovering": tickets.recovering(),
            **found,
        },
    )


@require_POST
def look_up(request: HttpRequest) -> HttpResponse:
    """Show the state of a ticket that was handed in, found by its whole number; it can be paid here.

    The number is posted, because in a URL it would appear in logs and in the browser's history. After too many unknown
    numbers the user must wait.
    """
    number = typed(request.POST.get("number", ""))
    if not number:
        messages.error(request, gettext("A ticket's number has 18 digits."))
        return redirect("tickets")
    answer = tickets.look_up(number, account(request).username, presented=True)
    return _shown(request, number, answer, None if answer == "wait" else tickets.one(number), presented=True)


def ticket(request: HttpRequest, serial: int) -> HttpResponse:
    """Show a ticket chosen from a list; it cannot be paid here, since paying requires the whole number."""
    found = tickets.listed(serial)
    if found is None:
        raise Http404
    return _shown(request, found["number"], found["worth"], found, presented=False)


def _shown(request: HttpRequest, number: str, answer: str, found: Row | None, *, presented: bool) -> HttpResponse:
    by = account(request).username
    just_paid = found is not None and found["paid_by"] == by and "paid" in request.GET
    is_open = answer == "open" and not tickets.recovering()
    return render(
        request,
        "page/ticket.html",
        {
            "number": number,
            "presented": presented,
            "found": found,
            "answer": answer,
            "words": ""
            if just_paid
            else ANSWERS.get("recovering" if answer == "open" and tickets.recovering() else answer, ""),
            "tone": "good" if just_paid else _TONES.get(answer, "stop"),
            "payable": is_open and presented,
            "handed_in": is_open and not presented,
            "proposal": tickets.proposal_of(number),
            "acts": _fitting(answer),
            "key": secrets.token_hex(16),
        },
    )


def _fitting(answer: str) -> list[tuple[str, str]]:
    """Return the actions that may be proposed for a ticket in the state `answer`, with their labels."""
    words = {
        "void": gettext("Void it: nobody is to be paid"),
        "reopen": gettext("Open it again: its holder will never report"),
        "extend": gettext("Pay it although it has expired: one more day"),
        "enter": gettext("Enter it: the paper is genuine, and its cabinet's books are lost"),
    }
    fits = {"open": ("void",), "expired": ("extend", "void"), "held": ("reopen", "void"), "unknown": ("enter",)}
    return [(act, words[act]) for act in fits.get(answer, ())]


@require_POST
def pay(request: HttpRequest) -> HttpResponse:
    """Pay a ticket in cash; sending the form again does not pay it twice."""
    number, key = typed(request.POST.get("number", "")), request.POST.get("key", "")
    cents = number_typed(request.POST.get("cents", ""))
    if not number or not cents or not re.fullmatch(r"[0-9a-f]{32}", key):
        messages.error(request, gettext("Look at the ticket again before you pay it."))
        return redirect("tickets")
    answers: list[str] = []

    def call() -> None:
        answer, _payment = tickets.pay(number, cents, key, account(request).username)
        answers.append(answer)

    attempt(request, "", call)
    for answer in answers:
        if answer == "paid":
            messages.success(request, gettext("Paid. Keep the ticket in the till."))
            return redirect(f"{_address(number)}?paid")
        messages.error(request, str(ANSWERS.get(answer, answer)))
    return redirect(_address(number))


def _address(number: str) -> str:
    """Return the URL of a ticket's page, or of the desk if the ticket is unknown."""
    found = tickets.one(number)
    return reverse("tickets") if found is None else reverse("ticket", args=[found["serial"]])


@require_POST
def slip(request: HttpRequest, number: int) -> HttpResponse:
    """Show the printable slip of a payment; every slip after the first is marked as a copy."""
    found = tickets.payment(number)
    if found is None:
        raise Http404
    count = tickets.count_slip(number, account(request).username)
    return render(request, "page/ticket_slip.html", {"payment": found, "copy": count - 1})


@require_POST
def propose(request: HttpRequest) -> HttpResponse:
    """Propose an action that needs two people: void, open again, extend an expired ticket, or enter an unknown one.

    The ticket is identified by its serial number, or by its whole number if it was handed in and is unknown.
    """
    act, why = request.POST.get("act", ""), request.POST.get("reason", "").strip()[:500]
    cents, serial = amount_cents(request.POST.get("amount", "")), number_typed(request.POST.get("serial", ""))
    found = None if serial is None else tickets.listed(serial)
    number = typed(request.POST.get("number", "")) if found is None else str(found["number"])
    if not number or act not in ACTS or not why or (act == "enter" and (cents is None or cents <= 0)):
        messages.error(request, gettext("A reason is needed, and the printed amount of a ticket that is entered."))
    else:
        by = account(request).username
        done = gettext("Proposed. A second person must approve it.")
        attempt(request, done, lambda: tickets.propose(act, number, cents if act == "enter" else None, why, by))
    return redirect(_address(number))


@require_POST
def decide(request: HttpRequest, number: int) -> HttpResponse:
    """Approve or reject a proposal of another person."""
    approve, by = request.POST.get("decision") == "approve", account(request).username
    done = gettext("Approved.") if approve else gettext("Rejected.")
    attempt(request, done, lambda: tickets.decide(number, by, approve=approve))
    return redirect("tickets")


@require_POST
def enter_paid(request: HttpRequest) -> HttpResponse:
    """Enter a ticket that was paid after the backup, from its paper; allowed only while the venue is recovering."""
    number, cents = typed(request.POST.get("number", "")), amount_cents(request.POST.get("amount", ""))
    why, by = request.POST.get("reason", "").strip()[:500], account(request).username
    if not number or cents is None or cents <= 0 or not why:
        messages.error(request, gettext("Type the ticket's number, its amount, and a reason."))
    else:
        attempt(request, gettext("Stored."), lambda: tickets.enter_paid(number, cents, why, by))
    return redirect("tickets")


def days(request: HttpRequest) -> HttpResponse:
    """Show the ticket totals of each day, including the liability for open tickets."""
    period = chosen(request, DAYS)
    found = tickets.days(period.since, period.until)
    return render(
        request,
        "page/ticket_days.html",
        {"period": period, "days": list(reversed(found)), "query": request.GET.urlencode()},
    )
