"""Mystery Elves as its exact mathematics sees it: lines, and Hold and Win, of a paid spin and of a bought one."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from gamekit.beats import LineWin
from gamekit.declared.order_words import line_words, respin_words, stop_words
from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.exact.extremes import Largest
from gamekit.exact.hits import LineHits
from gamekit.exact.hold_and_win import FilledCells
from gamekit.exact.moments import SpinAnalysis, line_mean, scatter_ways
from gamekit.exact.near_misses import NearMiss, window_miss
from gamekit.exact.prizes import PrizeHits, line_prizes
from gamekit.exact.runs import Runs
from gamekit.exact.wins import SpinWins, WinLaw
from gamekit.hold_and_win import RespinsWon
from gamekit.lines import LineEvaluator
from gamekit.maths import BASE, BetFigures, Moves, Part, PartFigure, Trigger, WithoutMemory
from gamekit.play import Game, Stake
from gamekit.scatters import ScatterCounter
from games.mystery_elves import GAME
from games.mystery_elves.bonuses import HoldAndWinPaid
from games.mystery_elves.feature_maths import CELLS, NOTHING, Power, largest_worth, worth
from games.mystery_elves.pays import BONUS, BUY_PRICE, LEAST_BONUSES, LINE_RULES, LINES
from games.mystery_elves.play import TRIGGERS
from games.mystery_elves.strips import HOLD_RULES, REELS

SPIN = SpinDefinition(
    counts=count_symbols(REELS),
    rows=REELS.rows,
    lines=LINES,
    rules=LINE_RULES,
    scatter=ScatterRules(symbol=BONUS, pays={}),
    picks=PickRules(name="none", picks={}, mean=Fraction(0)),
    reels=REELS,
)
"""The paid spin: its bonus symbols pay nothing, its lines have no picks."""


@dataclass
class _Triggers:
    """The triggering stops with the same number of bonus symbols: their number, those that pay, and the line pays."""

    ways: int = 0
    paying: int = 0
    coins: int = 0
    squares: int = 0
    largest: int = 0
    largest_ways: int = 0
    wins: Counter[int] = field(default_factory=Counter)

    def add(self, coins: int) -> None:
        """Add one combination of stops whose lines pay `coins`."""
        self.wins[coins] += 1
        self.ways += 1
        self.paying += coins > 0
        self.coins += coins
        self.squares += coins**2
        if coins > self.largest:
            self.largest, self.largest_ways = coins, 0
        self.largest_ways += coins == self.largest


class MysteryElvesMaths(WithoutMemory):
    """The exact figures of both bets; every triggering combination of stops is enumerated once."""

    @property
    def game(self) -> Game:
        """Mystery Elves."""
        return GAME

    @property
    def stakes(self) -> Sequence[Stake]:
        """The bought spin, then the paid one: how much a coin is worth changes no figure."""
        paid = GAME.stakes()
        return [*(Stake(lines=bet.lines, coins_per_line=1, price=BUY_PRICE) for bet in paid), *paid]

    @property
    def moves(self) -> Moves:
        """No moves: a round has one phase, as only lines pay in its spin and only the end pays in Hold and Win."""
        return {}

    @property
    def parts(self) -> tuple[Part, ...]:
        """The lines, and Hold and Win, whose events are its starts."""
        return (
            Part("lines", ((BASE, LineWin),)),
            Part("hold_and_win", ((BASE, HoldAndWinPaid),), ((BASE, RespinsWon),)),
        )

    @cached_property
    def triggering(self) -> dict[int, _Triggers]:
        """What the triggering stops hold, by the number of bonus symbols that they show."""
        evaluator = LineEvaluator(REELS, LINES, LINE_RULES)
        bonuses = ScatterCounter(REELS, BONUS)
        found: dict[int, _Triggers] = defaultdict(_Triggers)
        for stops in TRIGGERS:
            found[bonuses.count(stops)].add(sum(hit.pay for hit in evaluator.hits(stops, len(LINES))))
        return dict(sorted(found.items()))

    @cached_property
    def trigger_chance(self) -> Fraction:
        """The chance that a paid spin starts Hold and Win."""
        return Fraction(TRIGGERS.total, SPIN.combinations)

    @cached_property
    def filled(self) -> FilledCells:
        """The law of the cells that Hold and Win fills."""
        return FilledCells(HOLD_RULES)

    @cached_property
    def _worths(self) -> dict[int, Power]:
        return {filled: worth(filled) for filled in range(LEAST_BONUSES, CELLS + 1)}

    def feature(self, held: int) -> Power:
        """Return what Hold and Win that starts with `held` bonus symbols is worth, in whole bets."""
        parts = (self._worths[filled] * chance for filled, chance in self.filled.law(held).items())
        return sum(parts, NOTHING * Fraction(0))

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """Hold and Win."""
        return (Trigger("hold_and_win", ((BASE, RespinsWon),)),)

    @property
    def order(self) -> tuple[str, ...]:
        """Bonus symbols, lines, Hold and Win, gamble."""
        return (
            stop_words("REELS"),
            (
                "A bought spin costs BUY_PRICE bets: one draw from all combinations of stops with LEAST_BONUSES or "
                "more of BONUS in the window, each as likely as another; all else is as in a paid spin of one bet."
            ),
            (
                "Each BONUS carries an amount of CARRIED, drawn as it lands, reel by reel and from the top: so many "
                "whole bets, or MYSTERY, or MULTIPLYING. After a MULTIPLYING the others of the round draw from "
                "CARRIED_BESIDE_MULTIPLYING."
            ),
            *line_words(LINE_RULES),
            "LEAST_BONUSES or more of BONUS in the window start hold and win; without it they pay nothing.",
            *respin_words("BONUS", "RESPINS", "the strip of HOLD_RULES"),
            (
                "At its end each MYSTERY draws an award from AWARDS, in whole bets; after the first GRAND each "
                "further one counts as MAJOR."
            ),
            (
                "Then a MULTIPLYING multiplies all bets carried and all awards by an amount of MULTIPLIERS, but by "
                "GRAND_MULTIPLIER, without a draw, where a GRAND was awarded."
            ),
            (
                "Then each MYSTERY and MULTIPLYING turns into an amount of VALUES, in whole bets, which is added and "
                "not multiplied by it."
            ),
            "If every cell is filled the sum of all is multiplied by FULL_MULTIPLIER. The sum is paid.",
            "Last the round's win may be gambled, each colour drawn after the guess.",
        )

    def spin_wins(self, stake: Stake) -> WinLaw:
        """Return what the lines of a paid or a bought spin win: bonus symbols pay in Hold and Win alone."""
        if stake.price == 1:
            return SpinWins(SPIN, stake.lines).law()
        ways = sum((group.wins for group in self.triggering.values()), Counter[int]())
        return WinLaw(stake.lines * stake.price, ways)

    def mean(self, stake: Stake, state: str) -> Fraction:
        """Return what a paid spin returns, in coins at one a line; a bought one's needs all its triggering stops."""
        if stake.price > 1:
            return self.figures(stake, state).mean
        lines = line_mean(SPIN, Runs(SPIN.rules, SPIN.rules.pays, SPIN.symbols))
        ways = enumerate(scatter_ways(SPIN))
        feature = sum(
            (way * self.feature(held).first for held, way in ways if held >= LEAST_BONUSES and way), Fraction(0)
        )
        return len(LINES) * (lines + feature / SPIN.combinations)

    def prizes(self) -> Sequence[PrizeHits]:
        """Return the prizes of a paid spin."""
        return [*line_prizes(REELS, LINES, LINE_RULES)]

    def near_misses(self, _stake: Stake) -> Sequence[NearMiss]:
        """Return those of Hold and Win."""
        return [window_miss("hold_and_win", REELS, BONUS, LEAST_BONUSES)]

    def best_free_spin(self, _stake: Stake) -> None:
        """Return nothing: the game has no free spins."""
        return

    def figures(self, stake: Stake, _state: str) -> BetFigures:
        """Return the figures of a paid or a bought spin, at one coin a line, in coins."""
        if stake.price == 1:
            spin = SpinAnalysis(SPIN).at(len(LINES))
            pays = LineHits(SPIN, tuple(LINE_RULES.pays))
            chance = self.trigger_chance
            return self._round(
                lines=Power(Fraction(1), spin.mean[0], spin.product[0][0]),
                paying=pays.chance(len(LINES)),
                chance=chance,
                hit_frequency=pays.chance(len(LINES), range(LEAST_BONUSES, CELLS + 1)),
            )
        found = self.triggering.values()
        ways = TRIGGERS.total
        return self._round(
            lines=Power(
                Fraction(1),
                Fraction(sum(group.coins for group in found), ways),
                Fraction(sum(group.squares for group in found), ways),
            ),
            paying=Fraction(sum(group.paying for group in found), ways),
            chance=Fraction(1),
            hit_frequency=Fraction(1),
        )

    def _round(self, *, lines: Power, paying: Fraction, chance: Fraction, hit_frequency: Fraction) -> BetFigures:
        """Combine `lines` and the feature, which starts with `chance`; both depend on the number of bonus symbols."""
        bet = len(LINES)
        feature = NOTHING * Fraction(0)
        together = Fraction(0)
        for held, group in self.triggering.items():
            known = self.feature(held)
            share = chance * Fraction(group.ways, TRIGGERS.total)
            feature += known * share
            together += share * Fraction(group.coins, group.ways) * known.first
        lines_variance = lines.second - lines.first**2
        feature_variance = feature.second - feature.first**2
        covariance = together - lines.first * feature.first
        return BetFigures(
            parts=(
                PartFigure(lines.first, lines_variance, paying),
                PartFigure(bet * feature.first, bet**2 * feature_variance, chance),
            ),
            variance=lines_variance + 2 * bet * covariance + bet**2 * feature_variance,
            hit_frequency=hit_frequency,
            triggers={"hold_and_win": chance},
            largest=self._largest(chance),
        )

    def _largest(self, chance: Fraction) -> Largest:
        """Return the largest win of a spin that triggers with `chance`: every cell filled, beside the highest lines."""
        lines = max(group.largest for group in self.triggering.values())
        bets, fills = largest_worth()
        ways = sum(
            Fraction(group.largest_ways, TRIGGERS.total) * self.filled.law(held)[CELLS]
            for held, group in self.triggering.items()
            if group.largest == lines
        )
        return Largest(lines + bets * len(LINES), chance * ways * fills)


MATHS = MysteryElvesMaths()
