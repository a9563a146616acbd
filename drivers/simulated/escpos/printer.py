"""A simulated ticket printer that speaks ESC/POS (Epson's command reference; TM series where it varies).

The physical output is `hanging` and the pieces passed to `dropped`, independent of what the host believes.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from drivers.simulated.escpos import status
from drivers.simulated.escpos.build import Build
from drivers.simulated.escpos.command_set import DC4, ENQ, EOT, CommandParser
from drivers.simulated.escpos.interpreter import Ignored, Interpreter, Job
from drivers.simulated.escpos.mechanism import FAULTS, Cut, Mechanism
from drivers.simulated.escpos.paper import DOTS_PER_MM, HangingPaper, Piece
from drivers.simulated.escpos.receiver import Receiver
from drivers.simulated.line import HoldingLine, Line

_PULSE, _CLEAR = 1, 8
_RESTART: Final = 1
"""DLE ENQ 1 continues printing; 2 clears the buffers."""


class SimulatedPrinter:
    """The device; off until `power(on=True)`, driven by the event loop's timers.

    `dropped` is called with each piece of paper that leaves it, cut or torn, `changed` whenever `words` reads
    differently.
    """

    kind: ClassVar = "ESC/POS printer"
    faults: ClassVar = FAULTS

    def __init__(
        self,
        *,
        dropped: Callable[[Piece], None],
        changed: Callable[[], None] | None = None,
        build: Build | None = None,
    ) -> None:
        self.build = build if build is not None else Build()
        self.powered = False
        self._changed = changed
        self._line: Line | None = None
        self._ready = False
        self._starting: asyncio.TimerHandle | None = None
        self._parser = CommandParser()
        self._jobs: deque[Job] = deque()
        self._working = False
        self._reported = b""
        self._told = ""
        self._mechanism = Mechanism(self.build, dropped=dropped, changed=self._conditions_changed)
        self._interpreter = Interpreter(self.build, say=self._say, now=self._now)
        self._receiver = Receiver(self.build, obey=self._obey, work=self._work, hold=self._hold, say=self._say)

    # Physical actions and visible state.

    @property
    def hanging(self) -> HangingPaper:
        """The paper that is printed and not yet cut."""
        return self._mechanism.paper

    @property
    def paper_mm(self) -> int:
        """Paper left on the roll, in millimetres."""
        return self._mechanism.roll_dots // DOTS_PER_MM

    @property
    def ignored(self) -> Sequence[Ignored]:
        """The newest commands that it did not carry out, and why."""
        return self._interpreter.ignored

    @property
    def lost_bytes(self) -> int:
        """Bytes for which its buffer had no room."""
        return self._receiver.lost

    @property
    def drawer_pulses(self) -> int:
        """The number of pulses on its drawer connector."""
        return self._interpreter.drawer_pulses

    @property
    def idle(self) -> bool:
        """Whether all received data are printed; a line may be begun without its end."""
        begun = self._parser.pending or self._jobs
        return self._receiver.empty and not begun and not self._mechanism.busy

    @property
    def words(self) -> str:
        """Its state in a few words."""
        now = self._now()
        reasons = {
            "off": not self.powered,
            "starting": not self._ready,
            "cover open": now.cover_open,
            "paper jam": now.recoverable,
            "cutter jam": now.cutter,
            "broken": now.unrecoverable,
            "waiting": now.passing,
            "paper end": now.paper_end,
            "feeding": now.feed_button,
            "printing": not self.idle,
            "paper low": now.near_end,
        }
        return next((words for words, so in reasons.items() if so), "ready")

    def load(self, roll_mm: int) -> None:
        """Insert a new roll, after pulling out the paper that hangs from the old one."""
        self._mechanism.load(roll_mm)

    def shorten(self, left_mm: int) -> None:
        """Shorten the roll to `left_mm`."""
        self._mechanism.shorten(left_mm)

    def press_feed(self, *, down: bool) -> None:
        """Press or release the feed button; raise `ValueError` where it does nothing."""
        if down and (not self._ready or not self._interpreter.buttons or self._now().offline):
            raise ValueError("the feed button does nothing now")
        self._mechanism.feed(on=down)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin one of `FAULTS`, or remove its cause; only DLE ENQ recovers from a jam."""
        self._mechanism.set_fault(name, on)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered, by name: 1 and 0 begin and end a fault; `paper_left` takes millimetres."""

        def fault(name: str, much: int) -> None:
            self.set_fault(name, bool(much))

        return {**{name: partial(fault, name) for name in self.faults}, "paper_left": self.shorten}

    def power(self, *, on: bool) -> None:
        """Switch the mains. Buffers and settings are lost; paper, jams and printed rows stay."""
        if on == self.powered:
            return
        self.powered = on
        self._ready = False
        self._receiver.lose_power()
        self._parser.clear()
        self._jobs.clear()
        self._interpreter.initialise()
        self._reported = b""
        self._mechanism.power(on=on)
        if self._starting is not None:
            self._starting.cancel()
            self._starting = None
        if on:
            self._starting = asyncio.get_running_loop().call_later(self.build.start_s, self._start)
        self._tell_changed()

    # The line.

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Handle bytes from the host."""
        if self.powered:
            self._receiver.arrive(data)

    def _say(self, data: bytes) -> None:
        if self._line is not None and data and self._ready:
            self._line.send(data)

    def _hold(self, held: bool) -> None:  # noqa: FBT001 - the receiver's callback
        if isinstance(self._line, HoldingLine):
            self._line.hold(held=held)

    def _start(self) -> None:
        self._starting = None
        self._ready = True
        self._receiver.start()
        self._conditions_changed()
        self._work()

    # Execution.

    def _now(self) -> status.Conditions:
        return self._mechanism.conditions

    def _work(self) -> None:
        """Execute the buffered commands until one needs a movement or the buffer is empty."""
        if self._working or not self._ready:
            return
        self._working = True
        try:
            while not self._mechanism.busy and not self._now().offline and self._step():
                pass
        finally:
            self._working = False
        self._tell_changed()

    def _step(self) -> bool:
        """Begin the next movement, or execute the next command; return whether there was one."""
        if self._jobs:
            job = self._jobs.popleft()
            if isinstance(job, Cut):
                self._mechanism.cut(job, self._work)
            else:
                self._mechanism.print(job, self._work)
            return True
        command = self._parser.next(self._receiver.buffer)
        self._receiver.taken()
        if command is None:
            return bool(self._receiver.buffer)
        self._jobs.extend(self._interpreter.execute(command))
        self._receiver.buffer[:0] = self._interpreter.take_rest()
        return True

    def _obey(self, command: bytes) -> None:
        """Execute a real-time command at once, even while the printer is busy."""
        if not self._ready:
            return
        if command[1] == EOT:
            self._say(status.real_time(command[2], self._now()))
        elif command[1] == ENQ:
            self._recover(restart=command[2] == _RESTART)
        elif command[1] == DC4 and command[2] == _PULSE:
            self._interpreter.drawer_pulses += 1
        elif command[1] == DC4 and command[2] == _CLEAR:
            self._recover(restart=False)
            self._clear()
            self._say(status.block(status.BUFFERS_CLEARED))

    def _recover(self, *, restart: bool) -> None:
        now = self._now()
        if now.recoverable or now.cutter:
            self._mechanism.recover(restart=restart)
            if not restart:
                self._clear()
            self._work()

    def _clear(self) -> None:
        """Clear received data that is not yet printed."""
        begun = self._jobs or self._mechanism.busy or not self._interpreter.line.empty or self._parser.pending
        self._mechanism.drop()
        if begun:
            self._mechanism.broken_off("cleared")
        self._jobs.clear()
        self._parser.clear()
        self._receiver.clear()
        self._interpreter.forget_line()

    def _conditions_changed(self) -> None:
        """Report the requested automatic status, and resume work if no condition stops it."""
        if not self._ready:
            self._tell_changed()
            return
        now = self._now()
        report = status.automatic(now)
        if self._reported and status.is_reported(self._interpreter.automatic, self._reported, report):
            self._say(report)
        self._reported = report
        self._receiver.offline(on=now.offline)
        self._work()
        self._tell_changed()

    def _tell_changed(self) -> None:
        words = self.words
        if self._changed is not None and words != self._told:
            self._told = words
            self._changed()
