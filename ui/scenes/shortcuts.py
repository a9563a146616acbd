"""The paytable's explanations of the panel's buttons, in their order on the panel."""

from collections.abc import Sequence

from gamekit.play import Game
from ui import text


def shortcuts(game: Game, *, gambles: bool) -> Sequence[str]:
    """Return a sentence for each button with a function in `game`, whose wins may be gambled if `gambles` is set.

    Each begins with the button's name and a colon.
    """
    by_total = game.total_bets is not None
    every = (
        (True, text.SHORTCUT_SPIN),
        (True, text.SHORTCUT_LESS if by_total else text.SHORTCUT_LINES),
        (True, text.SHORTCUT_MORE if by_total else text.SHORTCUT_BET),
        (True, text.SHORTCUT_MAX_BET),
        (gambles, text.SHORTCUT_GAMBLE),
        (game.companions > 0, text.SHORTCUT_CHOICE),
        (True, text.SHORTCUT_AUTO),
        (True, text.SHORTCUT_INFO),
        (True, text.SHORTCUT_COLLECT if gambles else text.SHORTCUT_BACK),
        (True, text.SHORTCUT_SERVICE),
    )
    return [words for there, words in every if there]
