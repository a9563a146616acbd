"""The PAR sheet as regulators file it: identity, strips, tables, order, returns, odds; enough to recompute the return.

It is a list of headings, paragraphs and tables, which are then written as HTML to print or as PDF. Tables of the game's
constants can be read back: the head of a table says of which kind it is, and a cell that is no plain word is JSON.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gamekit.bet_words import bet_words, ways_in, wins_of
from gamekit.catalogue import load
from gamekit.designer.figures import HOLD_PLAYS, hold_band
from gamekit.maths import KnowsMisses, Maths, cost
from gamekit.par import BetSheet, ParSheet
from gamekit.par_page import PRIZES_READ, band_name, highest_bet, one_in, place_of, prize_rows
from gamekit.par_tables import is_reels, is_weights
from gamekit.play import Game
from gamekit.ways_scene import ways_of

_MOST_AWARDS = 400
_LINE_PAY = "a line's pay is multiplied by the coins on the line"


@dataclass(frozen=True)
class Heading:
    """A heading: 1 for the sheet, 2 for a chapter, 3 for a table."""

    level: int
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table: its head, and rows of as many cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


Block = Heading | Text | Table


def regulator_sheet(maths: Maths, sheet: ParSheet) -> list[Block]:
    """Return the blocks of the sheet of `maths`, whose figures with its constants are `sheet`."""
    return [*rules_and_returns(sheet), *_highest(maths, sheet), *_awards(maths, sheet), *_played(sheet)]


def rules_and_returns(sheet: ParSheet) -> list[Block]:
    """Return what the return is recomputed from, and the returns: identity, order, strips, constants, every bet."""
    return [*_identity(sheet), *_strips(sheet), *_constants(sheet), *_returns(sheet)]


def _wagered(game: Game) -> list[tuple[str, str]]:
    """Return what may be bet: lines and coins on each, or in a game of ways, whose pays are those of so many coins."""
    ways = ways_of(game)
    if ways:
        return [("ways", str(ways)), ("coins a bet", str(game.line_counts[-1] * game.coins_per_line[-1]))]
    return [("lines", _range(game.line_counts)), ("coins a line", _range(game.coins_per_line))]


def _identity(sheet: ParSheet) -> Iterator[Block]:
    game = load(sheet.game)
    yield Heading(1, f"PAR sheet: {game.title}")
    yield Heading(2, "Identity")
    yield Table(
        ("identity", ""),
        [
            ("game", sheet.game),
            ("title", game.title),
            ("maths version", str(sheet.maths_version)),
            ("SHA-256 of the maths", sheet.maths_hash),
            ("reels x rows", f"{game.reels} x {game.rows}"),
            *_wagered(game),
            ("jackpot pool", "none" if game.pool is None else _pool(game.pool.seed_coins, game.pool.growth_per_mille)),
            ("feature on sale", f"for {game.buy_price} bets" if game.buy_price else "none"),
        ],
    )
    yield Text(
        "The hash is that of the text at the end of this sheet. Wins are in coins, and all are added up;"
        f" {'a bet is always of as many, whose value is chosen' if ways_of(game) else _LINE_PAY}. Every stop of a reel"
        " is equally likely, and reels are independent: the window shows the stop drawn in its top row and the stops"
        " that follow below it, the last stop being followed by stop 0. An amount of a weighted table is drawn as often"
        " as its weight says, of the total."
    )
    yield Heading(2, "Order of evaluation")
    yield Table(("step", "what happens"), [(str(n), step) for n, step in enumerate(sheet.order, start=1)])
    yield Text(
        "Every draw is made after all the player's options are fixed. Double and gamble are fair, outside the return."
    )


def _pool(seed: int, growth: int) -> str:
    return f"seed {seed:,} coins, grows by {growth} per mille of each bet at its coin value"


def _range(values: Sequence[int]) -> str:
    return str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}"


def _strips(sheet: ParSheet) -> Iterator[Block]:
    yield Heading(2, "Reel strips")
    for name, value in sorted(sheet.constants.items(), key=place_of):
        if not is_reels(value):
            continue
        strips = [strip.split() for strip in value["strips"]]  # type: ignore[index]  # as is_reels has seen
        rows = value["rows"]  # type: ignore[index]
        yield Heading(3, f"{name}: window of {rows} rows")
        symbols = sorted({symbol for strip in strips for symbol in strip})
        reels = [f"reel {number}" for number in range(1, len(strips) + 1)]
        yield Table(
            ("symbols on", *reels),
            [(symbol, *(str(strip.count(symbol)) for strip in strips)) for symbol in symbols]
            + [("stops", *(str(len(strip)) for strip in strips))],
        )
        most = max(map(len, strips))
        yield Table(
            ("stop", *reels),
            [(str(stop), *(strip[stop] if stop < len(strip) else "" for strip in strips)) for stop in range(most)],
        )


def _constants(sheet: ParSheet) -> Iterator[Block]:
    yield Heading(2, "Pays, lines, weights and rules")
    yield Text("By the names that the program gives them.")
    for name, value in sorted(sheet.constants.items()):
        if not is_reels(value):
            yield Heading(3, name)
            yield constant_table(value)


def constant_table(value: object) -> Table:
    """Return the table of a constant that is no set of strips; its head says how it is read."""
    if is_weights(value):
        weights = value["weights"]  # type: ignore[index]  # as is_weights has seen
        return Table(("amount", "weight"), [*((_cell(a), str(w)) for a, w in weights), ("total", str(value["total"]))])  # type: ignore[index]
    if _is_pays(value):
        counts = sorted({count for pays in value.values() for count, _ in pays})  # type: ignore[attr-defined]
        rows = [(symbol, *(_cell(dict(pays).get(n, "")) for n in counts)) for symbol, pays in value.items()]  # type: ignore[attr-defined]
        return Table(("symbol", *map(str, counts)), rows)
    if isinstance(value, dict):
        return Table(("name", "value"), [(_cell(key), _cell(entry)) for key, entry in value.items()])
    if isinstance(value, list) and value and all(isinstance(entry, list) for entry in value):
        if all(len(entry) == 2 for entry in value):  # noqa: PLR2004 - a key and its value
            return Table(("for", "value"), [(_cell(key), _cell(entry)) for key, entry in value])
        return Table(("number", "entries"), [(str(n), _cell(entry)) for n, entry in enumerate(value, start=1)])
    return Table(("value",), [(_cell(value),)])


def _is_pays(value: object) -> bool:
    """Whether `value` names for each symbol pays by count."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and all(
            isinstance(pays, list) and pays and all(isinstance(pair, list) and len(pair) == 2 for pair in pays)  # noqa: PLR2004
            for pays in value.values()
        )
        and all(isinstance(cell, int) for pays in value.values() for pair in pays for cell in pair)
    )


