"""Mean squares of Witch Feature's windows, which take a minute to work out (`squares.all_squares`), kept as fractions.

In coins at one coin a line: a paid window, a free one, and one respin of each feature before any multiplier. They
belong to this maths version; a proof works them out again.
"""

from fractions import Fraction

SQUARES = {
    "paid": Fraction(2_676_000_370_069, 995_328_000),
    "free": Fraction(5_017_720_642_975, 1_892_772_864),
    "high_symbols": Fraction(249_910_770_373, 4_050_000),
    "random_wilds": Fraction(435_417_455_868_886_777, 4_961_280_000_000),
    "multiplier": Fraction(9_014_802_307, 1_024_000),
    "mega_wild": Fraction(4_633_063_529_034_153, 3_788_800_000),
    "explosion": Fraction(92_801_471_597_281_801_019, 64_496_640_000_000),
}
