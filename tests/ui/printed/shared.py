# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""Facts that several games print: paying, fair play, unfinished rounds, cards, the highest wins."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from controller.play.answering import ABSENT_MINUTES
from tests.ui.printed.facts import Fact, Rule, Sheet, fact, rule

HOURS = ABSENT_MINUTES // 60
PLAYS = 50_000_000
_LONG = 10**12
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

AMOUNT = fact(
    "Coins times coin value is the amount paid.",
    "Münzen mal Münzwert ergibt den Betrag.",
    "test_the_controller_credits_every_cent_once",
    "test_every_amount_of_a_paytable_is_what_a_round_pays",
)
_VOIDS = ("test_a_round_that_replays_otherwise_is_void", "test_a_round_that_cannot_go_on_is_void")
_VOID = "Bei einer Störung sind alle Spiele und Gewinne ungültig."
PLAYS_AND_PAYS = fact("Malfunction voids all plays and pays.", _VOID, *_VOIDS)
PAYS_AND_PLAYS = fact("Malfunction voids all pays and plays.", _VOID, *_VOIDS)

DRAWN = fact(
    "Every result is drawn at random, after all of your options are fixed.",
    "Jedes Ergebnis wird zufällig gezogen, nachdem alle Ihre Entscheidungen feststehen.",
    "test_every_value_is_equally_likely",
    "test_free_spins_play_the_bet_that_won_them",
)
NOTHING_ADAPTS = fact(
    "Nothing that you pick changes the odds, and nothing that happened before does.",
    "Keine Wahl und nichts Früheres ändert die Chancen.",
    "test_what_was_played_before_changes_no_round",
    "test_a_chest_is_drawn_after_its_pick_and_the_closed_ones_hold_nothing",
)
NEAR_MISS = fact(
    "A near miss is only what the strips give.",
    "Ein Beinahe-Gewinn ergibt sich allein aus den Walzenbändern.",
    "test_scaled_draws_are_uniform_and_independent",
    "test_every_window_pays_what_the_plain_evaluator_finds",
)
NO_RESULT = fact(
    "STOP, SKIP, turbo and autospin change no result.",
    "Stopp, Überspringen, Turbo und Autostart ändern kein Ergebnis.",
    "test_spin_hurries_the_show",
    "test_turbo_is_quicker_and_ends_the_same",
)
FAIR_PLAY = rule("Fair play", "Faires Spiel", DRAWN, NOTHING_ADAPTS, NEAR_MISS, NO_RESULT)

_ABSENT = ("test_a_round_without_its_player_finishes_by_itself", "test_picks_of_a_player_who_is_gone_are_drawn")
WAITS = fact(
    "An unfinished game waits for you; after {hours} powered-on hours it is finished by fair draws and paid to the"
    " credit.",
    "Ein unfertiges Spiel wartet auf Sie; nach {hours} Betriebsstunden wird es durch faire Ziehungen beendet und"
    " gutgeschrieben.",
    *_ABSENT,
    hours=HOURS,
)
BY_ITSELF = fact(
    "An unfinished game is finished by itself after {hours} powered-on hours and paid to the credit.",
    "Ein unfertiges Spiel wird nach {hours} Betriebsstunden von selbst beendet und gutgeschrieben.",
    *_ABSENT,
    hours=HOURS,
)
RETURNS = "Return to the player", "Auszahlungsquote"


def returned(sheet: Sheet) -> Fact:
    """Return what a game returns that returns the same at every bet."""
    (percent,) = {sheet.returned(bet) for bet in sheet.bets}
    return fact(
        "On average {rtp} % of the bets, at every bet.",
        "Im Mittel {rtp} % der Einsätze, bei jedem Einsatz.",
        rtp=percent,
    )


