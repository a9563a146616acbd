"""The driver of a ccTalk coin acceptor: every coin that passed its credit sensor is credited exactly once."""

import asyncio
from contextlib import suppress

from drivers import coin_events
from drivers.capabilities import CoinListener, CoinReport
from drivers.cctalk import HOST, MAX_ADDRESS, Header
from drivers.cctalk_bus import Bus
from drivers.cctalk_link import Identity, found, identify
from drivers.clock import Clock
from drivers.coin_events import READING_SIZE, Events, Progress, Reading
from drivers.errors import DriverError, IdentityError, NoReplyError, SettingsError, WireError
from drivers.port import Port
from drivers.wiring import CoinAcceptor as Settings

CATEGORY = "Coin Acceptor"
COUNTRY = "EU"
POSITIONS = 16
MAX_POLL_MS = 1000  # five buffered events at five coins a second (protocols.md, 1)
REAPPLY_S = 5.0
ENABLE_TRIES = 3
LATE_S = 1.0


class CoinAcceptor:
    """A coin acceptor, a `drivers.capabilities.CoinTaker`.

    It polls whether coins are wanted or not, because a coin past the gate is money. `identity` and
    `values_cents` (by coin position) are what the device said at start-up. Coins of another country than
    `country` stay inhibited. Raises `SettingsError` for settings that cannot work.
    """

    name = "coin_acceptor"

    def __init__(
        self, settings: Settings, port: Port, clock: Clock, listener: CoinListener, *, country: str = COUNTRY
    ) -> None:
        if not HOST < settings.address <= MAX_ADDRESS:
            raise SettingsError(f"[coin_acceptor] address = {settings.address}: a device's is 2 to 255, usually 2")
        if not 0 < settings.poll_ms <= MAX_POLL_MS:
            raise SettingsError(
                f"[coin_acceptor] poll_ms = {settings.poll_ms}: above {MAX_POLL_MS} coins get lost; 200 is usual"
            )
        self.identity: Identity | None = None
        self.values_cents: dict[int, int] = {}
        self._settings = settings
        self._bus = Bus(port, clock)
        self._clock = clock
        self._listener = listener
        self._country = country
        self._wanted = False
        self._nudge = asyncio.Event()
        self._last = 0
        self._seen: Events | None = None
        self._applied: bool | None = None
        self._apply_again_at = 0.0
        self._failed_enables = 0

    def __repr__(self) -> str:
        return f"<CoinAcceptor {self._settings.port} {'wanted' if self._wanted else 'inhibited'}>"

    def accept(self, *, enabled: bool) -> None:
        """Take coins from now on, or return them all; the device is told within one exchange."""
        if enabled != self._wanted:
            self._wanted = enabled
            self._nudge.set()

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost, or what the listener raised."""
        try:
            identity = await self._start_up()
            await found(self.name, identity, self._listener)
            while True:
                self._nudge.clear()
                await self._poll(identity.serial)
                await self._apply_inhibits()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._settings.poll_ms / 1000):
                        await self._nudge.wait()
        except DriverError:
            raise
        except BaseException:
            # We end, or the listener can take no more (its journal failed). Best effort: what the device takes while
            # nobody polls waits in five places only.
            with suppress(DriverError):
                await self._inhibit(attempts=1)
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Release the port; the task, cancelled before, has inhibited the device."""
        self._bus.close()

    async def _start_up(self) -> Identity:
        """Learn who the device is and which coins it knows, and catch up."""
        settings = self._settings
        self.identity = await identify(self._bus, settings.address, category=CATEGORY, serial=settings.serial)
        self.values_cents = {}
        for position in range(1, POSITIONS + 1):
            coin_id = await self._ask(Header.COIN_ID, bytes((position,)), size=coin_events.COIN_ID_SIZE)
            value_cents = coin_events.coin_value(coin_id, self._country)
            if value_cents is not None:
                self.values_cents[position] = value_cents
        if not self.values_cents:
            raise IdentityError(
                f"{self._bus}: the coin acceptor knows no coin of {self._country!r}: have it programmed, or replace it"
            )
        # Nothing is enabled before the counter of this device is in the journal.
        await self._ask(Header.INHIBITS, self._mask())
        await self._inhibit()
        self._failed_enables = 0
        await self._catch_up(self.identity.serial)
        return self.identity

    async def _catch_up(self, serial: int) -> None:
        """Compare the device's events with the journal: coins taken while we were away are still buffered."""
        known = await self._listener.coin_counter(serial)
        if known is None:
            # A device never seen: what it did before is not ours.
            reading = await self._read_twice()
            await self._listener.coins(CoinReport(serial=serial, counter=reading.counter))
            self._last, self._seen = reading
            return
        self._last, self._seen = known, None
        await self._look_closer(serial)

    async def _poll(self, serial: int) -> None:
        """Read the event buffer, and look closer where it is not as we know it."""
        reading = Reading.parse(await self._ask(Header.READ_CREDIT, size=READING_SIZE))
        if coin_events.progress(self._last, reading, self._seen) != coin_events.NOTHING:
            await self._look_closer(serial)

    async def _look_closer(self, serial: int) -> None:
        """Have what is new committed before our idea of the counter moves."""
        reading = await self._read_twice()
        added = coin_events.progress(self._last, reading, self._seen)
        if added.doubtful:
            # A late reply looks like a reset or like 250 lost coins: let it pass and look again. Meanwhile no
            # more coins may push unread ones out of the buffer.
            await self._inhibit()
            await self._bus.quiet(LATE_S)
            reading = await self._read_twice()
            added = coin_events.progress(self._last, reading, self._seen)
        if added != coin_events.NOTHING:
            await self._book(serial, reading, added)
        self._last, self._seen = reading

    async def _book(self, serial: int, reading: Reading, added: Progress) -> None:
        values_cents: list[int] = []
        codes: list[int] = []
        unknown = 0
        for first, second in reversed(reading.events[: added.fresh]):
            if first == 0:
                codes.append(second)
            elif first in self.values_cents:
                values_cents.append(self.values_cents[first])
            else:
                unknown += 1
        # Faults first: should the commit fail, the same events are read and reported again.
        for code in codes:
            if code in coin_events.FAULTS:
                await self._fault(coin_events.FAULTS[code], f"coin error {code}")
        if unknown:
            await self._fault("coin_unknown", f"{unknown} coin(s) of a position without a value")
        await self._listener.coins(
            CoinReport(
                serial=serial,
                counter=reading.counter,
                values_cents=tuple(values_cents),
                lost=added.lost + unknown,
                reset=added.reset,
                rejects=tuple(code for code in codes if code),
            )
        )
        if added.reset or any(coin_events.tells_inhibition(code) for code in codes):
            self._applied = None

    async def _apply_inhibits(self) -> None:
        """Tell the device what is wanted, now and then again: a reset before its first event shows nowhere."""
        now = self._clock.now()
        if self._applied == self._wanted and now < self._apply_again_at:
            return
        wanted = self._wanted
        if wanted:
            if not await self._enable():
                return
        else:
            await self._inhibit()
        self._applied = wanted
        self._apply_again_at = now + REAPPLY_S

    async def _enable(self) -> bool:
        """Enable the known coins; False where a reply was lost, to be tried again after the next poll.

        Never repeated blindly: a device that was reset in between must be seen at counter 0 before it takes coins.
        """
        try:
            await self._ask(Header.INHIBITS, self._mask(), attempts=1)
            await self._ask(Header.MASTER_INHIBIT, b"\x01", attempts=1)
        except (NoReplyError, WireError):
            self._failed_enables += 1
            if self._failed_enables >= ENABLE_TRIES:
                raise
            return False
        self._failed_enables = 0
        return True

    async def _inhibit(self, attempts: int = 3) -> None:
        await self._ask(Header.MASTER_INHIBIT, b"\x00", attempts=attempts)
        self._applied = False

    async def _read_twice(self) -> Reading:
        sizes = range(READING_SIZE, READING_SIZE + 1)
        return Reading.parse(await self._bus.agreed(self._settings.address, Header.READ_CREDIT, sizes=sizes))

    async def _ask(self, header: Header, data: bytes = b"", *, size: int = 0, attempts: int = 3) -> bytes:
        sizes = range(size, size + 1)
        return await self._bus.request(self._settings.address, header, data, sizes=sizes, attempts=attempts)

    async def _fault(self, code: str, detail: str) -> None:
        await self._listener.device_fault(self.name, code, present=True, detail=detail)

    def _mask(self) -> bytes:
        """The inhibit mask: a bit set means that the coin of that position is taken."""
        return sum(1 << (position - 1) for position in self.values_cents).to_bytes(POSITIONS // 8, "little")
