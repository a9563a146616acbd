"""What check-game finds where paytable and rules do not tell what a game pays."""

from collections.abc import Mapping
from gettext import NullTranslations
from typing import Any

import pytest

from gamekit import catalogue
from gamekit.beats import JackpotWon, PickOpened
from gamekit.maths import load_maths
from games.bewitched.steps import PotionBrewed
from tests.ui.rehearsal import BAKED, GAMES
from ui.explaining import GENERAL, misprinted, untold
from ui.languages import Languages
from ui.theme import Explained, Theme, load


def other(name: str, **changed: object) -> Theme:
    """Return the theme of a game, some of its members changed."""
    theme: Theme = type("Other", (type(load(name)),), changed)()
    return theme


def printed_wrongly(name: str, **changed: object) -> list[str]:
    """Return what is found wrong with the paytable of such a theme."""
    return [fault.text for fault in misprinted(other(name, **changed), load_maths(name))]


def not_told(name: str, words: Mapping[str, str] | None = None, **changed: object) -> list[str]:
    """Return what is found wrong with the rules of such a theme; with `words` in a German made of them and English."""
    catalogues = {"en": NullTranslations()} if words is None else {"de": Spoken(words)}
    return [fault.text for fault in untold(other(name, **changed), load_maths(name), catalogues)]


class Spoken(NullTranslations):
    """English but for some words: those texts that begin with a key are translated so."""

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__()
        self._words = words

    def gettext(self, message: str) -> str:
        """Return the words for `message`."""
        return next((said for begins, said in self._words.items() if message.startswith(begins)), message)


@pytest.mark.parametrize("name", GAMES)
def test_each_game_tells_what_it_pays(name: str) -> None:
    """On the paytable, and in a rule of its own in every language."""
    spoken = Languages(BAKED)
    maths = load_maths(name)
    assert misprinted(load(name), maths) == []
    assert untold(load(name), maths, {each: spoken.catalogue(each) for each in ("en", "de")}) == []


@pytest.mark.parametrize("name", GAMES)
def test_every_wrong_pay_is_named_however_rare(name: str) -> None:
    """Each symbol and count by itself, ten times its pay or one coin more; a scatter's as well."""
    theme = load(name)
    symbols = {symbol: theme.line_pays(symbol) for symbol in theme.symbols if theme.line_pays(symbol)}
    scatter = theme.scatter_pays()

    def ten(_self: Theme, symbol: str) -> dict[int, int]:
        return {count: 10 * pay for count, pay in symbols.get(symbol, {}).items()}

    def more(_self: Theme) -> dict[int, int]:
        return {count: pay + 1 for count, pay in scatter.items()}

    found = printed_wrongly(name, line_pays=ten, scatter_pays=more)
    wanted = {f"{count} x {symbol}" for symbol, pays in symbols.items() for count in pays}
    wanted |= {f"{count} x {theme.scatter}" for count in scatter}
    assert {words.partition(" pays ")[0] for words in found if "MATHS_PARTS has" in words} == wanted


def test_a_pay_is_named_with_the_first_bet_at_which_it_is_wrong() -> None:
    """Both amounts, and what to do."""

    def five_tens(_self: Theme, symbol: str) -> Mapping[int, int]:
        pays = load("neptune").line_pays(symbol)
        return {**pays, 5: 750} if symbol == "ten" else pays

    first, *rest = printed_wrongly("neptune", line_pays=five_tens)
    mend = "return from line_pays and scatter_pays what MATHS_PARTS has"
    assert first == f"5 x ten pays 75 coins at 1 x 1, and the paytable prints 750; {mend}"
    assert not [words for words in rest if "MATHS_PARTS" in words]


