"""The floor view: a tile for each cabinet, with those that need a person first."""

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from venue.page.queries import floor
from venue.page.tiles import tile


def show(request: HttpRequest) -> HttpResponse:
    """Show the tiles, all or of one tone; htmx polls them every second with the same filter."""
    tiles = sorted((tile(row) for row in floor.statuses()), key=lambda one: one.rank)
    tally = Counter(one.tone for one in tiles)
    only = request.GET.get("only", "")
    if only in tally:
        tiles = [one for one in tiles if one.tone == only]
    template = "page/tiles.html" if request.headers.get("HX-Request") else "page/floor.html"
    return render(request, template, {"tiles": tiles, "tally": tally, "only": only, "total": sum(tally.values())})
