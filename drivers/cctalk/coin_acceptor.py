"""The driver of a ccTalk coin acceptor: every coin that passed its credit sensor is credited exactly once."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from drivers import event_buffer
from drivers.capabilities import CoinListener, CoinMemory, CoinReport, CoinWay
from drivers.cctalk import coin_codes, self_check
from drivers.cctalk.bus import AGREEING_READS, Bus
from drivers.cctalk.coin_inhibits import InhibitCheck
from drivers.cctalk.coin_setup import POSITIONS, known_coins, poll_interval_s
from drivers.cctalk.coin_ways import CashBoxOnly, CoinWays, PinDiverter, Sorter
from drivers.cctalk.link import Identity, found, identity_of, reached, refuse_other_kind
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import Finder
from drivers.clock import Clock
from drivers.coin_diagnostic import CoinDiagnostic
from drivers.coin_doubt import CoinDoubt, in_words
from drivers.currency import Currency
from drivers.errors import DriverError, IdentityError, NoReplyError, SettingsError, WireError
from drivers.event_buffer import READING_SIZE, Events, Progress, Reading
from drivers.pins.coin_gates import CoinGates
from drivers.port import Port
from drivers.wiring import CoinAcceptor as Settings

CATEGORY = "Coin Acceptor"
MAX_POLL_MS = 1000  # five buffered events at five coins a second (protocols.md, 1)
REAPPLY_S = 5.0
ENABLE_TRIES = 3
LATE_S = 1.0
CHECK_EVERY_S = 60.0
"""How often a device that rests is asked to check itself."""
RECHECK_EVERY_S = 5.0
"""How often one that failed its self-check is asked again."""
REST_S = 3.0
"""A device without a new event for so long rests."""
CHECK_REPLY_S = 0.5  # a check moves coils, and may take longer than other answers


class CoinAcceptor:
    """A coin acceptor, a `drivers.capabilities.CoinTaker`.

    It polls whether coins are wanted or not, because a coin past the gate is money. `identity`, `values_cents` (by coin
    position, those that are taken), `poll_s` and `self_check` (empty where all is well) are what the device said. Coins
    of another currency than `currency` stay inhibited, and a device that knows no others is refused. `gates` are the
    lockout and the diverter; `hopper_takes` returns the value in cents of the coins that the hopper has room for now, 0
    for none. `on_report` hears of every report once it is durable.

    Raises `SettingsError` for settings that cannot work.
    """

    name = "coin_acceptor"

    def __init__(
        self,
        settings: Settings,
        port: Port,
        clock: Clock,
        listener: CoinListener,
        *,
        currency: Currency,
        gates: CoinGates | None = None,
        hopper_takes: Callable[[], int] = lambda: 0,
    ) -> None:
        if not 0 < settings.poll_ms <= MAX_POLL_MS:
            raise SettingsError(
                f"[coin_acceptor] poll_ms = {settings.poll_ms}: above {MAX_POLL_MS} coins get lost; 200 is usual"
            )
        self.identity: Identity | None = None
        self.values_cents: dict[int, int] = {}
        self.poll_s = settings.poll_ms / 1000
        self.self_check = ""
        self._settings = settings
        self._bus = Bus(port, clock)
        self._finder = Finder(self._bus, clock, device=self.name, address=settings.address, category=CATEGORY)
        self._address = self._finder.usual
        self._clock = clock
        self._listener = listener
        self._currency = currency
        self._gates = gates
        self._hopper_takes = hopper_takes
        self._ways: CoinWays = CashBoxOnly()
        self._test = CoinDiagnostic(listener, clock)
        self.on_report: Callable[[CoinReport], None] | None = None
        self._wanted = False
        self._nudge = asyncio.Event()
        self._known: dict[int, int] = {}
        self._serial: int | None = None
        self._last = 0
        self._seen: Events | None = None
        self._power_lost = False
        self._unreset = False
        self._asked_at = 0.0
        self._doubt = CoinDoubt(clock)
        self._applied: bool | None = None
        self._inhibited = False
        self._enabled = False
        self._rests: bool | None = None
        self._check_inhibits = InhibitCheck(self._bus, self._address)
        self._apply_again_at = 0.0
        self._failed_enables = 0
        self._eventful_at = 0.0
        self._check_at = 0.0

    def __repr__(self) -> str:
        return f"<CoinAcceptor {self._settings.port} {'wanted' if self._wanted else 'inhibited'}>"

    def accept(self, *, enabled: bool) -> None:
        """Take coins from now on, or return them all: the lockout falls at once, the inhibit with an exchange."""
        if not enabled:
            self._lock_out()
        if enabled != self._wanted:
            self._wanted = enabled
            self._nudge.set()

    def test(self, name: str) -> None:
        """Take coins for the test of that name from now on, and credit none; for an empty name no more.

        Coins are turned away until those on their way are booked as what they were taken for. `tests` then names it.
        """
        self._test.wanted = name
        if not self._test.settled:
            self._lock_out()
        self._apply_again_at = 0.0
        self._nudge.set()

    @property
    def tests(self) -> str:
        """The test that coins are taken for now, empty where they are credited."""
        return self._test.now

    @property
    def at_rest(self) -> bool:
        """Whether the device is inhibited and has taken no coin since it was read, as the books know."""
        return self._rests is True

    @property
    def takes_coins(self) -> bool:
        """Whether the device was enabled, and obeyed."""
        return self._applied is True

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost, or what the listener raised."""
        try:
            identity = await self._start_up()
            await found(self.name, identity, self._listener)
            while True:
                self._nudge.clear()
                polled_at = self._clock.now()
                due = polled_at + self.poll_s
                await self._poll(identity.serial)
                await self._rest(identity.serial)
                await self._check_now_and_then()
                await self._ways.turn(self._hopper_takes(), inhibited=self._applied is False)
                await self._test.turn(identity.serial, inhibited=self._inhibited, polled_at=polled_at)
                await self._apply_inhibits(identity.serial)
                with suppress(TimeoutError):
                    async with asyncio.timeout(due - self._clock.now()):
                        await self._nudge.wait()
        except DriverError:
            raise
        except BaseException:
            # We end, or the listener can take no more (its journal failed). Best effort: what the device takes while
            # nobody polls waits in five places only.
            self._lock_out()
            with suppress(DriverError):
                await self._inhibit(attempts=1)
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Shut the gates and release the port; the task, cancelled before, has inhibited the device."""
        self._lock_out()
        if self._gates is not None:
            self._gates.divert(to_hopper=False)
        self._bus.close()

    async def _start_up(self) -> Identity:
        """Read what the device holds and inhibit it; then learn who it is and which coins it knows, and catch up.

        It may have gone on taking coins while nobody polled it, and its buffer holds five. So the first exchanges are:
        serial number, buffered credits, inhibit.
        """
        settings = self._settings
        self._lock_out()
        address = await self._find()
        serial = await reached(self._bus, address, category=CATEGORY, serial=settings.serial)
        waiting, inhibits_gone = await self._take_stock()
        self._listener.coins_shut(serial, self._clock.now())
        await self._finder.require_alone(address, serial)
        memory = await self._remember(serial)
        self.identity = await identity_of(self._bus, address, category=CATEGORY, number=serial)
        self.poll_s = await poll_interval_s(self._bus, address, settings.poll_ms / 1000)
        self._known = await known_coins(self._bus, address, self._currency)
        self.values_cents = {
            position: value_cents
            for position, value_cents in self._known.items()
            if not settings.coins_cents or value_cents in settings.coins_cents
        }
        if not self.values_cents:
            raise IdentityError(
                f"{self._bus}: the coin acceptor knows no coin of {self._currency} that [coin_acceptor] coins_cents "
                "names: have it programmed, replace it, or correct the configuration"
            )
        self._failed_enables = 0
        self._eventful_at = self._clock.now()
        await self._check()
        self._ways = self._fitted_ways()
        await self._ways.begin()
        await self._test.begin(serial)
        await self._catch_up(serial, memory, waiting, inhibits_gone=inhibits_gone)
        # That they were gone is the proof of a reset, which is in the books now.
        await self._ask(Header.INHIBITS, self._mask())
        await self._ways.caught_up()
        return self.identity

    async def _find(self) -> int:
        """Open the bus and return the address to ask, which from now on is the device's."""
        address = await self._finder.open()
        if address != self._address:
            self._address, self._check_inhibits = address, InhibitCheck(self._bus, address)
        return address

    async def _take_stock(self) -> tuple[Reading, bool | None]:
        """Inhibit the device; return what it holds, said twice, and whether it has lost the inhibits that were set.

        The inhibits of a device whose counter is in the journal were set, and a reset clears them.
        Raise `IdentityError` where it is of another kind, and what the bus raises.
        """
        try:
            sizes = range(READING_SIZE, READING_SIZE + 1)
            self._asked_at = self._clock.now()
            data = await self._bus.agreed(self._address, Header.READ_CREDIT, sizes=sizes, follows=event_buffer.goes_on)
            waiting = Reading.parse(data)
            await self._inhibit()
            inhibits_gone = await self._check_inhibits.none_enabled()
        except (NoReplyError, WireError):
            await refuse_other_kind(self._bus, self._address, CATEGORY)
            raise
        self._doubt.missed()
        return waiting, inhibits_gone

    async def _remember(self, serial: int) -> CoinMemory | None:
        """Take up what the journal remembers of this device."""
        memory = await self._listener.coin_memory(serial)
        if serial != self._serial:
            self._serial, self._rests = serial, None
            self._doubt = CoinDoubt(self._clock, memory, partial(self._listener.coins_unread, serial))
            self._check_inhibits = InhibitCheck(self._bus, self._address)
            self._doubt.inhibited()
            self._doubt.missed()
        if memory is not None:
            self._last, self._seen, self._power_lost = memory.counter, memory.events, memory.power_lost
        return memory

    def _fitted_ways(self) -> CoinWays:
        settings = self._settings
        if settings.hopper_path:
            paths = {"hopper_path": settings.hopper_path, "cash_box_path": settings.cash_box_path}
            return Sorter(self._bus, self._address, self.values_cents, **paths)
        if self._gates is not None and self._gates.has_diverter:
            return PinDiverter(self._gates, self._listener, self._clock, self.values_cents)
        return CashBoxOnly()

    async def _catch_up(
        self, serial: int, memory: CoinMemory | None, waiting: Reading, *, inhibits_gone: bool | None
    ) -> None:
        """Compare the device's events with the journal: coins taken while we were away are in what was `waiting`.

        A device whose inhibits are gone has been reset, whatever its rejects say; coins among its events rule that out.
        """
        self._unreset = inhibits_gone is False
        coins = any(coin for coin, _ in waiting.events)
        if memory is not None and inhibits_gone and not coins and not self._progress(waiting).reset:
            await self._book_reset(serial)
        if memory is None:
            # A device never seen: what it did before is not ours.
            await self._listener.coins(CoinReport(serial=serial, counter=waiting.counter, events=waiting.events))
            self._taken_over(waiting)
        elif not self._progress(waiting).doubtful:
            await self._take_over(serial, waiting)
        else:
            # A late reply looks like this: let it pass. What was waiting is believed where that is still so.
            await self._bus.quiet(LATE_S)
            reading = await self._confirmed(await self._read())
            since, added = event_buffer.progress(waiting.counter, reading, waiting.events), self._progress(reading)
            if since.reset and not added.reset:
                # It was reset just now, or that was a late reply: what was waiting is in doubt.
                await self._book_reset(serial)
            elif (added.doubtful or not added.certain) and not since.reset:
                await self._take_over(serial, waiting)
        await self._look_closer(serial, await self._read())
        self._unreset = False
        if self._power_lost:
            # From now on what is remembered is of this start.
            await self._listener.coins(CoinReport(serial=serial, counter=self._last, events=self._seen or ()))
            self._power_lost = False

    async def _poll(self, serial: int) -> None:
        """Read the event buffer, and look closer where it is not as we know it."""
        reading = await self._read()
        # Coins come in handfuls: while they do, nobody asks on the line but who has to.
        self._bus.moving(on=self._clock.now() - self._eventful_at < REST_S)
        if self._progress(reading) == event_buffer.NOTHING:
            self._doubt.known_from(self._asked_at)
        else:
            await self._look_closer(serial, reading)

    async def _rest(self, serial: int) -> None:
        """Have the books know, once, that an inhibited device has taken no coin since it was read."""
        if not self._rests and not self._doubt.may_take:
            await self._listener.coins_at_rest(serial)
            self._rests = True

    def _progress(self, reading: Reading) -> Progress:
        return event_buffer.progress(self._last, reading, self._seen, power_lost=self._power_lost)

    async def _look_closer(self, serial: int, reading: Reading) -> None:
        """Have what is new committed before our idea of the counter moves."""
        reading = await self._confirmed(reading)
        if self._progress(reading).doubtful:
            self._doubt.missed()
            # A late reply looks like a reset or like 250 lost coins: let it pass and look again. Meanwhile no
            # more coins may push unread ones out of the buffer.
            await self._inhibit()
            await self._bus.quiet(LATE_S)
            reading = await self._confirmed(await self._read())
        await self._take_over(serial, reading)

    async def _take_over(self, serial: int, reading: Reading) -> None:
        """Have what a confirmed reading adds committed; it is what we know from now on."""
        added = self._progress(reading)
        if added != event_buffer.NOTHING:
            await self._book(serial, reading, added)
        self._taken_over(reading)

    def _taken_over(self, reading: Reading) -> None:
        self._last, self._seen = reading
        self._doubt.known_from(self._asked_at)

    async def _book_reset(self, serial: int) -> None:
        """Report a reset that the device's events do not show."""
        await self._book(serial, Reading(self._last, self._seen or ()), Progress(0, 0, reset=True))

    async def _book(self, serial: int, reading: Reading, added: Progress) -> None:
        """Report faults, then coins and counter together."""
        positions: list[int] = []
        values_cents: list[int] = []
        ways: list[CoinWay] = []
        codes: list[int] = []
        unknown = 0
        for first, second in reversed(reading.events[: added.fresh]):
            if first == 0:
                codes.append(second)
            elif first in self._known:
                positions.append(first)
                values_cents.append(self._known[first])
                ways.append(self._ways.way(second))
            else:
                unknown += 1
        # Faults first: should the commit fail, the same events are read and reported again.
        errors = {code: coin_codes.explain(code) for code in codes}
        for code, error in errors.items():
            if error.fault:
                await self._fault(error.fault, f"{error.text} (code {code})")
        if unknown:
            await self._fault("coin_unknown", f"{unknown} coin(s) of a position without a value")
        dearest, may_take = max(self._known.values()), self._doubt.may_take
        report = CoinReport(
            serial=serial,
            counter=reading.counter,
            events=reading.events,
            positions=tuple(positions),
            values_cents=tuple(values_cents),
            ways=tuple(ways),
            # what an inhibited acceptor counts are coins that it turned away
            lost=unknown + (added.lost if may_take or positions else 0),
            lost_cents=None if unknown else self._doubt.most_lost_cents(added.lost, dearest),
            reset=added.reset,
            forgot=added.contradiction or (may_take and (added.reset or not (added.certain or self._unreset))),
            forgot_cents=None if added.contradiction else self._doubt.most_forgotten_cents(dearest),
            holds=in_words(reading.events, self._known),
            held=in_words(self._seen or (), self._known),
            rejects=tuple(code for code in codes if errors[code].kind is not coin_codes.CodeClass.IGNORED),
        )
        await self._listener.coins(report)
        if self.on_report is not None:
            self.on_report(report)
        self._eventful_at = self._clock.now()
        if added.reset or any(coin_codes.shows_inhibition(code) for code in codes):
            self._applied = None
        if added.reset:
            self._doubt.began_anew()
            self._enabled = False
            self._ways.forget()

    async def _check_now_and_then(self) -> None:
        now = self._clock.now()
        if now >= self._check_at and (self.self_check or now - self._eventful_at >= REST_S):
            await self._check()

    async def _check(self) -> None:
        """Have the device check itself; while it says that something is wrong with it, it takes no coin.

        Asked once, because others may wait for the line; a bad answer is believed when a second one says the same. No
        answer says nothing: a device that is lost does not answer the next poll.
        """
        before = words = self.self_check
        with suppress(NoReplyError, WireError):
            words = await self._ask_check()
            if words not in {"", before} and words != await self._ask_check():
                words = before
        self._check_at = self._clock.now() + (RECHECK_EVERY_S if words else CHECK_EVERY_S)
        self.self_check = words
        if words != before or self._applied is None:
            await self._listener.device_fault(self.name, "self_check", present=bool(words), detail=words)

    async def _ask_check(self) -> str:
        answer = await self._bus.request(
            self._address, Header.SELF_CHECK, sizes=self_check.SIZES, attempts=1, reply_s=CHECK_REPLY_S
        )
        check = self_check.SelfCheck(*answer)
        return f"{check} (code {check.fault})" if check.fault else ""

    async def _still_enabled(self, serial: int) -> bool:
        """Whether the device says that it is enabled, as was set; where it is not, it was reset, and that is booked.

        The events need not show a reset: its counter may have been 0 before, or its events the same. What it had taken
        since the reading before is gone. A device that does not know the question is not asked for ever.
        """
        enabled = await self._check_inhibits.enabled(self._mask())
        if enabled:
            self._doubt.taking_coins()
        elif enabled is not None:
            await self._book_reset(serial)
        return bool(enabled)

    async def _apply_inhibits(self, serial: int) -> None:
        """Enable or inhibit the device, now and then again: a reset before its first event shows nowhere."""
        now = self._clock.now()
        wanted = self._wanted and not self.self_check and self._ways.settled and self._test.settled
        if self._applied == wanted and now < self._apply_again_at:
            return
        unchanged = self._enabled and await self._still_enabled(serial)
        if not wanted:
            await self._inhibit()
        elif not (unchanged and self._applied) and not await self._enable(serial):
            return
        self._applied = wanted
        self._apply_again_at = now + REAPPLY_S
        if wanted and self._wanted and self._test.settled and self._gates is not None:
            self._gates.let_in(coins=True)

    async def _enable(self, serial: int) -> bool:
        """Enable the known coins; False where a reply was lost, to be tried again after the next poll.

        Never repeated blindly: a device that was reset in between must be seen at counter 0 before it takes coins.
        """
        if self._rests is not False:
            await self._listener.coins_wanted(serial)
            self._rests = False
        self._applied = None  # a device that obeys and whose reply is lost is neither
        self._inhibited = self._enabled = False
        self._doubt.enabling()
        try:
            await self._ask(Header.INHIBITS, self._mask(), attempts=1)
            await self._ask(Header.MASTER_INHIBIT, b"\x01", attempts=1)
        except (NoReplyError, WireError):
            self._failed_enables += 1
            if self._failed_enables >= ENABLE_TRIES:
                raise
            return False
        self._failed_enables = 0
        self._enabled = True
        return True

    async def _inhibit(self, attempts: int = 3) -> None:
        self._lock_out()
        await self._ask(Header.MASTER_INHIBIT, b"\x00", attempts=attempts)
        self._applied = self._enabled = False
        self._inhibited = True  # until it is enabled: a reset does not enable it
        self._doubt.inhibited()

    def _lock_out(self) -> None:
        if self._gates is not None:
            self._gates.let_in(coins=False)

    async def _read(self) -> Reading:
        self._asked_at = self._clock.now()
        return Reading.parse(await self._ask(Header.READ_CREDIT, size=READING_SIZE))

    async def _confirmed(self, reading: Reading) -> Reading:
        """Return `reading`, or the first one after it, that the next one confirms; `WireError` where none does.

        A checksum of eight bits lets one error in 256 pass. What looks like a reset or like lost coins must be said
        twice in the same words: an old reading would be confirmed by the true one.
        """
        for _ in range(AGREEING_READS):
            now = await self._read()
            added = self._progress(reading)
            if now == reading or (not added.doubtful and event_buffer.confirms(now, reading, added.fresh)):
                return reading
            reading = now
        raise WireError(f"{self._bus}: the coin acceptor answers request 229 differently each time: check the line")

    async def _ask(self, header: Header, data: bytes = b"", *, size: int = 0, attempts: int = 3) -> bytes:
        sizes = range(size, size + 1)
        return await self._bus.request(self._address, header, data, sizes=sizes, attempts=attempts)

    async def _fault(self, code: str, detail: str) -> None:
        await self._listener.device_fault(self.name, code, present=True, detail=detail)

    def _mask(self) -> bytes:
        """The inhibit mask: a bit set means that the coin of that position is taken."""
        return sum(1 << (position - 1) for position in self.values_cents).to_bytes(POSITIONS // 8, "little")
