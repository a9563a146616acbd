"""Driver of the coin lockout and the coin diverter: two coils on pins, both fail-safe without current.

The energised lockout lets coins reach the acceptor; without current they fall into the return. The energised diverter
sends coins to the hopper; without current they fall into the cash box. So with a hanging program, a dead Pi or a cut
cable no coin is accepted and no hopper is filled.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from drivers.clock import Clock
from drivers.errors import PortError
from drivers.pins.header import OutputPin, PinHeader, close_all
from drivers.waiting import side_by_side
from drivers.wiring import COIN_GATES, Output

LOCKOUT, DIVERTER = COIN_GATES


class CoinGates:
    """The wired gates, by name as in `drivers.wiring.COIN_GATES`; commands to other gates do nothing.

    After a stop or failure they stay without current until the next command. While they are `taken_over`, other
    callers' commands are stored and reported as carried out; at the end the newest ones are applied.
    """

    name = "coin_gates"

    def __init__(self, pins: Mapping[str, Output], header: PinHeader, clock: Clock) -> None:
        self._pins = dict(pins)
        self._header = header
        self._clock = clock
        self._outputs: dict[str, OutputPin] = {}
        self._broken: asyncio.Future[None] | None = None
        self._wishes: dict[str, bool] | None = None

    def __repr__(self) -> str:
        return f"<CoinGates {', '.join(f'{name} {self._is_on(name)}' for name in self._pins) or 'none'}>"

    @property
    def has_diverter(self) -> bool:
        """Whether a diverter is wired."""
        return DIVERTER in self._pins

    @property
    def ready(self) -> bool:
        """Whether the gates can be moved now."""
        return self._broken is not None

    @property
    def diverts(self) -> bool:
        """Whether coins are diverted to the hopper now."""
        return self._is_on(DIVERTER)

    def let_in(self, *, coins: bool) -> None:
        """Let coins in or reject them, at once. A pin error ends `run`, not the caller."""
        self._want(LOCKOUT, on=coins)

    def divert(self, *, to_hopper: bool) -> None:
        """Send coins to the hopper or into the cash box, at once. A pin error ends `run`, not the caller."""
        self._want(DIVERTER, on=to_hopper)

    @contextmanager
    def taken_over(self) -> Iterator["GateHand"]:
        """Yield an object with exclusive control of the gates, for their test. They start without current.

        No coin may be accepted meanwhile: its way would be unknown.
        """
        self._wishes = {name: self._is_on(name) for name in self._pins}
        try:
            for name in self._pins:
                self._set(name, on=False)
            yield GateHand(self)
        finally:
            wishes, self._wishes = self._wishes, None
            for name, on in wishes.items():
                self._set(name, on=on)

    async def run(self) -> None:
        """Hold the pins until cancelled, without current until commanded; raise `PortError` if one fails."""
        broken = asyncio.get_running_loop().create_future()
        try:
            for name, pin in self._pins.items():
                self._outputs[name] = self._header.output(pin.pin, f"coin {name}")
            self._broken = broken
            await side_by_side(_ended(broken), self._header.watch(self._clock))
        finally:
            self.stop()

    def stop(self) -> None:
        """Switch both gates off at once; may be called twice."""
        self._broken = None
        if self._wishes is not None:
            self._wishes = dict.fromkeys(self._wishes, False)
        close_all(self._outputs)

    def _is_on(self, name: str) -> bool:
        if self._wishes is not None:
            return self._wishes.get(name, False)
        return self.energised(name)

    def energised(self, name: str) -> bool:
        """Return whether that gate is energised, independent of who controls it."""
        return name in self._outputs and self._outputs[name].on

    def _want(self, name: str, *, on: bool) -> None:
        if self._wishes is None:
            self._set(name, on=on)
        elif self._broken is not None and name in self._wishes:
            self._wishes[name] = on

    def _set(self, name: str, *, on: bool) -> None:
        output = self._outputs.get(name)
        if output is None or output.on == on or self._broken is None:
            return
        try:
            output.set(on=on)
        except PortError as error:
            if not self._broken.done():
                self._broken.set_exception(error)


async def _ended(broken: asyncio.Future[None]) -> None:
    await broken


class GateHand:
    """Exclusive control of gates that are taken over."""

    def __init__(self, gates: CoinGates) -> None:
        self._gates = gates

    def energised(self, name: str) -> bool:
        """Return whether that gate is energised."""
        return self._gates.energised(name)

    def move(self, name: str, *, on: bool) -> None:
        """Energise or de-energise a gate at once; do nothing while the driver does not run."""
        self._gates._set(name, on=on)  # noqa: SLF001 - the hand is the gates' own
