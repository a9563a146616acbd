"""A show in progress: its steps as acts, one after another, with the figures that roll up."""

from collections.abc import Sequence
from typing import NamedTuple

from gamekit.beats import (
    CascadeFell,
    FreeSpinsEnded,
    FreeSpinsWon,
    JackpotWon,
    LineWin,
    PickOpened,
    PicksEnded,
    PicksWon,
    ReelsLanded,
    ScatterWin,
    WaysWin,
)
from gamekit.double_up import CardTurned, DoubleUpEnded, Halved
from gamekit.play import Scene, Stake, Step
from gamekit.ways_scene import WaysScene
from ui.acts import (
    Act,
    CardAct,
    CardsEndedAct,
    FreeSpinsAct,
    HalvedAct,
    JackpotAct,
    OpenAct,
    PicksWonAct,
    SpinAct,
    TotalAct,
    WinsAct,
)
from ui.cascade_acts import CascadeAct, ChainAct, WaysAct
from ui.picture import Picture, Window, landed
from ui.theme import Theme, shown


class _Chain(NamedTuple):
    """The cascades of a spin so far: the number of winning windows and of falls, and the coins paid."""

    windows: int = 0
    falls: int = 0
    coins: int = 0

    def joined(self, wins: Sequence[WaysWin]) -> "_Chain":
        """Return the chain extended by the wins of one more window."""
        return self._replace(windows=self.windows + 1, coins=self.coins + sum(win.coins for win in wins))


class _Script:
    """Converts steps into acts, applying them to the scene."""

    def __init__(self, theme: Theme, base: Scene, stake: Stake) -> None:
        self.acts: list[Act] = []
        self.scene = base
        self._theme = theme
        self._stake = stake
        self._lines: list[LineWin] = []
        self._scatter: ScatterWin | None = None
        self._ways: list[WaysWin] = []
        self._chain = _Chain()

    def take(self, step: Step) -> None:
        """Apply one step and add its act; a spin's line and scatter wins become one act, as do its ways wins."""
        if not isinstance(step, LineWin | ScatterWin | WaysWin):
            self.flush_wins()
        together = isinstance(step, LineWin | ScatterWin) and not (self._ways or self._chain.windows)
        if not (together or isinstance(step, WaysWin | CascadeFell)):
            self.flush_chain()
        before = self._theme.picture(self.scene)
        self.scene = self._theme.game.advance(self.scene, self._stake, step)
        after = self._theme.picture(self.scene)
        if isinstance(step, LineWin):
            self._lines.append(step)
        elif isinstance(step, WaysWin):
            self._ways.append(step)
        elif isinstance(step, ScatterWin):
            self._scatter = step
        elif (act := self._theme.act(step, before, after, self._stake) or self._act(step, before, after)) is not None:
            self.acts.append(act)

    def flush_wins(self) -> None:
        """Add the act of the wins gathered so far."""
        if self._lines or self._scatter:
            picture = self._theme.picture(self.scene)
            self.acts.append(
                WinsAct(picture, self._lines, self._scatter, self._stake.coins, sizes=self._theme.win_sizes)
            )
            self._lines, self._scatter = [], None
        if self._ways:
            self.acts.append(WaysAct(self._theme.picture(self.scene), self._ways, self._stake.coins))
            self._chain = self._chain.joined(self._ways)
            self._ways = []

    def flush_chain(self) -> None:
        """Add the act with the total of a chain of cascades, if several windows paid or it is a big win."""
        self.flush_wins()
        chain, self._chain = self._chain, _Chain()
        if chain.falls:
            act = ChainAct(
                self._theme.picture(self.scene), chain.coins, self._stake.coins, chain.falls, self._theme.win_sizes
            )
            if chain.windows > 1 or act.big:
                self.acts.append(act)

    def _act(self, step: Step, before: Picture, after: Picture) -> Act | None:
        act: Act | None
        match step:
            case ReelsLanded():
                act = spin_of(self._theme, before, after, self._stake)
            case CascadeFell():
                act = CascadeAct(before, step.cells, after)
                if not self._chain.windows and isinstance(before.scene, WaysScene):
                    # A show may begin within a chain; each window before this fall has won.
                    self._chain = _Chain(windows=step.number, coins=before.scene.spin_win)
                self._chain = self._chain._replace(falls=step.number)
            case PicksWon():
                act = PicksWonAct(before, step.line, step.count)
            case PickOpened():
                act = OpenAct(after, step.choice, step.coins)
            case PicksEnded():
                act = TotalAct(before, step.total, self._stake.coins, sizes=self._theme.win_sizes)
            case FreeSpinsWon():
                act = FreeSpinsAct(after, step.spins, retrigger=step.retrigger)
            case FreeSpinsEnded():
                act = TotalAct(before, step.total, self._stake.coins, step.spins, self._theme.win_sizes)
            case _:
                act = _money_act(step, before, after)
        return act


