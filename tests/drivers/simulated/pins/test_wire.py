import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.gpio import open_header
from drivers.pins.header import PinHeader
from drivers.simulated.pins.factory import WireFactory
from drivers.simulated.pins.panel import Panel, StepCounter
from drivers.simulated.pins.wire import Levels, PinWire, decode_levels, encode_levels
from drivers.wiring import Button, Door, Input, Meter, Output, Pins
from tests.rigs.patience import PATIENCE_S

PINS = Pins(
    factory="simulated",
    buttons={"spin": Button(pin=5, lamp=17), "collect": Button(pin=2, lamp=3)},
    doors={"main": Door(pin=6)},
    keys={"attendant": Input(pin=13, active=0)},
    tower={"top": Output(pin=27)},
    meters={"coin_in": Meter(pin=22)},
)


class Devices:
    """The devices' end: a panel on a wire, and a way to wait for what it shows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._changed = asyncio.Event()
        self.panel = Panel(PINS, drive=self.drive, on_change=self._changed.set)
        self.wire = self.new_wire()

    def new_wire(self) -> PinWire:
        """A wire with the contacts in their positions."""
        return PinWire(self.path, self.panel.inputs(), self.panel.output, LoopClock())

    def drive(self, pin: int, level: bool) -> None:  # noqa: FBT001 - Panel's callback
        """Put a contact's level on the wire."""
        self.wire.drive(pin, level=level)

    async def until(self, shown: Callable[[], bool]) -> None:
        """Wait until the panel shows that."""
        async with asyncio.timeout(10):
            while not shown():
                self._changed.clear()
                await self._changed.wait()


class Edges:
    """An input of the supervisor, and a way to wait for its edges."""

    def __init__(self, header: PinHeader, pin: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bool] = asyncio.Queue()
        self.pin = header.input(pin, "contact", self._edge)

    def _edge(self, level: bool) -> None:  # noqa: FBT001 - InputPin's callback
        self._loop.call_soon_threadsafe(self._queue.put_nowait, level)

    async def next(self) -> bool:
        """The level of the next edge."""
        async with asyncio.timeout(10):
            return await self._queue.get()


@asynccontextmanager
async def devices() -> AsyncIterator[Devices]:
    """The devices' end on a real socket in a directory of its own."""
    with TemporaryDirectory(prefix="wire") as directory:
        served = Devices(Path(directory) / "pins.sock")
        served.wire.open()
        try:
            yield served
        finally:
            served.wire.close()


@asynccontextmanager
async def supervisor(path: Path) -> AsyncIterator[PinHeader]:
    """The supervisor's end; its start waits for the devices, so it happens beside the loop."""
    header = await asyncio.to_thread(open_header, "simulated", path)
    try:
        yield header
    finally:
        await asyncio.to_thread(header.close)


def test_outputs_reach_the_panel() -> None:
    """An output that is set lights its lamp, and closing the pin puts it out, also where the pull-up is fixed."""

    async def main() -> None:
        async with devices() as there, supervisor(there.path) as header:
            spin, collect = header.output(17, "lamp spin"), header.output(3, "lamp collect")
            spin.set(on=True)
            await there.until(lambda: there.panel.lamps == {"spin": True, "collect": False})
            collect.set(on=True)
            await there.until(lambda: there.panel.lamps == {"spin": True, "collect": True})
            spin.close()
            await there.until(lambda: there.panel.lamps == {"spin": False, "collect": True})
            collect.close()
            await there.until(lambda: there.panel.lamps == {"spin": False, "collect": False})

    asyncio.run(main())


def test_claiming_an_output_gives_no_spike() -> None:
    """A pulled-up pin that becomes an output is low from the first moment: a spike would step a meter."""

    async def main() -> None:
        seen: list[tuple[int, bool]] = []
        with TemporaryDirectory(prefix="wire") as directory:
            path = Path(directory) / "pins.sock"
            changed = asyncio.Event()

            def output(pin: int, level: bool, _at: float) -> None:  # noqa: FBT001 - PinWire's callback
                seen.append((pin, level))
                changed.set()

            wire = PinWire(path, {}, output, LoopClock())
            wire.open()
            async with supervisor(path) as header:
                outputs = [header.output(pin, "coil") for pin in (2, 3, 22, 27)]
                outputs[-1].set(on=True)
                async with asyncio.timeout(10):
                    await changed.wait()
            wire.close()
        assert seen[0] == (27, True)

    asyncio.run(main())


def test_contacts_drive_the_pins() -> None:
    """The first levels are known when a pin is claimed, whatever its pull-up says, and each move is an edge."""

    async def main() -> None:
        async with devices() as there:
            there.panel.press("collect", down=True)
            async with supervisor(there.path) as header:
                collect, door = Edges(header, 2), Edges(header, 6)
                assert (collect.pin.level, door.pin.level) == (False, False)
                there.panel.press("collect", down=False)
                assert await collect.next() is True
                there.panel.swing("main", is_open=True)
                assert await door.next() is True
                there.panel.swing("main", is_open=False)
                assert await door.next() is False

    asyncio.run(main())


def test_levels_are_sent_again_when_the_devices_come_back() -> None:
    """After the devices' process was away, inputs have their present levels and outputs light up again."""

    async def main() -> None:
        async with devices() as there, supervisor(there.path) as header:
            lamp = header.output(17, "lamp spin")
            lamp.set(on=True)
            key = Edges(header, 13)
            await there.until(lambda: there.panel.lamps["spin"])
            there.wire.close()
            assert not there.panel.lamps["spin"]
            there.panel.turn("attendant", on=True)
            there.wire = there.new_wire()
            there.wire.open()
            assert await key.next() is False
            await there.until(lambda: there.panel.lamps["spin"])

    asyncio.run(main())


