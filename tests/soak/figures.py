"""What the process holds at one moment of a soak, and how long its pages and starts take."""

import asyncio
import gc
import sys
import threading
import time
from pathlib import Path

import msgspec

from controller.journal.transaction import Transaction
from controller.service import tree
from tests.rigs.displayed_cabinet import LOADERS
from tests.rigs.process_figures import fonts, handles, live_surfaces, pixel_bytes, resident
from tests.soak.cabinet import SoakedCabinet

PAGES = ("A.1", "M.1", "M.3", "M.5", "M.6", "H.1", "H.2", "H.4")
"""Pages that read much: their times must not grow with the books."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One look: `down` is between a cut and the next start, `up` with everything running and no round open.

    Bytes and numbers; `hours` of simulated time, `wall_s` of the machine's, `cpu_s`
    of it this process's own on both its cores. `blocks` is what Python's allocator has
    given out, `objects` what the collector knows, `kinds` the file handles by what they are, `fonts`
    those of typefaces (each size of one that was drawn with keeps its own), `handles` all others.
    `page_ms` is the journal thread's work for each page, `start_ms` the process's for the newest start.
    """

    where: str
    hours: float
    wall_s: float
    cpu_s: float = 0.0
    cuts: int
    life: int
    rounds: int
    ledger_rows: int
    journal_bytes: int
    blocks: int
    objects: int
    resident: int
    surfaces: int
    pixels: int
    handles: int
    fonts: int
    kinds: dict[str, int]
    threads: int
    tasks: int
    frames: int
    start_ms: float = 0.0
    page_ms: dict[str, float] = {}

    def figures(self) -> dict[str, float]:
        """The figures that must be flat."""
        names = ("blocks", "objects", "resident", "surfaces", "pixels", "handles", "fonts", "threads", "tasks")
        return {name: getattr(self, name) for name in names}


def settled_threads() -> int:
    """Return how many threads there are once those that read art and sounds are done."""
    for thread in threading.enumerate():
        if thread.name.startswith(LOADERS):
            thread.join()
    return len(list(Path("/proc/self/task").iterdir()))


async def look(
    cabinet: SoakedCabinet, where: str, *, hours: float, wall_s: float, cuts: int, life: int, start_ms: float
) -> Sample:
    """Take a sample; a running cabinet is asked for its pages too."""
    page_ms: dict[str, float] = {}
    rounds = rows = 0
    if cabinet.supervisor is not None:
        page_ms = await _pages(cabinet)
        journal = cabinet.supervisor.journal
        rounds, rows = await journal.do(
            lambda tx: tx.execute(
                "SELECT (SELECT coalesce(max(id), 0) FROM rounds), (SELECT max(seq) FROM ledger)"
            ).fetchone()
        )
    threads = settled_threads()
    gc.unfreeze()
    gc.collect()
    surfaces = live_surfaces()
    counted = len(surfaces), pixel_bytes(surfaces)
    surfaces.clear()
    held = resident()
    kinds = handles()
    typefaces = fonts(kinds)
    return Sample(
        where=where,
        hours=round(hours, 3),
        wall_s=round(wall_s, 1),
        cpu_s=round(time.process_time(), 1),
        cuts=cuts,
        life=life,
        rounds=rounds,
        ledger_rows=rows,
        journal_bytes=cabinet.journal_path.stat().st_size,
        blocks=sys.getallocatedblocks(),
        objects=len(gc.get_objects()),
        resident=held,
        surfaces=counted[0],
        pixels=counted[1],
        handles=sum(kinds.values()) - typefaces,
        fonts=typefaces,
        kinds=dict(sorted(kinds.items())),
        threads=threads,
        tasks=len(asyncio.all_tasks()),
        frames=cabinet.frames,
        start_ms=round(start_ms, 1),
        page_ms=page_ms,
    )


async def _pages(cabinet: SoakedCabinet) -> dict[str, float]:
    """Return what each page costs the journal's thread, in milliseconds of its own time."""
    taken: dict[str, float] = {}
    assert cabinet.supervisor is not None
    machine = cabinet.supervisor.service.machine
    for code in PAGES:

        def read(tx: Transaction, code: str = code) -> float:
            before = time.thread_time()
            tree.pages()[code].read(tx, machine)
            return (time.thread_time() - before) * 1000

        taken[code] = round(await machine.journal.do(read), 3)
    return taken
