"""A simulated acceptor that gives pulses: what its lines do, by the makers' times, and what a cut loses."""

import asyncio
import socket
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.pin_names import Pin
from drivers.simulated.front_client import FrontClient
from drivers.simulated.packets import MAX_PACKET
from drivers.simulated.pins.pulse_acceptor import SPIKE_MS, PulseHabits, SimulatedPulseAcceptor
from drivers.simulated.pins.wire import Levels, decode_levels, encode_levels
from drivers.wiring import PulseAcceptor, PulseChannel
from tests.rigs.devices_process import devices
from tests.rigs.patience import PATIENCE_S
from tests.rigs.pulse_makes import MAKES
from tests.rigs.virtual_time import run_virtual

ENABLE = 26
ONE_LINE = PulseAcceptor(
    currency="EUR", enable=ENABLE, channels={"a": PulseChannel(pin=12, values_cents={"2": 50, "4": 100, "8": 200})}
)
PARALLEL = PulseAcceptor(
    currency="EUR",
    active=1,
    channels={"a": PulseChannel(pin=12, values_cents={"1": 500}), "b": PulseChannel(pin=16, values_cents={"1": 1000})},
)


class Header:
    """What the acceptor's lines did, and where its money is."""

    def __init__(self, wired: PulseAcceptor = ONE_LINE, habits: PulseHabits | None = None) -> None:
        self.wired = wired
        self.edges: list[tuple[float, Pin, bool]] = []
        self.box: list[int] = []
        self.returned: list[int] = []
        self.acceptor = SimulatedPulseAcceptor(
            wired, drive=self._drive, accepted=self.box.append, returned=self.returned.append, habits=habits
        )
        self.levels = self.acceptor.levels()

    def open(self) -> "Header":
        """Switch on and let money in."""
        self.acceptor.power(on=True)
        self.acceptor.output(ENABLE, level=True)
        return self

    def _drive(self, pin: Pin, level: bool) -> None:  # noqa: FBT001 - the device's callback
        if self.levels[pin] != level:
            self.levels[pin] = level
            self.edges.append((1000 * asyncio.get_running_loop().time(), pin, level))

    def pulses(self, pin: Pin = 12) -> list[tuple[float, float]]:
        """Begin and length of each pulse on a line, in milliseconds."""
        times = [(at, level) for at, where, level in self.edges if where == pin]
        active = bool(self.wired.active)
        return [(at, over - at) for (at, level), (over, _level) in pairwise(times) if level == active]


@pytest.mark.parametrize(("cents", "pulses"), [(50, 2), (100, 4), (200, 8)])
async def test_a_coin_gives_its_pulses(cents: int, pulses: int) -> None:
    """So many as the channel says, each of 50 ms with 50 ms between, after the coin's way."""
    header = Header().open()
    assert header.acceptor.insert(cents)
    assert (header.box, header.edges) == ([cents], [])
    await asyncio.sleep(3)
    seen = header.pulses()
    assert [round(length) for _at, length in seen] == [50] * pulses
    assert [round(after[0] - before[0]) for before, after in pairwise(seen)] == [100] * (pulses - 1)


@pytest.mark.parametrize(
    ("make", "least", "most"),
    [("dg600f", 36, 54), ("ict_fast", 50, 50), ("ict_slow", 50, 50), ("nv9_parallel", 97, 103)],
)
async def test_the_makers_times(make: str, least: float, most: float) -> None:
    """Each pulse is within its manual's tolerance."""
    header = Header(habits=MAKES[make]).open()
    for _ in range(5):
        header.acceptor.insert(200)
        await asyncio.sleep(6)
    lengths = [length for _at, length in header.pulses()]
    assert len(lengths) == 40
    assert least - 0.001 <= min(lengths) <= max(lengths) <= most + 0.001


async def test_parallel_outputs() -> None:
    """Each note has its own line, active high here."""
    header = Header(PARALLEL).open()
    assert header.levels == {12: False, 16: False}
    header.acceptor.insert(1000)
    await asyncio.sleep(1)
    assert (len(header.pulses(12)), len(header.pulses(16))) == (0, 1)


async def test_what_is_inhibited_or_unknown_comes_back() -> None:
    """Without current on the enable line, without mains, and what no channel has."""
    header = Header().open()
    for prepare in (
        lambda: header.acceptor.output(ENABLE, level=False),
        lambda: header.acceptor.power(on=False),
    ):
        prepare()
        assert not header.acceptor.insert(50)
        header.open()
    assert not header.acceptor.insert(10)
    assert (header.returned, header.box) == ([50, 50, 10], [])


