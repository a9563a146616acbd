"""Neptune's reel strips, the same in the base game and in free spins.

No symbol occurs twice in a window: so there is at most one Treasure on each reel, which with the lines' different
beginnings makes two treasures in one spin impossible, and at most one Mermaid, which makes five the most there can be.
"""

from gamekit.reels import Reels
from games.neptune.pays import ROWS

_LETTERS = {
    "N": "neptune",
    "M": "mermaid",
    "T": "treasure",
    "B": "jewel_box",
    "C": "clam",
    "H": "sea_horse",
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "X": "ten",
}

_STRIPS = (
    "QXAKXTNKBCKJQXJMATXHBCXKJHCXQNJCXAQHTM",
    "HTJCXKJAQXTQJXNCBAKXHKAHTJQBXNQKXCMABJCX",
    "CXACNHQKJXBKQXHTAJXCQXHTJAXKCQNBMKTJQK",
    "CJKHJQKJBQKJHKTQKJAQJXMAXQBCJKCXHMBTQXAHN",
    "XBKQJKHAJXBMQTCKNXBCKAJQTXHKAHCQAKJQ",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)
