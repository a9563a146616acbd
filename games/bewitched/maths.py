"""Bewitched as its exact mathematics sees it: the parts of the return, and a round's figures at every bet."""

from collections.abc import Sequence
from fractions import Fraction

from gamekit.beats import FreeSpinBegins, FreeSpinsWon, JackpotWon, LineWin, ScatterWin
from gamekit.declared.order_words import free_spin_words, line_words, multiplied_words, stop_words
from gamekit.exact.extremes import Largest
from gamekit.exact.near_misses import NearMiss, window_miss
from gamekit.exact.prizes import PrizeHits, line_prizes, scatter_prizes
from gamekit.exact.rounds import RoundFigures
from gamekit.exact.wins import SpinWins, WinLaw
from gamekit.maths import BASE, FREE, BetFigures, Moves, Part, PartFigure, Trigger, WithoutMemory
from gamekit.play import Game, Stake
from games.bewitched import GAME
from games.bewitched.moments import SPIN, SpinFigures, largest, potion_moments
from games.bewitched.pays import FREE_SPIN_MULTIPLIER, LINE_RULES, MERLIN, MERLINS, POOL, WITCHES, WITCHES_PAYS
from games.bewitched.steps import Battle, MerlinCame, PotionBrewed
from games.bewitched.strips import REELS


class BewitchedMaths(WithoutMemory):
    """Lines, scatter, Merlin's money and the jackpot, of the paid spin and of the free spins it brings.

    In free spins wins come in clusters: there the events of lines and scatter are rounds that play free spins.
    """

    def __init__(self) -> None:
        self._spin = SpinFigures()

    @property
    def game(self) -> Game:
        """Bewitched."""
        return GAME

    @property
    def stakes(self) -> Sequence[Stake]:
        """Every selectable bet."""
        return GAME.stakes()

    @property
    def moves(self) -> Moves:
        """The first free spin leads from the paid spin to the free ones."""
        return {(BASE, FreeSpinBegins): FREE}

    @property
    def parts(self) -> tuple[Part, ...]:
        """The paid spin's parts, then the same in free spins."""
        begins = ((BASE, FreeSpinBegins),)
        return (
            Part("lines", ((BASE, LineWin),)),
            Part("scatter", ((BASE, ScatterWin),)),
            Part("merlin", ((BASE, PotionBrewed),), ((BASE, MerlinCame),)),
            Part("jackpot", ((BASE, JackpotWon),), ((BASE, JackpotWon),)),
            Part("free_lines", ((FREE, LineWin),), begins),
            Part("free_scatter", ((FREE, ScatterWin),), begins),
            Part("free_merlin", ((FREE, PotionBrewed),), ((FREE, MerlinCame),)),
            Part("free_jackpot", ((FREE, JackpotWon),), ((FREE, JackpotWon),)),
        )

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """Battle, Merlin, free spins by either, and the jackpots of a whole round."""
        return (
            Trigger("battle", ((BASE, Battle),)),
            Trigger("merlin", ((BASE, MerlinCame),)),
            Trigger("free_spins", ((BASE, FreeSpinsWon),)),
            Trigger("jackpot", ((BASE, JackpotWon), (FREE, JackpotWon)), once=False),
        )

    @property
    def order(self) -> tuple[str, ...]:
        """Lines, witches, Merlin, free spins, double."""
        return (
            stop_words("REELS"),
            *line_words(LINE_RULES),
            multiplied_words("FREE_SPIN_MULTIPLIER"),
            (
                "By their number WITCHES anywhere in the window pay WITCHES_PAYS times the whole bet and start a "
                "battle: one draw of BATTLE_ODDS, by one of which it is won. A battle won gives BATTLE_SPINS free "
                "spins, by their number."
            ),
            (
                "MERLINS or more of MERLIN anywhere in the window have VIALS_TAKEN of VIALS_SHOWN vials chosen; which "
                "ones changes nothing. After the last of them one potion is drawn: MONEY, an amount of MONEY_WEIGHTS "
                "times the whole bet; FREE_SPINS, a number of SPINS_WEIGHTS; or JACKPOT."
            ),
            (
                "The weight of each potion is that of its table, JACKPOT's is none, and PER_COIN changes it for each "
                "coin of the whole bet."
            ),
            "JACKPOT pays the coins in the pool of the coin value, which the return counts at its seed in POOL.",
            free_spin_words("REELS", won=": the battle's, then the potion's"),
            "Last the paid spin's line win may be doubled, each colour drawn after the guess.",
        )

    def figures(self, stake: Stake, _state: str) -> BetFigures:
        """Return the figures at `stake`, the pool at its seed; its growth returns what was put in it."""
        spin = self._spin
        potion = potion_moments(stake.coins)
        rounds = RoundFigures(spin.moments(stake, 1), spin.moments(stake, FREE_SPIN_MULTIPLIER))
        jackpots = spin.merlin_chance * potion.jackpot_chance
        free_rounds = spin.free_spins_chance(potion.brings_spins)
        line_rounds = spin.line_chance(stake.lines)
        events = (
            line_rounds,
            spin.battle_chance,
            spin.merlin_chance,
            jackpots,
            free_rounds,
            free_rounds,
            spin.merlin_chance * rounds.free_spins,
            jackpots * rounds.free_spins,
        )
        return BetFigures(
            parts=tuple(
                PartFigure(part.mean, part.variance, mean) for part, mean in zip(rounds.parts(), events, strict=True)
            ),
            variance=rounds.total.variance,
            hit_frequency=spin.hit_frequency(stake.lines),
            triggers={
                "battle": spin.battle_chance,
                "merlin": spin.merlin_chance,
                "free_spins": free_rounds,
                "jackpot": jackpots * (1 + rounds.free_spins),
            },
            largest=largest(stake, 1),
            growth=Fraction(POOL.growth_per_mille, 1000) * stake.coins,
            free_spins=rounds.free_spins,
        )

    def mean(self, stake: Stake, _state: str) -> Fraction:
        """Return what a round at `stake` returns, in coins."""
        (paid, won), (free, again) = (self._spin.means(stake, times) for times in (1, FREE_SPIN_MULTIPLIER))
        return paid + won * free / (1 - again)

    def prizes(self) -> Sequence[PrizeHits]:
        """Return the prizes of a paid spin."""
        return [*line_prizes(REELS, SPIN.lines, LINE_RULES), *scatter_prizes(REELS, WITCHES, WITCHES_PAYS)]

    def near_misses(self, _stake: Stake) -> Sequence[NearMiss]:
        """Return those of the battle and of Merlin."""
        return [
            window_miss("battle", REELS, WITCHES, min(WITCHES_PAYS)),
            window_miss("merlin", REELS, MERLIN, MERLINS),
        ]

    def spin_wins(self, stake: Stake) -> WinLaw:
        """Return what lines and witches of a paid spin win."""
        return SpinWins(SPIN, stake.lines).law()

    def best_free_spin(self, stake: Stake) -> Largest:
        """Return the largest win of a free spin with its potion, the pool at its seed."""
        return largest(stake, FREE_SPIN_MULTIPLIER)


MATHS = BewitchedMaths()
