# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""What Witch Feature prints."""

from collections.abc import Mapping

from tests.games.witch_prospects import first_spins_return, worth_to_the_next
from tests.ui.printed.facts import Fact, fact, rule, sheet, two_decimals
from tests.ui.printed.shared import HOURS, highest_wins

_SHEET = sheet("witch_feature")
_LINES = len(_SHEET["LINES"])
_REELS = [strip.split() for strip in _SHEET["PAID_WINDOWS"]["strips"]]
_POTION_REELS = [number for number, strip in enumerate(_REELS, start=1) if {*strip} & {*_SHEET["POTIONS"]}]
_FREE_REELS = [number for number, strip in enumerate(_REELS, start=1) if _SHEET["FREE_SPINS"] in strip]
_WON, _ADDED = _SHEET["FREE_SPINS_WON"], _SHEET["FREE_SPINS_ADDED"]
_COLOURS = {
    "en": {"none": "None", "blue": "Blue", "green": "Green", "red": "Red"},
    "de": {"none": "Keine", "blue": "Blau", "green": "Grün", "red": "Rot"},
}
_OWN = {bet["state"].split(":")[1]: two_decimals(bet["own_rtp_percent"]) for bet in _SHEET.bets}
assert len({(bet["state"].split(":")[1], bet["own_rtp_percent"]) for bet in _SHEET.bets}) == len(_OWN)
_SYMBOLS = {
    "en": {"wild": "Wild", "witch": "Witch", "cat": "Cat", "owl": "Owl", "book": "Book", "broom": "Broom"},
    "de": {"wild": "Wild", "witch": "Hexe", "cat": "Katze", "owl": "Eule", "book": "Buch", "broom": "Besen"},
}
_LAST_OF = {"en": ("and", "or"), "de": ("und", "oder")}
_TIMES = ", ".join(str(times) for times in sorted(_SHEET.table("MULTIPLIER_TABLE")))
_WILDS = _SHEET.table("RANDOM_WILDS_TABLE")
_ONE, _TWO = (
    f"{round((len(places[0]) // parts) ** 0.5)}×{round((len(places[0]) // parts) ** 0.5)}"
    for places, parts in zip(_SHEET["MEGA_WILDS"], (1, 2), strict=True)
)
_LEFT = {
    "+".join(potion.removeprefix("potion_") for potion in left): worth for left, worth in worth_to_the_next().items()
}
_MOST_LEFT = max(_LEFT, key=lambda left: _LEFT[left])
_FIRST = 50
assert {*_SHEET["EXPLOSION_SYMBOLS"]} == {*_SYMBOLS["en"]}
assert {symbol for strip in _SHEET["HIGH_REELS"]["strips"] for symbol in strip.split()} == {*_SYMBOLS["en"]}


def _symbols(language: str, last: int) -> str:
    *first, end = (_SYMBOLS[language][symbol] for symbol in _SHEET["EXPLOSION_SYMBOLS"])
    return f"{', '.join(first)} {_LAST_OF[language][last]} {end}"


def _carried(language: str, state: str) -> str:
    return " + ".join(_COLOURS[language][colour] for colour in state.split("+"))


def _own_returns() -> Fact:
    """Every set of potions with what one spin returns by itself, in the order of the page."""
    order = [
        "none",
        "blue",
        "green",
        "red",
        "blue+blue",
        "blue+green",
        "blue+red",
        "green+green",
        "green+red",
        "red+red",
    ]
    assert {*order} == {*_OWN}
    rows = (order[:4], order[4:7], order[7:])
    said = {
        language: " ".join(
            " · ".join(f"{_carried(language, state)} {{{state.replace('+', '_')}}} %" for state in row) for row in rows
        )
        for language in _COLOURS
    }
    return fact(
        said["en"],
        said["de"],
        "test_a_spin_s_own_return_is_the_par_sheet_s",
        **{state.replace("+", "_"): percent for state, percent in _OWN.items()},
    )


