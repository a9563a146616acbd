"""Views for events, alarms, alarm rules and channels."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from venue.page import delivery
from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.audit import act
from venue.page.cabinet_words import sought
from venue.page.channel_form import ChannelForm
from venue.page.models import Channel
from venue.page.paging import paged
from venue.page.periods import chosen, number
from venue.page.queries import acting, alarms, events
from venue.page.queries import money as cabinets
from venue.page.rule_form import RuleForm


def listed(request: HttpRequest) -> HttpResponse:
    """Show the open alarms, and events filtered by cabinet, code, text and day."""
    period = chosen(request, 7)
    text = request.GET.get("text", "").strip()[:100]
    wanted = events.Wanted(number(request.GET.get("cabinet", "")), request.GET.get("code", "")[:60], text, sought(text))
    found = paged(request, lambda *cut: events.found(wanted, period.begins, period.ends, *cut))
    return render(
        request,
        "page/events.html",
        {
            "alarms": alarms.still_open(),
            "wanted": wanted,
            "short_days": events.SHORT.days if wanted.is_short else 0,
            "period": period,
            "codes": events.codes(),
            "cabinets": cabinets.cabinets(),
            **found,
        },
    )


def open_alarms(request: HttpRequest) -> HttpResponse:
    """Return only the open alarms; the page polls them every few seconds."""
    return render(request, "page/alarms.html", {"alarms": alarms.still_open()})


def past_alarms(request: HttpRequest) -> HttpResponse:
    """Show alarms that are over."""
    return render(request, "page/past_alarms.html", paged(request, alarms.past))


@require_POST
def acknowledge(request: HttpRequest, number: int) -> HttpResponse:
    """Acknowledge an alarm; after that no more messages about it are sent."""
    if alarms.one(number) is None:
        raise Http404
    by, remark = account(request).username, request.POST.get("remark", "")[:500]
    attempt(request, "", lambda: acting.acknowledge(number, by, remark))
    return (
        render(request, "page/alarms.html", {"alarms": alarms.still_open()})
        if request.headers.get("HX-Request")
        else redirect("events")
    )


def rules(request: HttpRequest) -> HttpResponse:
    """Show the alarm rules, the channels and the newest messages."""
    return render(
        request,
        "page/rules.html",
        {
            "rules": alarms.rules(),
            "channels": Channel.objects.all(),
            "sent": alarms.messages(),
        },
    )


def rule(request: HttpRequest, code: str) -> HttpResponse:
    """Show and change one alarm rule."""
    found = next((one for one in alarms.rules() if one["code"] == code), None)
    if found is None:
        raise Http404
    form = RuleForm(request.POST or None, initial=found)
    if request.method == "POST" and form.is_valid():
        acting.change_rule(code, form.cleaned_data, account(request).username)
        messages.success(request, gettext("Stored."))
        return redirect("rules")
    return render(request, "page/rule.html", {"form": form, "rule": found})


def channel(request: HttpRequest, number: int = 0) -> HttpResponse:
    """Add a channel or change one."""
    known = get_object_or_404(Channel, pk=number) if number else None
    form = ChannelForm(request.POST or None, instance=known)
    if request.method == "POST" and form.is_valid():
        stored = form.save()
        act(request, "channel changed" if known else "channel added", channel=stored.name)
        messages.success(request, gettext("Stored."))
        return redirect("rules")
    return render(request, "page/channel.html", {"form": form, "channel": known})


@require_POST
def try_channel(request: HttpRequest, number: int) -> HttpResponse:
    """Send a test message to a channel."""
    known = get_object_or_404(Channel, pk=number)
    act(request, "channel tried", channel=known.name)
    words = gettext("A test of this channel. No alarm.")
    error = delivery.send(known.address, delivery.Message(0, settings.CONFIG.name, words, "info"))
    if error:
        messages.error(request, gettext("Not sent: %(error)s") % {"error": error})
    else:
        messages.success(request, gettext("Sent."))
    return redirect("rules")


@require_POST
def drop_channel(request: HttpRequest, number: int) -> HttpResponse:
    """Remove a channel."""
    known = get_object_or_404(Channel, pk=number)
    act(request, "channel removed", channel=known.name)
    known.delete()
    return redirect("rules")
