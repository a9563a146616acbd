"""How often a window shows one less than a feature needs: exactly, from the strips."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from gamekit.exact.definition import SpinDefinition
from gamekit.exact.hits import LineHits
from gamekit.reels import Reels


@dataclass(frozen=True)
class NearMiss:
    """What a paid spin's window needs for a feature, in words, and the chances of hit and near miss.

    `met` is the chance that it shows enough, `missed` that it shows one less. `suspense` is the chance that one less is
    in view before the last reel that can add one stops; None if that does not apply.
    """

    name: str
    needs: str
    met: Fraction
    missed: Fraction
    suspense: Fraction | None = None


def window_miss(name: str, reels: Reels, symbol: str, least: int, counted: Collection[int] | None = None) -> NearMiss:
    """Return the near misses of a feature that needs `least` of `symbol` anywhere; on the `counted` reels alone."""
    places = [reel for reel in range(len(reels.strips)) if counted is None or reel in counted]
    by_reel = [_shown(reels, reel, symbol) for reel in places]
    able = [number for number, shown in enumerate(by_reel) if set(shown) != {0}]
    before = _total(by_reel[: able[-1]]) if able else {0: Fraction(1)}
    every = _total(by_reel)
    on = "" if counted is None else f" on reel{'s' if len(places) > 1 else ''} {', '.join(str(n + 1) for n in places)}"
    return NearMiss(
        name=name,
        needs=f"{least} or more {symbol}{on}",
        met=sum((chance for count, chance in every.items() if count >= least), Fraction(0)),
        missed=every.get(least - 1, Fraction(0)),
        suspense=before.get(least - 1, Fraction(0)) if len(places) > 1 else None,
    )


def line_miss(name: str, spin: SpinDefinition, symbol: str, least: int, lines: int) -> NearMiss:
    """Return the near misses of a feature that needs a run of `least` of `symbol` from reel 1 on a played line.

    A miss is a window whose longest such run is one shorter.
    """
    met, nearly = (
        LineHits(replace(spin, rules=replace(spin.rules, features={**spin.rules.features, symbol: run})), {symbol})
        for run in (least, least - 1)
    )
    chance = met.chance(lines)
    return NearMiss(name, f"{least} {symbol} on a line from reel 1", chance, nearly.chance(lines) - chance)


def _shown(reels: Reels, reel: int, symbol: str) -> Mapping[int, Fraction]:
    length = reels.lengths[reel]
    counts = Counter(reels.column(reel, stop).count(symbol) for stop in range(length))
    return {count: Fraction(stops, length) for count, stops in counts.items()}


def _total(by_reel: Collection[Mapping[int, Fraction]]) -> Mapping[int, Fraction]:
    total = {0: Fraction(1)}
    for shown in by_reel:
        longer: dict[int, Fraction] = {}
        for before, chance in total.items():
            for count, likely in shown.items():
                longer[before + count] = longer.get(before + count, Fraction(0)) + chance * likely
        total = longer
    return total
