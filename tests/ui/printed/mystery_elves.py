# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""What Mystery Elves prints."""

from collections.abc import Mapping

from games.mystery_elves import GAME
from tests.ui.printed.facts import Fact, fact, rule, sheet, two_decimals
from tests.ui.printed.shared import (
    BY_ITSELF,
    CARD_AFTER,
    CARDS_DECIDE,
    COLLECT,
    FAIR_PLAY,
    PAYS_AND_PLAYS,
    RETURNS,
    SPIN_COLLECTS,
    highest_wins,
)

_SHEET = sheet("mystery_elves")
_BOUGHT, _PAID = _SHEET.bets
assert (_BOUGHT["price"], _PAID["price"]) == (_SHEET["BUY_PRICE"], 1)
_RESPINS, _LEAST = _SHEET["RESPINS"], _SHEET["LEAST_BONUSES"]
_LINES = len(_SHEET["LINES"])
_VALUES = _SHEET.table("VALUES")
_CELLS = _SHEET["HOLD_RULES"]["reels"] * _SHEET["HOLD_RULES"]["rows"]
_AWARDS = [f"{name.upper()} {bets}" for bets, name in _SHEET["AWARD_NAMES"]]
_CAP = f"{GAME.gamble_cap_cents / 100:.2f}"

RULES = (
    rule(
        "Lines and the wild",
        "Linien und Wild",
        fact(
            "All {lines} lines are always played, one coin on each; a coin is 1/{of} of the bet.",
            "Alle {lines} Linien gelten immer, mit je einer Münze; eine Münze ist 1/{of} des Einsatzes.",
            "test_ten_fixed_lines_of_a_tenth_of_the_bet",
            lines=_LINES,
            of=_PAID["stake"],
        ),
        fact(
            "Lines pay from left to right, beginning on reel 1.",
            "Linien zahlen von links nach rechts ab Walze 1.",
            "test_lines_pay_from_reel_one_alone",
        ),
        fact(
            "Only the highest win on each line is paid, and all wins are added up.",
            "Je Linie wird nur der höchste Gewinn gezahlt; alle Gewinne werden addiert.",
            "test_a_line_pays_its_highest_win_alone",
            "test_line_wins_are_added",
            "test_lines_are_paid_before_hold_and_win_and_added_to_it",
        ),
        fact(
            "The Stag is wild: it stands for every symbol except Bonus, and pays on its own.",
            "Der Hirsch ist Wild: Er ersetzt alle Symbole außer Bonus und zahlt auch selbst.",
            "test_the_wild_stands_for_every_line_symbol",
            "test_the_wild_stands_for_no_bonus",
        ),
    ),
    rule(
        "Bonus symbols",
        "Bonus-Symbole",
        fact(
            "A Bonus carries {least} to {most} times the bet, or Mystery, or Multiplying (one at most in a feature).",
            "Ein Bonus trägt das {least}- bis {most}-Fache des Einsatzes, Mystery oder Multiplikator (höchstens einmal"
            " je Feature).",
            "test_bonus_symbols_carry_1_to_18_bets_or_a_function",
            "test_one_multiplying_at_most",
            least=min(_VALUES),
            most=max(_VALUES),
        ),
        fact(
            "Bonus symbols pay in Hold and Win only.",
            "Bonus-Symbole zahlen nur in Hold and Win.",
            "test_five_bonus_symbols_pay_nothing",
        ),
        fact(
            "{least} or more of them anywhere start it: on average one spin in {one_in}.",
            "{least} oder mehr an beliebiger Stelle starten es: im Mittel in einem von {one_in} Spielen.",
            "test_six_or_more_bonus_symbols_anywhere_start_three_respins",
            least=_LEAST,
            one_in=_SHEET.one_in("hold_and_win"),
        ),
    ),
    rule(
        "Hold and Win",
        "Hold and Win",
        fact(
            "{respins} respins: your press starts the first, the others follow by themselves.",
            "{respins} Respins: Ihr Tastendruck startet den ersten, die anderen folgen von selbst.",
            "test_only_the_first_respin_waits_for_a_press_and_none_draws_before",
            respins=_RESPINS,
        ),
        fact(
            "Bonus symbols stay where they are, and every empty cell spins a reel of its own.",
            "Bonus-Symbole bleiben liegen, und jedes leere Feld dreht seine eigene Walze.",
            "test_the_triggering_symbols_stay_in_place",
            "test_other_reels_are_used",
        ),
        fact(
            "A new Bonus stays too and sets the respins back to {respins}.",
            "Ein neuer Bonus bleibt ebenfalls und setzt die Respins auf {respins} zurück.",
            "test_new_symbols_stay_and_set_the_respins_back_to_three",
            respins=_RESPINS,
        ),
        fact(
            "The feature ends when no respin is left or all {cells} cells are filled.",
            "Das Feature endet, wenn kein Respin übrig ist oder alle {cells} Felder belegt sind.",
            "test_fifteen_symbols_end_the_feature_at_once",
            "test_functions_act_at_the_end_of_the_feature",
            cells=_CELLS,
        ),
    ),
    rule(
        "How Hold and Win is counted",
        "So wird Hold and Win gezählt",
        fact(
            "When it ends, in this order: each Mystery awards {awards} times the bet, GRAND once at most: a second one"
            " is a MAJOR.",
            "Am Ende, in dieser Reihenfolge: Jedes Mystery bringt {awards} mal den Einsatz, GRAND höchstens einmal: Ein"
            " zweiter ist ein MAJOR.",
            "test_functions_act_at_the_end_of_the_feature",
            "test_mystery_awards_a_special_win",
            "test_a_second_grand_becomes_major",
            awards=_AWARDS,
        ),
        fact(
            "Multiplying multiplies all values and awards by {low} to {high}, beside GRAND by {beside}.",
            "Der Multiplikator multipliziert alle Werte und Preise mit {low} bis {high}, neben GRAND mit {beside}.",
            "test_multiplying_multiplies_values_and_awards_and_nothing_that_they_turn_into",
            "test_beside_grand_multiplying_is_two",
            low=min(_SHEET.table("MULTIPLIERS")),
            high=max(_SHEET.table("MULTIPLIERS")),
            beside=_SHEET["GRAND_MULTIPLIER"],
        ),
        fact(
            "Each Mystery and Multiplying turns into {least} to {most} times the bet, which is added and not"
            " multiplied.",
            "Jedes Mystery und jeder Multiplikator wird zum {least}- bis {most}-Fachen des Einsatzes; das wird addiert"
            " und nicht multipliziert.",
            "test_multiplying_multiplies_values_and_awards_and_nothing_that_they_turn_into",
            least=min(_VALUES),
            most=max(_VALUES),
        ),
        fact(
            "{cells} filled cells pay everything × {full}.",
            "{cells} belegte Felder zahlen alles × {full}.",
            "test_fifteen_symbols_double_everything_with_the_values_turned_into",
            cells=_CELLS,
            full=_SHEET["FULL_MULTIPLIER"],
        ),
    ),
    rule(
        "Buying Hold and Win",
        "Hold and Win kaufen",
        fact(
            "It costs {price} times the bet: a spin that stops with {least} Bonus symbols or more, each such stop"
            " equally likely, and is then played like any other, lines included.",
            "Es kostet das {price}-Fache des Einsatzes: ein Spiel, das mit {least} oder mehr Bonus-Symbolen stehen"
            " bleibt, jede solche Stellung gleich wahrscheinlich, und dann wie jedes andere gespielt wird, Linien"
            " eingeschlossen.",
            "test_a_bought_spin_costs_70_bets_and_is_drawn_from_the_triggering_stops",
            "test_triggering_stops_are_all_of_them_and_each_once",
            "test_a_bought_spin_plays_like_the_same_spin_paid",
            price=_BOUGHT["price"],
            least=_LEAST,
        ),
        fact(
            "It returns {rtp} % of its price on average.",
            "Im Mittel zahlt es {rtp} % seines Preises aus.",
            rtp=_SHEET.returned(_BOUGHT),
        ),
    ),
    rule(
        "Gamble",
        "Risiko",
        fact(
            "Any win up to {cap} may be gambled at the end of the round.",
            "Jeder Gewinn bis {cap} kann am Ende der Runde riskiert werden.",
            "test_a_win_may_be_gambled_at_the_end_of_the_round",
            "test_a_win_above_125000_euros_is_not_gambled",
            "test_a_triggering_spins_lines_stay_at_risk_through_hold_and_win",
            cap=_CAP,
        ),
        fact(
            "Press GAMBLE (MAX BET on the panel) and guess red or black: double or nothing, at exactly even odds, at"
            " most {rounds} times and only while {cap} or less are at risk.",
            "Drücken Sie RISIKO (MAX EINSATZ auf dem Tastenfeld) und wählen Sie Rot oder Schwarz: doppelt oder nichts,"
            " bei genau gleichen Chancen, höchstens {rounds} Mal und nur, solange höchstens {cap} auf dem Spiel"
            " stehen.",
            "test_the_odds_are_even_for_either_colour",
            "test_a_right_colour_doubles_and_a_wrong_one_loses",
            "test_ten_gambles_are_the_limit",
            rounds=_SHEET["GAMBLE"]["rounds"],
            cap=_CAP,
        ),
        fact(
            "HALVE takes half and gambles the rest.",
            "HALBIEREN nimmt die Hälfte und riskiert den Rest.",
            "test_half_can_be_credited_and_the_rest_gambled",
        ),
        fact(
            "A joker counts as the colour that you guessed.",
            "Ein Joker gilt als die Farbe Ihres Tipps.",
            "test_a_joker_counts_as_the_colour_that_was_guessed",
            "test_the_joker_stands_in_on_a_win",
        ),
        CARD_AFTER,
        CARDS_DECIDE,
        COLLECT,
        SPIN_COLLECTS,
        fact(
            "A win that autospin follows with another spin can't be gambled.",
            "Ein Gewinn, auf den im Autostart das nächste Spiel folgt, kann nicht riskiert werden.",
            "test_the_win_that_ends_it_may_be_doubled",
        ),
    ),
    FAIR_PLAY,
    rule(
        *RETURNS,
        fact(
            "On average {rtp} % of the bets: {lines} by lines and {feature} by Hold and Win.",
            "Im Mittel {rtp} % der Einsätze: {lines} durch Linien und {feature} durch Hold and Win.",
            rtp=_SHEET.returned(_PAID),
            lines=two_decimals(_PAID["parts"]["lines"]),
            feature=two_decimals(_PAID["parts"]["hold_and_win"]),
        ),
        fact(
            "The highest win of the lines is {highest} times the bet, one spin in {one_in}; features may win more.",
            "Der höchste Liniengewinn ist das {highest}-Fache des Einsatzes, in einem von {one_in} Spielen; Features"
            " können mehr gewinnen.",
            "test_the_highest_line_win_and_its_odds",
            highest=_SHEET.spin_max_win // _PAID["stake"],
            one_in=round(1 / _SHEET.spin_max_win_odds),
        ),
        BY_ITSELF,
        PAYS_AND_PLAYS,
    ),
    highest_wins(_SHEET, exact=True, doubled=True, in_coins=False),
)

FOOT = fact(
    "What is paid at your bet  ·  Mystery awards, × the bet: {awards}",
    "Gewinne bei Ihrem Einsatz  ·  Mystery-Preise, × Einsatz: {awards}",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
    "test_mystery_awards_a_special_win",
    awards=_AWARDS,
)
NOTES: Mapping[str, Fact] = {
    "bonus": fact(
        "{least} or more anywhere: Hold and Win",
        "{least} oder mehr beliebig: Hold and Win",
        "test_six_or_more_bonus_symbols_anywhere_start_three_respins",
        least=_LEAST,
    )
}
PAID = _SHEET.counts()
"""How many of each symbol pay."""
