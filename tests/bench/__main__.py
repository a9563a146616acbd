"""`python -m tests.bench [NAME...]`: run all benchmarks, or those named, and print one table.

A missed aim is printed, not an error: the exit code is 0 unless a benchmark broke (1) or is unknown (2).
"""

import argparse
import importlib
import os
import sys

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

from rich.console import Console
from rich.table import Table

from tests.bench.figures import Figure, machine

NAMES = ("durable", "response", "frame_time", "start_time", "display_restart", "memory", "simulation", "par_time")
"""The benchmarks' modules, in the order of the table."""


def run(name: str) -> list[Figure]:
    """Run one benchmark and return its figures."""
    figures: list[Figure] = importlib.import_module(f"tests.bench.{name}").measure()
    return figures


def shown(value: float, unit: str) -> str:
    """Write a figure with the digits that matter: `0.32 ms`, `140,000 /s`."""
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.2f} {unit}"


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
    title = machine()
    console = Console(width=None if sys.stdout.isatty() else 160)
    figures: list[Figure] = []
    for name in names:
        with console.status(f"measuring {name}"):
            figures += run(name)
    console.print(table(figures, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
