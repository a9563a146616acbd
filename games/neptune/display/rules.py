"""Neptune's rules for the player (RULES.md), with their figures from the game's own tables."""

from datetime import date

from games.neptune import GAME
from games.neptune.pays import CHEST_TABLE, CHESTS_SHOWN, FREE_SPIN_MULTIPLIER, FREE_SPINS, MERMAID_PAYS
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""Raise it with every change of the words or figures below (`tests/ui/test_rules_editions.py`)."""

RTP = "96.56"
"""What the game returns on average at every bet, in percent (RULES.md, Figures)."""

_RULES = (
    (
        "Neptune is wild",
        (
            "Neptune stands for every symbol except Mermaid and Treasure, and pays on his own. "
            "Only the highest win on each line is paid."
        ),
    ),
    (
        "Mermaid: scatter and free spins",
        (
            "{least_mermaids} or more Mermaids anywhere pay a multiple of the total bet. {least_for_spins} or "
            "more also give {spins} free spins. In free spins all line wins are multiplied by "
            "{multiplier}; Mermaid and treasure wins are not. More free spins can be won in them."
        ),
    ),
    (
        "Treasure",
        (
            "Three or more Treasures in a row on a played line, beginning on reel 1, open the treasure: as many of the "
            "{chests} chests may be opened as Treasures are in that row. Each pays {least} to {most} coins for each "
            "coin bet on a line: up to {most_of_all} coins in all. What a chest pays is drawn when it is opened; the "
            "others hold nothing."
        ),
    ),
    (
        "Paying",
        (
            "Line wins pay from left to right, beginning on reel 1, times the coins bet on the line. Line, Mermaid and "
            "treasure wins are added up. Coins times coin value is the amount paid. "
            "Malfunction voids all plays and pays."
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
            "hours it is finished by fair draws and paid to the credit."
        ),
    ),
)


def rules() -> tuple[tuple[str, str], ...]:
    """Return headings and texts."""
    most = max(CHEST_TABLE.weights)
    figures = {
        "least_mermaids": min(MERMAID_PAYS),
        "least_for_spins": min(FREE_SPINS),
        "spins": FREE_SPINS[min(FREE_SPINS)],
        "multiplier": FREE_SPIN_MULTIPLIER,
        "chests": CHESTS_SHOWN,
        "least": min(CHEST_TABLE.weights),
        "most": most,
        "hours": text.ABSENT_HOURS,
        "rtp": text.decimal(RTP),
        "most_of_all": text.whole(GAME.reels * most * max(GAME.coins_per_line)),
    }
    written = tuple((text.say(heading), text.say(words, **figures)) for heading, words in _RULES)
    return (*written, highest_wins(GAME))