def _cell(value: object) -> str:
    """Return `value` as a plain word, or as JSON where it is none."""
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return value
    return json.dumps(value) if value else ""


def _returns(sheet: ParSheet) -> Iterator[Block]:
    yield Heading(2, "Return of every bet and state")
    parts = list(sheet.bets[0].parts)
    grows = any(bet.rtp_with_growth_percent is not None for bet in sheet.bets)
    states = any(bet.state for bet in sheet.bets)
    bought = any(bet.price > 1 for bet in sheet.bets)
    yield Text(
        f"Percent of the bet,{' of a bought spin of its price,' if bought else ''} exact to the six decimals shown, a"
        " jackpot pool at its seed. Sigma and the volatility index (90 %: 1.645 sigmas) are in bets; both, as the hit"
        " frequency (a paid spin pays or starts a feature), are of a whole play."
    )
    head = [*_bet_head(sheet.game), "stake", *(["price"] if bought else []), *(["state"] if states else []), "return %"]
    head += [*(["with growth %"] if grows else []), *(["the spin itself %"] if states else [])]
    yield Table(
        [*head, *(f"of it {part}" for part in parts)],
        [_return_row(sheet.game, bet, grows=grows, states=states, bought=bought) for bet in sheet.bets],
    )
    yield Heading(2, "Hit frequency, volatility and largest win of every bet and state")
    head = [
        *_bet_head(sheet.game),
        *(["price"] if bought else []),
        *(["state"] if states else []),
        "hit %",
        "above the bet %",
        "sigma",
        "VI 90 %",
    ]
    yield Table(
        [*head, "largest win", "its exact chance"],
        [_risk_row(sheet.game, bet, states=states, bought=bought) for bet in sheet.bets],
    )
    yield Text(f"Above the bet: {wins_of(sheet.game)} and scatters of one spin win more than it cost.")
    if not states:  # plays that leave something to the next are not independent
        yield from _bands(highest_bet(sheet))


