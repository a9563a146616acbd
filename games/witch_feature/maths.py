"""Witch Feature as the PAR sheet and the simulation see it: parts, forty states, and their exact figures.

In every state the parts add up to the same return, because the part `potions_carried` is the gain in worth of the
carried potions (`states.potion_values`). No beat pays that part; the other parts are the return of the state's own
spin.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache

from gamekit.beats import FreeSpinBegins, FreeSpinsWon, LineWin
from gamekit.declared.order_words import line_words, stop_words
from gamekit.exact.extremes import Largest
from gamekit.exact.near_misses import NearMiss, window_miss
from gamekit.exact.prizes import PrizeHits, line_prizes
from gamekit.exact.wins import WinLaw
from gamekit.maths import BASE, FREE, BetFigures, Moves, Part, PartFigure, Trigger
from gamekit.play import Beat, Game, Memory, Stake
from gamekit.reels import Reels
from games.witch_feature import GAME
from games.witch_feature.highest import add_largest, largest_free, largest_with
from games.witch_feature.pays import (
    FREE_FEATURE_TABLE,
    FREE_FEATURES,
    FREE_SPINS,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    LINE_RULES,
    LINES,
)
from games.witch_feature.play import PAID_REELS
from games.witch_feature.potions import EXPLOSION, FEATURES, WitchMemory, collect, won_by
from games.witch_feature.states import STATES, feature_chances, outcomes, potion_values, state_name
from games.witch_feature.steps import FeatureBegins, FeatureEnded
from games.witch_feature.strips import FREE_REELS, PAID_WINDOWS
from games.witch_feature.variance import feature_variance, free_part_variance, lines_variance, round_variance
from games.witch_feature.windows import BOTH, COMBINATIONS, paid_windows
from games.witch_feature.worth import feature_mean, lines_mean, win_chance

POTION_FEATURES = (*FEATURES, EXPLOSION)
_FREE_COMBINATIONS = {
    "_".join(FREE_FEATURES[place]): (FREE_FEATURES[place], Fraction(weight, FREE_FEATURE_TABLE.total))
    for place, weight in FREE_FEATURE_TABLE.weights.items()
    if FREE_FEATURES[place]
}


def _paid_phase(step: Beat) -> str:
    """Return the phase of a feature won by potions."""
    return _feature_name(step)


def _free_phase(step: Beat) -> str:
    """Return the phase of a feature in a free spin."""
    return f"free_{_feature_name(step)}"


def _feature_name(step: Beat) -> str:
    if not isinstance(step, FeatureBegins):
        raise TypeError(f"{type(step).__name__} begins no feature")
    return "_".join(step.features)


def _feature_part(phase: str) -> Part:
    """Return the part that a feature is, counted by its ends."""
    return Part(phase, ((phase, LineWin),), ((phase, FeatureEnded),))


def free_spins_shown(reels: Reels) -> tuple[Fraction, Fraction, Fraction]:
    """Return the chances that `reels` show no Free Spins symbol, one, or both (reels 1 and 5)."""
    first, last = (
        Fraction(
            sum(FREE_SPINS in reels.column(reel, stop) for stop in range(reels.lengths[reel])), reels.lengths[reel]
        )
        for reel in (0, len(reels.strips) - 1)
    )
    return (1 - first) * (1 - last), first + last - 2 * first * last, first * last


@cache
def free_spins_per_round() -> Fraction:
    """Return how many free spins a paid round plays on average, retriggers included."""
    _, one, both = free_spins_shown(FREE_REELS)
    again = FREE_SPINS_ADDED * one + FREE_SPINS_WON * both
    return FREE_SPINS_WON * free_spins_shown(PAID_REELS)[2] / (1 - again)


def free_spins_mean() -> Fraction:
    """Return the mean win of the free spins of a round, with the features in them, in coins."""
    features = sum((chance * feature_mean(played) for played, chance in _FREE_COMBINATIONS.values()), Fraction(0))
    return free_spins_per_round() * (lines_mean(FREE_REELS) + features)


@cache
def hit_frequency(memory: WitchMemory) -> Fraction:
    """Return the chance that a paid spin that starts with `memory` pays or starts a feature."""
    nothing = Fraction(0)
    for shown, ways in paid_windows().items():
        if shown.free_spins == BOTH:
            continue
        combination = collect(memory.carried, shown.potions).combination
        idle = Fraction(1) if combination is None else 1 - won_by(combination, memory.unlocked)[1]
        nothing += ways.get(0, 0) * idle
    return 1 - nothing / COMBINATIONS


@cache
def _largest_lines() -> Mapping[tuple[str, ...], Largest]:
    """Return the largest line win of a paid spin and its chance, by the potions that land."""
    best: dict[tuple[str, ...], Largest] = {}
    for shown, ways in paid_windows().items():
        coins = max(ways)
        found = Largest(coins, Fraction(ways[coins], COMBINATIONS))
        known = best.get(shown.potions)
        best[shown.potions] = found if known is None else add_largest(known, found)
    return best


@cache
def largest_paid(memory: WitchMemory) -> Largest:
    """Return the largest win of a paid spin and its feature that starts with `memory`, free spins left out."""
    return largest_with(_largest_lines(), memory)


@cache
def _spin_wins() -> WinLaw:
    ways: Counter[int] = Counter()
    for shown in paid_windows().values():
        ways.update(shown)
    return WinLaw(len(LINES), dict(sorted(ways.items())))


class WitchMaths:
    """The mathematics of Witch Feature; its one stake is a coin on each of the fifty lines."""

    @property
    def game(self) -> Game:
        """Witch Feature."""
        return GAME

    @property
    def parts(self) -> tuple[Part, ...]:
        """Lines and features of the paid spin, the same in free spins, and what potions carried gain in worth.

        In free spins line wins come in clusters: there an event is a round that wins free spins.
        """
        return (
            Part("lines", ((BASE, LineWin),)),
            *map(_feature_part, POTION_FEATURES),
            Part("free_lines", ((FREE, LineWin),), ((BASE, FreeSpinsWon),)),
            *(_feature_part(f"free_{name}") for name in _FREE_COMBINATIONS),
            Part("potions_carried"),
        )

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """Free spins, and each feature that potions win."""
        return (
            Trigger("free_spins", ((BASE, FreeSpinsWon),)),
            *(Trigger(name, ((name, FeatureEnded),)) for name in POTION_FEATURES),
        )

    @property
    def moves(self) -> Moves:
        """The beats that begin and end features and free spins."""
        return {
            (BASE, FeatureBegins): _paid_phase,
            **{(feature, FeatureEnded): BASE for feature in POTION_FEATURES},
            (BASE, FreeSpinBegins): FREE,
            (FREE, FeatureBegins): _free_phase,
            **{(f"free_{name}", FeatureEnded): FREE for name in _FREE_COMBINATIONS},
        }

    @property
    def stakes(self) -> Sequence[Stake]:
        """The one bet: a coin is a fiftieth of it, whatever it is worth."""
        return GAME.stakes()

    @property
    def states(self) -> Sequence[str]:
        """The forty states of a bet's memory: four of unlocking by ten of potions carried."""
        return tuple(map(state_name, STATES))

    def state(self, memory: Memory) -> str:
        """Return the name of the state that `memory` is in; raise TypeError for another game's."""
        if not isinstance(memory, WitchMemory):
            raise TypeError(f"Witch Feature remembers a WitchMemory, not a {type(memory).__name__}")
        return state_name(memory)

    def memory(self, state: str) -> WitchMemory:
        """Return the memory in `state`; raise KeyError for a name that is none."""
        return {state_name(memory): memory for memory in STATES}[state]

    def figures(self, stake: Stake, state: str) -> BetFigures:
        """Return the figures of a round that starts in `state`; coins per line scale every win alike."""
        memory = self.memory(state)
        coins = stake.coins_per_line
        return BetFigures(
            parts=tuple(
                PartFigure(mean * coins, variance * coins**2, events)
                for mean, variance, events in self._parts_of(memory)
            ),
            variance=round_variance(memory) * coins**2,
            hit_frequency=hit_frequency(memory),
            triggers={"free_spins": free_spins_shown(PAID_REELS)[2], **feature_chances(memory)},
            largest=largest_paid(memory).times(coins),
            free_spins=free_spins_per_round(),
        )

    def mean(self, stake: Stake, state: str) -> Fraction:
        """Return what a round at `stake` that starts in `state` returns, in coins, what potions gain in worth too."""
        memory = self.memory(state)
        features = sum(
            (chance * feature_mean((name,)) for name, chance in feature_chances(memory).items()), Fraction(0)
        )
        won = lines_mean(PAID_REELS) + features + free_spins_mean() + self.potions_gain(memory)
        return won * stake.coins_per_line

    def prizes(self) -> Sequence[PrizeHits]:
        """Return the prizes of a paid spin."""
        return [*line_prizes(PAID_REELS, LINES, LINE_RULES)]

    def near_misses(self, _stake: Stake) -> Sequence[NearMiss]:
        """Return that of the free spins."""
        return [window_miss("free_spins", PAID_WINDOWS, FREE_SPINS, BOTH)]

    @property
    def order(self) -> tuple[str, ...]:
        """Potions, lines, feature, free spins."""
        return (
            stop_words("PAID_WINDOWS"),
            (
                "The POTIONS in the window are collected from left to right: what is above one in its reel falls, and "
                "the strip's symbol above the window enters on top."
            ),
            *line_words(LINE_RULES),
            (
                "Potions collected are carried, for each bet, after those carried before. The first COMBINATION of "
                "them, once there are so many, make a combination, in whatever order, and are used up; the others are "
                "carried on."
            ),
            (
                "A combination wins the feature that FEATURE_OF gives for it, if that is unlocked. If it is locked it "
                "wins the EXPLOSION with its chance in LOCKED_CHANCES; each other combination wins the EXPLOSION with "
                "OTHER_CHANCE."
            ),
            "At first the first of FEATURES is unlocked; each that a combination wins unlocks the next.",
            (
                "A feature is one respin, which pays its lines and nothing else. high_symbols turns HIGH_REELS, all "
                "others turn RESPIN_REELS."
            ),
            "random_wilds puts WILD into so many of CELLS as RANDOM_WILDS_TABLE draws, every set of them as likely.",
            (
                "mega_wild puts WILD into the cells of a place of MEGA_WILDS: first its kind is drawn, then its "
                "place, each as likely as another."
            ),
            "multiplier respins until a respin pays, and pays that so many times as MULTIPLIER_TABLE draws.",
            (
                "The EXPLOSION puts one symbol into EXPLOSION_MARKS of CELLS, every set of them as likely: that of "
                "EXPLOSION_SYMBOLS, counted from 0, which EXPLOSION_TABLE draws."
            ),
            "Two of FREE_SPINS in the window of a paid spin win FREE_SPINS_WON free spins, one wins none.",
            (
                "Free spins follow, each behind a press, at the same bet: each turns FREE_REELS, on which there are "
                "no potions, and pays its lines."
            ),
            (
                "Then FREE_FEATURE_TABLE draws which features of FREE_FEATURES, counted from 0, are played, whatever "
                "is unlocked. multiplier beside another multiplies that one's respin, and none follows."
            ),
            (
                "Then two of FREE_SPINS in its window win FREE_SPINS_WON more, one wins FREE_SPINS_ADDED more; they "
                "queue behind, without limit."
            ),
            (
                "A state is how many features are unlocked after the first, and the potions carried. What the spin "
                "itself returns is what it pays. The return counts also what is carried after it: it is that of "
                "endless play at one bet."
            ),
        )

    def spin_wins(self, _stake: Stake) -> WinLaw:
        """Return what the lines of a paid spin win, its potions collected: no scatter pays."""
        return _spin_wins()

    def best_free_spin(self, stake: Stake) -> Largest:
        """Return the largest win of a free spin with the feature it triggers."""
        return largest_free().times(stake.coins_per_line)

    def _parts_of(self, memory: WitchMemory) -> list[tuple[Fraction, Fraction, Fraction]]:
        """Return mean, variance and mean events of each part, in the order of `parts`."""
        chances = feature_chances(memory)
        free_spins = free_spins_per_round()
        parts = [(lines_mean(PAID_REELS), lines_variance(), win_chance(PAID_REELS))]
        for name in POTION_FEATURES:
            chance = chances.get(name, Fraction(0))
            parts.append((chance * feature_mean((name,)), feature_variance(name, chance), chance))
        started = free_spins_shown(PAID_REELS)[2]
        parts.append((free_spins * lines_mean(FREE_REELS), free_part_variance(lines=True), started))
        for features, chance in _FREE_COMBINATIONS.values():
            played = free_spins * chance
            parts.append((played * feature_mean(features), free_part_variance(features=features), played))
        return [*parts, (self.potions_gain(memory), Fraction(0), Fraction(0))]

    def potions_gain(self, memory: WitchMemory) -> Fraction:
        """Return the mean of Phi(after) - Phi(before) of a paid spin, in coins at one coin a line."""
        worth, _ = potion_values()
        after = sum(
            (chance * worth[outcome.carried] for outcome, chance in outcomes(memory.carried).items()), Fraction(0)
        )
        return after - worth[memory.carried]


MATHS = WitchMaths()
