"""The PAR sheet as a page to print and as a table for other programs."""

import csv
import io
from collections.abc import Iterable
from html import escape

from gamekit import par_tables, plots
from gamekit.agreement import PartReport, Report, TriggerReport
from gamekit.bet_words import bet_words, ways_in, wins_of
from gamekit.catalogue import load
from gamekit.par import BetSheet, ParSheet, SpinWinsSheet, WinBand, round_bands
from gamekit.par_style import STYLE
from gamekit.par_tables import Rows

_UNITS = (
    "Exact figures are from integers and fractions. Wins are in coins, sigma and the volatility index in whole bets;"
    " parts are percent of the bet."
)

PRIZES_READ = (
    "A line hits once, with its highest win. What is on lines or ways pays coins for each coin on the line, a scatter"
    " times the whole bet; what pays 0 starts a feature or wins a jackpot. On ways each way is a hit, in the window"
    " that the stops show; scatters are those of the last window. One in so many spins is a mean: several lines may hit"
    " at once."
)

# Larger odds are written with an exponent.
_MOST_DIGITS = 10**12


def _head(sheet: ParSheet) -> list[str]:
    bet = sheet.bets[0]
    columns = [
        "stake",
        "lines",
        "coins_per_line",
        "price",
        "state",
        "rtp_percent",
        "rtp_with_growth_percent",
        "own_rtp_percent",
    ]
    figures = ["hit_frequency", "above_bet", "sigma", "volatility_index_90", "max_win", "max_win_odds_exact"]
    figures += ["win_up_to", "win_up_to_one_in"]
    return [*columns, *(f"{name} %" for name in bet.parts), *figures, *(f"trigger {name}" for name in _triggers(sheet))]


def band_name(band: WinBand) -> str:
    """Return what a band of wins is called."""
    if band.up_to is None:
        return f"above {band.above} bets"
    return "nothing" if band.above is None else f"up to {band.up_to} bet{'s' if band.up_to > 1 else ''}"


def _played_head(sheet: ParSheet) -> list[str]:
    """Return the CSV's columns for the simulation, or none without one."""
    if sheet.played is None:
        return []
    figures = ("simulated", "low", "high", "events", "counted", "inside")
    parts = [f"{figure} {part.name}" for part in sheet.played.parts for figure in figures]
    counts = ("events", "expected", "low", "high", "inside")
    parts += [f"trigger {figure} {trigger.name}" for trigger in sheet.played.triggers for figure in counts]
    return ["rounds", "seed", *parts, *(f"rounds {band_name(band)}" for band in sheet.round_wins or [])]


def _played_cells(sheet: ParSheet, bet: BetSheet) -> list[str]:
    """Return the simulation's cells for `bet`, empty if another bet was played."""
    report = sheet.played
    if report is None:
        return []
    stake = report.stake
    if (stake.lines, stake.coins_per_line, stake.price) != (bet.lines, bet.coins_per_line, bet.price):
        return [""] * len(_played_head(sheet))
    cells: list[object] = [report.rounds, report.seed]
    for part in report.parts:
        cells += [part.simulated, part.low, part.high, part.events, part.counted, part.inside]
    for trigger in report.triggers:
        cells += [trigger.events, trigger.expected, trigger.low, trigger.high, trigger.inside]
    return [str(cell) for cell in (*cells, *(band.chance for band in sheet.round_wins or []))]


def _triggers(sheet: ParSheet) -> list[str]:
    return list(dict.fromkeys(name for bet in sheet.bets for name in bet.triggers))


def _values(sheet: ParSheet, bet: BetSheet) -> list[object]:
    values: list[object] = [bet.stake, bet.lines, bet.coins_per_line, bet.price, bet.state, bet.rtp_percent]
    values += [
        bet.rtp_with_growth_percent,
        bet.own_rtp_percent,
        *bet.parts.values(),
        bet.hit_frequency,
        bet.above_bet,
        bet.sigma,
    ]
    values += [bet.volatility_index_90, bet.max_win, bet.max_win_odds_exact, bet.win_up_to, bet.win_up_to_one_in]
    values += [bet.triggers.get(name) for name in _triggers(sheet)]
    return ["" if value is None else value for value in values]


