"""The table of mutants (`mutants.toml`): one-line faults in code that moves money, and the source that each makes."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent
from typing import Final

import msgspec

from tests.rigs.paths import ROOT
from tests.swarm.script import PAYERS, RECYCLER, VALIDATORS, Life

CABINETS: Final = (
    *((validator, payer) for validator in VALIDATORS if validator != RECYCLER for payer in PAYERS),
    (RECYCLER, RECYCLER),
)
PARTS: Final = frozenset({"bills", "coins", "payer"})
TABLE: Final = Path(__file__).with_name("mutants.toml")


class Mutant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lines `before` of a file, without their common indent, become `after`; `wrong` says what that does.

    Its short lives have these `troubles` alone (`drawn_near`).
    """

    name: str
    before: str
    after: str
    wrong: str
    troubles: tuple[str, ...] = ()


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    path: str
    mutants: tuple[Mutant, ...]
    validators: frozenset[str] = frozenset()
    payers: frozenset[str] = frozenset()
    parts: frozenset[str] = PARTS


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    files: tuple[_File, ...]


class Placed:
    """A mutant in its file; `cabinets` (validator and payer) have a device that the file drives, in one of `parts`.

    Raises `ValueError` if its lines are not found exactly once, or for a device or a part that the swarm has not.
    """

    def __init__(self, file: _File, mutant: Mutant) -> None:
        unknown = (file.validators - {*VALIDATORS}) | (file.payers - {*PAYERS, RECYCLER}) | (file.parts - PARTS)
        if unknown:
            raise ValueError(f"{file.path}: the swarm has no {', '.join(sorted(unknown))}")
        self.name = mutant.name
        self.wrong = mutant.wrong
        self.path = ROOT / file.path
        self.module = file.path.removesuffix(".py").replace("/", ".")
        self.cabinets = [
            (validator, payer)
            for validator, payer in CABINETS
            if validator in file.validators or payer in file.payers or not file.validators | file.payers
        ]
        self.parts = file.parts
        self.troubles = mutant.troubles
        self.source = changed(self.path.read_text("utf-8"), mutant)

    def __repr__(self) -> str:
        return f"<Placed {self.name} in {self.module}>"

    def concerns(self, life: Life) -> bool:
        """Return whether the life is of one of the cabinets, and all that befalls it is trouble for these parts."""
        befallen = {(act.words[0], act.words[1]) for act in life.acts if act.name == "befall"}
        near = all(part in self.parts and row in (self.troubles or {row}) for part, row in befallen)
        return near and (life.validator, life.payer) in self.cabinets


def mutants(table: Path = TABLE) -> Iterator[Placed]:
    """Return the table's mutants; raise `ValueError` for one that does not fit its file."""
    for file in msgspec.toml.decode(table.read_bytes(), type=_Table).files:
        for mutant in file.mutants:
            yield Placed(file, mutant)


def changed(source: str, mutant: Mutant) -> str:
    """Return the source with the mutant applied; raise `ValueError` if its lines are not found exactly once."""
    lines, wanted = source.splitlines(keepends=True), mutant.before.strip("\n") + "\n"
    size = wanted.count("\n")
    places = [at for at in range(len(lines)) if dedent("".join(lines[at : at + size])) == wanted]
    if len(places) != 1:
        raise ValueError(f"{mutant.name}: its lines are found {len(places)} times")
    (at,) = places
    depth = min(len(line) - len(line.lstrip()) for line in lines[at : at + size] if line.strip())
    put = indent(mutant.after.strip("\n") + "\n", " " * depth)
    return "".join((*lines[:at], put, *lines[at + size :]))
