"""Driver of a ccTalk coin acceptor: credit every coin that passed its credit sensor exactly once."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from drivers import event_buffer
from drivers.capabilities import CoinListener, CoinMemory, CoinReport, CoinWay
from drivers.cctalk import coin_codes, self_check
from drivers.cctalk.bus import AGREEING_READS, Bus
from drivers.cctalk.coin_inhibits import InhibitCheck
from drivers.cctalk.coin_setup import POSITIONS, known_coins, poll_interval_s
from drivers.cctalk.coin_ways import CashBoxOnly, CoinWays, PinDiverter, Sorter
from drivers.cctalk.link import Identity, identity_of, reached, refuse_other_kind, require_same
from drivers.cctalk.protocol import Header
from drivers.cctalk.scan import Finder
from drivers.clock import Clock
from drivers.coin_diagnostic import CoinDiagnostic
from drivers.coin_doubt import CoinDoubt, in_words
from drivers.currency import Currency
from drivers.errors import DriverError, IdentityError, NoReplyError, SettingsError, WireError
from drivers.event_buffer import READING_SIZE, Events, Progress, Reading
from drivers.link_faults import found
from drivers.pins.coin_gates import CoinGates
from drivers.port import Port
from drivers.wiring import CoinAcceptor as Settings

CATEGORY = "Coin Acceptor"
MAX_POLL_MS = 1000  # five buffered events at five coins a second (protocols.md, 1)
REAPPLY_S = 5.0
"""Interval at which the inhibits are sent again."""
ENABLE_TRIES = 3
"""The driver gives up after this many replies to an enable were lost in a row."""
LATE_S = 1.0
"""After a silence of this length no late reply can come."""
CHECK_EVERY_S = 60.0
"""Interval between self-checks of a device at rest."""
RECHECK_EVERY_S = 5.0
"""Interval between self-checks of a device that failed its last one."""
REST_S = 3.0
"""A device without a new event for this long is at rest."""
CHECK_REPLY_S = 0.5  # a self-check moves coils, so its reply may take longer than others


class _NewEvents(NamedTuple):
    """The new events of a reading, oldest first.

    `positions`, `values_cents` and `ways` are those of the accepted coins, `codes` the error codes, and `unknown` the
    positions of accepted coins without a value.
    """

    positions: list[int]
    values_cents: list[int]
    ways: list[CoinWay]
    codes: list[int]
    unknown: list[int]


class CoinAcceptor:
    """A ccTalk coin acceptor, a `drivers.capabilities.CoinTaker`.

    It polls even while coins are inhibited, because a coin past the gate is money. `identity`, `values_cents` (accepted
    coins by position), `poll_s` and `self_check` (empty if the device is well) hold what the device reported. Coins of
    another currency than `currency` stay inhibited, and a device that knows only such coins is refused. `gates` are the
    lockout and the diverter; `hopper_takes` returns the value in cents of the coin that the hopper has room for, 0 for
    none. `on_report` is called with every report once it is durable.

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
        self._values_by_position: dict[int, int] = {}
        self._serial: int | None = None
        self._last_counter = 0
        self._last_events: Events | None = None
        self._power_lost = False
        self._unreset = False  # the inhibits that were set are still there, so the device was not reset
        self._asked_at = 0.0
        self._doubt = CoinDoubt(clock)
        self._applied: bool | None = None  # the accept state that the device acknowledged, None if unknown
        self._inhibited = False
        self._enabled = False
        self._rests: bool | None = None  # whether the books have it at rest; None for another device
        self._check_inhibits = InhibitCheck(self._bus, self._address)
        self._apply_again_at = 0.0
        self._failed_enables = 0
        self._eventful_at = 0.0
        self._check_at = 0.0

    def __repr__(self) -> str:
        return f"<CoinAcceptor {self._settings.port} {'wanted' if self._wanted else 'inhibited'}>"

    def accept(self, *, enabled: bool) -> None:
        """Accept coins or return them all; the lockout shuts at once, the inhibit follows with the next exchange."""
        if not enabled:
            self._lock_out()
        if enabled != self._wanted:
            self._wanted = enabled
            self._nudge.set()

    def test(self, name: str) -> None:
        """Accept coins for the test of that name without crediting them; an empty name ends the test.

        Coins are rejected until those on their way are booked under the old purpose. `tests` then names the test.
        """
        self._test.wanted = name
        if not self._test.settled:
            self._lock_out()
        self._apply_again_at = 0.0
        self._nudge.set()

    @property
    def tests(self) -> str:
        """The test that coins are accepted for, empty if they are credited."""
        return self._test.now

    @property
    def at_rest(self) -> bool:
        """Whether the device is inhibited and all its coins are read, and the books have recorded that."""
        return self._rests is True

    @property
    def takes_coins(self) -> bool:
        """Whether the device was enabled and acknowledged it."""
        return self._applied is True

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost, or what the listener raised."""
        try:
            identity = await self._start_up()
            await found(self.name, str(identity), self._listener)
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
            # The driver ends, or the listener failed (its journal, for example). Try to inhibit the device: unpolled,
            # it buffers only five events.
            self._lock_out()
            with suppress(DriverError):
                await self._inhibit(attempts=1)
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Shut the gates and close the port; the run task, cancelled before, has inhibited the device."""
        self._lock_out()
        if self._gates is not None:
            self._gates.divert(to_hopper=False)
        self._bus.close()

    async def _start_up(self) -> Identity:
        """Read the event buffer and inhibit the device, then identify it, read its coins and book what was missed.

        It may have accepted coins while it was not polled, and its buffer holds five events. So the first exchanges
        are: serial number, buffered credits, inhibit.
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
        self._values_by_position = await known_coins(self._bus, address, self._currency)
        self.values_cents = {
            position: value_cents
            for position, value_cents in self._values_by_position.items()
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
        # Set the inhibits only here: missing inhibits prove a reset, and that is booked.
        await self._ask(Header.INHIBITS, self._mask())
        await self._ways.caught_up()
        return self.identity

    async def _find(self) -> int:
        """Open the bus, find the device's address, store it and return it."""
        address = await self._finder.open()
        if address != self._address:
            self._address, self._check_inhibits = address, InhibitCheck(self._bus, address)
        return address

    async def _take_stock(self) -> tuple[Reading, bool | None]:
        """Inhibit the device; return its event buffer, read twice, and whether the inhibits that were set are gone.

        A device whose counter is in the journal had its inhibits set, and a reset clears them. Raise `IdentityError` if
        it is of another kind, and what the bus raises.
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
        self._doubt.answered_after_reset()
        return waiting, inhibits_gone

    async def _remember(self, serial: int) -> CoinMemory | None:
        """Load what the journal holds about this device."""
        memory = await self._listener.coin_memory(serial)
        if serial != self._serial:
            self._serial, self._rests = serial, None
            self._doubt = CoinDoubt(self._clock, memory, partial(self._listener.coins_unread, serial))
            self._check_inhibits = InhibitCheck(self._bus, self._address)
            self._doubt.inhibited()
            self._doubt.answered_after_reset()
        if memory is not None:
            self._last_counter, self._last_events, self._power_lost = memory.counter, memory.events, memory.power_lost
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
        """Compare the event buffer with the journal: `waiting` holds the coins accepted since the last run.

        A device whose inhibits are gone was reset, even if its events show only rejects; coins among them rule that
        out.
        """
        self._unreset = inhibits_gone is False
        coins = any(coin for coin, _ in waiting.events)
        if memory is not None and inhibits_gone and not coins and not self._progress(waiting).reset:
            await self._book_reset(serial)
        if memory is None:
            # A device seen for the first time: its earlier coins are not credited.
            await self._listener.coins(CoinReport(serial=serial, counter=waiting.counter, events=waiting.events))
            self._remember_reading(waiting)
        elif not self._progress(waiting).doubtful:
            await self._take_over(serial, waiting)
        else:
            # It may be a late reply: let it pass. The first reading is trusted if a new one confirms it.
            await self._bus.quiet(LATE_S)
            reading = await self._confirmed(await self._read())
            since, added = event_buffer.progress(waiting.counter, reading, waiting.events), self._progress(reading)
            if since.reset and not added.reset:
                # It was reset just now, or the first reading was a late reply: that reading is in doubt.
                await self._book_reset(serial)
            elif (added.doubtful or not added.certain) and not since.reset:
                await self._take_over(serial, waiting)
        await self._confirm_and_book(serial, await self._read())
        self._unreset = False
        if self._power_lost:
            # Store the counter of this power-up.
            await self._listener.coins(
                CoinReport(serial=serial, counter=self._last_counter, events=self._last_events or ())
            )
            self._power_lost = False

    async def _poll(self, serial: int) -> None:
        """Read the event buffer, and confirm and book it if it changed."""
        reading = await self._read()
        # Coins come in handfuls: no scan uses the line meanwhile.
        self._bus.moving(on=self._clock.now() - self._eventful_at < REST_S)
        if self._progress(reading) == event_buffer.NOTHING:
            self._doubt.known_from(self._asked_at)
        else:
            await self._confirm_and_book(serial, reading)

    async def _rest(self, serial: int) -> None:
        """Record once in the books that an inhibited device has no unread coin."""
        if not self._rests and not self._doubt.may_take:
            await self._listener.coins_at_rest(serial)
            self._rests = True

    def _progress(self, reading: Reading) -> Progress:
        return event_buffer.progress(self._last_counter, reading, self._last_events, power_lost=self._power_lost)

    async def _confirm_and_book(self, serial: int, reading: Reading) -> None:
        """Confirm a changed reading and book it before the stored counter advances."""
        reading = await self._confirmed(reading)
        if self._progress(reading).doubtful:
            self._doubt.answered_after_reset()
            # A late reply looks like a reset or like 250 lost coins: let it pass and read again. Inhibit meanwhile, so
            # that new coins do not push unread ones out of the buffer.
            await self._inhibit()
            await self._bus.quiet(LATE_S)
            reading = await self._confirmed(await self._read())
        await self._take_over(serial, reading)

    async def _take_over(self, serial: int, reading: Reading) -> None:
        """Book what a confirmed reading adds, then store the reading as the last known one."""
        added = self._progress(reading)
        if added != event_buffer.NOTHING:
            await self._book(serial, reading, added)
        self._remember_reading(reading)

    def _remember_reading(self, reading: Reading) -> None:
        self._last_counter, self._last_events = reading
        self._doubt.known_from(self._asked_at)

    async def _book_reset(self, serial: int) -> None:
        """Report a reset that the event buffer does not show."""
        await self._book(serial, Reading(self._last_counter, self._last_events or ()), Progress(0, 0, reset=True))

    async def _book(self, serial: int, reading: Reading, added: Progress) -> None:
        """Report faults, then coins and counter together."""
        new = self._sorted_events(reading, added)
        await self._report_faults(new)  # first: if the commit fails, the same events are read and reported again
        report = self._coin_report(serial, reading, added, new)
        await self._listener.coins(report)
        if self.on_report is not None:
            self.on_report(report)
        self._eventful_at = self._clock.now()
        if added.reset or any(coin_codes.shows_inhibition(code) for code in new.codes):
            self._applied = None
        if added.reset:
            self._doubt.reset_booked()
            self._enabled = False
            self._ways.forget()

    def _sorted_events(self, reading: Reading, added: Progress) -> _NewEvents:
        """Return the events that `reading` adds, sorted by what they say."""
        new = _NewEvents([], [], [], [], [])
        for coin, path_or_error in reversed(reading.events[: added.fresh]):
            if coin == 0:
                new.codes.append(path_or_error)
            elif coin in self._values_by_position:
                new.positions.append(coin)
                new.values_cents.append(self._values_by_position[coin])
                new.ways.append(self._ways.way(path_or_error))
            else:
                new.unknown.append(coin)
        return new

    async def _report_faults(self, new: _NewEvents) -> None:
        """Report the faults that error codes and unknown coins stand for."""
        for code in dict.fromkeys(new.codes):
            error = coin_codes.explain(code)
            if error.fault:
                await self._fault(error.fault, f"{error.text} (code {code})")
        if new.unknown:
            await self._fault("coin_unknown", f"{len(new.unknown)} coin(s) of a position without a value")

    def _coin_report(self, serial: int, reading: Reading, added: Progress, new: _NewEvents) -> CoinReport:
        """Return the report of a reading's new events, with what was lost or forgotten before them."""
        unknown, values_cents = len(new.unknown), self._values_by_position
        dearest, may_take = max(values_cents.values()), self._doubt.may_take
        return CoinReport(
            serial=serial,
            counter=reading.counter,
            events=reading.events,
            positions=tuple(new.positions),
            values_cents=tuple(new.values_cents),
            ways=tuple(new.ways),
            # an inhibited acceptor counts the coins that it rejects
            lost=unknown + (added.lost if may_take or new.positions else 0),
            lost_cents=None if unknown else self._doubt.most_lost_cents(added.lost, dearest),
            reset=added.reset,
            forgot=added.contradiction or (may_take and (added.reset or not (added.certain or self._unreset))),
            forgot_cents=None if added.contradiction else self._doubt.most_forgotten_cents(dearest),
            events_words=in_words(reading.events, values_cents),
            previous_events_words=in_words(self._last_events or (), values_cents),
            rejects=tuple(
                code for code in new.codes if coin_codes.explain(code).kind is not coin_codes.CodeClass.IGNORED
            ),
        )

    async def _check_now_and_then(self) -> None:
        now = self._clock.now()
        if now >= self._check_at and (self.self_check or now - self._eventful_at >= REST_S):
            await self._check()

    async def _check(self) -> None:
        """Request a self-check; while it reports a fault, coins stay inhibited.

        The request is sent once, because other drivers may wait for the line; a fault counts only if a second reply
        confirms it. A missing reply is ignored: a lost device does not answer the next poll either.
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
        """Return whether the device reports that it is still enabled; if it is not, book a reset.

        The event buffer may not show a reset: the counter may have been 0 before, or the events the same. Coins
        accepted since the previous reading are lost. A device that does not support the request is soon not asked
        again.
        """
        enabled = await self._check_inhibits.enabled(self._mask())
        if enabled:
            self._doubt.taking_coins()
        elif enabled is not None:
            await self._book_reset(serial)
        return bool(enabled)

    async def _apply_inhibits(self, serial: int) -> None:
        """Enable or inhibit the device, again every `REAPPLY_S`: an early reset does not show in the event buffer."""
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
        """Enable the accepted coins; return False if a reply was lost, so that the caller retries after the next poll.

        The request is never repeated blindly: after a reset in between, counter 0 must be read before coins are
        accepted. Raise `WireError` if another device is in its place, whose positions are other coins.
        """
        await require_same(self._bus, self._address, serial)
        if self._rests is not False:
            await self._listener.coins_wanted(serial)
            self._rests = False
        self._applied = None  # unknown: the device may obey and its reply may be lost
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
        """Return the first of `reading` and those after it that the next one confirms; raise `WireError` if none is.

        An eight-bit checksum misses one error in 256. A reading that looks like a reset or like lost coins must be read
        twice unchanged: otherwise the true reading would confirm an old one.
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
        """Return the inhibit mask; a set bit means that the coin of that position is accepted."""
        return sum(1 << (position - 1) for position in self.values_cents).to_bytes(POSITIONS // 8, "little")
