"""Driver of an acceptor that sends pulses for each coin or note, on one pin or several (protocols.md, 2.4).

Such a device answers no requests, so four rules limit the uncertainty. A burst is journaled at its first pulse, so that
a burst interrupted by a kill or a power cut becomes an open item. Pulses that come before the lines have been at rest
for one pause are the rest of such a burst and no credit. Without current on `enable` the device accepts nothing. If it
may accept money while the program does not count, an open item is created for the most that can have been inserted in
that time.
"""

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from drivers.capabilities import PulseListener, PulseReport
from drivers.clock import Clock
from drivers.coin_doubt import CoinDoubt
from drivers.errors import PortError
from drivers.pins.header import OutputPin, PinHeader
from drivers.pins.inputs import PinInputs
from drivers.pulse.bursts import Burst, BurstCounter, Doubt
from drivers.waiting import side_by_side, wait_until
from drivers.wiring import PulseAcceptor as Settings

LATE_S: Final = 3.0
"""How long after an inhibit an acceptor may send pulses for money that was already inside."""
READ_EVERY_S: Final = 1.0
"""How often the time of the last reading is stored while money may come."""
STUCK: Final = "comm_error"


class _Begun(NamedTuple):
    """The first pulse of a burst."""

    channel: str


class _Ended(NamedTuple):
    """A complete burst, and whether the acceptor had been inhibited for longer than `LATE_S` when it began."""

    channel: str
    burst: Burst
    unasked: bool


