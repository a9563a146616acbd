"""A simulated ccTalk coin acceptor (protocols.md, 1)."""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from drivers.currency import EURO
from drivers.simulated.cctalk.coin_rows import ROWS
from drivers.simulated.cctalk.device import COUNT_BYTES, CctalkDevice, Identity, Refusal
from drivers.simulated.cctalk.frames import Framing, Header
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.whereabouts import Piece, Spot, Whereabouts

BUFFERED_EVENTS = 5
POSITIONS = 16
LAST_COUNTER = 255
ERROR_REJECT = 1
ERROR_INHIBITED = 2
SECOND_CLOSE: Final = 8
COIN_ON_STRING: Final = 20
RETURN_PRESSED: Final = 254
SORTER_PATH = 1
OTHER_PATH: Final = 2
"""The path of a coin that the sorter sends astray from its default path."""
SORTER_DATA, SORTER_DATA_WITH_OVERRIDES = 2, 5
MOST_PATHS, ALL_PATHS = 8, 0xFF
"""The paths in the override register (header 222: 1 is normal, 0 overridden)."""
EMPTY_COIN_ID = b"......"
COIN_ID_BYTES: Final = 6
CREDIT_BY_POSITION = bytes(1)
NO_REMOTE_PROGRAMMING: Final = bytes(1)
COIN_VALUES_CENTS = (10, 20, 50, 100, 200)
POLL_UNIT_10_MS = 2
POLL_UNITS = 20
ROOM_TEMPERATURE: Final = bytes((20,))
IDENTITY = Identity(category=b"Coin Acceptor", product=b"SIMCOIN", build=b"V01", serial=4711)

UNCREDITED: Final = {
    "credit_sensor_timeout": 6,
    "second_close": SECOND_CLOSE,
    "sensor_blinded": 14,
    "credit_sequence_error": 16,
    "too_fast": 18,
    "too_slow": 19,
    "swallowed": 36,
}
"""The error reported for a coin that is kept uncredited (part 3, table 2)."""

LASTING: Final = {
    "sensor_blocked": (14, 10, 3),
    "gate_stuck_open": (29, None, 2),
    "gate_stuck_shut": (30, 9, 2),
    "sorter_blocked": (15, 11, 8),
    "reject_blocked": (26, 12, 18),
}
"""Faults: the error that begins each, the error of each rejected coin, and the self-check's answer (table 3)."""


def _ignore(_value_cents: int) -> None:
    """Ignore the notification: the default callback."""


