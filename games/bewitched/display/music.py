"""Bewitched's music: celesta in A minor at night."""

from ui.baking.sounds.ambience import night
from ui.baking.sounds.music import HARMONIC_MINOR, Key, Part, Score
from ui.baking.sounds.worlds import Voice

KEY = Key(57, HARMONIC_MINOR)

LOOPS = {
    "background": Score(
        KEY,
        0.36,
        (0, 3, 4, 0, 5, 3, 4, 0),
        6,
        (
            Part("celesta", 1.8, 0.42, ("4..2..", "..4.7.", "6..4..", "0....."), 7),
            Part("harp", 1.8, 0.3, ("0.2.4.", "4.2.0."), -7),
        ),
        pads=0.8,
        ambience=night,
        ambience_gain=0.5,
        hall_s=2.0,
        wet=0.4,
    ),
    "free_spins_music": Score(
        KEY,
        0.19,
        (0, 3, 4, 0, 5, 3, 4, 0, 0, 5, 1, 4, 0, 3, 4, 0),
        6,
        (
            Part("celesta", 0.9, 0.62, ("4.2420", "7.4.2.", "6.4.1.", "0.2.4."), 7),
            Part("pizzicato", 0.5, 0.7, ("0.....",), -14),
            Part("pizzicato", 0.4, 0.42, ("..4.4.",), 0),
            Part("harp", 0.8, 0.25, ("024742",)),
        ),
        pads=0.4,
        drums="x..",
        ambience=None,
        wet=0.32,
    ),
    "feature_music": Score(
        KEY,
        0.24,
        (0, 5, 1, 4, 0, 3, 6, 4),
        8,
        (
            Part("celesta", 1.2, 0.5, ("0..4..6.", "7..6..4."), 7),
            Part("glass", 1.6, 0.26, ("....9...", "......b.")),
            Part("pizzicato", 0.6, 0.6, ("0..0..0.",), -14),
        ),
        pads=0.9,
        drums="x.......",
        hall_s=2.0,
        wet=0.4,
    ),
}
"""The loops by name."""

VOICE = Voice(KEY, "celesta", "pizzicato", 7)
"""Who plays the wins."""
