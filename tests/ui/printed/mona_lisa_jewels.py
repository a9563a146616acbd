# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""What Mona Lisa Jewels prints."""

from collections.abc import Mapping
from itertools import pairwise

from tests.ui.printed.facts import Fact, fact, rule, sheet
from tests.ui.printed.shared import AMOUNT, BY_ITSELF, NEAR_MISS, NO_RESULT, PAYS_AND_PLAYS, RETURNS, highest_wins

_SHEET = sheet("mona_lisa_jewels")
_LINES, _COINS = len(_SHEET["LINES"]), _SHEET["COINS_PER_LINE"][-1]
_HIGHEST = [bet for bet in _SHEET.bets if (bet["lines"], bet["coins_per_line"]) == (_LINES, _COINS)]
_BELOW = [bet for bet in _SHEET.bets if bet not in _HIGHEST]
_FREE, _JEWEL_SPINS = max(_SHEET.table("FREE_SPINS").values()), _SHEET["JEWEL_SPINS"]
_REELS = len(_SHEET["REELS"]["strips"])
_LEAST = min(_SHEET.table("PALETTE_PAYS"))
assert min(_SHEET.table("FREE_SPINS")) == _LEAST
_PLAYED_BEFORE = 4
"""Free spins of the first example: jewel spins are won in the last of them."""
_SHARES = [
    sum(float(share) for part, share in bet["parts"].items() if "jewel" in part) / float(bet["rtp_percent"])
    for bet in _SHEET.bets
]
assert min(_SHARES) > 1 / 3
assert all(before < after for before, after in pairwise(_SHEET["WILD_MULTIPLIERS"]))

