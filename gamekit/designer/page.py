"""A designer's page: what `gamekit.designer.working_out` found, drawn; another version beside it where one is given."""

from collections.abc import Callable, Sequence
from html import escape

from gamekit import charts
from gamekit.bet_words import bet_words
from gamekit.catalogue import load
from gamekit.charts import Axis, Cell, Series
from gamekit.designer.comparing import Comparison
from gamekit.designer.figures import DesignSheet, Interval
from gamekit.designer.sensitivity import StripsChange, TableChange
from gamekit.par import WinBand
from gamekit.par_page import band_name, document, heading, highest, highest_bet, table, wins_and_bets
from gamekit.par_tables import Rows

_SECONDS = (2.5, 3.0, 5.0)
_MOST_STOPS = 12

Versions = Sequence[tuple[str, DesignSheet]]


def design_html(sheet: DesignSheet, other: Comparison | None = None) -> str:
    """Return the page of `sheet`, and what `other` differs in at its top."""
    par = sheet.par
    name = f"{load(par.game).title}, maths version {par.maths_version}"
    versions: list[tuple[str, DesignSheet]] = [("this version", sheet)]
    if other is not None and other.design is not None:
        versions.append((other.name, other.design))
    body = [
        *heading(par),
        "" if other is None else other.html(),
        _scope(sheet),
        highest(par),
        _parts(sheet, other),
        _wins(versions),
        _sessions(versions),
        _budget(versions),
        _hold(versions),
        _droughts(versions),
        _near_misses(sheet),
        _sensitivity(sheet),
        *wins_and_bets(par),
    ]
    return document(f"Designer's page: {name}", body)


def _scope(sheet: DesignSheet) -> str:
    state = f", memory {sheet.state}" if sheet.state else ""
    notes = "".join(f"<p>{escape(note)}</p>" for note in sheet.notes)
    return (
        f"<p>All plots but those of single tables are of the highest bet,"
        f" {bet_words(sheet.par.game, sheet.lines, sheet.coins_per_line)}{state}. A play is a paid spin with all the"
        " free spins and features that it brings; double and gamble are left out, a jackpot pool counts at its seed."
        f"</p>{notes}"
    )


def _parts(sheet: DesignSheet, other: Comparison | None) -> str:
    own = highest_bet(sheet.par).parts
    versions = [("this version", own)]
    if other is not None and other.par is not None:
        versions.append((other.name, highest_bet(other.par).parts))
    names = list(dict.fromkeys(name for _, parts in versions for name in parts))
    return "<h2>Return by part</h2>" + charts.bars_beside(
        "Return by part",
        names,
        [(name, [float(parts.get(part, 0)) for part in names]) for name, parts in versions],
        " %",
        "Percent of the bet; exact, from integers and fractions.",
    )


def _wins(versions: Versions) -> str:
    sheet = versions[0][1]
    wins = sheet.wins
    tails = [
        Series(
            name,
            [(point.bets, point.reached.chance) for point in of.wins.tail],
            [(p.bets, p.reached.low, p.reached.high or 0.0) for p in of.wins.tail if p.reached.low is not None],
        )
        for name, of in versions
    ]
    shares = [Series(name, [(p.bets, 100 * p.return_share) for p in of.wins.tail]) for name, of in versions]
    rows: Rows = [["a play wins", "chance %", "95 % interval", "returns % of the bet"]]
    for band in wins.bands:
        named = band_name(
            WinBand(above=band.above, up_to=band.up_to, ways=0, chance=band.chance.chance, return_percent=None)
        )
        rows.append([named, f"{100 * band.chance.chance:.6f}", _range(band.chance), f"{band.return_percent:.4f}"])
    odds = [
        ["one play in", *(f"{odds:,}" for odds in wins.one_in)],
        ["wins, in bets", *(f"{b:,.2f}" for b in wins.one_in.values())],
    ]
    return (
        "<h2>What a play wins</h2>"
        + charts.lines(
            "Chance to win so much or more",
            tails,
            Axis("win of one play, in bets", log=True),
            Axis("chance", log=True),
            _each(versions, lambda of: of.wins.how),
        )
        + charts.lines(
            "Return from wins of so much or more",
            shares,
            Axis("win of one play, in bets", log=True),
            Axis("% of the return"),
            _each(versions, lambda of: of.wins.how),
        )
        + table(rows)
        + table(odds)
    )


