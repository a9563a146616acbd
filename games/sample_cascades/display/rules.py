# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Sample Game's rules for the player, with their figures from the game's own tables."""

from datetime import date

from gamekit.cascades import CascadeRules
from gamekit.figures import figures_of
from games.sample_cascades import GAME
from games.sample_cascades.pays import CASCADES, FREE_CASCADES, FREE_SPINS, PAYS, SCATTER_PAYS
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
        "Cascades",
        (
            "All symbols that win burst, Wilds among them; those above fall, and the next ones of the reel follow. "
            "What wins then is paid too, and so on until nothing wins. Nothing is drawn for a cascade. Each raises "
            "what the ways pay: × {steps}, in free spins × {free_steps}; every spin begins with the first step."
        ),
    ),
    (
        "Star: scatter and free spins",
        (
            "Stars do not burst. They are counted once, when the cascades of the spin have ended: {least} or more "
            "anywhere pay a multiple of the total bet, whatever the step, and give {few} free spins. More free spins "
            "can be won in them."
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


def _steps(rules: CascadeRules) -> str:
    return ", × ".join(map(str, rules.multipliers))


def rules() -> tuple[tuple[str, str], ...]:
    """Return headings and texts."""
    figures = {
        "ways": text.whole(GAME.rows**GAME.reels),
        "least_reels": min(min(pays) for pays in PAYS.values()),
        "least": min(SCATTER_PAYS),
        "few": min(FREE_SPINS.values()),
        "steps": _steps(CASCADES),
        "free_steps": _steps(FREE_CASCADES),
        "hours": text.ABSENT_HOURS,
        "rtp": text.decimal(f"{figures_of(GAME.name).usual_return / 10**6:.2f}"),
    }
    written = tuple((text.say(heading, **figures), text.say(words, **figures)) for heading, words in _RULES)
    return (*written, highest_wins(GAME))