CARD_AFTER = fact(
    "Each card is drawn after the guess.",
    "Jede Karte wird nach dem Tipp gezogen.",
    "test_the_card_is_drawn_after_the_guess",
)
CARDS_DECIDE = fact(
    "The cards shown decide nothing.",
    "Die gezeigten Karten entscheiden nichts.",
    "test_the_jokers_and_cards_decide_nothing",
)
COLLECT = fact(
    "You may collect before each card.",
    "Vor jeder Karte können Sie nehmen.",
    "test_the_win_can_be_collected_before_each_card",
)
SPIN_COLLECTS = fact(
    "SPIN instead of GAMBLE collects, and plays if the credit then covers the bet.",
    "START statt RISIKO nimmt den Gewinn und spielt, wenn das Guthaben dann für den Einsatz reicht.",
    "test_what_spin_does_with_a_win_is_what_it_does",
)


def odds(chance: float) -> str:
    """Return the odds of a chance as rules write them: whole, or with a power of ten from a million millions on."""
    one_in = 1 / chance
    if one_in < _LONG:
        return str(round(one_in))
    figure, _, exponent = f"{one_in:.1e}".partition("e+")
    return f"{figure} × 10{exponent.translate(_SUPERSCRIPTS)}"


def bets(coins: int, stake: int) -> str:
    """Return a win in bets, whole."""
    return f"{(Decimal(coins) / stake).normalize():f}"


def highest_wins(sheet: Sheet, *, exact: bool, doubled: bool = False, pool: bool = False, in_coins: bool) -> Rule:
    """Return the rule about the highest wins; its promise is `exact`, or a bound from below."""
    best = sheet.highest
    free: Mapping[str, Any] | None = sheet.free_spin
    paid = max((bet for bet in sheet.bets if bet["price"] == 1), key=lambda bet: (bet["max_win"], bet["max_win_odds"]))
    kind = (
        ("is the highest win", "nennt den höchsten Gewinn, den") if exact else ("is a win", "nennt einen Gewinn, den")
    )
    facts = [
        fact(
            f"“Win up to” {kind[0]} that at least one play in {{plays}} reaches. A play is a paid spin with all that it"
            " brings, free spins included.",
            f"„Gewinn bis“ {kind[1]} mindestens eines von {{plays}} Spielen erreicht: ein bezahltes Spiel mit allem,"
            " was es bringt, Freispiele eingeschlossen.",
            "test_ten_million_played_rounds_win_as_the_distribution_says",
            "test_only_an_exact_promise_is_called_the_highest_win",
            plays=PLAYS,
        )
    ]
    if doubled:
        facts.append(
            fact("Nothing is doubled in it.", "Verdoppelt wird dabei nichts.", "test_the_pages_follow_the_cap")
        )
    if pool:
        facts.append(
            fact(
                "A jackpot counts as it starts.",
                "Ein Jackpot zählt mit seinem Anfangsstand.",
                "test_the_distribution_of_a_play_has_the_exact_mean",
            )
        )
    unit = 1 if in_coins else best["stake"]
    win, one_in = bets(best["win_up_to"], unit), best["win_up_to_one_in"]
    if in_coins:
        facts.append(
            fact(
                "With {lines} lines × {coins} coins: {win} coins, 1 in {one_in}.",
                "Mit {lines} Linien × {coins} Münzen: {win} Münzen, 1 zu {one_in}.",
                lines=best["lines"],
                coins=best["coins_per_line"],
                win=win,
                one_in=one_in,
            )
        )
    else:
        facts.append(
            fact(
                "It is {win} times the bet, 1 in {one_in}.",
                "Es ist das {win}-Fache des Einsatzes, 1 zu {one_in}.",
                win=win,
                one_in=one_in,
            )
        )
    facts += [
        fact(
            "Bought: {win} times the bet, 1 in {one_in}.",
            "Gekauft: das {win}-Fache des Einsatzes, 1 zu {one_in}.",
            win=bets(bought["win_up_to"], unit),
            one_in=bought["win_up_to_one_in"],
        )
        for bought in sheet.bets
        if bought["price"] > 1
    ]
    en, de = ("coins", "{win} Münzen") if in_coins else ("times the bet", "das {win}-Fache des Einsatzes")
    facts.append(
        fact(
            "The most that a paid spin can win with the features that it starts, but without free spins, is"
            f" {{win}} {en}: 1 in {{one_in}}.",
            "Höchstens kann ein bezahltes Spiel mit den Features, die es auslöst, aber ohne Freispiele,"
            f" {de} gewinnen: 1 zu {{one_in}}.",
            win=bets(paid["max_win"], unit),
            one_in=odds(paid["max_win_odds"]),
        )
    )
    if free is not None:
        facts.append(
            fact(
                f"The most that a free spin can win is {{win}} {en}: 1 free spin in {{one_in}}.",
                f"Höchstens kann ein Freispiel {de} gewinnen: 1 von {{one_in}} Freispielen.",
                win=bets(free["max_win"], unit),
                one_in=odds(free["max_win_odds"]),
            )
        )
    return rule("The highest wins", "Die höchsten Gewinne", *facts)


