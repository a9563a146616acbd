"""A host's end of a ccTalk line, in bytes, and the specification's worked dialogues to say on it."""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from drivers.simulated.line import LineDevice
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.vectors import vectors


class Host:
    """Says bytes to `device` and hears what comes back, when it comes; `device` is switched on with `open`."""

    def __init__(self, device: LineDevice) -> None:
        self.device = device
        self.line = MemoryLine(device)
        self.port = self.line.port

    async def open(self) -> "Host":
        """Switch on and listen."""
        self.device.power(on=True)
        await self.port.open()
        return self

    async def ask(self, frame: str, *, wait_s: float = 0.06) -> str:
        """Return what is heard within `wait_s` of saying `frame`, empty for silence; both in hex."""
        await self.port.write(bytes.fromhex(frame))
        await asyncio.sleep(wait_s)
        return (await self.port.read(0)).hex(" ").upper()

    async def listen(self, frame: str, seconds: float) -> list[tuple[int, str]]:
        """Say `frame` and return each thing heard within `seconds`, with the milliseconds after which it came."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        await self.port.write(bytes.fromhex(frame))
        heard = []
        while (left := began + seconds - loop.time()) > 0:
            data = await self.port.read(left)
            if data:
                heard.append((round(1000 * (loop.time() - began)), data.hex(" ").upper()))
        return heard


class Line(NamedTuple):
    """A question of a dialogue and the answer printed for it, empty where none is."""

    question: str
    answer: str


def dialogue(part: str, *pages: int) -> list[Line]:
    """Return the worked dialogue of those pages of the specification."""
    rows = [row for row in vectors("cctalk_spec_v47.tsv") if row[0] == part and int(row[1]) in pages]
    lines: list[Line] = []
    for row in rows:
        if row[2] == "TX":
            lines.append(Line(row[3], ""))
        else:
            lines[-1] = Line(lines[-1].question, row[3])
    return lines


async def hold(host: Host, lines: list[Line], before: Mapping[int, Callable[[], None]], pause_s: float = 0.2) -> None:
    """Say the questions of a dialogue and assert its answers; `before` is what a hand does, by number of the answer.

    A hand's act is given 1.8 seconds to have its effect, under polls of address 0.
    """
    for number, line in enumerate(lines):
        if number in before:
            before[number]()
            for _ in range(9):
                await host.ask("00 00 01 FE 01", wait_s=pause_s)
        heard = await host.ask(line.question)
        assert not line.answer or heard == line.answer, f"answer {number} to {line.question}"