def _bands(bet: BetSheet) -> Iterator[Block]:
    if bet.sigma is None:
        return
    bands = [hold_band(plays, float(bet.rtp_percent) / 100, bet.sigma) for plays in HOLD_PLAYS]
    yield Heading(2, "Return of so many plays at the highest bet")
    yield Text("In percent, by the normal law from sigma: the fewer the plays, the less near it is.")
    yield Table(
        ("plays", "90 % of the time", "99 % of the time"),
        [
            (f"{one.plays:,}", f"{one.low_90:.3f} to {one.high_90:.3f}", f"{one.low_99:.3f} to {one.high_99:.3f}")
            for one in bands
        ],
    )


def _bet_head(game: str) -> tuple[str, str]:
    return ("ways", "coins") if ways_in(game) else ("lines", "coins")


def _bet_cells(game: str, bet: BetSheet) -> tuple[str, str]:
    """Return ways and coins of a bet, or lines and the coins on each."""
    ways = ways_in(game)
    return (str(ways), str(bet.lines * bet.coins_per_line)) if ways else (str(bet.lines), str(bet.coins_per_line))


def _return_row(game: str, bet: BetSheet, *, grows: bool, states: bool, bought: bool) -> list[str]:
    row = [*_bet_cells(game, bet), str(bet.stake), *([str(bet.price)] if bought else [])]
    row += [*([bet.state] if states else []), bet.rtp_percent]
    row += [*([bet.rtp_with_growth_percent or "-"] if grows else []), *([bet.own_rtp_percent] if states else [])]
    return [*row, *bet.parts.values()]


def _risk_row(game: str, bet: BetSheet, *, states: bool, bought: bool) -> list[str]:
    sigma, index = ("-" if value is None else f"{value:.6f}" for value in (bet.sigma, bet.volatility_index_90))
    row = [
        *_bet_cells(game, bet),
        *([str(bet.price)] if bought else []),
        *([bet.state] if states else []),
    ]
    chance = bet.max_win_odds_exact if len(bet.max_win_odds_exact) < 40 else f"one in {one_in(bet.max_win_odds)}"  # noqa: PLR2004 - a cell's width
    shares = (f"{100 * share:.6f}" for share in (bet.hit_frequency, bet.above_bet))
    return [*row, *shares, sigma, index, f"{bet.max_win:,}", chance]


