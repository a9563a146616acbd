"""Sample Game's reel strips, the same in the base game and in free spins: no star is twice in a window."""

from gamekit.reels import Reels
from games.sample_game.pays import ROWS

_LETTERS = {
    "W": "wild",
    "S": "star",
    "R": "ruby",
    "E": "emerald",
    "P": "sapphire",
    "T": "topaz",
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
}

_STRIPS = (
    "JQKTAJPQEKJASQTRKJAPQWJKETAQJPKQRJATQK",
    "QJAKPTJQWEKJASQPRJKTAQEJSKQPJATWKQJERA",
    "KJQTASJKEPQAJWKTRQJKAPJQTJEKAQJRPKTQWJA",
    "JAQKTPJQSEKARJQKTWAPQJKESTAJQKRPJAQKTJ",
    "AQJKPTQJEKASJQRTKWJAQPKJEJQTAJKPRQJATK",
)

REELS = Reels([[_LETTERS[letter] for letter in strip] for strip in _STRIPS], ROWS)