def test_mains_off_kills_both_directions() -> None:
    """Without mains all outputs are low and contacts do nothing; with it everything has its present level."""

    async def main() -> None:
        async with devices() as there, supervisor(there.path) as header:
            lamp = header.output(17, "lamp spin")
            lamp.set(on=True)
            button = Edges(header, 5)
            await there.until(lambda: there.panel.lamps["spin"])
            there.wire.power(on=False)
            assert not there.panel.lamps["spin"]
            there.panel.press("spin", down=True)
            there.panel.press("spin", down=False)
            there.panel.press("spin", down=True)
            there.wire.power(on=True)
            assert await button.next() is False
            await there.until(lambda: there.panel.lamps["spin"])

    asyncio.run(main())


def test_no_devices_is_an_error_that_says_what_to_start() -> None:
    """A supervisor without devices, or with devices without mains, does not start on dead pins."""

    async def main() -> None:
        async with devices() as there:
            there.wire.power(on=False)
            with pytest.raises(PortError, match=r"pins.sock: no simulated devices.*start"):
                await asyncio.to_thread(WireFactory, there.path, patience_s=0.2)
            with pytest.raises(PortError, match="no simulated devices"):
                await asyncio.to_thread(WireFactory, there.path.with_name("nowhere.sock"), patience_s=0.1)

    asyncio.run(main())


def test_a_second_supervisor_finds_the_pins_taken() -> None:
    """Two supervisors never drive the same pins; the first goes on undisturbed."""

    async def main() -> None:
        async with devices() as there, supervisor(there.path) as header:
            with pytest.raises(PortError):
                await asyncio.to_thread(WireFactory, there.path, patience_s=0.2)
            lamp = header.output(17, "lamp spin")
            lamp.set(on=True)
            await there.until(lambda: there.panel.lamps["spin"])

    asyncio.run(main())


def test_devices_that_do_not_read_block_nobody_and_miss_nothing() -> None:
    """The supervisor never waits for stalled devices; when they read again, every change comes, in order."""
    changes = 5000
    with TemporaryDirectory(prefix="wire") as directory:
        path = Path(directory) / "pins.sock"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen()
            with ThreadPoolExecutor(1) as starting:
                started = starting.submit(open_header, "simulated", path)
                stalled, _address = listener.accept()
                stalled.send(encode_levels(Levels(0.0, {})))
                header = started.result()
            lamp = header.output(17, "lamp spin")
            for turn in range(changes):
                lamp.set(on=turn % 2 == 0)
            stalled.settimeout(PATIENCE_S)
            seen: list[bool] = []
            while len(seen) < changes:
                seen.extend(decode_levels(stalled.recv(65536)).levels.values())
            assert seen == [turn % 2 == 0 for turn in range(changes)]
            stalled.close()
            header.close()


VICTIM = """
import sys, time
from pathlib import Path
from drivers.gpio import open_header
header = open_header("simulated", Path(sys.argv[1]))
lamp, coil = header.output(17, "lamp"), header.output(22, "coil")
lamp.set(on=True)
coil.set(on=True)
time.sleep(60)
"""


@pytest.mark.processes
def test_outputs_go_off_when_the_supervisor_is_killed() -> None:
    """SIGKILL of the supervisor leaves no lamp lit and no coil under current."""

    async def main() -> None:
        async with devices() as there:
            victim = subprocess.Popen([sys.executable, "-c", VICTIM, str(there.path)])  # noqa: ASYNC220 - starting does not wait
            try:
                await there.until(lambda: there.panel.lamps["spin"])
            finally:
                os.kill(victim.pid, signal.SIGKILL)
                victim.wait()
            await there.until(lambda: not there.panel.lamps["spin"])

    asyncio.run(main())


@pytest.mark.parametrize(
    ("pulses", "figure"),
    [
        ([(0.0, 0.050), (0.1, 0.150)], 2),
        ([(0.0, 0.029), (0.1, 0.131)], 1),
        ([(0.0, 0.050), (0.065, 0.115)], 1),
        ([(0.0, 30.0)], 1),
    ],
    ids=["two good ones", "one too short", "gap too short", "held"],
)
def test_counter_steps_like_an_electromechanical_one(pulses: list[tuple[float, float]], figure: int) -> None:
    """A pulse counts when its armature had fallen back and was pulled in for long enough; never twice."""
    counter = StepCounter(41)
    for began, ended in pulses:
        counter.energise(began)
        counter.release(ended)
    assert counter.figure == 41 + figure


async def test_panel_counts_pulses_and_shows_what_is_lit() -> None:
    """Lamps, tiers and meters follow their own pins, by the times at which these moved."""
    panel = Panel(PINS, drive=lambda _pin, _level: None, on_change=lambda: None, figures={"coin_in": 7})
    for at in (1.0, 1.1, 1.2):
        panel.output(22, True, at)  # noqa: FBT003 - PinWire's callback
        panel.output(22, False, at + 0.05)  # noqa: FBT003 - as above
    panel.output(27, True, 2.0)  # noqa: FBT003 - as above
    assert panel.meters == {"coin_in": 10}
    assert panel.tower == {"top": True}
    assert panel.lamps == {"spin": False, "collect": False}
