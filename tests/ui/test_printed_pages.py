"""Every sentence and figure of every paytable and rules page is what the game pays: read off it in each language.

What must stand there is in `tests.ui.printed`, from the filed PAR sheets and from rounds of the production play.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gamekit.catalogue import load
from gamekit.maths import load_maths
from gamekit.play import Stake
from tests.games.written_game import lagoon
from tests.ui.printed import samples
from tests.ui.printed.facts import Fact, Rule, Sheet, names_of_tests, read, sheet, unread
from tests.ui.printed.reading import Page, Reader
from tests.ui.printed.rounds import POOL, pays
from tests.ui.printed.shared import (
    ALL_LINES,
    BACK,
    CHOSEN_LINES,
    COINS_A_LINE,
    JACKPOT,
    TIMES_BET,
    TITLES,
    TOUCHED,
    WAYS,
    WIN_UP_TO,
    buttons,
    coins_of_a_bet,
)
from tests.ui.rehearsal import GAMES
from tests.ui.said import spoken
from ui.baking.catalogues import compile_to
from ui.protocol.values import Bet
from ui.theme import load as load_theme

pytestmark = pytest.mark.sampled(3)

LANGUAGES = ("en", "de")
COIN_VALUES = (1, 10, 100)
CHOICES = {
    "bewitched": {"en": ["Witch: Marigold", "Witch: Selene"], "de": ["Hexe: Marigold", "Hexe: Selene"]},
}


def printed(game: str) -> Any:
    """Return what `game` prints: the module of its facts."""
    return import_module(f"tests.ui.printed.{game}")


def bets(game: str) -> list[Bet]:
    """Return the lowest, a middling and the highest bet, in coins of different value."""
    found = load(game)
    if found.total_bets is None:
        of = ((counts[0], counts[len(counts) // 2], counts[-1]) for counts in (found.line_counts, found.coins_per_line))
        return [Bet(lines, coins, value) for lines, coins, value in zip(*of, COIN_VALUES, strict=True)]
    lines, coins, cents = found.line_counts[-1], found.coins_per_line[-1], found.total_bets.usual_cents
    chosen = (cents[0], cents[len(cents) // 2], cents[-1])
    return [Bet(lines, coins, total // (lines * coins)) for total in chosen]


@cache
def pages(game: str, language: str, bet: Bet | None) -> Sequence[Page]:
    """Return the pages of a game's paytable at a bet, or in coins."""
    with spoken(language):
        return Reader(game, language).pages(bet)


def money(cents: int, language: str) -> str:
    """Return an amount as it is written where a language is spoken."""
    english = f"{cents // 100:,}.{cents % 100:02} €"
    return english if language == "en" else english.translate(str.maketrans(",.", ".,"))


def whole(number: int, language: str) -> str:
    """Return a whole number as it is written where a language is spoken."""
    return f"{number:,}" if language == "en" else f"{number:,}".replace(",", ".")


def kinds(game: str, found: Sequence[Page], language: str) -> Iterator[tuple[str, Page]]:
    """Yield each page with its kind, by the title that stands on it first."""
    figures = {"lines": len(sheet(game).lines), "ways": sheet(game).ways}
    titles = {said[language].format_map(figures): kind for kind, said in TITLES.items()}
    for page in found:
        yield titles[page.words[0]], page


def said(fact: Fact, language: str) -> str:
    """Return a fact's sentence with its figures."""
    return fact.sentences[language].format_map(fact.figures)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_of_the_rules_is_a_fact(game: str, language: str) -> None:
    """Heading by heading, nothing more and nothing less, with every figure from the sheet."""
    with spoken(language):
        found = Reader(game, language).rules()
    rules: list[Rule] = list(printed(game).RULES)
    assert [heading for heading, _ in found] == [rule.headings[language] for rule in rules]
    wrong = [
        f"{heading}: {what}"
        for (heading, words), rule in zip(found, rules, strict=True)
        for what in unread(words, rule.facts, language)
    ]
    assert wrong == []


