"""The licences of this program and its packages, fonts included, as the packages declare them (U.12)."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

OURS = "cabinet"
EXTRAS = ("pi", "bake")
"""The extra dependencies: a Pi's pins, and the fonts and tools of the art."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_TEXTS = re.compile(r"(^|/)(LICEN[CS]E|COPYING|OFL|NOTICE)", re.IGNORECASE)
_SHORT = 60


class Licence(NamedTuple):
    """The licence of a package: its name, version, licence in short, and licence texts.

    A package that is required but not installed has no version.
    """

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]


@cache
def licences() -> tuple[Licence, ...]:
    """Return our own licence and that of every package required, by name."""
    found: dict[str, Licence] = {}
    ours = set(_needs(distribution(OURS), EXTRAS))
    waiting: list[tuple[str, tuple[str, ...]]] = [(OURS, EXTRAS)]
    while waiting:
        name, extras = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            if name in ours:
                found[key] = Licence(name, "", "", ())
            continue
        found[key] = _of(package)
        waiting += [(needed, ()) for needed in _needs(package, extras)]
    own = found.pop(OURS)
    return (own, *(found[key] for key in sorted(found)))


def _needs(package: Distribution, extras: Sequence[str]) -> Iterator[str]:
    """Yield the names of a package's requirements, with these extras."""
    for requirement in package.requires or ():
        extra = _EXTRA.search(requirement)
        name = _NAME.match(requirement)
        if name is not None and (extra is None or extra.group(1) in extras):
            yield name.group()


def _of(package: Distribution) -> Licence:
    stated = package.metadata
    said = [text.strip() for name in ("License-Expression", "License") for text in stated.get_all(name) or ()]
    named = next(filter(None, said), "")
    if not named or "\n" in named or len(named) > _SHORT:
        kinds = [
            kind.rpartition(" :: ")[2] for kind in stated.get_all("Classifier") or () if kind.startswith("License")
        ]
        named = ", ".join(kinds)
    texts = tuple(Path(str(package.locate_file(file))) for file in package.files or () if _TEXTS.search(str(file)))
    return Licence(stated["Name"], package.version, named, texts)