def _each(versions: Versions, said: Callable[[DesignSheet], str]) -> str:
    """Return what is said of each version, by its name where there are two."""
    if len(versions) == 1:
        text = said(versions[0][1])
        return f"{text[:1].upper()}{text[1:]}."
    return " ".join(f"{name}: {said(of)}." for name, of in versions)


def _table(versions: Versions, rows: Rows) -> str:
    """Return a table whose first column names the version, without it where there is one."""
    return table(rows if len(versions) > 1 else [row[1:] for row in rows])


def _sessions(versions: Versions) -> str:
    sheet = versions[0][1]
    drawn = "".join(
        charts.lines(
            f"Outcome of {session.plays:,} plays",
            [Series(name, [(x, 100 * y) for x, y in of.sessions[number].below]) for name, of in versions],
            Axis("won less staked, in bets"),
            Axis("% of sessions with so much or less"),
            _session_caption(versions, number),
        )
        for number, session in enumerate(sheet.sessions)
    )
    rows: Rows = [
        [
            "version",
            "plays",
            "ahead %",
            "95 % interval",
            "even %",
            "mean",
            *(f"{p} %" for p in sheet.sessions[0].quantiles),
        ]
    ]
    for name, of in versions:
        for session in of.sessions:
            figures = [f"{session.plays:,}", f"{100 * session.ahead.chance:.3f}", _range(session.ahead)]
            figures += [f"{100 * session.even:.3f}", f"{session.mean:.2f}"]
            rows.append([name, *figures, *(f"{value:,.1f}" for value in session.quantiles.values())])
    return (
        "<h2>Sessions</h2><p>What a player has won less staked after so many plays at one bet, in bets. Ahead is more"
        " than nothing; so many percent of sessions end with the amounts of the last columns or less.</p>"
        f"{_table(versions, rows)}{drawn}"
    )


def _session_caption(versions: Versions, number: int) -> str:
    def said(of: DesignSheet) -> str:
        plays = of.sessions[number].plays
        if of.wins.exact:
            return f"exact: the distribution of a play convolved {plays:,} times"
        return f"{of.rounds // plays:,} sessions of {of.rounds:,} rounds played, seed {of.seed}"

    return _each(versions, said)


def _budget(versions: Versions) -> str:
    sheet = versions[0][1]
    budget = sheet.budget
    head = ["version", "players whose budget is gone", "plays", *(f"at {seconds:g} s a play" for seconds in _SECONDS)]
    rows: Rows = [head]
    for name, of in versions:
        for percent, plays in of.budget.quantiles.items():
            if plays is None:
                rows.append([name, f"{percent} %", f"more than {of.budget.plays:,}", *(["-"] * len(_SECONDS))])
            else:
                times = (f"{plays * seconds / 60:.0f} min" for seconds in _SECONDS)
                rows.append([name, f"{percent} %", f"{plays:,}", *times])
        still = of.budget.all_plays
        rows.append(
            [name, f"plays {of.budget.plays:,} times or more", f"{100 * still.chance:.2f} %", _range(still), "", ""]
        )
    drawn = charts.lines(
        f"Time on device: how long {budget.budget_bets} bets last",
        [Series(name, [(plays, 100 * chance) for plays, chance in of.budget.lasting]) for name, of in versions],
        Axis("plays, every win played on with"),
        Axis("% of players still playing"),
        _each(
            versions,
            lambda of: (
                "exact, balance by balance from play to play"
                if of.wins.exact
                else f"{of.rounds // of.budget.plays:,} players in {of.rounds:,} rounds played, seed {of.seed}"
            ),
        ),
    )
    return f"<h2>Time on device</h2>{drawn}{_table(versions, rows)}"