def _shown(value: object) -> str:
    """Return `value` with digits enough for a reader; the CSV and the JSON hold all of them."""
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def par_csv(sheet: ParSheet) -> str:
    """Return `sheet` as CSV: a head, then a row for each bet and state; what is not known is empty.

    A row holds its bet's distribution of one spin's win, and what was played where that was this bet.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    laws = {(law.lines, law.price): law for law in sheet.spin_wins}
    bands = [f"spin {band_name(band)}" for band in sheet.spin_wins[0].bands]
    writer.writerow(["game", "maths_version", "maths_hash", *_head(sheet), *bands, *_played_head(sheet)])
    for bet in sheet.bets:
        identity = [sheet.game, sheet.maths_version, sheet.maths_hash]
        chances = [str(band.chance) for band in laws[bet.lines, bet.price].bands]
        writer.writerow([*identity, *map(str, _values(sheet, bet)), *chances, *_played_cells(sheet, bet)])
    return out.getvalue()


def par_html(sheet: ParSheet) -> str:
    """Return `sheet` as one HTML page without outside parts, with what was played beside the exact figures."""
    body = [*heading(sheet), highest(sheet), _plots(sheet), *wins_and_bets(sheet)]
    return document(f"PAR sheet: {load(sheet.game).title}, maths version {sheet.maths_version}", body)


def document(title: str, body: Iterable[str]) -> str:
    """Return a self-contained page."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{''.join(body)}"
        "</body></html>"
    )


def heading(sheet: ParSheet) -> list[str]:
    """Return the identity of the maths, the units and the order of evaluation."""
    return [
        f"<p>SHA-256 of the maths: <code>{escape(sheet.maths_hash)}</code></p>",
        f"<details><summary>The text that is hashed</summary><code>{escape(sheet.maths)}</code></details>",
        f"<p>{_UNITS}</p>",
        "<h2>Order of evaluation</h2><ol>" + "".join(f"<li>{escape(step)}</li>" for step in sheet.order) + "</ol>",
        "<p>Every draw is made after all the player's options are fixed.</p>",
    ]


def wins_and_bets(sheet: ParSheet) -> list[str]:
    """Return what was played, what one spin wins, every bet and state, and the constants."""
    return [
        "" if sheet.played is None else _simulation(sheet.game, sheet.played),
        _wins(sheet),
        _prizes(sheet),
        "<h2>Every bet and state</h2>",
        table(_bets(sheet)),
        *(
            f"<h2>{_title(name)}</h2>{words(par_tables.rows(value))}"
            for name, value in sorted(sheet.constants.items(), key=place_of)
        ),
    ]


def prize_rows(sheet: ParSheet) -> Rows:
    """Return a head, then each prize with its hits over the cycle."""
    cycle = sheet.spin_wins[0].combinations
    rows = [["on", "symbol", "count", "pays", "hits", "one in"]]
    for prize in sheet.prizes:
        odds = f"{cycle / prize.hits:,.2f}" if prize.hits else "never"
        rows.append([prize.on, prize.symbol, str(prize.count), str(prize.pays), f"{prize.hits:,}", odds])
    return rows


def _prizes(sheet: ParSheet) -> str:
    """Return how often each prize comes over the full cycle, where that is known."""
    if not sheet.prizes:
        return ""
    cycle = sheet.spin_wins[0].combinations
    return (
        f"<h2>Hits of each prize over the cycle</h2><p>Over all {cycle:,} combinations of stops of a paid spin,"
        f" all lines played. {PRIZES_READ}</p>{table(prize_rows(sheet))}"
    )


def highest_bet(sheet: ParSheet) -> BetSheet:
    """Return the highest bet in the first state."""
    return next(bet for bet in reversed(sheet.bets) if bet.state == sheet.bets[0].state)


def _bet(game: str, bet: BetSheet) -> str:
    words = bet_words(game, bet.lines, bet.coins_per_line)
    return words if ways_in(game) else f"{words} = {bet.stake} coins"


def _span(sheet: ParSheet) -> str:
    """Return on how many lines a spin's law is, or on how many ways."""
    ways = ways_in(sheet.game)
    return f"{ways} ways" if ways else f"{sheet.spin_wins[-1].lines} lines"