def test_what_is_printed_and_not_paid_or_paid_and_not_printed_is_named() -> None:
    """A count too many, one too few, a symbol that is not on the paytable, words in place of an amount."""
    jewels = load("mona_lisa_jewels")

    def changed(_self: Theme, symbol: str) -> Mapping[int, int]:
        pays = dict(jewels.line_pays(symbol))
        if symbol == "leonardo":
            return {**pays, 2: 5}
        return {count: pay for count, pay in pays.items() if (symbol, count) != ("ten", 3)}

    (two, three) = (words for words in printed_wrongly("mona_lisa_jewels", line_pays=changed) if "MATHS_PARTS" in words)
    assert two.startswith("2 x leonardo pays 0 coins at 1 x 1, and the paytable prints 5;")
    assert three.startswith("3 x ten pays 5 coins at 1 x 1, and the paytable prints 0;")
    symbols = {symbol: called for symbol, called in jewels.symbols.items() if symbol != "lute"}
    assert "lute pays and is not on the paytable" in printed_wrongly("mona_lisa_jewels", symbols=symbols)[0]

    def in_words(_self: Theme, symbol: str, _bet: object) -> str:
        return "A fortune" if symbol == "lute" else ""

    (words,) = printed_wrongly("mona_lisa_jewels", pays_in_words=in_words)
    assert words.startswith("the paytable has words in place of what lute pays")


def test_a_feature_s_award_on_a_line_is_held_against_its_own_constant() -> None:
    """Five Jackpots pay `jackpot_award` below the highest bet."""
    jewels = load("mona_lisa_jewels")

    def changed(_self: Theme, symbol: str) -> Mapping[int, int]:
        return {5: 9_999} if symbol == "jackpot" else jewels.line_pays(symbol)

    (words,) = printed_wrongly("mona_lisa_jewels", line_pays=changed)
    award = catalogue.module("mona_lisa_jewels").MATHS_PARTS["jackpot_award"]
    assert words.startswith(f"5 x jackpot pays {award} coins at 1 x 1, and the paytable prints 9999;")


@pytest.mark.parametrize("name", ["neptune", "bewitched", "mystery_elves", "mona_lisa_jewels"])
@pytest.mark.parametrize("heading", GENERAL)
def test_a_rule_about_all_wins_explains_none(name: str, heading: str) -> None:
    """Each kind of beat that it is named for is named."""
    explains: dict[Any, Explained] = {kind: Explained(heading, heading) for kind in load(name).explains}
    found = not_told(name, explains=explains)
    for kind in explains:
        assert any(f"has '{heading}' for {kind.__name__}, a rule about all wins" in words for words in found)


def test_a_rule_names_what_pays_in_its_heading_and_says_how_much() -> None:
    """Another rule, a text without a figure, a rule that is not there, none at all, and a mere heading are named."""
    (words,) = not_told("neptune", explains={PickOpened: Explained("Paying", "Treasure")})
    assert words == "the rule 'Paying' is to say what PickOpened pays; name 'Treasure' in its heading"
    (words,) = not_told("neptune", {"Three or more": "Good luck!"})
    assert words == "in 'de' the rule 'Treasure' is to say what PickOpened pays, and has no figure; say how much"
    (words,) = not_told("neptune", explains={PickOpened: Explained("Pearls", "Treasure")})
    assert words.startswith("no rule is headed 'Pearls'")
    (words,) = not_told("neptune", explains={})
    assert words.startswith("nothing says what PickOpened pays")
    (words,) = not_told("neptune", explains={PickOpened: "Treasure"})
    assert words == "THEME.explains has no Explained(heading, name) for PickOpened: give one"


def test_one_rule_explains_two_kinds_of_beats_only_under_one_name() -> None:
    """As the jackpot's pays an amount or the pool."""
    explains = dict(load("bewitched").explains)
    explains[JackpotWon] = Explained("Merlin's vials", "vials")
    (words,) = not_told("bewitched", explains=explains)
    assert words.startswith(
        "THEME.explains has 'Merlin's vials' for JackpotWon and PotionBrewed, 'vials' and 'Merlin';"
    )
    explains[JackpotWon] = explains[PotionBrewed]
    assert not_told("bewitched", explains=explains) == []


def test_rules_are_read_in_every_language() -> None:
    """A translation whose heading does not name the symbol as the paytable does, and one without words."""
    spoken = Spoken({"Merlin's vials": "Die Fläschchen"})
    (fault,) = untold(load("bewitched"), load_maths("bewitched"), {"en": NullTranslations(), "de": spoken})
    assert fault.text.startswith("in 'de' the rule 'Die Fläschchen' is to say what PotionBrewed pays; name 'Merlin' in")
    (words,) = not_told("neptune", {"Three or more": ""})
    assert words.startswith("in 'de' no rule is headed 'Treasure'")
