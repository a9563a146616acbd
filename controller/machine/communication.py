"""Whether the cabinet may communicate with a host or a venue: an unproved program stays silent (P7).

At a start, communication begins once interrupted work is resumed and the program is proved. It stops when a proof finds
the program changed or signed with an untrusted key, until a proof succeeds. Repeated proofs of a proved program do not
interrupt it.
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
    """Holds a task back while the cabinet may not communicate."""

    @property
    def is_open(self) -> bool:
        """Whether the cabinet may communicate now."""

    async def while_open(self, work: Work) -> None:
        """Run `work` while the cabinet may communicate; it is cancelled and restarted when that changes."""


class Open:
    """The gate of a cabinet that may always communicate."""

    is_open = True

    async def while_open(self, work: Work) -> None:
        """Run `work`."""
        await work()


class Communication:
    """The gate of a machine."""

    def __init__(self, conditions: Conditions, states: StateMachine) -> None:
        self._conditions = conditions
        self._states = states
        self._proved: list[Callable[[], bool]] = []
        self._opened, self._closed = asyncio.Event(), asyncio.Event()
        self._closed.set()
        conditions.on_change(self._look)

    def __repr__(self) -> str:
        return f"<Communication {'open' if self.is_open else 'closed'}>"

    @property
    def is_open(self) -> bool:
        """Whether the cabinet may communicate now."""
        differs = any(fault.present and fault.code in _NOT_PROVED for fault in self._conditions.faults)
        return not differs and all(was_proved() for was_proved in self._proved)

    def hold_until(self, was_proved: Callable[[], bool]) -> None:
        """Keep the gate closed until `was_proved()`: a proof is complete, or there is nothing to prove."""
        self._proved.append(was_proved)

    def _look(self) -> None:
        now, before = (self._opened, self._closed) if self.is_open else (self._closed, self._opened)
        before.clear()
        now.set()

    async def while_open(self, work: Work) -> None:
        """Run `work` after interrupted work is resumed, while the cabinet may communicate."""
        await self._states.up.wait()
        self._look()
        while True:
            await self._opened.wait()
            if await run_unless(self._closed, _ended(work)):
                return


async def _ended(work: Work) -> bool:
    await work()
    return True
