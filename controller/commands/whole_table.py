"""Tables of figures as commands print them."""

from rich.console import Console
from rich.table import Table

_WIDEST = 1000
_READABLE = 120


def print_whole(table: Table) -> None:
    """Print `table` as wide as it is, into a narrow window or a pipe too: rich would cut figures with an ellipsis."""
    Console(width=_WIDEST).print(table)


def print_within(table: Table) -> None:
    """Print `table` as wide as the terminal, and at most 120 columns into a pipe or file: its cells go on below."""
    console = Console()
    Console(width=console.width if console.is_terminal else _READABLE).print(table)
