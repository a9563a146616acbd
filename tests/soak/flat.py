"""Whether what a process holds stays as it is: the rule, its limits and why they are what they are.

A figure is flat where the median of the last third of its samples lies above the median of the first third, the warm
hours left out, by no more than its limit. Medians do not see the one sample that was taken while a game's art was being
loaded. The limits are the same for every run, set by what the smallest leak worth the name comes to between the
two medians of a day (two thirds of the time after the warm hours, some 14 hours, 100 cuts and 5,000 rounds apart):
a handle, a thread or a task a cut is a hundred of them (limits 0 to 2), a small object a round 5,000 objects or blocks
(limit 2,500), a kilobyte a round 5 MB and a picture a cut some hundred surfaces.
"""

from collections.abc import Mapping, Sequence
from statistics import median

Figures = Mapping[str, float]
"""One sample: figures by their names."""

HANDLES: dict[str, float] = {"handles": 0, "threads": 1, "tasks": 2, "fonts": 16}
"""A thread more or less (one that reads art) and two tasks (60 to 63 at any moment) come and go; each size of a
typeface that was drawn with keeps its file open: a display that has shown more pages holds more."""
MEMORY: dict[str, float] = {
    "blocks": 2_500,
    "objects": 2_500,
    "resident": 16 * 2**20,
    "surfaces": 40,
    "pixels": 8 * 2**20,
}
"""Bytes for `resident` (the allocator's own leavings move it by megabytes) and `pixels` (a full screen has 3.7 MB)."""

THIRD = 3
LEAST = 2 * THIRD
"""So few samples are no series: nothing is said of them."""


def growth(samples: Sequence[Figures], name: str) -> float:
    """Return by how much a figure's last third lies above its first, by their medians."""
    third = len(samples) // THIRD
    first, last = samples[:third], samples[-third:]
    return median(one[name] for one in last) - median(one[name] for one in first)


def grown(samples: Sequence[Figures], limits: Mapping[str, float]) -> dict[str, float]:
    """Return by how much each figure has grown that has grown by more than its limit.

    Raise `ValueError` for fewer than `LEAST` samples, of which nothing can be said.
    """
    if len(samples) < LEAST:
        raise ValueError(f"{len(samples)} samples are too few to say whether anything grows; take {LEAST} or more")
    return {name: more for name, limit in limits.items() if (more := growth(samples, name)) > limit}
