"""A game declared as data: from a `Declaration` come its play, scene and `GAME`, its mathematics, reach and kernel.

Any part may be absent. A paid spin, and each free spin, is evaluated in this order:

1. The reels stop; wilds held by earlier free spins cover the cells under them.
2. Wilds expand, if the game has expanding wilds. In free spins they are held, if the game has sticky wilds.
3. Lines or ways pay. With cascades the winning cells vanish, the next window pays, and so on.
4. Scatters pay, counted once: in the window of 1., with cascades in the last one.
5. Picks won on lines are opened; hold and win is played if there are enough of its symbols, counted as scatters are.
6. Free spins won by scatters queue.

A game with a new rule writes its own `play` and `MATHS` (docs/adding-a-game.md).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gamekit.cascades import CascadeRules
from gamekit.exact.definition import DefinitionError, ScatterRules
from gamekit.hold_and_win import HoldRules
from gamekit.lines import LineRules, Payline
from gamekit.reels import Reels
from gamekit.ways import WaysRules
from gamekit.weights import WeightedTable

NO_SCATTER = ScatterRules(symbol="", pays={})
"""The scatter of a game that has none."""


@dataclass(frozen=True)
class LineWins:
    """Wins on paylines; `wild_multipliers` hold for line wins with 1, 2, ... wilds in them, the last for any more."""

    lines: tuple[Payline, ...]
    rules: LineRules
    wild_multipliers: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Picks:
    """A bonus won by `symbol` on a line (a feature of the line rules): as many picks as symbols.

    Each pick opens one of `shown` objects, which holds an amount from `table`, in coins per coin on the line. `name` is
    the name of its part of the return, `objects` is what the objects are called.
    """

    symbol: str
    shown: int
    table: WeightedTable
    name: str = "picks"
    objects: str = "objects"


@dataclass(frozen=True, kw_only=True)
class HoldAndWin:
    """Hold and win, started by `least` or more of the symbol of `rules` in the window.

    Each symbol carries an amount from `values`, in whole bets, drawn when it is held. A full window adds `full` bets.
    """

    rules: HoldRules
    least: int
    values: WeightedTable
    full: int = 0
    name: str = "hold_and_win"


@dataclass(frozen=True, kw_only=True)
class FreeSpins:
    """The rules that differ in free spins; the scatter says how many are won.

    `multiplier` applies to lines or ways; free spins with their own `cascades` have it there. `sticky` wilds stay in
    their cells until the free spins end. Without `retrigger` free spins win no further free spins.
    """

    multiplier: int = 1
    reels: Reels | None = None
    cascades: CascadeRules | None = None
    sticky: bool = False
    retrigger: bool = True


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Everything that determines what a game pays. Raises `DefinitionError` if its parts contradict each other."""

    maths_version: int
    reels: Reels
    wins: LineWins | WaysRules
    scatter: ScatterRules = NO_SCATTER
    free_spins: FreeSpins = field(default_factory=FreeSpins)
    picks: Picks | None = None
    hold: HoldAndWin | None = None
    cascades: CascadeRules | None = None
    expanding: bool = False

    def __post_init__(self) -> None:
        """Refuse a declaration that cannot be played or computed."""
        for wrong, reason in self._contradictions():
            if wrong:
                raise DefinitionError(reason)

    def _contradictions(self) -> Iterator[tuple[bool, str]]:
        free = self.free_spins
        features = set(self.wins.rules.features) if isinstance(self.wins, LineWins) else set()
        changed = self.expanding or free.sticky
        yield (
            features != (set() if self.picks is None else {self.picks.symbol}),
            "picks are won on lines, by the one symbol that the line rules have as a feature",
        )
        yield (
            self.cascades is not None and isinstance(self.wins, LineWins),
            "cascades go with ways: give WaysRules, or leave them out",
        )
        yield (
            free.cascades is not None and self.cascades is None,
            "free spins have cascades: give the paid spin its own",
        )
        yield (
            self.cascades is not None and free.multiplier != 1,
            "cascades multiply free spins: give the factors in their CascadeRules alone",
        )
        yield (
            changed and (self.cascades is not None or self.picks is not None),
            "expanding and sticky wilds go with neither cascades nor picks",
        )
        yield (changed and self.wild is None, "wilds expand or stick: name the wild")
        yield (
            changed and isinstance(self.wins, LineWins) and bool(self.wins.wild_multipliers),
            "expanding and sticky wilds on lines are not multiplied",
        )
        yield (free.sticky and free.retrigger, "sticky wilds need an end: free spins without retrigger")
        yield (free.sticky and self.hold is not None, "sticky wilds and hold and win are not worked out together")

    @property
    def has_free_spins(self) -> bool:
        """Whether scatters win free spins."""
        return bool(self.scatter.free_spins)

    @property
    def wild(self) -> str | None:
        """The wild, if there is one."""
        return self.wins.rules.wild if isinstance(self.wins, LineWins) else self.wins.wild

    @property
    def free_reels(self) -> Reels:
        """The reels of free spins."""
        return self.free_spins.reels or self.reels

    @property
    def free_cascades(self) -> CascadeRules | None:
        """The cascades of free spins."""
        return self.free_spins.cascades or self.cascades

    @property
    def maths_parts(self) -> Mapping[str, object]:
        """The parts that the hash of the maths covers; an absent part does not change it."""
        hold, picks, free = self.hold, self.picks, self.free_spins
        every: tuple[tuple[bool, dict[str, object]], ...] = (
            (
                True,
                {
                    "maths_version": self.maths_version,
                    "strips": self.reels.strips,
                    "rows": self.reels.rows,
                    "wild": self.wild,
                    "scatter_pays": self.scatter.pays,
                    **_hashed(self.wins),
                },
            ),
            (
                self.has_free_spins,
                {"free_spins": self.scatter.free_spins, "free_spin_multiplier": free.multiplier},
            ),
            (free.reels is not None, {"free_strips": self.free_reels.strips}),
            (free.sticky, {"sticky": True}),
            (not free.retrigger, {"retrigger": False}),
            (self.expanding, {"expanding": True}),
            (self.cascades is not None, {"cascades": self.cascades, "free_cascades": self.free_cascades}),
            (
                picks is not None,
                {} if picks is None else {picks.objects: picks.table.weights, f"{picks.objects}_shown": picks.shown},
            ),
            (
                hold is not None,
                {} if hold is None else {"hold": (hold.rules, hold.least, hold.values.weights, hold.full)},
            ),
        )
        return {key: value for there, parts in every if there for key, value in parts.items()}


def _hashed(wins: LineWins | WaysRules) -> dict[str, object]:
    if not isinstance(wins, LineWins):
        return {"ways": wins.pays, "wild_multiplier": wins.wild_multiplier}
    hashed: dict[str, object] = {"lines": wins.lines, "pays": wins.rules.pays}
    if wins.rules.features:
        hashed["features"] = wins.rules.features
    if wins.wild_multipliers:
        hashed["wild_multipliers"] = wins.wild_multipliers
    return hashed
