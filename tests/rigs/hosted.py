"""A machine with a host port, on virtual time; `host` speaks for the host, frame by frame."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

import msgspec

from controller.configuration.tickets import Tickets
from controller.features.sas.configuration import ACTS, HostPort
from controller.features.sas.ports import HostPorts
from controller.journal.store import Store
from drivers.sas import frames, transfers
from drivers.sas.frames import Poll
from drivers.sas.numbers import from_bcd
from drivers.sas.transfers import IN_HOUSE_IN, NO_KEY, Amounts, TransferRequest
from tests.rigs.machine import PlainHopper, PlainPrinter, Rig
from tests.rigs.power_cuts import CutStore, Power, PowerCutError
from tests.rigs.sas_line import JoinedLine, MemoryLine
from tests.rigs.virtual_cabinet import configuration

ADDRESS = 1
GENERAL, ALL = bytes((frames.GENERAL | ADDRESS,)), bytes((frames.GENERAL,))
ASSET = 318
PORT = HostPort(port="memory", may=ACTS, asset=ASSET, transfer_limit_cents=50_000)
HOSTS_TICKETS = Tickets(pays="all", takes=True, least_cents=100, validated_by="host_port")
"""Tickets that the host at the port validates."""
ENDS = (PowerCutError, asyncio.CancelledError, type(None))
"""How a task may end whose machine's power was cut."""
FAULTS = (
    ("hopper_full", "hopper"),
    ("stacker_full", "bill_validator"),
    ("failure", "bill_validator"),
    ("coin_slug", "coin_acceptor"),
    ("hopper_motor", "hopper"),
    ("coin_unexpected", "coin_acceptor"),
    ("stacker_open", "bill_validator"),
)
"""Faults that do not stop play, each with an exception that no other has."""


class Host:
    """A host on a line in memory. Between two polls of its own it polls all, which acknowledges what was answered."""

    def __init__(self, line: MemoryLine) -> None:
        self.line = line
        self.wait_s = 0.1

    async def poll(self) -> int:
        """Return the exception that a general poll reports."""
        await self.line.ask(ALL)
        (code,) = await self.line.ask(GENERAL, self.wait_s)
        return code

    async def exceptions(self) -> list[int]:
        """Poll until nothing waits; return what was reported."""
        codes = []
        while code := await self.poll():
            codes.append(code)
        return codes

    async def ask(self, command: int, data: bytes = b"") -> bytes:
        """Send a long poll; return the data of its answer, whose CRC is right, or the bare bytes of a short one."""
        await self.line.ask(ALL)
        frame = await self.line.ask(Poll(ADDRESS, command, data).raw, self.wait_s)
        return frames.opened(frame)[frames.HEAD :] if len(frame) > frames.HEAD else frame

    async def poll_once(self, wait_s: float = 0.02) -> int:
        """Send a general poll that acknowledges nothing; return the exception, 0 for none and for silence."""
        return int.from_bytes(await self.line.ask(GENERAL, wait_s))

    async def ask_once(self, command: int, data: bytes = b"", wait_s: float = 0.02) -> bytes:
        """Send a long poll at once, which acknowledges what came before; return what comes within a host's patience."""
        return await self.line.ask(Poll(ADDRESS, command, data).raw, wait_s)

    async def number(self, command: int) -> int:
        """Return the meter that a poll reads."""
        return from_bcd(await self.ask(command))


class HostedRig(Rig):
    """A `Rig` with a host port."""

    def __init__(
        self,
        folder: Path,
        *,
        settings: HostPort = PORT,
        hopper: PlainHopper | None = None,
        printer: PlainPrinter | None = None,
        tickets: Tickets | None = None,
    ) -> None:
        config = msgspec.structs.replace(configuration(folder), host_port=settings, tickets=tickets or Tickets())
        super().__init__(folder, config=config, hopper=hopper, printer=printer)

    def line_of(self) -> MemoryLine:
        """Return the line to the host."""
        return MemoryLine()

    def fit(self) -> Sequence[Coroutine[object, object, None]]:
        """Fit the host ports on lines in memory."""
        self.line = self.line_of()
        self.sas = Host(self.line)
        self.ports = HostPorts(self.machine, self.machine.clock, lambda _settings: self.line, self.hopper)
        return (self.ports.run(), *(link.run() for link in self.ports.links))


class CutRig(HostedRig):
    """A machine whose power can be cut at any step of its journal."""

    def __init__(
        self, folder: Path, power: Power, *, printer: PlainPrinter | None = None, tickets: Tickets | None = None
    ) -> None:
        super().__init__(folder, printer=printer, tickets=tickets)
        self.power = power
        self.store: Callable[..., Store] = type("PoweredStore", (CutStore,), {"power": power})

    async def kill(self) -> None:
        """End it; a task that the cut has ended says so, and nothing else."""
        for task in self._tasks:
            task.cancel()
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        assert [each for each in ended if not isinstance(each, ENDS)] == []
        self.screen.turn = -1
        self.journal.close()

    async def revive(self) -> None:
        """Start it again, without another cut."""
        await self.kill()
        self.power.comes_back()
        await self.start(until=None)
        await self.until_true(self.machine.states.up.is_set)
        await self.until_true(lambda: self.shown in ("idle", "attract"))


class HostsRig(CutRig):
    """A machine of which `tests.rigs.sas_host` is the host: `line.link` is its end."""

    def line_of(self) -> MemoryLine:
        """Return the line, the same one after each start."""
        return self.joined

    def __init__(
        self, folder: Path, power: Power, *, printer: PlainPrinter | None = None, tickets: Tickets | None = None
    ) -> None:
        super().__init__(folder, power, printer=printer, tickets=tickets)
        self.joined = JoinedLine()


def request(cents: int, name: str = "A1", *, kind: int = IN_HOUSE_IN, **changes: object) -> TransferRequest:
    """Return the start of a transfer of cashable credit."""
    amounts = Amounts(cashable=cents)
    made = TransferRequest(
        code=transfers.FULL_ONLY,
        kind=kind,
        amounts=amounts,
        raw_amounts=amounts.encode(),
        flags=0,
        asset=ASSET,
        key=NO_KEY,
        id=name.encode(),
        expiration=bytes.fromhex("08182026"),
        pool=bytes.fromhex("0030"),
    )
    return msgspec.structs.replace(made, **changes)
