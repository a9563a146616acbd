"""A game's mathematics, as the PAR sheet and the simulation use it.

`games/<game>/maths.py` exports `MATHS`, an object that implements `Maths`; no module that a play imports may import it.
A game of lines, scatter, picks and free spins is described by data alone
(`gamekit.declared.line_game.LineGameMaths`). Any other game provides three things:

- its **parts**: a part owns the coins of pairs of (phase, beat type). A round starts in the phase `BASE`; `moves` says
  which beat of a phase leads to another phase (in FREE, for example, line wins belong to another part). A beat that
  pays coins but is owned by no part is an error, so that no win is forgotten. Double and gamble pay in cents,
  are fair, and are left out.
- its **exact figures** for a bet and a memory `state`: "" where there is no memory, else a name for each memory that
  makes a difference. Coins are those of the given stake, coins per line included; no figure is a float. A part that no
  beat pays has exact figures only (the change in a memory's worth), and the simulation leaves it out.
- the conversion between memory and state, because the simulation carries the memory from round to round.

A simulated player answers a pick with a random choice and any other offer with its first choice, which collects if
winnings are at risk. A claim is answered with the pool's seed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol, runtime_checkable

from gamekit import catalogue
from gamekit.exact.extremes import Largest
from gamekit.exact.near_misses import NearMiss
from gamekit.exact.prizes import PrizeHits
from gamekit.exact.wins import WinLaw
from gamekit.play import Beat, Game, Memory, Stake

BASE = "base"
FREE = "free"

BeatInPhase = tuple[str, type[Beat]]
"""A beat of some type, seen in some phase of a round."""

Moves = Mapping[BeatInPhase, str | Callable[[Beat], str]]
"""The phase that a beat leads to, or a function that finds it from the beat."""


@dataclass(frozen=True)
class Part:
    """A part of the return: the beats whose coins it owns, and the beats that count as its events.

    If `events` is empty, an event is a round in which the part paid. Rare parts are judged by their number of events,
    so choose nearly independent ones: a feature's start rather than its single wins.
    """

    name: str
    pays: tuple[BeatInPhase, ...] = ()
    events: tuple[BeatInPhase, ...] = ()


@dataclass(frozen=True)
class Trigger:
    """The start of a feature, by the beats that show it.

    Its figure is the chance that a paid spin shows one of them, and a simulation counts the rounds that do. If it is
    not `once`, its figure is their mean number in a round, and each of them is counted.
    """

    name: str
    seen: tuple[BeatInPhase, ...]
    once: bool = True


@dataclass(frozen=True)
class PartFigure:
    """A part of a round: mean and variance in coins, and its mean number of events.

    `variance` is None if the exact one is not known; the simulated variance then replaces it.
    """

    mean: Fraction
    variance: Fraction | None
    events: Fraction


@dataclass(frozen=True)
class BetFigures:
    """A round at one bet and state, in coins; `parts` in the order of the maths' parts.

    `growth` is what the pool's growth adds and `free_spins` how many a round plays on average. `triggers` are the
    figures of those of the maths' triggers that can come at this bet; `hit_frequency` is the chance that a paid spin
    pays or starts a feature.
    """

    parts: tuple[PartFigure, ...]
    variance: Fraction | None
    hit_frequency: Fraction
    triggers: Mapping[str, Fraction]
    largest: Largest
    growth: Fraction = Fraction(0)
    free_spins: Fraction = Fraction(0)

    @property
    def mean(self) -> Fraction:
        """What a round returns, growth left out."""
        return sum((part.mean for part in self.parts), Fraction(0))


class Maths(Protocol):
    """A game's mathematics: its parts, its bets and states, and their exact figures."""

    @property
    def game(self) -> Game:
        """The game itself."""
        ...

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the return."""
        ...

    @property
    def triggers(self) -> tuple[Trigger, ...]:
        """What starts features."""
        ...

    @property
    def moves(self) -> Moves:
        """The beats that lead from one phase to another."""
        ...

    @property
    def stakes(self) -> Sequence[Stake]:
        """Every selectable bet, bought ones included; the highest that is not bought comes last."""
        ...

    @property
    def states(self) -> Sequence[str]:
        """Every memory state that makes a difference; ("",) where there is none."""
        ...

    def state(self, memory: Memory) -> str:
        """Return the state that `memory` is in."""
        ...

    def memory(self, state: str) -> Memory:
        """Return a memory in `state`."""
        ...

    @property
    def order(self) -> tuple[str, ...]:
        """The order in which a round is evaluated, a sentence for each step."""
        ...

    def figures(self, stake: Stake, state: str) -> BetFigures:
        """Return the exact figures of a round at `stake` that starts in `state`."""
        ...

    def spin_wins(self, stake: Stake) -> WinLaw:
        """Return what the lines and scatters of one paid or bought spin win, at one coin a line: no state matters."""
        ...

    def best_free_spin(self, stake: Stake) -> Largest | None:
        """Return the largest win of one free spin with what it starts; None where there are none."""
        ...


@runtime_checkable
class KnowsMean(Protocol):
    """Maths that can compute a round's mean without its variance, which sensitivities need thousands of times."""

    def mean(self, stake: Stake, state: str) -> Fraction:
        """Return what a round at `stake` that starts in `state` returns in coins, growth left out."""
        ...


