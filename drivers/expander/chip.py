"""An MCP23017 port expander: its wanted registers and the levels of its pins (Microchip DS20001952).

The wanted registers are stored here, so that they can be written again to a chip that lost power. Registers are
addressed with IOCON.BANK = 0: port A's, then port B's. A pair is one 16-bit word here, with B0 in bit 8.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from common.error_words import error_words
from drivers.errors import PortError
from drivers.expander.i2c import I2cBus
from drivers.pin_names import address_of

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(0x00, 0x16, 2)
"""The register pairs by the address of port A's register."""

MIRROR = 0x40
"""IOCON: INTA signals both ports."""
OPEN_DRAIN = 0x04
"""IOCON: the interrupt output pulls to ground only, so 5 V never come to the header."""

_OURS = (MIRROR | OPEN_DRAIN) * 0x0101
_ALL = 0xFFFF
# In a chip that was left with BANK = 1 this is the address of IOCON; otherwise of GPINTENB, which is written later.
_IOCON_OF_BANK_1 = 0x05
# IOCON is checked with every exchange, since a chip without supply loses it; other registers at this interval.
_CHECK_EVERY = 50


class ExpanderChip:
    """The chip `name` (`x20` to `x27`) on `bus`; may be used from any thread.

    `on_wanted()` is called after each change that `exchange` must write. Each method that accesses the chip raises
    `PortError` if the chip does not answer or its registers have changed.
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
        """The chip's name in messages."""
        return f"expander 0x{self.address:02x}"

    @property
    def serving(self) -> bool:
        """Whether the chip's registers have been written."""
        return bool(self._written)

    # setting up pins

    def make_input(self, bit: int, *, pull_up: bool) -> None:
        """Make the pin an input at the next exchange."""
        with self._lock:
            self._unread |= 1 << bit
            self._inputs |= 1 << bit
            self._pulls = _with(self._pulls, bit, on=pull_up)
            self._outputs &= ~(1 << bit)
        self._notify()

    def make_output(self, bit: int, *, on: bool) -> None:
        """Make the pin an output with that level at the next exchange."""
        with self._lock:
            self._inputs &= ~(1 << bit)
            self._outputs = _with(self._outputs, bit, on=on)
        self._notify()

    def output(self, bit: int) -> bool:
        """Return the last set level of an output."""
        return bool(self._outputs & 1 << bit)

    def is_input(self, bit: int) -> bool:
        """Return whether the pin is an input."""
        return bool(self._inputs & 1 << bit)

    def watch(self, bit: int, on_edge: Callable[[bool], None] | None) -> None:
        """Call `on_edge(level)` for each edge, on the thread that calls `exchange`; None ends that."""
        with self._lock:
            if on_edge is None:
                self._watchers.pop(bit, None)
            else:
                self._watchers[bit] = on_edge
        self._notify()

    def level(self, bit: int) -> bool:
        """Return the input's last known level; read it if it was never read."""
        with self._lock:
            if self._unread & 1 << bit:
                self.exchange()
            return bool(self._levels & 1 << bit)

    # accessing the chip

    def begin(self) -> None:
        """Write all registers of a chip in any state; raise `PortError` if it does not answer."""
        with self._lock:
            self._written = {}
            # levels before directions: no output starts with the level of an earlier program
            wanted = self._wanted()
            with self._named():
                self._bus.write(self.address, _IOCON_OF_BANK_1, b"\0")
                self._bus.write(self.address, OLAT, _bytes(wanted[OLAT]))
                self._bus.write(self.address, IODIR, b"".join(_bytes(wanted[pair]) for pair in range(IODIR, INTF, 2)))
                self._written = wanted
                self._read()

    def exchange(self) -> None:
        """Write changed registers, read the inputs and call their watchers for the edges since the last exchange."""
        with self._lock:
            if not self._written:
                raise PortError(f"{self.label} does not answer; look after its cable and its supply")
            with self._named():
                self._write_changes()
                self._read()

    def rest(self) -> None:
        """Switch every output off and stop serving the chip; ignore a chip that does not answer."""
        with self._lock:
            serving, self._written = bool(self._written), {}
            if not serving:
                return
            try:
                self._bus.write(self.address, OLAT, _bytes(0))
                self._bus.write(self.address, IODIR, _bytes(_ALL))
            except OSError:
                # a chip without supply drives nothing; for a chip without bus there is the RESET line
                return

    def close(self) -> None:
        """Switch the outputs off and close the bus; may be called twice."""
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
            # a level that changed and changed back between two reads counts as edges: the contact moved
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
        """Turn the bus's errors into a `PortError` that names the chip; its registers are unknown afterwards."""
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
