"""A simulated MCP23017: its registers and the effects of power and RESET on them (Microchip DS20001952).

Both banks of addresses, sequential addressing, pull-ups, interrupt on change or on difference from DEFVAL with its
captured levels, and the open-drain interrupt output. An undriven input reads high with its pull-up, else low.
"""

import errno
from collections.abc import Callable

IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON, GPPU, INTF, INTCAP, GPIO, OLAT = range(11)
"""The registers of a port, in the order of both address maps."""

_KINDS = 11
_BANK, _MIRROR, _SEQOP_OFF = 0x80, 0x40, 0x20
_PORT_B_IN_BANK_1 = 0x10
_UNIMPLEMENTED = 0x00
_READ_ONLY = (INTF, INTCAP)


class Mcp23017:
    """One chip. `on_output(bit, level)` is called when an output's level changes, an input counting as low.

    `on_interrupt(pulled)` is called with whether the interrupt output (INTA, both ports where mirrored) pulls to
    ground. `dead` chips do not answer; `power(on=False)` and `reset` reset all registers.
    """

    def __init__(
        self,
        on_output: Callable[[int, bool], None] = lambda _bit, _level: None,
        on_interrupt: Callable[[bool], None] = lambda _pulled: None,
    ) -> None:
        self.dead = False
        self._on_output = on_output
        self._on_interrupt = on_interrupt
        self._powered = True
        self._in_reset = False
        self._driven: dict[int, bool] = {}
        self._out = 0
        self._pulled = False
        self._seen = [0, 0]
        self._registers = [_power_up(), _power_up()]

    # its supply and lines

    def power(self, *, on: bool) -> None:
        """Switch the supply: all registers are at their defaults afterwards."""
        self._powered = on
        self._forget()

    def reset(self, *, active: bool) -> None:
        """Pull RESET to ground (`active`) or release it."""
        self._in_reset = active
        if active:
            self._forget()

    def drive(self, bit: int, *, level: bool | None) -> None:
        """Drive a pin to `level`, or leave it to the pull-up (None)."""
        if level is None:
            self._driven.pop(bit, None)
        else:
            self._driven[bit] = level
        self._look()

    # the bus

    @property
    def answers(self) -> bool:
        """Whether the chip acknowledges its address."""
        return self._powered and not self._in_reset and not self.dead

    def write(self, address: int, data: bytes) -> None:
        """Write registers from `address` on; raise `OSError` if the chip does not answer."""
        self._acknowledge()
        for byte in data:
            where = self._register(address)
            if where is not None:
                self._put(*where, byte)
            address = self._next(address)
        self._look()

    def read(self, address: int, count: int) -> bytes:
        """Read registers from `address` on; reading INTCAP or GPIO ends that port's interrupt. Raises as `write`."""
        self._acknowledge()
        answer = bytearray()
        for _ in range(count):
            where = self._register(address)
            answer.append(_UNIMPLEMENTED if where is None else self._get(*where))
            address = self._next(address)
        self._look()
        return bytes(answer)

    def _acknowledge(self) -> None:
        if not self.answers:
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _register(self, address: int) -> tuple[int, int] | None:
        """Return port and register at that address, None if there is none."""
        if self._registers[0][IOCON] & _BANK:
            port, kind = int(bool(address & _PORT_B_IN_BANK_1)), address & 0x0F
        else:
            port, kind = address & 1, address >> 1
        return (port, kind) if kind < _KINDS else None

    def _next(self, address: int) -> int:
        if self._registers[0][IOCON] & _SEQOP_OFF:
            return address
        return (address + 1) % (2 * _KINDS)

    def _put(self, port: int, kind: int, byte: int) -> None:
        if kind in _READ_ONLY:
            return
        if kind == IOCON:
            # one register with two addresses
            for registers in self._registers:
                registers[IOCON] = byte & 0xFE
        elif kind == GPIO:
            self._registers[port][OLAT] = byte
        else:
            self._registers[port][kind] = byte
            if kind == GPINTEN:
                self._seen[port] = self._level(port)

    def _get(self, port: int, kind: int) -> int:
        value = self._level(port) if kind == GPIO else self._registers[port][kind]
        if kind in (GPIO, INTCAP):
            self._registers[port][INTF] = 0
            self._seen[port] = self._level(port)
        return value

    # its pins

    def _level(self, port: int) -> int:
        registers = self._registers[port]
        level = 0
        for bit in range(8):
            pulled_up = bool(registers[GPPU] & 1 << bit)
            if self._driven.get(8 * port + bit, pulled_up):
                level |= 1 << bit
        read = (level & registers[IODIR]) | (registers[OLAT] & ~registers[IODIR])
        return (read ^ registers[IPOL]) & 0xFF

    def _look(self) -> None:
        """Update interrupts and outputs from the pins."""
        for port, registers in enumerate(self._registers):
            level = self._level(port)
            against_default = (level ^ registers[DEFVAL]) & registers[INTCON]
            against_before = (level ^ self._seen[port]) & ~registers[INTCON]
            happened = (against_default | against_before) & registers[GPINTEN] & 0xFF
            # the first change is captured; later ones wait until it has been read
            if happened and not registers[INTF]:
                registers[INTF], registers[INTCAP] = happened, level
        self._show()

    def _show(self) -> None:
        out = 0
        for port, registers in enumerate(self._registers):
            out |= (registers[OLAT] & ~registers[IODIR] & 0xFF) << 8 * port
        changed, self._out = out ^ self._out, out
        for bit in range(16):
            if changed & 1 << bit:
                self._on_output(bit, bool(out & 1 << bit))
        both = self._registers[0][IOCON] & _MIRROR
        pulled = self._powered and bool(self._registers[0][INTF] or (both and self._registers[1][INTF]))
        if pulled != self._pulled:
            self._pulled = pulled
            self._on_interrupt(pulled)

    def _forget(self) -> None:
        self._registers = [_power_up(), _power_up()]
        self._seen = [0, 0]
        self._show()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'answers' if self.answers else 'silent'}, outputs {self._out:04x}>"


def _power_up() -> list[int]:
    registers = [0] * _KINDS
    registers[IODIR] = 0xFF
    return registers
