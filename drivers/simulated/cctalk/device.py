"""Base of simulated ccTalk devices: receive frames for an address, answer after a delay, identify the device.

As the specification demands, it does not answer a wrong checksum, the other framing, an unknown header or data where
none belong. A hopper that does not pay answers NAK (part 2, header 167).
"""

import asyncio
import random
from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

from drivers.simulated.cctalk.encryption import FrameKey
from drivers.simulated.cctalk.frames import BYTE_GAP_S, EVERYBODY, HOST, Frame, FrameReader, Framing, Header, encode
from drivers.simulated.line import Line
from drivers.simulated.mishaps import Mishaps

REPLY_DELAY_S = 0.005
LATE_REPLY_S: Final = 1.0
"""The maximum delay of a late reply; it comes earlier when the next query, to any device, is on the line."""
FORESTALLS_S: Final = 0.002
"""The delay of a late reply after that query: shorter than any device's response time."""
SERIAL_BYTES = 3
COUNT_BYTES: Final = 3
"""The length of a count in bytes, lowest byte first (part 2, headers 226, 225, 194, 193)."""
BASE_YEAR: Final = b"2020"
MADE_ON: Final = (15 | 6 << 5 | 4 << 9).to_bytes(2, "little")
"""The 15th of June of the fourth year from the base year: five bits of day, four of month, five of year (196)."""

SLOT_S: Final = 0.004
"""The slot of an MDCES reply: after an address poll the address, after an address clash a random number, times this."""
SLOTS: Final = 256
DEAF_S: Final = 1.2
"""The time after either in which it ignores the line (Azkoyen, Modular X6 manual, pages 20 and 21)."""
FIRST_ADDRESS, LAST_ADDRESS = 3, 255
"""The range of a random address: not broadcast, the host or the usual coin acceptor (SCH2 manual, page 32)."""
ADDRESS_MODE: Final = bytes((0x4A,))
"""The address is in volatile memory, set by the connector, and may be changed (Suzo Flow, header 169)."""

TAKES_DATA: Final = frozenset(
    {
        Header.READ_BARCODE,
        Header.ACCEPT_LIMIT,
        Header.CURRENCY_REVISION,
        Header.BILL_MODE,
        Header.ROUTE_BILL,
        Header.COUNTRY_SCALING,
        Header.BILL_ID,
        Header.PUMP_RNG,
        Header.ENABLE_HOPPER,
        Header.DISPENSE,
        Header.COIN_ID,
        Header.READ_SORTER_PATH,
        Header.SORTER_PATH,
        Header.ENTER_PIN,
        Header.MASTER_INHIBIT,
        Header.INHIBITS,
        Header.ADDRESS_CHANGE,
        Header.BILL_POSITION,
        Header.TEST_LAMPS,
        Header.ACCEPT_COUNT_OF,
        Header.ERROR_COUNT_OF,
        Header.BANK,
        Header.REQUEST_SECURITY,
        Header.SECURITY,
        Header.COIN_ID_CHANGE,
        Header.DEFAULT_PATH,
        Header.COIN_POSITION,
        Header.SORTER_OVERRIDE,
        Header.NEW_PIN,
        Header.LATCH_OUTPUTS,
        Header.TEST_OUTPUTS,
        Header.OPERATE_MOTORS,
        Header.TEST_SOLENOIDS,
    }
)
"""The requests that may carry data."""


class Refusal(Enum):
    """A reply that is not data."""

    NAK = Header.NAK
    SILENCE = None


class Identity(NamedTuple):
    """The identification of a device; texts as on the line, `serial` below 2**24."""

    category: bytes
    product: bytes
    build: bytes
    serial: int
    manufacturer: bytes = b"Open Cabinet"
    software: bytes = b"SIM-V1.00"
    comms: bytes = bytes((1, 4, 7))
    checksum: bytes = bytes(4)


