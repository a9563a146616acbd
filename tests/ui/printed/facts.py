"""Sentences that are printed, in English and German, with what their figures must be and what proves them.

A figure is a `{slot}` of both sentences. What it must be comes from the game's filed PAR sheet (`par.json`), which is
worked out from the game's own tables, or from rounds of its play; never from the display's code.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gamekit.catalogue import folder_of

TESTS = Path(__file__).parents[2]


class Fact(NamedTuple):
    """A sentence in each language, its figures by slot as English writes them without separators, and its proofs."""

    sentences: Mapping[str, str]
    figures: Mapping[str, str]
    by: tuple[str, ...]


class Rule(NamedTuple):
    """A heading in each language, and the facts that its text consists of."""

    headings: Mapping[str, str]
    facts: Sequence[Fact]


def fact(en: str, de: str, *by: str, **figures: object) -> Fact:
    """Return a fact; `by` are the tests that prove what its figures do not say."""
    return Fact({"en": en, "de": de}, {slot: written(value) for slot, value in figures.items()}, by)


def rule(en: str, de: str, *facts: Fact) -> Rule:
    """Return a rule under its headings."""
    return Rule({"en": en, "de": de}, facts)


def written(value: object) -> str:
    """Return a figure, or figures in a row, as English writes them, without separators of thousands."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(written, value))
    return str(value)


def read(figure: str, language: str) -> str:
    """Return a printed figure, or a row of them, in English and without separators of thousands."""
    apart = {"en": ("", "."), "de": (".", ",")}[language]
    thousands = "," if language == "en" else apart[0]
    return ", ".join(
        part.removesuffix(" €").replace(thousands, "").replace(apart[1], ".") for part in figure.split(", ")
    )


def unread(text: str, facts: Sequence[Fact], language: str) -> list[str]:
    """Return what is wrong with a text that should consist of `facts`, each once, in any order; spaces do not count."""
    left, wrong = list(facts), list[str]()
    text = " ".join(text.split())
    while text:
        for one in left:
            found = _pattern(" ".join(one.sentences[language].split())).match(text)
            if found is not None:
                left.remove(one)
                wrong += [
                    f"{found[0]!r}: {slot} is {read(printed, language)}, and should be {one.figures[slot]}"
                    for slot, printed in found.groupdict().items()
                    if read(printed, language) != one.figures[slot]
                ]
                text = text[found.end() :].lstrip()
                break
        else:
            return [*wrong, f"no fact says: {text!r}"]
    return [*wrong, *(f"not printed: {one.sentences[language]!r}" for one in left)]


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", sentence)
    words = "".join(f"(?P<{part}>.+?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
    # A figure at the end takes all that is left.
    return re.compile(words + (r"$" if not parts[-1] else r"(?= |$)"))


class Sheet:
    """A game's filed PAR sheet: its constants by name, its bets, and how often features start."""

    def __init__(self, game: str) -> None:
        self._sheet: dict[str, Any] = json.loads((folder_of(game) / "par.json").read_text("utf-8"))
        self.bets: list[dict[str, Any]] = self._sheet["bets"]
        self.free_spin: dict[str, Any] | None = self._sheet["free_spin"]
        self.spin_max_win: int = self._sheet["spin_max_win"]
        self.spin_max_win_odds: float = self._sheet["spin_max_win_odds"]

    def __getitem__(self, constant: str) -> Any:
        return self._sheet["constants"][constant]

    def table(self, constant: str) -> dict[int, int]:
        """Return a constant that the sheet writes as pairs, or the weights of a table."""
        value = self[constant]
        return {pair[0]: pair[1] for pair in (value["weights"] if isinstance(value, dict) else value)}

    @property
    def lines(self) -> list[list[int]]:
        """The row in which each line crosses each reel; none in a game of ways."""
        return list(self._sheet["constants"].get("LINES", []))

    @property
    def ways(self) -> int:
        """How many ways there are; in a game of lines this says nothing."""
        return int(self["ROWS"] ** len(self["REELS"]["strips"])) if not self.lines else 0

    def counts(self, **scatters: str) -> dict[str, set[int]]:
        """Return how many of each symbol pay; of a scatter its constant is given."""
        rules = self._sheet["constants"].get("LINE_RULES") or self["WAYS_RULES"]
        paid = {symbol: {pair[0] for pair in pays} for symbol, pays in rules["pays"].items()}
        return paid | {symbol: set(self.table(constant)) for symbol, constant in scatters.items()}

    def one_in(self, trigger: str, digits: int = 0) -> str:
        """Return how many paid spins start a feature once, at the highest bet."""
        return f"{1 / self._sheet['triggers'][trigger]:.{digits}f}"

    @property
    def highest(self) -> dict[str, Any]:
        """The highest bet that is not bought, in the first state."""
        return [bet for bet in self.bets if bet["price"] == 1][-1]

    def returned(self, bet: Mapping[str, Any], key: str = "rtp_percent") -> str:
        """Return what a bet returns in percent, with the two decimals of the rules."""
        return two_decimals(bet[key])


def two_decimals(percent: str) -> str:
    """Return a percentage of six decimals with two."""
    return f"{round(float(percent), 2):.2f}"


@cache
def sheet(game: str) -> Sheet:
    """Return the sheet of the game called `game`."""
    return Sheet(game)


@cache
def names_of_tests() -> frozenset[str]:
    """Return the names of all tests."""
    found = set()
    for file in [*TESTS.rglob("test_*.py"), *(TESTS.parent / "games").rglob("test_*.py")]:
        found |= set(re.findall(r"^(?:async )?def (test_\w+)", file.read_text("utf-8"), re.MULTILINE))
    return frozenset(found)
