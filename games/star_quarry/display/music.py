"""Star Quarry's music: pads, arpeggios and drills in F sharp minor, far out."""

from ui.baking.sounds.music import MINOR, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Cascades, Reels, Wins

_KEY = Key(54, MINOR)

_ORBIT = Part("pulse", 0.5, 0.4, ("0.4.7.4.", "0.4.9.4.", "2.4.7.9.", "0.4.7.b."), 7, -0.35)
_HULL = Part("bass", 1.8, 0.55, ("0.......", "0.....0."), -7)
_SIGNAL = Part("glass", 2.0, 0.24, ("....b...", ".......9", "..e.....", "....7..."), 7, 0.5)
_DRIFT = Part(
    "synth",
    0.4,
    0.34,
    ("7-----8-", "9---....", "b-----9-", "8---....", "7---6-5-", "4---....", "3-----4-", "6-------"),
    0,
    0.2,
    follows=False,
)
_BLIP = Drum("rim", 0.1, ("......x.", "...x...."), 0.5)
_DARK = Section((0, 5, 2, 6, 0, 5, 3, 4), (_ORBIT, _HULL), pads=0.9)
_FIELD = Section((0, 5, 2, 6, 0, 5, 3, 4), (_ORBIT, _HULL, _SIGNAL), (_BLIP,), pads=0.8)
_SUNG = Section((0, 5, 3, 4, 0, 2, 5, 6), (_HULL, _SIGNAL, _DRIFT), (_BLIP,), pads=0.7, pad_voice="choir")

_RUSH = Part("pulse", 0.3, 0.45, ("04740474", "04940494", "0247b742", "07470747"), 7, -0.3)
_ENGINE = Part("bass", 0.35, 0.85, ("0.0.0.0.", "0.00.0.4"), -7)
_LEAD = Part("synth", 0.25, 0.4, ("7---4-7-", "9---7---", "b---9-7-", "8---6---"), 0, 0.25)
_PULSE = (Drum("kick", 0.7, ("x...x...",)), Drum("hat", 0.22, ("..x...x.",), 0.4))
_FULL = (*_PULSE, Drum("clap", 0.25, ("....x...",), -0.2), Drum("shaker", 0.18, ("xoxoxoxo",), -0.5))

_DRILL = Part("pulse", 0.25, 0.42, ("00.00.00", "00.44.00", "77.44.00", "00.22.44"), 0, -0.3)
_CRYSTAL = Part("glass", 1.4, 0.34, ("7...b...", "..9...e.", "b...7...", "....9.7."), 7, 0.4)
_FALL = Part("vibraphone", 0.9, 0.4, ("e.b.9.7.", "c.9.7.4.", "b.9.7.4.", "9.7.4.2."), 0, 0.1)
_BLAST = (Drum("taiko", 0.6, ("x..x..x.", "x..x.xx.")), Drum("hat", 0.2, ("x.x.x.x.",), 0.4))

_WARP = Part("pulse", 0.25, 0.42, ("0474047404740474", "0494049404b404b4"), 7, -0.35)
_THRUST = Part("bass", 0.3, 0.9, ("0.0.0.0.0.0.0.00",), -7)
_ANTHEM = Part(
    "synth", 0.3, 0.46, ("7---4---7---9---", "b-----9-7-------", "9---7---6---4---", "6---7---8-------"), 0, 0.15
)
_STARS = Part("bell", 0.6, 0.3, ("e.......b.......", "....9.......e..."), 7, 0.5)
_LAUNCH = (
    Drum("kick", 0.9, ("x...x...x...x...",)),
    Drum("clap", 0.34, ("....x.......x..o",), 0.1),
    Drum("hat", 0.24, ("..x...x...x...x.",), 0.4),
)

LOOPS = {
    "background": Score(_KEY, 0.28, 8, (_DARK, _FIELD, _DARK, _SUNG), "space", 0.45, 2.6, 0.45),
    "free_spins_music": Score(
        _KEY,
        0.17,
        8,
        (
            Section((0, 5, 2, 6, 0, 5, 3, 4), (_RUSH, _ENGINE), _PULSE, 0.5),
            Section((0, 5, 2, 6, 0, 5, 3, 4), (_RUSH, _ENGINE, _SIGNAL), _FULL, 0.5),
            Section((3, 5, 0, 6, 3, 5, 4, 4), (_ENGINE, _LEAD), _FULL, 0.6, "strings"),
            Section((0, 5, 2, 6, 0, 5, 3, 4), (_RUSH, _ENGINE, _LEAD), _FULL, 0.5),
            Section((5, 5, 3, 3, 6, 6, 4, 4), (_RUSH, _SIGNAL), _PULSE, 0.9, "choir"),
            Section((0, 5, 3, 6, 0, 2, 3, 4), (_RUSH, _ENGINE, _LEAD, _SIGNAL), _FULL, 0.5),
        ),
        "space",
        0.12,
        1.8,
        0.3,
    ),
    "feature_music": Score(
        _KEY,
        0.19,
        8,
        (
            Section((0, 0, 5, 5, 3, 3, 4, 4), (_DRILL, _CRYSTAL, _ENGINE), _BLAST, 0.5),
            Section((0, 0, 5, 5, 3, 3, 4, 4), (_DRILL, _FALL, _ENGINE), _BLAST, 0.5),
            Section((2, 2, 6, 6, 5, 5, 4, 4), (_CRYSTAL, _FALL, _ENGINE), _BLAST, 0.8, "choir"),
            Section((0, 5, 2, 6, 0, 5, 3, 4), (_DRILL, _CRYSTAL, _FALL, _ENGINE), _BLAST, 0.5),
            Section((3, 3, 5, 5, 0, 0, 6, 4), (_DRILL, _CRYSTAL, _ENGINE), _BLAST, 0.7, "strings"),
        ),
        "space",
        0.2,
        2.0,
        0.34,
    ),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 5, 2, 6, 0, 5, 3, 4), (_WARP, _THRUST), _LAUNCH, 0.4),
            Section((0, 5, 2, 6, 0, 5, 3, 4), (_WARP, _THRUST, _ANTHEM), _LAUNCH, 0.4),
            Section((5, 6, 0, 2, 5, 6, 4, 4), (_THRUST, _ANTHEM, _STARS), _LAUNCH, 0.6, "choir"),
            Section((0, 5, 2, 6, 0, 5, 6, 0), (_WARP, _THRUST, _ANTHEM, _STARS), _LAUNCH, 0.5, "strings"),
        ),
        wet=0.26,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "vibraphone",
    "pulse",
    small="049",
    medium="04297b",
    large="047b49e9be",
    big=((0, "7.b."), (5, "9.c."), (6, "a.b."), (0, "e---")),
    huge=((0, "4..7"), (2, "9..b"), (5, "c.9."), (6, "d.a."), (0, "e---")),
    mega=((0, "0..4"), (5, "5.9c"), (2, "2..6"), (6, "6.ad"), (3, "a.ca"), (0, "e---")),
    shift=7,
    lead="synth",
    brass="synth",
)
"""Who plays the wins, and what."""

REELS = Reels("engine", 84, "crystal", 1245)
"""What the reels and the buttons are made of."""

CASCADES = Cascades("crystal", "iron")
"""What its gems burst into, and what they fall on."""
