"""What Bewitched prints."""

from collections.abc import Mapping
from fractions import Fraction

from gamekit.maths import load_maths
from gamekit.play import Stake
from games.bewitched import GAME
from tests.ui.printed.facts import Fact, fact, rule, sheet, two_decimals
from tests.ui.printed.shared import (
    AMOUNT,
    CARD_AFTER,
    CARDS_DECIDE,
    COLLECT,
    NEAR_MISS,
    NO_RESULT,
    PAYS_AND_PLAYS,
    RETURNS,
    SPIN_COLLECTS,
    WAITS,
    highest_wins,
)

_SHEET = sheet("bewitched")
_WITCHES = _SHEET.table("WITCHES_PAYS")
_SPINS = _SHEET.table("BATTLE_SPINS")
_LEAST, _MOST = min(_WITCHES), max(_WITCHES)
_GROWTH = Fraction(_SHEET["POOL"]["growth_per_mille"], 10)
_BETS = (1, 10, 25, 50, 75, 100, 150)
_CAP = GAME.gamble_cap_cents


def _jackpot_one_in(coins: int) -> int:
    """Return how many paid spins of so many coins win the jackpot once, by the exact maths."""
    lines = next(lines for lines in GAME.line_counts if coins % lines == 0 and coins // lines in GAME.coins_per_line)
    figures = load_maths("bewitched").figures(Stake(lines=lines, coins_per_line=coins // lines), "")
    return round(1 / figures.triggers["jackpot"])


def _odds() -> Fact:
    """How many spins win the jackpot once, two bets to a row."""
    words = {
        "en": {
            coins: f"{{coins_{coins}}} {'coin' if coins == 1 else 'coins'}: 1 in {{odds_{coins}}}" for coins in _BETS
        },
        "de": {
            coins: f"{{coins_{coins}}} {'Münze' if coins == 1 else 'Münzen'}: 1 zu {{odds_{coins}}}" for coins in _BETS
        },
    }
    en, de = (
        " ".join(" · ".join(said[coins] for coins in _BETS[row : row + 2]) for row in range(0, len(_BETS), 2))
        for said in words.values()
    )
    figures = {f"coins_{coins}": coins for coins in _BETS} | {
        f"odds_{coins}": _jackpot_one_in(coins) for coins in _BETS
    }
    return fact(en, de, "test_the_jackpots_odds_are_the_exact_ones_at_every_bet", **figures)


RULES = (
    rule(
        "Lines and the wild",
        "Linien und Wild",
        fact(
            "Lines 1 to {lines} may be played, with 1 to {coins} coins on each.",
            "Es können die Linien 1 bis {lines} mit je 1 bis {coins} Münzen gespielt werden.",
            lines=max(bet["lines"] for bet in _SHEET.bets),
            coins=max(bet["coins_per_line"] for bet in _SHEET.bets),
        ),
        fact(
            "They pay from left to right, beginning on reel 1, times the coins on the line.",
            "Sie zahlen von links nach rechts ab Walze 1, mal die Münzen auf der Linie.",
            "test_lines_pay_from_left_to_right",
            "test_line_wins_are_times_coins_per_line",
        ),
        fact(
            "Only the highest win on each line is paid; wins on different lines and all others are added up.",
            "Je Linie wird nur der höchste Gewinn gezahlt; Gewinne verschiedener Linien und alle anderen werden"
            " addiert.",
            "test_only_the_highest_win_of_a_line_is_paid",
            "test_wins_on_different_selected_lines_are_added",
            "test_every_win_is_added_to_the_total",
        ),
        fact(
            "The Owl is wild: it stands for every symbol except the witches and Merlin, and pays on its own.",
            "Die Eule ist Wild: Sie ersetzt alle Symbole außer Hexen und Merlin und zahlt auch selbst.",
            "test_the_owl_stands_for_every_line_symbol",
            "test_the_owl_stands_for_no_witches",
            "test_the_owl_stands_for_no_merlin",
            "test_the_owl_pays_for_itself",
        ),
        AMOUNT,
    ),
    rule(
        "The witches' battle",
        "Der Kampf der Hexen",
        fact(
            "{least} to {most} witches anywhere pay {pays} times the total bet and start a battle, on average one spin"
            " in {one_in}.",
            "{least} bis {most} Hexen an beliebiger Stelle zahlen den Gesamteinsatz mal {pays} und beginnen einen"
            " Kampf, im Mittel in einem von {one_in} Spielen.",
            "test_two_to_five_scatters_pay_times_the_bet_and_fight",
            least=_LEAST,
            most=_MOST,
            pays=[_WITCHES[count] for count in sorted(_WITCHES)],
            one_in=_SHEET.one_in("battle"),
        ),
        fact(
            "Your witch wins one battle in {odds}, whichever of the two she is, and then brings {spins} free spins for"
            " {least} to {most} witches.",
            "Ihre Hexe gewinnt einen von {odds} Kämpfen, gleich welche der beiden es ist, und bringt dann {spins}"
            " Freispiele für {least} bis {most} Hexen.",
            "test_a_battle_is_even_and_knows_no_witch",
            "test_a_battle_won_gives_free_spins",
            odds=_SHEET["BATTLE_ODDS"],
            spins=[_SPINS[count] for count in sorted(_SPINS)],
            least=_LEAST,
            most=_MOST,
        ),
    ),
    rule(
        "Your witch",
        "Ihre Hexe",
        fact(
            "You choose her when you enter the game, and may change her on these pages at any time between spins.",
            "Sie wählen sie beim Öffnen des Spiels und können sie auf diesen Seiten zwischen den Spielen jederzeit"
            " wechseln.",
            "test_the_player_picks_a_witch_on_entering",
            "test_the_witch_is_changed_in_the_paytable",
        ),
        fact("The choice never changes the odds.", "Die Wahl ändert nie die Chancen.", "test_the_pick_changes_no_draw"),
    ),
    rule(
        "Merlin's vials",
        "Merlins Fläschchen",
        fact(
            "{least} or more Merlins anywhere, in free spins as well, start the bonus, on average one spin in {one_in}:"
            " combine {taken} of the {shown} vials.",
            "{least} oder mehr Merlins an beliebiger Stelle, auch in Freispielen, starten den Bonus, im Mittel in einem"
            " von {one_in} Spielen: Mischen Sie {taken} der {shown} Fläschchen.",
            "test_three_or_more_merlins_have_three_vials_combined",
            "test_two_merlins_start_nothing",
            least=_SHEET["MERLINS"],
            one_in=_SHEET.one_in("merlin"),
            taken=_SHEET["VIALS_TAKEN"],
            shown=_SHEET["VIALS_SHOWN"],
        ),
        fact(
            "When the third is chosen the potion is drawn: {low} to {high} times the total bet, or {few} to {many} free"
            " spins, or the jackpot.",
            "Mit dem dritten wird der Trank gezogen: das {low}- bis {high}-Fache des Gesamteinsatzes, {few} bis {many}"
            " Freispiele oder der Jackpot.",
            "test_the_potions_are_those_of_the_rules",
            "test_money_is_times_the_whole_bet",
            low=min(_SHEET.table("MONEY_WEIGHTS")),
            high=max(_SHEET.table("MONEY_WEIGHTS")),
            few=min(_SHEET.table("SPINS_WEIGHTS")),
            many=max(_SHEET.table("SPINS_WEIGHTS")),
        ),
        fact(
            "Which vials you choose changes nothing, and the others hold nothing.",
            "Welche Fläschchen Sie wählen, ändert nichts; die anderen enthalten nichts.",
            "test_the_vials_chosen_change_nothing",
        ),
    ),
    rule(
        "Free spins",
        "Freispiele",
        fact(
            "Line wins are multiplied by {times}; scatter, bonus and jackpot are not.",
            "Liniengewinne werden mit {times} multipliziert, Scatter, Bonus und Jackpot nicht.",
            "test_free_spins_double_line_wins_alone",
            times=_SHEET["FREE_SPIN_MULTIPLIER"],
        ),
        fact(
            "They play the bet that won them.",
            "Es gilt der Einsatz, mit dem sie gewonnen wurden.",
            "test_free_spins_play_the_bet_that_won_them",
        ),
        fact(
            "Free spins won in free spins are played after them, without limit.",
            "In Freispielen gewonnene Freispiele werden danach gespielt, ohne Grenze.",
            "test_free_spins_won_in_free_spins_queue_behind",
            "test_free_spins_have_no_limit",
        ),
    ),
    rule(
        "The jackpot",
        "Der Jackpot",
        fact(
            "Each coin value has a jackpot of its own.",
            "Jeder Münzwert hat seinen eigenen Jackpot.",
            "test_pools_in_the_journal_keep_the_contract",
        ),
        fact(
            "It starts at {seed} coins, grows by {growth} % of every bet at that coin value, and is paid in whole coins"
            " as it stands when it is won; the counter shows it, renewed every 3 seconds.",
            "Er beginnt bei {seed} Münzen, wächst um {growth} % jedes Einsatzes bei diesem Münzwert und wird in ganzen"
            " Münzen so gezahlt, wie er beim Gewinn steht; die Anzeige wird alle 3 Sekunden erneuert.",
            "test_a_jackpot_pays_the_whole_coins_of_its_pool_once",
            "test_the_counter_is_read_every_three_seconds_and_no_sooner",
            seed=_SHEET["POOL"]["seed_coins"],
            growth=float(_GROWTH),
        ),
        fact(
            "If it is won twice in close succession the first win takes it, and the second takes {seed} coins and"
            " {growth} % of what has been bet in between.",
            "Fällt er zweimal kurz nacheinander, erhält ihn der erste Gewinn; der zweite erhält {seed} Münzen und"
            " {growth} % der Einsätze dazwischen.",
            "test_pools_in_the_journal_keep_the_contract",
            seed=_SHEET["POOL"]["seed_coins"],
            growth=float(_GROWTH),
        ),
    ),
    rule(
        "The jackpot's odds",
        "Die Jackpotchance",
        fact(
            "Each coin bet buys the same chance: one paid spin in {one_in} divided by the coins bet wins it, the free"
            " spins that it brings included.",
            "Jede gesetzte Münze hat die gleiche Chance: Eines von {one_in} geteilt durch die gesetzten Münzen"
            " bezahlten Spielen gewinnt ihn, die daraus folgenden Freispiele eingeschlossen.",
            "test_the_jackpot_is_as_likely_as_the_coins_bet",
            one_in=_jackpot_one_in(1),
        ),
        fact(
            "The coin value changes no odds.",
            "Der Münzwert ändert keine Chance.",
            "test_the_jackpots_odds_are_the_exact_ones_at_every_bet",
        ),
        fact("By coins bet a spin:", "Nach Münzen je Spiel:", "test_the_jackpots_odds_are_the_exact_ones_at_every_bet"),
        _odds(),
    ),
    rule(
        "Double",
        "Verdoppeln",
        fact(
            "A line win of the paid spin up to {cap} may be doubled at the end of the round.",
            "Ein Liniengewinn des bezahlten Spiels bis {cap} kann am Ende der Runde verdoppelt werden.",
            "test_a_win_is_offered_to_be_doubled_at_the_end",
            "test_nothing_above_the_stake_s_cap_is_offered",
            cap=f"{_CAP / 100:.2f}",
        ),
        fact(
            "Press GAMBLE (MAX BET on the panel) and guess red heart or black spade: double or nothing, at exactly even"
            " odds, at most {rounds} times and only while {cap} or less are at risk.",
            "Drücken Sie RISIKO (MAX EINSATZ auf dem Tastenfeld) und wählen Sie rotes Herz oder schwarzes Pik: doppelt"
            " oder nichts, bei genau gleichen Chancen, höchstens {rounds} Mal und nur, solange höchstens {cap} auf dem"
            " Spiel stehen.",
            "test_the_odds_are_even_for_either_colour",
            "test_hearts_are_red_and_spades_are_black",
            "test_a_win_is_doubled_five_times_at_most",
            rounds=_SHEET["DOUBLE_UP"]["rounds"],
            cap=f"{_CAP / 100:.2f}",
        ),
        CARD_AFTER,
        CARDS_DECIDE,
        COLLECT,
        SPIN_COLLECTS,
        fact(
            "Wins of scatters, bonus and free spins are yours already and can't be doubled, nor can a win that autospin"
            " follows with another spin.",
            "Gewinne aus Scatter, Bonus und Freispielen gehören Ihnen schon und werden nicht verdoppelt, ebenso wenig"
            " ein Gewinn, auf den im Autostart das nächste Spiel folgt.",
            "test_scatter_bonus_and_free_spin_wins_cannot_be_doubled",
            "test_the_win_that_ends_it_may_be_doubled",
        ),
    ),
    rule(
        "Fair play",
        "Faires Spiel",
        fact(
            "Every result is drawn at random, after all of your options are fixed: a spin after its bet, the potion"
            " after the third vial.",
            "Jedes Ergebnis wird zufällig gezogen, nachdem alle Ihre Entscheidungen feststehen: ein Spiel nach dem"
            " Einsatz, der Trank nach dem dritten Fläschchen.",
            "test_every_value_is_equally_likely",
            "test_three_or_more_merlins_have_three_vials_combined",
        ),
        fact(
            "Nothing that you pick changes the odds.",
            "Keine Wahl ändert die Chancen.",
            "test_the_vials_chosen_change_nothing",
            "test_a_battle_is_even_and_knows_no_witch",
        ),
        NEAR_MISS,
        fact(
            "Nothing adapts to what happened before: no earlier win or loss, no credit and no time of day enters a"
            " round.",
            "Nichts richtet sich nach dem, was war: Weder früherer Gewinn oder Verlust noch Guthaben oder Uhrzeit gehen"
            " in ein Spiel ein.",
            "test_what_was_played_before_changes_no_round",
        ),
        NO_RESULT,
    ),
    rule(
        *RETURNS,
        fact(
            "On average {rtp} % of the bets at every bet with the jackpot at its start, {grown} % with what it grows"
            " by.",
            "Im Mittel {rtp} % der Einsätze bei jedem Einsatz mit dem Jackpot an seinem Anfang, {grown} % mit seinem"
            " Zuwachs.",
            rtp=" ".join({two_decimals(bet["rtp_percent"]) for bet in _SHEET.bets}),
            grown=" ".join({two_decimals(bet["rtp_with_growth_percent"]) for bet in _SHEET.bets}),
        ),
        WAITS,
        PAYS_AND_PLAYS,
    ),
    highest_wins(_SHEET, exact=True, doubled=True, pool=True, in_coins=True),
)

FOOT = fact(
    "What is paid at your bet · witches pay anywhere",
    "Gewinne bei Ihrem Einsatz · Hexen zahlen überall",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
)
NOTES: Mapping[str, Fact] = {
    "witches": fact(
        "Battle for free spins", "Kampf um Freispiele", "test_two_to_five_scatters_pay_times_the_bet_and_fight"
    ),
    "merlin": fact(
        "{least} or more anywhere: combine three vials",
        "{least} oder mehr beliebig: drei Fläschchen mischen",
        "test_three_or_more_merlins_have_three_vials_combined",
        least=_SHEET["MERLINS"],
    ),
}
PAID = _SHEET.counts(witches="WITCHES_PAYS")
"""How many of each symbol pay."""
