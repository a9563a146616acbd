"""The queue of exceptions of a host port: what happens, polls, transfers and power cuts in any order."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from controller.faults import sas_exception
from controller.journal.errors import JournalError
from controller.journal.faults import raise_fault, remove_fault
from controller.journal.transaction import Transaction
from tests.rigs.hosted import ASSET, FAULTS, HostsRig
from tests.rigs.power_cuts import Power
from tests.rigs.sas_aft import IN_HOUSE_TO_HOST, IN_HOUSE_TO_MACHINE, AftHost, NoAnswerError
from tests.rigs.sas_fields import FrameError
from tests.rigs.sas_host import Kind
from tests.rigs.sas_queue import StrictHost
from tests.rigs.virtual_time import VirtualTimeLoop

POWER_ON, DONE, CHOSEN = 0x17, 0x69, 0x8C
NUMBERS = st.integers(0, len(FAULTS) - 1)


class HostQueue(RuleBasedStateMachine):
    """One machine, one host whose model fails at the first exception that is lost, doubled or out of its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.folder = Path(tempfile.mkdtemp())
        self.power = Power()
        self.transfers = 0
        self.balance = 0
        self.runner.run(self.begin())

    async def begin(self) -> None:
        self.rig = HostsRig(self.folder, self.power)
        await self.rig.start()
        self.host = StrictHost(self.rig.joined.link, now=asyncio.get_running_loop().time)
        self.aft = AftHost(self.host, asset=ASSET)
        self.host.put(POWER_ON)
        await self.mend()

    def run(self, coroutine: Coroutine[object, object, None]) -> None:
        async def lived() -> None:
            await coroutine
            await self.mend()

        self.runner.run(lived())

    async def mend(self) -> None:
        """Switch the power on again where it is off."""
        if not self.power.is_off:
            return
        self.host.cut()
        await self.rig.revive()
        self.host.put(POWER_ON)
        if self.rig.credit:  # a player sits down at the only game again
            self.host.may_put(CHOSEN)

    async def poll(self) -> Kind:
        await self.host.confirm()
        done = await self.host.general_poll()
        assert done.kind is not Kind.SILENCE or self.power.is_off, "a poll was not answered"
        return done.kind

    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=6), times=st.sampled_from((1, 1, 1, 9)))
    def happens(self, numbers: list[int], times: int) -> None:
        """Faults that are over at once, in one transaction: all of them wait for the host, or none."""
        codes = [FAULTS[number] for number in numbers] * times

        def come_and_go(tx: Transaction) -> None:
            for code, place in codes:
                raise_fault(tx, code, place)
                remove_fault(tx, code, place)

        async def happen() -> None:
            exceptions = [sas_exception(*code) or 0 for code in codes]
            try:
                await self.rig.machine.journal.record(come_and_go)
            except JournalError:
                self.host.may_put(*exceptions)
            else:
                self.host.put(*exceptions)

        self.run(happen())

    @rule(polls=st.integers(1, 30))
    def polls(self, polls: int) -> None:
        """The host fetches and acknowledges."""

        async def fetch() -> None:
            for _ in range(polls):
                if await self.poll() is Kind.SILENCE:
                    return

        self.run(fetch())

    @rule(times=st.integers(1, 3))
    def repeats(self, times: int) -> None:
        """The host did not understand: the same poll brings the same exception."""

        async def again() -> None:
            for _ in range(times):
                if await self.poll() is Kind.SILENCE or (await self.host.repeat()).kind is Kind.SILENCE:
                    return

        self.run(again())

    @rule(on=st.booleans())
    def real_time(self, on: bool) -> None:  # noqa: FBT001 - a case
        """Exceptions come as events, whatever is polled, or no longer."""

        async def report() -> None:
            await self.host.order(0x0E, on=int(on))

        self.run(report())

    @rule(command=st.sampled_from((0x1A, 0x19, 0x51)))
    def reads(self, command: int) -> None:
        """A long poll acknowledges too."""

        async def read() -> None:
            answer = await self.host.ask(command)
            assert answer is not None or self.power.is_off

        self.run(read())

    @rule(into=st.booleans(), hundreds=st.integers(1, 3))
    def transfers_credit(self, into: bool, hundreds: int) -> None:  # noqa: FBT001 - a case
        """Money moves, and the exception of it goes before all others."""

        async def transfer() -> None:
            self.transfers += 1
            kind = IN_HOUSE_TO_MACHINE if into else IN_HOUSE_TO_HOST
            await self.moved(f"T{self.transfers}", kind, 100 * hundreds)

        self.run(transfer())

    async def moved(self, name: str, kind: int, cents: int) -> None:
        credit = self.rig.credit
        try:
            await self.aft.start(name, kind, cents)
        except (NoAnswerError, FrameError):
            if self.power.is_off:
                self.host.may_put(DONE)  # before the cut, or not at all
            await self.mend()
        else:
            self.told(credit, cents if kind == IN_HOUSE_TO_MACHINE else -cents)
        for _ in range(5):
            try:
                await self.aft.recover()
                break
            except (NoAnswerError, FrameError):
                await self.mend()
        done = self.host.tally.transfers[name].done
        self.balance += done * (cents if kind == IN_HOUSE_TO_MACHINE else -cents)
        assert self.rig.credit == self.balance == self.host.tally.to_machine_cents - self.host.tally.to_host_cents

    def told(self, credit: int, cents: int) -> None:
        """The answer said at once what was done; credit at a game's only place chooses that game."""
        if self.rig.credit == credit + cents:
            self.host.put(DONE)
            if not credit:
                self.host.may_put(CHOSEN)

    @rule(steps=st.integers(1, 40))
    def will_be_cut(self, steps: int) -> None:
        """The power will be cut after so many steps of the journal."""
        self.power.comes_back(steps)

    @rule()
    def is_cut(self) -> None:
        """The power is cut now."""

        async def cut() -> None:
            self.power.is_off = True

        self.run(cut())

    @rule(seconds=st.sampled_from((0.1, 6.0)))
    def time_passes(self, seconds: float) -> None:
        """The host is silent for a while."""
        self.run(asyncio.sleep(seconds))

    def teardown(self) -> None:
        """In the end everything was told once, and the books balance."""
        self.power.comes_back()
        try:
            self.runner.run(self.fetched())
            self.runner.run(self.rig.kill())
        finally:
            self.runner.close()
            shutil.rmtree(self.folder)

    async def fetched(self) -> None:
        while await self.poll() is not Kind.SILENCE and self.host.exchanges[-1].exception:
            pass
        await self.host.confirm()
        assert (await self.rig.rows("SELECT count(*) FROM host_exceptions"))[0] in [(0,), (1,)]
        await self.rig.journal.do(lambda tx: tx.audit())
