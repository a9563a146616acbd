"""A simulated coin or note acceptor with pulse output on the header's pins (protocols.md, 2.4).

It identifies neither the coin nor itself, gets no acknowledgement and stores nothing: pulses missed in a power cut, or
by a program that does not read the pin, are lost while the money is in the box.
"""

import asyncio
import random
from collections import Counter, deque
from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple

import msgspec

from drivers.pin_names import Pin
from drivers.simulated.fault_model.rows import befalling
from drivers.simulated.mishaps import Mishaps
from drivers.simulated.pins.fault_model import ROWS
from drivers.simulated.whereabouts import Piece, Spot, Whereabouts
from drivers.wiring import PulseAcceptor, PulseChannel

SPIKE_MS: Final = 3
"""The length of a disturbance on the line."""


class PulseHabits(msgspec.Struct, frozen=True, kw_only=True):
    """A pulse of `pulse_ms`, give or take `tolerance`, and a rest of `rest_ms`; `pause_ms` between two coins' pulses.

    `travel_ms` is the time from the slot to the first pulse. With `merges` there is no pause: the pulses of a coin
    inserted during a pulse train follow as part of that train. `obeys_after_ms` is the delay of a late reaction to the
    end of the enable line's current.
    """

    pulse_ms: int = 50
    rest_ms: int = 50
    tolerance: float = 0.0
    pause_ms: int = 600
    travel_ms: int = 200
    merges: bool = False
    obeys_after_ms: int = 300


class _Edge(NamedTuple):
    """The next level of the line, and its duration."""

    channel: PulseChannel
    active: bool
    seconds: float


