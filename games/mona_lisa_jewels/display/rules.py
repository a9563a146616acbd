# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Mona Lisa Jewels' rules for the player (RULES.md), with figures from the game's own tables."""

from datetime import date

from games.mona_lisa_jewels import GAME
from games.mona_lisa_jewels.pays import (
    COINS_PER_LINE,
    FREE_SPINS,
    JACKPOT_AWARD,
    JEWEL_SPINS,
    JEWELS_TO_TRIGGER,
    LINES,
    PALETTE_PAYS,
    POOL_SEED_COINS,
    WILD_MULTIPLIERS,
)
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""Raise it with every change of the words or figures below (`tests/ui/test_rules_editions.py`)."""

RTP = "94.30"
"""What bets below the highest return on average, in percent; these five: RULES.md, Figures."""
HIGHEST_RTP = "94.60"
JACKPOT_ONE_IN = 61_873
POOL_GROWTH = "0.5"
JEWEL_SPINS_ONE_IN = "11.67"

_RULES = (
    (
        "Lines and the wild",
        (
            "Lines pay from left to right, beginning on reel 1, times the coins bet on the line. Only the highest win "
            "on each line is paid; all wins are added up. Mona Lisa is wild: she stands for every symbol except "
            "Palette and Jackpot. A wild on reel 1 would be no Jewel for the jewel spins."
        ),
    ),
    (
        "Jewel spins",
        (
            "{jewels} or 3 Jewels on reel 1 win {spins} jewel spins: on average one spin in {jewels_in}. Reel 1 is "
            "locked and does not spin. Jewels and wilds on the other reels stay for both spins, and those that land in "
            "the first stay for the second. Wilds multiply nothing here, the locked Jewels win no more jewel spins, "
            "and the jackpot cannot fall. {least} or more Palettes pay and win free spins here too; one behind a "
            "symbol that stays does not count."
        ),
    ),
    (
        "Free spins",
        (
            "{least} or more Palettes anywhere pay a multiple of the total bet and win {free} free spins. In them "
            "a line win with 1 wild in its paid combination pays {one} times, with 2 wilds {two} times, with 3 or more "
            "{three} times; a wild beyond the combination multiplies nothing. Jewel spins and more free spins can be "
            "won in them, without limit. One spin may win {both} spins: {free} free spins and {spins} jewel spins. The "
            "coin value stays as it is until they are over."
        ),
    ),
    (
        "Jewel spins come first",
        (
            "Example 1: the 4th of {free} free spins wins jewel spins. The next {spins} spins are jewel spins, then "
            "the 6 free spins left are played. "
            "Example 2: the 1st jewel spin wins {free} free spins. The next spin is the other jewel spin, then the "
            "{free} free spins are played. The first jewel spin and the first free spin wait for your press, also in "
            "autospin; the others follow by themselves."
        ),
    ),
    (
        "Jackpot",
        (
            "Five Jackpot symbols on a line win the jackpot only with {lines} lines × {coins} coins: one paid spin in "
            "{jackpot_in} on average. At any other bet they cannot win it and pay {award} coins for each coin on the "
            "line. It can be won in free spins, not in jewel spins. Each coin value has a jackpot of its own, which "
            "starts at {seed} coins and grows by {growth} % of every bet made at that coin value. What is paid is the "
            "jackpot at the moment of the win, which may differ from the figure last shown."
        ),
    ),
    (
        "Fair play",
        (
            "Every result is drawn at random, after all of your options are fixed: then nothing that you press changes "
            "it or its odds, and nothing that happened before does. A near miss is only what the strips give. STOP, "
            "SKIP, turbo and autospin change no result."
        ),
    ),
    (
        "Return to the player",
        (
            "On average {rtp} % of the bets; with {lines} lines × {coins} coins {highest_rtp} %, the jackpot "
            "counted as it starts. Jewel spins bring more than a third of it. Coins times coin value is the amount "
            "paid. An unfinished game is finished by itself after {hours} powered-on hours and paid to the credit. "
            "Malfunction voids all pays and plays."
        ),
    ),
)


def rules() -> tuple[tuple[str, str], ...]:
    """Return headings and texts."""
    one, two, three = WILD_MULTIPLIERS
    free = FREE_SPINS[min(FREE_SPINS)]
    figures = {
        "jewels": JEWELS_TO_TRIGGER,
        "spins": JEWEL_SPINS,
        "jewels_in": text.decimal(JEWEL_SPINS_ONE_IN),
        "least": min(PALETTE_PAYS),
        "free": free,
        "one": one,
        "two": two,
        "three": three,
        "both": free + JEWEL_SPINS,
        "lines": len(LINES),
        "coins": COINS_PER_LINE[-1],
        "jackpot_in": text.whole(JACKPOT_ONE_IN),
        "award": JACKPOT_AWARD,
        "growth": text.decimal(POOL_GROWTH),
        "seed": text.whole(POOL_SEED_COINS),
        "rtp": text.decimal(RTP),
        "highest_rtp": text.decimal(HIGHEST_RTP),
        "hours": text.ABSENT_HOURS,
    }
    written = tuple((text.say(heading), text.say(words, **figures)) for heading, words in _RULES)
    return (*written, highest_wins(GAME))
