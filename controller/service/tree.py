"""The whole menu: its sections by letter, and every leaf by its code."""

from collections.abc import Sequence

from controller.service import (
    attendant,
    by_game,
    charts,
    clearing,
    clock,
    configuration,
    credit,
    events,
    exporting,
    leaving,
    licences,
    loudness,
    meters,
    past_rounds,
    records,
    refill,
    settings_log,
    software,
    utilities,
)
from controller.service.leaf import Leaf, Line, Who
from controller.service.testing import section as testing

SECTIONS = {
    "A": "Attendant",
    "M": "Meters",
    "H": "History",
    "T": "Tests",
    "C": "Configuration",
    "U": "Utilities",
}

MODULES = (
    attendant,
    by_game,
    charts,
    clearing,
    clock,
    configuration,
    credit,
    events,
    exporting,
    leaving,
    licences,
    loudness,
    meters,
    past_rounds,
    records,
    refill,
    settings_log,
    software,
    testing,
    utilities,
)
"""Where the leaves are, a module a subject."""

LEAVES: dict[str, Leaf] = {leaf.code: leaf for module in MODULES for leaf in module.LEAVES}


def may_open(leaf: Leaf, who: Who) -> bool:
    """Whether that person may see this leaf at all."""
    return who is Who.TECHNICIAN or not leaf.technician


def title(code: str) -> str:
    """Return what a section, or the whole menu (an empty code), is called."""
    return SECTIONS.get(code, "Service menu")


def _number(leaf: Leaf) -> int:
    return int(leaf.code.partition(".")[2])


def lines_to(code: str, who: Who) -> Sequence[Line]:
    """Return the ways on from the whole menu (an empty code) or from a section."""
    if code:
        own = [leaf for leaf in LEAVES.values() if leaf.section == code and may_open(leaf, who)]
        own.sort(key=lambda leaf: int(leaf.code.partition(".")[2]))
        return [Line(leaf.title, leads=leaf.code) for leaf in sorted(own, key=_number)]
    seen = {leaf.section for leaf in LEAVES.values() if may_open(leaf, who)}
    return [Line(name, leads=letter) for letter, name in SECTIONS.items() if letter in seen]
