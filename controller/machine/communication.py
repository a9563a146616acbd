"""Whether the cabinet may speak to a host or a venue: a program that is not proved says nothing (P7).

At a start that is once what was interrupted is resumed and the program is proved; from a proof that finds it changed,
or signed by somebody who is not trusted, until one that does not. Further proofs of a proved program silence nothing.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, Protocol

from controller.faults import SOFTWARE_KEY, SOFTWARE_TAMPERED
from controller.machine.conditions import Conditions
from controller.machine.state_machine import StateMachine
from drivers.waiting import run_unless

_NOT_PROVED: Final = frozenset({SOFTWARE_TAMPERED, SOFTWARE_KEY})

Work = Callable[[], Coroutine[Any, Any, None]]


class Gate(Protocol):
    """What holds a task back while the cabinet may not speak."""

    @property
    def is_open(self) -> bool:
        """Whether the cabinet may speak now."""

    async def while_open(self, work: Work) -> None:
        """Run `work` while the cabinet may speak: cancelled where it may not any more, and begun again."""


class Open:
    """The gate of a cabinet that may always speak."""

    is_open = True

    async def while_open(self, work: Work) -> None:
        """Run `work`."""
        await work()


class Communication:
    """The gate of a machine; `was_proved` says whether a proof is over, or there is nothing to prove."""

    def __init__(self, conditions: Conditions, states: StateMachine, was_proved: Callable[[], bool]) -> None:
        self._conditions = conditions
        self._states = states
        self._was_proved = was_proved
        self._opened, self._closed = asyncio.Event(), asyncio.Event()
        self._closed.set()
        conditions.on_change(self._look)

    def __repr__(self) -> str:
        return f"<Communication {'open' if self.is_open else 'closed'}>"

    @property
    def is_open(self) -> bool:
        """Whether the cabinet may speak now."""
        differs = any(fault.present and fault.code in _NOT_PROVED for fault in self._conditions.faults)
        return self._was_proved() and not differs

    def _look(self) -> None:
        now, before = (self._opened, self._closed) if self.is_open else (self._closed, self._opened)
        before.clear()
        now.set()

    async def while_open(self, work: Work) -> None:
        """Run `work` once what was interrupted is resumed, while the cabinet may speak."""
        await self._states.up.wait()
        self._look()
        while True:
            await self._opened.wait()
            if await run_unless(self._closed, _ended(work)):
                return


async def _ended(work: Work) -> bool:
    await work()
    return True