class PulseAcceptor:
    """A pulse acceptor, `pulse_coin` or `pulse_note` by its `kind` in `[pins.pulse]`.

    It counts even while money is inhibited, because a pulse is money. `enable` carries current only while money is
    wanted, no line is stuck and the lines have been at rest for a pause since the start.
    """

    def __init__(self, kind: str, settings: Settings, header: PinHeader, clock: Clock, listener: PulseListener) -> None:
        self.name = f"pulse_{kind}"
        self._kind = kind
        self._settings = settings
        self._header = header
        self._clock = clock
        self._listener = listener
        self._values = {name: channel.values for name, channel in settings.channels.items()}
        self._inputs = PinInputs(
            header,
            {name: channel.pin for name, channel in settings.channels.items()},
            kind=f"{kind} pulse",
            debounce_ms=settings.least_ms,
            clock=clock,
            on_level=self._on_level,
        )
        self._enable: OutputPin | None = None
        self._counters: dict[str, BurstCounter] = {}
        self._unbooked: deque[_Begun | _Ended] = deque()
        self._happened = asyncio.Event()
        self._wanted = False
        self._unwanted_at = float("-inf")
        self._trusted_at = float("inf")
        self._stuck: set[str] = set()
        self._broken: PortError | None = None
        self._doubt = CoinDoubt(clock, fall_s=LATE_S)
        self._rests: bool | None = None
        self._dearest_cents = 0

    def __repr__(self) -> str:
        return f"<PulseAcceptor {self._kind} {'wanted' if self._wanted else 'inhibited'}>"

    @property
    def takes_money(self) -> bool:
        """Whether current flows on `enable`."""
        return self._enable is not None and self._enable.on

    @property
    def stuck(self) -> frozenset[str]:
        """The channels that have been active for longer than a valid pulse."""
        return frozenset(self._stuck)

    @property
    def at_rest(self) -> bool:
        """Whether the books have recorded that no pulse comes before it is enabled again."""
        return self._rests is True

    @property
    def can_rest(self) -> bool:
        """Whether it can be inhibited."""
        return self._settings.enable is not None

    def accept(self, *, enabled: bool) -> None:
        """Accept money, or inhibit the acceptor at once. A pin error ends `run`, not the caller."""
        if enabled == self._wanted:
            return
        self._wanted = enabled
        if not enabled:
            self._unwanted_at = self._clock.now()
            try:
                self._switch(on=False)
            except PortError as error:
                self._broken = error
        self._happened.set()

    async def run(self) -> None:
        """Count until cancelled; raise `PortError` if a pin fails, or what the listener raised."""
        try:
            if self._settings.enable is not None:
                self._enable = self._header.output(self._settings.enable, f"{self._kind} pulses enable")
            await self._listener.pulses_cut(self.name, self._most_cents())
            await self._catch_up()
            if self.can_rest:
                self._doubt.inhibited()
            else:
                self._doubt.enabling()
                if self._rests:
                    await self._keep_rest(rest=False)
            now = self._clock.now()
            self._trusted_at = now + self._settings.end_ms / 1000
            self._counters = {name: self._counter() for name in self._values}
            self._unbooked.clear()
            self._stuck.clear()
            self._broken = None
            self._inputs.open()
            for name, level in self._inputs.levels.items():
                self._on_level(name, level, now)
            await side_by_side(self._inputs.serve(), self._serve())
        finally:
            self.stop()

    def stop(self) -> None:
        """Switch `enable` off and release the pins; may be called twice."""
        self._trusted_at = float("inf")
        enable, self._enable = self._enable, None
        try:
            if enable is not None:
                # a failing pin has ended `run` with its error, or will at the next start
                with suppress(PortError):
                    enable.close()
                    self._doubt.inhibited()
        finally:
            self._inputs.close()

    async def _catch_up(self) -> None:
        """Create an open item for money that may have come since the lines were last read."""
        if self._rests is None:
            memory = await self._listener.pulse_memory(self.name)
            keep = partial(self._listener.pulses_unread, self.name)
            self._doubt = CoinDoubt(self._clock, memory, keep, fall_s=LATE_S)
            self._rests = memory is not None and memory.at_rest
            if memory is None:
                await self._keep_rest(rest=False)
                return
            self._dearest_cents = memory.dearest_cents
        if self._doubt.may_take:
            dearest = max(self._dearest_cents, *self._most_cents().values())
            await self._listener.pulses_missed(self.name, self._doubt.most_forgotten_cents(dearest))
            await self._keep_rest(rest=False)
            self._doubt.known_from(self._clock.now())

    async def _keep_rest(self, *, rest: bool) -> None:
        self._dearest_cents = max(self._most_cents().values())
        await self._listener.pulses_rest(self.name, rest=rest, dearest_cents=self._dearest_cents)
        self._rests = rest

    async def _rest(self) -> None:
        """Record once in the books that no pulse comes before the acceptor is enabled again."""
        under_way = self._unbooked or any(counter.under_way for counter in self._counters.values())
        if not self._rests and not self._doubt.may_take and not under_way:
            await self._keep_rest(rest=True)

    def _counter(self) -> BurstCounter:
        settings = self._settings
        return BurstCounter(
            most_s=settings.most_ms / 1000,
            end_s=settings.end_ms / 1000,
            hold_s=settings.least_ms / 1000,
            trusted_at=self._trusted_at,
        )

    def _most_cents(self) -> dict[str, int]:
        return {name: max(values.values()) for name, values in self._values.items()}

    def _on_level(self, name: str, level: bool, at: float) -> None:  # noqa: FBT001 - the inputs' own order
        counter, active = self._counters[name], level == bool(self._settings.active)
        began = not counter.under_way
        ended = counter.change(active=active, at=at)
        if ended is not None:
            self._end(name, ended)
        if active and (began or ended is not None):
            self._unbooked.append(_Begun(name))
        self._happened.set()

    def _end(self, name: str, burst: Burst) -> None:
        unasked = not self._wanted and burst.began - self._unwanted_at > LATE_S
        self._unbooked.append(_Ended(name, burst, unasked))

    async def _serve(self) -> None:
        while True:
            if self._broken is not None:
                raise self._broken
            self._happened.clear()
            now = self._clock.now()
            for name, counter in self._counters.items():
                ended = counter.settle(now)
                if ended is not None:
                    self._end(name, ended)
            await self._report_stuck(now)
            while self._unbooked:
                await self._book(self._unbooked.popleft())
            self._doubt.known_from(now)
            await self._rest()
            if self._takes and self._rests:
                await self._keep_rest(rest=False)
            self._switch(on=self._takes)
            await wait_until(self._due(), self._happened, self._clock)

    @property
    def _takes(self) -> bool:
        """Whether `enable` should carry current."""
        return self._wanted and not self._stuck and self._clock.now() >= self._trusted_at

    def _due(self) -> float | None:
        dues = [due for counter in self._counters.values() if (due := counter.due) is not None]
        if self._doubt.may_take:
            dues.append(self._clock.now() + READ_EVERY_S)
        if self._wanted and not self._stuck and not self.takes_money and self._enable is not None:
            dues.append(self._trusted_at)
        return min(dues, default=None)

    async def _book(self, news: _Begun | _Ended) -> None:
        if isinstance(news, _Begun):
            await self._listener.pulses_begin(self.name, news.channel, self._most_cents()[news.channel])
            return
        values, burst = self._values[news.channel], news.burst
        value = values.get(burst.pulses) if burst.doubt is None else None
        # More pulses than the highest value may be two coins or notes at once.
        bounded = burst.pulses <= max(values) and burst.doubt is not Doubt.LONG
        await self._listener.pulses(
            PulseReport(
                device=self.name,
                note=self._kind == "note",
                channel=news.channel,
                pulses=burst.pulses,
                value_cents=value,
                most_cents=max(values.values()) if bounded else None,
                unasked=news.unasked,
            )
        )

    async def _report_stuck(self, now: float) -> None:
        stuck = {name for name, counter in self._counters.items() if counter.stuck(now)}
        if stuck == self._stuck:
            return
        self._stuck = stuck
        if stuck:
            # Money inserted meanwhile could not be counted.
            self._switch(on=False)
            names = ", ".join(sorted(stuck))
            detail = (
                f"[pins.pulse.{self._kind}] channel {names} is active for longer than most_ms, "
                f"{self._settings.most_ms} ms: check its cable for a short, `active`, and the pulse length it is set to"
            )
            await self._listener.device_fault(self.name, STUCK, present=True, detail=detail)
        else:
            await self._listener.device_fault(self.name, STUCK, present=False)

    def _switch(self, *, on: bool) -> None:
        if self._enable is None or self._enable.on == on:
            return
        if on:
            self._doubt.enabling()
        self._enable.set(on=on)
        if not on:
            self._doubt.inhibited()
