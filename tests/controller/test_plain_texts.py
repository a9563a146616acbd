"""No repr reaches a screen, a log line of a fault or an export: texts are for people (requirements.md D10)."""

import ast
import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.faults import CATALOGUE, PLACES, in_words
from controller.journal.event_catalogue import Event
from controller.journal.event_words import in_english
from controller.machine.view import view_of
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory_line import MemoryLine
from drivers.wiring import BillProtocol
from tests.rigs.paths import ROOT
from tests.rigs.virtual_cabinet import VirtualCabinet
from tests.rigs.written_objects import Classes, written_in

REPR = re.compile(
    r"<[A-Z_]\w*(?: [^<>]*)?>|<[\w.]+ object|\b\w*(?:Error|Exception)\(|\bb['\"]|\\x[0-9a-f]|\\u[0-9a-f]|\[Errno \d"
)
"""An object between angle brackets, an exception's call, bytes, escapes, an operating system's error by its number."""
CONSOLES = ("controller/commands", "controller/demo", "controller/configuration", "controller/console/client.py")
CONSOLES += ("games/designer", "games/kernels", "games/maths.py", "games/simulate.py", "games/tuning")
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
    for folder in ("controller", "drivers", "games", "ui"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if "simulated" not in path.parts and not name.startswith(CONSOLES):
                yield name, ast.parse(path.read_text("utf-8"))


def test_no_text_is_made_of_a_repr() -> None:
    """Neither by `!r` and `repr`, nor by an object that has no words of its own."""
    trees = dict(modules())
    classes = Classes(trees)
    found = {f"{name}: {at.expression}" for name, tree in trees.items() for at in written_in(tree, classes)}
    assert found == ALLOWED


ALLOWED = {"controller/files/bounded.py: ascii(words)", "ui/messages.py: ascii(str(error))"}
"""What a terminal must not obey is escaped: names from foreign disks, and why a foreign packet cannot be read."""


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


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_fault_has_no_repr(code: str) -> None:
    """Whatever its place."""
    assert not any(REPR.search(in_words(code, place)) for place in PLACES)


@pytest.mark.parametrize("event", Event)
def test_an_event_has_no_repr(event: Event) -> None:
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
    tmp_path: Path, protocol: BillProtocol, trouble: Callable[[VirtualCabinet], None]
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
