"""A ccTalk hopper as seen from its tray and from the far end of its wire (protocols.md, 1, "Hopper")."""

from collections.abc import Callable
from enum import IntFlag

from drivers.cctalk import Header
from drivers.simulated.cctalk_device import SERIAL_BYTES, CctalkDevice, Identity, Refusal

COIN_S = 0.2
TIMEOUT_S = 3.0
ENABLE_KEY = b"\xa5"
LAST_COUNTER = 255
LIFETIME_BYTES = 3
IDENTITY = Identity(category=b"Payout", product=b"SIMHOP", build=b"EUR01", serial=815)


class Register1(IntFlag):
    """The first status byte of request 163."""

    MAX_CURRENT = 0x01
    TIMEOUT = 0x02
    BLOCKED_DURING_PAYOUT = 0x20
    POWERED_UP = 0x40
    DISABLED = 0x80


class Register3(IntFlag):
    """The third status byte."""

    POWER_DOWN_DURING_PAYOUT = 0x01


def _ignore(_value_cents: int) -> None:
    """Nobody watches."""


class SimulatedHopper(CctalkDevice):
    """A hopper that pays one coin every `COIN_S` seconds into a tray; `coin_out(cents)` is called for each.

    Its lifetime counter, what it paid and left unpaid, and the power-down flag survive power cuts. Told
    `jammed`, its motor stalls: it gives up after `TIMEOUT_S` unless `notices_jam` is off. `runaway` is how many
    coins slip out after the next payout's last.
    """

    def __init__(
        self,
        *,
        value_cents: int = 100,
        stock: int = 500,
        address: int = 3,
        identity: Identity = IDENTITY,
        echo: bool = False,
        coin_out: Callable[[int], None] = _ignore,
    ) -> None:
        super().__init__(address, identity, echo=echo)
        self.value_cents = value_cents
        self.stock = stock
        self.coin_out = coin_out
        self.jammed = False
        self.notices_jam = True
        self.runaway = 0
        self.steps_on_nak = False
        self.lifetime = 0
        self.dispenses = 0
        self.counter = 0
        self.remaining = 0
        self.paid = 0
        self.unpaid = 0
        self._enabled = False
        self._register1 = Register1(0)
        self._register3 = Register3(0)

    def started(self) -> None:
        """Start disabled, with event counter 0; what became of the last payout is still known."""
        self.counter = 0
        self._enabled = False
        self._register1 = Register1.POWERED_UP

    def lost_power(self) -> None:
        """Remember a payout that the failing power interrupts."""
        if self.remaining:
            self.unpaid, self.remaining = self.remaining, 0
            self._register3 |= Register3.POWER_DOWN_DURING_PAYOUT

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the hopper's own requests."""
        answer: bytes | Refusal = b""
        match header:
            case Header.TEST_HOPPER:
                disabled = Register1(0) if self._enabled else Register1.DISABLED
                answer = bytes((self._register1 | disabled, 0, self._register3))
            case Header.ENABLE_HOPPER if len(data) == 1:
                self._enabled = data == ENABLE_KEY
            case Header.HOPPER_STATUS:
                answer = bytes((self.counter, self.remaining, self.paid, self.unpaid))
            case Header.DISPENSE:
                answer = self._dispense(data)
            case Header.DISPENSE_COUNT:
                answer = self.lifetime.to_bytes(LIFETIME_BYTES, "little")
            case Header.EMERGENCY_STOP:
                answer = self._stop()
            case Header.PAYOUT_LEVEL:
                answer = bytes(1)
            case Header.HOPPER_COIN:
                answer = f"EU{self.value_cents:03}A".encode()
            case Header.RESET:
                answer = super().answer(header, data)
                self.paid = self.unpaid = 0
                self._register1 = Register1(0)
                self._register3 = Register3(0)
            case _:
                answer = super().answer(header, data)
        return answer

    def _dispense(self, data: bytes) -> bytes | Refusal:
        serial, coins = data[:-1], data[-1:]
        refused = (
            not self._enabled
            or self.remaining > 0
            or self._register3
            or serial != self.identity.serial.to_bytes(SERIAL_BYTES, "little")
            or coins == b"\0"
        )
        if not refused or self.steps_on_nak:
            self.counter = self.counter % LAST_COUNTER + 1
        if refused:
            return Refusal.NAK
        self.dispenses += 1
        self.remaining, self.paid, self.unpaid = coins[0], 0, 0
        self._register1 = Register1(0)
        self._turn()
        return bytes((self.counter,))

    def _turn(self) -> None:
        """Bring the next coin to the exit, or find out that none comes."""
        if self.stock and not self.jammed:
            self.later(COIN_S, self._pay_coin)
        elif self.jammed and self.notices_jam:
            self.later(TIMEOUT_S, lambda: self._give_up(Register1.MAX_CURRENT | Register1.BLOCKED_DURING_PAYOUT))
        elif not self.jammed:
            self.later(TIMEOUT_S, lambda: self._give_up(Register1.TIMEOUT))

    def _pay_coin(self) -> None:
        if self.jammed or not self.stock:
            self._turn()
            return
        self._eject()
        self.paid += 1
        self.remaining -= 1
        if self.remaining:
            self._turn()
        elif self.runaway:
            self.later(COIN_S, self._run_away)

    def _run_away(self) -> None:
        if self.stock:
            self._eject()
        self.runaway -= 1
        if self.runaway:
            self.later(COIN_S, self._run_away)

    def _eject(self) -> None:
        self.stock -= 1
        self.lifetime = (self.lifetime + 1) % (1 << 8 * LIFETIME_BYTES)
        self.coin_out(self.value_cents)

    def _give_up(self, why: Register1) -> None:
        self.unpaid, self.remaining = self.remaining, 0
        self._register1 |= why

    def _stop(self) -> bytes:
        left = self.remaining
        if left:
            self.cancel()
            self.unpaid, self.remaining = left, 0
        return bytes((left,))
