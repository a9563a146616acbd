"""How sheets and pages say what is bet: lines and coins on each, or in a game of ways, which has no lines, coins."""

from gamekit.catalogue import load, names
from gamekit.ways_scene import ways_of


def ways_in(game: str) -> int:
    """Return how many ways the game called `game` has; 0 for one of lines, and for one that is not here."""
    return ways_of(load(game)) if game in names() else 0


def wins_of(game: str) -> str:
    """Return what pays in a game beside its scatters: `lines` or `ways`."""
    return "ways" if ways_in(game) else "lines"


def bet_words(game: str, lines: int, coins_per_line: int) -> str:
    """Return a bet in words: `15 lines x 5`, or `243 ways, 20 coins`."""
    ways = ways_in(game)
    return f"{ways} ways, {lines * coins_per_line} coins" if ways else f"{lines} lines x {coins_per_line}"
