"""Each requirement with its sources, where the tree cites it, the tests that show it and their results."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from tests.dossier.chapter import Chapter, Run, Written, table
from tests.dossier.citations import citations
from tests.dossier.marks import Mark, marks
from tests.dossier.page import PAGE, Requirement, excuses, requirements
from tests.dossier.results import FAILED, PASSED, Outcome, in_words

HEAD = ("no.", "requirement", "sources", "where it is met", "tests and their results", "result")
INTRODUCTION = """The rules are those of docs/requirements.md; "where" is each file that cites the number. A test is
marked with the numbers that it shows. A proof is a slow test (`make proofs`): it has a result here only if a file of
its results was given.

The runs of the tests began at: {runs} (UTC).

"""

Shown = Mapping[str, Mapping[str, Sequence[Outcome]]]
"""The outcomes of the tests of each requirement, by the name of the test or of its module."""


class Verdict(NamedTuple):
    """What the tests of a requirement say: a word, and what is open."""

    word: str
    open: str = ""


def write(run: Run) -> Written:
    """Write a section for each chapter of the page."""
    page = PAGE.read_text("utf-8")
    excused, shown, unrun = excuses(page), by_requirement(run.outcomes), not_run(run.outcomes)
    where: dict[str, list[str]] = defaultdict(list)
    for number, file in citations():
        if file not in where[number] and file != "docs/requirements.md":
            where[number].append(file)
    found = [(one, verdict(one.number, shown, unrun, excused)) for one in requirements(page)]
    text = [INTRODUCTION.format(runs=", ".join(sorted({one.made for one in run.outcomes})) or "never")]
    for chapter, lines in groupby(found, key=lambda line: line[0].chapter):
        rows = (row(one, said, where[one.number], shown.get(one.number, {}), unrun[one.number]) for one, said in lines)
        text += [f"## {chapter}\n\n", table(HEAD, rows), "\n"]
    found.sort(key=lambda line: line[1].word != FAILED)
    return Written(
        "".join(text),
        [
            *(f"{one.number}: {said.open} {one.text}" for one, said in found if said.open),
            *(f"{name} failed, which shows no requirement." for name in failed_beside(run.outcomes)),
        ],
    )


def failed_beside(outcomes: Sequence[Outcome]) -> Sequence[str]:
    """Return the tests that failed and show no requirement."""
    return sorted({f"{one.module}.{one.test}" for one in outcomes if one.ended == FAILED and not one.numbers})


def by_requirement(outcomes: Sequence[Outcome]) -> Shown:
    """Return the outcomes of the tests of each requirement; those of a module that is marked as a whole together."""
    whole = {(mark.module, number) for mark in marks() if not mark.test for number in mark.numbers}
    shown: dict[str, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for outcome in outcomes:
        for number in outcome.numbers:
            all_of_it = (outcome.module, number) in whole
            shown[number][outcome.module if all_of_it else f"{outcome.module}.{outcome.test}"].append(outcome)
    return shown


def not_run(outcomes: Sequence[Outcome]) -> Mapping[str, Sequence[Mark]]:
    """Return the markers of each requirement of whose tests there is no result."""
    run = {name for one in outcomes for name in (f"{one.module}.{one.test}", f"{one.module}.")}
    unrun: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks():
        if f"{mark.module}.{mark.test}" not in run:
            for number in mark.numbers:
                unrun[number].append(mark)
    return unrun


def verdict(number: str, shown: Shown, unrun: Mapping[str, Sequence[Mark]], excused: Mapping[str, str]) -> Verdict:
    """Return what is known of a requirement: a failure counts more than anything that passed."""
    outcomes = [one for of_test in shown.get(number, {}).values() for one in of_test]
    failed = sorted({f"{one.module}.{one.test}" for one in outcomes if one.ended == FAILED})
    if failed:
        return Verdict(FAILED, f"failed ({', '.join(failed)}).")
    if any(one.ended == PASSED for one in outcomes):
        return Verdict(PASSED)
    if number in excused:
        return Verdict("no test", f"shown by no test ({excused[number]})")
    if outcomes:
        return Verdict("skipped", "all its tests were skipped.")
    if unrun[number]:
        proofs = " They are proofs." if all(mark.proof for mark in unrun[number]) else ""
        return Verdict("not run", f"none of its tests has a result.{proofs}")
    return Verdict("no test", "shown by no test.")


def row(
    one: Requirement, said: Verdict, where: Sequence[str], shown: Mapping[str, Sequence[Outcome]], unrun: Sequence[Mark]
) -> tuple[object, ...]:
    """Return the cells of a requirement."""
    word = Markup('<span class="{}">{}</span>').format("open" if said.open else PASSED, said.word)
    return (
        Markup('<b id="{}">{}</b>').format(one.number, one.number),
        one.text,
        one.sources,
        lines_of(where),
        lines_of(tests_of(shown, unrun)),
        word,
    )


def tests_of(shown: Mapping[str, Sequence[Outcome]], unrun: Sequence[Mark]) -> Iterator[str]:
    """Yield each test of a requirement with its result."""
    for name, of_test in sorted(shown.items()):
        yield f"{name}: {in_words(of_test)}"
    for mark in unrun:
        yield f"{mark.module}.{mark.test}".rstrip(".") + (": proof, no result" if mark.proof else ": no result")


def lines_of(texts: Iterator[str] | Sequence[str]) -> Markup:
    """Return texts below each other."""
    return Markup("<br>").join(texts)


CHAPTER = Chapter(10, "Requirements", write)
