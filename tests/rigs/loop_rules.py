"""Driver code in a stateful test: each rule runs on one loop with virtual time."""

import asyncio
from collections.abc import Callable

from hypothesis.stateful import RuleBasedStateMachine

from tests.rigs.virtual_time import VirtualTimeLoop


class LoopRules(RuleBasedStateMachine):
    """A stateful test with a loop of its own, which its `teardown` closes."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualTimeLoop()

    def live(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.loop.run_until_complete(asyncio.sleep(seconds))

    def do(self, act: Callable[[], object]) -> None:
        """Call `act` within the loop."""

        async def run() -> None:
            act()

        self.loop.run_until_complete(run())
