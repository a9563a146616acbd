"""Two versions of a game's figures side by side, what differs marked."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

from games.designer.figures import DesignSheet
from games.par import BetSheet, ParSheet
from games.par_page import highest_bet
from games.par_tables import is_reels


@dataclass(frozen=True)
class Comparison:
    """Another version: its name, its PAR sheet, and its designer's figures where they are known."""

    name: str
    par: ParSheet
    design: DesignSheet | None
    rows: list["Row"]

    def html(self) -> str:
        """Return the table of both, differences marked."""
        lines = "".join(
            f"<tr><td>{escape(row.what)}</td>"
            + "".join(f"<td>{self._marked(row, cell)}</td>" for cell in (row.this, row.other, row.difference))
            + "</tr>"
            for row in self.rows
        )
        different = sum(row.different for row in self.rows)
        return (
            f"<h2>Two versions</h2><p>This version beside {escape(self.name)}: {different} of {len(self.rows)} figures"
            " and constants differ; what differs is marked.</p><div><table><tr><td></td><td>this version</td>"
            f"<td>{escape(self.name)}</td><td>difference</td></tr>{lines}</table></div>"
        )

    @staticmethod
    def _marked(row: "Row", cell: str) -> str:
        return f"<mark>{escape(cell)}</mark>" if row.different and cell else escape(cell)


@dataclass(frozen=True)
class Row:
    """A figure of both versions, as it is shown."""

    what: str
    this: str
    other: str
    difference: str = ""

    @property
    def different(self) -> bool:
        """Whether the versions differ in it."""
        return self.this != self.other


def compare(
    name: str, this: ParSheet, other: ParSheet, this_design: DesignSheet | None, other_design: DesignSheet | None
) -> Comparison:
    """Return what `other`, which is called `name`, differs in; the designer's figures are compared where both are."""
    rows = [*_of_par(this, other)]
    if this_design is not None and other_design is not None:
        rows += _of_design(this_design, other_design)
    return Comparison(name, other, other_design, [*rows, *_bets(this, other), *_constants(this, other)])


def _of_par(this: ParSheet, other: ParSheet) -> Iterator[Row]:
    yield Row("maths version", str(this.maths_version), str(other.maths_version))
    yield Row("hash of the maths", this.maths_hash[:16], other.maths_hash[:16])
    one, two = highest_bet(this), highest_bet(other)
    yield _numbers("return, %", float(one.rtp_percent), float(two.rtp_percent), digits=6)
    for part in dict.fromkeys([*one.parts, *two.parts]):
        yield _numbers(f"of it {part}, %", float(one.parts.get(part, 0)), float(two.parts.get(part, 0)), digits=6)
    for what, figure in (
        ("hit frequency, %", [100 * bet.hit_frequency for bet in (one, two)]),
        ("sigma, bets", [bet.sigma for bet in (one, two)]),
        ("volatility index, 90 %", [bet.volatility_index_90 for bet in (one, two)]),
        ("largest win, coins", [float(bet.max_win) for bet in (one, two)]),
        ("largest win, one in", [1 / bet.max_win_odds for bet in (one, two)]),
    ):
        yield _numbers(what, *figure, digits=4)
    for trigger in dict.fromkeys([*one.triggers, *two.triggers]):
        chances = [bet.triggers.get(trigger) for bet in (one, two)]
        yield _numbers(f"{trigger}, one in", *[1 / chance if chance else None for chance in chances], digits=2)


def _of_design(this: DesignSheet, other: DesignSheet) -> Iterator[Row]:
    for one, two in zip(this.sessions, other.sessions, strict=True):
        yield _numbers(f"ahead after {one.plays:,} plays, %", 100 * one.ahead.chance, 100 * two.ahead.chance, digits=3)
    lasts: list[float | None] = [sheet.budget.quantiles["50"] for sheet in (this, other)]
    yield _numbers(f"plays that {this.budget.budget_bets} bets last, median", *lasts, digits=0)
    for odds in this.wins.one_in:
        yield _numbers(
            f"one play in {odds:,} wins, bets", this.wins.one_in[odds], other.wins.one_in.get(odds), digits=2
        )
    missed = [{one.name: one.missed for one in sheet.near_misses} for sheet in (this, other)]
    for feature in dict.fromkeys([*missed[0], *missed[1]]):
        chances: list[float | None] = [100 * of[feature] if feature in of else None for of in missed]
        yield _numbers(f"one less than {feature} needs, % of spins", *chances, digits=4)


def _numbers(what: str, this: float | None = None, other: float | None = None, *, digits: int) -> Row:
    shown = ["-" if value is None else f"{value:,.{digits}f}" for value in (this, other)]
    difference = "" if this is None or other is None or shown[0] == shown[1] else f"{this - other:+,.{digits}f}"
    return Row(what, shown[0], shown[1], difference)


def _bets(this: ParSheet, other: ParSheet) -> Iterator[Row]:
    """Yield the returns that differ, bet by bet; one row where all of them differ by the same."""

    def key(bet: BetSheet) -> tuple[int, int, int, str]:
        return bet.lines, bet.coins_per_line, bet.price, bet.state

    ours, theirs = ({key(bet): bet.rtp_percent for bet in sheet.bets} for sheet in (this, other))
    pairs = {one: (ours.get(one, "-"), theirs.get(one, "-")) for one in dict.fromkeys([*ours, *theirs])}
    different = {one: pair for one, pair in pairs.items() if pair[0] != pair[1]}
    if len(set(pairs.values())) == 1 or not different:
        first = next(iter(pairs.values()))
        yield Row(f"return of all {len(pairs)} bets and states, %", *(first if different else ("equal", "equal")))
        return
    for (lines, coins, price, state), (one, two) in different.items():
        bought = f", bought for {price} bets" if price > 1 else ""
        yield Row(f"return of {lines} lines x {coins}{bought}{f', memory {state}' if state else ''}, %", one, two)


def _constants(this: ParSheet, other: ParSheet) -> Iterator[Row]:
    for name in sorted({*this.constants, *other.constants}):
        one, two = this.constants.get(name), other.constants.get(name)
        if one == two:
            continue
        if is_reels(one) and is_reels(two):
            strips = [[strip.split() for strip in value["strips"]] for value in (one, two)]  # type: ignore[index]  # as is_reels has seen
            for reel, (ours, theirs) in enumerate(zip_longest(*strips, fillvalue=[]), start=1):
                yield from _strip(f"{name}, reel {reel}", ours, theirs)
        else:
            yield Row(name, _said(one), _said(two))


def _strip(what: str, ours: list[str], theirs: list[str]) -> Iterator[Row]:
    if ours == theirs:
        return
    yield Row(f"{what}, stops", str(len(ours)), str(len(theirs)), f"{len(ours) - len(theirs):+d}")
    for symbol in sorted({*ours, *theirs}):
        counts = ours.count(symbol), theirs.count(symbol)
        if counts[0] != counts[1]:
            yield Row(f"{what}, {symbol}", str(counts[0]), str(counts[1]), f"{counts[0] - counts[1]:+d}")
    places = [str(stop) for stop, pair in enumerate(zip_longest(ours, theirs)) if pair[0] != pair[1]]
    yield Row(f"{what}, stops that differ", " ".join(places), "", f"{len(places)} stops")


def _said(value: object) -> str:
    text = "-" if value is None else str(value)
    return text if len(text) < 200 else f"{text[:200]} ..."  # noqa: PLR2004 - what a cell can show
