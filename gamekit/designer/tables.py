"""Every plot's figures as one CSV, for other programs; the JSON is the `DesignSheet` itself."""

import csv
import io
from collections.abc import Iterator

from gamekit.designer.figures import DesignSheet, Interval
from gamekit.par_page import highest_bet

_HEAD = ("plot", "series", "x", "y", "low", "high")

Row = tuple[str, str, object, object, object, object]


def design_csv(sheet: DesignSheet) -> str:
    """Return a row for each point of each plot; `low` and `high` are empty where a figure is exact."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["game", "maths_version", "maths_hash", *_HEAD])
    identity = (sheet.par.game, sheet.par.maths_version, sheet.par.maths_hash)
    for row in _rows(sheet):
        writer.writerow([*identity, *("" if value is None else value for value in row)])
    return out.getvalue()


def _rows(sheet: DesignSheet) -> Iterator[Row]:
    for part, share in highest_bet(sheet.par).parts.items():
        yield ("return by part, %", part, None, share, None, None)
    for point in sheet.wins.tail:
        yield ("chance to win so many bets or more", "", point.bets, *_known(point.reached))
        yield ("share of the return from such wins", "", point.bets, point.return_share, None, None)
    for band in sheet.wins.bands:
        yield ("chance of a band of wins", f"up to {band.up_to} bets", band.above, *_known(band.chance))
        yield ("return of a band of wins, %", f"up to {band.up_to} bets", band.above, band.return_percent, None, None)
    yield from _sessions(sheet)
    yield from _waits(sheet)
    yield from _changes(sheet)


def _sessions(sheet: DesignSheet) -> Iterator[Row]:
    for session in sheet.sessions:
        name = f"{session.plays} plays"
        yield ("chance to end ahead", name, session.plays, *_known(session.ahead))
        for outcome, below in session.below:
            yield ("outcome of a session, bets: share with so much or less", name, outcome, below, None, None)
    for plays, chance in sheet.budget.lasting:
        yield (f"{sheet.budget.budget_bets} bets last so many plays", "", plays, chance, None, None)
    for hold in sheet.hold:
        yield ("return of so many plays, 90 %", "", hold.plays, None, hold.low_90, hold.high_90)
        yield ("return of so many plays, 99 %", "", hold.plays, None, hold.low_99, hold.high_99)
        if hold.exact_90 is not None:
            yield ("return of so many plays, exact 90 %", "", hold.plays, None, *hold.exact_90)


def _waits(sheet: DesignSheet) -> Iterator[Row]:
    for drought in sheet.droughts:
        for percent, wait in drought.quantiles.items():
            yield ("waits are over after so many plays", drought.name, f"{percent} %", wait, None, None)
        for plays, chance in drought.none_in.items():
            yield ("none in so many plays", drought.name, plays, chance, None, None)
    for miss in sheet.near_misses:
        yield ("enough for a feature", miss.name, miss.needs, miss.met, None, None)
        yield ("one less than a feature needs", miss.name, miss.needs, miss.missed, None, None)


def _changes(sheet: DesignSheet) -> Iterator[Row]:
    for strips in sheet.sensitivity.strips:
        for stop in strips.stops:
            place = f"reel {stop.reel + 1} stop {stop.stop} {stop.symbol}"
            yield ("stop removed, points of return", strips.name, place, stop.removed, None, None)
            for symbol, change in stop.replaced.items():
                yield ("stop replaced, points of return", f"{strips.name} by {symbol}", place, change, None, None)
    for table in sheet.sensitivity.tables:
        for weight in table.weights:
            yield ("one more of a weight, points of return", table.name, weight.amount, weight.change, None, None)


def _known(chance: Interval) -> tuple[float, float | None, float | None]:
    return chance.chance, chance.low, chance.high
