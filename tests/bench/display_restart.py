"""From SIGKILL of the display to the next frame of a new one that shows the machine's state."""

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.ui.rehearsal import neptune_view
from tests.ui.stand import Stand
from ui.messages import Hello, Snapshot

KILLS = 5


def _newer(stand: Stand, number: int) -> bool:
    return stand.frame()[0] > number


def measure() -> dict[str, float]:
    """Kill and restart the display a few times; return `median_ms`, `max_ms` to the first frame with the game on it."""
    taken: list[float] = []
    with tempfile.TemporaryDirectory(prefix="ui-") as folder:
        stand = Stand(Path(folder))
        stand.start()
        stand.accept()
        stand.say(Hello(), Snapshot(1, neptune_view()))
        stand.until(lambda: stand.frame()[0] > 0)
        for _ in range(KILLS):
            killed = time.monotonic()
            stand.kill()
            stand.start()
            stand.accept()
            number = stand.frame()[0]
            stand.say(Hello(), Snapshot(1, neptune_view()))
            stand.until(partial(_newer, stand, number))
            taken.append((stand.frame()[1] / 1e9 - killed) * 1000)
        stand.end()
    return {"median_ms": statistics.median(taken), "max_ms": max(taken)}


if __name__ == "__main__":
    print(measure())  # noqa: T201  the bench's own output
