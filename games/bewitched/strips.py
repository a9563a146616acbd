"""Bewitched's reel strips, the same in the base game and in free spins.

No symbol occurs twice in a window, so there are five scatters and five Merlins at the most; owl, scatter and Merlin
never share one of a reel.
"""

from gamekit.reels import Reels
from games.bewitched.pays import ROWS

_LETTERS = {
    "W": "owl",
    "S": "witches",
    "M": "merlin",
    "H": "witch_house",
    "T": "treasure_creature",
    "F": "frog_prince",
    "C": "crystal_ball",
    "B": "books",
    "O": "boots",
    "N": "moon",
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "X": "ten",
}

_STRIPS = (
    "HKSBNXKWJFQOCNXHTBJAOQCKXBJWAQMCTNJAKQOF",
    "NAHXOBANKQJAHXFJCMAXTWQOXBKNJSQBFCWOKJTC",
    "XSQCOBXQNAWBHFTOKJNMXACJKWNAOXQJTWKCBQHFK",
    "NXOAKQJXNBHCJOSATFCKWNAMQFXOCHJBQXKWTQJBF",
    "KBQJCFKQNOWJCAXMQHTBAJXCNAKHQXFONSBXTOJWA",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)
