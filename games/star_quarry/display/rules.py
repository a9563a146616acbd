# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Star Quarry's rules for the player, with their figures from the game's own tables."""

from datetime import date

from games.star_quarry import GAME
from games.star_quarry.pays import CASCADES, FREE_CASCADES, FREE_SPINS, PAYS, SCATTER_PAYS, WILD
from games.star_quarry.strips import REELS
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""Raise it with every change of the words or figures below (`tests/ui/test_rules_editions.py`)."""

RTP = "95.00"
"""What the game returns on average at every bet, in percent (RULES.md, Figures)."""

_RULES = (
    (
        "{ways} ways",
        (
            "All {ways} ways are always played. A symbol wins where it is on {least} or more reels in a row from "
            "reel 1 on, wherever it is on them. How often it is on each of these reels, multiplied, is the number of "
            "its ways, and each way pays. Of each symbol only the longest row is paid; the wins of all symbols are "
            "added up."
        ),
    ),
    (
        "Comet",
        (
            "The Comet is wild: it stands for every symbol except Beacon. It is on reels {first} to {last} only, and "
            "pays nothing by itself."
        ),
    ),
    (
        "Cascades",
        (
            "All symbols that win burst, Comets among them. Those above fall, and the next ones of the reel follow "
            "from above. What wins then is paid too, and so on until nothing wins. Nothing is drawn for a cascade: "
            "where the reels have stopped decides all of them."
        ),
    ),
    (
        "The multiplier",
        (
            "Each cascade raises what the ways pay, step by step: × {steps}. The last step stays for the rest of the "
            "spin. In free spins the steps are × {free_steps}. Every spin begins with the first step. Beacons pay the "
            "same on each."
        ),
    ),
    (
        "Beacon: free spins",
        (
            "Beacons do not burst; they fall with the others and are counted once, when the cascades of the spin have "
            "ended. {least_beacons} or more anywhere then pay their figure times the bet and give {spins} free spins, "
            "in free spins {spins} more. Free spins play the bet that won them, on the same reels."
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
            "On average {rtp} % of the bets, at every bet. An unfinished game waits for you; after {hours} powered-on "
            "hours it is finished by fair draws and paid to the credit. Malfunction voids all plays and pays."
        ),
    ),
)


def comet_reels() -> tuple[int, int]:
    """Return the first and the last reel, from 1, whose strips have the Comet."""
    reels = [number for number, strip in enumerate(REELS.strips, start=1) if WILD in strip]
    return reels[0], reels[-1]


def _steps(multipliers: tuple[int, ...]) -> str:
    return ", × ".join(map(str, multipliers))


def rules() -> tuple[tuple[str, str], ...]:
    """Return headings and texts."""
    first, last = comet_reels()
    figures = {
        "ways": text.whole(GAME.rows**GAME.reels),
        "least": min(min(pays) for pays in PAYS.values()),
        "first": first,
        "last": last,
        "steps": _steps(CASCADES.multipliers),
        "free_steps": _steps(FREE_CASCADES.multipliers),
        "least_beacons": min(SCATTER_PAYS),
        "spins": FREE_SPINS[min(FREE_SPINS)],
        "rtp": text.decimal(RTP),
        "hours": text.ABSENT_HOURS,
    }
    written = tuple((text.say(heading, **figures), text.say(words, **figures)) for heading, words in _RULES)
    return (*written, highest_wins(GAME))
