"""How Mystery Elves' own steps are performed: orbs that show what they carry, respins, and the settlement."""

from collections.abc import Sequence

from gamekit.beats import Cell
from gamekit.hold_and_win import CellsLanded, RespinsEnded, RespinsWon
from gamekit.play import Stake, Step
from games.mystery_elves.bonuses import BonusesLanded, BonusTurned, HoldAndWinPaid, MultiplyingOpened, MysteryOpened
from games.mystery_elves.display.state import Orb, orbs, scene_of, total_bets
from games.mystery_elves.pays import BLANK, LEAST_BONUSES
from games.mystery_elves.strips import HOLD_RULES
from ui.acts import HURRIED_S, TURBO, Act, SpinAct, TotalAct
from ui.anticipation import Anticipation
from ui.climb import WinSizes
from ui.picture import Picture

WIN_SIZES = WinSizes(huge=50, mega=200)
WON_S = 2.8
ENDED_S = 1.3
FLASH_S = 0.3
"""How long an orb's light takes to fade after it has changed."""
FLY_S = 0.55
"""How long an amount takes from its orb to the total."""

_EMPTY_STOP = HOLD_RULES.strip.index(BLANK) + 8
"""What an empty cell's reel shows before its first respin: a stop without a bonus symbol near it."""


class RevealAct(Act):
    """Orbs change one after another from their state in `before` to that in `after`.

    Cell by cell, `cells` change `at` so many seconds after the act has begun; the act ends `rest` after the last.
    """

    def __init__(
        self, before: Picture, after: Picture, cells: Sequence[Cell], at: Sequence[float], *, rest: float
    ) -> None:
        super().__init__(after, 0, at[-1] + rest)
        self.cells = tuple(cells)
        self._at = tuple(at)
        self._pace = 1.0
        self._hurried_at = float("inf")
        self._old = {orb.cell: orb for orb in orbs(scene_of(before.scene))}
        self._new = orbs(scene_of(after.scene))
        self._totals = total_bets(scene_of(before.scene)), total_bets(scene_of(after.scene))

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start at `now`; turbo shortens it, and all that happens in it."""
        super().begin(now, turbo=turbo)
        self._pace = TURBO if turbo else 1.0

    def hurry(self, now: float) -> None:
        """Let everything that has not changed yet change at once."""
        super().hurry(now)
        self._hurried_at = min(self._hurried_at, now)

    def changed_at(self, place: int) -> float:
        """Return when the orb in the cell number `place` of `cells` changes."""
        due = self.began + self._at[place] * self._pace
        return min(due, self._hurried_at)

    def orbs(self, now: float) -> tuple[Orb, ...]:
        """Return the orbs at `now`; one that has just landed is not among them before it changes."""
        waiting = {cell for place, cell in enumerate(self.cells) if now < self.changed_at(place)}
        shown = (self._old.get(orb.cell) if orb.cell in waiting else orb for orb in self._new)
        return tuple(orb for orb in shown if orb is not None)

    def counted_at(self) -> float:
        """Return when the total grows: once the last orb has changed."""
        return self.changed_at(len(self.cells) - 1)

    def total_bets(self, now: float) -> int:
        """Return what has been counted at `now`, in whole bets."""
        return self._totals[now >= self.counted_at()]


class LandedAct(RevealAct):
    """Bonus symbols have landed and show what they carry."""

    sound = "lock"


class WonAct(Act):
    """Enough bonus symbols have landed: Hold and Win has been won."""

    sound = "feature_start"

    def __init__(self, before: Picture, won: RespinsWon) -> None:
        super().__init__(before, 0, WON_S)
        self.count = len(won.held)
        self.respins = won.respins


class CellsAct(SpinAct):
    """A respin: each empty cell spins a reel of its own; `left` counts the respins left while it does."""

    sound = "respin"

    def __init__(self, before: Picture, landed: CellsLanded) -> None:
        scene = scene_of(before.scene)
        resting = {} if scene.respin is None else dict(zip(scene.respin.cells, scene.respin.stops, strict=True))
        starts = tuple(resting.get(cell, _EMPTY_STOP) for cell in landed.cells)
        lands = tuple((HOLD_RULES.strip[stop],) for stop in landed.stops)
        super().__init__(before._replace(stops=starts), landed.stops, Anticipation.none(len(starts)), lands)
        self.cells = landed.cells
        self.left = scene.respins_left - 1

    def begin(self, now: float, *, turbo: bool) -> None:  # noqa: ARG002  fifteen reels stop as fast as turbo's five
        """Start the cells' reels."""
        super().begin(now, turbo=True)


