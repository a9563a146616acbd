"""Driver of an MDB coin changer's acceptor (MDB/ICP 4.3, section 5): credit every reported coin exactly once.

A changer does not count its events, and the bridge acknowledges an event before the driver has received it. An event
that is lost on the way is lost for good, and the books record that:

- If an answer to a poll may have held coins and was lost, on the way or because the program ended before they were
  booked, an open item is created. Its limit is what can have been inserted since the previous answer; the lost answer
  may also have reported a reset. The tubes are not used to guess: they do not see coins that fall into the cash box.
- A changer that restarted, by itself or with the cabinet's mains, has forgotten unreported coins: if it may have
  accepted coins since the last poll, an open item is created for what can have been inserted since then.
- A changer whose acknowledgement is lost reports the same coins again. If an answer begins with exactly the coins of
  the answer before, these are not credited: an open item is created for them. A second coin of the same type that falls
  into a tube differs from the first in the number of coins in that tube.
- Coins that a changer reports when it is seen for the first time are not credited.

The changer routes coins into its tubes by itself and reports where each coin fell. Its manual payout buttons stay
disabled.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from drivers.capabilities import CoinListener, CoinMemory, CoinReport, CoinWay
from drivers.clock import Clock
from drivers.coin_diagnostic import CoinDiagnostic
from drivers.coin_doubt import CoinDoubt
from drivers.currency import Currency, foreign
from drivers.errors import DriverError, IdentityError, PortError, SettingsError, WireError
from drivers.link_faults import found
from drivers.mdb import protocol
from drivers.mdb.bridge import AnswerLostError, BridgeLostError
from drivers.mdb.changer import Changer
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import (
    LEVEL_3,
    ByHand,
    Coin,
    CoinEvent,
    CoinSetup,
    CoinState,
    Deposited,
    Expansion,
    Identification,
    Route,
    Slugs,
    mask,
)
from drivers.pins.coin_gates import CoinGates
from drivers.port import Port
from drivers.wiring import CoinAcceptor as Settings

_log = logging.getLogger(__name__)

MAX_POLL_MS: Final = 500
LAST_WORD_S: Final = 2.0
"""How long a started poll may continue when the driver is cancelled."""
MOST_WAITING: Final = 16
"""Maximum number of polls to read the events that a changer kept while it was not polled."""
LONGEST_COUNTER: Final = 1 << 31

_POLL: Final = bytes((Coin.POLL,))
_SETUP: Final = bytes((Coin.SETUP,))
_IDENTIFY: Final = bytes((Coin.EXPANSION, Expansion.IDENTIFICATION))
_NO_BUTTONS: Final = b"\0\0"


REJECTED: Final = 1
SLUG: Final = 25
LEVER: Final = 254
REJECTS: Final = {
    CoinState.ESCROW_REQUEST: LEVER,
    CoinState.NO_CREDIT: 6,
    CoinState.DOUBLE_ARRIVAL: 8,
    CoinState.ROUTING: 39,
    CoinState.COIN_JAM: 14,
    CoinState.CREDIT_REMOVAL: 20,
}
"""The ccTalk error code for each state; the books use ccTalk codes (protocols.md, 1, table 2)."""

FAULTS: Final = {
    CoinState.ROUTING: ("coin_alarm", "a coin did not fall where it was sent"),
    CoinState.COIN_JAM: ("coin_jam", "a coin is jammed in its path"),
    CoinState.CREDIT_REMOVAL: ("coin_string", "somebody tried to take out a coin that was credited"),
}
"""Faults that a person must see, with their descriptions."""

SELF: Final = {
    CoinState.UNPLUGGED: "its acceptor is unplugged",
    CoinState.CHECKSUM: "its program is damaged",
}
"""States that are reported as a failed self-check."""

SELF_OVER_S: Final = 10.0
"""A self-check fault that is not reported again within this time is over."""

_WAYS: Final = {Route.CASH_BOX: CoinWay.CASH_BOX, Route.TUBES: CoinWay.HOPPER, Route.UNUSED: CoinWay.UNKNOWN}


class ChangerIdentity(NamedTuple):
    """A changer's identity in words and the serial number used in the books."""

    serial: int
    words: str

    def __str__(self) -> str:
        return self.words


