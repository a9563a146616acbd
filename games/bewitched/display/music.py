"""Bewitched's music: celesta and strings in A minor at night."""

from ui.baking.sounds.music import HARMONIC_MINOR, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Reels, Wins

_KEY = Key(57, HARMONIC_MINOR)

_STARS = Part("celesta", 1.8, 0.42, ("4..2..", "..4.7.", "6..4..", "0....."), 7, 0.3)
_WEB = Part("harp", 1.8, 0.3, ("0.2.4.", "4.2.0."), -7, -0.4)
_WALTZ = Part("pizzicato", 0.5, 0.5, ("0.....", "0..4.."), -7, -0.1)
_AFTER = Part("pizzicato", 0.4, 0.3, ("..2.4.", "..4.2."), 0, 0.35)
_SPELL = Part(
    "strings",
    0.3,
    0.36,
    ("7---6-", "7---8-", "9---7-", "6-----", "5---4-", "3---5-", "4---2-", "1-----"),
    7,
    0.1,
    follows=False,
)
_HUSH = Section((0, 3, 4, 0, 5, 3, 4, 0), (_STARS, _WEB), pads=0.8)
_DANCE = Section((0, 3, 4, 0, 5, 1, 4, 4), (_STARS, _WEB, _WALTZ, _AFTER), pads=0.5)
_SUNG = Section((0, 5, 3, 4, 5, 3, 1, 4), (_WEB, _WALTZ, _SPELL), pads=0.5)

_CHASE = Part("celesta", 0.9, 0.6, ("4.2420", "7.4.2.", "6.4.1.", "0.2.4."), 7, 0.3)
_STEP = Part("pizzicato", 0.5, 0.75, ("0.....", "0..4.."), -7)
_HOP = Part("pizzicato", 0.4, 0.45, ("..4.4.", "..2.4."), 0, 0.4)
_SPIN = Part("harp", 0.8, 0.28, ("024742", "247420"), 0, -0.4)
_FIDDLE = Part("strings", 0.2, 0.4, ("7-8-9-", "b---9-", "8-7-6-", "7-----"), 0, -0.15)
_BROOM = (Drum("thud", 0.5, ("x..x..",)), Drum("shaker", 0.25, ("x.xo.x",), 0.4))
_SABBATH = (*_BROOM, Drum("triangle", 0.12, ("x.....", "......"), 0.6), Drum("taiko", 0.4, ("x.....", "x...xx")))

_BREW = Part("celesta", 1.2, 0.5, ("0..4..6.", "7..6..4.", "0..5..4.", "6..4..1."), 7, 0.3)
_DROPS = Part("glass", 1.6, 0.26, ("....9...", "......b.", "..8.....", "....7..."), 0, -0.5)
_CREEP = Part("pizzicato", 0.6, 0.6, ("0..0..0.", "0..0.1.0"), -7)
_OMEN = Part("strings", 0.4, 0.34, ("0-----1-", "0-------", "3-----2-", "1-------"), 0, -0.2)
_DUEL = (Drum("taiko", 0.6, ("x.....x.", "x..x..x.")), Drum("rim", 0.16, ("..x..x..",), 0.4))

_WHIRL = Part("celesta", 0.5, 0.45, ("024742024742024.", "7b9749747b974974"), 7, 0.3)
_GALLOP = Part("bass", 0.3, 0.8, ("0...0.0.0...0.4.",), -7)
_TRIUMPH = Part(
    "strings",
    0.2,
    0.4,
    ("7---8---9---b---", "9-----8-7-------", "5---7---9---8---", "6---4---8-------"),
    7,
    -0.2,
    follows=False,
)
_HORNS = Part("horn", 0.25, 0.36, ("0-------4-------", "0---2---4-------"), 0, 0.2)
_RITE = (
    Drum("taiko", 0.75, ("x.....x.x...x...",)),
    Drum("clap", 0.3, ("....x.......x...",), 0.2),
    Drum("jingle", 0.3, ("x...x...x...x...",), -0.4),
)

LOOPS = {
    "background": Score(_KEY, 0.36, 6, (_HUSH, _DANCE, _HUSH, _SUNG), "night", 0.45, 2.0, 0.4),
    "free_spins_music": Score(
        _KEY,
        0.19,
        6,
        (
            Section((0, 3, 4, 0, 5, 3, 4, 0), (_CHASE, _STEP, _HOP), _BROOM),
            Section((0, 5, 1, 4, 0, 3, 4, 0), (_CHASE, _STEP, _HOP, _SPIN), _BROOM),
            Section((3, 3, 0, 0, 4, 4, 0, 0), (_STEP, _HOP, _FIDDLE), _SABBATH, 0.5),
            Section((0, 3, 4, 0, 5, 3, 4, 0), (_CHASE, _STEP, _SPIN, _FIDDLE), _SABBATH),
            Section((5, 5, 3, 3, 1, 1, 4, 4), (_CHASE, _SPIN), _BROOM, 0.9, "choir"),
            Section((0, 3, 4, 0, 5, 1, 4, 4), (_STEP, _HOP, _SPIN, _FIDDLE), _SABBATH),
            Section((0, 3, 4, 0, 5, 3, 4, 0), (_CHASE, _STEP, _HOP, _SPIN, _FIDDLE), _SABBATH, 0.5),
        ),
        hall_s=1.5,
        wet=0.3,
    ),
    "feature_music": Score(
        _KEY,
        0.24,
        8,
        (
            Section((0, 5, 1, 4, 0, 3, 6, 4), (_BREW, _DROPS, _CREEP), pads=0.8),
            Section((0, 5, 1, 4, 0, 3, 6, 4), (_BREW, _CREEP, _OMEN), _DUEL, 0.6),
            Section((5, 5, 3, 3, 1, 1, 4, 4), (_DROPS, _CREEP, _OMEN), _DUEL, 0.9, "choir"),
            Section((0, 3, 4, 0, 5, 3, 4, 4), (_BREW, _DROPS, _CREEP, _OMEN), _DUEL, 0.6),
        ),
        "night",
        0.15,
        2.0,
        0.38,
    ),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 3, 4, 0, 5, 3, 4, 4), (_WHIRL, _GALLOP), _RITE, 0.6),
            Section((0, 3, 4, 0, 5, 3, 4, 4), (_WHIRL, _GALLOP, _HORNS), _RITE, 0.6),
            Section((0, 5, 3, 4, 0, 5, 3, 4), (_GALLOP, _HORNS, _TRIUMPH), _RITE, 0.6, "choir"),
            Section((0, 5, 3, 4, 0, 5, 1, 4), (_WHIRL, _GALLOP, _HORNS, _TRIUMPH), _RITE, 0.5, "choir"),
        ),
        wet=0.26,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "celesta",
    "pizzicato",
    small="746",
    medium="4676b9",
    large="0246786b9e",
    big=((0, "77.8"), (3, "9.8."), (4, "6.8."), (0, "7---")),
    huge=((0, "7.6."), (5, "7.9."), (1, "8.a."), (4, "b.8."), (0, "b---")),
    mega=((0, "76.7"), (3, "9.8a"), (5, "cb.9"), (1, "a.8a"), (4, "b.68"), (0, "e---")),
    shift=7,
    lead="strings",
)
"""Who plays the wins, and what."""

REELS = Reels("wood", 104, "crystal", 1174)
"""What the reels and the buttons are made of."""
