"""What a benchmark reports, and the few statistics that all of them use."""

import math
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "bench"
"""Where benchmarks keep what is slow to make, on the disk that the repository lies on."""


Progress = Callable[[int, int], None]
"""Called with how many steps of a benchmark are done, and how many there are."""
T = TypeVar("T")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table.

    `measured` and `floor` are in `unit`; `aim` says in words what must be reached, `met` whether it was; `notes`
    are further readings of the same run.
    """

    what: str
    measured: float
    floor: float
    unit: str
    aim: str
    met: bool
    notes: str = ""


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest of `values` that at least `share` of them do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def machine() -> str:
    """Return what the figures were measured on, and how busy it was when the run began."""
    load = os.getloadavg()[0]
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {load:.1f}"


def silent(_done: int, _total: int) -> None:
    """Show no progress."""


def tracked(items: Sequence[T], progress: Progress) -> Iterator[T]:
    """Yield `items`, and report each as done when the next one is asked for."""
    progress(0, len(items))
    for number, item in enumerate(items, 1):
        yield item
        progress(number, len(items))