def _money_act(step: Step, before: Picture, after: Picture) -> Act | None:
    """Return the act of a step that any game may end with: the jackpot, or the double-up's cards."""
    match step:
        case JackpotWon():
            return JackpotAct(after, step.coins)
        case CardTurned():
            return CardAct(after, step)
        case Halved():
            return HalvedAct(after, step.credited_cents)
        case DoubleUpEnded() if before.table is not None and before.table.begun:
            return CardsEndedAct(before, step.total_cents)
    return None


def spin_of(theme: Theme, before: Picture, after: Picture, stake: Stake) -> SpinAct:
    """Return the act of reels that spin from what `before` shows to what `after` shows.

    What `after` holds stays over the reels; anything else held in `before` spins away with its reel.
    """
    lands = after.window or landed(theme.strips(after), after.stops, theme.game.rows)
    picture = after._replace(stops=before.stops, window=_leaving(theme, before, after))
    return SpinAct(picture, after.stops, theme.anticipation(after, shown(theme, after), stake.lines), lands)


def _leaving(theme: Theme, before: Picture, after: Picture) -> Window:
    return shown(theme, before._replace(held=tuple(set(before.held) - set(after.held))))


def acts_of(theme: Theme, base: Scene, stake: Stake, steps: Sequence[Step]) -> tuple[list[Act], Scene]:
    """Return the acts that show `steps` from the scene `base`, and the scene at their end."""
    script = _Script(theme, base, stake)
    for step in steps:
        script.take(step)
    script.flush_chain()
    return script.acts, script.scene


class Performance:
    """The performance of show `number`, begun at `now` from the scene `base`.

    `win` and `credit` roll from their current values to `win_cents` and `credit_cents`, and end exactly there.
    """

    def __init__(
        self,
        number: int,
        turn: int,
        base: Scene,
        acts: Sequence[Act],
        final: Scene,
        *,
        coin_value_cents: int,
        from_cents: tuple[int, int],
        to_cents: tuple[int, int],
        turbo: bool,
        now: float,
        plain: bool = False,
    ) -> None:
        self.number = number
        self.turn = turn
        self.base = base
        self.final = final
        self.acked = False
        self._acts = list(acts)
        for act in self._acts:
            act.plain = plain
        self._place = 0
        self._coin_value_cents = coin_value_cents
        self._from_win, self._from_credit = from_cents
        self._to_win, self._to_credit = to_cents
        self._turbo = turbo
        self._shown_coins = 0
        self._shown_cents = 0
        if self._acts:
            self._acts[0].begin(now, turbo=turbo)

    def __repr__(self) -> str:
        return f"<Performance {self.number} act {self._place + 1} of {len(self._acts)}>"

    @property
    def act(self) -> Act | None:
        """The act in progress, or None when all have ended."""
        return self._acts[self._place] if self._place < len(self._acts) else None

    @property
    def ended(self) -> bool:
        """Whether all acts have ended."""
        return self._place >= len(self._acts)

    def advance(self, now: float) -> None:
        """Advance to the act that is due; an act begins exactly when the previous one ended."""
        while (act := self.act) is not None and act.ended(now):
            self._shown_coins += act.coins
            self._shown_cents += act.cents
            self._place += 1
            following = self.act
            if following is not None:
                # A display that was delayed continues from now, so that nothing is skipped unseen.
                following.begin(now, turbo=self._turbo)

    def hurry(self, now: float) -> None:
        """End the current act soon and, unless it is a spin, the acts after it as well."""
        act = self.act
        if act is None:
            return
        act.hurry(now)
        if not isinstance(act, SpinAct):
            self._turbo = True

    def win(self, now: float) -> int:
        """Return the WIN figure at `now`, in cents."""
        act = self.act
        if act is None:
            return self._to_win
        coins, cents = self._shown_coins + act.rolled(now), self._shown_cents + act.rolled_cents(now)
        least, most = sorted((self._from_win, self._to_win))
        return max(least, min(self._from_win + coins * self._coin_value_cents + cents, most))

    def credit(self, now: float) -> int:
        """Return the CREDIT figure at `now`, in cents; it grows with the win."""
        gained = self._to_win - self._from_win
        if self.ended or gained <= 0:
            return self._to_credit if self.ended else self._from_credit
        rolled = self.win(now) - self._from_win
        return self._from_credit + (self._to_credit - self._from_credit) * rolled // gained
