"""A driver's user whose every call takes time, and a port that notes what its driver writes meanwhile."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")

CALL_S = 0.15
"""How long each call takes before it does anything: a commit on a slow card."""


class Slowly(Generic[T]):
    """The user of a driver, whose calls return `CALL_S` after they were made; `pending` are those under way.

    Everything else is that of the books behind it.
    """

    def __init__(self, books: T) -> None:
        object.__setattr__(self, "books", books)
        object.__setattr__(self, "pending", [])
        object.__setattr__(self, "made", [])

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.books, name)
        return self._slowed(name, found) if inspect.iscoroutinefunction(found) else found

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.books, name, value)

    def _slowed(self, name: str, call: Callable[..., Coroutine[object, object, Any]]) -> Callable[..., Any]:
        async def slowed(*arguments: Any, **named: Any) -> Any:
            self.pending.append(name)
            self.made.append(name)
            try:
                await asyncio.sleep(CALL_S)
                return await call(*arguments, **named)
            finally:
                self.pending.remove(name)

        return slowed


class SpyPort:
    """A port of which each write is kept with the calls of `users` that were under way."""

    def __init__(self, port: Any, *users: Slowly[Any]) -> None:
        self.port = port
        self.users = users
        self.writes = 0
        self.early: list[tuple[str, bytes]] = []
        """What was written while a call was under way, with that call."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.port, name)

    async def write(self, data: bytes) -> None:
        """Send, and keep what was under way."""
        self.writes += 1
        self.early += [(call, data) for user in self.users for call in user.pending]
        await self.port.write(data)