class EndedAct(Act):
    """No respin is left, or every cell is filled."""

    def __init__(self, after: Picture, ended: RespinsEnded) -> None:
        super().__init__(after, 0, ENDED_S)
        self.filled = ended.filled


class CountAct(RevealAct):
    """One orb shows what it adds: `bets` whole bets, which fly to the total."""

    def __init__(self, before: Picture, after: Picture, cell: Cell, bets: int, *, at: float, rest: float) -> None:
        super().__init__(before, after, (cell,), (at,), rest=rest)
        self.bets = bets

    def counted_at(self) -> float:
        """Return when the amount has arrived at the total: hurried, it flies faster, and arrives as the act ends."""
        return min(super().counted_at() + FLY_S * self._pace, self.ends_at())

    def flown(self, now: float) -> float:
        """Return how far the amount has flown at `now`: from 0 at its orb to 1 at the total."""
        started = self.changed_at(0)
        return (now - started) / (self.counted_at() - started)


class MysteryAct(CountAct):
    """A Mystery opens its award."""

    sound = "chest_open"

    def __init__(self, before: Picture, after: Picture, opened: MysteryOpened) -> None:
        super().__init__(before, after, opened.cell, opened.bets, at=0.7, rest=1.5)
        self.award = opened.award


class MultiplyAct(RevealAct):
    """Multiplying shows its multiplier, then multiplies one orb after another."""

    sound = "chest_open"

    def __init__(self, before: Picture, after: Picture, opened: MultiplyingOpened) -> None:
        multiplied = [orb.cell for orb in orbs(scene_of(after.scene)) if orb.bets]
        at = [0.6, *(1.4 + 0.1 * place for place in range(len(multiplied)))]
        super().__init__(before, after, (opened.cell, *multiplied), at, rest=1.2)
        self.multiplier = opened.multiplier


class TurnAct(CountAct):
    """A Mystery or Multiplying is done and turns into a value, which is added."""

    sound = "pick"

    def __init__(self, before: Picture, after: Picture, turned: BonusTurned) -> None:
        super().__init__(before, after, turned.cell, turned.bets, at=0.45, rest=1.05)


class PaidAct(TotalAct):
    """Hold and Win is over, and all of it is paid now."""

    def __init__(self, before: Picture, paid: HoldAndWinPaid, stake_coins: int) -> None:
        super().__init__(before, paid.coins, stake_coins, sizes=WIN_SIZES)
        self.coins = paid.coins
        self.full = paid.full

    def begin(self, now: float, *, turbo: bool) -> None:
        """Start at `now`: the amount in the middle and the WIN figure roll up together."""
        super().begin(now, turbo=turbo)
        self._roll_s = min(self.roll_total_s, self._lasts - HURRIED_S)

    def shown_total(self, now: float) -> int:
        """Return how much of the total is shown at `now`: as much as the WIN figure has grown."""
        return self.rolled(now)


def act_of(step: Step, before: Picture, after: Picture, stake: Stake) -> Act | None:  # noqa: PLR0911  one for each step
    """Return the act of one of Mystery Elves' own steps, or None for a step that every game has."""
    match step:
        case BonusesLanded():
            return _landed(before, after, [bonus.cell for bonus in step.bonuses])
        case RespinsWon():
            return WonAct(before, step)
        case CellsLanded():
            return CellsAct(before, step)
        case RespinsEnded():
            return EndedAct(after, step)
        case MysteryOpened():
            return MysteryAct(before, after, step)
        case MultiplyingOpened():
            return MultiplyAct(before, after, step)
        case BonusTurned():
            return TurnAct(before, after, step)
        case HoldAndWinPaid():
            return PaidAct(before, step, stake.coins)
    return None


def _landed(before: Picture, after: Picture, cells: Sequence[Cell]) -> LandedAct:
    """Let orbs show what they carry: at once where it decides nothing, one after another in the feature."""
    each = 0.18 if scene_of(before.scene).mode != "base" or len(cells) >= LEAST_BONUSES else 0.0
    rest = 0.7 if each else 0.35
    return LandedAct(before, after, cells, [0.05 + each * place for place in range(len(cells))], rest=rest)
