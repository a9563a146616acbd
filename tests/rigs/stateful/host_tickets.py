"""Any order of notes, cash-outs, tickets put in, host's moods, lost lines, power cuts and key turns."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from controller.journal.errors import JournalError
from drivers.capabilities import PrintEnd
from tests.rigs.ticket_cuts import CutTickets
from tests.rigs.virtual_time import VirtualTimeLoop

ENDS = (*[PrintEnd.PRINTED] * 4, PrintEnd.UNKNOWN, PrintEnd.NOT_PRINTED)


class HostTicketCycles(RuleBasedStateMachine):
    """One machine of which money is only taken out, by tickets of its host and by hand, and put in again."""

    @initialize()
    def switch_on(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cabinet"))
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.one = CutTickets(self.folder)
        self.runner.run(self.one.start())
        self.note(2000)
        self.collect(8.0, PrintEnd.PRINTED)

    def run(self, coroutine: Coroutine[object, object, object]) -> None:
        async def lived() -> None:
            try:
                await coroutine
            except JournalError:
                assert self.one.power.is_off
            await self.one.mend()
            self.one.look()

        self.runner.run(lived())

    @rule(cents=st.sampled_from((500, 2000)))
    def note(self, cents: int) -> None:
        self.run(self.one.note(cents))

    @rule(seconds=st.sampled_from((0.0, 0.3, 0.6, 1.5, 2.5, 8.0)), end=st.sampled_from(ENDS))
    def collect(self, seconds: float, end: PrintEnd) -> None:
        self.one.printer.ends = [end]
        self.run(self.one.rig.press("collect", seconds))

    @rule(seconds=st.sampled_from((0.05, 1.0, 6.0)))
    def time_passes(self, seconds: float) -> None:
        self.run(asyncio.sleep(seconds))

    @rule()
    def key(self) -> None:
        self.run(self.one.turn())

    @rule()
    def kill(self) -> None:
        self.run(self.one.kill())

    @rule(steps=st.integers(1, 30))
    def will_be_cut(self, steps: int) -> None:
        """The power will be cut after so many steps of the journal."""
        self.one.power.comes_back(steps)

    @rule(mute=st.booleans(), denies=st.booleans())
    def mood(self, *, mute: bool, denies: bool) -> None:
        """The host decides nothing, or gives no numbers, or does both again."""
        self.one.tickets.mute, self.one.tickets.denies = mute, denies

    @rule(heard=st.integers(0, 30), spoken=st.integers(0, 40), seconds=st.sampled_from((0.1, 1.0, 7.0)))
    def line_is_lost(self, heard: int, spoken: int, seconds: float) -> None:
        """So many bytes still go each way, then none for a while."""
        line = self.one.rig.joined

        async def lost() -> None:
            line.most, line.spoken = heard, spoken
            await asyncio.sleep(seconds)
            line.most = line.spoken = None

        self.run(lost())

    @rule(
        which=st.integers(0, 5),
        stacks=st.booleans(),
        says=st.sampled_from((True, True, False)),
        kill_after_s=st.sampled_from((-1.0, -1.0, 0.0, 0.02, 0.06, 0.1, 0.15, 0.3)),
    )
    def ticket(self, which: int, kill_after_s: float, *, stacks: bool, says: bool) -> None:
        """Put a slip in."""
        self.one.take_slips()
        held = self.one.held
        if held:
            self.run(self.one.put_in(held[which % len(held)], stacks=stacks, says=says, kill_after_s=kill_after_s))

    def teardown(self) -> None:
        if hasattr(self, "one"):
            try:
                self.runner.run(self.one.settle())
            finally:
                self.runner.run(self.one.end())
                self.runner.close()
                shutil.rmtree(self.folder)
