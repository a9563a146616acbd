import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.clock import LoopClock
from drivers.errors import DriverError, PortError, SettingsError
from drivers.pins.hard_meter import HardMeter
from drivers.pins.lamps import LampPattern, Lamps
from drivers.pins.tower_light import LightPattern, TowerLight
from drivers.wiring import Meter, Output
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import MockHeader, running

SPIN, COLLECT, COIN_IN = 17, 27, 22


async def turns(header: MockHeader, pin: int, seconds: float) -> list[tuple[int, bool]]:
    """When a pin changed within that time (ms from now, looked at each millisecond), and to what."""
    seen = []
    before = header.is_high(pin)
    for ms in range(1, round(seconds * 1000) + 1):
        await asyncio.sleep(0.001)
        if header.is_high(pin) != before:
            before = not before
            seen.append((ms, before))
    return seen


def lamps_on(header: MockHeader) -> Lamps:
    """Two lamps."""
    return Lamps({"spin": SPIN, "collect": COLLECT}, header, LoopClock())


async def test_lamps_show_their_patterns_and_nothing_else() -> None:
    """A picture is whole: a lamp that is not named goes dark."""
    header = MockHeader()
    lamps = lamps_on(header)
    async with running(lamps.run()):
        lamps.set({"spin": "on"})
        await asyncio.sleep(0.001)
        assert lamps.lit == {"spin": True, "collect": False}
        lamps.set({"collect": "on"})
        await asyncio.sleep(0.001)
        assert (header.is_high(SPIN), header.is_high(COLLECT)) == (False, True)


async def test_lamps_blink_twice_a_second_together() -> None:
    """`blink` is 250 ms on and 250 ms off, in step for all lamps, whenever each began."""
    header = MockHeader()
    lamps = lamps_on(header)
    async with running(lamps.run()):
        lamps.set({"spin": "blink"})
        await asyncio.sleep(0.6)
        lamps.set({"spin": "blink", "collect": "blink"})
        await asyncio.sleep(1.0)
        changes = await turns(header, SPIN, 4)
        assert {late - early for (early, _), (late, _) in pairwise(changes)} == {250}
        for _ in range(50):
            await asyncio.sleep(0.037)
            assert header.is_high(SPIN) == header.is_high(COLLECT)


@pytest.mark.parametrize(("pattern", "half_ms"), [("slow", 500), ("fast", 200)])
async def test_tower_light_flashes(pattern: LightPattern, half_ms: int) -> None:
    """The tiers flash once or two and a half times a second."""
    header = MockHeader()
    tower = TowerLight({"top": Output(pin=SPIN)}, header, LoopClock())
    async with running(tower.run()):
        tower.set({"top": pattern})
        await asyncio.sleep(1)
        changes = await turns(header, SPIN, 6)
        assert {late - early for (early, _), (late, _) in pairwise(changes)} == {half_ms}


PATTERNS: list[LightPattern] = ["off", "on", "slow", "fast"]


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(PATTERNS), st.integers(1, 400)), max_size=15))
async def test_never_more_than_three_flashes_a_second(orders: list[tuple[LightPattern, int]]) -> None:
    """However its patterns are changed, no light comes on more than three times within one second."""
    header = MockHeader()
    tower = TowerLight({"top": Output(pin=SPIN)}, header, LoopClock())
    lit_at = []
    lit = False
    async with running(tower.run()):
        for pattern, wait_ms in orders:
            tower.set({"top": pattern})
            for _ in range(wait_ms):
                now = header.is_high(SPIN)
                if now and not lit:
                    lit_at.append(asyncio.get_running_loop().time())
                lit = now
                await asyncio.sleep(0.001)
    assert [late - early for early, late in zip(lit_at, lit_at[3:], strict=False) if late - early < 1] == []


async def test_lamp_put_out_and_on_again_lights_up_in_the_end() -> None:
    """The flash limit delays a light, it does not lose it."""
    header = MockHeader()
    lamps = lamps_on(header)
    async with running(lamps.run()):
        patterns: list[LampPattern] = ["on", "off", "on"]
        for pattern in patterns:
            lamps.set({"spin": pattern})
            await asyncio.sleep(0.001)
        assert not header.is_high(SPIN)
        await asyncio.sleep(0.4)
        assert header.is_high(SPIN)


