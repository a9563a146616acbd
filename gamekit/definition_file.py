"""A game's mathematics from a definition file (TOML): symbol counts, pays, scatter and a bonus, means alone.

For checking the prover against published sheets: no strips are needed, so there is no sigma and no hit frequency.
"""

from codecs import BOM_UTF8
from fractions import Fraction
from pathlib import Path

import msgspec

from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition
from gamekit.exact.moments import line_mean, scatter_ways
from gamekit.exact.runs import Runs
from gamekit.lines import LineRules
from gamekit.par import percent

MOST_BYTES = 1 << 16
"""What a definition may take; the golden one takes a kilobyte."""


class DefinitionFileError(ValueError):
    """A definition file cannot be read as one; the message says where and what is wrong."""


class ScatterTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scatter: `pays` by count, x the whole bet; never two of them in view on one reel."""

    symbol: str
    pays: dict[int, int]


class BonusTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bonus started by `count` symbols or more in a line from reel 1, worth `mean` x the line bet (a fraction)."""

    symbol: str
    count: int
    mean: str


class DefinitionFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: `counts` gives each symbol's number on each reel, `pays` coins per coin on the line by count."""

    name: str
    rows: int
    wild: str
    counts: dict[str, tuple[int, ...]]
    pays: dict[str, dict[int, int]]
    scatter: ScatterTable
    bonus: BonusTable


class DefinitionSheet(msgspec.Struct, frozen=True):
    """What a definition returns: in total and by part, as percentages with six decimals."""

    name: str
    combinations: int
    rtp_percent: str
    parts: dict[str, str]


def read(path: Path) -> DefinitionFile:
    """Read the definition file at `path`; raise `DefinitionFileError` where it is none."""
    with path.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise DefinitionFileError(f"{path}: it holds more than {MOST_BYTES} bytes")
    try:
        definition = msgspec.toml.decode(text.removeprefix(BOM_UTF8), type=DefinitionFile)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, or arrays nested deep
        raise DefinitionFileError(f"{path}: {error}") from error
    reels = {len(numbers) for numbers in definition.counts.values()}
    if len(reels) != 1:
        raise DefinitionFileError(f"{path}: counts: give every symbol a number for each reel, 0 where it is not on one")
    known = {definition.wild, definition.scatter.symbol, definition.bonus.symbol, *definition.pays}
    unknown = sorted(known - set(definition.counts))
    if unknown:
        raise DefinitionFileError(f"{path}: counts: {', '.join(unknown)} pays or counts but is on no reel")
    try:
        Fraction(definition.bonus.mean)
    except (ValueError, ZeroDivisionError) as error:
        raise DefinitionFileError(f'{path}: bonus.mean: write a fraction such as "331" or "993/3"') from error
    return definition


def spin_of(definition: DefinitionFile) -> SpinDefinition:
    """Return the spin that `definition` describes."""
    reels = len(next(iter(definition.counts.values())))
    bonus = definition.bonus
    return SpinDefinition(
        counts=tuple({symbol: numbers[reel] for symbol, numbers in definition.counts.items()} for reel in range(reels)),
        rows=definition.rows,
        lines=((0,) * reels,),
        rules=LineRules(pays=definition.pays, wild=definition.wild, features={bonus.symbol: bonus.count}),
        scatter=ScatterRules(symbol=definition.scatter.symbol, pays=definition.scatter.pays),
        picks=PickRules(name="bonus", picks={bonus.symbol: {bonus.count: 1}}, mean=Fraction(bonus.mean)),
    )


def prove(definition: DefinitionFile) -> DefinitionSheet:
    """Return what `definition` returns, from integers and fractions."""
    spin = spin_of(definition)
    ways = scatter_ways(spin)
    scatter = sum(ways[count] * pay for count, pay in spin.scatter.pays.items() if count < len(ways))
    parts = {
        "lines": line_mean(spin, Runs(spin.rules, spin.rules.pays, spin.symbols)),
        "bonus": line_mean(spin, Runs(spin.rules, spin.picks.picks, spin.symbols)) * spin.picks.mean,
        "scatter": Fraction(scatter, spin.combinations),
    }
    return DefinitionSheet(
        name=definition.name,
        combinations=spin.combinations,
        rtp_percent=percent(sum(parts.values(), Fraction(0))),
        parts={name: percent(share) for name, share in parts.items()},
    )