RULES = (
    rule(
        "Paying",
        "Auszahlung der Gewinne",
        fact(
            "{lines} lines are always played: a coin on a line is a {of}th of the bet.",
            "Es gelten immer alle {lines} Linien: Eine Münze auf einer Linie ist 1/{of} des Einsatzes.",
            "test_all_lines_are_always_played",
            lines=_LINES,
            of=_SHEET.bets[0]["stake"],
        ),
        fact(
            "Line wins pay from left to right on neighbouring reels, beginning on reel 1, only the highest on each"
            " line; all are added up.",
            "Liniengewinne zahlen von links nach rechts auf benachbarten Walzen ab Walze 1, je Linie nur der höchste;"
            " alle werden addiert.",
            "test_wins_start_on_the_first_reel_and_have_no_gap",
            "test_plain_windows_are_worth_what_counting_finds",
            "test_no_coin_is_paid_twice_or_forgotten",
        ),
        fact(
            "The paytable shows them in money, at the bet chosen now.",
            "Der Gewinnplan zeigt sie als Geldbeträge beim jetzt gewählten Einsatz.",
            "test_every_amount_of_a_paytable_is_what_a_round_pays",
        ),
        fact(
            "Wild stands for every symbol but Free Spins, potions and question marks, and pays by itself.",
            "Wild ersetzt alle Symbole außer Freispiele, Tränke und Fragezeichen und zahlt auch selbst.",
            "test_wild_stands_for_every_paying_symbol_and_pays_of_its_own",
            "test_wild_stands_for_no_free_spins_symbol_and_no_potion",
            "test_question_marks_turn_into_one_symbol",
        ),
    ),
    rule(
        "Potions",
        "Zaubertränke",
        fact(
            f"Potions land on reels {{reels}} and {_POTION_REELS[-1]}, at most one on a reel, and are collected from"
            " left to right: the symbols above fall, a new one enters on top, and then the lines are paid.",
            f"Tränke landen auf den Walzen {{reels}} und {_POTION_REELS[-1]}, höchstens einer je Walze, und werden von"
            " links nach rechts gesammelt: Die Symbole darüber fallen nach, oben kommt ein neues hinzu, dann werden die"
            " Linien gezahlt.",
            "test_potions_stand_on_reels_two_to_four_alone",
            "test_five_stops_in_a_row_hold_at_most_one_potion",
            "test_potions_are_collected_from_left_to_right",
            "test_a_potion_is_collected_and_the_symbols_above_it_fall",
            "test_wins_are_evaluated_after_the_potions_have_gone",
            reels=_POTION_REELS[:-1],
        ),
        fact(
            "Three potions make a combination and are used up, at most once a spin; more of them begin the next.",
            "Drei Tränke ergeben eine Kombination und werden verbraucht, höchstens einmal je Spiel; weitere beginnen"
            " die nächste.",
            "test_three_potions_make_a_combination_in_any_order",
            "test_one_combination_a_spin_and_later_potions_start_the_next",
        ),
        fact(
            "Line wins are paid first, then the feature, then free spins.",
            "Zuerst werden Liniengewinne gezahlt, dann das Feature, dann die Freispiele.",
            "test_lines_are_paid_before_the_feature_and_that_before_free_spins",
        ),
        fact(
            "Potions and unlocked cards are kept for each bet.",
            "Tränke und freigeschaltete Karten bleiben für jeden Einsatz erhalten.",
            "test_only_what_a_bet_of_witch_feature_carries_enters_a_round",
        ),
    ),
    rule(
        "The four cards",
        "Die vier Karten",
        fact(
            f"Red, blue and green: one respin with {_symbols('en', 0)} only.",
            f"Rot, Blau und Grün: ein Respin nur mit {_symbols('de', 0)}.",
            "test_three_potions_make_a_combination_in_any_order",
            "test_high_symbols_is_one_respin_on_strips_of_high_symbols",
        ),
        fact(
            "Red and two blue: one respin on which {least} to {most} Wilds land on random cells.",
            "Rot und zweimal Blau: ein Respin, bei dem {least} bis {most} Wilds auf zufälligen Feldern landen.",
            "test_three_potions_make_a_combination_in_any_order",
            "test_random_wilds_land_on_distinct_cells",
            least=min(_WILDS),
            most=max(_WILDS),
        ),
        fact(
            "Red and two green: respins until a win, which is paid {times} times.",
            "Rot und zweimal Grün: Respins bis zu einem Gewinn; er wird mal {times} gezahlt.",
            "test_three_potions_make_a_combination_in_any_order",
            "test_multiplier_respins_until_a_win",
            times=_TIMES,
        ),
        fact(
            "Two blue and green: one respin with one Wild of {one} or two of {two}.",
            "Zweimal Blau und Grün: ein Respin mit einem Wild von {one} oder zweien von {two}.",
            "test_three_potions_make_a_combination_in_any_order",
            "test_mega_wild_is_one_large_or_two_small",
            one=_ONE,
            two=_TWO,
        ),
        fact(
            "At first only High Symbols is unlocked; it unlocks Random Wilds, that Multiplier, that Mega Wild.",
            "Zuerst ist nur Hohe Symbole freigeschaltet; es schaltet Zufalls-Wilds frei, dieses den Faktor, dieser Mega"
            " Wild.",
            "test_each_card_unlocks_the_next",
        ),
    ),
    rule(
        "What your potions are worth",
        "Was Ihre Tränke wert sind",
        fact(
            "The potions that you carry are on the screen before you bet.",
            "Ihre gesammelten Tränke sehen Sie vor dem Einsatz.",
            "test_what_a_bet_carries_is_seen_before_it_is_staked",
        ),
        fact(
            "What one spin returns on average by itself depends on them, and it can be more than {all} % of the bet;"
            " the spins on which potions are gathered return less.",
            "Was ein Spiel für sich im Mittel auszahlt, hängt von ihnen ab und kann über {all} % des Einsatzes liegen;"
            " Spiele, in denen Tränke gesammelt werden, zahlen weniger.",
            "test_a_spin_s_own_return_is_the_par_sheet_s",
            all=100,
        ),
        fact(
            "With these potions carried, one spin by itself returns on average:",
            "Mit diesen Tränken zahlt ein Spiel für sich im Mittel:",
            "test_a_spin_s_own_return_is_the_par_sheet_s",
        ),
        _own_returns(),
        fact(
            "Counting also what the potions carried afterwards are worth, every spin returns {rtp} % on average,"
            " whatever is carried and whatever is unlocked.",
            "Rechnet man den Wert der danach vorhandenen Tränke mit, zahlt jedes Spiel im Mittel {rtp} % aus, gleich"
            " was gesammelt und freigeschaltet ist.",
            rtp=" ".join({_SHEET.returned(bet) for bet in _SHEET.bets}),
        ),
    ),
    rule(
        "Potions left behind",
        "Zurückgelassene Tränke",
        fact(
            "Potions and cards stay at their bet when you leave it, for whoever plays that bet next.",
            "Tränke und Karten bleiben bei ihrem Einsatz, wenn Sie gehen, für den, der ihn als Nächster spielt.",
            "test_only_what_a_bet_of_witch_feature_carries_enters_a_round",
        ),
        fact(
            "To that player potions left behind are worth up to {worth} times the bet"
            f" ({_carried('en', _MOST_LEFT)}).",
            "Für ihn sind zurückgelassene Tränke bis zum {worth}-Fachen des Einsatzes wert"
            f" ({_carried('de', _MOST_LEFT)}).",
            worth=f"{float(_LEFT[_MOST_LEFT]):.2f}",
        ),
        fact(
            "A bet that carries none returns {first} % on its first spin and {later} % over its first {spins}, on"
            " average: the rest lies in the potions that it then carries.",
            "Ein Einsatz ohne Tränke zahlt im ersten Spiel im Mittel {first} % aus, in den ersten {spins} Spielen"
            " {later} %: Der Rest steckt in den Tränken, die er dann hat.",
            first=_OWN["none"],
            later=f"{float(100 * first_spins_return(_FIRST)):.1f}",
            spins=_FIRST,
        ),
    ),
    rule(
        "Explosion",
        "Explosion",
        fact(
            "Any other three potions, or those of a locked card, may bring the Explosion: {marks} question marks land"
            f" on random cells of a respin and all turn into one of {_symbols('en', 1)}.",
            "Drei andere Tränke, oder die einer gesperrten Karte, können die Explosion bringen: {marks} Fragezeichen"
            f" landen auf zufälligen Feldern eines Respins und werden alle zu {_symbols('de', 1)}.",
            "test_locked_features_may_explode_and_stay_locked",
            "test_question_marks_turn_into_one_symbol",
            marks=_SHEET["EXPLOSION_MARKS"],
        ),
        fact(
            "Otherwise they go up in smoke.",
            "Sonst lösen sie sich in Rauch auf.",
            "test_locked_features_may_explode_and_stay_locked",
        ),
    ),
    rule(
        "Free spins",
        "Freispiele",
        fact(
            "Free Spins on reels {first} and {last} together give {won} free spins.",
            "Freispiele auf den Walzen {first} und {last} zusammen geben {won} Freispiele.",
            "test_free_spins_on_both_outer_reels_award_ten",
            "test_one_free_spins_symbol_awards_none_in_the_base_game",
            first=_FREE_REELS[0],
            last=_FREE_REELS[-1],
            won=_WON,
        ),
        fact(
            "No potion lands in them, and what you carry stays.",
            "Darin landet kein Trank, und Ihr Vorrat bleibt.",
            "test_free_spins_show_no_potion",
            "test_free_spins_keep_the_potions_of_the_paid_spin",
        ),
        fact(
            "A card's feature, locked or not, may come at random after any free spin, the Explosion never; Multiplier"
            " may join another one, whose single respin is then multiplied.",
            "Nach jedem Freispiel kann zufällig das Feature einer Karte kommen, freigeschaltet oder nicht, nie die"
            " Explosion; der Faktor kann zu einem anderen hinzukommen, dessen einziger Respin dann multipliziert wird.",
            "test_any_potion_feature_may_come_in_a_free_spin",
            "test_no_explosion_in_free_spins",
            "test_multiplier_may_join_another_feature",
        ),
        fact(
            "In free spins, Free Spins on reel {first} or {last} give {added} more, on both {won} more.",
            "In Freispielen gibt Freispiele auf Walze {first} oder {last} {added} weitere, auf beiden {won} weitere.",
            "test_free_spins_add_to_themselves",
            first=_FREE_REELS[0],
            last=_FREE_REELS[-1],
            added=_ADDED,
            won=_WON,
        ),
    ),
    rule(
        "Fair play",
        "Faires Spiel",
        fact(
            "Every result is drawn by a tested generator, after your bet is fixed; a free spin is drawn as it begins.",
            "Jedes Ergebnis zieht ein geprüfter Generator, nachdem Ihr Einsatz feststeht; ein Freispiel wird gezogen,"
            " wenn es beginnt.",
            "test_every_value_is_equally_likely",
            "test_only_the_first_free_spin_waits_and_none_is_drawn_before_its_offer",
        ),
        fact(
            "Reels stop at each of their positions equally often: a near miss is only what the strips give.",
            "Walzen halten an jeder ihrer Stellen gleich oft: Ein Beinahe-Gewinn ergibt sich allein aus den"
            " Walzenbändern.",
            "test_scaled_draws_are_uniform_and_independent",
        ),
        fact(
            "Nothing adapts to what was played, won or lost before, but for the potions and cards that you see.",
            "Nichts richtet sich nach früheren Spielen, Gewinnen oder Verlusten, außer nach den Tränken und Karten, die"
            " Sie sehen.",
            "test_what_was_played_before_changes_no_round",
            "test_only_what_a_bet_of_witch_feature_carries_enters_a_round",
        ),
        fact(
            "STOP, SKIP, turbo and autospin change no result.",
            "Stopp, Überspringen, Turbo und Autostart ändern kein Ergebnis.",
            "test_spin_hurries_the_show",
            "test_turbo_ends_the_same",
        ),
        fact(
            "An unfinished game is finished by itself after {hours} powered-on hours and paid to the credit.",
            "Ein unfertiges Spiel wird nach {hours} Betriebsstunden von selbst beendet und gutgeschrieben.",
            "test_a_round_without_its_player_finishes_by_itself",
            hours=HOURS,
        ),
        fact(
            "Malfunction voids all plays and pays.",
            "Bei einer Störung sind alle Spiele und Gewinne ungültig.",
            "test_a_round_that_replays_otherwise_is_void",
        ),
    ),
    highest_wins(_SHEET, exact=False, in_coins=False),
)

FOOT = fact(
    "What a line pays at your bet",
    "Gewinn einer Linie bei Ihrem Einsatz",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
)
_COLLECTED = fact(
    "Collected; three may brew a feature",
    "Wird gesammelt; drei können ein Feature ergeben",
    "test_three_potions_make_a_combination_in_any_order",
    "test_locked_features_may_explode_and_stay_locked",
)
NOTES: Mapping[str, Fact] = {
    "free_spins": fact(
        "On reels {first} and {last}: {spins} free spins",
        "Auf Walze {first} und {last}: {spins} Freispiele",
        "test_free_spins_on_both_outer_reels_award_ten",
        first=_FREE_REELS[0],
        last=_FREE_REELS[-1],
        spins=_WON,
    ),
    "potion_red": _COLLECTED,
    "potion_blue": _COLLECTED,
    "potion_green": _COLLECTED,
    "question_mark": fact(
        "Explosion: all turn into one symbol",
        "Explosion: alle werden zu einem Symbol",
        "test_question_marks_turn_into_one_symbol",
    ),
}
PAID = _SHEET.counts()
"""How many of each symbol pay."""
