"""`python -m tests.bench [NAME...]`: run all benchmarks, or those named, and print each figure once it is known.

At the end all of them are printed as one table, with the time that each benchmark took. A missed aim is printed, not
an error: the exit code is 0 unless a benchmark broke (1) or is unknown (2).
"""

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table

from tests.bench.figures import Figure, Progress, machine

NAMES = (
    "durable",
    "writes",
    "response",
    "host_port",
    "marked_noise",
    "frame_time",
    "start_time",
    "display_restart",
    "memory",
    "display_memory",
    "simulation",
    "kernels",
    "par_time",
    "venue_load",
)
"""The benchmarks' modules, in the order of the table."""


LINE_EVERY_S = 15.0
"""How often a run whose output goes to a file or a pipe prints how far it is."""

Run = Callable[[str, Progress], Iterable[Figure]]


def run(name: str, progress: Progress) -> Iterator[Figure]:
    """Run one benchmark, and yield each of its figures once it is known."""
    yield from importlib.import_module(f"tests.bench.{name}").measure(progress)


class Watch:
    """Shows how far a run is: bars on a terminal, a line now and then anywhere else."""

    def __init__(self, console: Console, names: Sequence[str], clock: Callable[[], float]) -> None:
        self._console = console
        self._names = names
        self._clock = clock
        self._bars = Bars(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console
        )
        self._bar: TaskID | None = None
        self._head = ""
        self._began = self._shown = clock()

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def begin(self, name: str) -> None:
        """Show that a benchmark begins."""
        self._head = f"{self._names.index(name) + 1} of {len(self._names)}, {name}"
        self._began = self._shown = self._clock()
        if self._console.is_terminal:
            if self._bar is not None:
                self._bars.remove_task(self._bar)
            self._bar = self._bars.add_task(self._head, total=None)
        else:
            self._console.print(f"{self._head}: begun", highlight=False)

    def progress(self, done: int, total: int) -> None:
        """Show how many of how many steps are done."""
        if self._bar is not None:
            self._bars.update(self._bar, completed=done, total=total)
        elif self._clock() - self._shown >= LINE_EVERY_S:
            self._shown = self._clock()
            self._console.print(
                f"{self._head}: {done:,} of {total:,} after {self._shown - self._began:.0f} s", highlight=False
            )


def measured(
    names: Sequence[str], console: Console, run: Run = run, clock: Callable[[], float] = time.monotonic
) -> None:
    """Run the benchmarks called `names`; print each figure once it is known, and all of them in the end."""
    title = machine()
    figures: list[Figure] = []
    taken: list[str] = []
    first = clock()
    with Watch(console, names, clock) as watch:
        for name in names:
            began = clock()
            watch.begin(name)
            for figure in run(name, watch.progress):
                figures.append(figure)
                console.print(in_words(figure))
            taken.append(f"{name} {clock() - began:.0f}")
    console.print(table(figures, title))
    console.print(f"{clock() - first:.0f} s in all: {', '.join(taken)}", highlight=False)


def shown(value: float, unit: str) -> str:
    """Write a figure with the digits that matter: `0.32 ms`, `140,000 /s`."""
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.2f} {unit}"


def in_words(figure: Figure) -> str:
    """Return a figure as a line of text, and a second one of what was read beside it."""
    line = (
        f"[bold]{figure.what}[/bold]: {shown(figure.measured, figure.unit)}, floor {shown(figure.floor, figure.unit)};"
        f" {figure.aim}: {'[green]met[/green]' if figure.met else '[red]missed[/red]'}"
    )
    return f"{line}\n  [dim]{figure.notes}[/dim]" if figure.notes else line


def table(figures: list[Figure], title: str) -> Table:
    """Return the table of all figures, what was read beside each under it."""
    grid = Table(title=title, title_justify="left", show_lines=True)
    for heading in ("figure", "measured", "floor", "ratio", "aim", "met"):
        grid.add_column(heading, justify="right" if heading in ("measured", "floor", "ratio") else "left")
    for figure in figures:
        grid.add_row(
            f"{figure.what}\n[dim]{figure.notes}[/dim]" if figure.notes else figure.what,
            shown(figure.measured, figure.unit),
            shown(figure.floor, figure.unit),
            f"{figure.measured / figure.floor:.2f}",
            figure.aim,
            "[green]yes[/green]" if figure.met else "[red]no[/red]",
        )
    return grid


def main(arguments: list[str] | None = None) -> int:
    """Run what is named, print the table, return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="The figures of docs/benchmarks.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all where none is named")
    names = parser.parse_args(arguments).names or NAMES
    if unknown := sorted(set(names) - set(NAMES)):
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}")
    measured(names, Console(width=None if sys.stdout.isatty() else 160))
    return 0


if __name__ == "__main__":
    sys.exit(main())
