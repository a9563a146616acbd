"""No repr reaches a screen, a log line of a fault or an export: texts are for people."""

import ast
import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from common.error_words import error_reason, error_words
from controller.faults import PLACES, in_words, known_faults
from controller.files.own_files import NotOursError
from controller.journal.event_catalogue import EventKind, every_event
from controller.journal.event_words import in_english
from controller.machine.view import view_of
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.paths import ROOT
from tests.rigs.virtual_cabinet import VirtualCabinet
from tests.rigs.written_objects import Classes, written_in

pytestmark = pytest.mark.requirement("D10")

REPR = re.compile(
    r"<[A-Z_]\w*(?: [^<>]*)?>|<[\w.]+ object|\b\w*(?:Error|Exception)\(|\bb['\"]|\\x[0-9a-f]|\\u[0-9a-f]|\[Errno \d"
)
"""An object between angle brackets, an exception's call, bytes, escapes, an operating system's error by its number."""
CONSOLES = (
    "controller/commands",
    "controller/features/demo",
    "controller/features/designer",
    "controller/configuration",
    "controller/features/console/client.py",
)
CONSOLES += ("gamekit/designer", "gamekit/kernels", "gamekit/maths.py", "gamekit/simulate.py", "gamekit/tuning")
CONSOLES += ("venue/setting_up.py", "venue/errors.py", "venue/page/config.py", "venue/page/management", "venue/demo")
CONSOLES += ("ui/bake.py", "ui/baking", "ui/contrast.py")
"""What a builder's or a developer's console alone shows, where a value of a file is quoted as Python writes it."""


