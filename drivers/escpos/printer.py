"""Driver of an ESC/POS ticket printer.

How the driver confirms that a slip is printed:

- A printer answers GS ( H with a process ID when all earlier data is printed and cut. Each slip has its own ID,
  requested after its cut.
- A printer that does not support GS ( H is asked for its status with GS r, which it answers after earlier data. GS r is
  sent four times, because its answers have no number.
- The same request is sent alone before a slip. Its answer shows that the printer's buffer is empty and that no answer
  to an earlier request is pending.
- The answer is not accepted while the real-time status shows an error, an open cover or no paper.

A slip that was sent and is not confirmed is never sent again. DLE DC4 clears it from the printer's buffer, so that new
paper does not print a ticket that is void in the books; not every printer supports that. The start of an interrupted
slip may be left in the printer: it is cut off before the next slip, after a slip without confirmation and before the
first slip after each start, which may follow a power cut.
"""

import asyncio
import logging
from collections.abc import Callable
from secrets import randbelow
from typing import Final

from drivers.capabilities import TICKET_PRINTER, DeviceLog, PrintEnd, Slip
from drivers.clock import Clock
from drivers.device_words import readable
from drivers.errors import IdentityError, NoReplyError, WireError
from drivers.escpos.encoder import SlipEncoder
from drivers.escpos.faults import FaultReports
from drivers.escpos.link import EscposLink
from drivers.escpos.protocol import (
    CLEAR_BUFFERS,
    IDS,
    INITIALIZE,
    MAKER,
    MODEL,
    NO_AUTOMATIC_STATUS,
    RECOVER,
    TRANSMIT_STATUS,
    process_id,
    report_processed,
)
from drivers.link_faults import answered, found
from drivers.port import Port
from drivers.waiting import wait_until
from drivers.wiring import TicketPrinter as Settings

_log = logging.getLogger(__name__)

PRINT_LIMIT_S: Final = 20.0
"""Timeout of a slip after its last byte: a long slip takes three seconds, a hot head longer."""
ANSWER_S: Final = 2.0
"""Timeout of an idle printer's answer to a buffered request."""
LOOK_S: Final = 0.25
"""Interval between status requests while a slip is printed."""
STRAY_S: Final = 0.5
"""Silence after the answers to GS r before a slip is sent, and between two readings of the printer's name."""
NAME_TRIES: Final = 5
"""How often a printer is asked for its name until two readings agree."""
QUESTIONS: Final = 4
"""The number of GS r requests that replace one process ID."""
RECOVER_EVERY_S: Final = 15.0
"""Interval of recovery commands after a cutter or paper jam: the printer cannot detect that it was cleared."""


