"""Selects the part of a highlight that attract shows: always the end, with the total of its round.

A round of at most `WHOLE_S` seconds is shown whole. A longer one is entered between two of its parts: its amount starts
with the wins of the earlier parts, and as many of its last parts as fit into `LATE_S` are shown to the end.
"""

from typing import NamedTuple

import msgspec

from gamekit.highlights import Highlight, Played, replay
from ui.protocol.messages import View
from ui.scenes.playback import BEGINS_S, HURRIED_S, Playback
from ui.theme import Theme

WHOLE_S = HURRIED_S
"""The longest round, in seconds, that is shown from the beginning."""
LATE_S = 14.0
"""How many seconds of a longer round are shown; its last part is shown in any case."""
_STEP_S = 0.05
_A_CENT = 1
"""A coin value for cases in which it makes no difference."""


def entered(theme: Theme, highlight: Highlight, coin_value_cents: int = _A_CENT) -> Highlight:
    """Return `highlight` from the part at which it is entered: its own first one, or a later one."""
    return _entry(theme, highlight, coin_value_cents).highlight


def fitting(theme: Theme, highlight: Highlight) -> Highlight | None:
    """Return `highlight` as it is entered, or None if its end is not reached within `WHOLE_S` without hurrying."""
    entry = _entry(theme, highlight, _A_CENT)
    return entry.highlight if entry.lasts_s <= WHOLE_S else None


class _Entry(NamedTuple):
    highlight: Highlight
    lasts_s: float


def _entry(theme: Theme, highlight: Highlight, coin_value_cents: int) -> _Entry:
    """Return where `highlight` is entered, and its length from there to the end without hurrying."""
    begins, over = _times(theme, highlight, replay(theme.game, highlight), coin_value_cents)
    if over <= WHOLE_S:
        return _Entry(highlight, over)
    lasts = [over - at + BEGINS_S for at in begins]
    late = next((part for part, seconds in enumerate(lasts) if seconds <= LATE_S), len(lasts) - 1)
    return _Entry(msgspec.structs.replace(highlight, first=highlight.first + late), lasts[late])


def _times(theme: Theme, highlight: Highlight, played: Played, coin_value_cents: int) -> tuple[list[float], float]:
    """Return when each part of an unhurried round begins, and when the last one ends, in seconds."""
    playback = Playback(theme, highlight, played, coin_value_cents=coin_value_cents, view=View(state="attract"))
    playback.hurries = False
    playback.begin(0.0)
    begins, steps = list[float](), 0
    while not playback.rests:
        steps += 1
        playback.advance(steps * _STEP_S)
        begins += [steps * _STEP_S] * (len(played.segments) - playback.parts_left - len(begins))
    return begins, steps * _STEP_S