class SimulatedPulseAcceptor:
    """The device, wired as `wired` says; off at first, and inhibited until its enable line carries current.

    `drive(pin, level)` is called for each edge of an output. `accepted(cents)` and `returned(cents)` are called for
    money that has fallen into the box or was returned. The next `lost` pulses are omitted, `extra` ones are added to
    the next coin. While `stuck` its lines are held active, while `unplugged` they float.
    """

    kind: ClassVar = "pulse acceptor"

    def __init__(
        self,
        wired: PulseAcceptor,
        *,
        drive: Callable[[Pin, bool], None],
        accepted: Callable[[int], None],
        returned: Callable[[int], None],
        habits: PulseHabits | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self.habits = habits if habits is not None else PulseHabits()
        self.powered = False
        self.lost = 0
        self.extra = 0
        self.given = 0
        self._wired = wired
        self._drive = drive
        self._accepted = accepted
        self._returned = returned
        # A fixed seed makes a failing test fail again. No game outcome is drawn here.
        self._chance = chance or random.Random(0)  # noqa: S311  (a maker's tolerance, not an outcome)
        self._enabled = wired.enable is None
        self._stuck = False
        self._unplugged = False
        self.mishaps = Mishaps(befalling(ROWS), chance)
        self.where = Whereabouts()
        self._obeying: asyncio.TimerHandle | None = None
        self._edges: deque[_Edge] = deque()
        self._travelling: set[asyncio.TimerHandle] = set()
        self._timer: asyncio.TimerHandle | None = None

    def __repr__(self) -> str:
        return (
            f"<SimulatedPulseAcceptor {'enabled' if self._enabled else 'inhibited'}, {len(self._edges)} edges to come>"
        )

    @property
    def values_cents(self) -> frozenset[int]:
        """The values in cents that it accepts."""
        channels = self._wired.channels.values()
        return frozenset(cents for channel in channels for cents in channel.values.values())

    def levels(self) -> dict[Pin, bool]:
        """The idle levels of its lines."""
        return {channel.pin: self._level(active=False) for channel in self._wired.channels.values()}

    def power(self, *, on: bool) -> None:
        """Switch the mains: a power cut loses pending pulses, and money on its way falls into the box unreported."""
        self.powered = on
        self._edges.clear()
        for timer in (*self._travelling, *([self._timer] if self._timer else [])):
            timer.cancel()
        self._travelling.clear()
        self._timer = None
        self._rest()

    def output(self, pin: Pin, *, level: bool) -> None:
        """Follow an output of the header to `level`; ignore all but its enable line."""
        if pin != self._wired.enable:
            return
        if self._obeying is not None:
            self._obeying.cancel()
        if not level and self._enabled and self.powered and self.mishaps.happens("obeys_late"):
            self._obeying = asyncio.get_running_loop().call_later(self.habits.obeys_after_ms / 1000, self._disable)
        else:
            self._enabled = level

    def _disable(self) -> None:
        self._enabled = False

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return the accepted and the returned money, independent of the pulses given."""
        return self.where.money()

    def insert(self, value_cents: int) -> bool:
        """Insert a coin or note; return True if it is taken, False if it is returned, as unknown values are."""
        burst = self._burst_of(value_cents)
        unknown = burst is None or self.mishaps.happens("not_recognised")
        if burst is None or unknown or not (self.powered and self._enabled):
            self.where.put(value_cents, Spot.RETURNED)
            self._returned(value_cents)
            return False
        # it falls into the box before the first pulse and cannot be returned
        self.where.put(value_cents, Spot.BELOW)
        self._accepted(value_cents)
        if self.mishaps.happens("swallowed"):
            return True
        channel, pulses = burst

        def arrive() -> None:
            self._travelling.discard(timer)
            self._give(channel, pulses)

        timer = asyncio.get_running_loop().call_later(self.habits.travel_ms / 1000, arrive)
        self._travelling.add(timer)
        return True

    def troubles(self) -> dict[str, Callable[[int], None]]:
        """Return what can be triggered or set, by name; pulses, spikes and milliseconds take a number."""
        return {
            **self.mishaps.orders(),
            "noise": self.spike,
            "stuck": self._stick,
            "unplugged": self._unplug,
            "lost": lambda much: setattr(self, "lost", much),
            "extra": lambda much: setattr(self, "extra", much),
            "merges": lambda much: self._set(merges=bool(much)),
            "pulse_ms": lambda much: self._set(pulse_ms=much),
            "rest_ms": lambda much: self._set(rest_ms=much),
        }

    def spike(self, count: int = 1) -> None:
        """Disturb the first line `count` times, each too short for a pulse."""
        channel = next(iter(self._wired.channels.values()))
        for _ in range(count):
            self._queue(channel, SPIKE_MS, self.habits.rest_ms)

    def _set(self, **habits: bool | int) -> None:
        self.habits = msgspec.structs.replace(self.habits, **habits)

    def _stick(self, much: int) -> None:
        self._stuck = bool(much)
        self._rest()

    def _unplug(self, much: int) -> None:
        self._unplugged = bool(much)
        self._rest()

    def _burst_of(self, value_cents: int) -> tuple[PulseChannel, int] | None:
        for channel in self._wired.channels.values():
            for pulses, cents in channel.values.items():
                if cents == value_cents:
                    return channel, pulses
        return None

    def _give(self, channel: PulseChannel, pulses: int) -> None:
        pulses += self.extra + self.mishaps.happens("pulse_added")
        self.extra = 0
        self.lost += self.mishaps.happens("pulse_lost")
        missed = min(self.lost, pulses)
        self.lost -= missed
        if self._edges and not self.habits.merges:
            self._edges.append(_Edge(channel, active=False, seconds=self.habits.pause_ms / 1000))
        for _ in range(pulses - missed):
            self.given += 1
            self._queue(channel, self.habits.pulse_ms, self.habits.rest_ms)

    def _queue(self, channel: PulseChannel, pulse_ms: float, rest_ms: float) -> None:
        spread = 1 + self._chance.uniform(-self.habits.tolerance, self.habits.tolerance)
        self._edges.append(_Edge(channel, active=True, seconds=pulse_ms * spread / 1000))
        self._edges.append(_Edge(channel, active=False, seconds=rest_ms / 1000))
        if self._timer is None:
            self._next()

    def _next(self) -> None:
        self._timer = None
        if not self._edges:
            return
        edge = self._edges[0]
        self._put(edge.channel.pin, active=edge.active)
        self._timer = asyncio.get_running_loop().call_later(edge.seconds, self._over)

    def _over(self) -> None:
        self._edges.popleft()
        self._next()

    def _rest(self) -> None:
        for pin in self.levels():
            self._put(pin, active=False)

    def _put(self, pin: Pin, *, active: bool) -> None:
        held = (active or self._stuck) and self.powered and not self._unplugged
        self._drive(pin, self._level(active=held))

    def _level(self, *, active: bool) -> bool:
        return bool(self._wired.active) == active
