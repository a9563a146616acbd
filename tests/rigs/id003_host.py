"""A host's end of an ID-003 line, frame by frame; frames are given and returned as hexadecimal."""

import asyncio

from drivers.simulated.id003.bill_validator import Habits, SimulatedBillValidator
from drivers.simulated.id003.frames import encode
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Misbehaviour
from drivers.simulated.note_path import Paper

FUNCTION, TAKE_ALL, ENABLE = "C6 01 12", "C7 FC", "C3 00"
ACK = "50"


class Id003Host:
    """A validator with power, and what its hand and its cash box got."""

    def __init__(self, habits: Habits | None = None, misbehaviour: Misbehaviour | None = None) -> None:
        self.returned: list[Paper] = []
        self.stacked: list[Paper] = []
        self.device = SimulatedBillValidator(returned=self.returned.append, stacked=self.stacked.append, habits=habits)
        self.line = MemoryLine(self.device, misbehaviour)
        self.heard: list[str] = []

    async def open(self, *settings: str) -> "Id003Host":
        """Switch on, reset, set `settings`, enable, and wait until it is idle."""
        self.device.power(on=True)
        await self.line.port.open()
        await self.reset(*settings)
        return self

    async def reset(self, *settings: str) -> None:
        """Reset, set `settings`, enable, and wait until it is idle."""
        assert await self.ask("40") == ACK
        for setting in (*settings, ENABLE):
            assert await self.ask(setting) == setting
        await self.until("11")

    async def send(self, raw: bytes) -> bytes:
        """Put bytes on the line; return what comes back."""
        await self.line.port.write(raw)
        await asyncio.sleep(0.05)
        return await self.line.port.read(0)

    async def ask(self, command: str) -> str:
        """Send a command with its data; return the code and the data of the answer, empty for none."""
        code, *data = bytes.fromhex(command)
        heard = await self.send(encode(code, bytes(data)))
        if heard:
            assert heard == encode(heard[2], heard[3:-2])
            self.heard.append(heard.hex(" ").upper())
        return heard[2:-2].hex(" ").upper()

    async def until(self, status: str) -> str:
        """Poll until the status begins so, and return it."""
        for _ in range(100):
            heard = await self.ask("11")
            if heard.startswith(status):
                return heard
        raise AssertionError(f"{status} never came")

    async def put_in(self, paper: Paper) -> str:
        """Push something in and poll; return the escrow or the rejection."""
        if isinstance(paper, str):
            self.device.insert_ticket(paper)
        else:
            self.device.insert(paper)
        for _ in range(20):
            heard = await self.ask("11")
            if heard[:2] in {"13", "17"}:
                return heard
        raise AssertionError("neither taken nor rejected")