def highest(sheet: ParSheet) -> str:
    """Return the figures of the highest bet."""
    bet = highest_bet(sheet)
    rows = [
        *([["state of the memory", bet.state]] if bet.state else []),
        ["bet", _bet(sheet.game, bet)],
        ["return", f"{bet.rtp_percent} %"],
        ["return with the pool's growth", "-" if bet.rtp_with_growth_percent is None else bet.rtp_with_growth_percent],
        *([[f"of it {name}", f"{share} %"] for name, share in bet.parts.items()]),
        ["hit frequency: pays or starts a feature", f"{100 * bet.hit_frequency:.4f} %"],
        [f"{wins_of(sheet.game)} and scatters win more than the bet", f"{100 * bet.above_bet:.4f} %"],
        ["sigma of a round", "-" if bet.sigma is None else f"{bet.sigma:.6f}"],
        ["volatility index, 90 %", "-" if bet.volatility_index_90 is None else f"{bet.volatility_index_90:.6f}"],
        ["largest win of a paid spin with what it starts", _odds(bet.max_win, bet.max_win_odds)],
        [f"largest win of its {wins_of(sheet.game)} and scatters", _odds(sheet.spin_max_win, sheet.spin_max_win_odds)],
        *(
            [
                [
                    "win up to: at least one play in 50 million wins so much",
                    _promised(bet.win_up_to, bet.win_up_to_one_in),
                ]
            ]
            if bet.win_up_to is not None
            else []
        ),
        *([f"{name}, one in", f"{1 / chance:,.2f} paid spins"] for name, chance in bet.triggers.items() if chance),
    ]
    if sheet.free_spin is not None:
        free = sheet.free_spin
        rows += [
            ["free spins a round", f"{free.per_round:.6f}"],
            ["largest win of a free spin", _odds(free.max_win, free.max_win_odds)],
        ]
    return f"<h2>The highest bet</h2>{words(rows)}"


def _bets(sheet: ParSheet) -> Rows:
    """Return the figures of every bet and state, the odds of its largest win as a rounded number."""
    head = _head(sheet)
    odds = head.index("max_win_odds_exact")
    rows = [[*head[:odds], "max_win one in", *head[odds + 1 :]]]
    for bet in sheet.bets:
        cells = list(map(_shown, _values(sheet, bet)))
        cells[odds] = one_in(bet.max_win_odds)
        rows.append(cells)
    return rows


def _odds(coins: int, chance: float) -> str:
    return f"{coins:,} coins, one in {one_in(chance)}"


def _promised(coins: int, one_in: int | None) -> str:
    return f"{coins:,} coins, one play in {one_in:,}"


def one_in(chance: float) -> str:
    """Return the odds of a chance, as one in so many."""
    odds = 1 / chance
    return f"{odds:,.0f}" if odds < _MOST_DIGITS else f"{odds:.3e}"


def _wins(sheet: ParSheet) -> str:
    """Return the distributions of a spin's win: of all lines with every figure, then of each number of lines."""
    law = sheet.spin_wins[-1]
    rows = [["win", "combinations", "chance %", "returns %", *(["rounds played %"] if sheet.round_wins else [])]]
    for number, band in enumerate(law.bands):
        played = [f"{100 * sheet.round_wins[number].chance:.6f}"] if sheet.round_wins else []
        rows.append([band_name(band), f"{band.ways:,}", f"{100 * band.chance:.6f}", band.return_percent or "", *played])
    shares = [(band_name(band), 100 * band.chance) for band in law.bands]
    head = ["lines", "price", "hits %", "above the bet %", "largest, coins", "one in"]
    return (
        f"<h2>What one spin wins</h2><p>The {wins_of(sheet.game)} and scatters of one paid spin of {_span(sheet)}, over"
        f" all {law.combinations:,} combinations of stops; features, free spins and jackpots are left out.</p>"
        + table(rows)
        + plots.bars("Spins by the size of their win", shares, " %")
        + "<h2>What one spin wins, by lines</h2><p>Chances in percent.</p>"
        + table([[*head, *(band_name(band) for band in law.bands)], *map(_law_row, sheet.spin_wins)])
    )


def _law_row(law: SpinWinsSheet) -> list[str]:
    figures = [str(law.lines), str(law.price), f"{100 * law.hit_frequency:.4f}", f"{100 * law.above_bet:.4f}"]
    odds = [f"{law.max_win:,}", one_in(law.max_win_odds)]
    return [*figures, *odds, *(f"{100 * band.chance:.6f}" for band in law.bands)]