class CctalkDevice:
    """A generic ccTalk device; subclasses extend `answer`, `started` and `lost_power`.

    `echo` makes the line return what the host sends, as the open-collector wire does, with or without power. `framing`
    is the checksum in both directions. It is off at first, and has `address` after each start and reset.
    """

    def __init__(
        self,
        address: int,
        identity: Identity,
        *,
        echo: bool = False,
        framing: Framing = Framing.SIMPLE,
        chance: random.Random | None = None,
    ) -> None:
        self.identity = identity
        self.echo = echo
        self.powered = False
        self._home = address
        # A fixed seed makes a failing test fail again.
        self._chance = chance or random.Random(0)  # noqa: S311  (where a device answers, not an outcome)
        self.mishaps = Mishaps(("late_reply",), chance)
        self._line: Line | None = None
        self._reader = FrameReader(address, framing)
        self._heard_at = 0.0
        self._deaf_until = 0.0
        self._late = b""
        self._timeouts = 0
        self._due: set[asyncio.TimerHandle] = set()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.address} {'on' if self.powered else 'off'}>"

    @property
    def address(self) -> int:
        """The current address."""
        return self._reader.address

    @property
    def framing(self) -> Framing:
        """The checksum of the frames it understands."""
        return self._reader.framing

    @framing.setter
    def framing(self, framing: Framing) -> None:
        self._reader.framing = framing

    @property
    def key(self) -> FrameKey | None:
        """The key that enciphers all its frames, None for plain ones."""
        return self._reader.key

    @key.setter
    def key(self, key: FrameKey | None) -> None:
        self._reader.key = key

    def connect(self, line: Line) -> None:
        """Keep the line on which to answer."""
        self._line = line

    def receive(self, data: bytes) -> None:
        """Handle bytes from the host; answer frames for this device, drop corrupt ones."""
        if self.echo and self._line is not None:
            self._line.send(data)
        if not self.powered:
            return
        if self._late:
            self.later(FORESTALLS_S, self._say_late)
        now = asyncio.get_running_loop().time()
        if now < self._deaf_until:
            return
        if now - self._heard_at > BYTE_GAP_S and self._reader.drop():
            self._timeouts += 1
        self._heard_at = now
        for frame in self._reader.feed(data):
            self._obey(frame)

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return the mishaps by name, each with the function that queues it for a number of occasions."""
        return {**self.mishaps.orders(), "brown_out": lambda _much: self.brown_out()}

    def brown_out(self) -> None:
        """Interrupt its own supply for an instant: it starts as after a power cut."""
        if self.powered:
            self.power(on=False)
            self.power(on=True)

    def power(self, *, on: bool) -> None:
        """Switch the mains: off stops everything at once, on starts as after a power cut."""
        if on == self.powered:
            return
        self.powered = on
        self.cancel()
        self._begin_again()
        if on:
            self.started()
        else:
            self.lost_power()

    def started(self) -> None:
        """Set the state after a start or a reset."""

    def lost_power(self) -> None:
        """Carry out the device's last actions as power fails."""

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        """Return the data of the reply, or the refusal; an unknown header gets no answer."""
        identity = self.identity
        known: dict[int, bytes] = {
            Header.SIMPLE_POLL: b"",
            Header.CATEGORY: identity.category,
            Header.PRODUCT_CODE: identity.product,
            Header.BUILD_CODE: identity.build,
            Header.MANUFACTURER: identity.manufacturer,
            Header.SERIAL_NUMBER: identity.serial.to_bytes(SERIAL_BYTES, "little"),
            Header.SOFTWARE_REVISION: identity.software,
            Header.COMMS_REVISION: identity.comms,
            Header.DATA_STORAGE: bytes(5),
            Header.CHECKSUM: identity.checksum,
            Header.ADDRESS_MODE: ADDRESS_MODE,
            Header.BASE_YEAR: BASE_YEAR,
            Header.CREATION_DATE: MADE_ON,
            Header.MODIFICATION_DATE: MADE_ON,
            Header.COMMS_STATUS: bytes(min(255, count) for count in (self._timeouts, 0, self._reader.spoilt)),
        }
        match header:
            case Header.CLEAR_COMMS_STATUS:
                self._timeouts = self._reader.spoilt = 0
            case Header.RESET:
                self.cancel()
                self._begin_again()
                self.lost_power()
                self.started()
            case Header.ADDRESS_CHANGE if len(data) == 1 and data[0] not in {EVERYBODY, HOST}:
                self._reader.address = data[0]
            case Header.ADDRESS_RANDOM:
                self._reader.address = self._chance.randint(FIRST_ADDRESS, LAST_ADDRESS)
            case _:
                return known.get(header, Refusal.SILENCE)
        return b""

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        """Call `act` after `seconds`, unless power fails or a reset comes first."""

        def run() -> None:
            self._due.discard(timer)
            act()

        timer = asyncio.get_running_loop().call_later(seconds, run)
        self._due.add(timer)

    def cancel(self) -> None:
        """Cancel all actions scheduled with `later`."""
        for timer in self._due:
            timer.cancel()
        self._due.clear()

    def _begin_again(self) -> None:
        self._reader.drop()
        self._reader.address = self._home
        self._deaf_until = 0.0
        self._late = b""
        self._timeouts = self._reader.spoilt = 0

    def _obey(self, frame: Frame) -> None:
        if frame.data and frame.header not in TAKES_DATA:
            return
        match frame.header:
            case Header.ADDRESS_POLL:
                self._raise_hand(self.address)
                return
            case Header.ADDRESS_CLASH:
                self._raise_hand(self._chance.randrange(SLOTS))
                return
        # the answer still comes from the address that was asked
        address = self.address
        answer = self.answer(frame.header, frame.data)
        if answer is Refusal.SILENCE:
            return
        header, data = (Header.NAK, b"") if isinstance(answer, Refusal) else (Header.ACK, answer)
        reply = encode(Frame(frame.source, address, header, data), self.framing, self.key)
        if self.mishaps.happens("late_reply"):
            self._late = reply
            self.later(LATE_REPLY_S, self._say_late)
        else:
            self.later(REPLY_DELAY_S, lambda: self._say(reply))

    def _say_late(self) -> None:
        late, self._late = self._late, b""
        if late:
            self._say(late)

    def _raise_hand(self, slot: int) -> None:
        """Send the bare address in its slot, and ignore the line until all slots are over (part 1, MDCES)."""
        self._deaf_until = asyncio.get_running_loop().time() + DEAF_S
        self.later(slot * SLOT_S, lambda: self._say(bytes((self.address,))))

    def _say(self, reply: bytes) -> None:
        if self._line is not None:
            self._line.send(reply)
