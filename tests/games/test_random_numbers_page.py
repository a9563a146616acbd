"""docs/random-numbers.md says what the generator and the games do: figures, tests, files, and every point of a draw."""

import os
import random
import re
from inspect import signature

import pytest

from controller.rounds.randomness import (
    ALPHA_BITS,
    REPETITIONS,
    START_UP_BYTES,
    WINDOW,
    WatchedGenerator,
    proportion_cutoff,
)
from gamekit.catalogue import load, names
from gamekit.maths import load_maths
from tests.games import draw_points
from tests.rigs.paths import ROOT

PAGE = draw_points.PAGE.read_text("utf-8")
TEXT = " ".join(PAGE.split())
GENERATED = PAGE.split(draw_points.BEGIN)[1].split(draw_points.END)[0]
MAPPED = re.compile(r"^\| ([\d,]+) \| (\d) \| ([\d,]+) \| ([\d,]+) \| (\d+) \|$", re.MULTILINE)
NO_FILE = re.compile(r"`((?:controller|games|tests)/[\w/.]+\.py)`")


def test_the_list_of_draws_is_of_this_program() -> None:
    """Whoever adds a draw or changes the order of a play writes the list anew: python -m tests.games.draw_points."""
    assert draw_points.generated(names()) == GENERATED


@pytest.mark.parametrize("name", names())
def test_every_game_s_draws_are_listed(name: str) -> None:
    """Each draw of rounds of other seeds is made by a function that the page names, below a bound that it has."""
    game = load(name)
    section = GENERATED.split(f"### {game.title}\n")[1].split("\n### ")[0]
    listed = set(re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE))
    for (who, _), bounds in draw_points.points(game, range(10_000, 10_500)).items():
        assert who.removeprefix("games.") in listed
        assert bounds
    steps = re.search(r"^Steps ([\d, ]+) of its PAR sheet draw\.$", section, re.MULTILINE)
    assert steps is not None
    drawing = {
        number for number, sentence in enumerate(load_maths(name).order, start=1) if draw_points.DRAWS.search(sentence)
    }
    assert {int(number) for number in steps[1].split(", ")} == drawing


def test_the_mapping_is_the_generators() -> None:
    """Bytes, limit and strings of each row: the last string below the limit is kept, and the first above it is not."""
    rows = [tuple(int(figure.replace(",", "")) for figure in row) for row in MAPPED.findall(PAGE)]
    assert len(rows) == 4
    for bound, size, strings, limit, each in rows:
        assert (strings, limit, each) == (256**size, each * bound, 256**size // bound)
        for number in (limit - 1, limit):
            taken = [random.Random(1).randbytes(START_UP_BYTES)]
            if number < strings:
                taken += [number.to_bytes(size, "big")]
            taken += [bytes(size)]
            source = iter(taken)
            value = WatchedGenerator(lambda _size, source=source: next(source)).draw(bound)
            assert value == (bound - 1 if number < limit else 0)


def test_the_figures_of_the_generator_are_its_own() -> None:
    """Source, health tests and the start."""
    assert signature(WatchedGenerator).parameters["entropy"].default is os.urandom
    assert f"comes {REPETITIONS} times in a row" in TEXT
    assert f"a window of {WINDOW} bytes and comes more than {proportion_cutoff()} times" in TEXT
    assert f"{START_UP_BYTES:,} bytes are tested at the start" in TEXT
    assert ALPHA_BITS == 40
    assert "once in 2⁴⁰ bytes" in TEXT


def test_what_the_page_names_is_there() -> None:
    """Files and tests by their names, and the numbers of the proofs."""
    assert [path for path in NO_FILE.findall(PAGE) if not (ROOT / path).is_file()] == []
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))
    }
    assert set(re.findall(r"`(test_\w+)`", PAGE)) <= defined
    proof = (ROOT / "tests" / "proofs" / "test_draws.py").read_text("utf-8")
    short = (ROOT / "tests" / "games" / "test_draws.py").read_text("utf-8")
    assert "SPINS = 500_000\n" in proof
    assert "DRAWS = 2_000_000\n" in proof
    assert "SPINS = 20_000\n" in short
    for words in ("500,000 spins and 2,000,000 draws a game", "20,000 spins a game"):
        assert words in TEXT
