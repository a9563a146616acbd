"""Bewitched's rules for the player (RULES.md), with their figures from the game's own tables."""

from collections.abc import Iterable
from datetime import date

from games.bewitched import GAME
from games.bewitched.pays import (
    BATTLE_ODDS,
    BATTLE_SPINS,
    DOUBLE_UP,
    FREE_SPIN_MULTIPLIER,
    LINES,
    MERLINS,
    POOL,
    VIALS_SHOWN,
    VIALS_TAKEN,
    WITCHES_PAYS,
)
from games.bewitched.potions import FREE_SPINS, MONEY, potion_weights
from ui import text
from ui.promises import highest_wins
from ui.theme import RulesEdition

EDITION = RulesEdition(1, date(2026, 11, 29))
"""Raise it with every change of the words or figures below (`tests/ui/test_rules_editions.py`)."""

RTP = "94.60"
RTP_WITH_GROWTH = "95.10"
"""What the game returns on average in percent, with the jackpot at its seed and with what it grows by; these and the
next: RULES.md, Figures."""
JACKPOT_ONE_IN = 10_000_016.087
"""How many paid spins of one coin win the jackpot once; each coin bet buys the same chance."""
BATTLE_ONE_IN = 21
MERLIN_ONE_IN = 278
ODDS_AT = (1, 10, 25, 50, 75, 100, 150)
"""The bets, in coins, for which the rules print the jackpot's odds."""

ODDS_ROW = "{coins} coins: 1 in {odds}"
ODDS_ROW_ONE = "1 coin: 1 in {odds}"

DOUBLE = "Double"
"""The heading of the rules of the double."""

_RULES = (
    (
        "Lines and the wild",
        (
            "Lines 1 to {lines} may be played, with 1 to 10 coins on each. They pay from left to right, beginning on "
            "reel 1, times the coins on the line. Only the highest win on each line is paid; wins on different lines "
            "and all others are added up. The Owl is wild: it stands for every symbol except the witches and Merlin, "
            "and pays on its own. Coins times coin value is the amount paid."
        ),
    ),
    (
        "The witches' battle",
        (
            "{least_witches} to {most_witches} witches anywhere pay {scatter_pays} times the total bet and start a "
            "battle, on average one spin in {battle_in}. Your witch wins one battle in {battle_odds}, whichever of "
            "the two she is, and then brings {battle_spins} free spins for {least_witches} to {most_witches} witches."
        ),
    ),
    (
        "Your witch",
        (
            "You choose her when you enter the game, and may change her on these pages at any time between spins. "
            "The choice never changes the odds."
        ),
    ),
    (
        "Merlin's vials",
        (
            "{merlins} or more Merlins anywhere, in free spins as well, start the bonus, on average one spin in "
            "{merlin_in}: combine {taken} of the {shown} vials. When the third is chosen the potion is drawn: "
            "{least_money} to {most_money} times the total bet, or {least_spins} to {most_spins} free spins, or the "
            "jackpot. Which vials you choose changes nothing, and the others hold nothing."
        ),
    ),
    (
        "Free spins",
        (
            "Line wins are multiplied by {multiplier}; scatter, bonus and jackpot are not. They play the bet that won "
            "them. Free spins won in free spins are played after them, without limit."
        ),
    ),
    (
        "The jackpot",
        (
            "Each coin value has a jackpot of its own. It starts at {seed} coins, grows by {growth} % of every bet at "
            "that coin value, and is paid in whole coins as it stands when it is won; the counter shows it, renewed "
            "every 3 seconds. If it is won twice in close succession the first win takes it, and the second takes "
            "{seed} coins and {growth} % of what has been bet in between."
        ),
    ),
    (
        "The jackpot's odds",
        (
            "Each coin bet buys the same chance: one paid spin in {one_in} divided by the coins bet wins it, the free "
            "spins that it brings included. The coin value changes no odds. By coins bet a spin:\n{odds}"
        ),
    ),
    (
        DOUBLE,
        (
            "A line win of the paid spin up to {cap} may be doubled at the end of the round. Press GAMBLE (MAX BET on "
            "the panel) and guess red heart or black spade: double or nothing, at exactly even odds, at most {rounds} "
            "times and only while {cap} or less are at risk. Each card is drawn after the guess. The cards shown "
            "decide nothing. You may collect before each card. SPIN instead of GAMBLE collects, and plays if the "
            "credit then covers the bet. Wins of scatters, bonus and free spins are yours already and can't be "
            "doubled, nor can a win that autospin follows with another spin."
        ),
    ),
    (
        "Fair play",
        (
            "Every result is drawn at random, after all of your options are fixed: a spin after its bet, the potion "
            "after the third vial. Nothing that you pick changes the odds. A near miss is only "
            "what the strips give. Nothing adapts to what happened before: no earlier win or loss, no credit and no "
            "time of day enters a round. STOP, SKIP, turbo and autospin change no result."
        ),
    ),
    (
        "Return to the player",
        (
            "On average {rtp} % of the bets at every bet with the jackpot at its start, {rtp_growth} % with what it "
            "grows by. An unfinished game waits for you; after {hours} powered-on hours it is finished by fair draws "
            "and paid to the credit. Malfunction voids all pays and plays."
        ),
    ),
)


