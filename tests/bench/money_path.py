"""How many of the controller's files a press passes to its stake row, and a coin to its credit row.

`python -m tests.bench.money_path` prints both. A profile function on the event loop's and the journal's threads sees
each function of `controller/` that is entered, from the press or the coin to the call of `ledger.append` with the row;
a coroutine that is resumed is not entered again. A *move* is an entry from another file than the caller's, or from
outside the controller (the event loop, the journal's thread).
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import FrameType

import controller
from drivers.capabilities import CoinReport
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only
from tests.rigs.virtual_time import run_virtual

ROOT = str(Path(controller.__file__).parent) + "/"


class Tracer:
    """Counts the moves into each file until a ledger row of `kind` is appended."""

    def __init__(self, kind: str) -> None:
        self.moves: Counter[str] = Counter()
        self.over = False
        self._kind = kind
        self._seen: dict[int, FrameType] = {}

    def __call__(self, frame: FrameType, event: str, _arg: object) -> None:
        """Take an event of `sys.setprofile`."""
        file = frame.f_code.co_filename
        if self.over or event != "call" or not file.startswith(ROOT) or id(frame) in self._seen:
            return
        self._seen[id(frame)] = frame  # held, so that no other frame gets its id
        if _controller_file(frame.f_back) != file:
            self.moves[file.removeprefix(ROOT)] += 1
        if file.endswith("/ledger.py") and frame.f_code.co_name == "append":
            self.over = frame.f_locals["entry"].kind == self._kind


def _controller_file(frame: FrameType | None) -> str:
    """Return the file of the nearest caller in the controller, empty for none."""
    while frame is not None and not frame.f_code.co_filename.startswith(ROOT):
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


async def traced(rig: Rig, kind: str, act: Callable[[], Awaitable[object]]) -> Counter[str]:
    """Return the moves into each file from `act` to the ledger row of that kind."""
    tracer = Tracer(kind)
    writer = rig.journal._thread
    writer.submit(sys.setprofile, tracer).result()
    sys.setprofile(tracer)
    try:
        await act()
        await rig.until_true(lambda: tracer.over)
    finally:
        sys.setprofile(None)
        writer.submit(sys.setprofile, None).result()
    return tracer.moves


async def paths(folder: Path) -> dict[str, Counter[str]]:
    """Return the moves of a press of SPIN and of a coin, each by file."""
    async with Rig(folder, config=only(folder, "neptune")) as rig:
        await rig.game(2000)
        coin = CoinReport(serial=7, counter=1, values_cents=(100,))
        return {
            "coin": await traced(rig, "coin", lambda: rig.listener.coins(coin)),
            "press": await traced(rig, "stake", lambda: rig.press("spin")),
        }


def main() -> None:
    """Print both paths."""
    with tempfile.TemporaryDirectory() as folder:
        for name, moves in run_virtual(paths(Path(folder))).items():
            print(f"{name}: {len(moves)} files, {moves.total()} moves")  # noqa: T201 - the figures asked for
            for file, count in moves.items():
                print(f"  {count:3} {file}")  # noqa: T201


if __name__ == "__main__":
    main()
