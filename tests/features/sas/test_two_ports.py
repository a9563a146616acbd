"""Two hosts on two lines: each has exceptions and an acknowledgement of its own, and both read the same meters."""

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path

import msgspec

from controller.features.sas.ports import HostPorts
from drivers.sas.transfers import (
    LOCK,
    LOCK_CANCEL,
    LOCK_NOW,
    LOCK_PENDING,
    LOCKED,
    TRANSFER,
    Condition,
    LockAnswer,
    LockRequest,
    Status,
    TransferAnswer,
)
from tests.rigs.hosted import ADDRESS, PORT, Host, HostedRig, request
from tests.rigs.sas_answers import LOCK_STATUS, read_answer, read_lock_answer
from tests.rigs.sas_line import MemoryLine


class TwoHosts(HostedRig):
    """A machine with two host ports; the second one's denomination is 0.10."""

    def __init__(self, folder: Path, *, alike: bool = False) -> None:
        super().__init__(folder)
        second = msgspec.structs.replace(PORT, port="second")
        if not alike:
            second = msgspec.structs.replace(second, denomination_cents=10, may=(), asset=0)
        self.config = msgspec.structs.replace(self.config, host_port_2=second)

    def fit(self) -> Sequence[Coroutine[object, object, None]]:
        """Fit both ports, each on a line of its own."""
        self.line, second = MemoryLine(), MemoryLine()
        lines = {PORT.port: self.line, "second": second}
        self.sas, self.second = Host(self.line), Host(second)
        self.ports = HostPorts(self.machine, self.machine.clock, lambda settings: lines[settings.port], self.hopper)
        return (self.ports.run(), *(link.run() for link in self.ports.links))


async def test_each_host_hears_everything_once(tmp_path: Path) -> None:
    """What one host has acknowledged still waits for the other, over a restart too."""
    async with TwoHosts(tmp_path) as rig:
        await rig.sas.exceptions()
        await rig.second.exceptions()
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        assert await rig.sas.exceptions() == [0x11, 0x12]
        await rig.restart(until="attract")
        assert await rig.sas.exceptions() == [0x17]
        assert await rig.second.exceptions() == [0x11, 0x12, 0x17]


async def test_each_host_reads_and_does_what_its_own_table_says(tmp_path: Path) -> None:
    """Meters in its denomination, and only the acts that it may."""
    async with TwoHosts(tmp_path) as rig:
        await rig.game(2000)
        assert (await rig.sas.number(0x1A), await rig.second.number(0x1A)) == (2000, 200)
        assert await rig.second.ask(0x01) == b"\x81"
        assert await rig.sas.ask(0x01) == b"\x01"
        assert rig.shown == "tilted"


async def test_both_hosts_at_once_keep_to_the_credit_limit(tmp_path: Path) -> None:
    """The second of two transfers that are asked for in the same moment is over the limit."""
    rig = TwoHosts(tmp_path, alike=True)
    limits = msgspec.structs.replace(rig.config.limits, credit_cents=1500)
    rig.config = msgspec.structs.replace(rig.config, limits=limits)
    async with rig:
        frame = request(1000).encode(ADDRESS).data
        await asyncio.gather(*(host.ask(TRANSFER, frame) for host in (rig.sas, rig.second)))
        assert (rig.credit, await rig.meter("host_ins")) == (1000, 1)


async def transferred(host: Host, cents: int, name: str) -> int:
    """Send poll 72 to begin a transfer in; return the status in its answer."""
    await host.ask(TRANSFER, request(cents, name).encode(ADDRESS).data)
    answer = read_answer(host.line.said[-1])
    return answer.status if isinstance(answer, TransferAnswer) else answer[1]


async def locked(host: Host, code: int = LOCK_STATUS) -> LockAnswer:
    """Send poll 74."""
    await host.ask(LOCK, LockRequest(code, Condition.IN if code == LOCK_NOW else 0, 9000).encode(ADDRESS).data)
    return read_lock_answer(host.line.said[-1])


async def test_the_lock_of_one_host_keeps_the_other_from_transfers(tmp_path: Path) -> None:
    """The other's transfer is 87 and its lock is pending, until the first one has made its transfer."""
    async with TwoHosts(tmp_path, alike=True) as rig:
        assert (await locked(rig.sas, LOCK_NOW)).lock == LOCKED
        assert await transferred(rig.second, 1000, "B1") == Status.NOT_NOW
        answer = await locked(rig.second, LOCK_NOW)
        assert (answer.lock, answer.available) == (LOCK_PENDING, 0)
        assert (rig.credit, rig.notices()) == (0, {"host_lock"})
        assert await transferred(rig.sas, 500, "A1") == Status.FULL
        await asyncio.sleep(0.5)
        answer = await locked(rig.second)
        assert (answer.lock, answer.amounts.cashable) == (LOCKED, 500)
        assert await transferred(rig.sas, 500, "A2") == Status.INCOMPATIBLE
        assert await transferred(rig.second, 1000, "B2") == Status.FULL
        assert rig.credit == 1500


async def test_of_two_locks_in_the_same_moment_one_is_held(tmp_path: Path) -> None:
    """Once it is cancelled, the other."""
    async with TwoHosts(tmp_path, alike=True) as rig:
        answers = await asyncio.gather(*(locked(host, LOCK_NOW) for host in (rig.sas, rig.second)))
        assert sorted(answer.lock for answer in answers) == [LOCKED, LOCK_PENDING]
        holder, waiting = (rig.sas, rig.second) if answers[0].lock == LOCKED else (rig.second, rig.sas)
        await locked(holder, LOCK_CANCEL)
        await asyncio.sleep(0.5)
        assert (await locked(waiting)).lock == LOCKED


async def test_a_lock_knows_of_the_transfer_that_is_being_made(tmp_path: Path) -> None:
    """A transfer that the other host began in the same moment is in the credit that a held lock shows, or is 87."""
    async with TwoHosts(tmp_path, alike=True) as rig:
        status, answer = await asyncio.gather(transferred(rig.sas, 1000, "A1"), locked(rig.second, LOCK_NOW))
        assert answer.lock == LOCKED
        assert (status, answer.amounts.cashable, rig.credit) in ((Status.FULL, 1000, 1000), (Status.NOT_NOW, 0, 0))
