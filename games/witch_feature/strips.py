"""Witch Feature's reel strips: paid spins, free spins, respins, and respins of high symbols.

On paid strips any five consecutive stops hold at most one potion: with one taken out of the window, the four cells
that stay and the one that enters on top hold none. Respin strips hold four wilds in a row, once on each reel.
"""

from games.reels import Reels
from games.witch_feature.pays import POTIONS, ROWS

_LETTERS = {
    "W": "wild",
    "H": "witch",
    "C": "cat",
    "O": "owl",
    "B": "book",
    "M": "broom",
    "A": "ace",
    "K": "king",
    "Q": "queen",
    "J": "jack",
    "F": "free_spins",
    "r": "potion_red",
    "b": "potion_blue",
    "g": "potion_green",
}

_PAID = (
    "ACCBHQQKKHMMWOOBBMMCCJJKKHAAJJQQKKJJQQBBWAAFWOOM",
    (
        "OOJJCCBBMMQQBBMMCCHKKWHKKCCrJJAAQQBBCCQQWMMQQWAAMMHAJJWQQKKW"
        "QQJJWHMMJJQQHAAOOWCCMMOOWKKbAABBKKOOJJBAAHJJKKOOWHBBWHKKWHAA"
    ),
    (
        "JJBBAAHBBJJOOBBJJQQKKMMCCWHgKKWOOKKAAOOWHQQAWQQHWAAQQWBHMMOO"
        "HCCBBJJWKKHWJJHWMMQQJJrMMOOAAMMKKJJMMWQQCCWKKBBHCCKKAACCQQAA"
    ),
    (
        "AAWMMAAbWKKAAWKKHCCKKJJQQKKJJHCCQQWCCHJJAAHOOQQHWAAHOOWHKKBB"
        "MMJJBBgWCCAAWMMKKWMMOOQQMMBBOOMMJJBBCCQQBHQQJJHWAOOWJJKKQQBB"
    ),
    "JJBBWJJBBOOAAHQQAAKKHOOKKFAKKHMMWJJMWCCMMQQBCCQQ",
)

_RESPIN = (
    "WWWWHOOQQAAOKCCMMKKHAKKQQAACJBBMMJJBBQJJ",
    "WWWWOOKKHMMBBHQQKKAAJJKAJQAAOJJCCMMQQBBC",
    "WWWWHJJAACHQQBBOOQMMAAQQOCCKAMMKKJBBKKJJ",
    "WWWWJJOBBMMKAAQQHOOAHJBBMMJJKKQQCCAAKKCQ",
    "WWWWBBKKHACMMJCCQJJKKQQHOQQJJAABBOOMMAAK",
)

_HIGH = (
    "WWWWHMHOMHBOMOCBCBCBCOMWMOHCBM",
    "WWWWHOBCBCMCOBOHOHMHMOMWMCMBCB",
    "WWWWHCHBOCBCWHCBMHMOMOMOBOBMCM",
    "WWWWCBHCBMCMCOCOHMBHMOHMOBWMBO",
    "WWWWOCOCBOBHMBMBOCMWOHCHMHMCMB",
)

PAID_STRIPS = tuple(tuple(_LETTERS[letter] for letter in strip) for strip in _PAID)


def _read(strips: tuple[str, ...]) -> Reels:
    return Reels([[_LETTERS[letter] for letter in strip] for strip in strips], ROWS)


PAID_WINDOWS = Reels(PAID_STRIPS, ROWS)
"""The paid reels as they land, before their potions are collected."""

FREE_REELS = Reels([[symbol for symbol in strip if symbol not in POTIONS] for strip in PAID_STRIPS], ROWS)
RESPIN_REELS = _read(_RESPIN)
HIGH_REELS = _read(_HIGH)
