"""Write the list of all points of play where numbers are drawn into docs/random-numbers.md.

    python -m tests.games.draw_points

The order is each maths' own; the points are found by playing rounds of fixed seeds and noting who asked for a draw.
"""

import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from gamekit import catalogue
from gamekit.maths import load_maths
from gamekit.play import Answer, Game, Offer
from gamekit.simulate import seeded_draw

PAGE = Path(__file__).parents[2] / "docs" / "random-numbers.md"
BEGIN, END = "<!-- generated: python -m tests.games.draw_points -->\n", "<!-- end of what is generated -->\n"
ROUNDS = 2_500
HELPERS = ("gamekit.weights", "gamekit.reels", "gamekit.chance", "gamekit.bought_spin")
"""Modules that draw for others: the point of play is whoever calls them."""
DRAWS = re.compile(
    r"\bdraw|\bas likely|\bchance|\bturns?\b|\bFree spins follow|\bnormal free spins follow", re.IGNORECASE
)
INNER = re.compile(r"(\.<locals>)?\.<\w+>")
FEW = 6

Point = tuple[str, str]
"""Who draws (module and function), and the step before the draw."""


def drawer(frame: FrameType | None) -> str:
    """Return the function of a game that asked for a draw."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith(("games.", "gamekit.")) and module not in HELPERS:
            return f"{module}.{INNER.sub('', frame.f_code.co_qualname)}"
        frame = frame.f_back
    raise LookupError("a draw that no game asked for")


def points(game: Game, seeds: Iterable[int] = range(ROUNDS)) -> dict[Point, set[int]]:
    """Return the points at which rounds of fixed seeds draw, in the order in which they were met, with their bounds."""
    found: dict[Point, set[int]] = {}
    stakes = load_maths(game.name).stakes
    memory = None
    for seed in seeds:
        source = random.Random(seed)  # the same rounds every time
        give = seeded_draw(source)
        before = "the stake"

        def draw(bound: int, /) -> int:
            found.setdefault((drawer(sys._getframe(1)), before), set()).add(bound)  # noqa: B023 - called at once
            return give(bound)  # noqa: B023 - called at once

        play = game.play(stakes[-1] if seed % 5 else stakes[0], draw, memory)
        answer: Answer | None = None
        while True:
            try:
                step = play.send(answer)
            except StopIteration as end:
                memory = end.value
                break
            before = type(step).__name__
            answer = Answer(source.choice(step.choices or (0,))) if isinstance(step, Offer) else None
    return found


def bounds_in_words(bounds: set[int]) -> str:
    """Return the bounds of a point."""
    if len(bounds) <= FEW:
        return ", ".join(f"{bound:,}" for bound in sorted(bounds))
    return f"{min(bounds):,} to {max(bounds):,}"


def of_game(name: str) -> Iterator[str]:
    """Yield the lines about one game."""
    game = catalogue.load(name)
    yield f"### {game.title}\n\n"
    steps = [str(number) for number, sentence in enumerate(load_maths(name).order, start=1) if DRAWS.search(sentence)]
    yield f"Steps {', '.join(steps)} of its PAR sheet draw.\n"
    yield "\n| drawn by | after | below |\n| --- | --- | --- |\n"
    by_drawer: dict[str, tuple[list[str], set[int]]] = {}
    for (who, before), bounds in points(game).items():
        steps, all_bounds = by_drawer.setdefault(who, ([], set()))
        steps.append(before)
        all_bounds |= bounds
    for who, (steps, all_bounds) in by_drawer.items():
        yield f"| `{who.removeprefix('games.')}` | {', '.join(sorted(steps))} | {bounds_in_words(all_bounds)} |\n"
    yield "\n"


def generated(names: Sequence[str]) -> str:
    """Return what stands between the marks."""
    return "\n" + "".join(line for name in names for line in of_game(name))


def main() -> None:
    """Write the page anew."""
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    PAGE.write_text(before + BEGIN + generated(catalogue.names()) + END + rest.split(END)[1], "utf-8")


if __name__ == "__main__":
    main()
