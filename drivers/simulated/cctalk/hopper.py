"""A simulated ccTalk hopper (protocols.md, 1, "Hopper")."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from drivers.cctalk.hopper_status import Flag, registers
from drivers.currency import EURO
from drivers.simulated.cctalk.device import SERIAL_BYTES, CctalkDevice, Identity, Refusal
from drivers.simulated.cctalk.frames import Framing, Header
from drivers.simulated.cctalk.hopper_rows import ROWS
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.whereabouts import Piece, Spot, Whereabouts

COIN_S = 0.2
TIMEOUT_S = 3.0
TURN_BACK_S = 0.5
ENABLE_KEY = b"\xa5"
ZEROS = bytes(8)
CIPHER_BYTES = 8
PIN_BYTES = 4
FULL_HOPPER = 500
"""The number of coins in a replacement hopper."""
LAST_COUNTER = 255
LIFETIME_BYTES = 3
LOW_SENSOR, HIGH_SENSOR = 0x10, 0x20
BELOW_LOW, ABOVE_HIGH = 0x01, 0x02
EXIT_BLOCKED = 0x81
"""A coin before the first sensor of the exit, and so before any (SCH2 manual, page 35, header 236)."""
IDENTITY = Identity(category=b"Payout", product=b"SIMHOP", build=b"V01", serial=815)

CONDITIONS = frozenset({Flag.BLOCKED_IDLE, Flag.SHORT_IDLE, Flag.COIL, Flag.MEMORY})
"""Conditions that last until repaired, a failed memory until a reset; with any of them the hopper does not pay."""

UPSETS = frozenset(
    {
        Flag.MAX_CURRENT,
        Flag.REVERSED,
        Flag.BLOCKED_PAYING,
        Flag.SHORT_PAYING,
        Flag.OTHER_HOPPER,
        Flag.FINGER,
        Flag.REVERSE_LIMIT,
        Flag.UNKNOWN_COIN,
    }
)
"""Mishaps of a payout. All end it except a motor reversal, which frees the coin."""


def _ignore(_value_cents: int) -> None:
    """Ignore the notification: the default callback."""


class SimulatedHopper(CctalkDevice):
    """A hopper that pays one coin every `coin_s` seconds into a tray; `coin_out(cents)` is called for each.

    Its lifetime counter, the paid and unpaid coins, a memory failure and the power-down flag are non-volatile.

    Settable from outside: `security` is the bytes required before the number of coins in a dispense command; `pin`, if
    any, must be entered after each start; `encrypted` and `single_coin` are its switches. With `asks_for_cipher` a
    dispense must follow a request for the cipher key, and any eight bytes are accepted as security (SCH2 without
    encryption, TSP016 page 59). `low_mark` and `high_mark` are the coins at which its level sensors switch, None where
    one is not fitted. `conditions` last, an `upset` hits the next coin. If `jammed`, its motor stalls, and it gives up
    after `TIMEOUT_S` unless `notices_jam` is off. `runaway` is how many coins slip out after the next payout's last.
    `strays` are coins of another kind in it, by value in cents. While `says_low` or `says_full` a level sensor is
    stuck.
    """

    kind: ClassVar = "ccTalk hopper"

    def __init__(
        self,
        *,
        value_cents: int = 100,
        country: str = EURO.country,
        stock: int = 500,
        address: int = 3,
        identity: Identity = IDENTITY,
        echo: bool = False,
        framing: Framing = Framing.SIMPLE,
        coin_out: Callable[[int], None] = _ignore,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(address, identity, echo=echo, framing=framing, chance=chance)
        self.mishaps = Mishaps(befalling(ROWS), chance)
        self.where = Whereabouts()
        self.strays: list[int] = []
        self.says_low = self.says_full = False
        self.value_cents = value_cents
        self.country = country
        self.stock = stock
        self.coin_out = coin_out
        self.coin_s = COIN_S
        self.security = identity.serial.to_bytes(SERIAL_BYTES, "little")
        self.pin = b""
        self.encrypted = False
        self.asks_for_cipher = False
        self._ciphered = False
        self.single_coin = False
        self.low_mark: int | None = None
        self.high_mark: int | None = None
        self.conditions: set[Flag] = set()
        self.upset: Flag | None = None
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
        self._unlocked = False
        self._flags: set[Flag] = set()

    def started(self) -> None:
        """Start disabled, with event counter 0; the result of the last payout is kept."""
        self.counter = 0
        self._enabled = self._unlocked = self._ciphered = False
        self._flags = {Flag.POWER_UP, *self._flags & {Flag.POWER_DOWN}}

    def lost_power(self) -> None:
        """Remember a payout that the failing power interrupts."""
        if not self.remaining:
            return
        if self.mishaps.happens("falls_at_cut") and self._holds_coins:
            self._drop()
        self.unpaid, self.remaining = self.remaining, 0
        if self.mishaps.happens("forgets_payout"):
            self.paid = self.unpaid = 0
        else:
            self._flags.add(Flag.POWER_DOWN)

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the hopper's own requests."""
        replies: dict[int, bytes] = {
            Header.TEST_HOPPER: registers(frozenset(self._flags | self.conditions | self._switches())),
            Header.HOPPER_STATUS: bytes((self.counter, self.remaining, self.paid, self.unpaid)),
            Header.DISPENSE_COUNT: self.lifetime.to_bytes(LIFETIME_BYTES, "little"),
            Header.PAYOUT_LEVEL: bytes((self._level(),)),
            Header.OPTO_STATES: bytes((EXIT_BLOCKED if Flag.BLOCKED_IDLE in self.conditions else 0,)),
            Header.HOPPER_COIN: f"{self.country}{self.value_cents:03}A".encode(),
        }
        if header in replies:
            return replies[header]
        answer: bytes | Refusal = b""
        match header:
            case Header.ENTER_PIN:
                self._enter(data)
            case Header.NEW_PIN if len(data) == PIN_BYTES and (self._unlocked or not self.pin):
                self.pin = data
            case Header.ENABLE_HOPPER if len(data) == 1:
                self._enabled = data == ENABLE_KEY
            case Header.DISPENSE:
                answer = self._dispense(data)
            case Header.EMERGENCY_STOP:
                answer = self._stop()
            case Header.PUMP_RNG | Header.CIPHER_KEY:
                answer = self._cipher(header, data)
            case Header.RESET:
                answer = super().answer(header, data)
                self.paid = self.unpaid = 0
                self._flags.clear()
                self.conditions.discard(Flag.MEMORY)
            case _:
                answer = super().answer(header, data)
        return answer

    def _cipher(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer cipher requests (160, 161), if it uses a cipher."""
        if not self.asks_for_cipher or len(data) != (CIPHER_BYTES if header == Header.PUMP_RNG else 0):
            return Refusal.SILENCE
        if header == Header.PUMP_RNG:
            return b""
        self._ciphered = True
        return self._chance.randbytes(CIPHER_BYTES)

    def _switches(self) -> set[Flag]:
        """Return the registers for its state and its switches."""
        said = {
            Flag.DISABLED: not self._enabled,
            Flag.PIN: bool(self.pin),
            Flag.ENCRYPTED: self.encrypted,
            Flag.SINGLE_COIN: self.single_coin,
        }
        return {flag for flag, holds in said.items() if holds}

    def _enter(self, pin: bytes) -> None:
        self._unlocked = pin == self.pin
        if self._unlocked:
            self._flags.discard(Flag.PIN_WRONG)
        else:
            self._flags.add(Flag.PIN_WRONG)

    def _level(self) -> int:
        level = 0
        if self.low_mark is not None:
            level |= LOW_SENSOR | (BELOW_LOW if self.says_low or self._coins < self.low_mark else 0)
        if self.high_mark is not None:
            level |= HIGH_SENSOR | (ABOVE_HIGH if self.says_full or self._coins >= self.high_mark else 0)
        return level

    @property
    def _coins(self) -> int:
        """The number of coins in it, of any kind."""
        return self.stock + len(self.strays)

    @property
    def _holds_coins(self) -> bool:
        return self._coins > 0

    def _dispense(self, data: bytes) -> bytes | Refusal:
        if self.pin and not self._unlocked:
            return Refusal.SILENCE
        security, coins = data[:-1], data[-1] if data else 0
        right = len(security) == CIPHER_BYTES and self._ciphered if self.asks_for_cipher else security == self.security
        self._ciphered = False
        refused = (
            not right
            or not self._enabled
            or self.remaining > 0
            or Flag.POWER_DOWN in self._flags
            or bool(self.conditions)
            or not coins
            or (self.single_coin and coins > 1)
        )
        if not refused or self.steps_on_nak:
            self.counter = self.counter % LAST_COUNTER + 1
        if not right:
            self._flags.add(Flag.CIPHER_WRONG)
        if refused:
            return Refusal.NAK
        self.dispenses += 1
        self.remaining, self.paid, self.unpaid = coins, 0, 0
        self._flags.clear()
        self._turn()
        return bytes((self.counter,))

    def _turn(self) -> None:
        """Bring the next coin to the exit, or detect that none comes."""
        self.jammed = self.jammed or self.mishaps.happens("jams")
        if self._holds_coins and not self.jammed:
            self.later(self.coin_s, self._pay_coin)
        elif self.jammed and self.notices_jam:
            stuck = {Flag.REVERSED, Flag.REVERSE_LIMIT, Flag.BLOCKED_PAYING}
            self.later(TIMEOUT_S, lambda: self._give_up(*stuck))
        elif not self.jammed:
            self.later(TIMEOUT_S, lambda: self._give_up(Flag.TIMEOUT))

    def _pay_coin(self) -> None:
        if self.jammed or not self._holds_coins:
            self._turn()
            return
        if self.conditions:
            self._give_up()
            return
        upset, self.upset = self.upset or self._drawn_upset(), None
        if upset is Flag.REVERSED:
            self._flags.add(upset)
            self.later(TURN_BACK_S, self._pay_coin)
            return
        if upset not in {None, Flag.UNKNOWN_COIN}:
            self._give_up(upset)
            return
        befalls = self.mishaps.which("falls_uncounted", "counts_without_fall")
        if befalls == "falls_uncounted":
            # the sensor misses it: the motor runs on for the coin it still owes
            self._drop()
            self._turn()
            return
        if befalls != "counts_without_fall":
            self._drop(stray=upset is Flag.UNKNOWN_COIN)
        self._count()
        self.remaining -= 1
        if upset is not None:
            self._give_up(upset)
        elif self.remaining:
            self._turn()
        else:
            self._end()

    def _drawn_upset(self) -> Flag | None:
        return next((flag for flag in Flag if flag in UPSETS and self.mishaps.happens(flag.name.lower())), None)

    def _count(self) -> None:
        """Count a coin at the exit's sensor."""
        self.lifetime = (self.lifetime + 1) % (1 << 8 * LIFETIME_BYTES)
        self.paid += 1

    def _end(self) -> None:
        """End the payout: stop the motor, or let it run on."""
        self.runaway = self.runaway or int(self.mishaps.happens("runs_on"))
        if self.runaway:
            self.later(self.coin_s, self._run_away)

    def _run_away(self) -> None:
        self.slip()
        self.runaway -= 1
        if self.runaway:
            self.later(self.coin_s, self._run_away)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered, by name: 1 begins, 0 ends it; `runaway` and `slip` take a number of coins."""

        def lasts(flag: Flag, much: int) -> None:
            (self.conditions.add if much else self.conditions.discard)(flag)

        def jam(much: int) -> None:
            self.jammed = bool(much)

        def run_away(much: int) -> None:
            self.runaway = much

        def stick(sensor: str, much: int) -> None:
            setattr(self, sensor, bool(much))

        return {
            "jam": jam,
            "runaway": run_away,
            "slip": self.slip,
            "stray": self.strays.append,
            "swapped": lambda much: self.swap(much or self.value_cents),
            "count_reset": lambda _much: self.reset_count(),
            "memory_lost": lambda _much: self.lose_memory(),
            "low_stuck": partial(stick, "says_low"),
            "full_stuck": partial(stick, "says_full"),
            **{flag.name.lower(): partial(lasts, flag) for flag in Flag if flag in CONDITIONS},
            **super().troubles(),
        }

    def slip(self, coins: int = 1) -> None:
        """Drop coins without a command, with power or without; the exit's counter counts them."""
        for _ in range(coins):
            if self._holds_coins:
                self.lifetime = (self.lifetime + 1) % (1 << 8 * LIFETIME_BYTES)
                self._drop()

    def swap(self, value_cents: int, serial: int | None = None, stock: int = FULL_HOPPER) -> None:
        """Replace it by another hopper, of coins of `value_cents`; the old one is removed with its money."""
        for piece, count in self.money().get(Spot.STORE, Counter()).items():
            self.where.put(piece, Spot.TAKEN, count)
        powered = self.powered
        self.power(on=False)
        own = self.security == self.identity.serial.to_bytes(SERIAL_BYTES, "little")
        self.identity = self.identity._replace(serial=self.identity.serial + 1 if serial is None else serial)
        if own:
            self.security = self.identity.serial.to_bytes(SERIAL_BYTES, "little")
        self.value_cents, self.stock, self.strays = value_cents, stock, []
        self.lifetime = self.paid = self.unpaid = self.runaway = 0
        self.jammed, self.upset = False, None
        self._flags.clear()
        self.conditions.clear()
        self.power(on=powered)

    def reset_count(self) -> None:
        """Reset the lifetime count, as a service workshop does."""
        self.lifetime = 0

    def lose_memory(self) -> None:
        """Let its non-volatile memory fail: its counts are lost, and it reports the failure until a reset."""
        self.lifetime = self.paid = self.unpaid = 0
        self.conditions.add(Flag.MEMORY)

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot, independent of the device's counts and reports."""
        lies = self.where.money()
        if held := +Counter[Piece]({self.value_cents: self.stock}) + Counter(self.strays):
            lies[Spot.STORE] = held
        return lies

    def _drop(self, *, stray: bool = False) -> None:
        """Drop a coin; one of another kind if `stray` or if no other is left."""
        if self.strays and (stray or not self.stock or self.mishaps.happens("pays_stray")):
            value_cents = self.strays.pop(0)
        else:
            self.stock -= 1
            value_cents = self.value_cents
        self.where.put(value_cents, Spot.PAID)
        self.coin_out(value_cents)

    def _give_up(self, *why: Flag) -> None:
        self.unpaid, self.remaining = self.remaining, 0
        self._flags.update(why)

    def _stop(self) -> bytes:
        left = self.remaining
        if left:
            self.cancel()
            self.unpaid, self.remaining = left, 0
            if self.mishaps.happens("falls_after_stop"):
                self.later(self.coin_s / 2, self._fall_late)
        return bytes((left,))

    def _fall_late(self) -> None:
        """Drop and count the coin that was under way when the motor stopped."""
        if self._holds_coins and self.unpaid:
            self._drop()
            self._count()
            self.unpaid -= 1
