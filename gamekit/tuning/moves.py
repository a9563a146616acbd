"""The neighbours of a layout: one reel differs by a swap, a replaced symbol, one symbol more or one fewer."""

import random

from gamekit.tuning.fixed import Fixed, FixedError, Reel
from gamekit.tuning.measure import Layout

_TRIES = 200
_REPAIRS = 20_000


def neighbour(layout: Layout, fixed: Fixed, whim: random.Random) -> tuple[int, Reel] | None:
    """Return the number of a reel (from 0) and a variant of it, or None if no attempt satisfied `fixed`."""
    free = [number for number in range(len(layout)) if number not in fixed.kept]
    for _ in range(_TRIES if free else 0):
        number = whim.choice(free)
        reel = _changed(layout[number], fixed, whim)
        if reel != layout[number] and fixed.within(number, reel) and not fixed.too_close(number, reel):
            return number, reel
    return None


def _changed(reel: Reel, fixed: Fixed, whim: random.Random) -> Reel:
    entries = list(reel)
    place = whim.randrange(len(entries))
    kind = whim.random()
    if kind < 0.3:  # noqa: PLR2004 - a share of the moves, as below
        other = whim.randrange(len(entries))
        entries[place], entries[other] = entries[other], entries[place]
    elif kind < 0.75:  # noqa: PLR2004
        entries[place] = whim.randrange(len(fixed.symbols))
    elif kind < 0.875:  # noqa: PLR2004
        entries.insert(place, whim.randrange(len(fixed.symbols)))
    else:
        del entries[place]
    return tuple(entries)


def settled(layout: Layout, fixed: Fixed, whim: random.Random) -> Layout:
    """Return `layout` changed at random until its counts, lengths and distances satisfy `fixed`.

    Raises `FixedError` if the attempts fail.
    """
    return tuple(
        reel if number in fixed.kept else _settled(number, reel, fixed, whim) for number, reel in enumerate(layout)
    )


def _settled(number: int, reel: Reel, fixed: Fixed, whim: random.Random) -> Reel:
    wrong = _wrong(number, reel, fixed)
    for _ in range(_REPAIRS):
        if not wrong:
            return reel
        other = _changed(reel, fixed, whim)
        now = _wrong(number, other, fixed) if other else wrong + 1
        if now <= wrong:
            reel, wrong = other, now
    raise FixedError(
        f"reel {number + 1}: no order of its symbols keeps what is fixed: give it more stops, or its symbols less"
        " distance, or other counts"
    )


def _wrong(number: int, reel: Reel, fixed: Fixed) -> int:
    """Return by how much a reel violates `fixed`."""
    fewest, longest = fixed.stops[number]
    length = fixed.length(number, reel)
    bounds = enumerate(zip(fixed.least[number], fixed.most[number], strict=True))
    counts = sum(max(0, least - reel.count(entry), reel.count(entry) - most) for entry, (least, most) in bounds)
    return counts + max(0, fewest - length, length - longest) + fixed.too_close(number, reel)
