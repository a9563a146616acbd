"""Witch Feature's words for the player, looked up through `ui.text`."""
# ruff: noqa: RUF001  the multiplication sign is meant, no letter

from collections.abc import Sequence

from ui import text

SYMBOLS = {
    "wild": "Wild",
    "witch": "Witch",
    "cat": "Cat",
    "owl": "Owl",
    "book": "Book",
    "broom": "Broom",
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "free_spins": "Free Spins",
    "potion_red": "Red potion",
    "potion_blue": "Blue potion",
    "potion_green": "Green potion",
    "question_mark": "Question mark",
}
COLOURS = {"potion_red": "Red", "potion_blue": "Blue", "potion_green": "Green"}
CARDS = {
    "high_symbols": ("HIGH", "SYMBOLS"),
    "random_wilds": ("RANDOM", "WILDS"),
    "multiplier": ("MULTIPLIER", ""),
    "mega_wild": ("MEGA", "WILD"),
}
"""The name of each large card, in two lines."""

SHORT_CARDS = {"high_symbols": "HIGH", "random_wilds": "WILDS", "multiplier": "MULTI", "mega_wild": "MEGA"}
"""The name of each card beside the reels, where letters that can be read at arm's length leave room for one word."""

FEATURES = {
    "high_symbols": "HIGH SYMBOLS",
    "random_wilds": "RANDOM WILDS",
    "multiplier": "MULTIPLIER",
    "mega_wild": "MEGA WILD",
    "explosion": "EXPLOSION",
}
DOES = {
    "high_symbols": "a respin with wild and high symbols only",
    "random_wilds": "a respin with {least} to {most} wilds on random cells",
    "multiplier": "respins until a win, which is multiplied",
    "mega_wild": "a respin with one 3×3 or two 2×2 wilds",
    "explosion": "{marks} question marks turn into one symbol",
}
DOING = "{feature}: {what}"
COLLECTED = "{potion} collected"
UNLOCKED = "UNLOCKED"
UNLOCKED_AT = "{feature} is unlocked at this bet"
TIMES = "{feature} × {times}"
PAID = "{feature} has paid"
FEATURE_WIN = "FEATURE WIN"
AT_RANDOM = "At random: {feature}"
FREE_NOTE = "A FEATURE MAY COME ON ANY SPIN"
POTIONS_NOTE = "Collected; three may brew a feature"
QUESTION_NOTE = "Explosion: all turn into one symbol"
FREE_SPINS_NOTE = "On reels 1 and 5: {spins} free spins"


def feature(names: Sequence[str]) -> str:
    """Return what the player calls these features, which run together."""
    return " + ".join(text.say(FEATURES[name]) for name in names)


def potions(colours: Sequence[str]) -> str:
    """Return the colours of potions, one after the other."""
    return " + ".join(text.say(COLOURS[potion]) for potion in colours)