def odds_of(coins: int) -> int:
    """Return how many paid spins of `coins` win the jackpot once, on average."""
    return round(JACKPOT_ONE_IN / coins)


def _odds() -> str:
    rows = [
        text.say(ODDS_ROW_ONE if coins == 1 else ODDS_ROW, coins=coins, odds=text.whole(odds_of(coins)))
        for coins in ODDS_AT
    ]
    pairs = [rows[first : first + 2] for first in range(0, len(rows), 2)]
    return "\n".join(" · ".join(pair) for pair in pairs)


def rules(gamble_cap_cents: int) -> tuple[tuple[str, str], ...]:
    """Return headings and texts; of the double only where something may be doubled here."""
    potions = potion_weights(1)
    money = [potion.amount for potion in potions if potion.kind == MONEY]
    spins = [potion.amount for potion in potions if potion.kind == FREE_SPINS]
    figures = {
        "lines": len(LINES),
        "least_witches": min(WITCHES_PAYS),
        "most_witches": max(WITCHES_PAYS),
        "scatter_pays": _listed(WITCHES_PAYS[count] for count in sorted(WITCHES_PAYS)),
        "battle_in": BATTLE_ONE_IN,
        "battle_odds": BATTLE_ODDS,
        "battle_spins": _listed(BATTLE_SPINS[count] for count in sorted(BATTLE_SPINS)),
        "merlins": MERLINS,
        "merlin_in": MERLIN_ONE_IN,
        "taken": VIALS_TAKEN,
        "shown": VIALS_SHOWN,
        "least_money": min(money),
        "most_money": max(money),
        "least_spins": min(spins),
        "most_spins": max(spins),
        "multiplier": FREE_SPIN_MULTIPLIER,
        "seed": text.whole(POOL.seed_coins),
        "growth": text.decimal(f"{POOL.growth_per_mille / 10:.1f}"),
        "one_in": text.whole(odds_of(1)),
        "odds": _odds(),
        "rounds": DOUBLE_UP.rounds,
        "hours": text.ABSENT_HOURS,
        "cap": text.amount(gamble_cap_cents),
        "rtp": text.decimal(RTP),
        "rtp_growth": text.decimal(RTP_WITH_GROWTH),
    }
    shown = (rule for rule in _RULES if gamble_cap_cents or rule[0] != DOUBLE)
    written = tuple((text.say(heading), text.say(words, **figures)) for heading, words in shown)
    return (*written, highest_wins(GAME, doubled=gamble_cap_cents > 0))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