TITLES = {
    "pays": {"en": "PAYTABLE", "de": "GEWINNPLAN"},
    "lines": {"en": "THE {lines} LINES", "de": "DIE {lines} LINIEN"},
    "ways": {"en": "{ways} WAYS", "de": "{ways} GEWINNWEGE"},
    "buttons": {"en": "THE BUTTONS", "de": "DIE TASTEN"},
    "rules": {"en": "RULES", "de": "SPIELREGELN"},
}
BACK = {"en": "BACK TO THE GAME", "de": "ZURÜCK ZUM SPIEL"}
WIN_UP_TO = {"en": "Win up to {amount} (1 in {one_in})", "de": "Gewinn bis {amount} (1 zu {one_in})"}
JACKPOT = "JACKPOT"
CHOSEN_LINES = fact(
    "With 5 lines you play lines 1 to 5, and so on. All pay from left to right, beginning on reel 1.",
    "Mit 5 Linien gelten die Linien 1 bis 5 und so weiter. Alle zahlen von links nach rechts ab Walze 1.",
    "test_only_enabled_lines_pay",
    "test_lines_pay_from_left_to_right",
)
ALL_LINES = fact(
    "All lines are always played. They pay from left to right, beginning on reel 1.",
    "Es gelten immer alle Linien. Sie zahlen von links nach rechts ab Walze 1.",
    "test_all_lines_are_always_played",
    "test_lines_pay_from_reel_one_alone",
)
WAYS = fact(
    "A way takes one symbol from each reel, wherever it is, without a gap from reel 1 on.",
    "Ein Gewinnweg führt über ein Symbol jeder Walze, wo immer es liegt, ohne Lücke ab Walze 1.",
    "test_every_way_is_found_and_paid_once",
)
_AMOUNTS = "test_every_amount_of_a_paytable_is_what_a_round_pays"
COINS_A_LINE = fact("Coins for each coin on a line", "Münzen je Münze auf einer Linie", _AMOUNTS)
TIMES_BET = fact("×: times the total bet", "×: mal den Gesamteinsatz", _AMOUNTS)
TOUCHED = fact(
    "Each of them can be touched on the screen as well.",
    "Jede von ihnen kann auch auf dem Bildschirm berührt werden.",
    "test_what_asks_is_answered_by_touch_too",
    "test_attendant_and_sound_live_wherever_the_player_is",
)


def coins_of_a_bet(coins: int) -> Fact:
    """Return what the figures are in coins where a bet is chosen by its total."""
    return fact("Coins at a bet of {coins} coins", "Münzen bei einem Einsatz von {coins} Münzen", _AMOUNTS, coins=coins)


