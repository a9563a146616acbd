"""Chooses the words of the line under the reels among messages, payments, notices and wins."""

from math import ceil, inf

from ui import text
from ui.director import Director
from ui.protocol.messages import View

EACH_WIN_S = 1.6
"""Seconds for which the loop shows one win, and for which a prompt is shown in turn."""
_FRAME_S = 1 / 12
_LEAST_TURNS = 3
"""The least number of the loop's wins for which a notice stays before the wins' words take their turn."""


def current(view: View) -> tuple[str, bool]:
    """Return what stays on the line until the next play, and whether it is golden; empty for nothing.

    This is a message, or else the result of a cash-out and a notice that the next play clears.
    """
    if words := text.message(view):
        return words, False
    notice = next((text.notice(notice) for notice in view.notices if not notice.lasting), "")
    if text.paid(view.balance.paid):
        return _joined(text.money_out(view.balance), notice), True
    return notice, False


def news(view: View) -> str:
    """Return the words while no game is open: the result of a cash-out, and the first notice."""
    return _joined(text.money_out(view.balance), text.notice(view.notices[0]) if view.notices else "")


def _joined(*words: str) -> str:
    return "  ·  ".join(filter(None, words))


def lasting(view: View) -> str:
    """Return what stays after the next play: held money, or a fault of a device that play does not need."""
    if view.balance.held_cents:
        return text.held(view.balance)
    return next((text.notice(notice) for notice in view.notices if notice.lasting), "")


def message_or_lasting(view: View) -> tuple[str, bool]:
    """Return what to show in turn with a prompt, and whether it is golden; empty for nothing."""
    said, gold = current(view)
    return (said, gold) if said else (lasting(view), False)


def beside_prompt(director: Director, prompt: str, now: float, *, gold: bool = True) -> tuple[str, bool]:
    """Return the line's words while the player is asked for `prompt`, and whether they are golden.

    The prompt takes the first turn; a message, payment, notice or fault takes every other one. Nothing is asked while a
    past round is shown, where a message has the line to itself, or in a demonstration.
    """
    if director.demonstrates:
        return "", False
    said, said_gold = message_or_lasting(director.view)
    if said and not (prompt and is_prompt_turn(director, now)):
        return said, said_gold
    return prompt, gold


def is_prompt_turn(director: Director, now: float) -> bool:
    """Whether it is the prompt's turn at `now`: always if there is nothing else to say, never if nobody plays."""
    if director.demonstrates or _message_alone(director.view):
        return False
    return not message_or_lasting(director.view)[0] or int((now - director.picture_since) / EACH_WIN_S) % 2 == 0


def _message_alone(view: View) -> bool:
    return bool(view.message) and view.past.replay is not None


def prompt_due(director: Director, now: float) -> float:
    """Return when the next turn beside a prompt begins; infinity if the prompt has the line to itself."""
    if _message_alone(director.view) or not message_or_lasting(director.view)[0]:
        return inf
    since = director.picture_since
    return max(since + (int((now - since) / EACH_WIN_S) + 1) * EACH_WIN_S, now + _FRAME_S)


def beside_wins(view: View, words: str, elapsed: float, wins: int) -> tuple[str, bool]:
    """Return the line's words while the loop shows `words` of one of `wins` wins, and whether they are golden.

    A message stays; a lasting notice takes turns with the wins, in whole loops that begin with the notice.
    """
    said, gold = current(view)
    if said:
        return said, gold
    if notice := lasting(view):
        loops = ceil(_LEAST_TURNS / wins)
        if int(elapsed / EACH_WIN_S) // (wins * loops) % 2 == 0:
            return notice, False
    return words, True