@pytest.mark.parametrize("game", GAMES)
def test_every_fact_is_proved(game: str) -> None:
    """By figures from the sheet, or by tests that there are."""
    module, found = printed(game), load(game)
    facts = [
        *(fact for rule in module.RULES for fact in rule.facts),
        module.FOOT,
        *module.NOTES.values(),
        *(CHOSEN_LINES, ALL_LINES, WAYS, COINS_A_LINE, TIMES_BET, TOUCHED),
        *buttons(
            by_total=found.total_bets is not None, gambles=found.gamble_cap_cents > 0, chooses=found.companions > 0
        ),
    ]
    for fact in facts:
        assert fact.figures or fact.by, fact.sentences["en"]
        assert {*fact.by} <= names_of_tests(), fact.by


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_amount_of_a_paytable_is_what_a_round_pays(game: str, language: str) -> None:
    """At three bets: each count that pays beside its symbol, and the money that such a win is when it is played."""
    for bet in bets(game):
        stake = Stake(lines=bet.lines, coins_per_line=bet.coins_per_line, coin_value_cents=bet.coin_value_cents)
        shown = {name: entry.pays for page in pages(game, language, bet) for name, entry in page.symbols.items()}
        for symbol, beside in shown.items():
            assert {*beside} == printed(game).PAID.get(symbol, set()), symbol
            for count, words in beside.items():
                coins = pays(game, stake, symbol, count)
                amount = JACKPOT if coins == POOL else money(coins * bet.coin_value_cents, language)
                assert words == amount, (symbol, count, bet)
        assert {*printed(game).PAID} <= {*shown}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_figure_in_coins_is_what_a_round_pays(game: str, language: str) -> None:
    """Where no bet is chosen: coins for each coin on a line, or at the foot's bet; scatters times the bet."""
    found = load(game)
    stake = Stake(lines=found.line_counts[0], coins_per_line=found.coins_per_line[0])
    scatters = {*printed(game).PAID} - {*sheet(game).counts()} - {"jackpot"}
    for page in pages(game, language, None):
        for symbol, entry in page.symbols.items():
            for count, words in entry.pays.items():
                coins = pays(game, stake, symbol, count)
                if symbol in scatters:
                    times, rest = divmod(coins, stake.lines * stake.coins_per_line)
                    assert (words, rest) == (f"× {whole(times, language)}", 0)  # noqa: RUF001  the sign
                else:
                    assert words == whole(coins, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_nothing_else_stands_on_a_paytable(game: str, language: str) -> None:
    """Titles, notes, foot, "win up to" and the way back; every word on each page is accounted for."""
    module, found = printed(game), load(game)
    notes = {name: said(fact, language) for name, fact in module.NOTES.items()}
    for bet in (*bets(game), None):
        shown = pages(game, language, bet)
        assert {name: entry.note for page in shown for name, entry in page.symbols.items() if entry.note} == notes
        for number, (kind, page) in enumerate(kinds(game, shown, language), start=1):
            expected = {
                page.words[0],
                BACK[language],
                f"{number} / {len(shown)}",
                *CHOICES.get(game, {}).get(language, []),
            }
            rest = {*page.words} - expected
            if kind == "rules":
                assert edition(game, language) in rest
                continue
            if kind == "pays":
                foot = page.words[1]
                assert bet is None or unread(foot, [module.FOOT], language) == []
                assert bet is not None or foot == coins_foot(game, language)
                expected = {foot, *(entry.note for entry in page.symbols.values() if entry.note)}
                expected |= {
                    words
                    for entry in page.symbols.values()
                    for pay in entry.pays.items()
                    for words in (str(pay[0]), pay[1])
                }
                expected |= {win_up_to(sheet(game), bet, language)} if bet is not None else set()
                assert rest == expected
            elif kind == "lines":
                foot = (CHOSEN_LINES if len(found.line_counts) > 1 else ALL_LINES).sentences[language]
                assert rest == {foot, *page.windows}
            elif kind == "ways":
                assert rest == {WAYS.sentences[language], *page.windows}
            else:
                assert rest >= {TOUCHED.sentences[language]}


def edition(game: str, language: str) -> str:
    """Return what each page of the rules says of their version."""
    version, since = load_theme(game).edition
    if language == "en":
        return f"Rules version {version}, {since:%Y-%m-%d}"
    return f"Spielregeln Fassung {version} vom {since:%d.%m.%Y}"


def coins_foot(game: str, language: str) -> str:
    """Return the foot of a paytable in coins."""
    found = load(game)
    of = coins_of_a_bet(found.line_counts[-1] * found.coins_per_line[-1])
    facts = [COINS_A_LINE if found.total_bets is None else of]
    facts += [TIMES_BET] if {*printed(game).PAID} - {*sheet(game).counts()} - {"jackpot"} else []
    return " · ".join(said(fact, language) for fact in facts)


def win_up_to(of: Sheet, bet: Bet, language: str) -> str:
    """Return what one play in fifty million wins at a bet, by the sheet."""
    (row,) = {
        (found["win_up_to"], found["win_up_to_one_in"])
        for found in of.bets
        if (found["lines"], found["coins_per_line"], found["price"]) == (bet.lines, bet.coins_per_line, 1)
    }
    amount, one_in = money(row[0] * bet.coin_value_cents, language), whole(row[1], language)
    return WIN_UP_TO[language].format(amount=amount, one_in=one_in)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_lines_and_ways_shown_are_those_that_are_paid(game: str, language: str) -> None:
    """Each line once, where the sheet has it; each window of ways with as many ways as lead through its lit cells."""
    shown = {words: cells for page in pages(game, language, bets(game)[0]) for words, cells in page.windows.items()}
    if lines := sheet(game).lines:
        assert shown == {str(number): frozenset(enumerate(line)) for number, line in enumerate(lines, start=1)}
        return
    assert shown
    for words, cells in shown.items():
        by_reel = [[row for reel, row in cells if reel == at] for at in range(load(game).reels)]
        there = [rows for rows in by_reel if rows]
        assert by_reel[: len(there)] == there
        ways = len(list(product(*there)))
        counts = " × ".join(str(len(rows)) for rows in there)  # noqa: RUF001  the sign
        assert re.fullmatch(rf"{counts} = {ways} \w+", words)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_sentence_about_the_buttons_is_a_fact(game: str, language: str) -> None:
    """In the order in which they lie on the panel, each name before what it does."""
    found = load(game)
    facts = buttons(
        by_total=found.total_bets is not None, gambles=found.gamble_cap_cents > 0, chooses=found.companions > 0
    )
    shown = kinds(game, pages(game, language, bets(game)[0]), language)
    words = " ".join(
        word for kind, page in shown if kind == "buttons" for word in page.words[1 : page.words.index(BACK[language])]
    )
    # The names stand in a column of their own, without the colon.
    facts = [
        Fact({"en": "", "de": ""} | {language: fact.sentences[language].replace(":", "", 1)}, {}, ()) for fact in facts
    ]
    words = words.replace(TOUCHED.sentences[language], "").strip()
    assert unread(words, facts, language) == []


@pytest.mark.parametrize("kind", ["lines", "ways", "cascades"])
def test_every_sentence_of_a_new_game_is_a_fact(tmp_path: Path, kind: str) -> None:
    """Its rules, notes and foot as `cabinet new-game` writes them, in both languages; its art is not drawn yet."""
    with lagoon(tmp_path, kind):
        compile_to(tmp_path)
        theme, found, tables = load_theme("lagoon"), load("lagoon"), import_module("games.lagoon.pays")
        stake = Stake(lines=found.line_counts[-1], coins_per_line=found.coins_per_line[-1])
        rtp = f"{float(100 * load_maths('lagoon').figures(stake, '').mean / stake.coins):.2f}"
        rules = samples.rules(kind, tables, rows=found.rows, reels=found.reels, rtp=rtp)
        notes, foot = samples.notes(tables), samples.foot(kind)
        for language in LANGUAGES:
            with spoken(language, tmp_path):
                *shown, _ = theme.rules(0)
                assert [heading for heading, _ in shown] == [rule.headings[language] for rule in rules]
                for (_, words), rule in zip(shown, rules, strict=True):
                    assert unread(words, rule.facts, language) == []
                assert {*theme.notes()} == {*notes}
                assert [unread(words, [notes[name]], language) for name, words in theme.notes().items()] == [[], []]
                assert unread(theme.foot(), [foot], language) == []
    for fact in (*(fact for rule in rules for fact in rule.facts), foot, *notes.values()):
        assert fact.figures or fact.by
        assert {*fact.by} <= names_of_tests()


def test_a_wrong_word_and_a_wrong_figure_are_found() -> None:
    """And what is missing or too much."""
    facts = [Fact({"en": "{pays} times the bet."}, {"pays": "2"}, ()), Fact({"en": "And more."}, {}, ())]
    assert unread("2 times the bet. And more.", facts, "en") == []
    wrong = (
        "200.00 € times the bet. And more.",
        "2 times the bet.",
        "2 times the bet. And less.",
        "2 times the bet. And more. A",
    )
    assert [text for text in wrong if unread(text, facts, "en") == []] == []


def test_figures_are_read_in_both_languages() -> None:
    """What the reading of figures makes of them."""
    assert [read("1,234.50 €", "en"), read("1.234,50 €", "de"), read("2, 5, 1,000", "en")] == [
        "1234.50",
        "1234.50",
        "2, 5, 1000",
    ]
