"""The keeper's tasks: nothing that goes wrong with the venue ends the supervisor, but what locks the books."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from controller.features.venue.keeper import VenueKeeper
from controller.journal.errors import CorruptJournalError, JournalStorageError, RefusedError
from controller.machine.view import MachineParts
from drivers.clock import LoopClock
from tests.rigs.bewitched import bewitched
from tests.rigs.linked_rig import venue_of
from tests.rigs.machine import Rig
from tests.rigs.model_venue import Wire

REASONS = "SELECT data ->> '$.reason' FROM ledger WHERE data ->> '$.text' = 'venue_refused'"


@asynccontextmanager
async def kept(folder: Path, listen: Callable[[], Awaitable[None]]) -> AsyncIterator[tuple[Rig, VenueKeeper]]:
    """A machine with a keeper whose link's process is listened for in that way."""
    rig, keepers = bewitched(folder), []

    def keeper_of(parts: MachineParts) -> VenueKeeper:
        keepers.append(
            VenueKeeper(
                parts,
                Wire(venue_of()),
                LoopClock(),
                site=rig.config.cabinet,
                identity=lambda: "ab" * 32,
                jitter=lambda: 0.5,
                listen=listen,
            )
        )
        return keepers[0]

    rig.keeper_of = keeper_of
    async with rig:
        yield rig, keepers[0]


@pytest.mark.parametrize("error", [OSError("no such folder"), RefusedError("a rule"), TypeError("a mistake")])
async def test_a_task_that_fails_is_begun_again(tmp_path: Path, error: Exception) -> None:
    """With growing pauses; the first failure is an event, and the machine plays on."""
    tries: list[float] = []
    served = asyncio.Event()

    async def listen() -> None:
        tries.append(asyncio.get_running_loop().time())
        if len(tries) < 5:
            raise error
        served.set()
        await asyncio.sleep(3600)

    async with kept(tmp_path, listen) as (rig, keeper):
        listening = asyncio.create_task(keeper.listen())
        await served.wait()
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        pauses = [round(after - before) for before, after in itertools.pairwise(tries)]
        assert pauses == [1, 2, 4, 8]
        ((reason,),) = await rig.rows(REASONS)
        assert reason.startswith("link's socket: ")


async def test_books_that_fail_end_the_task(tmp_path: Path) -> None:
    """The supervisor locks the cabinet with it."""

    async def listen() -> None:
        raise JournalStorageError("the disk is full")

    async with kept(tmp_path, listen) as (_, keeper):
        with pytest.raises(JournalStorageError):
            await keeper.listen()


async def test_books_that_fail_are_reported_to_the_venue(tmp_path: Path) -> None:
    """The link cannot read them any more; the venue hears that the cabinet is locked, and why, again and again."""

    async def listen() -> None:
        await asyncio.sleep(3600)

    async with kept(tmp_path, listen) as (rig, keeper):
        await asyncio.sleep(10.0)
        assert keeper.link.state.beat_s is not None
        wire = keeper.venue
        assert isinstance(wire, Wire)

        async def fails(*_: object, **__: object) -> None:
            raise CorruptJournalError("row 5 was changed")

        keeper.link._books = SimpleNamespace(do=fails, commit=fails, path=rig.path)  # type: ignore[assignment]
        await asyncio.sleep(10.0)
        assert rig.machine.journal.lock is not None
        assert wire.called[-3:] == ["locked"] * 3
        assert wire.venue.cabinets[wire.me].status == {
            "state": "locked",
            "lock": "row 5 was changed",
            "books": {"whole": False},
        }


async def test_a_door_is_reported_at_once_and_at_most_once_a_second(tmp_path: Path) -> None:
    """What a person must see does not wait for the next beat, nor floods the venue; jackpots stay the last beat's."""

    async def listen() -> None:
        await asyncio.sleep(3600)

    async with kept(tmp_path, listen) as (rig, keeper):
        await asyncio.sleep(10.0)
        wire = keeper.venue
        assert isinstance(wire, Wire)
        cabinet, state = wire.venue.cabinets[wire.me], keeper.link.state

        async def until_next_beat() -> None:
            before = state.beat_s
            while state.beat_s == before:  # noqa: ASYNC110 - by the clock
                await asyncio.sleep(0.01)

        await until_next_beat()
        pools = dict(state.pools)
        wire.venue.meters[next(iter(wire.venue.pools)), 8, 1] = (2, 10**9)
        await asyncio.sleep(0.2)
        rig.machine.states.door("main", is_open=True)
        await asyncio.sleep(0.1)
        assert isinstance(cabinet.status, dict)
        assert cabinet.status["doors"] == ["main"]
        assert state.pools == pools

        await until_next_beat()
        assert state.pools != pools
        before = wire.called.count("beat")
        for turn in range(60):
            rig.machine.states.door("main", is_open=turn % 2 == 0)
            await asyncio.sleep(0.1)
        assert wire.called.count("beat") - before <= 6 + 2
