"""A real venue behind a loop with virtual time: its calls run in a thread, while virtual time stands still."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from controller.features.venue.calls import UnreachableError, Venue
from controller.features.venue.postgres import PostgresVenue
from controller.features.venue.relayed import Address
from tests.rigs.postgres import VenueDatabase


class ThreadedVenue:
    """Every call of `venue`, awaited on a loop of its own; `fate` decides what becomes of it, as a model's `Wire`."""

    def __init__(self, venue: Venue, fate: Callable[[str], str] = lambda _name: "ok") -> None:
        self.fate = fate
        self.called: list[str] = []
        self._venue = venue
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        return partial(self._do, name)

    async def _do(self, name: str, *arguments: Any, **named: Any) -> Any:
        self.called.append(name)
        fate = "ok" if name == "close" else self.fate(name)
        if fate == "cut":
            raise UnreachableError("the line is cut")

        def run() -> Any:
            call = getattr(self._venue, name)(*arguments, **named)
            return asyncio.run_coroutine_threadsafe(call, self._loop).result(30)

        answer = await asyncio.get_running_loop().run_in_executor(None, run)
        if fate == "twice":
            answer = await asyncio.get_running_loop().run_in_executor(None, run)
        if fate == "lost":
            raise UnreachableError("the answer was lost")
        return answer

    def stop(self) -> None:
        """End its connection and its thread."""
        asyncio.run_coroutine_threadsafe(self._venue.close(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def line_to(database: VenueDatabase, cabinet: int, folder: Path) -> ThreadedVenue:
    """A cabinet's connection to the database, over its Unix socket."""
    address = Address(str(database.server.folder), database.server.port, database.name)
    return ThreadedVenue(PostgresVenue(address, folder, {"user": f"cab_{cabinet}"}))
