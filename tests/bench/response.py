"""From an edge on a pin's wire to the first changed frame on the glass, through three real processes.

The edge is stamped before the devices' process is asked to make it, so the figure is longer than the truth by that
process's own reaction, and never shorter.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pygame

from controller.configuration.cabinet_toml import load
from controller.features.demo.scripted_player import is_idle
from tests.bench.durable import fdatasync_ms
from tests.bench.figures import KEPT, Figure, Progress, quantile, silent, tracked
from tests.bench.live_cabinet import LiveCabinet
from ui.layout import WIDE

ROUNDS = 30
CHOICES_PER_ROUND = 4
"""How often LINES is pressed after each round."""

MOST_MS = 60.0
NOTE_CENTS = 5_000
_LOW_CENTS = 1_000
_LOOK_S = 0.0005
ROUND_BYTES = 49_440
"""What the first transaction of a round adds to the WAL (tests/bench/durable.py)."""

_BETWEEN_S = 0.12


def _respond(cabinet: LiveCabinet, button: str) -> float:
    """Press `button` and return the milliseconds to the presentation of the first frame with another credit or bet."""
    seen = cabinet.header
    shown = cabinet.figures(seen)
    pressed = time.monotonic_ns()
    cabinet.hand.client.send(f"press {button}")
    changed = cabinet.frame_when(seen, lambda figures: figures != shown, lambda: time.sleep(_LOOK_S))
    cabinet.hand.client.do(f"release {button}")
    return (changed.ns - pressed) / 1e6


class Taken(NamedTuple):
    """What was measured: each press in milliseconds, and the debounce time they include."""

    spin: list[float]
    lines: list[float]
    debounce_ms: int


def _press_all(progress: Progress) -> Taken:
    with LiveCabinet(seed=1) as cabinet:
        taken = Taken([], [], load(cabinet.run.configuration).pins.debounce_ms)
        for _ in tracked(range(ROUNDS), progress):
            if cabinet.hand.books.credit_cents < _LOW_CENTS:
                cabinet.insert_note(NOTE_CENTS)
            for _ in range(CHOICES_PER_ROUND):
                cabinet.rest(_BETWEEN_S)
                taken.lines.append(_respond(cabinet, "lines"))
            cabinet.rest(_BETWEEN_S)
            taken.spin.append(_respond(cabinet, "spin"))
            cabinet.hand.until_front("the round begins", lambda front: not is_idle(front))
            cabinet.finish_round()
    return taken


def _copy_ms() -> float:
    """Return the median time to copy one picture into memory, in milliseconds."""
    canvas = pygame.Surface(WIDE.canvas, depth=32)
    glass = bytearray(canvas.get_width() * canvas.get_height() * 4)
    taken = []
    for _ in range(50):
        began = time.perf_counter()
        glass[:] = canvas.get_buffer().raw
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def measure(progress: Progress = silent) -> Iterator[Figure]:
    """Play thirty rounds on a whole cabinet and press LINES in between."""
    taken = _press_all(progress)
    together = taken.spin + taken.lines
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="r", dir=KEPT) as folder:
        synced = fdatasync_ms(Path(folder), ROUND_BYTES)
    worst = quantile(together, 0.99)
    yield Figure(
        what="edge on the pin's wire to changed frame, p99",
        measured=worst,
        floor=taken.debounce_ms + synced + _copy_ms(),
        unit="ms",
        aim=f"at most {MOST_MS:g} ms",
        met=worst <= MOST_MS,
        notes=f"{len(together)} presses, median SPIN {statistics.median(taken.spin):.1f}, LINES"
        f" {statistics.median(taken.lines):.1f}, worst {max(together):.1f} ms; floor: {taken.debounce_ms} ms of"
        " debounce, one fdatasync, one copy of the picture",
    )


if __name__ == "__main__":
    print(*measure(), sep="\n")  # noqa: T201 - its output is what it is for
