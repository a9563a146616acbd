"""Two versions of a game's figures side by side, what differs marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import SequenceMatcher
from html import escape
from itertools import zip_longest

from gamekit.designer.figures import DesignSheet
from gamekit.par import BetSheet, ParSheet
from gamekit.par_page import highest_bet
from gamekit.par_tables import is_reels, is_weights

_MOST_DIGITS = 12
_ONE_IN_POWER = 10**15
"""From here on odds are shown with a power of ten: a floating-point number knows no more digits."""
_ONE_IN_WHOLE = 1_000
"""From here on odds are shown without decimals, unless the versions differ in these alone."""


@dataclass(frozen=True)
class Comparison:
    """Another version: its name, its PAR sheet, and its designer's figures where they are known."""

    name: str
    par: ParSheet
    design: DesignSheet | None
    rows: list["Row"]

    @property
    def summary(self) -> str:
        """How much differs."""
        different = sum(row.different for row in self.rows)
        return f"{different} of the {len(self.rows)} figures and constants compared differ"

    def html(self) -> str:
        """Return the table of both, differences marked."""
        lines = "".join(
            f"<tr><td>{escape(row.what)}</td>"
            + "".join(f"<td>{self._marked(row, cell)}</td>" for cell in (row.this, row.other, row.difference))
            + "</tr>"
            for row in self.rows
        )
        return (
            f"<h2>Two versions</h2><p>This version beside {escape(self.name)}: {self.summary}; what differs is"
            " marked. A difference is this version's figure less the other's.</p>"
            "<div><table><tr><td></td><td>this version</td><td>the other</td><td>this less the other</td></tr>"
            f"{lines}</table></div>"
        )

    @staticmethod
    def _marked(row: "Row", cell: str) -> str:
        return f"<mark>{escape(cell)}</mark>" if row.different and cell else escape(cell)


@dataclass(frozen=True)
class Row:
    """A figure of both versions, as it is shown; `difference` is this version's less the other's."""

    what: str
    this: str
    other: str
    difference: str = ""

    @property
    def different(self) -> bool:
        """Whether the versions differ in it: what differs is shown with as many digits as that takes."""
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
    yield Row("hash of the maths", this.maths_hash, other.maths_hash)
    one, two = highest_bet(this), highest_bet(other)
    yield _numbers("return, %", float(one.rtp_percent), float(two.rtp_percent), digits=6)
    for part in dict.fromkeys([*one.parts, *two.parts]):
        yield _numbers(f"of it {part}, %", float(one.parts.get(part, 0)), float(two.parts.get(part, 0)), digits=6)
    for what, digits, figure in (
        ("hit frequency, %", 4, [100 * bet.hit_frequency for bet in (one, two)]),
        ("win above the bet, %", 4, [100 * bet.above_bet for bet in (one, two)]),
        ("sigma, bets", 4, [bet.sigma for bet in (one, two)]),
        ("volatility index, 90 %", 4, [bet.volatility_index_90 for bet in (one, two)]),
        ("largest win, coins", 0, [bet.max_win for bet in (one, two)]),
        ("win up to, coins", 0, [bet.win_up_to for bet in (one, two)]),
        ("win up to, one in", 0, [bet.win_up_to_one_in for bet in (one, two)]),
    ):
        yield _numbers(what, *figure, digits=digits)
    yield _odds("largest win, one in", one.max_win_odds, two.max_win_odds)
    for trigger in dict.fromkeys([*one.triggers, *two.triggers]):
        yield _odds(f"{trigger}, one in", *(bet.triggers.get(trigger) for bet in (one, two)))
    free = [sheet.free_spin for sheet in (this, other)]
    if any(free):
        per_round, most = ([getattr(spin, name, None) for spin in free] for name in ("per_round", "max_win"))
        yield _numbers("free spins a paid spin", *per_round, digits=6)
        yield _numbers("largest win of a free spin, coins", *most, digits=0)
    steps = [*enumerate(zip_longest(this.order, other.order, fillvalue="-"), start=1)]
    yield from (Row(f"order of evaluation, step {step}", *pair) for step, pair in steps if pair[0] != pair[1])


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


def _odds(what: str, this: float | None, other: float | None) -> Row:
    """Return a row of two chances as one in so many."""
    one_in = [1 / chance if chance else None for chance in (this, other)]
    if any(value is not None and value >= _ONE_IN_POWER for value in one_in):
        return Row(what, *("-" if value is None else f"{value:.15g}" for value in one_in))
    small = any(value is not None and value < _ONE_IN_WHOLE for value in one_in)
    return _numbers(what, *one_in, digits=2 if small else 0)


def _numbers(what: str, this: float | None = None, other: float | None = None, *, digits: int) -> Row:
    """Return a row of two numbers with so many decimals, or as many as it takes to show that they differ."""
    while True:
        shown = ["-" if value is None else f"{value:,.{digits}f}" for value in (this, other)]
        if this == other or shown[0] != shown[1] or digits == _MOST_DIGITS:
            break
        digits += 1
    if this is None or other is None or shown[0] == shown[1]:
        return Row(what, shown[0], shown[1])
    # Of what is shown, so that whoever subtracts arrives at it.
    one, two = (Decimal(words.replace(",", "")) for words in shown)
    return Row(what, shown[0], shown[1], f"{one - two:+,.{digits}f}")


