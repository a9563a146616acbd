"""Star Quarry's reel strips, the same in the base game and in free spins: one comet on reels 2 to 4, a beacon on each.

Topazes and ambers lie in pairs, which makes wins rarer and larger.
"""

from gamekit.reels import Reels
from games.star_quarry.pays import ROWS

_LETTERS = {
    "W": "comet",
    "B": "beacon",
    "F": "foreman",
    "R": "robot",
    "K": "rocket",
    "D": "drill",
    "C": "crystal",
    "U": "ruby",
    "E": "emerald",
    "S": "sapphire",
    "T": "topaz",
    "A": "amber",
}

_STRIPS = (
    "TTAASKUECDSTTAAUESCDTKARASBFUECD",
    "SCDEUSAARKFUTTESCDBWEUSKCAATEDTU",
    "AAECKUDSTTESCUFDAAKESBUCDWETTSRU",
    "SUTTWDKCEUSBDAAEUTTCSFKERUDSCEAA",
    "CTURDSCEUAAKSBTTCDEUSCEAASUDFKET",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)
