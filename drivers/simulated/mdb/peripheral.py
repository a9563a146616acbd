"""Base of MDB peripherals: receive blocks for an address, answer, and keep events until they are acknowledged.

A block that is corrupt, unknown or of a wrong length gets no answer (2.2: a peripheral that does not understand may
stay silent). After an answer that the master does not acknowledge, its events are reported again.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Final

import msgspec

from drivers.simulated.mdb.codes import ACK, ADDRESS_BITS, EXPANSION, POLL_BYTES, opened, sealed

MOST_EVENTS: Final = 32
"""The number of events that a peripheral keeps; while that many wait it accepts no money."""
SETUP_S: Final = 0.2
"""The time from power-on or a bus reset until it answers (3.2)."""


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to EXPANSION IDENTIFICATION: three, twelve and twelve characters, and the software version in BCD."""

    manufacturer: str = "SIM"
    serial: int = 1
    model: str = "SIM"
    version: int = 0x0100

    def data(self) -> bytes:
        """The 29 bytes without optional features."""
        text = f"{self.manufacturer[:3]:<3}{self.serial:012}{self.model[:12]:<12}"
        return text.encode() + self.version.to_bytes(2, "big")


class MdbPeripheral(ABC):
    """A device at `address`; without power until `power(on=True)`.

    `answer_s` is its response time. While `dead` it neither receives nor answers, as behind a broken wire.
    """

    def __init__(self, address: int) -> None:
        self.address = address
        self.powered = False
        self.dead = False
        self.answer_s = 0.002
        self.events: deque[bytes] = deque()
        self._reported = 0
        self._last = b""
        self._when_heard: Callable[[], None] | None = None
        self._deaf_until = 0.0

    def power(self, *, on: bool) -> None:
        """Switch the mains: off clears all but the non-volatile memory, on starts as after a power cut."""
        if on == self.powered:
            return
        if not on:
            self._stop()
        self.powered = on
        self._forget()
        if on:
            self._deaf_until = asyncio.get_running_loop().time() + SETUP_S
            self._start()

    def bus_reset(self) -> None:
        """Handle a bus reset (3.2): the master has held the bus down; start again as after RESET."""
        if self.powered:
            self._deaf_until = asyncio.get_running_loop().time() + SETUP_S
            self._reset()

    def hear(self, block: bytes) -> bytes | None:
        """Carry out a block from the master; return the answer, None for silence."""
        data = opened(block)
        deaf = not self.powered or self.dead or asyncio.get_running_loop().time() < self._deaf_until
        if deaf or data is None or data[0] & ADDRESS_BITS != self.address:
            return None
        self._reported, self._when_heard = 0, None
        expansion = data[0] & ~ADDRESS_BITS == EXPANSION and len(data) > 1
        command = int.from_bytes(data[:2], "big") if expansion else data[0]
        answer = self._answer(command, data[2:] if expansion else data[1:])
        if answer is None:
            return None
        self._last = sealed(answer) if answer else bytes((ACK,))
        return self._last

    def again(self) -> bytes:
        """Return the last answer again, after the master's RET."""
        return self._last

    def confirm(self) -> None:
        """Handle the master's ACK of the last answer: drop the events it reported."""
        for _ in range(min(self._reported, len(self.events))):
            self.events.popleft()
        self._reported = 0
        done, self._when_heard = self._when_heard, None
        if done is not None:
            done()

    @abstractmethod
    def _answer(self, command: int, data: bytes) -> bytes | None:
        """Carry out a command and return its answer, empty for ACK alone, None for silence."""

    @abstractmethod
    def _start(self) -> None:
        """Start after power-on."""

    @abstractmethod
    def _stop(self) -> None:
        """Stop every move as power fails."""

    @abstractmethod
    def _reset(self) -> None:
        """Abort any operation, disable everything and report the reset."""

    def _forget(self) -> None:
        self.events.clear()
        self._reported, self._when_heard, self._last = 0, None, b""

    @property
    def _full(self) -> bool:
        return len(self.events) >= MOST_EVENTS

    def _report(self, *event: int) -> None:
        """Queue an event for the next POLL."""
        if self.powered:
            self.events.append(bytes(event))

    def _flag(self, status: int) -> None:
        """Report a status that is pending at most once, however often it happens before the next POLL."""
        if bytes((status,)) not in self.events:
            self._report(status)

    def _polled(self, lasting: bytes) -> bytes:
        """Return the answer to POLL: the lasting states, then as many events as fit."""
        answer = lasting
        for event in self.events:
            if len(answer) + len(event) > POLL_BYTES:
                break
            answer += event
            self._reported += 1
        return answer

    def _once_heard(self, done: Callable[[], None]) -> None:
        """Call `done` when the master acknowledges the current answer."""
        self._when_heard = done
