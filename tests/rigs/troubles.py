"""What goes wrong on the lines of a whole cabinet, as rules that property tests share."""

import asyncio
from collections.abc import Coroutine

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.virtual_cabinet import VirtualCabinet

LINES = ("coin", "bill", "hopper")


class LineTroubles(RuleBasedStateMachine):
    """A cabinet whose lines misbehave and are pulled; `runner` has its loop."""

    cabinet: VirtualCabinet
    runner: asyncio.Runner

    def run(self, coroutine: Coroutine[object, object, None]) -> None:
        """Run on the cabinet's loop."""
        self.runner.run(coroutine)

    @rule(line=st.sampled_from(LINES), kind=st.sampled_from(Kind), frames=st.integers(1, 4), way=st.sampled_from(Way))
    def line_fault(self, line: str, kind: Kind, frames: int, way: Way) -> None:
        """Treat the next frames of a line badly."""
        self.cabinet.lines[line].misbehaviour.inject(kind, frames, way=way)

    @rule(line=st.sampled_from(LINES), seconds=st.sampled_from((0.1, 1.0, 5.0)))
    def unplug(self, line: str, seconds: float) -> None:
        """Pull a line's plug for a while."""

        async def pull() -> None:
            self.cabinet.lines[line].unplug()
            await asyncio.sleep(seconds)
            self.cabinet.lines[line].plug()

        self.run(pull())