RULES = (
    rule(
        "Lines and the wild",
        "Linien und Wild",
        fact(
            "Lines pay from left to right, beginning on reel 1, times the coins bet on the line.",
            "Linien zahlen von links nach rechts ab Walze 1, mal die Münzen auf der Linie.",
            "test_wins_go_from_left_to_right_on_enabled_lines",
        ),
        fact(
            "Only the highest win on each line is paid; all wins are added up.",
            "Je Linie wird nur der höchste Gewinn gezahlt; alle Gewinne werden addiert.",
            "test_every_window_pays_each_line_its_highest_win_once",
        ),
        fact(
            "Mona Lisa is wild: she stands for every symbol except Palette and Jackpot.",
            "Mona Lisa ist Wild: Sie ersetzt alle Symbole außer Palette und Jackpot.",
            "test_mona_lisa_stands_for_every_regular_symbol",
            "test_mona_lisa_stands_for_no_palette",
            "test_mona_lisa_stands_for_no_jackpot",
        ),
        fact(
            "A wild on reel 1 would be no Jewel for the jewel spins.",
            "Ein Wild auf Walze 1 wäre kein Juwel für die Juwelenspiele.",
            "test_wilds_start_no_jewel_spins",
        ),
    ),
    rule(
        "Jewel spins",
        "Juwelenspiele",
        fact(
            "{least} or {all} Jewels on reel 1 win {spins} jewel spins: on average one spin in {one_in}.",
            "{least} oder {all} Juwelen auf Walze 1 gewinnen {spins} Juwelenspiele: im Mittel in einem von {one_in}"
            " Spielen.",
            "test_two_jewels_on_reel_one_give_two_jewel_spins",
            least=_SHEET["JEWELS_TO_TRIGGER"],
            all=_SHEET["REELS"]["rows"],
            spins=_JEWEL_SPINS,
            one_in=_SHEET.one_in("jewel_spins", 2),
        ),
        fact(
            "Reel 1 is locked and does not spin.",
            "Walze 1 ist gesperrt und dreht sich nicht.",
            "test_two_jewels_on_reel_one_give_two_jewel_spins",
        ),
        fact(
            "Jewels and wilds on the other reels stay for both spins, and those that land in the first stay for the"
            " second.",
            "Juwelen und Wilds auf den anderen Walzen bleiben für beide Spiele, im ersten gelandete auch für das"
            " zweite.",
            "test_jewels_and_wilds_are_held_and_those_of_the_first_jewel_spin_too",
        ),
        fact(
            "Wilds multiply nothing here, the locked Jewels win no more jewel spins, and the jackpot cannot fall.",
            "Wilds multiplizieren hier nicht, die festen Juwelen gewinnen keine weiteren Juwelenspiele, und der Jackpot"
            " kann nicht fallen.",
            "test_wilds_multiply_nothing_in_jewel_spins",
            "test_the_locked_reel_starts_no_more_jewel_spins",
            "test_the_locked_reel_shows_neither_palette_nor_jackpot",
        ),
        fact(
            "{least} or more Palettes pay and win free spins here too; one behind a symbol that stays does not count.",
            "{least} oder mehr Paletten zahlen und gewinnen auch hier Freispiele; eine hinter einem bleibenden Symbol"
            " zählt nicht.",
            "test_example_2_free_spins_in_the_first_jewel_spin",
            "test_a_held_symbol_hides_the_palette_behind_it",
            least=_LEAST,
        ),
    ),
    rule(
        "Free spins",
        "Freispiele",
        fact(
            "{least} or more Palettes anywhere pay a multiple of the total bet and win {free} free spins.",
            "{least} oder mehr Paletten an beliebiger Stelle zahlen ein Vielfaches des Gesamteinsatzes und gewinnen"
            " {free} Freispiele.",
            "test_palettes_pay_times_the_whole_bet_and_give_ten_free_spins",
            "test_two_palettes_win_nothing",
            least=_LEAST,
            free=_FREE,
        ),
        fact(
            "In them a line win with 1 wild in its paid combination pays {one} times, with 2 wilds {two} times, with 3"
            " or more {three} times; a wild beyond the combination multiplies nothing.",
            "Darin zahlt ein Liniengewinn mit 1 Wild in der bezahlten Kombination {one}-fach, mit 2 Wilds {two}-fach,"
            " mit 3 oder mehr {three}-fach; ein Wild außerhalb der Kombination multipliziert nichts.",
            "test_wilds_multiply_line_wins_in_normal_free_spins",
            "test_a_wild_behind_the_paid_combination_multiplies_nothing",
            **dict(zip(("one", "two", "three"), _SHEET["WILD_MULTIPLIERS"], strict=True)),
        ),
        fact(
            "Jewel spins and more free spins can be won in them, without limit.",
            "Juwelenspiele und weitere Freispiele können dabei ohne Grenze gewonnen werden.",
            "test_palettes_are_not_multiplied_and_win_free_spins_again",
            "test_example_1_jewel_spins_in_the_fourth_free_spin",
        ),
        fact(
            "One spin may win {both} spins: {free} free spins and {jewel} jewel spins.",
            "Ein Spiel kann {both} Spiele gewinnen: {free} Freispiele und {jewel} Juwelenspiele.",
            "test_one_spin_can_win_both_kinds",
            both=_FREE + _JEWEL_SPINS,
            free=_FREE,
            jewel=_JEWEL_SPINS,
        ),
        fact(
            "The coin value stays as it is until they are over.",
            "Der Münzwert bleibt bis zu ihrem Ende gleich.",
            "test_the_same_draws_and_answers_give_the_same_beats",
        ),
    ),
    rule(
        "Jewel spins come first",
        "Juwelenspiele zuerst",
        fact(
            "Example 1: the {before}th of {free} free spins wins jewel spins. The next {jewel} spins are jewel spins,"
            " then the {left} free spins left are played.",
            "Beispiel 1: Das {before}. von {free} Freispielen gewinnt Juwelenspiele. Die nächsten {jewel} Spiele sind"
            " Juwelenspiele, dann folgen die restlichen {left} Freispiele.",
            "test_example_1_jewel_spins_in_the_fourth_free_spin",
            before=_PLAYED_BEFORE,
            free=_FREE,
            jewel=_JEWEL_SPINS,
            left=_FREE - _PLAYED_BEFORE,
        ),
        fact(
            "Example 2: the 1st jewel spin wins {free} free spins. The next spin is the other jewel spin, then the"
            " {again} free spins are played.",
            "Beispiel 2: Das 1. Juwelenspiel gewinnt {free} Freispiele. Zuerst folgt das andere Juwelenspiel, dann die"
            " {again} Freispiele.",
            "test_example_2_free_spins_in_the_first_jewel_spin",
            free=_FREE,
            again=_FREE,
        ),
        fact(
            "The first jewel spin and the first free spin wait for your press, also in autospin; the others follow by"
            " themselves.",
            "Das erste Juwelenspiel und das erste Freispiel warten auf Ihren Tastendruck, auch im Autostart; die"
            " anderen folgen von selbst.",
            "test_a_feature_waits_for_its_player",
            "test_jewel_spins_in_free_spins_are_announced_as_what_they_are",
        ),
    ),
    rule(
        "Jackpot",
        "Jackpot",
        fact(
            "Five Jackpot symbols on a line win the jackpot only with {lines} lines × {coins} coins: one paid spin in"
            " {one_in} on average.",
            "Fünf Jackpot-Symbole auf einer Linie gewinnen den Jackpot nur mit {lines} Linien × {coins} Münzen: im"
            " Mittel in einem von {one_in} bezahlten Spielen.",
            "test_five_jackpots_claim_the_pool_at_the_highest_bet",
            lines=_LINES,
            coins=_COINS,
            one_in=_SHEET.one_in("pool"),
        ),
        fact(
            "At any other bet they cannot win it and pay {award} coins for each coin on the line.",
            "Bei jedem anderen Einsatz können sie ihn nicht gewinnen und zahlen {award} Münzen je Münze auf der Linie.",
            "test_below_the_highest_bet_five_jackpots_pay_the_paytable",
            award=_SHEET["JACKPOT_AWARD"],
        ),
        fact(
            "It can be won in free spins, not in jewel spins.",
            "Er kann in Freispielen fallen, nicht in Juwelenspielen.",
            "test_the_jackpot_can_fall_in_normal_free_spins",
            "test_the_locked_reel_shows_neither_palette_nor_jackpot",
        ),
        fact(
            "Each coin value has a jackpot of its own, which starts at {seed} coins and grows by {growth} % of every"
            " bet made at that coin value.",
            "Jeder Münzwert hat seinen eigenen Jackpot; er beginnt bei {seed} Münzen und wächst um {growth} % jedes"
            " Einsatzes bei diesem Münzwert.",
            "test_pools_in_the_journal_keep_the_contract",
            seed=_SHEET["POOL_SEED_COINS"],
            growth=_SHEET["POOL_GROWTH_PER_MILLE"] / 10,
        ),
        fact(
            "What is paid is the jackpot at the moment of the win, which may differ from the figure last shown.",
            "Gezahlt wird der Stand im Moment des Gewinns, der von der letzten Anzeige abweichen kann.",
            "test_a_claim_takes_the_pool_and_not_the_counter",
        ),
    ),
    rule(
        "Fair play",
        "Faires Spiel",
        fact(
            "Every result is drawn at random, after all of your options are fixed: then nothing that you press changes"
            " it or its odds, and nothing that happened before does.",
            "Jedes Ergebnis wird zufällig gezogen, nachdem alle Ihre Entscheidungen feststehen: Danach ändert kein"
            " Tastendruck das Ergebnis oder seine Chancen, und nichts Früheres wirkt sich aus.",
            "test_every_value_is_equally_likely",
            "test_what_was_played_before_changes_no_round",
        ),
        NEAR_MISS,
        NO_RESULT,
    ),
    rule(
        *RETURNS,
        fact(
            "On average {below} % of the bets; with {lines} lines × {coins} coins {highest} %, the jackpot counted as"
            " it starts.",
            "Im Mittel {below} % der Einsätze, mit {lines} Linien × {coins} Münzen {highest} %, den Jackpot mit seinem"
            " Anfangsstand gerechnet.",
            below=" ".join({_SHEET.returned(bet) for bet in _BELOW}),
            lines=_LINES,
            coins=_COINS,
            highest=" ".join({_SHEET.returned(bet) for bet in _HIGHEST}),
        ),
        fact(
            "Jewel spins bring more than a third of it.",
            "Mehr als ein Drittel davon bringen die Juwelenspiele.",
            "test_every_bet_below_the_highest_returns_94_30_percent",
        ),
        AMOUNT,
        BY_ITSELF,
        PAYS_AND_PLAYS,
    ),
    highest_wins(_SHEET, exact=False, pool=True, in_coins=True),
)

FOOT = fact(
    "What is paid at your bet · Palettes pay anywhere · {least} or {all} Jewels on reel 1: {spins} jewel spins",
    "Gewinne bei Ihrem Einsatz · Paletten zahlen überall · {least} oder {all} Juwelen auf Walze 1: {spins}"
    " Juwelenspiele",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
    least=_SHEET["JEWELS_TO_TRIGGER"],
    all=_SHEET["REELS"]["rows"],
    spins=_JEWEL_SPINS,
)
NOTES: Mapping[str, Fact] = {
    "mona_lisa": fact(
        "Stands for all but Palette and Jackpot",
        "Wild für alles außer Palette und Jackpot",
        "test_mona_lisa_stands_for_every_regular_symbol",
    ),
    "jackpot": fact(
        "The jackpot at {lines} × {coins} coins",
        "Der Jackpot mit {lines} × {coins} Münzen",
        "test_five_jackpots_claim_the_pool_at_the_highest_bet",
        lines=_LINES,
        coins=_COINS,
    ),
}
PAID = _SHEET.counts(palette="PALETTE_PAYS") | {"jackpot": {_REELS}}
"""How many of each symbol pay."""
