"""The order of a bake: the first game's needs come first, and two bakes never use the same folder at once."""

import ctypes
import fcntl
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

_NICE = 10
_PR_SET_PDEATHSIG = 1


class Piece(NamedTuple):
    """A piece of work of a bake; it returns lines of report. Pieces marked `first` are waited for before all others."""

    make: Callable[[], Sequence[str]]
    first: bool


@contextmanager
def alone(out: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Lock the baked folder; another bake waits until this one ends, however that ends."""
    out.mkdir(parents=True, exist_ok=True)
    folder = out.resolve()
    # The lock is beside the folder, because the folder's files are packaged and signed.
    with folder.with_name(f".{folder.name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another bake works in {out}: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def work(pieces: Sequence[Piece], say: Callable[[str], None], first: Callable[[], None]) -> None:
    """Do all pieces on every core, the first ones and then the largest; call `first` once the first ones are done.

    The later ones run at low priority, so that a game can be played at the same time. A terminal shows a bar.
    """
    console = Console(file=sys.stderr)
    columns = (TextColumn("baking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    parts = [[piece for piece in pieces if piece.first], [piece for piece in pieces if not piece.first]]
    with ProcessPoolExecutor(initializer=_end_with, initargs=(os.getpid(),)) as workers:
        for number, part in enumerate(parts):
            # No bar is drawn beside the demo, which then owns the terminal.
            shown = console.is_terminal and not (number and parts[0])
            with Progress(*columns, console=console, disable=not shown, transient=True) as bar:
                task = bar.add_task("baking", total=len(part))
                for done in as_completed(
                    [workers.submit(_done, piece.make, nice=number > 0 and bool(parts[0])) for piece in part]
                ):
                    for line in done.result():
                        say(line)
                    bar.advance(task)
            if not number:
                first()


def _end_with(parent: int) -> None:
    """Let this worker end when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent and multiprocessing.get_start_method() == "fork":
        os._exit(1)


def _done(make: Callable[[], Sequence[str]], *, nice: bool) -> Sequence[str]:
    if nice and os.getpriority(os.PRIO_PROCESS, 0) < _NICE:
        os.setpriority(os.PRIO_PROCESS, 0, _NICE)
    return make()
