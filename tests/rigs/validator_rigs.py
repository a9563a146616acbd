"""Rigs of bill validators, by language."""

from collections.abc import Callable, Iterable
from functools import partial
from types import ModuleType
from typing import Any

import pytest

from drivers.simulated.cctalk.bill_validator import BillHabits, SimulatedCctalkBills
from drivers.simulated.ebds.bill_validator import EbdsHabits, SimulatedEbdsValidator
from drivers.simulated.id003.bill_validator import Habits, SimulatedBillValidator
from drivers.simulated.line import Line
from drivers.simulated.mdb import bill_validator as mdb_bills
from drivers.simulated.mdb.bill_validator import SimulatedMdbBills
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from tests.rigs.bill_rig import DeviceRig
from tests.rigs.known_protocols import known, on_own_lines, simulated

MakeRig = Callable[[Misbehaviour | None], DeviceRig[Any]]


def fitted(protocol: str) -> MakeRig:
    """The surroundings of a protocol's validator as a cabinet has it that names the protocol alone."""
    return lambda misbehaviour: DeviceRig(protocol, partial(simulated, protocol), misbehaviour)


def known_of(name: str) -> ModuleType:
    """Return what is known of the protocol of one of `LANGUAGES`."""
    return known(name.partition("-")[0].replace("essp", "ssp"))


def id003(habits: Habits) -> MakeRig:
    """The surroundings of an ID-003 validator."""
    return lambda misbehaviour: DeviceRig(
        "id003",
        lambda returned, stacked: SimulatedBillValidator(returned=returned, stacked=stacked, habits=habits),
        misbehaviour,
    )


def ssp(habits: SspHabits) -> MakeRig:
    """The surroundings of an SSP validator."""
    return lambda misbehaviour: DeviceRig(
        "ssp",
        lambda returned, stacked: SimulatedSspValidator(returned=returned, stacked=stacked, habits=habits),
        misbehaviour,
    )


def cctalk(habits: BillHabits, *, echo: bool = False) -> MakeRig:
    """The surroundings of a ccTalk validator, on a line that returns what is sent (as the wire does) or not."""
    return lambda misbehaviour: DeviceRig(
        "cctalk",
        lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked, habits=habits, echo=echo),
        misbehaviour,
    )


def ebds(habits: EbdsHabits) -> MakeRig:
    """The surroundings of an EBDS validator."""
    return lambda misbehaviour: DeviceRig(
        "ebds",
        lambda returned, stacked: SimulatedEbdsValidator(returned=returned, stacked=stacked, habits=habits),
        misbehaviour,
    )


class BridgedBills(SimulatedMdbBills):
    """A simulated validator and its simulated bridge, as one device on a line."""

    def __init__(
        self, returned: Callable[[Paper], None], stacked: Callable[[Paper], None], habits: mdb_bills.BillHabits
    ) -> None:
        super().__init__(returned=returned, stacked=stacked, habits=habits)
        self.bridge = MdbBridge([self], feeds=False)

    def connect(self, line: Line) -> None:
        """The bridge is on the line."""
        self.bridge.connect(line)

    def receive(self, data: bytes) -> None:
        """The bridge hears it."""
        self.bridge.receive(data)

    def power(self, *, on: bool) -> None:
        """The mains of both."""
        self.bridge.power(on=on)
        super().power(on=on)


def mdb(habits: mdb_bills.BillHabits) -> MakeRig:
    """The surroundings of an MDB validator behind a bridge."""
    return lambda misbehaviour: DeviceRig(
        "mdb", lambda returned, stacked: BridgedBills(returned, stacked, habits), misbehaviour
    )


OWN: dict[str, MakeRig] = {
    "ssp": ssp(SspHabits()),
    "ssp-acknowledges": ssp(SspHabits(acknowledges=True)),
    "essp": ssp(SspHabits(encrypts=True, acknowledges=True)),
    "cctalk": cctalk(BillHabits(), echo=True),
    "ebds": ebds(EbdsHabits()),
}
"""Protocols whose devices are drilled with habits that `fitted` does not give them, or with several."""

LANGUAGES: dict[str, MakeRig] = {name: fitted(name) for name in on_own_lines() if name not in OWN} | OWN
"""Each protocol of bill validators but MDB, found by its folder."""

DEVICES = {name: make for name, make in LANGUAGES.items() if name != "id003"}
"""Without ID-003, which has tests of its own for what these do (tests/drivers/test_bill_validator.py)."""


def drilled(names: Iterable[str], proved: str | tuple[str, ...] = ("ebds", "essp")) -> list[Any]:
    """Return `names` as parameters; those that begin with `proved` are left to `make proofs`.

    EBDS has drills on scripted answers (tests/drivers/ebds) among the checks, and eSSP is SSP behind a cipher.
    """
    return [pytest.param(name, marks=pytest.mark.proof if name.startswith(proved) else ()) for name in names]


def slices(phases: int) -> list[Any]:
    """Return `phases` as parameters, each of which takes every so many-th moment of a drill; all but one are proofs."""
    return [pytest.param(phase, marks=pytest.mark.proof if phase else ()) for phase in range(phases)]


EACH = pytest.mark.parametrize("make", LANGUAGES.values(), ids=LANGUAGES)
WITHOUT_REASONS = {name for name in LANGUAGES if not known_of(name).GIVES_REASONS}
EACH_WITH_REASONS = pytest.mark.parametrize(
    "make",
    [make for name, make in LANGUAGES.items() if name not in WITHOUT_REASONS],
    ids=[name for name in LANGUAGES if name not in WITHOUT_REASONS],
)
EACH_WITHOUT = pytest.mark.parametrize("make", [LANGUAGES[name] for name in WITHOUT_REASONS], ids=list(WITHOUT_REASONS))
