"""Witch Feature's music: pizzicato and marimba over a cauldron in D dorian."""

from ui.baking.sounds.music import DORIAN, Drum, Key, Part, Score, Section
from ui.baking.sounds.worlds import Reels, Wins

_KEY = Key(62, DORIAN)

_TIPTOE = Part("pizzicato", 0.5, 0.55, ("0..2..4.", "5..4..2.", "....7.5.", "4..2...."), 0, 0.25)
_FLOOR = Part("pizzicato", 0.7, 0.6, ("0...4...", "0...2.4."), -14, -0.15)
_CAT = Part(
    "flute",
    0.25,
    0.4,
    ("4-5-4-2-", "0---....", "7-6-5-4-", "5---4---", "3-4-5-7-", "4---....", "2-3-4-1-", "0---...."),
    7,
    -0.3,
    follows=False,
)
_SPOONS = Part("marimba", 0.4, 0.42, ("....4.5.", "..4...2.", "7.5.....", "....2.4."), 7, 0.5)
_LID = Drum("rim", 0.12, ("....x...", "....x.x."), 0.4)

_STIR = Part("pizzicato", 0.5, 0.62, ("0.24.2.5", "4.20..2.", "7.5.4.2.", "4...4.2."), 7, 0.25)
_WOOD = Part("marimba", 0.4, 0.6, ("4.4.5.4.", "..4...2.", "7.7.5.4.", "..5...4."), 0, -0.35)
_BOUNCE = Part("bass", 0.4, 0.85, ("0..0..0.", "0..0.4.2"), -14)
_FIFE = Part("recorder", 0.16, 0.4, ("7-5-4-5-", "7-8-9---", "b-9-8-7-", "8---7---"), 7, 0.1)
_KITCHEN = (Drum("thud", 0.5, ("x...x.x.",)), Drum("rim", 0.2, ("..x..x..",), 0.4))
_FEAST = (*_KITCHEN, Drum("shaker", 0.25, ("xoxoxoxo",), -0.4), Drum("tom", 0.35, ("........", ".....xxx"), 0.2))

_SNEAK = Part("pizzicato", 0.5, 0.6, ("0.1.2.3.", "4.3.2.1.", "0.2.1.3.", "5.4.3.2."), 0, 0.2)
_EYES = Part("celesta", 0.9, 0.4, ("....7...", "..9...7.", "......b.", "...8...."), 7, -0.4)
_HEART = Part("bass", 0.5, 0.8, ("0...0.0.",), -14)
_MIST = Part("organ", 0.3, 0.22, ("0-----1-", "2-----1-", "0-----3-", "4-------"), -7, -0.2)
_DARK = (Drum("taiko", 0.5, ("x..x..x.",)), Drum("rim", 0.14, ("..x...x.",), 0.5))

_PATTER = Part("marimba", 0.25, 0.5, ("0.2.4.2.5.4.2.4.", "7.5.4.2.4.5.7.9."), 7, 0.3)
_JUMP = Part("bass", 0.3, 0.85, ("0..0..0.0..0..4.",), -14)
_PIPES = Part(
    "recorder", 0.2, 0.42, ("7---5-7-9-----..", "8---7-5-4-----..", "7---5-7-b---9---", "9-8-7-5-7-----.."), 7, -0.15
)
_BRASS = Part("horn", 0.2, 0.36, ("0---4---2---0---", "0---2---4-------"), 0, 0.2)
_BOIL = (
    Drum("kick", 0.85, ("x...x...x...x...",)),
    Drum("clap", 0.3, ("....x.......x...",), 0.15),
    Drum("shaker", 0.3, ("x.xox.xox.xox.xo",), -0.4),
)

