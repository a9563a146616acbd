"""Mystery Elves' music: bells and harp over wind in E lydian."""

from ui.baking.sounds.music import LYDIAN, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Reels, Wins

_KEY = Key(64, LYDIAN)

_ICICLES = Part("glass", 2.2, 0.3, ("4.....", "..7...", "6...4.", "2....."), 0, 0.35)
_CHIMES = Part("bell", 1.8, 0.22, ("...0..", "0...2.", "....4.", "..2..."), 0, -0.45)
_SNOW = Part("harp", 1.8, 0.3, ("0.4.7.", "2.4.9.", "0.4.6.", "7.4.2."), -7, -0.2)
_LULLABY = Part(
    "vibraphone",
    0.9,
    0.4,
    ("4---5-", "3-----", "2---4-", "1-----", "0---2-", "3---4-", "5---3-", "4-----"),
    0,
    0.1,
    follows=False,
)
_STILL = Section((0, 1, 5, 4, 0, 2, 1, 4), (_ICICLES, _CHIMES), pads=1.1)
_DRIFT = Section((0, 1, 5, 4, 0, 2, 1, 4), (_ICICLES, _CHIMES, _SNOW), pads=0.8)
_SUNG = Section((0, 1, 5, 4, 5, 1, 2, 4), (_SNOW, _CHIMES, _LULLABY), pads=0.8, pad_voice="choir")

_SLEIGH = Part("bell", 0.9, 0.5, ("4.47.742", "2.24.4.0", "7.79.974", "4...2.4."), 0, 0.3)
_RUNNERS = Part("harp", 0.8, 0.38, ("02420242", "04240424"), -7, -0.35)
_SNOWBALL = Part("bass", 0.6, 0.75, ("0...0...", "0..0.4.2"), -14)
_BOYS = Part("flute", 0.16, 0.38, ("7-6-7-4-", "5---4---", "9-7-6-7-", "8---7---"), 0, -0.1)
_TRACK = (Drum("kick", 0.45, ("x...x...",)), Drum("jingle", 0.4, ("x.x.x.x.",), 0.2))
_MARKET = (*_TRACK, Drum("snare", 0.2, ("....x...", "....x.oo"), -0.2))

_ORBS = Part("glass", 1.2, 0.36, ("0.4.7.4.", "2.4.9.4.", "0.4.b.7.", "6.4.2.4."), 0, 0.3)
_TICKS = Part("pizzicato", 0.3, 0.5, ("0.0.0.0.", "0.0.2.0."), -7, -0.3)
_RISE = Part("bell", 0.9, 0.34, ("..7...9.", "b...9.7.", "..9...b.", "e...b.9."), 0, -0.4)
_PULSE = Part("bass", 0.6, 0.85, ("0..0..0.",), -14)
_CHOIR = Part("choir", 0.3, 0.36, ("4-------", "5-------", "7-------", "6---5---"), 0, 0.1)
_HOLD = (Drum("taiko", 0.45, ("x..x..x.",)), Drum("jingle", 0.25, ("..x...x.",), 0.4))

_CAROL = Part("bell", 0.5, 0.45, ("4.4.7.4.9.7.4.2.", "2.4.7.9.b.9.7.4."), 0, 0.35)
_CANTER = Part("bass", 0.35, 0.85, ("0..0..4.0..0..2.",), -14)
_BUGLE = Part(
    "horn", 0.2, 0.42, ("0---4---7-----..", "6---4---2-----..", "0---4---9---7---", "8---6---4-----.."), -7, -0.1
)
_HARP = Part("harp", 0.5, 0.4, ("0247024702470247", "0246024602460246"), -7, -0.4)
_PARADE = (
    Drum("kick", 0.8, ("x.....x.x.......",)),
    Drum("snare", 0.34, ("....x.......x.oo",), -0.1),
    Drum("jingle", 0.45, ("x.x.x.x.x.x.x.x.",), 0.3),
)

LOOPS = {
    "background": Score(_KEY, 0.38, 6, (_STILL, _DRIFT, _STILL, _SUNG), "winter", 0.45, 2.4, 0.45),
    "free_spins_music": Score(
        _KEY,
        0.165,
        8,
        (
            Section((0, 1, 5, 4, 0, 2, 1, 4), (_SLEIGH, _SNOWBALL), _TRACK, 0.4),
            Section((0, 1, 5, 4, 0, 2, 1, 4), (_SLEIGH, _RUNNERS, _SNOWBALL), _TRACK, 0.4),
            Section((5, 2, 3, 4, 0, 1, 4, 0), (_RUNNERS, _SNOWBALL, _BOYS), _MARKET, 0.5),
            Section((0, 1, 5, 4, 5, 2, 1, 4), (_SLEIGH, _RUNNERS, _SNOWBALL), _MARKET, 0.4),
            Section((1, 1, 0, 0, 1, 1, 4, 4), (_RUNNERS, _CHOIR), _TRACK, 0.6, "choir"),
            Section((0, 1, 5, 4, 0, 2, 1, 4), (_SLEIGH, _RUNNERS, _SNOWBALL, _BOYS), _MARKET, 0.4),
        ),
        hall_s=1.5,
        wet=0.3,
    ),
    "feature_music": Score(
        _KEY,
        0.18,
        8,
        (
            Section((0, 0, 1, 1, 5, 5, 4, 4), (_ORBS, _PULSE), _HOLD, 0.7),
            Section((0, 0, 1, 1, 5, 5, 4, 4), (_ORBS, _RISE, _PULSE), _HOLD, 0.7),
            Section((2, 2, 5, 5, 1, 1, 4, 4), (_TICKS, _RISE, _PULSE), _HOLD, 0.5),
            Section((0, 0, 1, 1, 5, 5, 4, 4), (_ORBS, _TICKS, _PULSE, _CHOIR), _HOLD, 0.6),
            Section((3, 3, 1, 1, 2, 2, 4, 4), (_ORBS, _RISE, _CHOIR), _HOLD, 0.8, "choir"),
            Section((0, 1, 2, 4, 5, 1, 4, 4), (_ORBS, _TICKS, _RISE, _PULSE), _HOLD, 0.6),
        ),
        hall_s=1.8,
        wet=0.34,
    ),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 1, 5, 4, 0, 2, 1, 4), (_CAROL, _CANTER), _PARADE),
            Section((0, 1, 5, 4, 0, 2, 1, 4), (_CAROL, _CANTER, _BUGLE), _PARADE),
            Section((5, 2, 1, 4, 5, 2, 4, 4), (_HARP, _CANTER, _BUGLE), _PARADE, 0.6, "choir"),
            Section((0, 1, 5, 4, 0, 1, 4, 0), (_CAROL, _HARP, _CANTER, _BUGLE), _PARADE, 0.5, "choir"),
        ),
        wet=0.24,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "bell",
    "glass",
    small="674",
    medium="467b79",
    large="46749b67be",
    big=((0, "4.6."), (1, "5.78"), (4, "6.8."), (0, "7---")),
    huge=((0, "4.47"), (1, "8.57"), (2, "9.8."), (1, "a.8."), (0, "b---")),
    mega=((0, "4.47"), (5, "7.9."), (1, "8.a8"), (2, "9.b9"), (4, "b.ab"), (0, "e---")),
)
"""Who plays the wins, and what."""

REELS = Reels("ice", 112, "ice", 1568)
"""What the reels and the buttons are made of."""
