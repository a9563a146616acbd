"""Tables of figures as commands print them."""

from rich.console import Console
from rich.table import Table

_WIDEST = 1000


def print_whole(table: Table) -> None:
    """Print `table` as wide as it is, into a narrow window or a pipe too: rich would cut figures with an ellipsis."""
    Console(width=_WIDEST).print(table)
