"""Sample Game's rules for the player, with their figures from the game's own tables."""

from datetime import date

from gamekit.figures import figures_of
from games.sample_ways import GAME
from games.sample_ways.pays import FREE_SPIN_MULTIPLIER, FREE_SPINS, PAYS, SCATTER_PAYS
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""The number and the day of the words below; raise it with every change of them or of their figures."""

_RULES = (
    (
        "{ways} ways",
        (
            "All {ways} ways are always played. A symbol wins where it is on {least_reels} or more reels in a row from "
            "reel 1 on, wherever it is on them: how often it is on each of these reels, multiplied, is the number of "
            "its ways, and each way pays. Only the longest row of each symbol is paid; all wins are added up. "
            "Malfunction voids all plays and pays."
        ),
    ),
    ("Wild is not on reel 1", "Wild stands for every symbol except Star, and pays nothing by itself."),
    (
        "Star: scatter and free spins",
        (
            "{least} or more Stars anywhere pay a multiple of the total bet, and give {few} to {many} free spins. In "
            "free spins all ways are multiplied by {multiplier}; Star wins are not. More free spins can be won in them."
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
    figures = {
        "ways": text.whole(GAME.rows**GAME.reels),
        "least_reels": min(min(pays) for pays in PAYS.values()),
        "least": min(SCATTER_PAYS),
        "few": min(FREE_SPINS.values()),
        "many": max(FREE_SPINS.values()),
        "multiplier": FREE_SPIN_MULTIPLIER,
        "hours": text.ABSENT_HOURS,
        "rtp": text.decimal(f"{figures_of(GAME.name).usual_return / 10**6:.2f}"),
    }
    written = tuple((text.say(heading, **figures), text.say(words, **figures)) for heading, words in _RULES)
    return (*written, highest_wins(GAME))
