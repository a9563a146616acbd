"""What a window of a strip can show."""

from collections.abc import Sequence


def most_in_view(strip: Sequence[str], symbol: str, rows: int) -> int:
    """Return how many of `symbol` a window of `rows` rows of `strip` can show at most."""
    loop = [*strip, *strip[: rows - 1]]
    return max(loop[stop : stop + rows].count(symbol) for stop in range(len(strip)))