@runtime_checkable
class KnowsMisses(Protocol):
    """Maths that know how often a paid spin shows one less than a feature needs."""

    def near_misses(self, stake: Stake) -> Sequence[NearMiss]:
        """Return the near misses of the features that a paid spin at `stake` may start."""
        ...


@runtime_checkable
class KnowsPrizes(Protocol):
    """Maths that know how often each prize comes over the full cycle of a paid spin."""

    def prizes(self) -> Sequence[PrizeHits]:
        """Return each prize of lines, ways and scatters, all lines played."""
        ...


class WithoutMemory:
    """The one state of a game that keeps no memory."""

    @property
    def states(self) -> Sequence[str]:
        """The empty state alone."""
        return ("",)

    def state(self, _memory: Memory) -> str:
        """Return the empty state."""
        return ""

    def memory(self, _state: str) -> Memory:
        """Return no memory."""
        return None


def cost(stake: Stake) -> int:
    """Return what `stake` costs in coins, a bought feature's price included."""
    return stake.coins * stake.price


def load_maths(name: str) -> Maths:
    """Return the maths of the game called `name`; raise `catalogue.UnknownGameError` where there is none."""
    catalogue.load(name)
    maths: Maths = catalogue.module(name, "maths").MATHS
    return maths


@dataclass(frozen=True)
class Rule:
    """What a beat means in a phase.

    The part that its coins belong to (-1: none), the parts it is an event of, the triggers it shows, the next phase.
    """

    part: int = -1
    events: tuple[int, ...] = ()
    triggers: tuple[int, ...] = ()
    then: str | Callable[[Beat], str] | None = None


@dataclass(frozen=True)
class BeatRules:
    """The parts, triggers and moves of `maths`, compiled to the rules of each phase by type of beat.

    `by_rounds` are the parts whose events are rounds in which they paid, `once` the triggers counted once a round.
    """

    rules: Mapping[str, Mapping[type, Rule]]
    by_rounds: frozenset[int] = field(default_factory=frozenset)
    once: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def of(cls, maths: Maths) -> "BeatRules":
        """Compile the parts of `maths`; raise ValueError where two of them own the same beat."""
        owners: dict[BeatInPhase, int] = {}
        events: dict[BeatInPhase, list[int]] = {}
        for number, part in enumerate(maths.parts):
            for seen in part.pays:
                if seen in owners:
                    raise ValueError(f"{part.name}: {seen[1].__name__} in {seen[0]!r} already belongs to another part")
                owners[seen] = number
            for seen in part.events:
                events.setdefault(seen, []).append(number)
        triggers: dict[BeatInPhase, list[int]] = {}
        for number, trigger in enumerate(maths.triggers):
            for seen in trigger.seen:
                triggers.setdefault(seen, []).append(number)
        rules: dict[str, dict[type, Rule]] = {BASE: {}}
        for phase, beat in {**owners, **events, **triggers, **maths.moves}:
            seen = (phase, beat)
            rule = Rule(
                owners.get(seen, -1),
                tuple(events.get(seen, ())),
                tuple(triggers.get(seen, ())),
                maths.moves.get(seen),
            )
            rules.setdefault(phase, {})[beat] = rule
        for then in maths.moves.values():
            if isinstance(then, str):
                rules.setdefault(then, {})
        return cls(
            rules,
            frozenset(number for number, part in enumerate(maths.parts) if part.pays and not part.events),
            frozenset(number for number, trigger in enumerate(maths.triggers) if trigger.once),
        )
