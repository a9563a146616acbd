"""A simulated SMART Hopper (GA138; GA401, appendix D)."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

import msgspec

from drivers.currency import EURO
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.ssp.encryption import Encryption
from drivers.simulated.ssp.frames import Command, Event, Reply
from drivers.simulated.ssp.payout import PayoutDevice
from drivers.simulated.ssp.payout_rows import ROWS
from drivers.simulated.ssp.payout_store import PayoutStore, StoreHabits
from drivers.simulated.whereabouts import Piece, Spot

ADDRESS: Final = 16
UNIT_TYPE: Final = 0x03
FIRMWARE: Final = b"0611"
FULL_FIRMWARE: Final = b"SH0006116SIM0000"
BUILD: Final = bytes((UNIT_TYPE, 0, 1))
SERIAL: Final = 4_223_311
COINS_CENTS: Final = (10, 20, 50, 100, 200)
OPTIONS: Final = bytes(2)
FULL_HOPPER: Final = 500
"""The number of coins in a replacement hopper."""


class HopperHabits(msgspec.Struct, frozen=True, kw_only=True):
    """Its store's habits, the host silence in seconds that disables it, and whether events survive a power cut."""

    store: StoreHabits = StoreHabits()
    silence_s: float = 5.0
    keeps_events: bool = False


_UNSEEN: Final = frozenset(
    (
        Command.COIN_INHIBITS,
        Command.COIN_MECH_INHIBIT,
        Command.COIN_MECH_OPTIONS,
        Command.COIN_STIR,
        Command.RESET_COUNTERS,
        Command.BAUD_RATE,
    )
)
"""Commands accepted without visible effect: no coin mech is attached, and a terminal has no baud rate."""


def _ignore(_value_cents: int) -> None:
    """Ignore the notification: the default callback."""


