"""The exact change of the return for each changed stop of the strips and each changed weight of the tables.

The game's own maths recomputes the return for every change, with the changed strip or weight in place of the original
(`gamekit.designer.variants`); nothing is estimated. Strips and tables that exceed the time limit are left out and
listed.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

import msgspec

from gamekit.designer.variants import Constant, changed, strips_of, weights_of, with_strips, with_weights
from gamekit.maths import KnowsMean, Maths, cost

Strips = tuple[tuple[str, ...], ...]
Progress = Callable[[str, int, int], None]


class StopChange(msgspec.Struct, frozen=True, kw_only=True):
    """One stop of a reel, both counted from 0: what its symbol's removal or replacement does to the return.

    Changes are percentage points of the bet; None where the game's own code refuses the strip. `replaced` is by symbol,
    and empty where replacements were left out.
    """

    reel: int
    stop: int
    symbol: str
    removed: float | None
    replaced: dict[str, float | None]


class StripsChange(msgspec.Struct, frozen=True, kw_only=True):
    """Every stop of one set of strips; `left_out` says what was not worked out, and why."""

    name: str
    stops: list[StopChange]
    seconds: float
    left_out: str


class WeightChange(msgspec.Struct, frozen=True, kw_only=True):
    """What one more of this weight does to the return, in percentage points of the bet."""

    amount: str
    weight: int
    change: float | None


class TableChange(msgspec.Struct, frozen=True, kw_only=True):
    """Every weight of one table."""

    name: str
    weights: list[WeightChange]
    seconds: float
    left_out: str


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """The sensitivities at the highest bet in the first memory state."""

    strips: list[StripsChange]
    tables: list[TableChange]


def sensitivity(maths: Maths, limit_s: float, progress: Progress = lambda *_: None) -> Sensitivity:
    """Return the sensitivities of `maths`; a set of strips or a table may take `limit_s` seconds of the processor."""
    measure = _Measure(maths)
    name = maths.game.name
    return Sensitivity(
        strips=[_strips(measure, one, strips, limit_s, progress) for one, strips in strips_of(name)],
        tables=[_table(measure, one, weights, limit_s, progress) for one, weights in weights_of(name)],
    )


class _Measure:
    """The return with one constant changed, less that without; the same value is worked out once."""

    def __init__(self, maths: Maths) -> None:
        self._name = maths.game.name
        self._own = _mean(maths)
        self._known: dict[tuple[str, object], float | None] = {}

    def change(self, constant: Constant, key: object, value: Callable[[], object]) -> float | None:
        """Return the change in percentage points; None where the game refuses the value."""
        place = (constant.name, key)
        if place not in self._known:
            try:
                with changed(self._name, constant, value()) as maths:
                    self._known[place] = float(100 * (_mean(maths) - self._own))
            except (ValueError, ArithmeticError, LookupError):  # how a game's own checks refuse a strip or a table
                self._known[place] = None
        return self._known[place]


def _mean(maths: Maths) -> Fraction:
    stake, state = maths.stakes[-1], maths.states[0]
    mean = maths.mean(stake, state) if isinstance(maths, KnowsMean) else maths.figures(stake, state).mean
    return mean / cost(stake)


def _strips(measure: _Measure, constant: Constant, strips: Strips, limit_s: float, progress: Progress) -> StripsChange:
    places = [(reel, stop) for reel, strip in enumerate(strips) for stop in range(len(strip))]
    symbols = sorted({symbol for strip in strips for symbol in strip})
    began = time.process_time()

    def remove(reel: int, stop: int) -> Strips:
        return _with_reel(strips, reel, (*strips[reel][:stop], *strips[reel][stop + 1 :]))

    def replace(reel: int, stop: int, symbol: str) -> Strips:
        return _with_reel(strips, reel, (*strips[reel][:stop], symbol, *strips[reel][stop + 1 :]))

    def worked_out(changes: Sequence[Strips], what: str) -> tuple[dict[Strips, float | None], str]:
        """Return the result of each of `changes`, or none and the reason."""
        done: dict[Strips, float | None] = {}
        every = list(dict.fromkeys(changes))
        for number, (one, spent) in enumerate(_timed(every)):
            progress(f"{constant.name}: {what}", number, len(every))
            if number and spent / number * len(every) > limit_s:
                return {}, f"{what}: {len(every):,} changes at {spent / number:.2f} s each, more than {limit_s:.0f} s"
            done[one] = 0.0 if one == strips else measure.change(constant, one, partial(with_strips, constant, one))
        progress(f"{constant.name}: {what}", len(every), len(every))
        return done, ""

    removed, why = worked_out([remove(*place) for place in places], "stops removed")
    replaced, why_not = (
        ({}, "")
        if why
        else worked_out([replace(*place, symbol) for place in places for symbol in symbols], "symbols replaced")
    )
    return StripsChange(
        name=constant.name,
        stops=[
            StopChange(
                reel=reel,
                stop=stop,
                symbol=strips[reel][stop],
                removed=removed.get(remove(reel, stop)),
                replaced={symbol: replaced.get(replace(reel, stop, symbol)) for symbol in symbols} if replaced else {},
            )
            for reel, stop in places
            if removed
        ],
        seconds=time.process_time() - began,
        left_out=why or why_not,
    )


def _with_reel(strips: Strips, reel: int, strip: tuple[str, ...]) -> Strips:
    return (*strips[:reel], strip, *strips[reel + 1 :])


def _timed(every: Sequence[Strips]) -> Iterator[tuple[Strips, float]]:
    """Yield each item with the seconds since the first was requested."""
    began = time.process_time()
    for one in every:
        yield one, time.process_time() - began


def _table(
    measure: _Measure, constant: Constant, weights: dict[object, int], limit_s: float, progress: Progress
) -> TableChange:
    began = time.process_time()
    rows: list[WeightChange] = []
    left_out = ""
    for number, (amount, weight) in enumerate(weights.items()):
        progress(f"{constant.name}: weights", number, len(weights))
        spent = time.process_time() - began
        if number and spent / number * len(weights) > limit_s:
            left_out = f"{len(weights)} weights at {spent / number:.2f} s each, more than {limit_s:.0f} s"
            rows = []
            break
        more = {**weights, amount: weight + 1}
        change = measure.change(constant, tuple(more.items()), partial(with_weights, constant, more))
        rows.append(WeightChange(amount=str(amount), weight=weight, change=change))
    progress(f"{constant.name}: weights", len(weights), len(weights))
    return TableChange(name=constant.name, weights=rows, seconds=time.process_time() - began, left_out=left_out)
