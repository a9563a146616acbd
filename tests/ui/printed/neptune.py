"""What Neptune prints."""

from collections.abc import Mapping

from tests.ui.printed.facts import Fact, fact, rule, sheet
from tests.ui.printed.shared import AMOUNT, FAIR_PLAY, PLAYS_AND_PAYS, RETURNS, WAITS, highest_wins, returned

_SHEET = sheet("neptune")
_CHESTS = _SHEET.table("CHEST_TABLE")
_REELS = len(_SHEET["REELS"]["strips"])

RULES = (
    rule(
        "Neptune is wild",
        "Neptun ist Wild",
        fact(
            "Neptune stands for every symbol except Mermaid and Treasure, and pays on his own.",
            "Neptun ersetzt alle Symbole außer Meerjungfrau und Schatz und zahlt auch selbst.",
            "test_neptune_stands_for_every_regular_symbol",
            "test_neptune_stands_for_no_mermaid",
            "test_neptune_stands_for_no_treasure",
            "test_neptune_pays_for_itself",
        ),
        fact(
            "Only the highest win on each line is paid.",
            "Je Linie wird nur der höchste Gewinn gezahlt.",
            "test_only_the_highest_win_of_a_line_is_paid",
        ),
    ),
    rule(
        "Mermaid: scatter and free spins",
        "Meerjungfrau: Scatter und Freispiele",
        fact(
            "{least} or more Mermaids anywhere pay a multiple of the total bet.",
            "{least} oder mehr Meerjungfrauen an beliebiger Stelle zahlen ein Vielfaches des Gesamteinsatzes.",
            "test_two_mermaids_pay_times_the_whole_bet",
            least=min(_SHEET.table("MERMAID_PAYS")),
        ),
        fact(
            "{least} or more also give {spins} free spins.",
            "Ab {least} gibt es außerdem {spins} Freispiele.",
            "test_three_or_more_mermaids_give_ten_free_spins",
            least=min(_SHEET.table("FREE_SPINS")),
            spins=max({*_SHEET.table("FREE_SPINS").values()}),
        ),
        fact(
            "In free spins all line wins are multiplied by {times}; Mermaid and treasure wins are not.",
            "In Freispielen werden alle Liniengewinne mit {times} multipliziert, Gewinne aus Meerjungfrauen und Schatz"
            " nicht.",
            "test_free_spins_triple_line_wins_alone",
            times=_SHEET["FREE_SPIN_MULTIPLIER"],
        ),
        fact(
            "More free spins can be won in them.",
            "Weitere Freispiele können dabei gewonnen werden.",
            "test_free_spins_can_be_won_again",
        ),
    ),
    rule(
        "Treasure",
        "Schatz",
        fact(
            "Three or more Treasures in a row on a played line, beginning on reel 1, open the treasure: as many of the"
            " {chests} chests may be opened as Treasures are in that row.",
            "Drei oder mehr Schätze in Folge auf einer gespielten Linie ab Walze 1 öffnen den Schatz: Von {chests}"
            " Truhen dürfen so viele geöffnet werden, wie Schätze in dieser Folge liegen.",
            "test_as_many_chests_as_treasures",
            "test_treasures_beside_the_line_open_no_chest",
            "test_treasures_that_do_not_start_on_reel_one_start_nothing",
            "test_only_enabled_lines_pay",
            chests=_SHEET["CHESTS_SHOWN"],
        ),
        fact(
            "Each pays {least} to {most} coins for each coin bet on a line: up to {all} coins in all.",
            "Jede zahlt {least} bis {most} Münzen je Münze Linieneinsatz: insgesamt bis zu {all} Münzen.",
            "test_the_treasure_pays_2500_coins_at_most",
            least=min(_CHESTS),
            most=max(_CHESTS),
            all=max(_CHESTS) * _REELS * max(bet["coins_per_line"] for bet in _SHEET.bets),
        ),
        fact(
            "What a chest pays is drawn when it is opened; the others hold nothing.",
            "Was eine Truhe zahlt, wird beim Öffnen gezogen; die anderen enthalten nichts.",
            "test_a_chest_is_drawn_after_its_pick_and_the_closed_ones_hold_nothing",
        ),
    ),
    rule(
        "Paying",
        "Auszahlung der Gewinne",
        fact(
            "Line wins pay from left to right, beginning on reel 1, times the coins bet on the line.",
            "Liniengewinne zahlen von links nach rechts ab Walze 1, mal die Münzen auf der Linie.",
            "test_wins_start_on_the_first_reel_and_have_no_gap",
            "test_regular_wins_are_times_coins_per_line",
        ),
        fact(
            "Line, Mermaid and treasure wins are added up.",
            "Gewinne aus Linien, Meerjungfrauen und Schatz werden addiert.",
            "test_scatter_and_line_wins_are_both_paid",
        ),
        AMOUNT,
        PLAYS_AND_PAYS,
    ),
    FAIR_PLAY,
    rule(*RETURNS, returned(_SHEET), WAITS),
    highest_wins(_SHEET, exact=True, in_coins=True),
)

FOOT = fact(
    "What is paid at your bet · Mermaids pay anywhere",
    "Gewinne bei Ihrem Einsatz · Meerjungfrauen zahlen überall",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
)
NOTES: Mapping[str, Fact] = {
    "treasure": fact(
        "3 or more on a line from reel 1: open the treasure",
        "3 oder mehr auf einer Linie ab Walze 1: Schatz öffnen",
        "test_as_many_chests_as_treasures",
    )
}
PAID = _SHEET.counts(mermaid="MERMAID_PAYS")
"""How many of each symbol pay."""