def test_what_a_repr_is() -> None:
    """Objects, exceptions, bytes and escapes are found; sentences, paths and quotation marks are none."""
    reprs = (
        "<Bus /dev/ttyUSB0 echo=False>: device 2 is a Payout",
        "not answered: RefusedError('no')",
        "the bridge said b'm,NACK'",
        "it names itself \\x00\\x01",
        str(OSError(5, "Input/output error")),
        repr(MemoryLine(SimulatedHopper())),
    )
    assert [text for text in reprs if not REPR.search(text)] == []
    assert not REPR.search("/dev/ttyUSB0: device 2 is a 'Payout', not a 'Coin Acceptor': 3 < 4 (asked: 2, 11), a > b")


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield each module whose texts reach a cabinet's screen, log or export."""
    for folder in ("common", "controller", "drivers", "gamekit", "games", "ui", "venue"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if "simulated" not in path.parts and not name.startswith(CONSOLES) and not name.endswith("command.py"):
                yield name, ast.parse(path.read_text("utf-8"))


def test_no_text_is_made_of_a_repr() -> None:
    """Neither by `!r` and `repr`, nor by an object that has no words of its own."""
    trees = dict(modules())
    classes = Classes(trees)
    found = {f"{name}: {at.expression}" for name, tree in trees.items() for at in written_in(tree, classes)}
    assert found == ALLOWED


ALLOWED = {
    "controller/files/bounded.py: ascii(words)",
    "common/decoding.py: ascii(error_words(error))",
    "common/error_words.py: str(error)",
    "controller/journal/errors.py: str(error)",
    "venue/page/spread.py: stake",
}
"""What a terminal must not obey is escaped: names from foreign disks, and why a foreign packet cannot be read.

The words of an error without a system's reason are its own; the journal only looks for a text in one. A stake in the
seed of draws is read by nobody.
"""


def test_a_repr_in_a_text_is_found() -> None:
    """The watch itself: a parameter, an attribute, a `!r`, and what `__repr__` alone may do."""
    tree = ast.parse(
        "class Bus:\n"
        "    def __repr__(self): return f'<Bus {self!r}>'\n"
        "class Spoken(Bus):\n"
        "    def __str__(self): return 'spoken'\n"
        "class Driver:\n"
        "    def __init__(self, bus: Bus, spoken: 'Spoken | None'):\n"
        "        self._bus, self._spoken = None, spoken\n"
        "        self._bus = bus\n"
        "    def fails(self): raise ValueError(f'{self._bus}: {self._spoken}: {self}')\n"
        "def quoted(words: str): return f'{words!r} {words}' + repr(words)\n"
    )
    found = [at.expression for at in written_in(tree, Classes({"here": tree}))]
    assert sorted(found) == ["repr(words)", "self", "self._bus", "words"]


def test_an_error_without_words_in_a_text_is_found() -> None:
    """The system's errors and what may be one, however they are written; not one of ours, which has words."""
    tree = ast.parse(
        "class OursError(OSError): pass\n"
        "NONSENSE = (ValueError, LookupError)\n"
        "def read():\n"
        "    try: pass\n"
        "    except (OursError, *NONSENSE) as foul: return str(foul)\n"
        "def tried(why: OSError):\n"
        "    try: pass\n"
        "    except (ValueError, PermissionError) as error: raise OursError(f'no: {error}')\n"
        "    except KeyError as missing: return str(missing)\n"
        "    except Exception as any: log.warning('no: %s', any)\n"
        "    except OursError as ours: return f'{ours}' + str(ours)\n"
        "    except ValueError as plain: return f'{plain}'\n"
        "    return f'{why}'\n"
        "def failed(why: Exception):\n"
        "    log.error('no: %s', why)\n"
        "    return str(why)\n"
    )
    found = [at.expression for at in written_in(tree, Classes({"here": tree}))]
    assert sorted(found) == [
        *(
            "log.error('no: %s', why)",
            "log.warning('no: %s', any)",
            "str(foul)",
            "str(missing)",
            "str(why)",
            "why",
            "{error}",
        )
    ]


def test_an_error_is_said_in_words() -> None:
    """With its file or without, whether the system, a table or the pins' library says it."""
    error = FileNotFoundError(2, "No such file or directory", "/a/b")
    assert error_words(error) == "/a/b: No such file or directory"
    assert error_reason(error) == "No such file or directory"
    assert error_words(OSError(18, "Invalid cross-device link", "/a", None, "/b")) == (
        "/a: to /b: Invalid cross-device link"
    )
    assert error_words(OSError("the pin burnt out")) == "the pin burnt out"
    assert error_words(NotOursError(17, "is no journal", "/a")) == "/a: is no journal"
    assert error_words(KeyError("port")) == "port is missing"
    assert error_words(LgpioError("GPIO busy")) == "GPIO busy"
    assert error_words(TimeoutError()) == "TimeoutError"


class LgpioError(Exception):
    """As lgpio's own error, whose text is the repr of what happened."""

    def __init__(self, value: str) -> None:
        self.value = value

    def __str__(self) -> str:
        return repr(self.value)


async def test_a_folder_where_times_of_money_are_kept_is_said_in_words(tmp_path: Path) -> None:
    """The fault, its event and the screen name the file and what is wrong with it."""
    cabinet = VirtualCabinet(tmp_path)
    supervisor = await cabinet.start()
    try:
        await asyncio.sleep(20.0)
        kept = list(tmp_path.rglob("*.window"))  # noqa: ASYNC240 - time is virtual
        assert kept
        for file in kept:
            file.unlink()
            file.mkdir()
        await asyncio.sleep(60.0)
        rows = await supervisor.journal.do(
            lambda tx: [str(data) for (data,) in tx.execute("SELECT data FROM ledger WHERE kind = 'event'")]
        )
        said = [row for row in rows if "the times of money cannot be kept" in row]
        assert said
        assert not [row for row in rows if "Errno" in row]
        assert not [notice.text for notice in view_of(supervisor.machine.parts).notices if REPR.search(notice.text)]
    finally:
        await cabinet.kill()


@pytest.mark.parametrize("code", sorted(known_faults()))
def test_a_fault_has_no_repr(code: str) -> None:
    """Whatever its place."""
    assert not any(REPR.search(in_words(code, place)) for place in PLACES)


@pytest.mark.parametrize("event", [*every_event()])
def test_an_event_has_no_repr(event: EventKind) -> None:
    """Its template, with any figures."""
    figures = {name: 1 if name.endswith("_cents") else "word" for name in event.fields - {"place"}}
    assert not REPR.search(in_english(event, figures, "hopper"))


def swapped(cabinet: VirtualCabinet) -> None:
    """Plug each device into the next one's port."""
    names = list(cabinet.lines)
    devices = [cabinet.lines[name] for name in names]
    for name, line in zip(names, [*devices[1:], devices[0]], strict=True):
        line.port.path = name
        cabinet.lines[name] = line


def pulled(cabinet: VirtualCabinet) -> None:
    """Pull every line."""
    for line in cabinet.lines.values():
        line.unplug()


def unpowered(cabinet: VirtualCabinet) -> None:
    """Switch every device off; their lines stay."""
    cabinet.mains(on=False)
    cabinet.powered = True


def noisy(cabinet: VirtualCabinet) -> None:
    """Have every line carry noise for a while."""
    for number, line in enumerate(cabinet.lines.values()):
        line.send(bytes((7 * number + 13 * place) % 256 for place in range(400)))


@pytest.mark.parametrize("trouble", [swapped, pulled, unpowered, noisy])
@pytest.mark.parametrize("protocol", ["id003", "ssp", "ebds", "cctalk"])
async def test_devices_and_their_troubles_are_written_in_words(
    tmp_path: Path, protocol: str, trouble: Callable[[VirtualCabinet], None]
) -> None:
    """Who answers, and what is wrong: in the books, whose exports have the same texts, and on the screen."""
    cabinet = VirtualCabinet(tmp_path, protocol=protocol)
    supervisor = await cabinet.start()
    try:
        await asyncio.sleep(20.0)
        await cabinet.kill()
        trouble(cabinet)
        supervisor = await cabinet.start()
        await asyncio.sleep(60.0)
        rows = await supervisor.journal.do(
            lambda tx: [str(data) for (data,) in tx.execute("SELECT data FROM ledger WHERE kind = 'event'")]
        )
        said = {text for row in rows for text in json.loads(row).values() if isinstance(text, str)}
        said |= {notice.text for notice in view_of(supervisor.machine.parts).notices}
    finally:
        await cabinet.kill()
    assert any("serial number" in text for text in said)
    assert {text for text in said if REPR.search(text)} == set()
