"""A cabinet that cannot be played from the start: nothing is staked, nothing overwritten, and the screen says why."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from controller.configuration import Cabinet
from controller.display_link import DisplayLink
from controller.driver_tasks import keep_running
from controller.locking import LockingError
from controller.notify import Notifier
from controller.picture import lock_notice
from controller.states import State
from drivers.capabilities import CoinReport, CoinWay
from drivers.clock import Clock
from drivers.coin_acceptor import CoinAcceptor
from drivers.port import Port
from drivers.serial_port import Parity, StopBits
from ui.messages import View


class ClosedBooks:
    """What a money driver finds where there is no journal: it can have nothing recorded, and ends."""

    def __init__(self, error: LockingError) -> None:
        self._error = error

    async def coin_counter(self, serial: int) -> int | None:  # noqa: ARG002 - the listener's signature
        """Raise the reason: nothing is known of that device."""
        raise self._error

    async def coins(self, report: CoinReport) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the reason: nothing can be credited, and what came stays in the device."""
        raise self._error

    async def device_found(self, device: str, identity: str) -> None:
        """Record nothing: there is no book to record it in."""

    async def coin_way(self) -> CoinWay:
        """Raise the reason: nothing is known of a diverter."""
        raise self._error

    async def coins_fall(self, way: CoinWay) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the reason: nothing can be recorded, so nothing is diverted."""
        raise self._error

    async def coin_test(self, serial: int) -> str:  # noqa: ARG002 - the listener's signature
        """Raise the reason: nothing is known of a test."""
        raise self._error

    async def coin_test_is(self, serial: int, test: str) -> None:  # noqa: ARG002 - the listener's signature
        """Raise the reason: nothing can be recorded."""
        raise self._error

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Record nothing: the screen already says the one thing that matters."""


async def serve_locked_screen(
    cabinet: Cabinet,
    error: LockingError,
    notifier: Notifier,
    clock: Clock,
    port: Callable[[str, Parity, StopBits], Port],
) -> None:
    """Show the reason until cancelled; no pin is opened, so every output is off.

    An earlier supervisor may have been killed with the coin acceptor enabled, which would go on swallowing coins: it is
    inhibited through `port`. A bill validator that nobody polls gives its notes back by itself.
    """
    link = DisplayLink(
        cabinet.cabinet.display_socket,
        on_press=lambda _control: None,
        on_ack=lambda _number: None,
        on_frames=lambda _frames: None,
        on_deaf=lambda _pid: None,
        clock=clock,
    )
    notice = lock_notice(error)
    link.publish(View(state=State.LOCKED, notices=(notice,), language=cabinet.cabinet.language), turn=1)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(link.run())
        if cabinet.coin_acceptor is not None:
            line = port(cabinet.coin_acceptor.port, "none", 1)
            books = ClosedBooks(error)
            tasks.create_task(_inhibit(CoinAcceptor(cabinet.coin_acceptor, line, clock, books), books, clock))
        notifier.ready()
        while True:
            notifier.watchdog()
            await clock.sleep((notifier.watchdog_s or 10.0) / 3)


async def _inhibit(acceptor: CoinAcceptor, books: ClosedBooks, clock: Clock) -> None:
    """Start the driver until it gets through: it inhibits its device before it asks what the journal knows of it."""
    with suppress(LockingError):
        await keep_running(acceptor, books, clock)
