"""The PAR sheet as a page to print and as a table for other programs."""

import csv
import io
from html import escape

from games import par_tables, plots
from games.agreement import Report
from games.par import BetSheet, ParSheet
from games.par_tables import Rows
from games.simulate import WIN_EDGES, Tally

_ORDER = (
    "A paid spin pays its lines, each its highest win, then its scatters, then its features; free spins follow in the"
    " order they were won. Every draw is made after all the player's options are fixed: see the game's page in"
    " docs/games for its own order."
)

_STYLE = (
    "body{font:14px system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:.5em 0 1.5em}td,th{border:1px solid #ccc;padding:2px 8px;text-align:right}"
    "td:first-child,th:first-child{text-align:left}svg{display:block;margin:1em 0;font-size:12px;fill:#222}"
    "svg rect{fill:#47719e}svg .axis{fill:none;stroke:#888}svg .curve{fill:none;stroke:#47719e;stroke-width:2}"
    "svg .title{font-weight:bold}code{overflow-wrap:anywhere}"
)


def _head(sheet: ParSheet) -> list[str]:
    bet = sheet.bets[0]
    columns = ["stake", "lines", "coins_per_line", "price", "state", "rtp_percent", "rtp_with_growth_percent"]
    figures = ["hit_frequency", "sigma", "volatility_index_90", "max_win", "max_win_odds_exact"]
    return [*columns, *bet.parts, *figures, *(f"trigger {name}" for name in _triggers(sheet))]


def _triggers(sheet: ParSheet) -> list[str]:
    return list(dict.fromkeys(name for bet in sheet.bets for name in bet.triggers))


def _cells(sheet: ParSheet, bet: BetSheet) -> list[str]:
    values: list[object] = [bet.stake, bet.lines, bet.coins_per_line, bet.price, bet.state, bet.rtp_percent]
    values += [bet.rtp_with_growth_percent, *bet.parts.values(), bet.hit_frequency, bet.sigma]
    values += [bet.volatility_index_90, bet.max_win, bet.max_win_odds_exact]
    values += [bet.triggers.get(name) for name in _triggers(sheet)]
    return ["" if value is None else str(value) for value in values]


def par_csv(sheet: ParSheet) -> str:
    """Return `sheet` as CSV: a head, then a row for each bet and state; what is not known is empty."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["game", "maths_version", "maths_hash", *_head(sheet)])
    for bet in sheet.bets:
        writer.writerow([sheet.game, sheet.maths_version, sheet.maths_hash, *_cells(sheet, bet)])
    return out.getvalue()


def par_html(sheet: ParSheet, played: tuple[Report, Tally] | None) -> str:
    """Return `sheet` as one HTML page without outside parts; `played` is the simulation to stand beside it."""
    title = f"PAR sheet: {sheet.game}, maths version {sheet.maths_version}"
    body = [
        f"<h1>{escape(title)}</h1><p>SHA-256 of the maths: <code>{escape(sheet.maths_hash)}</code></p>",
        f"<p>Exact figures are from integers and fractions; sigma is in whole bets.</p><p>{escape(_ORDER)}</p>",
        _highest(sheet),
        _plots(sheet),
        "" if played is None else _simulation(*played),
        "<h2>Every bet</h2>",
        _table([_head(sheet), *(_cells(sheet, bet) for bet in sheet.bets)]),
        *(f"<h2>Strips: {escape(name)}</h2>{_table(rows)}" for name, rows in par_tables.strips(sheet.game).items()),
        *(f"<h2>{escape(name)}</h2>{_table(rows)}" for name, rows in par_tables.tables(sheet.game).items()),
    ]
    page = "".join(body)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{page}</body></html>"
    )


def _highest(sheet: ParSheet) -> str:
    bet = next(bet for bet in reversed(sheet.bets) if bet.state == sheet.bets[0].state)
    rows = [
        ["bet", f"{bet.lines} lines x {bet.coins_per_line} = {bet.stake} coins"],
        ["return", f"{bet.rtp_percent} %"],
        ["return with the pool's growth", "-" if bet.rtp_with_growth_percent is None else bet.rtp_with_growth_percent],
        ["hit frequency", f"{bet.hit_frequency:.6f}"],
        ["sigma", "-" if bet.sigma is None else f"{bet.sigma:.6f}"],
        ["volatility index, 90 %", "-" if bet.volatility_index_90 is None else f"{bet.volatility_index_90:.6f}"],
        ["largest win, coins", f"{bet.max_win:,}"],
        ["its odds", f"one in {1 / bet.max_win_odds:,.0f}"],
        *([f"{name}, one in", f"{1 / chance:,.2f} paid spins"] for name, chance in bet.triggers.items() if chance),
    ]
    if sheet.free_spin is not None:
        free = sheet.free_spin
        rows += [
            ["free spins a round", f"{free.per_round:.6f}"],
            ["largest win of a free spin, coins", f"{free.max_win:,}, one in {1 / free.max_win_odds:,.0f}"],
        ]
    return f"<h2>The highest bet</h2>{_table(rows)}"


def _plots(sheet: ParSheet) -> str:
    highest = sheet.bets[-1]
    drawn = [plots.bars("Return by part", [(name, float(share)) for name, share in highest.parts.items()], " %")]
    coins = highest.coins_per_line
    by_lines = [bet for bet in sheet.bets if (bet.coins_per_line, bet.state, bet.price) == (coins, highest.state, 1)]
    if len(by_lines) > 1:
        hits = [(float(bet.lines), bet.hit_frequency) for bet in by_lines]
        drawn.append(plots.curve("Hit frequency by lines", hits, "lines", "hit frequency"))
        sigmas = [(float(bet.lines), bet.sigma) for bet in by_lines if bet.sigma is not None]
        if sigmas:
            drawn.append(plots.curve("Sigma by lines", sigmas, "lines", "sigma, bets"))
    return "".join(drawn)


def _simulation(report: Report, tally: Tally) -> str:
    edges = [f"up to {edge} bets" if edge else "nothing" for edge in WIN_EDGES] + [f"above {WIN_EDGES[-1]} bets"]
    shares = [(name, 100 * rounds / tally.rounds) for name, rounds in zip(edges, tally.wins, strict=True)]
    above = sum(share for _, share in shares[WIN_EDGES.index(1) + 1 :])
    rows = [["part", "simulated %", "exact %", "jointly 99 %", "events", "inside"]]
    for part in report.parts:
        unit = "events" if part.counted else "%"
        interval = f"{part.low:.4f} to {part.high:.4f} {unit}"
        inside = "yes" if part.inside else "NO"
        rows.append([part.name, f"{part.simulated:.4f}", f"{part.exact:.4f}", interval, f"{part.events:,}", inside])
    stake = report.stake
    return (
        f"<h2>The production play, {report.rounds:,} rounds</h2><p>{stake.lines} lines x {stake.coins_per_line}, seed"
        f" {report.seed}: {report.simulated:.4f} % (exact {report.exact:.6f} %), sigma {report.sigma:.4f}; the win is"
        f" above the bet in {above:.3f} % of rounds.</p>{_table(rows)}"
        + plots.bars("Rounds by the size of their win", shares, " %")
    )


def _table(rows: Rows) -> str:
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
