"""The default music, wins, reels, cascades and button, used if a game has none of its own: C major."""

from ui.baking.sounds.music import MAJOR, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Cascades, Reels, Wins

_KEY = Key(60, MAJOR)
_HARP = Part("harp", 1.2, 0.5, ("0.2.4.7.", "4.2.0.2."), pan=-0.3)
_BASS = Part("bass", 1.2, 0.5, ("0...0...",), -14)
_TUNE = Part("vibraphone", 1.6, 0.4, ("4---..2-", "0---....", "5---..4-", "2---...."), 7, 0.3)
_CALM = Section((0, 3, 4, 0, 5, 3, 1, 4), (_HARP, _BASS))
_SUNG = Section((0, 5, 3, 4, 0, 5, 1, 4), (_HARP, _BASS, _TUNE))

_RUN = Part("harp", 0.5, 0.5, ("0247024702470247", "0246024602460246"), 0, -0.3)
_HORNS = Part("horn", 0.4, 0.4, ("4---..4.7---....", "5---..4.2---...."), 0, 0.2)
_WALK = Part("bass", 0.4, 0.8, ("0...0...0...0.0.",), -14)
_BEAT = (Drum("kick", 0.8, ("x...x...x...x...",)), Drum("hat", 0.25, ("..x...x...x...x.",), 0.3))

LOOPS = {
    "background": Score(_KEY, 0.26, 8, (_CALM, _SUNG, _CALM, _SUNG)),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 3, 4, 0, 5, 3, 1, 4), (_RUN, _WALK), _BEAT),
            Section((0, 3, 4, 0, 5, 3, 1, 4), (_RUN, _WALK, _HORNS), _BEAT),
        )
        * 2,
        wet=0.22,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "bell",
    "harp",
    small="247",
    medium="024797",
    large="0742749b9e",
    big=((0, "4.4."), (3, "5.5."), (4, "6.8."), (0, "7---")),
    huge=((0, "4.57"), (5, "7.57"), (3, "7.8."), (4, "8.9."), (0, "b---")),
    mega=((0, "4.57"), (4, "8.68"), (5, "9.79"), (3, "a.8a"), (4, "b.bb"), (0, "e---")),
    shift=7,
)
"""The instruments and tunes of the wins."""

REELS = Reels("iron", 92, "wood", 1046)
"""The materials of the reels and the button."""

CASCADES = Cascades("crystal", "stone")
"""The materials of the cascades."""
