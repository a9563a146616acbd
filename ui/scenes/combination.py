"""Stops chosen by a technician, on the game's own screen: marked as a test, with what they would pay (T.17)."""

from ui import text
from ui.lettering import Colour
from ui.protocol.values import PastRound
from ui.scenes.recall import Recall

MARK: Colour = (142, 20, 150)
"""The colour of a test's window, different from games and recall."""


class Combination(Recall):
    """The scene of chosen stops; its six keys turn the reels one after another."""

    colour = MARK
    keys = (
        ("first", text.TEST_TEN_BACK),
        ("up", text.TEST_ONE_BACK),
        ("down", text.TEST_ONE_ON),
        ("last", text.TEST_TEN_ON),
        ("enter", text.TEST_NEXT_REEL),
        ("back", text.TEST_LEAVE),
    )
    nothing = text.TEST_NO_LINE

    def about(self, past: PastRound) -> list[str]:
        """Return the words of the sign."""
        game = self._context.themes.theme(past.game).game.title
        return [text.say(text.TEST_WINDOW), game, text.say(text.TEST_NOTHING_DRAWN)]
