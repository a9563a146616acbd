"""A real supervisor with pins, hard meters and a display, and without serial devices, on whatever loop runs.

On a loop with virtual time it plays as fast as the machine can; on a real one it keeps real time.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
from gpiozero.pins.mock import MockFactory

from controller.hardware.wires import Wires
from controller.journal.journal import Journal
from controller.journal.store import Store
from controller.rounds.draws import DrawSource
from controller.supervisor import Supervisor
from controller.system.notify import Notifier
from drivers.capabilities import Verdict
from drivers.clock import LoopClock
from drivers.pins.header import PinHeader
from drivers.port import Port
from drivers.simulated.pins.factory import ForgetfulPin
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.messages import MAX_PACKET, Ack, Hello, Press, Show, Snapshot, View, decode_to_display, encode

NOTE_CENTS = 5000
_RETRY_S = 0.05


class PlainDisplay:
    """A display without a picture, on the supervisor's own loop: every show lasts `show_s` seconds."""

    def __init__(self, path: Path, show_s: float) -> None:
        self._path = path
        self._show_s = show_s
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        self._news = asyncio.Event()
        self.view = View(state="")
        self.turn = 0

    async def run(self) -> None:
        """Connect, obey until cancelled, hang up."""
        loop = asyncio.get_running_loop()
        with self._socket:
            while not self._path.exists():  # noqa: ASYNC110 - a socket's file has no event
                await asyncio.sleep(_RETRY_S)
            await loop.sock_connect(self._socket, str(self._path))
            await loop.sock_sendall(self._socket, encode(Hello()))
            while packet := await loop.sock_recv(self._socket, MAX_PACKET):
                message = decode_to_display(packet)
                if isinstance(message, Show):
                    await asyncio.sleep(self._show_s)
                    await loop.sock_sendall(self._socket, encode(Ack(message.number)))
                elif isinstance(message, Snapshot):
                    self.view, self.turn = message.view, message.turn
                    self._news.set()

    async def press(self, control: str) -> None:
        """Touch a control on what is shown now."""
        await asyncio.get_running_loop().sock_sendall(self._socket, encode(Press(control, self.turn)))

    async def until(self, holds: Callable[[View], bool]) -> View:
        """Return the first view, the present one included, that `holds`."""
        while not holds(self.view):
            self._news.clear()
            await self._news.wait()
        return self.view


class CoreCabinet:
    """One supervisor on a new journal in `folder`; use it as an asynchronous context manager.

    `unit_cents` is what a pulse of the money meters means, `show_s` how long a show lasts; `store` opens the journal.
    """

    def __init__(
        self,
        folder: Path,
        *,
        draws: DrawSource,
        unit_cents: int,
        show_s: float = 0.0,
        store: Callable[[Path], Store] | None = None,
    ) -> None:
        replace = msgspec.structs.replace
        wired = configuration(folder)
        pins = replace(wired.pins, doors={}, keys={}, meter_unit_cents=unit_cents)
        config = replace(wired, pins=pins, coin_acceptor=None, bill_validator=None, hopper=None)
        path = Path(config.cabinet.journal)
        opened = store or _opened
        self.supervisor = Supervisor(
            config,
            Journal(lambda: opened(path)),
            draws=draws,
            clock=LoopClock(),
            wires=Wires(PinHeader(partial(MockFactory, pin_class=ForgetfulPin)), _no_port),
            boot="a boot",
        )
        self.display = PlainDisplay(config.cabinet.display_socket, show_s)
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self.supervisor.run(Notifier())),
            asyncio.create_task(self.display.run()),
        ]
        await self.display.until(lambda view: view.state == "attract")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self.supervisor.journal.close()

    async def insert_note(self) -> None:
        """Say what the bill validator's driver says when a note of 50.00 is taken."""
        listener = self.supervisor.listener
        verdict = await listener.bill_in_escrow(NOTE_CENTS)
        if verdict is not Verdict.STACK:
            raise RuntimeError(f"the note was not taken: {verdict}; state {self.display.view.state}")
        await listener.bill_stacked(NOTE_CENTS)
        await listener.bill_acknowledged()
        await self.display.until(lambda view: view.state == "idle")

    async def fund(self) -> None:
        """Put money in where the bet needs it."""
        bet = self.display.view.bet
        if bet is None or self.supervisor.journal.credit_cents < bet.cents:
            await self.insert_note()

    async def play_round(self) -> None:
        """Touch SPIN, with enough money in, and go on with whatever is offered until the round is over."""
        await self.fund()
        await self.display.press("spin")
        await self.finish_round()

    async def finish_round(self) -> None:
        """Answer every offer of the round that was just begun, until the next one may begin."""
        while True:
            pressed, waits = self.display.turn, ("idle", "offer", "gamble_offer")
            await self.display.until(lambda view: view.state in waits and self.display.turn > pressed)  # noqa: B023 - awaited within this pass
            if self.display.view.state == "idle":
                return
            await self.display.press("spin" if self.display.view.state == "offer" else "collect")


def _opened(path: Path) -> Store:
    return Store(path, lambda: 0, simulated=True, create=True)


def _no_port(path: str, _parity: str, _stop_bits: int) -> Port:
    raise RuntimeError(f"{path}: this cabinet has no serial devices")
