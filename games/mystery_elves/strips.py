"""Mystery Elves' reel strips: one set for the paid spin, another for Hold and Win.

On each reel of the paid spin three wilds are together and the bonus symbols in groups of one and two, far enough
apart that a window never shows two groups: two bonus symbols of a reel at most are in view. A cell of Hold and Win has
a reel of its own, with one bonus symbol on it.
"""

from gamekit.hold_and_win import HoldRules
from gamekit.reels import Reels
from games.mystery_elves.pays import BLANK, BONUS, RESPINS, ROWS

_LETTERS = {
    "W": "wild",
    "S": "bonus",
    "G": "gold_elf",
    "R": "red_elf",
    "E": "green_elf",
    "M": "mushroom",
    "L": "lantern",
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "X": "ten",
}

_STRIPS = (
    "KGXLEQXKRJSSMGESQAJEKMLAWWWMRXJL",
    "QAWWWKQGRSSKJQAEMARLMJXKQXGSJLAEJX",
    "KAQKXQASSKXAQXLKSMELXQGXRMGRWWWAJESQ",
    "QASSKGMREWWWLMGEQMJRKSQEXJAQKJQRSJ",
    "KESMXJKXMSKRMEGQKWWWXLJXSSMEAKMRQXA",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)

HOLD_RULES = HoldRules(reels=len(REELS.strips), rows=ROWS, strip=(BONUS, *[BLANK] * 17), symbol=BONUS, respins=RESPINS)
