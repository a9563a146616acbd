"""Neptune's music: harp, flute and waves in C major."""

from ui.baking.sounds.music import MAJOR, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Reels, Wins

_KEY = Key(60, MAJOR)

_RIPPLE = Part("harp", 1.5, 0.42, ("0.2.4.7.", "4.2.0.4.", "2.4.7.9.", "7.4.2.0."), 0, -0.35)
_DEPTH = Part("bass", 2.0, 0.5, ("0.......", "0.....4."), -14)
_SIREN = Part(
    "flute",
    0.5,
    0.5,
    ("4---5-4-", "2---....", "4---7-6-", "5---....", "8---7-5-", "4---2-4-", "1---2-3-", "4-----.."),
    7,
    0.25,
    follows=False,
)
_FAR_BELL = Part("vibraphone", 2.2, 0.26, ("..7.....", "....9...", ".....b..", "...7...."), 7, 0.5)
_SWELL = Drum("shaker", 0.1, ("....o...", "..o...x."), -0.5)
_CALM = Section((0, 5, 3, 4, 0, 2, 3, 4), (_RIPPLE, _DEPTH, _FAR_BELL), pads=0.7)
_SONG = Section((0, 5, 3, 4, 5, 2, 1, 4), (_RIPPLE, _DEPTH, _SIREN), (_SWELL,), pads=0.6)
_DEEP = Section((3, 3, 5, 4), (_FAR_BELL, _DEPTH), pads=1.0, pad_voice="choir")

_WAVE = Part("harp", 0.9, 0.5, ("02472420", "02494742", "0247b742", "02479742"), 0, -0.3)
_STROKES = Part("bass", 0.7, 0.75, ("0..0..0.", "0..0.4.0"), -14)
_BELLS = Part("bell", 1.0, 0.42, ("4...7.9.", "7.4.2...", "9...7.4.", "b.9.7..."), 7, 0.3)
_CALL = Part("horn", 0.2, 0.36, ("0-4-7---", "........", "0-4-9---", "7---4---"), 0, 0.1)
_SURF = (Drum("kick", 0.6, ("x...x...",)), Drum("shaker", 0.3, ("x.o.x.o.",), 0.4))
_FULL = (*_SURF, Drum("tom", 0.4, ("......xx", "........", ".....xxx", "........"), -0.3))
_TREASURE = Part("kalimba", 0.8, 0.6, ("0.4.2.4.", "7.4.2.0.", "0.2.4.6.", "9.7.4.2."), 7, -0.25)
_GLINT = Part("glass", 1.4, 0.28, ("......b.", "...9....", ".....c..", "..7....."), 7, 0.45)

_RACE = Part("harp", 0.4, 0.5, ("0247024702470247", "0249024902490249"), 0, -0.35)
_TRUMPETS = Part(
    "horn", 0.2, 0.42, ("4---4-5-7-----..", "7---5-4-2-----..", "4---4-5-9---7---", "b-----9-7-----.."), 0, 0.2
)
_RIDE = Part("bass", 0.35, 0.8, ("0.0.0...0.0.4...",), -14)
_STORM = (
    Drum("kick", 0.9, ("x.....x.x.......",)),
    Drum("snare", 0.4, ("....x.......x..o",), 0.1),
    Drum("hat", 0.25, ("x.o.x.o.x.o.x.o.",), 0.4),
)

LOOPS = {
    "background": Score(_KEY, 0.3, 8, (_CALM, _SONG, _DEEP, _SONG), "waves", 0.6, 2.2, 0.4),
    "free_spins_music": Score(
        _KEY,
        0.2,
        8,
        (
            Section((0, 5, 3, 4, 0, 5, 1, 4), (_WAVE, _STROKES), _SURF),
            Section((0, 5, 3, 4, 0, 5, 1, 4), (_WAVE, _STROKES, _BELLS), _FULL),
            Section((5, 3, 0, 4, 5, 3, 1, 4), (_WAVE, _STROKES, _CALL), _FULL, 0.6),
            Section((0, 2, 3, 4, 5, 2, 3, 4), (_STROKES, _BELLS), _SURF, 0.8, "choir"),
            Section((0, 5, 3, 4, 0, 5, 1, 4), (_WAVE, _STROKES, _BELLS, _CALL), _FULL),
        ),
        "waves",
        0.15,
        1.4,
        0.26,
    ),
    "feature_music": Score(
        _KEY,
        0.22,
        8,
        (
            Section((0, 0, 5, 5, 3, 3, 4, 4), (_TREASURE, _GLINT), pads=0.7),
            Section((0, 0, 5, 5, 3, 3, 4, 4), (_TREASURE, _GLINT, _STROKES), _SURF, 0.6),
            Section((1, 1, 4, 4, 0, 0, 5, 4), (_TREASURE, _STROKES, _SIREN), _SURF, 0.5),
            Section((3, 3, 4, 4, 2, 5, 1, 4), (_WAVE, _GLINT, _STROKES), _SURF, 0.6),
            Section((0, 0, 5, 5), (_TREASURE, _DEPTH), pads=0.9, pad_voice="choir"),
        ),
        "waves",
        0.3,
        1.8,
        0.34,
    ),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 0, 3, 4, 5, 3, 1, 4), (_RACE, _RIDE), _STORM),
            Section((0, 0, 3, 4, 5, 3, 1, 4), (_RACE, _RIDE, _TRUMPETS), _STORM),
            Section((5, 3, 0, 4, 5, 3, 4, 4), (_RACE, _RIDE, _TRUMPETS), _STORM, 0.6, "choir"),
            Section((0, 0, 3, 4, 0, 2, 3, 4), (_RACE, _RIDE, _TRUMPETS), _STORM, 0.5, "strings"),
        ),
        wet=0.22,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "harp",
    "vibraphone",
    small="479",
    medium="0479b9",
    large="02479b7b9e",
    big=((0, "4.57"), (5, "7.9."), (3, "a.9."), (0, "b---")),
    huge=((0, "0.24"), (3, "5.7."), (4, "6.8."), (5, "9.8."), (0, "b---")),
    mega=((0, "0.24"), (2, "4.68"), (3, "7.9a"), (4, "8.ab"), (3, "c.ba"), (0, "e---")),
    shift=7,
)
"""Who plays the wins, and what."""

REELS = Reels("shell", 88, "shell", 880)
"""What the reels and the buttons are made of."""
