"""Mona Lisa Jewels' reel strips, the same in all kinds of spins.

At most one palette and one jackpot symbol are in a window of a reel. Reel 1 holds no wild. Its windows with two
jewels, which lock it, are the three of one jewel pair and one split pair, with queens beside and between: over them,
each row shows two jewels and one queen, so that a line is worth the same in whichever row it starts.
"""

from gamekit.reels import Reels
from games.mona_lisa_jewels.pays import ROWS

_LETTERS = {
    "W": "mona_lisa",
    "S": "palette",
    "V": "jewel",
    "P": "jackpot",
    "L": "leonardo",
    "F": "florence",
    "G": "goblet",
    "U": "lute",
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "X": "ten",
}

_STRIPS = (
    "QVVQAVQVKPLXJFKSAXGJUKPXLJAFXUKGJXA",
    "WKXAVFQJPUKXSLJQGAXWVKJFPXQAUJKGXLQ",
    "VAJKWQXPGJFKXUQSLAJVXKQWJPFXAGQKULX",
    "XKWJQALPVXFKGJUQXAKSWQJLXPAFVJKQGXU",
    "KVQXAWJFLPKXUGQJASXKFQVWJALPXQKGJUX",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)