class SimulatedCoinAcceptor(CctalkDevice):
    """A coin acceptor with five coins from 0.10 to 2.00 at positions 1 to 5, of the `country` as ccTalk names it.

    Its event counter and buffer are volatile: after a start or a reset the counter is 0, every coin inhibited and on
    the sorter's default path. `accepted(cents)` is called for each coin that falls past the credit sensor,
    `returned(cents)` for each that fell into the return; `path_of` is the path of an accepted one. `travel_s` is the
    travel time from the gate to the credit sensor. `starts_normal` is the state of its master inhibit after a start: in
    normal operation, as in the manuals of Azkoyen's Modular X6 (page 41) and Alberici's AL66 (page 43), or inhibited,
    as Alberici sets it on demand. While `let_in` is false a lockout before the gate rejects every coin. After as many
    coins as an accept limit allows it is inhibited until the next limit (header 135). `self_check` and `priority` are
    its answers to requests 232 and 249, `coin_ids` those to 184 by position.

    A coin inserted sooner than `gap_s` after the one before is returned as too close to it. A late inhibit command
    takes effect after `obeys_after_s`.
    """

    kind: ClassVar = "ccTalk coin acceptor"

    def __init__(
        self,
        *,
        address: int = 2,
        identity: Identity = IDENTITY,
        echo: bool = False,
        framing: Framing = Framing.SIMPLE,
        country: str = EURO.country,
        travel_s: float = 0.0,
        starts_normal: bool = True,
        accepted: Callable[[int], None] = _ignore,
        returned: Callable[[int], None] = _ignore,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(address, identity, echo=echo, framing=framing, chance=chance)
        self.mishaps = Mishaps(befalling(ROWS), chance)
        self.where = Whereabouts()
        self.counter = 0
        self.inhibited = True
        self.enabled_mask = 0
        self.let_in = True
        self.self_check = bytes(1)
        self.coin_ids = [f"{country}{cents:03}A".encode() for cents in COIN_VALUES_CENTS]
        self.priority: bytes | Refusal = bytes((POLL_UNIT_10_MS, POLL_UNITS))
        self.accepted = accepted
        self.returned = returned
        self.gap_s = 0.0
        self.obeys_after_s = 0.3
        self._travel_s = travel_s
        self.starts_normal = starts_normal
        self._last_coin_at = float("-inf")
        self._travelling: list[int] = []
        self._stuck: list[int] = []
        self._lasting: set[str] = set()
        self._astray = False
        self._paths: dict[int, int] = {}
        self._default_path = SORTER_PATH
        self._open_paths = ALL_PATHS
        self._limited = False
        self._more = 0
        self._bank = 0
        self._security: dict[int, int] = {}
        self._counts: Counter[int] = Counter()
        self._events: deque[tuple[int, int]] = deque(maxlen=BUFFERED_EVENTS)

    def started(self) -> None:
        """Start with event counter 0, an empty buffer and every coin inhibited."""
        self.counter = 0
        self.inhibited = not self.starts_normal
        self.enabled_mask = 0
        self._limited = False
        self._paths.clear()
        self._default_path, self._open_paths = SORTER_PATH, ALL_PATHS
        self._events.clear()

    # Physical actions on the device.

    def insert(self, value_cents: int) -> bool:
        """Insert a coin; return True if it is taken, False if it falls into the return.

        A coin of unknown value, an inhibited one and one that the lockout rejects are returned.
        """
        now = asyncio.get_running_loop().time()
        too_close, self._last_coin_at = now - self._last_coin_at < self.gap_s, now
        if not self.let_in:
            self._fall_back(value_cents)
            return False
        if "gate_stuck_open" in self._lasting:
            # a gate that is stuck open lets it through unmeasured, with power or without
            self._fall_on(value_cents)
            return True
        position = COIN_VALUES_CENTS.index(value_cents) + 1 if value_cents in COIN_VALUES_CENTS else 0
        enabled = position and not self.inhibited and self.enabled_mask >> (position - 1) & 1
        if self.powered:
            self._count(Header.INSERTION_COUNT)
        error = self._error(position, enabled=bool(enabled), too_close=too_close)
        if not self.powered or error:
            if self.powered:
                self._turn_away(error)
            self._fall_back(value_cents)
            return False
        self._more -= 1
        if self.mishaps.happens("stuck_in_mouth"):
            self._record(0, 5)
            self._stuck.append(value_cents)
            return True
        self._travelling.append(value_cents)
        if self._travel_s:
            self.later(self._travel_s, lambda: self._take(position, value_cents))
        else:
            self._take(position, value_cents)
        return True

    def _error(self, position: int, *, enabled: bool, too_close: bool) -> int:
        """Return the error for which a coin is rejected, 0 if it is accepted."""
        blocked = [LASTING[name][1] for name in LASTING if name in self._lasting]
        if blocked:
            return blocked[0] or 0
        if not position or self.mishaps.happens("not_recognised"):
            return ERROR_REJECT
        if not enabled or (self._limited and self._more <= 0):
            return ERROR_INHIBITED
        return SECOND_CLOSE if too_close else 0

    def _turn_away(self, error: int) -> None:
        self._record(0, error)
        if error == ERROR_REJECT:
            self._count(Header.REJECT_COUNT)

    def press_return(self) -> None:
        """Press the return lever: coins stuck in the slot are returned (254)."""
        if self.powered:
            self._record(0, RETURN_PRESSED)
        self.free_stuck(Spot.RETURNED)

    def free_stuck(self, spot: Spot) -> None:
        """Free the stuck coins: they fall on (`BELOW`), are returned (`RETURNED`) or are `TAKEN` out."""
        stuck, self._stuck = self._stuck, []
        for value_cents in stuck:
            if spot is Spot.BELOW:
                self._fall_on(value_cents)
            elif spot is Spot.RETURNED:
                self._fall_back(value_cents)
            else:
                self.where.put(value_cents, spot)

    def swap(self) -> None:
        """Replace it by another acceptor of its make; the old one is removed with the coins inside."""
        powered = self.powered
        self.power(on=False)
        self.free_stuck(Spot.TAKEN)
        self._lasting.clear()
        self._counts.clear()
        self.identity = self.identity._replace(serial=self.identity.serial + 1)
        self.power(on=powered)

    def set_fault(self, name: str, on: bool) -> None:  # noqa: FBT001 - the agreed signature of all simulated devices
        """Begin or end a fault of `LASTING`; raise `ValueError` for an unknown one."""
        if name not in LASTING:
            raise ValueError(f"no such fault: {name}; there are {', '.join(LASTING)}")
        if on and name not in self._lasting and self.powered:
            self._record(0, LASTING[name][0])
        (self._lasting.add if on else self._lasting.discard)(name)

    def reject(self, code: int) -> None:
        """Record error `code` of table 2, as after a coin error in the mechanism; without power do nothing."""
        if self.powered:
            self._record(0, code)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered, by name: 1 and 0 begin and end a fault, a number queues a mishap that often."""

        def fault(name: str, much: int) -> None:
            self.set_fault(name, on=bool(much))

        def check(code: int) -> None:
            self.self_check = bytes((code,))

        return {
            **super().troubles(),
            **{name: partial(fault, name) for name in LASTING},
            "reject": self.reject,
            "self_check": check,
            "swapped": lambda _much: self.swap(),
            "return_lever": lambda _much: self.press_return(),
            "stuck_to_box": lambda _much: self.free_stuck(Spot.BELOW),
            "stuck_to_hand": lambda _much: self.free_stuck(Spot.TAKEN),
        }

    # The place of its money.

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what physically lies at each spot; coins that fell on are `BELOW` it."""
        lies = self.where.money()
        if inside := Counter[Piece]([*self._travelling, *self._stuck]):
            lies[Spot.PATH] = inside
        return lies

    def path_of(self, value_cents: int) -> int:
        """Return the sorter's path for coins of that value: the default path if their own is overridden or full."""
        path = self._paths.get(COIN_VALUES_CENTS.index(value_cents) + 1) or self._default_path
        if self._astray:
            return OTHER_PATH if path == SORTER_PATH else SORTER_PATH
        overridden = path <= MOST_PATHS and not self._open_paths >> (path - 1) & 1
        return self._default_path if overridden else path

    def _fall_on(self, value_cents: int) -> None:
        self.where.put(value_cents, Spot.BELOW)
        self.accepted(value_cents)

    def _fall_back(self, value_cents: int) -> None:
        self.where.put(value_cents, Spot.RETURNED)
        self.returned(value_cents)

    # The line.

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the coin acceptor's own requests."""
        replies = self._replies(data)
        if header in replies:
            return replies[header]
        match header:
            case Header.INHIBITS if len(data) == POSITIONS // 8:
                self._obey_inhibits(mask=int.from_bytes(data, "little"))
            case Header.MASTER_INHIBIT if len(data) == 1:
                self._obey_inhibits(inhibited=not data[0] & 1)
            case Header.ACCEPT_LIMIT if len(data) == 1:
                self._limited, self._more = bool(data[0]), data[0]
            case _ if header in _SET_UP:
                return self._set_up(header, data)
            case Header.TEST_SOLENOIDS | Header.TEST_OUTPUTS | Header.LATCH_OUTPUTS if len(data) == 1:
                pass  # it has no visible effect
            case _:
                return super().answer(header, data)
        return b""

    def _obey_inhibits(self, *, mask: int | None = None, inhibited: bool | None = None) -> None:
        """Apply an inhibit mask or the master inhibit; late if the late mishap happens."""

        def obey() -> None:
            self.enabled_mask = self.enabled_mask if mask is None else mask
            self.inhibited = self.inhibited if inhibited is None else inhibited

        if self.mishaps.happens("obeys_late"):
            self.later(self.obeys_after_s, obey)
        else:
            obey()

    def _set_up(self, header: int, data: bytes) -> bytes | Refusal:
        """Store a setting; stay silent on data it cannot have."""
        match header:
            case Header.SORTER_PATH if len(data) in {SORTER_DATA, SORTER_DATA_WITH_OVERRIDES} and _is_position(data):
                self._paths[data[0]] = data[1]
            case Header.DEFAULT_PATH if len(data) == 1 and data[0]:
                self._default_path = data[0]
            case Header.SORTER_OVERRIDE if len(data) == 1:
                self._open_paths = data[0]
            case Header.COIN_ID_CHANGE if len(data) == 1 + COIN_ID_BYTES and _is_position(data):
                self.coin_ids += [EMPTY_COIN_ID] * (data[0] - len(self.coin_ids))
                self.coin_ids[data[0] - 1] = data[1:]
            case Header.SECURITY if len(data) == SORTER_DATA and _is_position(data):
                self._security[data[0]] = data[1]
            case Header.BANK if len(data) == 1:
                self._bank = data[0]
            case _:
                return Refusal.SILENCE
        return b""

    def _replies(self, data: bytes) -> dict[int, bytes | Refusal]:
        """Return the answers to queries by header; one that cannot be answered with such data is missing."""
        pairs = [byte for event in reversed(self._events) for byte in event]
        lasting = [LASTING[name][2] for name in LASTING if name in self._lasting]
        replies: dict[int, bytes | Refusal] = {
            Header.READ_CREDIT: bytes((self.counter, *pairs)).ljust(1 + 2 * BUFFERED_EVENTS, b"\0"),
            Header.READ_INHIBITS: self.enabled_mask.to_bytes(POSITIONS // 8, "little"),
            Header.READ_MASTER_INHIBIT: bytes((not self.inhibited,)),
            Header.SELF_CHECK: bytes(lasting[:1]) or self.self_check,
            Header.OPTION_FLAGS: CREDIT_BY_POSITION,
            Header.POLLING_PRIORITY: self.priority,
            Header.STATUS: bytes(1),
            Header.DATABASE_VERSION: NO_REMOTE_PROGRAMMING,
            Header.INPUT_LINES: bytes(1),
            Header.OPTO_STATES: bytes(("sensor_blocked" in self._lasting,)),
            Header.READ_SORTER_OVERRIDE: bytes((self._open_paths,)),
            Header.REQUEST_DEFAULT_PATH: bytes((self._default_path,)),
            Header.REQUEST_BANK: bytes((self._bank,)),
            Header.THERMISTOR: ROOM_TEMPERATURE,
            Header.ALARM_COUNT: bytes(1),
            **{counted: self._counts[counted].to_bytes(COUNT_BYTES, "little") for counted in _COUNTED},
        }
        if len(data) == 1 and _is_position(data):
            replies[Header.COIN_ID] = self.coin_ids[data[0] - 1] if data[0] <= len(self.coin_ids) else EMPTY_COIN_ID
            replies[Header.READ_SORTER_PATH] = bytes((self._paths.get(data[0], self._default_path),))
            # credit codes are positions (213)
            replies[Header.COIN_POSITION] = (1 << data[0] - 1).to_bytes(POSITIONS // 8, "little")
            replies[Header.REQUEST_SECURITY] = bytes((self._security.get(data[0], 0),))
        return replies

    # A coin's movement.

    def lost_power(self) -> None:
        """Close the gate: a coin before the credit sensor falls into the return, or into the box unreported."""
        travelling, self._travelling = self._travelling, []
        for value_cents in travelling:
            (self._fall_on if self.mishaps.happens("kept_at_cut") else self._fall_back)(value_cents)

    def _take(self, position: int, value_cents: int) -> None:
        """Handle a coin at the credit sensor: credit it, or apply a mishap."""
        self._travelling.remove(value_cents)
        error = UNCREDITED.get(uncredited := self.mishaps.which(*UNCREDITED))
        if error is not None:
            self._fall_on(value_cents)
            self._record(0, error)
            if uncredited == "sensor_blinded":
                self._lasting.add("sensor_blocked")
            return
        self._count(Header.ACCEPT_COUNT)
        befalls = self.mishaps.which(
            "pulled_after_credit", "stuck_in_sorter", "missorted", "buffer_overflow", "reset_after_credit"
        )
        if befalls == "pulled_after_credit":
            self._fall_back(value_cents)
        elif befalls == "stuck_in_sorter":
            self._stuck.append(value_cents)
        else:
            self._astray = befalls == "missorted"
            self._fall_on(value_cents)
            self._astray = False
        self._record(position, self.path_of(value_cents))
        self._follow(befalls)

    def _follow(self, befalls: str) -> None:
        """Report a mishap of a coin after its credit."""
        if befalls == "pulled_after_credit":
            self._count(Header.FRAUD_COUNT)
        if befalls == "reset_after_credit":
            self.brown_out()
        for error in _FOLLOWS.get(befalls, ()):
            self._record(0, error)

    def _count(self, what: int) -> None:
        self._counts[what] = (self._counts[what] + 1) % (1 << 8 * COUNT_BYTES)

    def _record(self, first: int, second: int) -> None:
        # 0 is the counter of a start only: it wraps from 255 to 1.
        self.counter = self.counter % LAST_COUNTER + 1
        self._events.append((first, second))


_SET_UP: Final = frozenset(
    (
        Header.SORTER_PATH,
        Header.DEFAULT_PATH,
        Header.SORTER_OVERRIDE,
        Header.COIN_ID_CHANGE,
        Header.SECURITY,
        Header.BANK,
    )
)
_COUNTED: Final = (Header.INSERTION_COUNT, Header.ACCEPT_COUNT, Header.REJECT_COUNT, Header.FRAUD_COUNT)
_FOLLOWS: Final = {
    "pulled_after_credit": (COIN_ON_STRING,),
    "stuck_in_sorter": (7,),
    "missorted": (39,),
    "buffer_overflow": (ERROR_REJECT,) * BUFFERED_EVENTS,
}
"""The errors after a credit (table 2)."""


def _is_position(data: bytes) -> bool:
    return 1 <= data[0] <= POSITIONS
