"""Power cuts and injected faults: the test modules that make them, and their results."""

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tests.dossier.chapter import Chapter, Run, Written, table
from tests.dossier.marks import marks
from tests.dossier.results import Outcome, in_words
from tests.rigs.paths import ROOT

SUBJECTS = {"Power loss": "P", "Critical memory": "C", "Doors and faults": "D"}
HEAD = ("module", "what must hold", "requirements", "result", "run (UTC)")
INTRODUCTION = """Modules of tests that are marked with requirements of these letters. The searches that take hours
(`make power-proof`, `make soak`, `make swarm`, `make boot-proof`) have a result here only if a file of their results
was given.

"""


def write(run: Run) -> Written:
    """Write a table for each subject."""
    results: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in run.outcomes:
        results[outcome.module].append(outcome)
    text = [INTRODUCTION]
    for subject, letter in SUBJECTS.items():
        numbers = numbers_by_module(letter)
        rows = [
            (module, says(module), ", ".join(held), *result(results.get(module, ()), letter))
            for module, held in numbers.items()
        ]
        text.append(f"## {subject}\n\n{table(HEAD, rows)}\n")
    return Written("".join(text))


def numbers_by_module(letter: str) -> Mapping[str, Sequence[str]]:
    """Return which requirements of a letter each module of tests shows."""
    found: dict[str, list[str]] = defaultdict(list)
    for mark in marks():
        found[mark.module] += [
            number for number in mark.numbers if number[0] == letter and number not in found[mark.module]
        ]
    return {module: sorted(numbers, key=lambda number: int(number[1:])) for module, numbers in found.items() if numbers}


def says(module: str) -> str:
    """Return the first line of a module's docstring."""
    source = (ROOT / module.replace(".", "/")).with_suffix(".py").read_text("utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def result(outcomes: Sequence[Outcome], letter: str) -> tuple[str, str]:
    """Return how the tests of a module with requirements of a letter ended, and when."""
    of_letter = [one for one in outcomes if any(number[0] == letter for number in one.numbers)]
    if not of_letter:
        return "no result", ""
    return in_words(of_letter), ", ".join(sorted({one.made for one in of_letter}))


CHAPTER = Chapter(80, "Power loss and faults", write)
