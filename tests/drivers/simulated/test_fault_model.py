"""The fault model names what every simulated device can really do: once, with a source, and with a test of it."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pytest

from drivers.simulated.cards.wedge import SimulatedWedge
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.escpos.printer import SimulatedPrinter
from drivers.simulated.fault_model.rows import How, Row
from drivers.simulated.fault_model.table import FAULT_MODEL
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.misbehaviour import Kind
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.note_path import Paper
from drivers.simulated.pins.pulse_acceptor import SimulatedPulseAcceptor
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from drivers.validator_protocols import validator_protocols
from drivers.wiring import PulseAcceptor, PulseChannel
from tests.rigs.known_protocols import simulated
from tests.rigs.paths import ROOT

TESTS = ROOT / "tests" / "drivers" / "simulated"
PULSES = PulseAcceptor(currency="EUR", channels={"a": PulseChannel(pin=12, values_cents={"2": 50})})


def ignore(_what: Paper) -> None:
    """Nobody watches."""


DEVICES = (
    *(simulated(protocol, ignore, ignore) for protocol in validator_protocols()),
    SimulatedRecycler(returned=ignore, stacked=ignore, note_out=ignore),
    SimulatedSmartHopper(),
    SimulatedCoinAcceptor(),
    SimulatedHopper(),
    SimulatedChanger(),
    SimulatedPulseAcceptor(PULSES, drive=lambda _pin, _level: None, accepted=ignore, returned=ignore),
)
"""Every device that has mishaps."""

OTHER_WORDS: Mapping[str, frozenset[str]] = {
    MdbBridge.kind: frozenset(MdbBridge([]).troubles()),
    SimulatedPrinter.kind: frozenset(SimulatedPrinter(dropped=lambda _piece: None).troubles()),
    SimulatedWedge.kind: frozenset(("half", "azerty")),
    "coin chutes": frozenset(("diverter_stuck",)),
    "serial line": frozenset((*Kind, "unplugged")),
}
"""What can be brought about of the others."""

ROWS = [(kind, row) for kind, rows in FAULT_MODEL.items() for row in rows]
EACH_ROW = pytest.mark.parametrize(("kind", "row"), ROWS, ids=[f"{kind}-{row.name}" for kind, row in ROWS])


@cache
def words_by_test(file: str) -> Mapping[str, frozenset[str]]:
    """The tests of a file, and the words of each: of its strings but the docstring, its attributes and arguments."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {function.name: frozenset(words_of(function)) for function in functions}


def words_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The words of a test and of its parameters."""
    for part in (*function.decorator_list, *function.body[1:]):
        for node in ast.walk(part):
            match node:
                case ast.Constant(str(text)):
                    yield from text.split()
                case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                    yield name.lower()


@EACH_ROW
def test_a_row_is_whole(kind: str, row: Row) -> None:
    """A stable name, one sentence for the event, whole sentences for the money, and a source."""
    assert re.fullmatch(r"[a-z0-9_]+", row.name), kind
    for sentence in (row.event, row.money):
        assert sentence[0].isupper() or not sentence[0].isalpha()
        assert sentence.endswith((".", '."')), sentence
        assert "  " not in sentence
    assert row.source
    assert not row.source.endswith(".")


@EACH_ROW
def test_the_test_of_a_row_plays_it(kind: str, row: Row) -> None:
    """It is there, and it names the row, if the row is triggered by its name."""
    file, _colons, name = row.test.partition("::")
    words = words_by_test(file)[name]
    assert row.how is How.ALWAYS or row.name in words, kind


def test_a_word_of_a_docstring_plays_nothing() -> None:
    """The check itself: a row is played by a string, an attribute or an argument of the test."""
    played = '''
@pytest.mark.parametrize("name", ["jams"])
def test_it(name: str) -> None:
    """Whatever slips, it is told."""
    act("fault hopper runaway")
    assert hopper.stock(empty=True) is Kind.DROP
'''
    (function,) = ast.parse(played).body
    assert isinstance(function, ast.FunctionDef)
    words = set(words_of(function))
    assert words >= {"jams", "runaway", "empty", "drop"}
    assert "slips," not in words


@pytest.mark.parametrize("kind", FAULT_MODEL)
def test_a_name_stands_once(kind: str) -> None:
    """No two rows of a device have one name."""
    names = [row.name for row in FAULT_MODEL[kind]]
    assert sorted(names) == sorted(set(names))


def test_every_device_is_in_the_model_and_nothing_else() -> None:
    """The kinds of the devices and of what lies between them."""
    assert set(FAULT_MODEL) == {device.kind for device in DEVICES} | set(OTHER_WORDS)


@pytest.mark.parametrize("device", DEVICES, ids=[device.kind for device in DEVICES])
def test_the_rows_are_the_words_of_the_device(device: object) -> None:
    """What a row names can be brought about, and what can be brought about has a row; by chance, too, if it befalls."""
    kind, troubles, mishaps = parts(device)
    rows = FAULT_MODEL[kind]
    assert {row.name for row in rows if row.how is not How.ALWAYS} == set(troubles)
    drawn = {row.name for row in rows if row.how is How.NEXT}
    assert mishaps.names == drawn
    for name in mishaps.names:
        mishaps.rate(name, 0.0)
        troubles[name](0)


@pytest.mark.parametrize("kind", OTHER_WORDS)
def test_the_rows_of_what_has_no_mishaps(kind: str) -> None:
    """The words of `fault` for it."""
    assert {row.name for row in FAULT_MODEL[kind] if row.how is not How.ALWAYS} == OTHER_WORDS[kind]


def parts(device: object) -> tuple[str, Mapping[str, Callable[[int], None]], Mishaps]:
    """A device's kind, what can be brought about, and its mishaps."""
    kind, mishaps = getattr(device, "kind", ""), getattr(device, "mishaps", None)
    troubles = getattr(device, "troubles", None)
    assert isinstance(mishaps, Mishaps)
    assert troubles is not None
    return kind, troubles(), mishaps