class SimulatedSmartHopper(PayoutDevice):
    """The device; it holds and has counted `stock`, coins by their value in cents.

    `coin_out(cents)` and `boxed(cents)` are called for each coin that falls into the tray or into its cash box,
    `changed()` when its visible state may have changed. `value_cents` is the coin that is poured in, `stock` the number
    of coins it holds in all.
    """

    kind: ClassVar = "SMART Hopper"

    def __init__(
        self,
        *,
        value_cents: int = 100,
        stock: Mapping[int, int] | None = None,
        currency: str = EURO.code,
        serial: int = SERIAL,
        encryption: Encryption | None = None,
        habits: HopperHabits | None = None,
        coin_out: Callable[[int], None] = _ignore,
        boxed: Callable[[int], None] = _ignore,
        changed: Callable[[], None] | None = None,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(ADDRESS, encryption or Encryption(), currency)
        self.mishaps = Mishaps(befalling(ROWS), chance)
        self.habits = habits if habits is not None else HopperHabits()
        self.keeps_events = self.habits.keeps_events
        self.value_cents = value_cents
        self.serial = serial
        self.lifetime = 0
        self._coin_out = coin_out
        self._enabled = False
        self._reset_pending = False
        self._options = OPTIONS
        self._silence: asyncio.TimerHandle | None = None
        self.store = PayoutStore(
            sorted({*COINS_CENTS, value_cents}),
            stock if stock is not None else {value_cents: 500},
            happened=self.happened,
            paid=self._paid,
            boxed_in=boxed,
            changed=changed,
            habits=self.habits.store,
            mishaps=self.mishaps,
        )

    def swap(self, value_cents: int, stock: int = FULL_HOPPER, serial: int | None = None) -> None:
        """Replace it by another hopper, of coins of `value_cents`; the old one is removed with its money."""
        powered = self.powered
        self.power(on=False)
        self.serial = self.serial + 1 if serial is None else serial
        self.value_cents, self.lifetime = value_cents, 0
        self._happenings, self._reported = [], []
        self.store.swap({value_cents: stock})
        self.power(on=powered)

    def brown_out(self) -> None:
        """Interrupt its own supply for an instant: it starts as after a power cut."""
        if self.powered:
            self.power(on=False)
            self.power(on=True)

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot, independent of the device's counts and reports."""
        return self.store.money()

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered, by name; `swapped` takes the new hopper's coin in cents, 0 for its own."""
        return {
            **self.store.troubles(),
            "swapped": lambda much: self.swap(much or self.value_cents),
            "brown_out": lambda _much: self.brown_out(),
        }

    @property
    def stock(self) -> int:
        """The number of coins it holds; it counts coins poured in, as a SMART Coin System's feeder does."""
        return self.store.stock

    @stock.setter
    def stock(self, coins: int) -> None:
        self.store.refill(self.value_cents, coins)

    def power(self, *, on: bool) -> None:
        """Switch the mains: off stops everything at once, on starts as after a power cut."""
        if on == self.powered:
            return
        self.powered = on
        self._forget_talk()
        self._enabled = False
        self._options = OPTIONS
        if self._silence is not None:
            self._silence.cancel()
        if on:
            self._reset_pending = True
            self._start_payout()
        else:
            self._cut_payout()

    def _heard(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(self.habits.silence_s, self._unheard)

    def _unheard(self) -> None:
        self._enabled = False

    def _may_pay(self) -> bool:
        return self._enabled

    def _paid(self, value_cents: int) -> None:
        self.lifetime += 1
        self._coin_out(value_cents)

    def _obey(self, command: int, data: bytes) -> bytes:
        reply = self._payout_command(command, data)
        if reply is not None:
            return reply
        answers = self._answers(command)
        if answers is not None:
            return bytes((Reply.OK,)) + answers
        match command:
            case Command.ENABLE | Command.DISABLE:
                self._enabled = command == Command.ENABLE
            case Command.SET_OPTIONS if len(data) == len(OPTIONS):
                self._options = data
            case Command.EVENT_ACK:
                self._acknowledge_payout()
            case Command.RESET:
                self.power(on=False)
                self.power(on=True)
            case _ if command in _UNSEEN:
                pass
            case Command.SET_OPTIONS:
                return bytes((Reply.WRONG_PARAMETERS,))
            case _:
                return bytes((Reply.UNKNOWN_COMMAND,))
        return bytes((Reply.OK,))

    def _answers(self, command: int) -> bytes | None:
        """Return the data that answer a query, None for any other command."""
        questions: dict[int, Callable[[], bytes]] = {
            Command.POLL: lambda: self._poll(keep=False),
            Command.POLL_WITH_ACK: lambda: self._poll(keep=True),
            Command.SETUP: self._setup,
            Command.SERIAL_NUMBER: lambda: self.serial.to_bytes(4, "big"),
            Command.FIRMWARE: lambda: FULL_FIRMWARE,
            Command.DATASET: lambda: self.pays_in + b"01610",
            Command.BUILD_REVISION: lambda: BUILD,
            Command.OPTIONS: lambda: self._options,
            Command.COUNTERS: lambda: bytes((1,)) + self.lifetime.to_bytes(4, "little"),
        }
        return questions[command]() if command in questions else None

    def _poll(self, *, keep: bool) -> bytes:
        reset, self._reset_pending = self._reset_pending, False
        events = self._payout_events(keep=keep)
        state = b"" if self._enabled else bytes((Event.DISABLED,))
        return (bytes((Event.RESET,)) if reset else b"") + events + state

    def _setup(self) -> bytes:
        """Return unit type, firmware, currency, protocol, and its coins: two bytes each, then the currency of each."""
        values = self.store.values_cents
        head = bytes((UNIT_TYPE,)) + FIRMWARE + self.pays_in + bytes((self.protocol, len(values)))
        return head + b"".join(value.to_bytes(2, "little") for value in values) + self.pays_in * len(values)
