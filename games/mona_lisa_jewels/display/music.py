"""Mona Lisa Jewels' music: lute and recorder in G major."""

from ui.baking.sounds.ambience import palace
from ui.baking.sounds.music import MAJOR, Key, Part, Score
from ui.baking.sounds.worlds import Voice

KEY = Key(55, MAJOR)

LOOPS = {
    "background": Score(
        KEY,
        0.42,
        (0, 5, 3, 4, 2, 5, 1, 4),
        6,
        (
            Part("lute", 1.8, 0.5, ("024.42", "0.4.7.")),
            Part("recorder", 0.8, 0.34, ("4.....", "..4.5.", "7.....", "6.4..."), 7),
            Part("lute", 2.0, 0.5, ("0.....",), -7),
        ),
        pads=0.25,
        ambience=palace,
        ambience_gain=0.3,
        hall_s=1.9,
        wet=0.36,
    ),
    "free_spins_music": Score(
        KEY,
        0.19,
        (0, 4, 5, 2, 3, 0, 1, 4, 0, 5, 3, 4, 2, 5, 4, 0),
        6,
        (
            Part("lute", 0.9, 0.55, ("024742", "420247")),
            Part("recorder", 0.32, 0.5, ("7.4.5.", "4.2.4.", "9.7.5.", "4....."), 7),
            Part("lute", 1.2, 0.6, ("0..4..",), -7),
        ),
        pads=0.3,
        drums="x.....",
        bells="..x.x.",
        hall_s=1.6,
        wet=0.32,
    ),
    "feature_music": Score(
        KEY,
        0.22,
        (0, 3, 1, 4, 5, 3, 4, 0),
        8,
        (
            Part("lute", 0.9, 0.5, ("0247.742",)),
            Part("glass", 1.6, 0.34, ("7...9...", "....b..."), 7),
            Part("lute", 1.4, 0.6, ("0...4...",), -7),
        ),
        pads=0.6,
        drums="x.......",
        hall_s=1.8,
        wet=0.36,
    ),
}
"""The loops by name."""

VOICE = Voice(KEY, "lute", "recorder", 7)
"""Who plays the wins."""
