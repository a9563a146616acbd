"""The requirements as docs/requirements.md lists them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.rigs.paths import ROOT

PAGE = ROOT / "docs" / "requirements.md"
HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
NUMBERED = re.compile(r"^- \*\*([A-Z]\d+)\*\* (.+?) \*([^*]+)\*$", re.MULTILINE | re.DOTALL)
EXCUSED = re.compile(r"^- ([A-Z]\d+): (.{20,})$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


class Requirement(NamedTuple):
    """One line of the page."""

    number: str
    chapter: str
    text: str
    sources: str
    """Which public rules it is from."""


def requirements(page: str) -> Iterator[Requirement]:
    """Yield the requirements of the page's text."""
    for heading, part in zip(HEADING.findall(page), HEADING.split(page)[2::2], strict=True):
        for number, text, sources in NUMBERED.findall(part):
            yield Requirement(number, heading, " ".join(text.split()), " ".join(sources.split()))


def excuses(page: str) -> dict[str, str]:
    """Return the requirements that no test can show, and why."""
    return {number: LINK.sub(r"\1", why.strip()) for number, why in EXCUSED.findall(page)}
