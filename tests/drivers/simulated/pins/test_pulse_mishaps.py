"""What befalls a coin in the simulated pulse acceptor, by the edges of its line and by where the coin lies."""

import asyncio
from collections import Counter

import pytest

from drivers.pin_names import Pin
from drivers.simulated.pins.pulse_acceptor import SimulatedPulseAcceptor
from drivers.simulated.whereabouts import Spot
from drivers.wiring import PulseAcceptor, PulseChannel

ENABLE, PIN = 26, 12
WIRED = PulseAcceptor(currency="EUR", enable=ENABLE, channels={"a": PulseChannel(pin=PIN, values_cents={"4": 100})})


class Header:
    """An acceptor that lets coins in, and its line."""

    def __init__(self) -> None:
        self.falls = 0
        self.spells: list[float] = []
        self._since = 0.0
        self._level = True
        self.acceptor = SimulatedPulseAcceptor(
            WIRED, drive=self._drive, accepted=lambda _cents: None, returned=lambda _cents: None
        )
        self.acceptor.power(on=True)
        self.acceptor.output(ENABLE, level=True)

    def _drive(self, _pin: Pin, level: bool) -> None:  # noqa: FBT001 - the device's callback
        if level == self._level:
            return
        now = asyncio.get_running_loop().time()
        self.spells.append(round(1000 * (now - self._since)))
        self._since, self._level = now, level
        self.falls += not level

    async def coin(self) -> int:
        """Put a coin in and return how many pulses come."""
        before = self.falls
        self.acceptor.insert(100)
        await asyncio.sleep(3)
        return self.falls - before


@pytest.mark.parametrize(
    ("mishap", "pulses", "spot"),
    [
        ("", 4, Spot.BELOW),
        ("not_recognised", 0, Spot.RETURNED),
        ("swallowed", 0, Spot.BELOW),
        ("pulse_lost", 3, Spot.BELOW),
        ("pulse_added", 5, Spot.BELOW),
    ],
)
@pytest.mark.parametrize("by_chance", [False, True])
async def test_what_befalls_a_coin(mishap: str, pulses: int, spot: Spot, by_chance: bool) -> None:  # noqa: FBT001
    """A coin of four pulses: how many are given, and where it lies; ordered, or by chance."""
    header = Header()
    if mishap and by_chance:
        header.acceptor.mishaps.rate(mishap, 1.0)
    elif mishap:
        header.acceptor.mishaps.next(mishap)
    assert await header.coin() == pulses
    assert header.acceptor.money() == {spot: Counter([100])}


async def test_an_inhibit_that_is_obeyed_late() -> None:
    """The line's current ends; a coin in the 0.3 s after that is taken and gives its pulses, a later one comes back."""
    header = Header()
    header.acceptor.mishaps.next("obeys_late")
    header.acceptor.output(ENABLE, level=False)
    assert await header.coin() == 4
    assert await header.coin() == 0
    assert header.acceptor.money() == {Spot.BELOW: Counter([100]), Spot.RETURNED: Counter([100])}


async def test_its_switches() -> None:
    """Pulses and rests are as long as they are set."""
    header = Header()
    header.acceptor.troubles()["pulse_ms"](80)
    header.acceptor.troubles()["rest_ms"](120)
    await header.coin()
    assert header.spells[1:] == [80, 120, 80, 120, 80, 120, 80]
