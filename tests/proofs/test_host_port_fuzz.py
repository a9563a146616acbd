"""A million bytes of noise and spoilt polls on a host's line: none is acted on, and the cabinet answers as before."""

import asyncio
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.sas.reader import WAKE
from tests.rigs.hosted import HostedRig
from tests.rigs.sas_fuzz import fuzz
from tests.rigs.sas_line import MemoryLine, woken

pytestmark = [pytest.mark.proof, pytest.mark.timeout(1_800)]

BYTES = 1_000_000
BURST = 64
MOST_GROWTH = 4 * 1024 * 1024


def bursts(seed: int, size: int) -> Iterator[bytes]:
    """Pieces as a line brings them, some of them cut."""
    for piece in fuzz(seed, size):
        for at in range(0, len(piece), BURST):
            yield piece[at : at + BURST]


def symbols(piece: bytes, number: int, *, by_time: bool) -> list[int]:
    """A piece as it goes over the line: with the wake-up bit on its first byte, on every other one, or on none."""
    if by_time or number % 3 == 0:
        return list(piece)
    return woken(piece) if number % 3 == 1 else [byte | WAKE * (at % 2 == 0) for at, byte in enumerate(piece)]


class TimedRig(HostedRig):
    """A cabinet whose line carries no wake-up bit."""

    def line_of(self) -> MemoryLine:
        """Return that line."""
        return MemoryLine(by_time=True)


@pytest.mark.parametrize("rig_type", [HostedRig, TimedRig])
async def test_a_million_bytes_of_noise_change_nothing(
    tmp_path: Path, rig_type: type[HostedRig], record_property: Callable[[str, object], None]
) -> None:
    """No act, no transfer, no credit; memory does not grow, the books are proved, and the next poll is answered."""
    async with rig_type(tmp_path) as rig:
        by_time = rig.line.by_time
        await rig.sas.exceptions()
        await rig.game(1000)
        acts, grown_from = await rig.events("host_act"), 0
        tracemalloc.start()
        for number, piece in enumerate(bursts(19, BYTES)):
            rig.line.say(symbols(piece, number, by_time=by_time))
            await asyncio.sleep(0.03)
            if len(rig.line.said) > 1000:
                rig.line.said.clear()
            if number == 2_000:
                grown_from, _ = tracemalloc.get_traced_memory()
        grown = tracemalloc.get_traced_memory()[0] - grown_from
        tracemalloc.stop()
        await asyncio.sleep(1.0)
        assert await rig.events("host_act") == acts
        assert (rig.credit, await rig.meter("host_in")) == (1000, 0)
        assert rig.shown == "idle"
        assert (await rig.sas.number(0x1A), rig.machine.journal.lock) == (1000, None)
        await rig.journal.do(lambda tx: tx.prove())
        assert grown < MOST_GROWTH
        line = "without" if by_time else "with"
        record_property("proof", f"{BYTES:,} bytes of noise {line} the wake-up bit: memory grew by {grown // 1024} KiB")
