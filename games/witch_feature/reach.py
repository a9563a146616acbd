"""What a whole play of Witch Feature wins: the lines of the paid spin, the free spins with their lines and features.

The features that potions win in the paid spin are left out, so that the figure is valid for every memory of a bet. The
wilds that land in Random Wilds are left out too: a wild never lowers a window's win. The figure is therefore a lower
bound. The loss is small, because the largest wins come from Mega Wild under a multiplier in free spins.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import prod

from gamekit.exact.tails import Outcomes, Spectra, Spectrum, mixed, played_out, reached, scaled
from gamekit.exact.walks import Columns, Ways
from gamekit.exact.wins import SpinWins
from gamekit.figures import Promise
from gamekit.play import Stake
from gamekit.reels import Reels
from games.witch_feature import GAME
from games.witch_feature.features import MEGA_WILDS, feature_reels
from games.witch_feature.highest import lines_of
from games.witch_feature.pays import (
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    LINES,
    MULTIPLIER_TABLE,
    WILD,
)
from games.witch_feature.play import PAID_REELS
from games.witch_feature.strips import FREE_REELS

LEFT_OUT = "features won by potions, and the wilds that land in Random Wilds"

SPECTRA = Spectra(2**18)


def _columns(reels: Reels, marks: set[tuple[int, int]]) -> list[Columns]:
    """Return what each reel shows with wilds in `marks`, and its Free Spins symbols."""
    return [
        Counter(
            (
                (tuple(WILD if (reel, row) in marks else shown for row, shown in enumerate(column)),),
                column.count(FREE_SPINS),
            )
            for column in (reels.column(reel, stop) for stop in range(length))
        )
        for reel, length in enumerate(reels.lengths)
    ]


def line_ways(reels: Reels, marks: set[tuple[int, int]] | None = None) -> Mapping[int, Ways]:
    """Return what the fifty lines win on `reels` with wilds in `marks`: by Free Spins symbols and by coins."""
    return SpinWins(lines_of(reels), len(LINES), columns=_columns(reels, marks or set())).by_scatters()


def _chances(ways: Mapping[int, int]) -> dict[int, float]:
    """Return the chances of `ways`, which together are certain."""
    return scaled(ways, sum(ways.values()))


def mega_wild_ways() -> Ways:
    """Return what a respin with Mega Wilds wins; every kind weighs the same, and so does each place of a kind."""
    places = [len(kind) for kind in MEGA_WILDS]
    total: Counter[int] = Counter()
    for kind in MEGA_WILDS:
        share = prod(places) // len(kind)
        for cells in kind:
            for coins, ways in line_ways(feature_reels(("mega_wild",)), set(cells))[0].items():
                total[coins] += ways * share
    return dict(total)


def _features() -> Mapping[tuple[str, ...], Spectrum]:
    """Return the spectra of what each of `FREE_FEATURES` wins."""
    single = {
        "high_symbols": _chances(line_ways(feature_reels(("high_symbols",)))[0]),
        "random_wilds": _chances(line_ways(feature_reels(("random_wilds",)))[0]),
        "mega_wild": _chances(mega_wild_ways()),
    }
    respin = dict(line_ways(feature_reels(("multiplier",)))[0])
    # Multiplier by itself respins until a win.
    del respin[0]
    single["multiplier"] = _chances(respin)
    spectra: dict[tuple[str, ...], Spectrum] = {(): SPECTRA.of({0: 1.0})}
    for features in filter(None, FREE_FEATURES):
        wins = single[features[0]]
        multipliers = _chances(MULTIPLIER_TABLE.weights) if "multiplier" in features else {1: 1.0}
        spectra[features] = sum(
            (
                chance * SPECTRA.of({coins * times: each for coins, each in wins.items()})
                for times, chance in multipliers.items()
            ),
            start=SPECTRA.of({0: 0.0}),
        )
    return spectra


def _free() -> Outcomes:
    """Return the outcomes of a free spin: lines, one feature or none, free spins won."""
    table = FREE_FEATURE_TABLE
    spectra = _features()
    feature = sum(
        (weight / table.total * spectra[FREE_FEATURES[place]] for place, weight in table.weights.items()),
        start=SPECTRA.of({0: 0.0}),
    )
    total = prod(FREE_REELS.lengths)
    spins = {0: 0, 1: FREE_SPINS_ADDED, 2: FREE_SPINS_WON}
    lines = line_ways(FREE_REELS)
    return mixed((spins[shown], SPECTRA.of(scaled(ways, total)) * feature) for shown, ways in lines.items())


def _paid() -> Outcomes:
    """Return the outcomes of a paid spin without what its potions win."""
    total = prod(PAID_REELS.lengths)
    lines = line_ways(PAID_REELS)
    return mixed((FREE_SPINS_WON * (shown > 1), SPECTRA.of(scaled(ways, total))) for shown, ways in lines.items())


def spectrum(_stake: Stake) -> Spectrum:
    """Return the spectrum of a whole play, in coins for each coin on a line."""
    return played_out(_paid(), _free())


def promises() -> Iterator[Promise]:
    """Yield what the one bet may promise, in every state of its memory."""
    for stake in GAME.stakes():
        found = reached(SPECTRA.tail(spectrum(stake)))
        yield Promise.of(stake, found.coins * stake.coins_per_line, found.one_in)