def _plots(sheet: ParSheet) -> str:
    highest = highest_bet(sheet)
    drawn = [plots.bars("Return by part", [(name, float(share)) for name, share in highest.parts.items()], " %")]
    coins = highest.coins_per_line
    by_lines = [bet for bet in sheet.bets if (bet.coins_per_line, bet.state, bet.price) == (coins, highest.state, 1)]
    if len(by_lines) > 1:
        hits = [(float(bet.lines), bet.hit_frequency) for bet in by_lines]
        drawn.append(plots.curve("Hit frequency by lines", hits, "lines", "hit frequency"))
        sigmas = [(float(bet.lines), bet.sigma) for bet in by_lines if bet.sigma is not None]
        if sigmas:
            drawn.append(plots.curve("Sigma by lines", sigmas, "lines", "sigma, bets"))
    states = [bet for bet in sheet.bets if bet.stake == highest.stake]
    if len(states) > 1:
        owns = [(bet.state, float(bet.own_rtp_percent)) for bet in states]
        drawn.append(plots.bars("What the round itself returns, by state", owns, " %"))
    return "".join(drawn)


def _simulation(game: str, report: Report) -> str:
    rows = [["part", "simulated %", "exact %", "jointly 99 %", "sigma", "exact sigma", "events", "inside"]]
    rows += map(_part_row, report.parts)
    stake = report.stake
    sigma = "not known" if report.exact_sigma is None else f"{report.exact_sigma:.4f}"
    parts = (
        f"<h2>The play, {report.rounds:,} rounds</h2><p>{bet_words(game, stake.lines, stake.coins_per_line)}, seed"
        f" {report.seed}: {report.simulated:.4f} % (exact {report.exact:.6f} %), sigma {report.sigma:.4f} (exact"
        f" {sigma}). Intervals are jointly 99 % over the parts, from the exact sigma; a part expected fewer than 100"
        f" times is judged by the count of its events.</p>{table(rows)}{_triggers_played(report)}"
    )
    if not report.wins:
        return parts
    bands = round_bands(report)
    shares = [(band_name(band), 100 * band.chance) for band in bands]
    above = sum(share for band, (_, share) in zip(bands, shares, strict=True) if (band.above or 0) >= 1)
    return f"{parts}<p>A whole round's win is above the bet in {above:.3f} % of rounds.</p>" + plots.bars(
        "Rounds played by the size of their win", shares, " %"
    )


def _triggers_played(report: Report) -> str:
    rows = [["trigger", "counted", "expected", "one in", "jointly 99 %", "inside"]]
    rows += (_trigger_row(trigger, report.rounds) for trigger in report.triggers)
    return (
        "<h2>How often features started</h2><p>Counts in these rounds beside the exact chances; intervals are jointly"
        f" 99 % over the triggers.</p>{table(rows)}"
        if report.triggers
        else ""
    )


def _trigger_row(trigger: TriggerReport, rounds: int) -> list[str]:
    interval = f"{trigger.low:,.1f} to {trigger.high:,.1f}"
    figures = [f"{trigger.events:,}", f"{trigger.expected:,.1f}", f"{rounds / trigger.expected:,.2f}", interval]
    return [trigger.name, *figures, "yes" if trigger.inside else "NO"]


def _part_row(part: PartReport) -> list[str]:
    interval = f"{part.low:.0f} to {part.high:.0f} events" if part.counted else f"{part.low:.4f} to {part.high:.4f}"
    sigma = "-" if part.exact_sigma is None else f"{part.exact_sigma:.4f}"
    figures = [part.name, f"{part.simulated:.4f}", f"{part.exact:.4f}", interval, f"{part.sigma:.4f}", sigma]
    return [*figures, f"{part.events:,}", "yes" if part.inside else "NO"]


def place_of(constant: tuple[str, object]) -> tuple[bool, str]:
    """Return the order in which constants are printed: reel strips first, then by name."""
    return not par_tables.is_reels(constant[1]), constant[0]


def _title(name: str) -> str:
    return escape(name.replace("_", " ").capitalize())


def words(rows: Rows) -> str:
    """Return rows whose cells are words."""
    return f'<div class="words">{_rows(rows)}</div>'


def table(rows: Rows) -> str:
    """Return rows of figures, the first their head."""
    return f"<div>{_rows(rows)}</div>"


def _rows(rows: Rows) -> str:
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