def _hold(versions: Versions) -> str:
    drawn = charts.lines(
        "Return of so many plays, 90 % of the time",
        [_funnel(name, of) for name, of in versions],
        Axis("plays", log=True),
        Axis("return, %"),
        _each(versions, lambda of: f"the mean and 1.645 sigmas on each side, {of.hold_how}")
        + " Hold is 100 % less the return.",
    )
    rows: Rows = [["version", "plays", "return, 90 %", "return, 99 %", "hold, 90 %", "exact 90 % of the return"]]
    for name, of in versions:
        for band in of.hold:
            exact = "-" if band.exact_90 is None else f"{band.exact_90[0]:.3f} to {band.exact_90[1]:.3f}"
            rows.append(
                [
                    name,
                    f"{band.plays:,}",
                    f"{band.low_90:.3f} to {band.high_90:.3f}",
                    f"{band.low_99:.3f} to {band.high_99:.3f}",
                    f"{100 - band.high_90:.3f} to {100 - band.low_90:.3f}",
                    exact,
                ]
            )
    return (
        "<h2>Volatility: the return of so many plays</h2><p>The volatility index is 1.645 sigmas of one play, in bets"
        " (above); divided by the root of the plays it is the half-width of the 90 % band. Wins are far from normally"
        " distributed: for fewer plays the exact band, where it is known, is the true one.</p>"
        f"{drawn}{_table(versions, rows)}"
    )


def _funnel(name: str, sheet: DesignSheet) -> Series:
    """Return the mean and the 90 % band between the fewest plays and the most, whose band is symmetric."""
    fewest, most = sheet.hold[0].plays, sheet.hold[-1]
    mean, half = (most.high_90 + most.low_90) / 2, (most.high_90 - most.low_90) / 2
    plays = [fewest * (most.plays / fewest) ** (step / 24) for step in range(25)]
    halves = [(count, half * (most.plays / count) ** 0.5) for count in plays]
    return Series(
        name,
        [(count, mean) for count in plays],
        [(count, max(0.0, mean - width), mean + width) for count, width in halves],
    )


def _droughts(versions: Versions) -> str:
    sheet = versions[0][1]
    if not sheet.droughts:
        return ""
    percents = list(sheet.droughts[0].quantiles)
    plays = list(sheet.droughts[0].none_in)
    head = [
        "version",
        "feature",
        "one in",
        *(f"{p} % of waits, plays" for p in percents),
        *(f"none in {n:,}, %" for n in plays),
    ]
    rows: Rows = [[*head, "how"]]
    for name, of in versions:
        for one in of.droughts:
            waits = [f"{wait:,}" for wait in one.quantiles.values()]
            none = [f"{100 * chance:.4f}" for chance in one.none_in.values()]
            rows.append([name, one.name, f"{one.one_in:,.2f}", *waits, *none, one.how])
    nine = [(one.name, float(one.quantiles["90"])) for one in sheet.droughts]
    return (
        "<h2>Droughts</h2><p>How many paid plays pass until a feature comes: so many percent of waits are over after so"
        " many plays. Where plays are independent a wait has the geometric distribution of the exact chance.</p>"
        + charts.bars_beside(
            "Nine of ten waits are over after so many plays",
            [name for name, _ in nine],
            [("this version", [wait for _, wait in nine])],
            " plays",
            "; ".join(dict.fromkeys(f"{one.name}: {one.how}" for one in sheet.droughts)) + ".",
        )
        + _table(versions, rows)
    )