def _highest(maths: Maths, sheet: ParSheet) -> Iterator[Block]:
    bet = highest_bet(sheet)
    yield Heading(2, "Features and largest wins at the highest bet")
    rows = [(name, f"{chance:.10g}", one_in_words(chance)) for name, chance in bet.triggers.items()]
    yield Table(("feature", "chance a paid spin", "one in"), rows)
    largest = [
        ("a paid spin with what it starts, free spins left out", f"{bet.max_win:,}", one_in(bet.max_win_odds)),
        (f"its {wins_of(sheet.game)} and scatters alone", f"{sheet.spin_max_win:,}", one_in(sheet.spin_max_win_odds)),
    ]
    if sheet.free_spin is not None:
        largest.append(("a free spin", f"{sheet.free_spin.max_win:,}", one_in(sheet.free_spin.max_win_odds)))
        yield Text(f"A paid spin is followed by {sheet.free_spin.per_round:.6f} free spins on average.")
    if bet.win_up_to is not None and bet.win_up_to_one_in is not None:
        largest.append(
            ("win up to: a whole play wins so much or more", f"{bet.win_up_to:,}", f"{bet.win_up_to_one_in:,}")
        )
    yield Table(("largest win", "coins", "one in"), largest)
    if sheet.prizes:
        head, *prizes = prize_rows(sheet)
        yield Heading(3, "Hits of each prize over the cycle")
        yield Text(f"Over all {sheet.spin_wins[0].combinations:,} combinations of stops of a paid spin. {PRIZES_READ}")
        yield Table(head, prizes)
    if isinstance(maths, KnowsMisses):
        yield Heading(3, "Near misses")
        yield Table(
            ("feature", "needs", "chance of enough", "chance of one less"),
            [
                (one.name, one.needs, f"{float(one.met):.10g}", f"{float(one.missed):.10g}")
                for one in maths.near_misses(maths.stakes[-1])
            ],
        )


def one_in_words(chance: float) -> str:
    """Return the odds of `chance`; never where there is none."""
    return f"{1 / chance:,.4f}" if chance else "never"


def _awards(maths: Maths, sheet: ParSheet) -> Iterator[Block]:
    stake = maths.stakes[-1]
    fewest = min((one for one in maths.stakes if one.price == stake.price), key=lambda one: (one.lines, cost(one)))
    law = maths.spin_wins(fewest)
    yield Heading(2, "Odds of each award of one spin")
    lines = f"{fewest.lines} line{'s' if fewest.lines > 1 else ''} at one coin a line"
    span = bet_words(sheet.game, fewest.lines, 1) if ways_in(sheet.game) else lines
    yield Text(
        f"What {wins_of(sheet.game)} and scatters of one paid spin win together with {span}, over all"
        f" {law.combinations:,} combinations of stops. Features, free spins and jackpots are left out."
    )
    awards = sorted(law.ways.items())
    if len(awards) > _MOST_AWARDS:
        yield Text(
            f"There are {len(awards):,} different awards: the {_MOST_AWARDS} largest, and the bands of all below."
        )
        awards = awards[-_MOST_AWARDS:]
    yield Table(
        ("coins", "combinations", "one in"),
        [(f"{coins:,}", f"{ways:,}", f"{float(Fraction(law.combinations, ways)):,.4f}") for coins, ways in awards],
    )
    every = sheet.spin_wins[-1]
    yield Heading(3, f"By size, with {bet_words(sheet.game, every.lines, 1)}")
    yield Table(
        ("win", "combinations", "chance %", "returns %"),
        [(band_name(b), f"{b.ways:,}", f"{100 * b.chance:.6f}", b.return_percent or "") for b in every.bands],
    )


def _played(sheet: ParSheet) -> Iterator[Block]:
    report = sheet.played
    if report is not None:
        yield Heading(2, "Simulation of the program as it is played")
        bet = bet_words(sheet.game, report.stake.lines, report.stake.coins_per_line)
        yield Text(
            f"{report.rounds:,} rounds at {bet}, seed {report.seed}: {report.simulated:.4f} %, exact"
            f" {report.exact:.6f} %. Intervals are jointly 99 % over the parts."
        )
        yield Table(
            ("part", "simulated", "exact", "low", "high", "unit", "inside"),
            [
                (
                    part.name,
                    f"{part.simulated:.4f} %",
                    f"{part.exact:.4f} %",
                    f"{part.low:.4f}",
                    f"{part.high:.4f}",
                    f"events, {part.events:,} seen" if part.counted else "%",
                    "yes" if part.inside else "NO",
                )
                for part in report.parts
            ],
        )
    yield Heading(2, "The text that is hashed")
    yield Text(sheet.maths)
