"""The catalogue of faults is whole: every code that can be raised is in it, and the list in the cabinet is its copy."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.faults import (
    LONGEST_PATH,
    PLACES,
    SERVES,
    Clears,
    Stops,
    explain,
    in_words,
    known_faults,
    place_in_words,
    sas_exception,
    stopped_by,
)
from controller.hardware.driver_tasks import fault_code
from controller.monitors import storage
from drivers import errors, note_alarms
from drivers.cctalk import bill_events, coin_codes, hopper, hopper_status
from drivers.escpos import faults as printer_faults
from drivers.mdb import changer, coin_changer
from drivers.ssp import dispenser as ssp_dispenser
from drivers.validator_protocols import validator_protocols
from drivers.wiring import DOORS
from tests.rigs.paths import ROOT

RAISES = ("device_fault", "raise_fault", "record_fault")
"""What raises a fault: the code is the second argument."""

LINK = [fault_code(kind()) for kind in (errors.DriverError, *errors.DriverError.__subclasses__(), errors.CurrencyError)]
SELF_CHECKS = [bill_events.checked_fault(said, ()) for said in range(256)]
BILL_EVENTS = [code for code, _words in bill_events.FAULTS.values()]
FLAGS = [flag.code for flag in hopper_status.Flag]

HANDED_ON: Mapping[str, Iterable[str | None]] = {
    "controller/hardware/driver_tasks.py": LINK,
    "controller/play/cashing_out.py": LINK,
    "controller/hardware/hopper_books.py": [
        *FLAGS,
        "dispense_refused",
        "hopper_jam",
        "hopper_memory",
        "hopper_runaway",
        "hopper_security",
    ],
    "controller/hardware/logic_door.py": (),
    "controller/hardware/money_listener.py": (),
    "controller/journal/faults.py": (),
    "controller/monitors/storage.py": [*storage.ROOM_FAULTS, "storage_slow", "copy_lost"],
    "controller/features/update/trust.py": (),
    "drivers/bill_diagnostic.py": (),
    "drivers/bill_validator.py": ("wrong_device", "wrong_currency"),
    "drivers/cctalk/bill_session.py": [*BILL_EVENTS, *SELF_CHECKS],
    "drivers/cctalk/coin_acceptor.py": [*(error.fault for error in coin_codes.ERRORS.values()), "coin_unknown"],
    "drivers/cctalk/hopper.py": [*FLAGS, *hopper.WATCHED, *hopper.LEVEL_FAULTS],
    "drivers/validator_faults.py": (),
    "drivers/escpos/faults.py": printer_faults.FAULTS,
    "drivers/mdb/coin_changer.py": [code for code, _words in coin_changer.FAULTS.values()],
    "drivers/mdb/tubes.py": [code for code, _words in changer.STATES.values()],
    "drivers/ssp/dispenser.py": [
        *ssp_dispenser.WATCHED,
        *ssp_dispenser.ENDED_WELL_CLEARS,
    ],
    "drivers/note_alarms.py": [note_alarms.YOYO, note_alarms.REJECTS],
}
"""What modules can raise whose codes are not written at the call; those that only hand on have none of their own."""


def of_sessions() -> Iterator[tuple[str, set[str]]]:
    """Yield the codes in the `FAULTS` of each validator's session, by its path."""
    for name, protocol in validator_protocols().items():
        module = f"drivers.{name}.{protocol.session.partition(':')[0]}"
        faults = getattr(import_module(module), "FAULTS", ())
        codes = faults.values() if isinstance(faults, Mapping) else faults
        if codes:
            yield f"{module.replace('.', '/')}.py", {code if isinstance(code, str) else code[0] for code in codes}


