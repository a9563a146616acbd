"""Rigs of bill validators, by language."""

from collections.abc import Callable
from typing import Any

import pytest

from drivers.simulated.cctalk.bill_validator import BillHabits, SimulatedCctalkBills
from drivers.simulated.id003.bill_validator import Habits, SimulatedBillValidator
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from tests.rigs.bill_rig import DeviceRig

MakeRig = Callable[[Misbehaviour | None], DeviceRig[Any]]


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


DEVICES = {
    "ssp": ssp(SspHabits()),
    "ssp-acknowledges": ssp(SspHabits(acknowledges=True)),
    "cctalk": cctalk(BillHabits(), echo=True),
}


LANGUAGES: dict[str, MakeRig] = {
    "id003": lambda misbehaviour: DeviceRig(
        "id003", lambda returned, stacked: SimulatedBillValidator(returned=returned, stacked=stacked), misbehaviour
    ),
    **DEVICES,
}


EACH = pytest.mark.parametrize("make", LANGUAGES.values(), ids=LANGUAGES)
