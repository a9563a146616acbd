"""Sample Game's music: a kalimba in C major; where it has none of its own the house's is heard."""

from ui.baking.sounds.music import MAJOR, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Reels, Wins

KEY = Key(60, MAJOR)

_TUNE = Part("kalimba", 1.2, 0.5, ("0.2.4.7.", "4.2.0.2."), 0, -0.2)
_BASS = Part("bass", 1.0, 0.5, ("0...4...",), -14)
_ABOVE = Part("vibraphone", 1.2, 0.4, ("7---4---", "....9-7-"), 7, 0.3)
_BEAT = (Drum("kick", 0.5, ("x...x...",)), Drum("shaker", 0.2, ("..x...x.",), 0.3))

LOOPS = {
    "background": Score(
        KEY,
        0.32,
        8,
        (Section((0, 3, 4, 0, 5, 3, 1, 4), (_TUNE, _BASS)), Section((0, 3, 4, 0, 5, 3, 1, 4), (_TUNE, _BASS, _ABOVE)))
        * 2,
    ),
}
"""The loops by name."""

WINS = Wins(
    KEY,
    "kalimba",
    "marimba",
    small="024",
    medium="024797",
    large="0472479b9e",
    big=((0, "4.57"), (3, "7.8."), (4, "8.9."), (0, "b---")),
    huge=((0, "4.57"), (5, "7.9."), (3, "a.9."), (4, "8.9."), (0, "b---")),
    mega=((0, "0.24"), (3, "3.57"), (5, "5.79"), (3, "7.9a"), (4, "8.ab"), (0, "e---")),
    shift=7,
)
"""Who plays its wins, and what."""

REELS = Reels("wood", 100, "wood", 988)
"""What its reels and buttons are made of."""