def _near_misses(sheet: DesignSheet) -> str:
    if not sheet.near_misses:
        return ""
    rows: Rows = [["feature", "needs", "met, one in", "one less, one in", "misses for each met", "suspense, one in"]]
    for one in sheet.near_misses:
        rows.append(
            [
                one.name,
                one.needs,
                _one_in(one.met),
                _one_in(one.missed),
                f"{one.missed / one.met:.2f}" if one.met else "-",
                "-" if one.suspense is None else _one_in(one.suspense),
            ]
        )
    return (
        "<h2>Near misses</h2><p>One less is a paid spin that shows one symbol too few; suspense is one less before the"
        " last reel that can bring another stops. Strips are as they are played: nothing is shown that was not"
        " drawn.</p>"
        + charts.bars_beside(
            "Paid spins that show one less than a feature needs",
            [one.name for one in sheet.near_misses],
            [
                ("one less", [100 * one.missed for one in sheet.near_misses]),
                ("enough", [100 * one.met for one in sheet.near_misses]),
            ],
            " %",
            "Exact, from the strips.",
        )
        + table(rows)
    )


def _sensitivity(sheet: DesignSheet) -> str:
    found = sheet.sensitivity
    if not found.strips and not found.tables:
        return ""
    return (
        "<h2>Sensitivity of the return</h2><p>What one change does to the return of the highest bet, in percentage"
        " points; all else stays. Exact: each change is worked out by the game's maths with the changed strip or"
        " weight.</p>" + "".join(map(_strips, found.strips)) + "".join(map(_weights, found.tables))
    )


def _strips(one: StripsChange) -> str:
    left_out = f"<p>{escape(one.name)}: left out: {escape(one.left_out)}.</p>" if one.left_out else ""
    if not one.stops:
        return left_out
    reels = sorted({stop.reel for stop in one.stops})
    rows = [
        (
            f"reel {reel + 1}",
            [
                Cell(stop.symbol[:2], stop.removed, _hint(stop.reel, stop.stop, stop.symbol, stop.removed))
                for stop in one.stops
                if stop.reel == reel
            ],
        )
        for reel in reels
    ]
    changes = [
        (stop.reel, stop.stop, stop.symbol, symbol, change)
        for stop in one.stops
        for symbol, change in stop.replaced.items()
        if change
    ]
    most = sorted(changes, key=lambda change: -abs(change[4]))[:_MOST_STOPS]
    least = sorted(changes, key=lambda change: abs(change[4]))[:_MOST_STOPS]
    drawn = charts.heat(
        f"{one.name}: each stop removed",
        rows,
        " points",
        f"Exact, in {one.seconds:.0f} s of the processor. Stops from left to right, from 0.",
    )
    if not changes:
        return drawn + left_out
    head = ["reel", "stop", "symbol", "replaced by", "change, points"]
    return (
        f"{drawn}{left_out}<p>The replacements that change it most, then those that change it least, for the last"
        " digits:</p>"
        + "".join(
            table([head, *([str(r + 1), str(s), old, new, f"{change:+.6f}"] for r, s, old, new, change in some)])
            for some in (most, least)
        )
    )


def _hint(reel: int, stop: int, symbol: str, change: float | None) -> str:
    return f"reel {reel + 1}, stop {stop}, {symbol}: " + ("refused" if change is None else f"{change:+.6f} points")


def _weights(one: TableChange) -> str:
    if one.left_out:
        return f"<p>{escape(one.name)}: left out: {escape(one.left_out)}.</p>"
    rows = [["amount", "weight", "one more, points"]]
    rows += [[w.amount, str(w.weight), "refused" if w.change is None else f"{w.change:+.8f}"] for w in one.weights]
    return f"<h3>{escape(one.name)}</h3>{table(rows)}"


def _range(chance: Interval) -> str:
    return (
        "exact" if chance.low is None or chance.high is None else f"{100 * chance.low:.4f} to {100 * chance.high:.4f}"
    )


def _one_in(chance: float) -> str:
    return f"{1 / chance:,.2f}" if chance else "never"