async def test_two_coins_are_two_bursts_or_run_together() -> None:
    """A pause longer than a burst's end lies between them, unless the acceptor makes none."""
    for merges, least, most in ((False, 600, 700), (True, 0, 60)):
        header = Header(habits=PulseHabits(merges=merges)).open()
        header.acceptor.insert(50)
        header.acceptor.insert(50)
        await asyncio.sleep(3)
        seen = header.pulses()
        assert len(seen) == 4
        assert least <= seen[2][0] - seen[1][0] - seen[1][1] <= most


async def test_noise_a_stuck_line_and_pulses_too_few_or_too_many() -> None:
    """Spikes are shorter than a pulse may be; a line that is held or cut says so by its level alone."""
    header = Header().open()
    troubles = header.acceptor.troubles()
    troubles["noise"](3)
    await asyncio.sleep(1)
    assert [round(length) for _at, length in header.pulses()] == [SPIKE_MS] * 3
    assert ONE_LINE.least_ms > SPIKE_MS
    for trouble, much, pulses in (("lost", 1, 1), ("extra", 2, 4), ("lost", 9, 0)):
        header.edges.clear()
        troubles[trouble](much)
        header.acceptor.insert(50)
        await asyncio.sleep(2)
        assert len(header.pulses()) == pulses
    header.acceptor.lost = 0
    for trouble, level in (("stuck", False), ("unplugged", True)):
        troubles[trouble](1)
        header.acceptor.insert(50)
        await asyncio.sleep(2)
        assert header.levels[12] == level
        troubles[trouble](0)


async def test_a_cut_loses_the_pulses_and_keeps_the_coin() -> None:
    """At every moment of a burst: what was not given yet is never given, and the coin lies in the box."""
    given = set()
    for moment in range(0, 700, 25):
        header = Header().open()
        header.acceptor.insert(100)
        await asyncio.sleep(moment / 1000)
        header.acceptor.power(on=False)
        at_the_cut = len(header.pulses())
        await asyncio.sleep(1)
        header.open()
        await asyncio.sleep(2)
        assert (len(header.pulses()), header.box, header.levels[12]) == (at_the_cut, [100], True)
        given.add(at_the_cut)
    assert given == {0, 1, 2, 3, 4}


@given(st.lists(st.tuples(st.sampled_from([10, 50, 100, 200]), st.integers(0, 3000), st.booleans()), max_size=8))
def test_every_coin_is_in_the_box_or_comes_back_and_gives_its_pulses(coins: list[tuple[int, int, bool]]) -> None:
    """Whatever the order and the haste: money is neither made nor lost, and pulses are those of what is in the box."""
    run_virtual(_scene(coins))


async def _scene(coins: list[tuple[int, int, bool]]) -> None:
    header = Header().open()
    for cents, pause_ms, enabled in coins:
        header.acceptor.output(ENABLE, level=enabled)
        header.acceptor.insert(cents)
        await asyncio.sleep(pause_ms / 1000)
    await asyncio.sleep(30)
    assert sorted(header.box + header.returned) == sorted(cents for cents, _pause, _enabled in coins)
    assert 25 * len(header.pulses()) == sum(header.box)


PULSES = """
[pins.pulse.coin]
currency = "EUR"
enable = 26
[pins.pulse.coin.channels.a]
pin = 12
values_cents = { 2 = 50, 4 = 100 }
[pins.pulse.note]
currency = "EUR"
[pins.pulse.note.channels.a]
pin = 16
values_cents = { 5 = 500 }
"""


@pytest.mark.processes
def test_a_cabinet_with_pulse_acceptors() -> None:
    """Over its sockets: a coin comes back until the enable line has current, then it and a note give their pulses."""
    with TemporaryDirectory(prefix="hw") as directory, devices(Path(directory), PULSES, "pulse_note pulse_ms 30"):
        hand = FrontClient(Path(directory) / "hardware.sock")
        hand.connect()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as pins:
            pins.connect(str(Path(directory) / "pins.sock"))
            first = decode_levels(pins.recv(MAX_PACKET)).levels
            assert (first[12], first[16]) == (True, True)
            hand.do("coin 1")
            hand.wait_until(lambda front: front.coin_return_cents == 100, PATIENCE_S)
            pins.send(encode_levels(Levels(0.0, {26: True})))
            # the socket's packets are obeyed one after the other, the hand's are not
            pins.settimeout(PATIENCE_S)
            while hand.front.cash_box_cents == 0:
                hand.do("coin 1")
            hand.do("note 5")
            falls = {12: 0, 16: 0}
            coins = hand.front.cash_box_cents // 100
            while (falls[12], falls[16]) != (4 * coins, 5):
                for pin, level in decode_levels(pins.recv(MAX_PACKET)).levels.items():
                    falls[pin] += not level
            assert hand.front.stacked_cents == 500
        hand.close()
