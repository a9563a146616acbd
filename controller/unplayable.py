"""A cabinet whose journal cannot be used: nothing is staked, nothing overwritten, and the screen says why."""

import asyncio
from pathlib import Path

from controller.configuration import Cabinet
from controller.display_link import DisplayLink
from controller.journal.errors import JournalError
from controller.notify import Notifier
from controller.states import State
from drivers.clock import Clock
from ui.messages import Notice, View


async def serve_locked_screen(cabinet: Cabinet, error: JournalError, notifier: Notifier, clock: Clock) -> None:
    """Show the reason until cancelled; no driver runs, so every output is off and every money device inhibited."""
    link = DisplayLink(
        Path(cabinet.cabinet.display_socket),
        on_press=lambda _control: None,
        on_ack=lambda _number: None,
        on_frames=lambda _frames: None,
        on_deaf=lambda _pid: None,
        clock=clock,
    )
    notice = Notice(error.code, str(error), who="technician", stops_play=True)
    link.publish(View(state=State.LOCKED, notices=(notice,), language=cabinet.cabinet.language), turn=1)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(link.run())
        notifier.ready()
        while True:
            notifier.watchdog()
            await clock.sleep((notifier.watchdog_s or 10.0) / 3)
