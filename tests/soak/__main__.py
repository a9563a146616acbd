"""`python -m tests.soak [--hours 24] [--seed 1] [--folder build/soak]`: soak a cabinet and write the report."""

import argparse
import asyncio
import ctypes
import signal
import sys
import time
import traceback
from pathlib import Path

import msgspec

from tests.soak.day import Day
from tests.soak.day_loop import run_day
from tests.soak.figures import Sample
from tests.soak.report import report, verdicts

_ARENA_MAX, _MMAP_THRESHOLD = -8, -3
_LARGE = 512 * 1024


def _give_back_at_once() -> None:
    """Have the C library give back what is freed: one heap, and large blocks (pictures, sounds) outside of it.

    Left alone it keeps up to a hundred megabytes of what is free, now more, now less, in which a leak would hide.
    """
    library = ctypes.CDLL(None)
    library.mallopt(_ARENA_MAX, 1)
    library.mallopt(_MMAP_THRESHOLD, _LARGE)


class Kept:
    """The report and the samples in a folder, written anew each hour, so that a soak cut off still says what was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._hour = -1

    def take(self, day: Day, sample: Sample) -> None:
        """Keep a sample; with the first of an hour, the report."""
        with (self.folder / "samples.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(sample) + b"\n")
        if int(sample.hours) > self._hour:
            self._hour = int(sample.hours)
            self.write(day)
            print(  # noqa: T201 - for whoever waits
                f"hour {sample.hours:5.2f}: {sample.wall_s / 60:.1f} min, {sample.cuts} cuts, "
                f"{day.prover.replayed} rounds proved, {len(day.failures)} failures, "
                f"{sample.resident >> 20} MB, {sample.handles} handles",
                flush=True,
            )

    def write(self, day: Day) -> None:
        """Write the report so far."""
        (self.folder / "report.md").write_text(report(day, self.samples))

    @property
    def samples(self) -> list[Sample]:
        """All that were taken; they are kept on the disk alone, or they would grow like what is looked for."""
        path = self.folder / "samples.jsonl"
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [msgspec.json.decode(line, type=Sample) for line in lines]


async def soak(day: Day, kept: Kept) -> str:
    """Live the day and return what went wrong, empty for nothing."""

    def end() -> None:
        day.ending = True

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end)
    try:
        await day.live()
    except Exception:  # noqa: BLE001 - whatever it was, the report says it
        day.failures.append(traceback.format_exc())
        if day.cabinet.supervisor is not None:
            await day.cabinet.cut(mains=True)
    await day.cabinet.kill_display()
    kept.write(day)
    return "\n".join(day.failures)


def main() -> int:
    """Soak a cabinet; return 1 where anything was not as it must be."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="how long the cabinet's day is, simulated")
    parser.add_argument("--seed", type=int, default=1, help="of all chance: the same seed lives the same day, nearly")
    parser.add_argument("--folder", type=Path, default=Path("build/soak"), help="where report, samples and books go")
    parser.add_argument("--books", type=Path, help="where the books go instead: on /dev/shm a sync takes no time")
    options = parser.parse_args()
    books = (options.books or options.folder) / f"books-{time.strftime('%Y%m%d-%H%M%S')}"
    books.mkdir(parents=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "samples.jsonl").unlink(missing_ok=True)
    kept = Kept(options.folder)
    day = Day(books, hours=options.hours, seed=options.seed, on_sample=kept.take)
    _give_back_at_once()
    failure = run_day(soak(day, kept))
    growing = {what: more for what, more in verdicts(kept.samples).items() if more}
    print(failure or (f"grown: {growing}" if growing else "flat"), options.folder / "report.md")  # noqa: T201
    return 1 if failure or growing else 0


if __name__ == "__main__":
    sys.exit(main())
