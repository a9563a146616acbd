"""Mean squares of Witch Feature's windows, which take a minute to work out (`squares.all_squares`), kept as fractions.

In coins at one coin a line: a paid window, a free one, and one respin of each feature before any multiplier. They
belong to this maths version; a proof works them out again.
"""

from fractions import Fraction

SQUARES = {
    "paid": Fraction(8_070_534_076_597, 2_123_366_400),
    "free": Fraction(59_352_496_917_397, 15_530_425_344),
    "high_symbols": Fraction(249_910_770_373, 4_050_000),
    "random_wilds": Fraction(37_369_043_674_930_913, 744_192_000_000),
    "multiplier": Fraction(1_630_748_191_169, 388_800_000),
    "mega_wild": Fraction(29_407_645_396_609_957, 34_525_440_000),
    "explosion": Fraction(6_405_502_058_197_047_361, 5_728_320_000_000),
}
