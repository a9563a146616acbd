"""Views for jackpot pools: values, contributions, hits, proposals that need two people, and the public wall."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from gamekit.catalogue import load, names
from venue.page.access import account
from venue.page.attempts import attempt
from venue.page.paging import paged
from venue.page.periods import amount_cents
from venue.page.periods import number as number_typed
from venue.page.queries import acting, jackpots, recovery
from venue.page.queries.rows import Row
from venue.page.words import game

MILLI = 1000
COINS = (1, 2, 5, 10, 20, 25, 50, 100, 200)
"""Coin values in cents that a new pool may have."""


def listed(request: HttpRequest) -> HttpResponse:
    """Show every pool with its value, the newest hits and the adjustments."""
    fragment = request.headers.get("HX-Request")
    pools = jackpots.values()
    if fragment:
        return render(request, "page/pools.html", {"pools": pools})
    return render(
        request,
        "page/jackpots.html",
        {
            "pools": pools,
            "recovering": recovery.running() is not None or bool(recovery.late_claims()),
            "hits": jackpots.hits(None, 25, 0),
            "adjustments": jackpots.adjustments(),
            "games": [one for one in names() if load(one).pool],
            "coins": COINS,
        },
    )


def pool(request: HttpRequest, number: int) -> HttpResponse:
    """Show one pool: contributions, hits with the proof of their sum, adjustments, pending proposals."""
    found = jackpots.value(number)
    if found is None:
        raise Http404
    proof = jackpots.proof(number)
    whole = proof is not None and (
        proof["taken"] + proof["adjusted"] + proof["lost"] == found["base"]
        and proof["hits"] + proof["lost_hits"] == found["hits"]
        and (proof["least_over_seed"] or 0) >= 0
    )
    return render(
        request,
        "page/pool.html",
        {
            "pool": found,
            "proof": proof,
            "whole": whole,
            "rule": _rule(found),
            "as_ruled": _rule(found) in ((found["seed"], found["rate_per_mille"]), None),
            "proposed": jackpots.proposed_terms(number),
            "contributions": jackpots.contributions(number),
            "removals": jackpots.proposed_removals(number),
            "adjustments": jackpots.adjustments(number),
            **paged(request, lambda *cut: jackpots.hits(number, *cut)),
        },
    )


@require_POST
def propose(request: HttpRequest, number: int) -> HttpResponse:
    """Propose an adjustment; it changes nothing until a second person approves it."""
    if jackpots.value(number) is None:
        raise Http404
    cents = amount_cents(request.POST.get("amount", ""))
    reason = request.POST.get("reason", "").strip()[:500]
    if not cents or not reason:
        messages.error(
            request,
            gettext("An amount other than 0, as 1234.50, and a reason are needed: 1.234 could be read in two ways."),
        )
    else:
        acting.propose_adjustment(number, cents * MILLI, reason, account(request).username)
        messages.success(request, gettext("Proposed. A second person must approve it."))
    return redirect("pool", number)


@require_POST
def decide(request: HttpRequest, number: int) -> HttpResponse:
    """Approve or reject an adjustment that another person has proposed."""
    approve, by = request.POST.get("decision") == "approve", account(request).username
    done = gettext("Approved.") if approve else gettext("Rejected.")
    attempt(request, done, lambda: acting.decide_adjustment(number, by, approve=approve))
    return redirect("jackpots")


@require_POST
def terms(request: HttpRequest, number: int) -> HttpResponse:
    """Propose the seed and rate of the game's rules from the next hit on; the game's screen states those values."""
    found = jackpots.value(number)
    rule = None if found is None else _rule(found)
    if rule is None:
        raise Http404
    seed, rate = rule
    done = gettext("Proposed. A second person must approve it.")
    attempt(request, done, lambda: acting.propose_terms(number, seed, rate, account(request).username))
    return redirect("pool", number)


@require_POST
def decide_terms(request: HttpRequest, number: int) -> HttpResponse:
    """Approve or reject terms that another person has proposed for a pool."""
    waiting = jackpots.proposed_terms(number)
    if waiting is None:
        raise Http404
    approve, by = request.POST.get("decision") == "approve", account(request).username
    done = gettext("Approved.") if approve else gettext("Rejected.")
    attempt(request, done, lambda: acting.decide_terms(waiting["proposal"], by, approve=approve))
    return redirect("pool", number)


@require_POST
def remove(request: HttpRequest, number: int) -> HttpResponse:
    """Propose to remove a cabinet from a pool; nothing changes until a second person approves it."""
    cabinet, why = number_typed(request.POST.get("cabinet", "")), request.POST.get("reason", "").strip()[:500]
    if not cabinet or not why:
        messages.error(request, gettext("Choose a cabinet and type a reason."))
    else:
        done, by = gettext("Proposed. A second person must approve it."), account(request).username
        attempt(request, done, lambda: acting.propose_removal(number, cabinet, why, by))
    return redirect("pool", number)


@require_POST
def decide_removal(request: HttpRequest, number: int, removal: int) -> HttpResponse:
    """Approve or reject the removal of a cabinet that another person has proposed."""
    approve, by = request.POST.get("decision") == "approve", account(request).username
    done = gettext("Approved.") if approve else gettext("Rejected.")
    attempt(request, done, lambda: acting.decide_removal(removal, by, approve=approve))
    return redirect("pool", number)


def _rule(pool: Row) -> tuple[int, int] | None:
    """Return seed (1/1000 cent) and rate per mille from the game's rules; None if this program lacks the game."""
    rule = load(pool["game"]).pool if pool["game"] in names() else None
    return None if rule is None else (rule.seed_coins * pool["coin"] * MILLI, rule.growth_per_mille)


@require_POST
def shut(request: HttpRequest, number: int) -> HttpResponse:
    """Close or open a pool; while it is closed, its games start no rounds."""
    reason, closed = request.POST.get("reason", "").strip()[:500], request.POST.get("closed") == "1"
    if not reason:
        messages.error(request, gettext("A reason is needed."))
    else:
        by = account(request).username
        attempt(request, gettext("Stored."), lambda: acting.close_pool(number, reason, by, closed=closed))
    return redirect("pool", number)


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Create a pool for a game and a coin value, with the seed and rate of the game's rules."""
    name, coin = request.POST.get("game", ""), number_typed(request.POST.get("coin", ""))
    rule = load(name).pool if name in names() else None
    if rule is None or not coin:
        messages.error(request, gettext("Choose a game with a jackpot and a coin value."))
        return redirect("jackpots")
    seed, rate, by = rule.seed_coins * coin * MILLI, rule.growth_per_mille, account(request).username
    attempt(request, gettext("Stored."), lambda: acting.add_pool(name, coin, seed, rate, by))
    return redirect("jackpots")


@require_safe
def wall(request: HttpRequest) -> HttpResponse:
    """Show the pools on a public wall screen, largest first; a recovering pool shows no value."""
    pools = [one for one in jackpots.values() if one["state"] != "closed"]
    pools.sort(key=lambda one: -one["amount"])
    return render(request, "page/wall.html", {"pools": pools})


@require_safe
@cache_control(max_age=1)
def wall_values(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - signature of a view
    """Return the values that the wall shows as JSON; a recovering pool's value is null."""
    pools = [
        {
            "pool": one["pool"],
            "game": game(one["game"]),
            "coin": one["coin"],
            "cents": one["amount"] // MILLI if one["state"] == "open" else None,
        }
        for one in jackpots.values()
        if one["state"] != "closed"
    ]
    return JsonResponse({"currency": settings.CONFIG.currency, "pools": pools})
