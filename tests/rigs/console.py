"""The console's socket over a machine, and `cabinet service` before it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from click.testing import CliRunner, Result

from controller.cli import main
from controller.features.console.link import OWNER, ConsoleLink, MachineMenu
from controller.fitting import Menu
from drivers.clock import LoopClock
from tests.rigs.machine import Rig

T = TypeVar("T")


@asynccontextmanager
async def serving(rig: Rig, folder: Path, *, mode: int = OWNER, menu: Menu | None = None) -> AsyncIterator[Path]:
    """The console's socket of that machine, or of its `menu`."""
    path = folder / "console.sock"
    menu = menu or MachineMenu(rig.machine.parts)
    link = asyncio.create_task(ConsoleLink(path, menu, LoopClock(), mode=mode).run())
    try:
        await rig.until_true(path.exists)
        yield path
    finally:
        link.cancel()
        await asyncio.gather(link, return_exceptions=True)


async def apart(work: Callable[[], T]) -> T:
    """Do something in a thread of its own, as another process would."""
    return await asyncio.to_thread(work)


def run(path: Path, *arguments: str, typed: str = "") -> Result:
    """`cabinet service` with these arguments, and this typed into it."""
    return CliRunner().invoke(main, ["service", "--socket", str(path), *arguments], input=typed)
