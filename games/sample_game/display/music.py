"""Sample Game's music: a harp in C major; its wins are played on the same instrument."""

from ui.baking.sounds.music import MAJOR, Key, Part, Score
from ui.baking.sounds.worlds import Voice

KEY = Key(60, MAJOR)

LOOPS = {
    "background": Score(KEY, 0.32, (0, 3, 4, 0, 5, 3, 1, 4), 8, (Part("harp", 1.2, 0.5, ("0.2.4.7.", "4.2.0.2.")),)),
    "free_spins_music": Score(
        KEY, 0.2, (0, 5, 3, 4, 0, 5, 1, 4), 8, (Part("harp", 0.9, 0.5, ("02472420", "02494742")),), drums="x..x"
    ),
}
"""The loops by name."""

VOICE = Voice(KEY, "harp", "bell", 7)
"""Who plays its wins."""
