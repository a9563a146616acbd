"""What the line under the reels says where a message, a payment, a notice and the wins all have words for it."""

from math import ceil

from ui import text
from ui.messages import View

EACH_WIN_S = 1.6
"""How long the loop shows one win."""
_LEAST_TURNS = 3
"""For at least so many of the loop's wins a notice stays before their words take their turn."""


def told(view: View) -> tuple[str, bool]:
    """Return what stays on the line until the next play, and whether it is golden; no words for nothing.

    That is a message, else what became of the money taken out, else a notice that the next play clears.
    """
    if words := text.message(view):
        return words, False
    if text.paid(view.paid):
        return text.money_out(view), True
    return next((text.notice(notice) for notice in view.notices if not notice.lasting), ""), False


def lasting(view: View) -> str:
    """Return what outlives the next play: money that is held, else a fault of a device that play does not need."""
    if view.held_cents:
        return text.held(view)
    return next((text.notice(notice) for notice in view.notices if notice.lasting), "")


def beside_wins(view: View, words: str, elapsed: float, wins: int) -> tuple[str, bool]:
    """Return what the line says while the loop shows `words` of one of `wins` wins, and whether it is golden.

    What is told stays; a lasting notice takes turns with the wins, in whole loops and beginning with the notice.
    """
    said, gold = told(view)
    if said:
        return said, gold
    if notice := lasting(view):
        loops = ceil(_LEAST_TURNS / wins)
        if int(elapsed / EACH_WIN_S) // (wins * loops) % 2 == 0:
            return notice, False
    return words, True
