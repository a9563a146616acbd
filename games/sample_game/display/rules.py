"""Sample Game's rules for the player, with their figures from the game's own tables."""

from datetime import date

from gamekit.figures import figures_of
from games.sample_game import GAME
from games.sample_game.pays import FREE_SPIN_MULTIPLIER, FREE_SPINS, SCATTER_PAYS
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""The number and the day of the words below; raise it with every change of them or of their figures."""

_RULES = (
    (
        "Wild stands for all but Star",
        ("Wild stands for every symbol except Star, and pays on its own. Only the highest win on each line is paid."),
    ),
    (
        "Star: scatter and free spins",
        (
            "{least} or more Stars anywhere pay a multiple of the total bet, and give {few} to {many} free "
            "spins. In free spins all line wins are multiplied by {multiplier}; Star wins are not. More free spins can "
            "be won in them."
        ),
    ),
    (
        "How lines are paid",
        (
            "Line wins pay from left to right, beginning on reel 1, times the coins bet on the line. Line and Star "
            "wins are added up. Coins times coin value is the amount paid. Malfunction voids all plays and pays."
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
        "least": min(SCATTER_PAYS),
        "few": min(FREE_SPINS.values()),
        "many": max(FREE_SPINS.values()),
        "multiplier": FREE_SPIN_MULTIPLIER,
        "hours": text.ABSENT_HOURS,
        "rtp": text.decimal(f"{figures_of(GAME.name).usual_return / 10**6:.2f}"),
    }
    written = tuple((text.say(heading), text.say(words, **figures)) for heading, words in _RULES)
    return (*written, highest_wins(GAME))
