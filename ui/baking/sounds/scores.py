"""The music of each world: a scale, a tempo and instruments of its own."""

from ui.baking.sounds.ambience import kitchen, night, palace, waves, winter
from ui.baking.sounds.music import DORIAN, HARMONIC_MINOR, LYDIAN, MAJOR, Key, Part, Score

SEA = Key(60, MAJOR)
NIGHT = Key(57, HARMONIC_MINOR)
KITCHEN = Key(62, DORIAN)
PALACE = Key(55, MAJOR)
FOREST = Key(64, LYDIAN)

SCORES: dict[str, dict[str, Score]] = {
    "neptune": {
        "feature_music": Score(
            SEA,
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
    },
    "bewitched": {
        "background": Score(
            NIGHT,
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
            NIGHT,
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
            NIGHT,
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
    },
    "witch_feature": {
        "background": Score(
            KITCHEN,
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
            KITCHEN,
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
            KITCHEN,
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
    },
    "mona_lisa_jewels": {
        "background": Score(
            PALACE,
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
            PALACE,
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
            PALACE,
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
    },
    "mystery_elves": {
        "background": Score(
            FOREST,
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
            FOREST,
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
            FOREST,
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
    },
}
"""Every world's loops by name."""
