"""Results of tests, from a file that `pytest --junitxml` has written."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from defusedxml import ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Outcome(NamedTuple):
    """How one case of a test ended."""

    module: str
    test: str
    """The function's name, without the case's parameters."""
    numbers: tuple[str, ...]
    """The requirements that it shows."""
    ended: str
    made: str
    """When its run began, to the minute."""


def outcomes(file: Path) -> Iterator[Outcome]:
    """Yield how each case of a file of results ended."""
    for suite in ElementTree.parse(file).getroot().iter("testsuite"):
        made = suite.get("timestamp", "")[:16].replace("T", " ")
        for case in suite.iter("testcase"):
            numbers = tuple(
                dict.fromkeys(
                    item.get("value", "") for item in case.iter("property") if item.get("name") == "requirement"
                )
            )
            tags = {child.tag for child in case}
            ended = FAILED if tags & {"failure", "error"} else SKIPPED if "skipped" in tags else PASSED
            yield Outcome(case.get("classname", ""), case.get("name", "").partition("[")[0], numbers, ended, made)


def in_words(of_test: Iterable[Outcome]) -> str:
    """Return how the cases of a test ended: `passed`, or how many did what."""
    counts = Counter(one.ended for one in of_test)
    if len(counts) == 1:
        (ended, cases), *_ = counts.items()
        return ended if cases == 1 else f"{ended}, {cases} cases"
    return ", ".join(f"{cases} {ended}" for ended, cases in sorted(counts.items()))
