# ruff: noqa: RUF001  the multiplication sign is meant, no letter
"""What a game begun with `cabinet new-game` prints, by its kind; figures from its own tables and its exact maths."""

from types import ModuleType

from tests.ui.printed.facts import Fact, Rule, fact, rule
from tests.ui.printed.shared import FAIR_PLAY, HOURS, RETURNS

_PROVED = ("test_its_tables_play_scene_maths_and_figures_pass",)
_WAYS_PROVED = ("test_ways_are_counted_by_hand", *_PROVED)
_VOID = fact(
    "Malfunction voids all plays and pays.",
    "Eine Fehlfunktion macht alle Spiele und Auszahlungen ungültig.",
    "test_a_round_that_replays_otherwise_is_void",
)
_RETRIGGERS = fact("More free spins can be won in them.", "Weitere Freispiele können darin gewonnen werden.", *_PROVED)
_FOOTS = {
    "lines": fact(
        "What is paid at your bet  ·  Stars pay anywhere",
        "Gewinne bei Ihrem Einsatz  ·  Sterne zahlen überall",
        *_PROVED,
    ),
    "ways": fact(
        "What each way pays at your bet  ·  Stars pay anywhere",
        "Gewinn jedes Weges bei Ihrem Einsatz  ·  Sterne zahlen überall",
        *_WAYS_PROVED,
    ),
}
_FOOTS["cascades"] = _FOOTS["ways"]


def foot(kind: str) -> Fact:
    """Return what stands under the paytable."""
    return _FOOTS[kind]


def notes(pays: ModuleType) -> dict[str, Fact]:
    """Return what Wild and Star do."""
    return {
        pays.WILD: fact("Stands for all but Star", "Ersetzt alle außer Stern", *_PROVED),
        pays.SCATTER: fact(
            "{least} or more bring free spins", "{least} oder mehr bringen Freispiele", least=min(pays.FREE_SPINS)
        ),
    }


def rules(kind: str, pays: ModuleType, *, rows: int, reels: int, rtp: str) -> list[Rule]:
    """Return the rules of a new game of that kind but for the last, about the highest wins."""
    first = (
        _lines(pays)
        if kind == "lines"
        else [*_ways(pays, rows**reels), *([_cascades(pays)] if kind == "cascades" else [])]
    )
    paying = _paying() if kind == "lines" else []
    return [*first, _stars(kind, pays), *paying, FAIR_PLAY, _returns(rtp)]


def _lines(pays: ModuleType) -> list[Rule]:
    assert pays.WILD in pays.LINE_PAYS
    return [
        rule(
            "Wild stands for all but Star",
            "Wild ersetzt alles außer dem Stern",
            fact(
                "Wild stands for every symbol except Star, and pays on its own.",
                "Wild ersetzt jedes Symbol außer dem Stern und zahlt auch selbst.",
                *_PROVED,
            ),
            fact(
                "Only the highest win on each line is paid.",
                "Je Linie wird nur der höchste Gewinn gezahlt.",
                *_PROVED,
            ),
        )
    ]


def _paying() -> list[Rule]:
    return [
        rule(
            "How lines are paid",
            "Wie Linien zahlen",
            fact(
                "Line wins pay from left to right, beginning on reel 1, times the coins bet on the line.",
                "Liniengewinne zahlen von links nach rechts ab Walze 1, mal die Münzen auf der Linie.",
                *_PROVED,
            ),
            fact("Line and Star wins are added up.", "Linien- und Sterngewinne werden addiert.", *_PROVED),
            fact(
                "Coins times coin value is the amount paid.",
                "Münzen mal Münzwert ist der gezahlte Betrag.",
                "test_the_controller_credits_every_cent_once",
            ),
            _VOID,
        )
    ]


def _ways(pays: ModuleType, ways: int) -> list[Rule]:
    assert pays.WILD not in pays.PAYS
    return [
        rule(
            f"{ways} ways",
            f"{ways} Gewinnwege",
            fact("All {ways} ways are always played.", "Alle {ways} Gewinnwege werden immer gespielt.", ways=ways),
            fact(
                "A symbol wins where it is on {least} or more reels in a row from reel 1 on, wherever it is on them:"
                " how often it is on each of these reels, multiplied, is the number of its ways, and each way pays.",
                "Ein Symbol gewinnt, wenn es ab Walze 1 auf {least} oder mehr Walzen in Folge liegt, gleich wo: Wie oft"
                " es auf jeder dieser Walzen liegt, miteinander multipliziert, ist die Zahl seiner Gewinnwege, und"
                " jeder zahlt.",
                *_WAYS_PROVED,
                least=min(count for counts in pays.PAYS.values() for count in counts),
            ),
            fact(
                "Only the longest row of each symbol is paid; all wins are added up.",
                "Je Symbol zählt nur die längste Folge; alle Gewinne werden addiert.",
                *_WAYS_PROVED,
            ),
            _VOID,
        ),
        rule(
            "Wild is not on reel 1",
            "Wild liegt nicht auf Walze 1",
            fact(
                "Wild stands for every symbol except Star, and pays nothing by itself.",
                "Wild ersetzt jedes Symbol außer dem Stern und zahlt allein nichts.",
                "test_a_wild_on_reel_1_is_refused_on_ways",
                *_PROVED,
            ),
        ),
    ]


