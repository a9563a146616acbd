"""What a game is: a play that yields beats and offers, and can be replayed from its draws and answers.

A play is a generator. It draws random numbers through `Draw`, yields `Beat`s (what happened) and
`Offer`s (the player's turn), is sent an `Answer` after each offer, and returns the game's new memory.
The same stake, draws, answers and memory always give the same steps: a play reads no clock, no file,
no pool and no other source of chance.
"""

from collections.abc import Callable, Generator
from types import UnionType
from typing import ClassVar, Protocol

import msgspec


class Draw(Protocol):
    """The only source of chance: an unbiased integer in `range(bound)`."""

    def __call__(self, bound: int, /) -> int:
        """Return the integer drawn."""
        ...


class Stake(msgspec.Struct, frozen=True, kw_only=True):
    """One bet, in coins of `coin_value_cents` each.

    A play computes in coins; it needs their value only for amounts fixed in cents (double and gamble, pools). A
    `price` above 1 is the cost of a bought feature in whole bets. `gamble_cap_cents` is the cabinet's cap on the
    amount that may be gambled, 0 for no gamble; with None the game's own rules apply.
    """

    lines: int
    coins_per_line: int
    coin_value_cents: int = 1
    price: int = 1
    gamble_cap_cents: int | None = None

    @property
    def coins(self) -> int:
        """The whole bet in coins, without what a bought feature costs."""
        return self.lines * self.coins_per_line


class Beat(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Something that happened and is shown; `coins` and `cents` together are what it pays.

    Only double and gamble pay in `cents`, and only their pay may be negative: a loss takes back what was at risk in
    the offer before. `wins_feature` marks a kind of beat that begins a feature without an offer.
    """

    wins_feature: ClassVar[bool] = False
    coins: int = 0
    cents: int = 0


class Offer(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The player's turn: the play waits for an `Answer` whose `choice` lies in `choices`.

    `pick` distinguishes a real choice from a mere press to continue. `at_risk_cents` is the amount that the beats have
    paid but the player does not own yet: it is credited once a later segment no longer has it at risk. `gamble` marks a
    kind of offer that stakes the amount at risk: its first choice collects, and is the default answer. An offer that
    `waits` needs the player's answer; any other continues by itself.
    """

    gamble: ClassVar[bool] = False
    waits: ClassVar[bool] = True
    choices: tuple[int, ...] = (0,)
    pick: bool = False
    at_risk_cents: int = 0


class Claim(Offer, frozen=True, kw_only=True):
    """The jackpot was won: the pool, not the player, answers, with its whole coins as the `choice`.

    `choices` is empty, because any amount is a valid answer.
    """

    choices: tuple[int, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What the player (or, after 120 powered-on hours, a fair draw) chose; what the pool paid."""

    choice: int = 0


class PoolRule(msgspec.Struct, frozen=True, kw_only=True):
    """A progressive jackpot: a pool for each coin value.

    It is worth `seed_coins` at every coin value and grows by `growth_per_mille` of every bet made at its coin value.
    """

    seed_coins: int
    growth_per_mille: int


class TotalBets(msgspec.Struct, frozen=True, kw_only=True):
    """The bets of a game that is bet by its total, without a choice of lines, coins and coin values.

    Bets are multiples of `unit_cents` up to `highest_cents`; the unit is the cost of all lines at one cent per coin.
    `usual_cents`, in rising order, are the bets that a cabinet offers unless its configuration names others.
    """

    unit_cents: int
    highest_cents: int
    usual_cents: tuple[int, ...]


Step = Beat | Offer
Memory = msgspec.Struct | None
Play = Callable[[Stake, Draw, Memory], Generator[Step, Answer | None, Memory]]


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a game's screen between two steps; games add their own fields."""


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game as the controller, the display and the mathematics see it.

    `step_type` is the tagged union of all steps the play yields; `idle` is the scene of a player who
    has just sat down; `advance(scene, stake, step)` folds one step into a scene, so that a display that starts
    in the middle of a round can draw it. `total_bets` is set in games that are bet by their total;
    `buy_price` is the cost, in whole bets, of the feature on sale between rounds, 0 if nothing is sold.
    The `pool` is won at any bet, or with `pool_at_highest_bet` only at all lines and the most coins.
    `gamble_cap_cents` is the highest amount that may be gambled, 0 in games without a gamble; a cabinet may lower it.
    `companions` is the number of characters from which the player chooses one on entering; the play does not depend on
    it. `seated(scene, memory)` adds to a scene what a bet's memory shows before a stake, in games with visible memory.
    """

    name: str
    title: str
    maths_version: int
    maths_hash: str
    reels: int
    rows: int
    line_counts: tuple[int, ...]
    coins_per_line: tuple[int, ...]
    play: Play
    step_type: type | UnionType
    scene_type: type[Scene]
    memory_type: type[msgspec.Struct] | None
    pool: PoolRule | None = None
    pool_at_highest_bet: bool = False
    total_bets: TotalBets | None = None
    buy_price: int = 0
    gamble_cap_cents: int = 0
    companions: int = 0
    seated: Callable[[Scene, Memory], Scene] | None = None
    idle: Scene
    advance: Callable[[Scene, Stake, Step], Scene]

    def stakes(self) -> list[Stake]:
        """Every selectable bet, lines first."""
        return [Stake(lines=lines, coins_per_line=coins) for lines in self.line_counts for coins in self.coins_per_line]
