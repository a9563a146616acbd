"""Witch Feature's music: pizzicato over a cauldron in D dorian."""

from ui.baking.sounds.ambience import kitchen
from ui.baking.sounds.music import DORIAN, Key, Part, Score
from ui.baking.sounds.worlds import Voice

KEY = Key(62, DORIAN)

LOOPS = {
    "background": Score(
        KEY,
        0.25,
        (0, 0, 3, 4, 0, 6, 3, 4),
        8,
        (
            Part("pizzicato", 0.5, 0.55, ("0..2..4.", "5..4..2.", "....7.5.", "4..2....")),
            Part("pizzicato", 0.7, 0.6, ("0...4...",), -14),
        ),
        pads=0.25,
        ambience=kitchen,
        ambience_gain=0.6,
        hall_s=0.9,
        wet=0.2,
    ),
    "free_spins_music": Score(
        KEY,
        0.155,
        (0, 3, 0, 4, 0, 6, 3, 4, 0, 3, 0, 4, 5, 6, 4, 0),
        8,
        (
            Part("pizzicato", 0.5, 0.62, ("0.24.2.5", "4.20..2.", "7.5.4.2.", "4...4.2."), 7),
            Part("marimba", 0.4, 0.6, ("4.4.5.4.", "..4...2."), 0),
            Part("pizzicato", 0.6, 0.85, ("0..0..0.",), -14),
        ),
        pads=0.2,
        drums="x...x.x.",
        ambience=kitchen,
        ambience_gain=0.22,
        hall_s=0.9,
        wet=0.22,
    ),
    "feature_music": Score(
        KEY,
        0.2,
        (0, 1, 0, 6, 3, 1, 4, 4),
        8,
        (
            Part("pizzicato", 0.5, 0.6, ("0.1.2.3.", "4.3.2.1."), 0),
            Part("celesta", 0.9, 0.4, ("....7...", "..9...7."), 7),
            Part("pizzicato", 0.6, 0.8, ("0...0.0.",), -14),
        ),
        pads=0.5,
        drums="x..x..x.",
        ambience=kitchen,
        ambience_gain=0.4,
        hall_s=1.1,
        wet=0.26,
    ),
}
"""The loops by name."""

VOICE = Voice(KEY, "pizzicato", "marimba", 7)
"""Who plays the wins."""