class CoinChanger:
    """A coin changer's acceptor, a `drivers.capabilities.CoinTaker`.

    It polls even while coins are inhibited, because a coin past the gate is money. `identity`, `values_cents` (accepted
    coins by type), `poll_s` and `self_check` (empty if the device is well) hold what the device reported. A device with
    another currency than `currency` is refused. `changer` is the state shared with the driver of its tubes. `on_report`
    is called with every report once it is durable.

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
        changer: Changer | None = None,
    ) -> None:
        if not 0 < settings.poll_ms <= MAX_POLL_MS:
            raise SettingsError(f"[coin_acceptor] poll_ms = {settings.poll_ms}: give 1 to {MAX_POLL_MS}")
        self.identity: ChangerIdentity | None = None
        self.values_cents: dict[int, int] = {}
        self.poll_s = settings.poll_ms / 1000
        self.self_check = ""
        self.on_report: Callable[[CoinReport], None] | None = None
        self._settings = settings
        self._link = MdbLink(port, clock, "coin changer")
        self._clock = clock
        self._listener = listener
        self._currency = currency
        self._gates = gates
        self._changer = changer or Changer()
        self._test = CoinDiagnostic(listener, clock)
        self._wanted = False
        self._nudge = asyncio.Event()
        self._values_by_type: dict[int, int] = {}
        self._serial = 0
        self._counter = 0
        self._enabled: bool | None = None
        self._rests: bool | None = None
        self._doubt = CoinDoubt(clock)
        self._answer_lost = False
        self._uncommitted: CoinReport | None = None
        self._last_coins: tuple[Deposited, ...] = ()
        self._self_check_failed_at = float("-inf")

    def __repr__(self) -> str:
        return f"<CoinChanger {self._settings.port} {'wanted' if self._wanted else 'inhibited'}>"

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
        return self._enabled is True

    async def run(self) -> None:
        """Serve the device until cancelled; raise a `DriverError` when it is lost, or what the listener raised."""
        try:
            identity = await self._start_up()
            await found(self.name, str(identity), self._listener)
            while True:
                self._nudge.clear()
                polled_at = self._clock.now()
                await self._poll_whole()
                await self._rest()
                await self._report_self()
                inhibited = self._enabled is False
                await self._test.turn(self._serial, inhibited=inhibited, polled_at=polled_at)
                await self._apply()
                with suppress(TimeoutError):
                    async with asyncio.timeout(polled_at + self.poll_s - self._clock.now()):
                        await self._nudge.wait()
        except DriverError:
            raise
        except BaseException:
            # The driver ends, or the listener failed (its journal, for example): try to inhibit the device.
            self._lock_out()
            with suppress(DriverError):
                if await self._link.ask(self._inhibiting) == b"":
                    self._enabled = False
                    self._doubt.inhibited()
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Shut the gates and leave the bridge; the run task, cancelled before, has inhibited the device."""
        self._lock_out()
        self._changer.left()
        self._link.close()

    # Starting.

    async def _start_up(self) -> ChangerIdentity:
        """Inhibit the device, identify it, read its coins, and book the events that it kept."""
        self._lock_out()
        await self._link.open()
        found = await self._link.agreed(_SETUP, protocol.coin_setup)
        await self._inhibit()
        who, serial = await self._identify(found)
        self._check(found, serial)
        self._listener.coins_shut(serial, self._clock.now())
        memory = await self._listener.coin_memory(serial)
        if self.identity is None or serial != self._serial:
            self._remember(serial, memory)
        self._values_by_type = found.values_cents
        words = str(who) if who is not None else f"changer of level {found.level}, known by its set-up as {serial}"
        self.identity = ChangerIdentity(serial, words)
        wanted = self._settings.coins_cents
        self.values_cents = {
            kind: cents for kind, cents in self._values_by_type.items() if not wanted or cents in wanted
        }
        if not self.values_cents:
            raise IdentityError(
                f"{self._link.path}: the coin changer knows no coin of {self._currency} that [coin_acceptor] "
                "coins_cents names: have it programmed, replace it, or correct the configuration"
            )
        self._counter = memory.counter if memory is not None else 0
        if (
            self._uncommitted is not None
            and self._uncommitted.serial == serial
            and self._uncommitted.counter != self._counter
        ):
            # An earlier commit of this report failed, and it exists nowhere else: commit it first.
            await self._commit(self._uncommitted)
        await self._test.begin(serial)
        await self._catch_up(memory)
        self._changer.found(self._link, found, who, serial)
        return self.identity

    async def _identify(self, found: CoinSetup) -> tuple[Identification | None, int]:
        """Return who the changer is, if it says so, and its serial number."""
        who = await self._link.agreed(_IDENTIFY, protocol.identification) if found.level >= LEVEL_3 else None
        return who, who.number if who is not None else found.number

    async def _identify_again(self) -> None:
        """Identify a changer that restarted; raise `WireError` if it is another one, so that a new session begins."""
        found = await self._link.agreed(_SETUP, protocol.coin_setup)
        who, serial = await self._identify(found)
        if serial != self._serial or found.values_cents != self._values_by_type:
            raise WireError(f"{self._link.path}: another coin changer is in the place of {self._serial}: {serial}")
        self._changer.found(self._link, found, who, serial)

    def _check(self, found: CoinSetup, serial: int) -> None:
        if self._settings.serial not in {0, serial}:
            raise IdentityError(
                f"{self._link.path}: the coin changer has serial number {serial}, cabinet.toml says "
                f"{self._settings.serial}: put the right device back, or correct `serial`"
            )
        if found.currency != self._currency.code:
            raise foreign(self._link.path, [f"coins of {found.currency}"], self._currency)

    def _remember(self, serial: int, memory: CoinMemory | None) -> None:
        """Load what the books hold about this device."""
        self._serial, self._rests = serial, None
        self._doubt = CoinDoubt(self._clock, memory, partial(self._listener.coins_unread, serial))
        self._answer_lost = memory is not None and self._doubt.answer_lost
        self._doubt.answered_after_reset()
        self._doubt.inhibited()

    async def _catch_up(self, memory: CoinMemory | None) -> None:
        """Credit the events that the device kept, and record this start in the books."""
        if memory is not None and memory.power_lost:
            await self._report((), reset=True)
        for _ in range(MOST_WAITING):
            if not await self._poll(ours=memory is not None):
                break
        await self._report(())

    # Polling.

    async def _poll_whole(self) -> None:
        """Poll and finish the commit even if cancelled: the events in the answer exist nowhere else."""
        polling = asyncio.ensure_future(self._poll())
        try:
            await asyncio.shield(polling)
        except asyncio.CancelledError:
            await asyncio.wait({polling}, timeout=LAST_WORD_S)
            polling.cancel()
            await asyncio.wait({polling})
            raise

    async def _poll(self, *, ours: bool = True) -> bool:
        """Poll and commit new events; return whether the device reported anything."""
        began = self._clock.now()
        self._doubt.about_to_read()
        try:
            said = await self._link.ask(_POLL)
            events = protocol.coin_events(said) if said else []
        except (AnswerLostError, PortError, ValueError) as error:
            # The answer's events are lost; it may have reported a reset.
            if self._doubt.may_take:
                self._answer_lost = True
                self._doubt.answer_is_lost()
            self._enabled = None
            if isinstance(error, (BridgeLostError, IdentityError, PortError)):
                raise
            if self._answer_lost:
                await self._report(())
            return True
        if said is None:
            self._doubt.no_answer()
            return False
        if ours and (events or self._answer_lost):
            await self._book_events(events)
        elif not events:
            self._last_coins = ()
        self._changer.polls += 1
        self._doubt.known_from(began)
        self._changer.still = not self._doubt.may_take
        return bool(events)

    async def _rest(self) -> None:
        """Record once in the books that an inhibited device has no unread coin."""
        if not self._rests and not self._doubt.may_take and not self._answer_lost and self._uncommitted is None:
            await self._listener.coins_at_rest(self._serial)
            self._rests = True

    async def _book_events(self, events: list[CoinEvent]) -> None:
        """Commit coins, then report faults."""
        coins = [event for event in events if isinstance(event, Deposited)]
        taken = tuple(coin for coin in coins if coin.route is not Route.REJECT)
        rejects = [REJECTED] * (len(coins) - len(taken))
        reset = CoinState.RESET in events
        served = self._changer.present.is_set()
        if reset:
            self._enabled = None
            self._doubt.answered_after_reset()
        for event in events:
            rejects += self._reject_codes(event)
        last_coins, self._last_coins = self._last_coins, taken
        repeated = len(last_coins) if taken[: len(last_coins)] == last_coins else 0
        if taken or rejects or reset or self._answer_lost:
            await self._report(taken[repeated:], rejects=tuple(rejects), reset=reset, repeated=taken[:repeated])
        faults = [FAULTS[event] for event in events if isinstance(event, CoinState) and event in FAULTS]
        if SLUG in rejects:
            faults.append(("coin_slug", "a coin was not recognised"))
        for code, words in faults:
            await self._listener.device_fault(self.name, code, present=True, detail=words)
            # Clear it at once: the fault is a single event, and no poll reports its end.
            await self._listener.device_fault(self.name, code, present=False)
        if reset and served:
            await self._identify_again()

    def _reject_codes(self, event: CoinEvent) -> list[int]:
        """Record an event that is not a coin, and return the reject codes that it stands for."""
        if isinstance(event, Slugs):
            return [SLUG] * event.number
        if isinstance(event, ByHand):
            _log.warning("%s: %s coins of kind %s were paid out by hand", self._link.path, event.number, event.kind)
        if not isinstance(event, CoinState):
            return []
        if event in SELF:
            self.self_check, self._self_check_failed_at = SELF[event], self._clock.now()
        self._changer.said(event, self._clock)
        return [REJECTS[event]] if event in REJECTS else []

    async def _report(
        self,
        coins: tuple[Deposited, ...],
        *,
        rejects: tuple[int, ...] = (),
        reset: bool = False,
        repeated: tuple[Deposited, ...] = (),
    ) -> None:
        """Commit coins with their counter, and with what may have been lost before them or reported twice."""
        valued = [coin for coin in coins if coin.kind in self._values_by_type]
        unknown = len(coins) - len(valued)
        if unknown:
            await self._listener.device_fault(
                self.name, "coin_unknown", present=True, detail=f"{unknown} coin(s) of a kind without a value"
            )
        counter = (self._counter + len(coins)) % LONGEST_COUNTER
        lost = self._answer_lost or (reset and self._doubt.may_take)
        doubted = sum(self._values_by_type.get(coin.kind, 0) for coin in repeated)
        most = self._most_forgotten_cents(reset=reset) if lost else 0
        report = CoinReport(
            serial=self._serial,
            counter=counter,
            positions=tuple(coin.kind for coin in valued),
            values_cents=tuple(self._values_by_type[coin.kind] for coin in valued),
            ways=tuple(_WAYS[coin.route] for coin in valued),
            lost=unknown,
            reset=reset,
            forgot=lost or doubted > 0,
            forgot_cents=None if most is None or not (lost or doubted) else most + doubted,
            rejects=rejects,
        )
        await self._commit(report)

    def _most_forgotten_cents(self, *, reset: bool) -> int | None:
        """Return the most value that lost answers, or a device that was `reset`, can have lost."""
        dearest = max(self._values_by_type.values())
        return self._doubt.most_forgotten_cents(dearest) if reset else self._doubt.most_answered_cents(dearest)

    async def _commit(self, report: CoinReport) -> None:
        """Commit a report once; if that fails, its counter tells later whether it was committed."""
        self._uncommitted = report
        await self._listener.coins(report)
        self._counter, self._uncommitted, self._answer_lost = report.counter, None, False
        if report.reset:
            self._doubt.reset_booked()
        elif report.forgot:
            self._doubt.answers_doubted()
        if self.on_report is not None:
            self.on_report(report)

    async def _report_self(self) -> None:
        """Report a self-check fault or its end."""
        if self.self_check and self._clock.now() - self._self_check_failed_at >= SELF_OVER_S:
            self.self_check = ""
        present = bool(self.self_check)
        await self._listener.device_fault(self.name, "self_check", present=present, detail=self.self_check)

    # Enabling.

    @property
    def _inhibiting(self) -> bytes:
        return bytes((Coin.COIN_TYPE,)) + mask(frozenset()) + _NO_BUTTONS

    async def _inhibit(self) -> None:
        self._lock_out()
        await self._link.order(self._inhibiting)
        self._enabled = False
        self._doubt.inhibited()

    async def _apply(self) -> None:
        """Enable or inhibit the device; coins stay inhibited while its tubes pay."""
        wanted = self._wanted and not self.self_check and self._test.settled and not self._changer.pays
        if self._enabled is wanted:
            return
        if not wanted:
            await self._inhibit()
            return
        if self._rests is not False:
            await self._listener.coins_wanted(self._serial)
            self._rests = False
        self._enabled = None
        self._doubt.enabling()
        self._changer.still = False
        try:
            said = await self._link.ask(bytes((Coin.COIN_TYPE,)) + mask(frozenset(self.values_cents)) + _NO_BUTTONS)
        except BridgeLostError:
            raise
        except AnswerLostError:
            return  # sent again after the next poll
        if said == b"":
            self._enabled = True
            if self._wanted and self._gates is not None:
                self._gates.let_in(coins=True)
        elif said:
            raise WireError(f"{self._link.path}: the coin changer answers COIN TYPE with {said.hex(' ')}: check it")

    def _lock_out(self) -> None:
        if self._gates is not None:
            self._gates.let_in(coins=False)
