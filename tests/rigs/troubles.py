"""What goes wrong on the lines of a whole cabinet, as rules that property tests share."""

import asyncio
from collections.abc import Coroutine

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.virtual_cabinet import VirtualCabinet

MOST_LINES = 3


class LineTroubles(RuleBasedStateMachine):
    """A cabinet whose lines misbehave and are pulled; `runner` has its loop."""

    cabinet: VirtualCabinet
    runner: asyncio.Runner

    def run(self, coroutine: Coroutine[object, object, None]) -> None:
        """Run on the cabinet's loop."""
        self.runner.run(coroutine)

    def line(self, which: int) -> MemoryLine:
        """Return one of the lines that the cabinet has."""
        lines = list(self.cabinet.lines.values())
        return lines[which % len(lines)]

    @rule(
        which=st.integers(0, MOST_LINES - 1),
        kind=st.sampled_from(Kind),
        frames=st.integers(1, 4),
        way=st.sampled_from(Way),
    )
    def line_fault(self, which: int, kind: Kind, frames: int, way: Way) -> None:
        """Treat the next frames of a line badly."""
        self.line(which).misbehaviour.inject(kind, frames, way=way)

    @rule(which=st.integers(0, MOST_LINES - 1), seconds=st.sampled_from((0.1, 1.0, 5.0)))
    def unplug(self, which: int, seconds: float) -> None:
        """Pull a line's plug for a while."""

        async def pull() -> None:
            self.line(which).unplug()
            await asyncio.sleep(seconds)
            self.line(which).plug()

        self.run(pull())
