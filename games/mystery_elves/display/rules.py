# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Mystery Elves' rules for the player (RULES.md), with their figures from the game's own tables."""

from datetime import date

from games.mystery_elves import GAME
from games.mystery_elves.display import words
from games.mystery_elves.pays import (
    AWARD_NAMES,
    BUY_PRICE,
    FULL_MULTIPLIER,
    GAMBLE,
    GRAND_MULTIPLIER,
    LEAST_BONUSES,
    LINE_PAYS,
    LINES,
    MULTIPLIERS,
    RESPINS,
    VALUES,
    WILD,
)
from games.mystery_elves.strips import HOLD_RULES, REELS
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""Raise it with every change of the words or figures below (`tests/ui/test_rules_editions.py`)."""

RTP = "95.01"
"""What the game returns on average in percent, paid or bought; these five: RULES.md, Figures."""
LINES_RTP = "58.34"
FEATURE_RTP = "36.67"
ONE_FEATURE_IN = 181
HIGHEST_LINES_ONE_IN = 46_609_920

GAMBLING = "Gamble"
"""The heading of the rules of the gamble."""

_RULES = (
    (
        "Lines and the wild",
        (
            "All {lines} lines are always played, one coin on each; a coin is 1/{lines} of the bet. Lines pay from "
            "left to right, beginning on reel 1. Only the highest win on each line is paid, and all wins are added "
            "up. The Stag is wild: it stands for every symbol except Bonus, and pays on its own."
        ),
    ),
    (
        "Bonus symbols",
        (
            "A Bonus carries {least_value} to {most_value} times the bet, or Mystery, or Multiplying (one at most "
            "in a feature). Bonus symbols pay in Hold and Win only. {least} or more of them anywhere start it: on "
            "average one spin in {one_in}."
        ),
    ),
    (
        "Hold and Win",
        (
            "{respins} respins: your press starts the first, the others follow by themselves. Bonus symbols stay where "
            "they are, and every empty cell spins a reel of its own. A new Bonus stays too and sets the respins back "
            "to {respins}. The feature ends when no respin is left or all {cells} cells are filled."
        ),
    ),
    (
        "How Hold and Win is counted",
        (
            "When it ends, in this order: each Mystery awards {awards} times the bet, GRAND once at most: a second one "
            "is a MAJOR. Multiplying multiplies all values and awards by {low} to {high}, beside GRAND by "
            "{beside_grand}. Each Mystery and Multiplying turns into {least_value} to {most_value} times the bet, "
            "which is added and not multiplied. {cells} filled cells pay everything × {full}."
        ),
    ),
    (
        "Buying Hold and Win",
        (
            "It costs {price} times the bet: a spin that stops with {least} Bonus symbols or more, each such stop "
            "equally likely, and is then played like any other, lines included. It returns {rtp} % of its price on "
            "average."
        ),
    ),
    (
        GAMBLING,
        (
            "Any win up to {cap} may be gambled at the end of the round. Press GAMBLE (MAX BET on the panel) and guess "
            "red or black: double or nothing, at exactly even odds, at most {rounds} times and only while {cap} or "
            "less are at risk. HALVE takes half and gambles the rest. A joker counts as the colour that you guessed. "
            "Each card is drawn after the guess. The cards shown decide nothing. You may collect before each card. "
            "SPIN instead of GAMBLE collects, and plays if the credit then covers the bet. A win that autospin follows "
            "with another spin can't be gambled."
        ),
    ),
    (
        "Fair play",
        (
            "Every result is drawn at random, after all of your options are fixed. Nothing that you pick changes "
            "the odds, and nothing that happened before does. A near miss is only what the strips give. STOP, SKIP, "
            "turbo and autospin change no result."
        ),
    ),
    (
        "Return to the player",
        (
            "On average {rtp} % of the bets: {lines_rtp} by lines and {feature_rtp} by Hold and Win. The highest win "
            "of the lines is {highest} times the bet, one spin in {highest_in}; features may win more. An "
            "unfinished game is finished by itself after {hours} powered-on hours and paid to the credit. "
            "Malfunction voids all pays and plays."
        ),
    ),
)


def awards() -> str:
    """Return the fixed awards with their worth in whole bets."""
    named = (
        text.say(words.AWARD_OF, award=text.say(words.AWARDS[name]), bets=text.whole(bets))
        for bets, name in AWARD_NAMES.items()
    )
    return ", ".join(named)


def rules(gamble_cap_cents: int) -> tuple[tuple[str, str], ...]:
    """Return headings and texts; of the gamble only where something may be gambled here."""
    figures = {
        "lines": len(LINES),
        "least": LEAST_BONUSES,
        "least_value": min(VALUES.weights),
        "most_value": max(VALUES.weights),
        "one_in": ONE_FEATURE_IN,
        "respins": RESPINS,
        "cells": len(HOLD_RULES.cells),
        "awards": awards(),
        "low": min(MULTIPLIERS.weights),
        "high": max(MULTIPLIERS.weights),
        "beside_grand": GRAND_MULTIPLIER,
        "full": FULL_MULTIPLIER,
        "price": BUY_PRICE,
        "rtp": text.decimal(RTP),
        "cap": text.amount(gamble_cap_cents),
        "rounds": GAMBLE.rounds,
        "hours": text.ABSENT_HOURS,
        "lines_rtp": text.decimal(LINES_RTP),
        "feature_rtp": text.decimal(FEATURE_RTP),
        "highest": text.whole(LINE_PAYS[WILD][len(REELS.strips)]),
        "highest_in": text.whole(HIGHEST_LINES_ONE_IN),
    }
    shown = (rule for rule in _RULES if gamble_cap_cents or rule[0] != GAMBLING)
    written = tuple((text.say(heading), text.say(words_, **figures)) for heading, words_ in shown)
    return (*written, highest_wins(GAME, doubled=gamble_cap_cents > 0))
