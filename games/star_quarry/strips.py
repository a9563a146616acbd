"""Star Quarry's reel strips, the same in the base game and in free spins: comets on reels 2 to 4."""

from games.reels import Reels
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
    "AFTUESRAKCDTBSAEUTFCKASDRETU",
    "TSAEWUCFKTARDESUBTAKECSRDAUT",
    "EAUTSKDBARFCTEWSAUDKTRECASUT",
    "SUTAERCKDBTSWAUEFTDAKSCRUETA",
    "UAESTDKRCFBTAUESKTDACRSEUFTA",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)