def _bets(this: ParSheet, other: ParSheet) -> Iterator[Row]:
    """Yield the returns that differ, bet by bet; one row where all of them differ by the same."""

    def key(bet: BetSheet) -> tuple[int, int, int, str]:
        return bet.lines, bet.coins_per_line, bet.price, bet.state

    ours, theirs = ({key(bet): bet.rtp_percent for bet in sheet.bets} for sheet in (this, other))
    pairs = {one: (ours.get(one, "-"), theirs.get(one, "-")) for one in dict.fromkeys([*ours, *theirs])}
    different = {one: pair for one, pair in pairs.items() if pair[0] != pair[1]}
    if len(set(pairs.values())) == 1 or not different:
        first = next(iter(pairs.values()))
        yield _returns(f"return of all {len(pairs)} bets and states, %", *(first if different else ("equal", "equal")))
        return
    for (lines, coins, price, state), (one, two) in different.items():
        bought = f", bought for {price} bets" if price > 1 else ""
        yield _returns(f"return of {lines} lines x {coins}{bought}{f', memory {state}' if state else ''}, %", one, two)


def _returns(what: str, this: str, other: str) -> Row:
    """Return a row of two percentages as they are written, or of what stands in their place."""
    if this == other or "-" in (this, other):
        return Row(what, this, other)
    return Row(what, this, other, f"{Decimal(this) - Decimal(other):+.6f}")


def _constants(this: ParSheet, other: ParSheet) -> Iterator[Row]:
    for name in sorted({*this.constants, *other.constants}):
        yield from _value(name, this.constants.get(name), other.constants.get(name))


def _value(what: str, this: object, other: object) -> Iterator[Row]:
    """Yield the entries in which a constant, or a part of one, differs: each as whole as it is, down to single values.

    None is a part that a version has not.
    """
    if this == other:
        return
    if is_reels(this) and is_reels(other):
        strips = [[strip.split() for strip in value["strips"]] for value in (this, other)]  # type: ignore[index]  # as is_reels has seen
        for reel, (ours, theirs) in enumerate(zip_longest(*strips, fillvalue=[]), start=1):
            yield from _strip(f"{what}, reel {reel}", ours, theirs)
        yield from _value(f"{what}, rows", this["rows"], other["rows"])  # type: ignore[index]
        return
    keyed = [_keyed(value) for value in (this, other)]
    if keyed[0] is None and keyed[1] is None:
        yield _single(what, this, other)
        return
    parts = [{} if part is None else part for part in keyed]
    whole = [part is None and value is not None for part, value in zip(keyed, (this, other), strict=True)]
    if any(whole):  # a single value in one version, a table in the other
        yield Row(what, _said(this), _said(other))
        return
    for key in dict.fromkeys([*parts[0], *parts[1]]):
        yield from _value(f"{what}, {key}", parts[0].get(key), parts[1].get(key))
    if parts[0] == parts[1]:
        yield Row(f"{what}, order of entries", *(", ".join(part) for part in parts))


def _keyed(value: object) -> dict[str, object] | None:
    """Return the entries of a table by what a reader calls them; None for a single value."""
    if is_weights(value):
        return {f"weight of {_said(amount)}": weight for amount, weight in value["weights"]}  # type: ignore[index]  # as is_weights has seen
    if is_reels(value):
        return {f"reel {number}": strip for number, strip in enumerate(value["strips"], start=1)}  # type: ignore[index]
    if isinstance(value, dict):
        return {str(key): entry for key, entry in value.items()}
    if isinstance(value, list) and value and all(isinstance(entry, list) for entry in value):
        if all(len(entry) == 2 for entry in value) and len({_said(key) for key, _ in value}) == len(value):  # noqa: PLR2004 - a key and its value
            return {_said(key): entry for key, entry in value}
        return {f"entry {number}": _said(entry) for number, entry in enumerate(value, start=1)}
    return None


def _single(what: str, this: object, other: object) -> Row:
    """Return the row of two single values, with the difference of whole numbers."""
    numbers = [value for value in (this, other) if isinstance(value, int) and not isinstance(value, bool)]
    difference = f"{numbers[0] - numbers[1]:+,d}" if len(numbers) == 2 else ""  # noqa: PLR2004 - both
    return Row(what, _said(this), _said(other), difference)


def _strip(what: str, ours: Sequence[str], theirs: Sequence[str]) -> Iterator[Row]:
    if ours == theirs:
        return
    if len(ours) != len(theirs):
        yield _single(f"{what}, stops", len(ours), len(theirs))
    for symbol in sorted({*ours, *theirs}):
        counts = ours.count(symbol), theirs.count(symbol)
        if counts[0] != counts[1]:
            yield _single(f"{what}, number of {symbol}", *counts)
    for kind, *places in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            first, last, other_first, other_last = places
            yield Row(
                f"{what}, from stop {first}",
                " ".join(ours[first:last]) or "-",
                " ".join(theirs[other_first:other_last]) or "-",
            )


def _said(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return str(value)
        case int():
            return f"{value:,}"
        case list():
            return " ".join(map(_said, value)) or "none"
        case dict():
            return ", ".join(f"{key}: {_said(entry)}" for key, entry in value.items()) or "none"
    return str(value)
