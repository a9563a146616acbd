"""Neptune's music: harp and waves in C major."""

from ui.baking.sounds.ambience import waves
from ui.baking.sounds.music import MAJOR, Key, Part, Score

KEY = Key(60, MAJOR)

LOOPS = {
    "feature_music": Score(
        KEY,
        0.2,
        (0, 5, 3, 4, 0, 5, 1, 4),
        8,
        (
            Part("harp", 0.9, 0.5, ("02472420", "02494742")),
            Part("bell", 1.0, 0.4, ("4...7.9.", "7.4.2...", "9...7.4."), 7),
            Part("harp", 1.4, 0.8, ("0...0...",), -14),
        ),
        drums="x..x",
        ambience=waves,
        ambience_gain=0.2,
    ),
}
"""The loops by name."""
