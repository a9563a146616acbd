"""What cascades win over every combination of stops, by full-cycle enumeration.

In the middle of a chain a reel is determined by the strip position at its top and the symbols in its window. So each
reel has a small table of states: the ways that a state adds for each symbol, the rows that hold them, and the next
state for each set of vanished rows. Combinations whose first three reels win nothing and keep no run alive are only
counted; the others are played, many at a time.

Only the tools that compute figures need numpy, not the programs that show them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gamekit.cascades import CascadeRules
from gamekit.exact.spin_law import Outcome
from gamekit.reels import Reels, Strip
from gamekit.ways import WaysRules

Ints = npt.NDArray[np.int64]

_TOGETHER = 400_000
"""Combinations that are played at once."""
_FIRST = 3
"""Reels by which it is decided whether a combination may win."""
_COIN_BITS = 24
_TAG_BITS = 14


class TooLargeError(OverflowError):
    """A spin wins more than the tables can hold."""


class ReelStates(NamedTuple):
    """The states of one reel; the first ones are its stops.

    `counts` is the number of ways that a state adds for a symbol, wilds included; `present` has a bit for each symbol
    with ways; `rows` has the bits of the rows that hold a symbol, by state and symbol; `tags` is what a state adds to
    the tag; `after` is the next state for each set of vanished rows.
    """

    stops: int
    counts: Ints
    present: Ints
    rows: Ints
    tags: Ints
    after: Ints


class Chain(NamedTuple):
    """The tables of all reels; `pays` by symbol and run length, `paying` the bits of paying symbols by run length."""

    reels: tuple[ReelStates, ...]
    pays: Ints
    paying: tuple[int, ...]
    most: int


def chain_of(reels: Reels, rules: WaysRules, most: int, tag_of: Callable[[Strip], int]) -> Chain:
    """Return the tables of `reels`; `tag_of` returns what a column of the last window adds to the tag."""
    symbols = list(rules.pays)
    pays: Ints = np.zeros((len(symbols), len(reels.strips) + 1), dtype=np.int64)
    for index, symbol in enumerate(symbols):
        for run, pay in rules.pays[symbol].items():
            pays[index, run] = pay
    paying = tuple(
        sum(1 << index for index, symbol in enumerate(symbols) if run in rules.pays[symbol])
        for run in range(len(reels.strips) + 1)
    )
    states = tuple(_states(strip, reels.rows, rules, symbols, tag_of) for strip in reels.strips)
    return Chain(states, pays, paying, most)


def _states(
    strip: Strip, height: int, rules: WaysRules, symbols: Sequence[str], tag_of: Callable[[Strip], int]
) -> ReelStates:
    length = len(strip)
    known: dict[tuple[int, Strip], int] = {}
    for stop in range(length):
        known[stop, tuple(strip[(stop + row) % length] for row in range(height))] = stop
    after: list[list[int]] = []
    todo = list(known)
    for top, column in todo:
        following = []
        for vanished in range(1 << height):
            rest = tuple(shown for row, shown in enumerate(column) if not (vanished >> row) & 1)
            new_top = (top - (height - len(rest))) % length
            state = (new_top, tuple(strip[(new_top + row) % length] for row in range(height - len(rest))) + rest)
            if state not in known:
                known[state] = len(known)
                todo.append(state)
            following.append(known[state])
        after.append(following)
    columns = [column for _, column in known]
    counts = np.array([[rules.counted(column, symbol) for symbol in symbols] for column in columns], dtype=np.int64)
    rows = [
        [sum(1 << row for row, shown in enumerate(column) if shown in (symbol, rules.wild)) for symbol in symbols]
        for column in columns
    ]
    return ReelStates(
        stops=length,
        counts=counts,
        present=(counts > 0) @ (1 << np.arange(len(symbols), dtype=np.int64)),
        rows=np.array(rows, dtype=np.int64),
        tags=np.array([tag_of(column) for column in columns], dtype=np.int64),
        after=np.array(after, dtype=np.int64),
    )


class Won(NamedTuple):
    """The number of combinations by tag, coins of the first window and coins of the later ones, for each of the rules.

    `falls` is the length of the longest chain.
    """

    by_rules: list[dict[Outcome, int]]
    falls: int


def cascades_won(chain: Chain, rules: Sequence[CascadeRules]) -> Won:
    """Return the wins over every combination of stops under each of `rules`.

    Raises `TooLargeError` if a spin wins more than the tables can hold.
    """
    laws: list[Counter[int]] = [Counter() for _ in rules]
    for tag, ways in _losing(chain).items():
        for law in laws:
            law[tag << (2 * _COIN_BITS)] += ways
    longest = 0
    for states in _batches(chain):
        packed, falls = _play(chain, states, rules)
        longest = max(longest, falls)
        for law, keys in zip(laws, packed, strict=True):
            found, times = np.unique(keys, return_counts=True)
            for key, count in zip(found.tolist(), times.tolist(), strict=True):
                law[key] += count
    mask = (1 << _COIN_BITS) - 1
    by_rules: list[dict[Outcome, int]] = [
        {(key >> (2 * _COIN_BITS), (key >> _COIN_BITS) & mask, key & mask): ways for key, ways in law.items()}
        for law in laws
    ]
    return Won(by_rules, longest)


def _open(chain: Chain) -> npt.NDArray[np.bool_]:
    """Return for each combination of stops of the first reels (one axis per reel) whether it may still win."""
    first = min(_FIRST, len(chain.reels))
    alive: Ints = np.full((), -1, dtype=np.int64)
    open_: npt.NDArray[np.bool_] = np.zeros((), dtype=np.bool_)
    for number, reel in enumerate(chain.reels[:first], start=1):
        alive = alive[..., None] & reel.present[: reel.stops]
        open_ = open_[..., None] | ((alive & chain.paying[number]) != 0)
    later = 0
    for run in range(first, len(chain.reels) + 1):
        later |= chain.paying[run]
    going: npt.NDArray[np.bool_] = (alive & later) != 0
    return np.logical_or(open_, going)


def _losing(chain: Chain) -> Counter[int]:
    """Return, by tag, the number of combinations that already lose on the first reels."""
    first = min(_FIRST, len(chain.reels))
    added: Ints = np.zeros((), dtype=np.int64)
    for reel in chain.reels[:first]:
        added = added[..., None] + reel.tags[: reel.stops]
    known: Counter[int] = Counter(added[np.logical_not(_open(chain))].tolist())
    for reel in chain.reels[first:]:
        shown = Counter(reel.tags[: reel.stops].tolist())
        more: Counter[int] = Counter()
        for tag, ways in known.items():
            for adds, stops in shown.items():
                more[tag + adds] += ways * stops
        known = more
    return known


def _batches(chain: Chain) -> Iterator[list[Ints]]:
    """Yield the states of all reels for every combination that may win, many at a time."""
    first = min(_FIRST, len(chain.reels))
    begun = np.nonzero(_open(chain))
    rest = [grid.reshape(-1) for grid in np.indices([reel.stops for reel in chain.reels[first:]])]
    each = int(np.prod([reel.stops for reel in chain.reels[first:]], dtype=np.int64))
    size = max(1, _TOGETHER // each)
    for start in range(0, len(begun[0]), size):
        part = [stops[start : start + size] for stops in begun]
        count = len(part[0])
        yield [*(np.repeat(stops, each) for stops in part), *(np.tile(stops, count) for stops in rest)]


def _play(chain: Chain, states: list[Ints], rules: Sequence[CascadeRules]) -> tuple[list[Ints], int]:
    """Return the packed outcomes under each of `rules` of the combinations starting in `states`, and the most falls."""
    size = len(states[0])
    first = np.zeros(size, dtype=np.int64)
    later = [np.zeros(size, dtype=np.int64) for _ in rules]
    tags = np.zeros(size, dtype=np.int64)
    places = np.arange(size)
    longest = 0
    for falls in range(chain.most + 1):
        longest = falls
        coins, vanished = _evaluate(chain, states)
        going = np.nonzero(vanished[0])[0] if falls < chain.most else np.zeros(0, dtype=np.int64)
        still = np.ones(len(places), dtype=np.bool_)
        still[going] = False
        for reel, state in zip(chain.reels, states, strict=True):
            tags[places[still]] += reel.tags[state[still]]
        if falls:
            for rule, won in zip(rules, later, strict=True):
                won[places] += coins * rule.multiplier(falls)
        else:
            first = coins
        if not len(going):
            break
        places = places[going]
        states = [
            reel.after[state[going], gone[going]]
            for reel, state, gone in zip(chain.reels, states, vanished, strict=True)
        ]
    packed = []
    for rule, won in zip(rules, later, strict=True):
        at_once = first * rule.multiplier(0)
        if max(int(at_once.max(initial=0)), int(won.max(initial=0))) >> _COIN_BITS or int(tags.max()) >> _TAG_BITS:
            raise TooLargeError(f"a spin wins 2**{_COIN_BITS} coins or more: give its pays in larger coins")
        packed.append((tags << (2 * _COIN_BITS)) | (at_once << _COIN_BITS) | won)
    return packed, longest


def _evaluate(chain: Chain, states: Sequence[Ints]) -> tuple[Ints, list[Ints]]:
    """Return the wins of the current windows, and for each reel the bits of the rows that vanish."""
    size = len(states[0])
    coins = np.zeros(size, dtype=np.int64)
    vanished = [np.zeros(size, dtype=np.int64) for _ in states]
    alive = []
    bits: Ints = np.full(size, -1, dtype=np.int64)
    winning = np.zeros(size, dtype=np.int64)
    for run, (reel, state) in enumerate(zip(chain.reels, states, strict=True), start=1):
        bits = bits & reel.present[state]
        alive.append(bits)
        winning |= bits & chain.paying[run]
    for symbol in range(len(chain.pays)):
        those = np.nonzero((winning >> symbol) & 1)[0]
        if not len(those):
            continue
        runs = np.zeros(len(those), dtype=np.int64)
        ways = np.ones(len(those), dtype=np.int64)
        for reel, state, bits, gone in zip(chain.reels, states, alive, vanished, strict=True):
            on = ((bits[those] >> symbol) & 1) == 1
            runs += on
            ways *= np.where(on, reel.counts[state[those], symbol], 1)
            gone[those] |= np.where(on, reel.rows[state[those], symbol], 0)
        coins[those] += chain.pays[symbol][runs] * ways
    return coins, vanished
