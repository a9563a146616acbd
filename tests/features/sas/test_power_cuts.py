"""No power cut loses an exception or moves credit twice: a host that keeps books of its own agrees with the journal."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.faults import sas_exception
from controller.journal.errors import JournalError
from controller.journal.faults import raise_fault
from drivers.sas import transfers
from drivers.sas.transfers import (
    IN_HOUSE_IN,
    IN_HOUSE_OUT,
    INTERROGATE_AND_CLOSE,
    Status,
    TransferAnswer,
    TransferQuery,
)
from tests.rigs.hosted import ADDRESS, ALL, FAULTS, GENERAL, CutRig, request
from tests.rigs.power_cuts import Power
from tests.rigs.sas_answers import read_answer

POLL, IN, OUT = "poll", "in", "out"
DONE = (Status.FULL, Status.PARTIAL)
STEPS = (*range(len(FAULTS)), POLL, IN, OUT)


class BookkeepingHost:
    """A host with books of its own: what it was told, what it knows to be acknowledged, what it has transferred."""

    def __init__(self, rig: CutRig) -> None:
        self.rig = rig
        self.heard: list[int] = []
        self.settled: set[int] = set()
        self.balance = 0
        self.transfers = 0
        self._unsettled: int | None = None

    async def poll(self) -> bool:
        """Poll once; return whether the machine answered. What was heard before is acknowledged once it has."""
        await self.rig.line.ask(ALL)
        answer = await self.rig.line.ask(GENERAL)
        if len(answer) != 1:
            self._unsettled = None
            return False
        if self._unsettled is not None:
            self.settled.add(self._unsettled)
        (code,) = answer
        self._unsettled = code or None
        if code:
            assert code not in self.settled or code in EVERY_START, f"{code:02X} was acknowledged, and is sent again"
            self.heard.append(code)
        return True

    async def transfer(self, kind: int, cents: int) -> None:
        """Transfer under a new id until it is done or refused, over any power cuts."""
        self.transfers += 1
        asked = request(cents, f"T{self.transfers}", kind=kind)
        for _ in range(10):
            status, name = await self.ask(asked)
            if status is None:
                await self.mend()
            elif status == Status.INCOMPATIBLE or status in DONE:
                if await self.close(asked.id):
                    self.balance += cents if kind == IN_HOUSE_IN else -cents
                    return
            else:
                assert name == asked.id
                return
        raise AssertionError("the transfer does not end")

    async def close(self, wanted: bytes) -> bool:
        """Read what became of the newest transfer, until it is read; return whether it was this one, and done."""
        while True:
            status, name = await self.ask(TransferQuery(INTERROGATE_AND_CLOSE))
            if status is None:
                await self.mend()
                continue
            return name == wanted and status in DONE

    async def ask(self, asked: transfers.TransferRequest | TransferQuery) -> tuple[int | None, bytes]:
        """Send poll 72; return the status in its answer and the id, where there is one."""
        await self.rig.line.ask(ALL)
        frame = await self.rig.line.ask(asked.encode(ADDRESS).raw)
        if not frame:
            return None, b""
        answer = read_answer(frame)
        return (answer.status, answer.id) if isinstance(answer, TransferAnswer) else (answer[1], b"")

    async def mend(self) -> None:
        """Switch the power on where it is off, and wait for the machine."""
        self._unsettled = None
        if self.rig.power.is_off:
            await self.rig.revive()


EVERY_START = frozenset({0x17, 0x69, 0x8C})
"""What happens again with every start and every transfer."""


async def lived(folder: Path, steps: list[int | str], cut_at: int | None) -> int:
    """Live through `steps` with a cut after so many steps of the journal; return how many there were without one."""
    power = Power()
    rig = CutRig(folder, power)
    await rig.start()
    host = BookkeepingHost(rig)
    raised: set[int] = set()
    power.comes_back(cut_at)
    for step in steps:
        if isinstance(step, int):
            code, place = FAULTS[step]
            try:
                await rig.machine.journal.record(lambda tx: raise_fault(tx, code, place))  # noqa: B023 - run at once
            except JournalError:
                await host.mend()
                await rig.machine.journal.record(lambda tx: raise_fault(tx, code, place))  # noqa: B023 - run at once
            raised.add(sas_exception(code, place) or 0)
        elif step == POLL:
            await host.poll()
        else:
            await host.transfer(IN_HOUSE_IN if step == IN else IN_HOUSE_OUT, 500 if step == IN else 300)
        await host.mend()
    counted = power.steps
    await asyncio.sleep(1.0)
    await host.mend()
    for _ in range(100):
        if not await host.poll():
            await host.mend()
        elif rig.ports.desks["host_port"].pending() is None:
            break
    power.comes_back()
    assert raised <= set(host.heard), f"lost: {raised - set(host.heard)}"
    assert rig.credit == host.balance
    assert await rig.meter("host_in") - await rig.meter("host_out") == host.balance
    await rig.journal.do(lambda tx: tx.prove())
    await rig.journal.do(lambda tx: tx.audit())
    await rig.kill()
    return counted


SCRIPT: list[int | str] = [0, POLL, IN, 1, POLL, POLL, OUT, 2, 3, POLL, IN, POLL, POLL, 4]


async def test_a_cut_at_every_step_of_the_journal_loses_nothing(tmp_path: Path) -> None:
    """Before and after each commit of a life with faults, polls and transfers in both directions."""
    (tmp_path / "whole").mkdir()
    steps = await lived(tmp_path / "whole", SCRIPT, None)
    assert steps > 30
    for cut_at in range(1, steps + 1):
        folder = tmp_path / str(cut_at)
        folder.mkdir()
        await lived(folder, SCRIPT, cut_at)


@settings(max_examples=15)
@given(steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=14), cut_at=st.integers(1, 80))
async def test_any_life_with_a_cut_loses_nothing(steps: list[int | str], cut_at: int) -> None:
    """Whatever happens in whatever order, and wherever the power is cut."""
    with TemporaryDirectory() as folder:
        await lived(Path(folder), steps, cut_at)