class _Order:
    """A slip to be printed, whose caller waits for the result."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.sent = False
        self.end: asyncio.Future[PrintEnd] = asyncio.get_running_loop().create_future()

    @property
    def printed(self) -> bool:
        return self.end.done() and not self.end.cancelled() and self.end.result() is PrintEnd.PRINTED

    def ends(self, end: PrintEnd) -> None:
        if not self.end.done():
            self.end.set_result(end)


class EscposPrinter:
    """A ticket printer, a `drivers.capabilities.TicketPrinter`.

    `draw` returns a random number below its argument, used as the first process ID.
    """

    name = TICKET_PRINTER

    def __init__(
        self,
        settings: Settings,
        port: Port,
        clock: Clock,
        listener: DeviceLog,
        *,
        draw: Callable[[int], int] = randbelow,
    ) -> None:
        self._settings = settings
        self._port = port
        self._clock = clock
        self._listener = listener
        self._number = draw(IDS)
        self._turn = asyncio.Lock()
        self._called = asyncio.Event()
        self._order: _Order | None = None
        self._encoder: SlipEncoder | None = None
        self._session: _Session | None = None
        self._edge_cut = False

    def __repr__(self) -> str:
        return f"<EscposPrinter {self._port.path} {'ready' if self.ready else 'not ready'}>"

    @property
    def ready(self) -> bool:
        """Whether the printer answers, has paper and reports no error."""
        return self._session is not None and self._session.ready

    async def print(self, slip: Slip) -> PrintEnd:
        """Print `slip` once; it is never sent again automatically. Concurrent calls are queued.

        Raise `ValueError` if its barcode cannot be printed. If the call is cancelled before the first byte is sent, the
        slip is not printed.
        """
        async with self._turn:
            if self._encoder is None or not self.ready:
                return PrintEnd.NOT_PRINTED
            lead = b"" if self._edge_cut else self._encoder.separate()
            order = self._order = _Order(lead + self._encoder.encode(slip))
            self._called.set()
            try:
                return await order.end
            finally:
                self._order = None
                if order.sent:
                    self._edge_cut = order.printed

    async def run(self) -> None:
        """Poll the status and print queued slips until cancelled.

        Raise `NoReplyError` when the printer falls silent, `IdentityError` if it cannot report what it has printed,
        `PortError` when the line is lost, `SettingsError` for an invalid profile. May be run again after each of them.
        """
        if self._encoder is None:
            self._encoder = await asyncio.to_thread(SlipEncoder, self._settings.profile, self._settings.dots)
        baud = self._settings.baud if self._settings.link == "serial" else 0
        session = _Session(EscposLink(self._port, self._clock, baud), self._clock, self._listener, self._next_id)
        try:
            await session.begin()
            self._session = session
            while True:
                await self._step(session)
        except NoReplyError as error:
            await self._listener.device_fault(self.name, "no_reply", present=True, detail=str(error))
            raise
        except IdentityError as error:
            await self._listener.device_fault(self.name, "wrong_device", present=True, detail=str(error))
            raise
        finally:
            self._end()

    def stop(self) -> None:
        """Close the line; a slip being printed ends as unknown."""
        self._end()

    def _end(self) -> None:
        self._session = None
        self._port.close()
        if self._order is not None:
            self._order.ends(PrintEnd.UNKNOWN if self._order.sent else PrintEnd.NOT_PRINTED)

    def _next_id(self) -> bytes:
        self._number = (self._number + 1) % IDS
        return process_id(self._number)

    async def _step(self, session: "_Session") -> None:
        self._called.clear()
        order = self._order
        if order is None or order.end.done():
            await session.look()
            await wait_until(self._clock.now() + self._settings.poll_ms / 1000, self._called, self._clock)
            return
        order.ends(await session.print(order))


class _Session:
    """One session with the printer, from opening the port to losing it."""

    def __init__(self, link: EscposLink, clock: Clock, listener: DeviceLog, next_id: Callable[[], bytes]) -> None:
        self._link = link
        self._clock = clock
        self._listener = listener
        self._next_id = next_id
        self._faults = FaultReports(clock, listener)
        self._identified = False
        self._numbered = False
        self._recovered_at = clock.now()

    @property
    def ready(self) -> bool:
        return self._identified and self._faults.clean

    async def begin(self) -> None:
        """Open the port, clear the printer's buffer, and identify the printer.

        Raise `IdentityError` if the device that answers is not a printer.
        """
        await self._link.open()
        await self._link.send(CLEAR_BUFFERS)
        noise = self._link.noise
        try:
            await self.look()
            await answered(TICKET_PRINTER, self._listener)
        except NoReplyError as error:
            if self._link.noise != noise:
                raise IdentityError(
                    f"{self._link.path}: what answers is no ESC/POS printer: check the port and its baud rate"
                ) from error
            raise

    async def look(self) -> None:
        """Request the status, report changes, and identify the printer once it is ready."""
        status = await self._link.status()
        await self._faults.take(status)
        if status.clean and not self._identified:
            await self._identify()
        jammed = (status.cutter_jam or status.paper_jam) and not status.cover_open
        if jammed and self._clock.now() - self._recovered_at >= RECOVER_EVERY_S:
            self._recovered_at = self._clock.now()
            await self._link.send(RECOVER)

    async def _identify(self) -> None:
        """Read the printer's name and detect which request confirms printing.

        The answers are buffered, so a printer whose cover is opened meanwhile is asked again later.
        """
        await self._link.send(INITIALIZE + NO_AUTOMATIC_STATUS)
        named = await self._name()
        self._numbered = await self._asked_by_number()
        if not self._numbered and not await self._asked_by_status():
            if not (await self._link.status()).clean:
                return
            raise IdentityError(
                f"{self._link.path}: the printer answers neither GS ( H nor GS r: nobody could know what it has printed"
            )
        identity = f"{named} ({'process ID' if self._numbered else 'status'})"
        await found(TICKET_PRINTER, identity, self._listener)
        self._identified = True

    async def _name(self) -> str:
        """Return the printer's maker and model once two readings of both agree; an answer may come too late.

        Raise `WireError` if none do.
        """
        before = None
        for _ in range(NAME_TRIES):
            words = [await self._link.text(command, ANSWER_S) for command in (MAKER, MODEL)]
            if words == before:
                return " ".join(readable(each) for each in words if each) or "ESC/POS printer without a name"
            before = words
            await self._link.fall_silent(STRAY_S)
        raise WireError(f"{self._link.path}: the printer calls itself something else each time: check its cable")

    # Buffered requests.

    async def _asked_by_number(self) -> bool:
        """Request a process ID; return whether it came. Text that an unsupporting printer made of it is cleared."""
        number = self._next_id()
        await self._link.send(report_processed(number) + INITIALIZE)
        return await self._comes(lambda: number in self._link.processed, self._sent_at + ANSWER_S)

    async def _asked_by_status(self) -> bool:
        """Send GS r; return whether it was answered exactly and the line is silent."""
        heard, noise = self._link.transmitted, self._link.noise
        await self._link.send(TRANSMIT_STATUS * QUESTIONS)
        came = await self._comes(lambda: self._link.transmitted >= heard + QUESTIONS, self._sent_at + ANSWER_S)
        return came and await self._link.fall_silent(STRAY_S) and self._link.noise == noise

    @property
    def _sent_at(self) -> float:
        """When the last byte is sent; in the future while the kernel still buffers bytes."""
        return max(self._clock.now(), self._link.sent_at)

    async def _comes(self, has_come: Callable[[], bool], due: float) -> bool:
        """Read until `has_come` returns True; return False at `due`."""
        while not has_come():
            left = due - self._clock.now()
            if left <= 0:
                return False
            await self._link.hear(left)
        return True

    # Printing.

    async def print(self, order: _Order) -> PrintEnd:
        """Print an order; raise a `DriverError` when the printer is lost."""
        status = await self._link.status()
        await self._faults.take(status)
        idle = status.clean and (await self._asked_by_number() if self._numbered else await self._asked_by_status())
        if not idle or order.end.done():
            return PrintEnd.NOT_PRINTED
        number = self._next_id()
        heard, noise = self._link.transmitted, self._link.noise
        question = report_processed(number) if self._numbered else TRANSMIT_STATUS * QUESTIONS

        def confirmed() -> bool:
            if self._numbered:
                return number in self._link.processed
            return self._link.transmitted == heard + QUESTIONS and self._link.noise == noise

        self._link.processed.clear()
        order.sent = True
        await self._link.send(order.data + question)
        cause = await self._watch(confirmed)
        if cause is None:
            _log.info("%s: a slip is printed", TICKET_PRINTER)
            return PrintEnd.PRINTED
        _log.warning("%s: a slip is not known to be printed: %s", TICKET_PRINTER, cause)
        await self._link.send(CLEAR_BUFFERS)
        return PrintEnd.UNKNOWN

    async def _watch(self, confirmed: Callable[[], bool]) -> str | None:
        """Wait until the slip is printed; return None, or why it may not be."""
        look_at = self._sent_at
        deadline = look_at + PRINT_LIMIT_S
        while self._clock.now() < deadline:
            await self._comes(confirmed, look_at)
            done = confirmed()
            try:
                status = await self._link.status()
            except NoReplyError:
                # some printers do not answer while they print; a lost printer is detected afterwards
                continue
            await self._faults.take(status)
            if status.ruinous:
                return f"the printer reports {', '.join(self._faults.codes(status))}"
            if done and status.clean and confirmed():
                return None
            look_at = self._clock.now() + LOOK_S
            if done:
                await self._clock.sleep(LOOK_S)
        return f"no report within {PRINT_LIMIT_S:.0f} s"