def _cascades(pays: ModuleType) -> Rule:
    return rule(
        "Cascades",
        "Kaskaden",
        fact(
            "All symbols that win burst, Wilds among them; those above fall, and the next ones of the reel follow.",
            "Alle Symbole, die gewinnen, zerspringen, auch Wilds; die darüber fallen, und die nächsten der Walze"
            " folgen.",
            "test_strips_carry_on_above_the_window",
        ),
        fact(
            "What wins then is paid too, and so on until nothing wins.",
            "Was dann gewinnt, wird auch gezahlt, bis nichts mehr gewinnt.",
            "test_no_chain_of_a_game_is_ended_by_the_limit_of_falls",
        ),
        fact(
            "Nothing is drawn for a cascade.",
            "Für eine Kaskade wird nichts gezogen.",
            "test_nothing_is_drawn_for_a_cascade",
        ),
        fact(
            "Each raises what the ways pay: × {steps}, in free spins × {free}; every spin begins with the first step.",
            "Jede erhöht, was die Gewinnwege zahlen: × {steps}, in Freispielen × {free}; jedes Spiel beginnt mit der"
            " ersten Stufe.",
            *_PROVED,
            steps=", × ".join(map(str, pays.CASCADES.multipliers)),
            free=", × ".join(map(str, pays.FREE_CASCADES.multipliers)),
        ),
    )


def _stars(kind: str, pays: ModuleType) -> Rule:
    least = min(pays.SCATTER_PAYS)
    assert least == min(pays.FREE_SPINS)
    spins = {"few": min(pays.FREE_SPINS.values()), "many": max(pays.FREE_SPINS.values())}
    if kind == "cascades":
        assert spins["few"] == spins["many"]
        facts = [
            fact("Stars do not burst.", "Sterne zerspringen nicht.", *_PROVED),
            fact(
                "They are counted once, when the cascades of the spin have ended: {least} or more anywhere pay a"
                " multiple of the total bet, whatever the step, and give {few} free spins.",
                "Sie werden einmal gezählt, wenn die Kaskaden des Spiels zu Ende sind: {least} oder mehr an beliebiger"
                " Stelle zahlen ein Vielfaches des Gesamteinsatzes, gleich auf welcher Stufe, und bringen {few}"
                " Freispiele.",
                *_PROVED,
                least=least,
                few=spins["few"],
            ),
        ]
    else:
        what = ("line wins", "Liniengewinne") if kind == "lines" else ("ways", "Gewinnwege")
        facts = [
            fact(
                "{least} or more Stars anywhere pay a multiple of the total bet, and give {few} to {many} free spins.",
                "{least} oder mehr Sterne an beliebiger Stelle zahlen ein Vielfaches des Gesamteinsatzes und bringen"
                " {few} bis {many} Freispiele.",
                *_PROVED,
                least=least,
                **spins,
            ),
            fact(
                f"In free spins all {what[0]} are multiplied by {{times}}; Star wins are not.",
                f"In Freispielen werden alle {what[1]} mit {{times}} multipliziert, Sterngewinne nicht.",
                *_PROVED,
                times=pays.FREE_SPIN_MULTIPLIER,
            ),
        ]
    return rule("Star: scatter and free spins", "Stern: Scatter und Freispiele", *facts, _RETRIGGERS)


def _returns(rtp: str) -> Rule:
    return rule(
        *RETURNS,
        fact(
            "On average {rtp} % of the bets, at every bet.",
            "Im Mittel {rtp} % der Einsätze, bei jedem Einsatz.",
            rtp=rtp,
        ),
        fact(
            "An unfinished game waits for you; after {hours} powered-on hours it is finished by fair draws and paid to"
            " the credit.",
            "Ein unfertiges Spiel wartet auf Sie; nach {hours} Betriebsstunden wird es durch faire Ziehungen beendet"
            " und gutgeschrieben.",
            "test_a_round_without_its_player_finishes_by_itself",
            hours=HOURS,
        ),
    )
