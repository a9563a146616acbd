"""An MCP23017 port expander: what its registers shall hold, and what its pins say (Microchip DS20001952).

The wanted picture is kept here, so that it can be written again to a chip that had lost its power. Registers are
addressed with IOCON.BANK = 0: port A's, then port B's, of which a pair is one word of 16 bits here, bit 8 being B0.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from common.error_words import error_words
from drivers.errors import PortError
from drivers.expander.i2c import I2cBus
from drivers.pin_names import address_of

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(0x00, 0x16, 2)
"""The register pairs by the address of port A's."""

MIRROR = 0x40
"""IOCON: INTA signals both ports."""
OPEN_DRAIN = 0x04
"""IOCON: the interrupt output pulls to ground only, so 5 V never come to the header."""

_OURS = (MIRROR | OPEN_DRAIN) * 0x0101
_ALL = 0xFFFF
# In a chip that was left with BANK = 1 this address is IOCON; else GPINTENB, which is written afterwards anyway.
_IOCON_OF_BANK_1 = 0x05
# IOCON is read with every exchange, since a chip that had no supply has lost it; the other registers now and then.
_CHECK_EVERY = 50


class ExpanderChip:
    """The chip `name` (`x20` to `x27`) on `bus`; may be used from any thread.

    `on_wanted()` is called whenever something was changed here that `exchange` must write. Each method that talks to
    the chip raises `PortError` where it does not answer, or where its registers are not as they were left.
    """

    def __init__(self, name: str, bus: I2cBus) -> None:
        self.name = name
        self.address = address_of(name)
        self.on_wanted: Callable[[], None] | None = None
        self._bus = bus
        self._lock = threading.RLock()
        self._inputs = _ALL
        self._pulls = 0
        self._outputs = 0
        self._written: dict[int, int] = {}
        self._levels = 0
        self._unread = _ALL
        self._watchers: dict[int, Callable[[bool], None]] = {}
        self._exchanges = 0

    @property
    def label(self) -> str:
        """The chip as people call it."""
        return f"expander 0x{self.address:02x}"

    @property
    def serving(self) -> bool:
        """Whether the chip has its registers from here."""
        return bool(self._written)

    # what its pins are to do

    def make_input(self, bit: int, *, pull_up: bool) -> None:
        """Let the pin be an input from the next exchange on."""
        with self._lock:
            self._unread |= 1 << bit
            self._inputs |= 1 << bit
            self._pulls = _with(self._pulls, bit, on=pull_up)
            self._outputs &= ~(1 << bit)
        self._notify()

    def make_output(self, bit: int, *, on: bool) -> None:
        """Let the pin be an output with that level."""
        with self._lock:
            self._inputs &= ~(1 << bit)
            self._outputs = _with(self._outputs, bit, on=on)
        self._notify()

    def output(self, bit: int) -> bool:
        """The level an output was last given."""
        return bool(self._outputs & 1 << bit)

    def is_input(self, bit: int) -> bool:
        """Whether the pin is an input."""
        return bool(self._inputs & 1 << bit)

    def watch(self, bit: int, on_edge: Callable[[bool], None] | None) -> None:
        """Call `on_edge(level)` with each edge, on the thread that exchanges; None ends it."""
        with self._lock:
            if on_edge is None:
                self._watchers.pop(bit, None)
            else:
                self._watchers[bit] = on_edge
        self._notify()

    def level(self, bit: int) -> bool:
        """The input's last known level; one that was never read is read now."""
        with self._lock:
            if self._unread & 1 << bit:
                self.exchange()
            return bool(self._levels & 1 << bit)

    # talking to it

    def begin(self) -> None:
        """Give a chip in whatever state all its registers; raise `PortError` where it does not answer."""
        with self._lock:
            self._written = {}
            # the levels before the directions: no output wakes up with what an earlier program left
            wanted = self._wanted()
            with self._named():
                self._bus.write(self.address, _IOCON_OF_BANK_1, b"\0")
                self._bus.write(self.address, OLAT, _bytes(wanted[OLAT]))
                self._bus.write(self.address, IODIR, b"".join(_bytes(wanted[pair]) for pair in range(IODIR, INTF, 2)))
                self._written = wanted
                self._read()

    def exchange(self) -> None:
        """Write what has changed, read the inputs and call their watchers with the edges since the last time."""
        with self._lock:
            if not self._written:
                raise PortError(f"{self.label} does not answer; look after its cable and its supply")
            with self._named():
                self._write_changes()
                self._read()

    def rest(self) -> None:
        """De-energise every output and let go of the chip; one that does not answer is no error here."""
        with self._lock:
            serving, self._written = bool(self._written), {}
            if not serving:
                return
            try:
                self._bus.write(self.address, OLAT, _bytes(0))
                self._bus.write(self.address, IODIR, _bytes(_ALL))
            except OSError:
                # a chip without supply drives nothing; one without bus is what its RESET line is for
                return

    def close(self) -> None:
        """Rest and give the bus back; may be called twice."""
        self.rest()
        self._bus.close()

    def _notify(self) -> None:
        if self.on_wanted is not None:
            self.on_wanted()

    def _wanted(self) -> dict[int, int]:
        watched = sum(1 << bit for bit in self._watchers) & self._inputs
        return {
            IODIR: self._inputs,
            IPOL: 0,
            GPINTEN: watched,
            DEFVAL: 0,
            INTCON: 0,
            IOCON: _OURS,
            GPPU: self._pulls & self._inputs,
            OLAT: self._outputs,
        }

    def _write_changes(self) -> None:
        wanted = self._wanted()
        # OLAT first, as in `begin`
        for pair in (OLAT, GPPU, IODIR, GPINTEN):
            if wanted[pair] != self._written[pair]:
                self._bus.write(self.address, pair, _bytes(wanted[pair]))
                self._written[pair] = wanted[pair]

    def _read(self) -> None:
        self._exchanges += 1
        if self._exchanges % _CHECK_EVERY == 0:
            self._check(IODIR, self._bus.read(self.address, IODIR, IOCON - IODIR))
            self._check(OLAT, self._bus.read(self.address, OLAT, 2))
        answer = self._bus.read(self.address, IOCON, GPIO + 2 - IOCON)
        self._check(IOCON, answer[: INTF - IOCON])
        happened, captured, levels = (_word(answer, pair - IOCON) for pair in (INTF, INTCAP, GPIO))
        before, self._levels = self._levels, levels
        unread, self._unread = self._unread, 0
        for bit, on_edge in list(self._watchers.items()):
            at = 1 << bit
            if not self._inputs & at or unread & at:
                continue
            level, now = bool(before & at), bool(levels & at)
            # a level that came and went between two reads is an edge too: the contact did move
            if happened & at and bool(captured & at) != level:
                level = not level
                on_edge(level)
            if now != level:
                on_edge(now)

    def _check(self, first: int, answer: bytes) -> None:
        for at in range(0, len(answer), 2):
            pair, found = first + at, _word(answer, at)
            if found != self._written[pair]:
                self._written = {}
                raise PortError(
                    f"{self.label} has forgotten its settings (register 0x{pair:02x} holds 0x{found:04x}); "
                    "look after its supply"
                )

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn the bus's errors into a `PortError` that names the chip, of whose registers nothing is known then."""
        try:
            yield
        except PortError:
            raise
        except OSError as error:
            self._written = {}
            raise PortError(
                f"{self.label} does not answer ({error_words(error)}); look after its cable and its supply"
            ) from error

    def __repr__(self) -> str:
        state = (
            f"inputs {self._levels & self._inputs:04x} outputs {self._outputs:04x}" if self.serving else "not served"
        )
        return f"<{type(self).__name__} {self.name} {state}>"


def _with(word: int, bit: int, *, on: bool) -> int:
    return word | 1 << bit if on else word & ~(1 << bit)


def _bytes(word: int) -> bytes:
    return word.to_bytes(2, "little")


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")
