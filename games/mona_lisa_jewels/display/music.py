"""Mona Lisa Jewels' music: lute and recorder in G major."""

from ui.baking.sounds.music import MAJOR, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Reels, Wins

_KEY = Key(55, MAJOR)

_LUTE = Part("lute", 1.8, 0.5, ("024.42", "0.4.7.", "0.247.", "7.42.0"), 0, -0.3)
_LOW = Part("lute", 2.0, 0.5, ("0.....", "0..4.."), -7, -0.1)
_AIR = Part(
    "recorder",
    0.3,
    0.36,
    ("4---5-", "7-----", "9-8-7-", "6---4-", "5---6-", "7-5---", "4-3-2-", "1-----"),
    7,
    0.3,
    follows=False,
)
_SECOND = Part(
    "flute",
    0.3,
    0.26,
    ("2---3-", "5-----", "7-6-5-", "4---2-", "3---4-", "5-3---", "2-1-0-", "6-----"),
    7,
    -0.4,
    follows=False,
)
_GARDEN = Section((0, 5, 3, 4, 2, 5, 1, 4), (_LUTE, _LOW), pads=0.2)
_SONG = Section((0, 5, 3, 4, 3, 5, 1, 4), (_LUTE, _LOW, _AIR), pads=0.2)
_DUET = Section((0, 5, 3, 4, 3, 5, 1, 4), (_LUTE, _LOW, _AIR, _SECOND), pads=0.3)

_DANCE = Part("lute", 0.9, 0.55, ("024742", "420247", "0247b7", "974742"), 0, -0.3)
_GROUND = Part("bass", 0.9, 0.6, ("0..4..", "0..2.4"), -7)
_PIPER = Part("recorder", 0.18, 0.46, ("7-4-5-", "4-2-4-", "9-7-5-", "4-----"), 7, 0.3)
_COURT = Part("strings", 0.2, 0.32, ("0---2-", "4-----", "5---4-", "2-----"), 0, 0.1)
_TABOR = (Drum("tom", 0.35, ("x..x.x",)), Drum("jingle", 0.25, ("..x.x.",), 0.4))
_BALL = (*_TABOR, Drum("kick", 0.5, ("x.....",)), Drum("triangle", 0.1, ("x.....", "......"), -0.6))

_GEMS = Part("lute", 0.9, 0.5, ("0247.742", "0.24.7.4"), 0, -0.3)
_SPARK = Part("glass", 1.6, 0.34, ("7...9...", "....b...", "..9...7.", "e......."), 7, 0.4)
_PILLAR = Part("bass", 1.2, 0.6, ("0...4...", "0...2.4."), -7)
_ORGAN = Part("organ", 0.3, 0.2, ("0-------", "2---4---", "4-------", "2---1---"), 0, 0.15)
_MARCH = (Drum("taiko", 0.4, ("x.......", "x...x...")), Drum("jingle", 0.18, ("....x...",), 0.5))

_FLOURISH = Part("lute", 0.4, 0.5, ("0247974702479747", "02479b9702479b97"), 0, -0.3)
_STRIDE = Part("bass", 0.35, 0.8, ("0...4...0...4...", "0...4...7...4.2."), -7)
_GALA = Part(
    "horn", 0.22, 0.42, ("4---4-4-7-----..", "5---5-5-7---5---", "4---4-4-9---7---", "8---7---4-----.."), 0, 0.15
)
_TRILL = Part(
    "recorder", 0.14, 0.36, ("b.9.b.9.7.......", "........9.b.9.7.", "e.b.e.b.9.......", "........b.9.8.7."), 7, 0.4
)
_FEAST = (
    Drum("kick", 0.8, ("x.......x.......",)),
    Drum("snare", 0.32, ("....x..o....x.oo",), 0.1),
    Drum("jingle", 0.3, ("x...x...x...x...",), 0.4),
)

LOOPS = {
    "background": Score(_KEY, 0.38, 6, (_GARDEN, _SONG, _GARDEN, _DUET), "palace", 0.25, 1.9, 0.36),
    "free_spins_music": Score(
        _KEY,
        0.19,
        6,
        (
            Section((0, 4, 5, 2, 3, 0, 1, 4), (_DANCE, _GROUND), _TABOR, 0.3),
            Section((0, 4, 5, 2, 3, 0, 1, 4), (_DANCE, _GROUND, _PIPER), _TABOR, 0.3),
            Section((5, 3, 0, 4, 5, 3, 4, 4), (_GROUND, _COURT, _PIPER), _BALL, 0.4),
            Section((0, 5, 3, 4, 2, 5, 4, 0), (_DANCE, _GROUND, _COURT), _BALL, 0.3),
            Section((3, 3, 0, 0, 1, 1, 4, 4), (_DANCE, _COURT), _TABOR, 0.6, "strings"),
            Section((0, 4, 5, 2, 3, 0, 1, 4), (_DANCE, _GROUND, _PIPER), _BALL, 0.3),
            Section((0, 5, 3, 4, 2, 5, 4, 0), (_DANCE, _GROUND, _COURT, _PIPER), _BALL, 0.4, "strings"),
        ),
        hall_s=1.6,
        wet=0.3,
    ),
    "feature_music": Score(
        _KEY,
        0.22,
        8,
        (
            Section((0, 3, 1, 4, 5, 3, 4, 0), (_GEMS, _SPARK, _PILLAR), pads=0.5),
            Section((0, 3, 1, 4, 5, 3, 4, 0), (_GEMS, _PILLAR, _ORGAN), _MARCH, 0.5),
            Section((5, 2, 3, 0, 1, 5, 4, 4), (_SPARK, _PILLAR, _ORGAN), _MARCH, 0.8, "choir"),
            Section((0, 4, 5, 2, 3, 0, 1, 4), (_GEMS, _SPARK, _PILLAR, _ORGAN), _MARCH, 0.6, "choir"),
            Section((0, 3, 1, 4), (_SPARK, _PILLAR), pads=0.8, pad_voice="strings"),
        ),
        hall_s=1.9,
        wet=0.36,
    ),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 4, 5, 2, 3, 0, 1, 4), (_FLOURISH, _STRIDE), _FEAST, 0.4, "strings"),
            Section((0, 4, 5, 2, 3, 0, 1, 4), (_FLOURISH, _STRIDE, _GALA), _FEAST, 0.4, "strings"),
            Section((3, 4, 2, 5, 3, 4, 0, 0), (_STRIDE, _GALA, _TRILL), _FEAST, 0.6, "choir"),
            Section((0, 4, 5, 2, 3, 0, 4, 0), (_FLOURISH, _STRIDE, _GALA, _TRILL), _FEAST, 0.5, "choir"),
        ),
        wet=0.24,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "lute",
    "recorder",
    small="457",
    medium="425797",
    large="4245789b9e",
    big=((0, "7.77"), (4, "8.9."), (3, "a.97"), (0, "7---")),
    huge=((0, "7.89"), (5, "9.79"), (3, "a.9."), (4, "8.68"), (0, "b---")),
    mega=((0, "7.77"), (2, "9.99"), (3, "a.9."), (5, "c.ba"), (4, "b.a."), (0, "e---")),
    shift=7,
)
"""Who plays the wins, and what."""

REELS = Reels("stone", 96, "crystal", 1318)
"""What the reels and the buttons are made of."""
