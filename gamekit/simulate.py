"""Plays many rounds of a game with its production code and adds up the pays of each part."""

import random
from bisect import bisect_left
from collections.abc import Callable, Generator
from typing import NamedTuple

import msgspec

from gamekit.maths import BASE, BeatRules, Maths, Rule, cost
from gamekit.play import Answer, Claim, Draw, Memory, Offer, PoolRule, Stake, Step

WIN_EDGES = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Wins are counted by their size in bets: up to each of these, and above the last."""


class UnownedWinError(ValueError):
    """A beat paid coins in a phase where no part of the game's maths owns it."""


class Tally(msgspec.Struct):
    """Coins won and their squares by part, the events of each part (`gamekit.maths.Part`), and the triggers counted.

    `states` counts the rounds begun in each memory state, `wins` the rounds by the size of their win (`WIN_EDGES`).
    """

    rounds: int
    sums: list[int]
    squares: list[int]
    events: list[int]
    triggers: list[int]
    total_square: int
    states: dict[str, int]
    wins: list[int]

    @classmethod
    def empty(cls, maths: Maths) -> "Tally":
        """Return the tally of no rounds of the game of `maths`."""
        sums, squares, events = ([0] * len(maths.parts) for _ in range(3))
        return cls(0, sums, squares, events, [0] * len(maths.triggers), 0, {}, [0] * (len(WIN_EDGES) + 1))

    def add(self, other: "Tally") -> None:
        """Add `other`'s rounds to these."""
        self.rounds += other.rounds
        self.sums = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        self.squares = [a + b for a, b in zip(self.squares, other.squares, strict=True)]
        self.events = [a + b for a, b in zip(self.events, other.events, strict=True)]
        self.triggers = [a + b for a, b in zip(self.triggers, other.triggers, strict=True)]
        self.total_square += other.total_square
        for state, rounds in other.states.items():
            self.states[state] = self.states.get(state, 0) + rounds
        self.wins = [a + b for a, b in zip(self.wins, other.wins, strict=True)]


def seeded_draw(source: random.Random) -> Draw:
    """Return an unbiased draw from `source`, by rejection."""
    bits = source.getrandbits

    def draw(bound: int, /) -> int:
        width = bound.bit_length()
        value = bits(width)
        while value >= bound:
            value = bits(width)
        return value

    return draw


def answer_fairly(offer: Offer, draw: Draw, pool: PoolRule | None) -> Answer:
    """Answer `offer` as `gamekit.maths` specifies; a claim is answered with the seed of `pool`, without its growth."""
    if isinstance(offer, Claim):
        if pool is None:
            raise ValueError("the play claims a pool, but its game has none: give the Game its `pool`")
        return Answer(pool.seed_coins)
    if offer.pick and not offer.at_risk_cents:
        return Answer(offer.choices[draw(len(offer.choices))])
    return Answer(offer.choices[0])


def play_rounds(
    maths: Maths,
    stake: Stake,
    draw: Draw,
    rounds: int,
    state: str | None = None,
    *,
    each: Callable[[int, int], object] | None = None,
) -> Tally:
    """Play `rounds` rounds at `stake`, the memory carried from each to the next; the first begins in `state`.

    `each` is called after every round with its coins, and with the triggers it showed: a bit for each, by its place.
    """
    game = maths.game
    pool = game.pool
    beat_rules = BeatRules.of(maths)
    tally = Tally.empty(maths)
    states = maths.states
    memory = maths.memory(states[0] if state is None else state)
    paid = cost(stake)
    for _ in range(rounds):
        if len(states) > 1:
            begun = maths.state(memory)
            tally.states[begun] = tally.states.get(begun, 0) + 1
        round_ = _Round({}, {})
        memory = _play_out(
            game.play(stake, draw, memory), draw, pool=pool, beat_rules=beat_rules, round_=round_, tally=tally
        )
        if round_.won:
            _book(tally, beat_rules, round_.won, paid)
        for trigger, count in round_.triggers.items():
            tally.triggers[trigger] += 1 if trigger in beat_rules.once else count
        if each is not None:
            each(sum(round_.won.values()), sum(1 << trigger for trigger in round_.triggers))
    tally.rounds = rounds
    tally.wins[0] = rounds - sum(tally.wins[1:])
    if len(states) == 1:
        tally.states[states[0]] = rounds
    return tally


class _Round(NamedTuple):
    """What one round has won by part, and how often its triggers were seen."""

    won: dict[int, int]
    triggers: dict[int, int]


def _play_out(
    play: Generator[Step, Answer | None, Memory],
    draw: Draw,
    *,
    pool: PoolRule | None,
    beat_rules: BeatRules,
    round_: _Round,
    tally: Tally,
) -> Memory:
    """Play one round to its end; add what it paid to `round_`, with its triggers, and its events to `tally`."""
    answer = None
    rules = beat_rules.rules[BASE]
    nothing = Rule()
    try:
        while True:
            step = play.send(answer)
            answer = None
            if isinstance(step, Offer):
                answer = answer_fairly(step, draw, pool)
                continue
            rule = rules.get(type(step), nothing)
            if step.coins:
                part = rule.part
                if part < 0:
                    raise UnownedWinError(f"no part of the return owns {step!r}: add it to the `parts` of its maths")
                round_.won[part] = round_.won.get(part, 0) + step.coins
            for event in rule.events:
                tally.events[event] += 1
            for trigger in rule.triggers:
                round_.triggers[trigger] = round_.triggers.get(trigger, 0) + 1
            then = rule.then
            if then is not None:
                rules = beat_rules.rules[then if isinstance(then, str) else then(step)]
    except StopIteration as ended:
        memory: Memory = ended.value
        return memory


def _book(tally: Tally, beat_rules: BeatRules, won: dict[int, int], paid: int) -> None:
    for part, coins in won.items():
        tally.sums[part] += coins
        tally.squares[part] += coins * coins
        if part in beat_rules.by_rounds:
            tally.events[part] += 1
    total = sum(won.values())
    tally.total_square += total**2
    tally.wins[bisect_left(WIN_EDGES, -(-total // paid))] += 1
