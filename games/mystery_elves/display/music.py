"""Mystery Elves' music: bells over wind in E lydian."""

from ui.baking.sounds.ambience import winter
from ui.baking.sounds.music import LYDIAN, Key, Part, Score
from ui.baking.sounds.worlds import Voice

KEY = Key(64, LYDIAN)

LOOPS = {
    "background": Score(
        KEY,
        0.4,
        (0, 1, 5, 4, 0, 2, 1, 4),
        6,
        (
            Part("glass", 2.2, 0.3, ("4.....", "..7...", "6...4.", "2....."), 0),
            Part("bell", 1.8, 0.22, ("...0..", "0...2."), 0),
        ),
        pads=1.2,
        ambience=winter,
        ambience_gain=0.5,
        hall_s=2.4,
        wet=0.45,
    ),
    "free_spins_music": Score(
        KEY,
        0.165,
        (0, 1, 5, 4, 0, 2, 1, 4, 5, 2, 3, 4, 0, 1, 4, 0),
        8,
        (
            Part("bell", 0.9, 0.5, ("4.47.742", "2.24.4.0", "7.79.974", "4...2.4.")),
            Part("harp", 0.8, 0.35, ("02420242",), -7),
            Part("harp", 1.0, 0.7, ("0...0...",), -14),
        ),
        pads=0.4,
        drums="x...x...",
        bells="x.x.x.x.",
        hall_s=1.5,
        wet=0.3,
    ),
    "feature_music": Score(
        KEY,
        0.18,
        (0, 0, 1, 1, 5, 5, 4, 4),
        8,
        (
            Part("glass", 1.2, 0.36, ("0.4.7.4.", "2.4.9.4."), 0),
            Part("bell", 0.9, 0.34, ("..7...9.", "b...9.7."), 0),
            Part("harp", 1.0, 0.8, ("0..0..0.",), -14),
        ),
        pads=0.8,
        drums="x..x..x.",
        bells="..x...x.",
        hall_s=1.8,
        wet=0.34,
    ),
}
"""The loops by name."""

VOICE = Voice(KEY, "bell", "glass")
"""Who plays the wins."""