LOOPS = {
    "background": Score(
        _KEY,
        0.25,
        8,
        (
            Section((0, 0, 3, 4, 0, 6, 3, 4), (_TIPTOE, _FLOOR), (_LID,), 0.25),
            Section((0, 0, 3, 4, 0, 6, 3, 4), (_TIPTOE, _FLOOR, _SPOONS), (_LID,), 0.25),
            Section((0, 3, 0, 4, 3, 0, 6, 0), (_FLOOR, _SPOONS, _CAT), (_LID,), 0.4),
            Section((0, 0, 3, 4, 0, 6, 3, 4), (_TIPTOE, _FLOOR, _CAT), (_LID,), 0.3),
        ),
        "kitchen",
        0.5,
        0.9,
        0.2,
    ),
    "free_spins_music": Score(
        _KEY,
        0.155,
        8,
        (
            Section((0, 3, 0, 4, 0, 6, 3, 4), (_STIR, _BOUNCE), _KITCHEN, 0.2),
            Section((0, 3, 0, 4, 5, 6, 4, 0), (_STIR, _WOOD, _BOUNCE), _KITCHEN, 0.2),
            Section((3, 3, 0, 0, 6, 6, 4, 4), (_WOOD, _BOUNCE, _FIFE), _FEAST, 0.3),
            Section((0, 3, 0, 4, 0, 6, 3, 4), (_STIR, _WOOD, _BOUNCE), _FEAST, 0.2),
            Section((5, 3, 6, 4, 5, 3, 6, 4), (_WOOD, _BOUNCE), _KITCHEN, 0.5, "organ"),
            Section((0, 3, 0, 4, 5, 6, 4, 0), (_STIR, _BOUNCE, _FIFE), _FEAST, 0.3),
            Section((0, 3, 0, 4, 5, 6, 4, 0), (_STIR, _WOOD, _BOUNCE, _FIFE), _FEAST, 0.3),
        ),
        "kitchen",
        0.18,
        0.9,
        0.22,
    ),
    "feature_music": Score(
        _KEY,
        0.2,
        8,
        (
            Section((0, 1, 0, 6, 3, 1, 4, 4), (_SNEAK, _EYES, _HEART), _DARK, 0.4),
            Section((0, 1, 0, 6, 3, 1, 4, 4), (_SNEAK, _HEART, _MIST), _DARK, 0.4),
            Section((5, 5, 3, 3, 6, 6, 4, 4), (_EYES, _HEART, _MIST), _DARK, 0.6, "choir"),
            Section((0, 1, 0, 6, 3, 1, 4, 4), (_SNEAK, _EYES, _WOOD, _HEART), _DARK, 0.4),
            Section((0, 1, 3, 4, 0, 6, 1, 0), (_SNEAK, _EYES, _HEART, _MIST), _DARK, 0.5, "choir"),
        ),
        "kitchen",
        0.3,
        1.1,
        0.26,
    ),
    "win_music": Score(
        _KEY,
        0.125,
        16,
        (
            Section((0, 3, 0, 4, 0, 6, 3, 4), (_PATTER, _JUMP), _BOIL),
            Section((0, 3, 0, 4, 0, 6, 3, 4), (_PATTER, _JUMP, _BRASS), _BOIL),
            Section((5, 3, 6, 4, 5, 3, 6, 0), (_JUMP, _BRASS, _PIPES), _BOIL, 0.5, "organ"),
            Section((0, 3, 0, 4, 0, 6, 4, 0), (_PATTER, _JUMP, _BRASS, _PIPES), _BOIL),
        ),
        wet=0.2,
        hall_s=1.0,
    ),
}
"""The loops by name."""

WINS = Wins(
    _KEY,
    "pizzicato",
    "marimba",
    small="024",
    medium="024572",
    large="024579b9e7",
    big=((0, "4.24"), (3, "5..7"), (6, "6.8."), (0, "7---")),
    huge=((0, "4.24"), (6, "6.46"), (5, "7.57"), (6, "8.6."), (0, "b---")),
    mega=((0, "0.24"), (1, "1.3."), (3, "3.57"), (4, "4.6."), (6, "6.8a"), (0, "e---")),
    shift=7,
    lead="recorder",
)
"""Who plays the wins, and what."""

REELS = Reels("iron", 78, "wood", 784)
"""What the reels and the buttons are made of."""