SESSIONS = dict(of_sessions())
"""They hand these on themselves, or to `drivers.validator_faults`."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield each module of ours that may raise a fault, by its path."""
    for folder in ("controller", "drivers"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "simulated" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def raised(name: str, tree: ast.Module) -> Iterator[str | None]:
    """Yield the code of each call that raises a fault: None where it is neither a word nor a constant."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).split(".")[-1] not in RAISES:
            continue
        if any(keyword.arg == "present" and ast.unparse(keyword.value) == "False" for keyword in node.keywords):
            continue
        code = node.args[1]
        if isinstance(code, ast.Constant):
            yield str(code.value)
        elif isinstance(code, ast.Name) and code.id.isupper():
            module = import_module(name.removesuffix(".py").replace("/", "."))
            yield str(getattr(module, code.id))
        else:
            yield None


@pytest.mark.requirement("D10")
def test_every_code_that_can_be_raised_is_in_the_known_faults() -> None:
    """What has no entry would have no plain words, no class and no German; a new way to raise one shows here."""
    found: dict[str, set[str | None]] = {name: set(raised(name, tree)) for name, tree in modules()}
    assert {name for name, codes in found.items() if None in codes} - SESSIONS.keys() == HANDED_ON.keys()
    written = {code for codes in found.values() for code in codes}
    handed = {code for codes in (*HANDED_ON.values(), *SESSIONS.values()) for code in codes}
    assert (written | handed) - {None, ""} - known_faults().keys() == set()


def test_no_code_stands_in_the_catalogue_that_nothing_raises() -> None:
    """The list has only faults that can occur."""
    words = {
        node.value
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and name != "controller/faults.py"
    }
    constants = {code for name, tree in modules() for code in raised(name, tree)}
    assert known_faults().keys() - words - constants == set()


@pytest.mark.requirement("D10")
def test_the_list_inside_the_cabinet_is_the_known_faults() -> None:
    """`docs/faults.md` is what `cabinet faults` writes: write it anew after a change of the catalogue."""
    shown = CliRunner().invoke(main, ["faults"])
    assert shown.exit_code == 0
    assert (ROOT / "docs" / "faults.md").read_text("utf-8") == shown.output
    assert all(f"| `{code}` |" in shown.output for code in known_faults())


@pytest.mark.requirement("D10")
@pytest.mark.parametrize("code", sorted(known_faults()))
def test_a_fault_is_reported_in_plain_words_with_its_place(code: str) -> None:
    """No code, no underscore and no brace reaches the screen."""
    for place in PLACES:
        words = in_words(code, place)
        assert words[0].isupper()
        assert not set("_{}") & set(words)


def test_what_happens_once_is_not_waited_for() -> None:
    """Nothing clears by itself that no device will ever take back, and what lasts is never the next play's to clear."""
    for kind in known_faults().values():
        assert not (kind.momentary and kind.clears is Clears.ITSELF)


@pytest.mark.requirement("B7")
def test_a_device_fault_stops_what_the_device_serves() -> None:
    """Without its acceptor the cabinet takes no coins, without its hopper COLLECT is paid by hand."""
    for place, serves in SERVES.items():
        assert stopped_by([("no_reply", place)]) == serves
    assert stopped_by([("no_reply", "lamps")]) == Stops.NOTHING
    assert stopped_by([("no_reply", "coin_acceptor"), ("stacker_full", "bill_validator")]) == Stops.COINS | Stops.NOTES


def test_a_host_is_reported_by_the_exception_of_the_place() -> None:
    """Each door has an exception (acceptor and meters SAS's belly door); a code without one has none."""
    assert [sas_exception("door_open", door) for door in DOORS] == [0x11, 0x19, 0x15, 0x1D, 0x1D]
    assert [sas_exception("door_closed", door) for door in DOORS] == [0x12, 0x1A, 0x16, 0x1E, 0x1E]
    assert sas_exception("no_reply", "bill_validator") == 0x29
    assert sas_exception("no_reply", "lamps") is None
    assert sas_exception("hopper_empty", "hopper") == 0x23


def test_a_code_without_an_entry_is_one_for_the_attendant() -> None:
    """A driver from a later day is not silent: its fault shows, and a person clears it."""
    kind = explain("no such code")
    assert (kind.clears, kind.stops) == (Clears.ATTENDANT, Stops.NOTHING)


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/usr/lib/libz.so", "/usr/lib/libz.so"),
        (
            "/opt/cabinet/venv/lib/python3.13/site-packages/games/neptune/play_it.py",
            "\u2026/site-packages/games/neptune/play_it.py",
        ),
        (f"/opt/{'long' * 20}.py", f"\u2026{('long' * 20)[-40:]}.py"),
    ],
)
def test_of_a_path_its_end_is_reported(path: str, words: str) -> None:
    """The file is what the technician looks for; its name keeps its underscores, and no line is cut."""
    assert place_in_words(path) == words
    assert len(words) <= LONGEST_PATH