_BACK_AND_ON = ("test_the_menu_does_by_buttons_what_fingers_do", "test_paytable_pages_turn_and_close")
_SPIN = fact(
    "SPIN: plays. While reels turn or a win is shown it hurries them, where the house allows it. On pages and among"
    " choices it takes what is lit.",
    "START: spielt. Solange Walzen drehen oder ein Gewinn gezeigt wird, verkürzt es das, wo das Haus es erlaubt. Auf"
    " Seiten und bei einer Auswahl nimmt es, was leuchtet.",
    "test_max_bet_selects_and_spin_plays",
    "test_spin_hurries_the_show",
    "test_the_menu_does_by_buttons_what_fingers_do",
    "test_without_stop_spin_shortens_nothing",
)
_BY_LINES = (
    fact(
        "LINES: more lines, and after the most the fewest. On pages and among choices it goes back.",
        "LINIEN: mehr Linien, und nach den meisten die wenigsten. Auf Seiten und bei einer Auswahl geht es zurück.",
        "test_bets_go_round",
        *_BACK_AND_ON,
    ),
    fact(
        "BET: more coins on each line, and after the most the fewest. On pages and among choices it goes on.",
        "EINSATZ: mehr Münzen je Linie, und nach den meisten die wenigsten. Auf Seiten und bei einer Auswahl geht es"
        " weiter.",
        "test_bets_go_round",
        *_BACK_AND_ON,
    ),
)
_BY_TOTAL = (
    fact(
        "LINES: the next lower bet. On pages and among choices it goes back.",
        "LINIEN: der nächstniedrigere Einsatz. Auf Seiten und bei einer Auswahl geht es zurück.",
        "test_bet_steps_up_and_round_and_lines_steps_down",
        *_BACK_AND_ON,
    ),
    fact(
        "BET: the next higher bet, and after the highest the lowest. On pages and among choices it goes on.",
        "EINSATZ: der nächsthöhere Einsatz, und nach dem höchsten der niedrigste. Auf Seiten und bei einer Auswahl geht"
        " es weiter.",
        "test_bet_steps_up_and_round_and_lines_steps_down",
        *_BACK_AND_ON,
    ),
)
_MAX_BET = fact(
    "MAX BET: chooses the highest bet that the credit covers. It does not spin.",
    "MAX EINSATZ: wählt den höchsten Einsatz, für den das Guthaben reicht. Es startet kein Spiel.",
    "test_max_bet_selects_and_spin_plays",
)
_GAMBLE = fact(
    "GAMBLE: MAX BET, while a win may be gambled.",
    "RISIKO: MAX EINSATZ, solange ein Gewinn riskiert werden kann.",
    "test_the_buttons_reach_every_state",
)
_CHOICE = fact(
    "MAX BET: on these pages it chooses the other of the two below.",
    "MAX EINSATZ: wählt auf diesen Seiten die andere der beiden Möglichkeiten unten.",
    "test_the_witch_is_changed_in_the_paytable",
)
_AUTO = fact(
    "AUTO: the settings of autospin, where the house offers it. While autospin plays it ends it.",
    "AUTO: die Einstellungen des Autostarts, wo das Haus ihn anbietet. Läuft er, beendet es ihn.",
    "test_it_plays_the_chosen_spins_without_a_press",
    "test_stop_ends_it_at_once",
    "test_autospin_is_taken_off",
)
_INFO = fact(
    "INFO: these pages; from them it opens the menu, where no win waits.",
    "INFO: diese Seiten; von ihnen aus öffnet es das Menü, solange kein Gewinn wartet.",
    "test_the_buttons_reach_every_state",
)
_COLLECT = fact(
    "COLLECT: pays the credit out. On pages and in questions it goes back, at the cards it takes the win.",
    "AUSZAHLEN: zahlt das Guthaben aus. Auf Seiten und bei Fragen geht es zurück, bei den Karten nimmt es den Gewinn.",
    "test_pages_can_be_left_without_credit",
    "test_the_buttons_reach_every_state",
)
_GO_BACK = fact(
    "COLLECT: pays the credit out. On pages and in questions it goes back.",
    "AUSZAHLEN: zahlt das Guthaben aus. Auf Seiten und bei Fragen geht es zurück.",
    "test_pages_can_be_left_without_credit",
    "test_the_buttons_reach_every_state",
)
_SERVICE = fact(
    "SERVICE: calls the attendant.", "SERVICE: ruft das Personal.", "test_the_attendant_can_be_called_from_every_state"
)


def buttons(*, by_total: bool, gambles: bool, chooses: bool) -> list[Fact]:
    """Return what is said of the panel's buttons, in their order."""
    return [
        _SPIN,
        *(_BY_TOTAL if by_total else _BY_LINES),
        _MAX_BET,
        *([_GAMBLE] if gambles else []),
        *([_CHOICE] if chooses else []),
        _AUTO,
        _INFO,
        _COLLECT if gambles else _GO_BACK,
        _SERVICE,
    ]
