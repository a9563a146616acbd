"""A ccTalk coin acceptor as seen from the coin slot and from the far end of its wire (protocols.md, 1)."""

from collections import deque
from collections.abc import Callable

from drivers.currency import EURO
from drivers.simulated.cctalk.device import CctalkDevice, Identity, Refusal
from drivers.simulated.cctalk.frames import Framing, Header

BUFFERED_EVENTS = 5
POSITIONS = 16
LAST_COUNTER = 255
ERROR_REJECT = 1
ERROR_INHIBITED = 2
SORTER_PATH = 1
SORTER_DATA = 2
EMPTY_COIN_ID = b"......"
CREDIT_BY_POSITION = bytes(1)
COIN_VALUES_CENTS = (10, 20, 50, 100, 200)
POLL_UNIT_10_MS = 2
POLL_UNITS = 20
IDENTITY = Identity(category=b"Coin Acceptor", product=b"SIMCOIN", build=b"V01", serial=4711)


def _ignore(_value_cents: int) -> None:
    """Nobody watches."""


class SimulatedCoinAcceptor(CctalkDevice):
    """A coin acceptor with five coins from 0.10 to 2.00 at positions 1 to 5, of the `country` as ccTalk names it.

    Its event counter and buffer live as long as its power: after a start or a reset the counter is 0, every coin
    inhibited and on the sorter's default path. `accepted(cents)` and `returned(cents)` are called for each coin that
    passed the credit sensor or fell into the return; `path_of` is the path an accepted one takes. `travel_s` is the way
    from the gate to the credit sensor. `starts_normal` is the state of its master inhibit after a start: in normal
    operation, as the manuals of Azkoyen's Modular X6 and Alberici's AL66 have it, or inhibited. While `let_in` is false
    a lockout before the gate turns every coin away. `self_check` and `priority` are its answers to requests 232 and
    249, `coin_ids` those to 184 by position.
    """

    def __init__(
        self,
        *,
        address: int = 2,
        identity: Identity = IDENTITY,
        echo: bool = False,
        framing: Framing = Framing.SIMPLE,
        country: str = EURO.country,
        travel_s: float = 0.0,
        starts_normal: bool = False,
        accepted: Callable[[int], None] = _ignore,
        returned: Callable[[int], None] = _ignore,
    ) -> None:
        super().__init__(address, identity, echo=echo, framing=framing)
        self.counter = 0
        self.inhibited = True
        self.enabled_mask = 0
        self.let_in = True
        self.self_check = bytes(1)
        self.coin_ids = [f"{country}{cents:03}A".encode() for cents in COIN_VALUES_CENTS]
        self.priority: bytes | Refusal = bytes((POLL_UNIT_10_MS, POLL_UNITS))
        self.accepted = accepted
        self.returned = returned
        self._travel_s = travel_s
        self.starts_normal = starts_normal
        self._travelling: list[int] = []
        self._paths: dict[int, int] = {}
        self._events: deque[tuple[int, int]] = deque(maxlen=BUFFERED_EVENTS)

    def started(self) -> None:
        """Start with counter 0, an empty buffer and every coin inhibited."""
        self.counter = 0
        self.inhibited = not self.starts_normal
        self.enabled_mask = 0
        self._paths.clear()
        self._events.clear()

    def insert(self, value_cents: int) -> bool:
        """Put a coin into the slot: True where it is taken, False where it falls into the return.

        A coin of no known value, or one that is inhibited, is returned, and so is one that the lockout turns away.
        """
        if not self.let_in:
            self.returned(value_cents)
            return False
        position = COIN_VALUES_CENTS.index(value_cents) + 1 if value_cents in COIN_VALUES_CENTS else 0
        enabled = position and not self.inhibited and self.enabled_mask >> (position - 1) & 1
        if not (self.powered and enabled):
            if self.powered:
                self._record(0, ERROR_INHIBITED if position else ERROR_REJECT)
            self.returned(value_cents)
            return False
        self._travelling.append(value_cents)
        if self._travel_s:
            self.later(self._travel_s, lambda: self._take(position, value_cents))
        else:
            self._take(position, value_cents)
        return True

    def path_of(self, value_cents: int) -> int:
        """Return the sorter's path of coins of that value."""
        return self._paths.get(COIN_VALUES_CENTS.index(value_cents) + 1, SORTER_PATH)

    def reject(self, code: int) -> None:
        """Record error `code` of table 2, as a coin that went wrong in the mechanism does; unpowered, nothing."""
        if self.powered:
            self._record(0, code)

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Answer the coin acceptor's own requests."""
        replies = self._replies(data)
        if header in replies:
            return replies[header]
        match header:
            case Header.INHIBITS if len(data) == POSITIONS // 8:
                self.enabled_mask = int.from_bytes(data, "little")
            case Header.MASTER_INHIBIT if len(data) == 1:
                self.inhibited = not data[0] & 1
            case Header.SORTER_PATH if len(data) == SORTER_DATA and 1 <= data[0] <= POSITIONS:
                self._paths[data[0]] = data[1]
            case _:
                return super().answer(header, data)
        return b""

    def _replies(self, data: bytes) -> dict[int, bytes | Refusal]:
        """What it answers to questions now; one that cannot be answered with such data is not there."""
        pairs = [byte for event in reversed(self._events) for byte in event]
        replies: dict[int, bytes | Refusal] = {
            Header.READ_CREDIT: bytes((self.counter, *pairs)).ljust(1 + 2 * BUFFERED_EVENTS, b"\0"),
            Header.READ_INHIBITS: self.enabled_mask.to_bytes(POSITIONS // 8, "little"),
            Header.READ_MASTER_INHIBIT: bytes((not self.inhibited,)),
            Header.SELF_CHECK: self.self_check,
            Header.OPTION_FLAGS: CREDIT_BY_POSITION,
            Header.POLLING_PRIORITY: self.priority,
        }
        if len(data) == 1 and 1 <= data[0] <= POSITIONS:
            replies[Header.COIN_ID] = self.coin_ids[data[0] - 1] if data[0] <= len(self.coin_ids) else EMPTY_COIN_ID
            replies[Header.READ_SORTER_PATH] = bytes((self._paths.get(data[0], SORTER_PATH),))
        return replies

    def lost_power(self) -> None:
        """Let the gate fall shut: a coin that has not reached the credit sensor falls into the return."""
        for value_cents in self._travelling:
            self.returned(value_cents)
        self._travelling.clear()

    def _take(self, position: int, value_cents: int) -> None:
        self._travelling.remove(value_cents)
        self.accepted(value_cents)
        self._record(position, self.path_of(value_cents))

    def _record(self, first: int, second: int) -> None:
        # 0 is the counter of a start only: it wraps from 255 to 1.
        self.counter = self.counter % LAST_COUNTER + 1
        self._events.append((first, second))
