"""Calls through the link's process: the time of each begins with its turn, and one that hangs ends alone."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from controller.features.venue.calls import UnreachableError, Venue
from controller.features.venue.relay import serve
from controller.features.venue.relayed import CALL_S, ENROL_S, SOCKET, Address, RelayedVenue
from tests.rigs.model_venue import Wire
from tests.rigs.venue_store import ME, linked

CODE = "01234567890000000000"
FOR_EVER_S = 86_400.0


class SlowVenue:
    """A model venue whose calls take their time."""

    def __init__(self, takes_s: Mapping[str, float]) -> None:
        self.wire = Wire(linked(), ME)
        self.wire.venue.codes[CODE] = ME
        self.takes_s = dict(takes_s)
        self.connections = 0
        self.cancelled: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def call(*arguments: Any, **named: Any) -> Any:
            try:
                await asyncio.sleep(self.takes_s.get(name, 0.0))
            except asyncio.CancelledError:
                self.cancelled.append(name)
                raise
            return await getattr(self.wire, name)(*arguments, **named)

        return call

    def connect(self, _address: Address, _folder: Path) -> Venue:
        """Be the venue of another connection of the link's process."""
        self.connections += 1
        return cast("Venue", self)


@asynccontextmanager
async def relayed(folder: Path, venue: SlowVenue) -> AsyncIterator[RelayedVenue]:
    """The supervisor's side, with a link's process that connects again whenever it has lost it."""

    async def process() -> None:
        while True:
            with suppress(OSError):
                await serve(folder / SOCKET, folder, venue.connect)
            await asyncio.sleep(1.0)

    ours = RelayedVenue(folder / SOCKET, Address("venue.lan", 5432, "venue"))
    tasks = [asyncio.create_task(ours.listen()), asyncio.create_task(process())]
    await asyncio.sleep(3.0)
    try:
        yield ours
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def hello(venue: RelayedVenue) -> int:
    """Say hello; return the session."""
    return (await venue.hello(0, {}, 0, "ab" * 32, {})).session


async def test_a_hello_that_waits_behind_a_slow_enrolment_fails_neither(tmp_path: Path) -> None:
    """It waits longer than a call may last; both are answered, over one connection."""
    slow = SlowVenue({"enrol": ENROL_S - 1.0, "hello": CALL_S - 1.0})
    async with relayed(tmp_path, slow) as venue:
        enrolment = asyncio.create_task(venue.enrol(CODE, "ab" * 32, "Bar", "1.0"))
        await asyncio.sleep(0.1)
        assert await hello(venue) == 1
        assert (await enrolment).cabinet == ME
    assert (slow.connections, slow.wire.called) == (1, ["hello"])


@pytest.mark.parametrize("name", ["hello", "beat", "claim", "wanted", "fetch", "enrol"])
async def test_a_call_that_hangs_ends_alone(tmp_path: Path, name: str) -> None:
    """Its time over, it has failed and is given up in the link's process too; the next call is done."""
    slow = SlowVenue({name: FOR_EVER_S})
    async with relayed(tmp_path, slow) as venue:
        calls: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
            "hello": lambda: hello(venue),
            "beat": lambda: venue.beat(1, {}),
            "claim": lambda: venue.claim(1, pool=1, epoch=1, round_id=1, number=1, seq=1, cum=1),
            "wanted": lambda: venue.wanted(1),
            "fetch": lambda: venue.fetch(1, 1, 0),
            "enrol": lambda: venue.enrol(CODE, "ab" * 32, "Bar", "1.0"),
        }
        began = asyncio.get_running_loop().time()
        with pytest.raises(UnreachableError, match="does not answer"):
            await calls[name]()
        assert asyncio.get_running_loop().time() - began == (ENROL_S if name == "enrol" else CALL_S)
        slow.takes_s.clear()
        await asyncio.sleep(3.0)
        assert await hello(venue) >= 1
    assert slow.cancelled == [name]
    assert slow.connections == 2
