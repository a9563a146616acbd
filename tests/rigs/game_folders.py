"""Which games are found: those with a kernel, and a folder that is searched for the length of a test."""

import os
from importlib import import_module
from pathlib import Path

from gamekit import catalogue


def having_kernels() -> tuple[str, ...]:
    """Return the names of the games that have a kernel, whether numba is installed or not."""
    return tuple(name for name in catalogue.names() if catalogue.has_module(name, "kernel"))


def look_out_of(folder: Path) -> None:
    """Stop searching `folder` for games; modules already imported from it stay imported."""
    place = str(folder.resolve())
    known = [one for one in os.environ.get(catalogue.VARIABLE, "").split(os.pathsep) if one and one != place]
    os.environ[catalogue.VARIABLE] = os.pathsep.join(known)
    searched = import_module(catalogue.PACKAGE).__path__
    if place in searched:
        searched.remove(place)
    catalogue.look_again()
