"""Witch Feature's rules in the player's words (RULES.md), figures from the game's own tables."""

from collections.abc import Mapping, Sequence
from datetime import date

from games.witch_feature import GAME
from games.witch_feature.display import words
from games.witch_feature.pays import (
    EXPLOSION_MARKS,
    FREE_SPINS_ADDED,
    FREE_SPINS_WON,
    LINES,
    MULTIPLIER_TABLE,
    RANDOM_WILDS_TABLE,
)
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""Raise it with every change of the words or figures below (`tests/ui/test_rules_editions.py`)."""

RETURN = "94.02"
"""What every state returns, counting what the carried potions are worth afterwards, in percent."""

OWN_RETURNS: Mapping[tuple[str, ...], str] = {
    (): "79.87",
    ("potion_blue",): "81.68",
    ("potion_green",): "81.21",
    ("potion_red",): "80.82",
    ("potion_blue", "potion_blue"): "142.43",
    ("potion_blue", "potion_green"): "143.14",
    ("potion_blue", "potion_red"): "107.15",
    ("potion_green", "potion_green"): "112.66",
    ("potion_green", "potion_red"): "112.69",
    ("potion_red", "potion_red"): "106.80",
}
"""What one spin returns on average by itself, by the potions carried before it, in percent (par.json)."""

LEFT_WORTH: Mapping[tuple[str, ...], str] = {("potion_blue", "potion_green"): "4.48"}
"""The potions left behind that the next player gains most by, and how many bets (`tests/games/witch_prospects.py`)."""

FIRST_SPINS = 50
FIRST_SPINS_RETURN = "91.2"
"""What so many first spins of a bet return on average, in percent: the rest is worth left behind."""

_LINES = (
    "{lines} lines are always played: a coin on a line is a {lines}th of the bet. Line wins pay from left to right on "
    "neighbouring reels, beginning on reel 1, only the highest on each line; all are added up. The paytable shows them "
    "in money, at the bet chosen now."
)
_WILD = "Wild stands for every symbol but Free Spins, potions and question marks, and pays by itself."
_POTIONS = (
    "Potions land on reels 2, 3 and 4, at most one on a reel, and are collected from left to right: the symbols above "
    "fall, a new one enters on top, and then the lines are paid. Three potions make a combination and are used up, at "
    "most once a spin; more of them begin the next. Line wins are paid first, then the feature, then free spins. "
    "Potions and unlocked cards are kept for each bet."
)
_HIGH = "Red, blue and green: one respin with Wild, Witch, Cat, Owl, Book and Broom only."
_RANDOM = "Red and two blue: one respin on which {least} to {most} Wilds land on random cells."
_TIMES = "Red and two green: respins until a win, which is paid {multipliers} times."
_MEGA = "Two blue and green: one respin with one Wild of 3\N{MULTIPLICATION SIGN}3 or two of 2\N{MULTIPLICATION SIGN}2."
_UNLOCK = "At first only High Symbols is unlocked; it unlocks Random Wilds, that Multiplier, that Mega Wild."
_EXPLOSION = (
    "Any other three potions, or those of a locked card, may bring the Explosion: {marks} question marks land on "
    "random cells of a respin and all turn into one of Wild, Witch, Cat, Owl, Book or Broom. Otherwise they go up in "
    "smoke."
)
_FREE = (
    "Free Spins on reels 1 and 5 together give {won} free spins. No potion lands in them, and what you carry stays. A "
    "card's feature, locked or not, may come at random after any free spin, the Explosion never; Multiplier may join "
    "another one, whose single respin is then multiplied. In free spins, Free Spins on reel 1 or 5 give {added} more, "
    "on both {won} more."
)
_STATE = (
    "The potions that you carry are on the screen before you bet. What one spin returns on average by itself depends "
    "on them, and it can be more than 100 % of the bet; the spins on which potions are gathered return less. With "
    "these potions carried, one spin by itself returns on average:"
)
_STATE_ALL = (
    "Counting also what the potions carried afterwards are worth, every spin returns {percent} % on average, whatever "
    "is carried and whatever is unlocked."
)
_LEFT = (
    "Potions and cards stay at their bet when you leave it, for whoever plays that bet next. To that player potions "
    "left behind are worth up to {worth} times the bet ({potions}). A bet that carries none returns {first} % on its "
    "first spin and {later} % over its first {spins}, on average: the rest lies in the potions that it then carries."
)
_NONE = "None"
_DRAWN = (
    "Every result is drawn by a tested generator, after your bet is fixed; a free spin is drawn as it begins. Reels "
    "stop at each of their positions equally often: a near miss is only what the strips give. Nothing adapts to what "
    "was played, won or lost before, but for the potions and cards that you see. STOP, SKIP, turbo and autospin change "
    "no result. An unfinished game is finished by itself after {hours} powered-on hours and paid to the credit. "
    "Malfunction voids all plays and pays."
)


def _figures() -> str:
    """Return each set of carried potions with what one spin returns by itself, in three rows."""
    shown = [
        f"{words.potions(carried) if carried else text.say(_NONE)} {text.decimal(percent)} %"
        for carried, percent in OWN_RETURNS.items()
    ]
    rows = (shown[:4], shown[4:7], shown[7:])
    return "\n".join("   \N{MIDDLE DOT}   ".join(row) for row in rows)


def rules() -> Sequence[tuple[str, str]]:
    """Return headings and texts."""
    say = text.say
    cards = (
        say(_HIGH),
        say(_RANDOM, least=min(RANDOM_WILDS_TABLE.weights), most=max(RANDOM_WILDS_TABLE.weights)),
        say(_TIMES, multipliers=", ".join(str(times) for times in sorted(MULTIPLIER_TABLE.weights))),
        say(_MEGA),
        say(_UNLOCK),
    )
    ((most_left, left_worth),) = LEFT_WORTH.items()
    left = say(
        _LEFT,
        worth=text.decimal(left_worth),
        potions=words.potions(most_left),
        first=text.decimal(OWN_RETURNS[()]),
        later=text.decimal(FIRST_SPINS_RETURN),
        spins=FIRST_SPINS,
    )
    worth = say(_STATE_ALL, percent=text.decimal(RETURN))
    return (
        (say("Paying"), f"{say(_LINES, lines=len(LINES))} {say(_WILD)}"),
        (say("Potions"), say(_POTIONS)),
        (say("The four cards"), "\n".join(cards)),
        (say("What your potions are worth"), f"{say(_STATE)}\n{_figures()}\n{worth}"),
        (say("Potions left behind"), left),
        (say("Explosion"), say(_EXPLOSION, marks=EXPLOSION_MARKS)),
        (say("Free spins"), say(_FREE, won=FREE_SPINS_WON, added=FREE_SPINS_ADDED)),
        (say("Fair play"), say(_DRAWN, hours=text.ABSENT_HOURS)),
        highest_wins(GAME),
    )