async def test_lamps_go_dark_on_every_path_and_come_back() -> None:
    """A stopped or cancelled driver leaves no output energised; the next run shows the same picture."""
    header = MockHeader()
    lamps = lamps_on(header)
    lamps.set({"spin": "on", "collect": "on"})
    async with running(lamps.run()):
        assert header.is_high(SPIN)
    assert (header.is_high(SPIN), header.is_high(COLLECT)) == (False, False)
    # what went out just now may not flash on at once
    await asyncio.sleep(1)
    async with running(lamps.run()):
        assert (header.is_high(SPIN), header.is_high(COLLECT)) == (True, True)
        lamps.stop()
        lamps.stop()
        assert (header.is_high(SPIN), header.is_high(COLLECT)) == (False, False)


async def test_broken_pin_is_the_drivers_error_and_leaves_nothing_lit() -> None:
    """A pin that fails ends the driver with an error naming it, never whoever sets a pattern; the others go dark."""
    header = MockHeader()
    lamps = lamps_on(header)
    lamps.set({"spin": "on", "collect": "on"})
    task = asyncio.ensure_future(lamps.run())
    await asyncio.sleep(0.001)
    assert lamps.lit == {"spin": True, "collect": True}
    header.pin(SPIN).broken = True
    lamps.set({"collect": "on"})
    with pytest.raises(PortError, match=r"lamps spin \(GPIO 17\): the pin burnt out"):
        await task
    assert not header.is_high(COLLECT)


async def test_unknown_names_and_patterns_are_refused() -> None:
    """A picture that cannot be shown is refused in words that name what there is, and changes nothing."""
    header = MockHeader()
    lamps = lamps_on(header)
    with pytest.raises(SettingsError, match="no 'nudge'; it has spin, collect"):
        lamps.set({"nudge": "on"})
    with pytest.raises(SettingsError, match="'fast'; it can show off, on, blink"):
        lamps.show({"spin": "fast"})


def meter_on(header: MockHeader, pulse_ms: int = 50, gap_ms: int = 60) -> HardMeter:
    """One hard meter."""
    settings = Meter(pin=COIN_IN, pulse_ms=pulse_ms, gap_ms=gap_ms)
    return HardMeter("coin_in", settings, header, LoopClock(), debounce_ms=8, faults=FaultBook())


@settings(max_examples=15)
@given(st.integers(20, 500), st.integers(20, 500), st.integers(1, 5))
async def test_pulses_have_their_length_and_gap(pulse_ms: int, gap_ms: int, count: int) -> None:
    """Each pulse is on and off for exactly its time, also where all are asked for at once."""
    header = MockHeader()
    meter = meter_on(header, pulse_ms, gap_ms)
    async with running(meter.run()):
        asked = asyncio.gather(*(meter.pulse() for _ in range(count)))
        before = header.is_high(COIN_IN)
        changes = await turns(header, COIN_IN, (pulse_ms + gap_ms) * count / 1000 + 1)
        await asked
    assert not before
    assert [level for _at, level in changes] == [True, False] * count
    lengths = [late - early for (early, _), (late, _) in pairwise(changes)]
    assert all(abs(length - pulse_ms) <= 1 for length in lengths[::2])
    assert all(abs(length - gap_ms) <= 1 for length in lengths[1::2])


async def test_stop_within_a_pulse_is_raised_to_its_caller() -> None:
    """Stopping de-energises at once, and the pulse it cut is not reported as given."""
    header = MockHeader()
    meter = meter_on(header)
    async with running(meter.run()):
        pulse = asyncio.ensure_future(meter.pulse())
        await asyncio.sleep(0.02)
        assert meter.energised
        meter.stop()
        assert not header.is_high(COIN_IN)
        with pytest.raises(DriverError, match="stopped within a pulse"):
            await pulse
    with pytest.raises(DriverError, match="not running, no pulse was given"):
        await meter.pulse()


async def test_cancelled_pulse_leaves_no_current() -> None:
    """A caller that is cancelled within a pulse leaves the coil without current, and the next pulse works."""
    header = MockHeader()
    meter = meter_on(header)
    async with running(meter.run()):
        pulse = asyncio.ensure_future(meter.pulse())
        await asyncio.sleep(0.02)
        pulse.cancel()
        await asyncio.wait([pulse])
        assert not header.is_high(COIN_IN)
        await meter.pulse()


@pytest.mark.parametrize(
    ("pulse_ms", "gap_ms", "key"), [(501, 50, "pulse_ms"), (19, 50, "pulse_ms"), (50, 10, "gap_ms")]
)
def test_pulse_length_is_the_drivers_to_limit(pulse_ms: int, gap_ms: int, key: str) -> None:
    """A pulse that would heat the coil, or not move it, is refused before any current flows."""
    with pytest.raises(SettingsError, match=rf"\[pins.meters.coin_in\] {key} is \d+; choose 20 to 500"):
        meter_on(MockHeader(), pulse_ms, gap_ms)
