"""Prints tables of figures for commands."""

from rich.console import Console
from rich.table import Table

_WIDEST = 1000
_READABLE = 120


def print_whole(table: Table) -> None:
    """Print `table` in full width, even into a narrow window or a pipe: rich would cut figures with an ellipsis."""
    Console(width=_WIDEST).print(table)


def print_within(table: Table) -> None:
    """Print `table` within the terminal's width, or 120 columns into a pipe or file; long cells wrap."""
    console = Console()
    Console(width=console.width if console.is_terminal else _READABLE).print(table)
