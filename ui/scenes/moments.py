"""Which part of a highlight attract shows: always the end, with all that its round has won.

A round that takes `WHOLE_S` seconds at most is shown whole. A longer one is entered late, between two of its parts: its
amount begins with what the parts before have won, and its last parts, as many as fit `LATE_S`, are shown to the end.
"""

from typing import NamedTuple

import msgspec

from gamekit.highlights import Highlight, Played, replay
from ui.protocol.messages import View
from ui.scenes.playback import BEGINS_S, HURRIED_S, Playback
from ui.theme import Theme

WHOLE_S = HURRIED_S
"""A round that takes so long at most is seen from its beginning on."""
LATE_S = 14.0
"""How much is seen of a longer one; its last part is seen, however long it is."""
_STEP_S = 0.05
_A_CENT = 1
"""A coin, where its value makes no difference."""


def entered(theme: Theme, highlight: Highlight, coin_value_cents: int = _A_CENT) -> Highlight:
    """Return `highlight` from the part on with which it is entered: its own first one, or a later one."""
    return _entry(theme, highlight, coin_value_cents).highlight


def fitting(theme: Theme, highlight: Highlight) -> Highlight | None:
    """Return `highlight` as it is entered; None where it would be hurried, for its end is not reached in `WHOLE_S`."""
    entry = _entry(theme, highlight, _A_CENT)
    return entry.highlight if entry.lasts_s <= WHOLE_S else None


class _Entry(NamedTuple):
    highlight: Highlight
    lasts_s: float


def _entry(theme: Theme, highlight: Highlight, coin_value_cents: int) -> _Entry:
    """Return where `highlight` is entered, and how long it takes from there to its end where nobody hurries."""
    begins, over = _times(theme, highlight, replay(theme.game, highlight), coin_value_cents)
    if over <= WHOLE_S:
        return _Entry(highlight, over)
    lasts = [over - at + BEGINS_S for at in begins]
    late = next((part for part, seconds in enumerate(lasts) if seconds <= LATE_S), len(lasts) - 1)
    return _Entry(msgspec.structs.replace(highlight, first=highlight.first + late), lasts[late])


def _times(theme: Theme, highlight: Highlight, played: Played, coin_value_cents: int) -> tuple[list[float], float]:
    """Return when each part of a round begins that nobody hurries, and when the last is over, in seconds."""
    playback = Playback(theme, highlight, played, coin_value_cents=coin_value_cents, view=View(state="attract"))
    playback.hurries = False
    playback.begin(0.0)
    begins, steps = list[float](), 0
    while not playback.rests:
        steps += 1
        playback.advance(steps * _STEP_S)
        begins += [steps * _STEP_S] * (len(played.segments) - playback.parts_left - len(begins))
    return begins, steps * _STEP_S
