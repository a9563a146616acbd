# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""What Star Quarry prints."""

from collections.abc import Mapping

from tests.ui.printed.facts import Fact, fact, rule, sheet
from tests.ui.printed.shared import FAIR_PLAY, PLAYS_AND_PAYS, RETURNS, WAITS, highest_wins, returned

_SHEET = sheet("star_quarry")
_STRIPS = [strip.split() for strip in _SHEET["REELS"]["strips"]]
_WAYS = _SHEET["REELS"]["rows"] ** len(_STRIPS)
_LEAST = min(count for _, pays in _SHEET["WAYS_RULES"]["pays"].items() for count, _ in pays)
_COMETS = [number for number, strip in enumerate(_STRIPS, start=1) if _SHEET["WILD"] in strip]
_BEACONS, (_SPINS,) = min(_SHEET.table("FREE_SPINS")), {*_SHEET.table("FREE_SPINS").values()}
assert min(_SHEET.table("SCATTER_PAYS")) == _BEACONS


def _steps(name: str) -> str:
    return ", × ".join(map(str, _SHEET[name]["multipliers"]))


RULES = (
    rule(
        f"{_WAYS} ways",
        f"{_WAYS} Gewinnwege",
        fact(
            "All {ways} ways are always played.",
            "Alle {ways} Gewinnwege werden immer gespielt.",
            "test_every_bet_buys_all_ways_and_is_whole_coins",
            ways=_WAYS,
        ),
        fact(
            "A symbol wins where it is on {least} or more reels in a row from reel 1 on, wherever it is on them.",
            "Ein Symbol gewinnt, wenn es auf {least} oder mehr Walzen in Folge ab Walze 1 liegt, an beliebiger Stelle.",
            "test_every_way_is_found_and_paid_once",
            least=_LEAST,
        ),
        fact(
            "How often it is on each of these reels, multiplied, is the number of its ways, and each way pays.",
            "Wie oft es auf jeder dieser Walzen liegt, miteinander multipliziert, ergibt die Zahl seiner Wege, und"
            " jeder Weg zahlt.",
            "test_every_way_is_found_and_paid_once",
        ),
        fact(
            "Of each symbol only the longest row is paid; the wins of all symbols are added up.",
            "Von jedem Symbol zahlt nur die längste Folge; die Gewinne aller Symbole werden addiert.",
            "test_every_way_is_found_and_paid_once",
            "test_all_wins_of_a_window_are_added_up",
        ),
    ),
    rule(
        "Comet",
        "Komet",
        fact(
            "The Comet is wild: it stands for every symbol except Beacon.",
            "Der Komet ist Wild: Er ersetzt alle Symbole außer Leuchtfeuer.",
            "test_the_comet_stands_for_every_symbol_but_the_beacon",
        ),
        fact(
            "It is on reels {first} to {last} only, and pays nothing by itself.",
            "Er liegt nur auf den Walzen {first} bis {last} und zahlt selbst nichts.",
            "test_the_comet_pays_nothing_and_lies_on_the_middle_reels",
            first=_COMETS[0],
            last=_COMETS[-1],
        ),
    ),
    rule(
        "Cascades",
        "Kaskaden",
        fact(
            "All symbols that win burst, Comets among them.",
            "Alle Symbole, die gewinnen, zerspringen, Kometen unter ihnen auch.",
            "test_winning_symbols_burst_and_those_above_fall_as_the_strips_carry_on",
        ),
        fact(
            "Those above fall, and the next ones of the reel follow from above.",
            "Die darüber fallen, und von oben folgen die nächsten der Walze.",
            "test_winning_symbols_burst_and_those_above_fall_as_the_strips_carry_on",
        ),
        fact(
            "What wins then is paid too, and so on until nothing wins.",
            "Was dann gewinnt, wird auch gezahlt, und so weiter, bis nichts mehr gewinnt.",
            "test_cascades_go_on_until_nothing_wins",
        ),
        fact(
            "Nothing is drawn for a cascade: where the reels have stopped decides all of them.",
            "Für eine Kaskade wird nichts gezogen: Wo die Walzen stehen blieben, entscheidet sie alle.",
            "test_nothing_is_drawn_for_a_cascade",
        ),
    ),
    rule(
        "The multiplier",
        "Der Multiplikator",
        fact(
            "Each cascade raises what the ways pay, step by step: × {steps}.",
            "Jede Kaskade erhöht, was die Wege zahlen, Stufe um Stufe: × {steps}.",
            "test_each_cascade_raises_the_multiplier_and_each_spin_begins_anew",
            steps=_steps("CASCADES"),
        ),
        fact(
            "The last step stays for the rest of the spin.",
            "Die letzte Stufe bleibt für den Rest des Spiels.",
            "test_each_cascade_raises_the_multiplier_and_each_spin_begins_anew",
        ),
        fact(
            "In free spins the steps are × {steps}.",
            "In Freispielen sind die Stufen × {steps}.",
            "test_each_cascade_raises_the_multiplier_and_each_spin_begins_anew",
            steps=_steps("FREE_CASCADES"),
        ),
        fact(
            "Every spin begins with the first step.",
            "Jedes Spiel beginnt mit der ersten Stufe.",
            "test_each_cascade_raises_the_multiplier_and_each_spin_begins_anew",
        ),
        fact(
            "Beacons pay the same on each.",
            "Leuchtfeuer zahlen auf jeder dasselbe.",
            "test_beacons_never_burst_and_pay_the_same_on_each_step",
        ),
    ),
    rule(
        "Beacon: free spins",
        "Leuchtfeuer: Freispiele",
        fact(
            "Beacons do not burst; they fall with the others and are counted once, when the cascades of the spin have"
            " ended.",
            "Leuchtfeuer zerspringen nicht; sie fallen mit den anderen und werden einmal gezählt, wenn die Kaskaden des"
            " Spiels zu Ende sind.",
            "test_beacons_never_burst_and_pay_the_same_on_each_step",
            "test_beacons_are_counted_once_when_the_cascades_have_ended",
        ),
        fact(
            "{least} or more anywhere then pay their figure times the bet and give {spins} free spins, in free spins"
            " {more} more.",
            "{least} oder mehr an beliebiger Stelle zahlen dann ihren Wert mal Einsatz und bringen {spins} Freispiele,"
            " in Freispielen {more} weitere.",
            "test_each_count_of_beacons_that_can_come_is_paid",
            "test_three_or_more_beacons_give_ten_free_spins_and_ten_more_in_them",
            least=_BEACONS,
            spins=_SPINS,
            more=_SPINS,
        ),
        fact(
            "Free spins play the bet that won them, on the same reels.",
            "Freispiele spielen mit dem Einsatz, der sie gewann, auf denselben Walzen.",
            "test_the_end_of_the_free_spins_repeats_what_their_beats_have_paid",
        ),
    ),
    FAIR_PLAY,
    rule(*RETURNS, returned(_SHEET), WAITS, PLAYS_AND_PAYS),
    highest_wins(_SHEET, exact=True, in_coins=False),
)

FOOT = fact(
    "What each way pays at your bet  ·  Beacons pay anywhere",
    "Gewinn jedes Weges bei Ihrem Einsatz  ·  Leuchtfeuer zahlen überall",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
)
NOTES: Mapping[str, Fact] = {
    "comet": fact(
        "Wild, on reels {first} to {last}: stands for all but Beacon",
        "Wild, auf Walze {first} bis {last}: ersetzt alle außer Leuchtfeuer",
        "test_the_comet_stands_for_every_symbol_but_the_beacon",
        first=_COMETS[0],
        last=_COMETS[-1],
    ),
    "beacon": fact(
        "{least} or more also bring {spins} free spins",
        "{least} oder mehr bringen auch {spins} Freispiele",
        "test_three_or_more_beacons_give_ten_free_spins_and_ten_more_in_them",
        least=_BEACONS,
        spins=_SPINS,
    ),
}
PAID = _SHEET.counts(beacon="SCATTER_PAYS")
"""How many of each symbol pay."""
