import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.clock import LoopClock
from drivers.errors import PortError
from drivers.pins.button_panel import ButtonPanel
from tests.rigs.fault_book import FaultBook
from tests.rigs.mock_header import MockHeader, running

PINS = {"spin": 5, "collect": 6, "info": 13}


class Finger:
    """A panel on a mock header, and everything it reported."""

    def __init__(self) -> None:
        self.header = MockHeader()
        self.faults = FaultBook()
        self.reports: list[tuple[str, str]] = []
        self.times: list[float] = []
        self.threads: list[threading.Thread] = []
        self.panel = ButtonPanel(
            PINS,
            self.header,
            LoopClock(),
            debounce_ms=8,
            on_press=lambda name, at: self.report("press", name, at),
            on_release=lambda name, at: self.report("release", name, at),
            faults=self.faults,
        )

    def report(self, what: str, name: str, at: float) -> None:
        """Note a report."""
        self.reports.append((what, name))
        self.times.append(at)
        self.threads.append(threading.current_thread())

    def press(self, name: str) -> None:
        """Close a contact cleanly."""
        self.header.ground(PINS[name])

    def release(self, name: str) -> None:
        """Open it cleanly."""
        self.header.let_go(PINS[name])

    async def tap(self, name: str) -> None:
        """Press for 80 ms and wait until the release has settled."""
        self.press(name)
        await asyncio.sleep(0.08)
        self.release(name)
        await asyncio.sleep(0.02)


async def test_press_is_reported_once_after_the_debounce_time() -> None:
    """A press is reported when it has been stable for 8 ms, not before, with the time of its edge."""
    finger = Finger()
    async with running(finger.panel.run()):
        edge_at = asyncio.get_running_loop().time()
        finger.press("spin")
        await asyncio.sleep(0.0079)
        assert finger.reports == []
        await asyncio.sleep(0.0002)
        assert finger.reports == [("press", "spin")]
        assert finger.times == [edge_at]
        assert finger.panel.held == {"spin"}


async def test_held_button_never_repeats() -> None:
    """A button held for a day is one press, and its release after all that time starts nothing."""
    finger = Finger()
    async with running(finger.panel.run()):
        finger.press("spin")
        await asyncio.sleep(86_400)
        finger.release("spin")
        await asyncio.sleep(1)
    assert finger.reports == [("press", "spin")]


@settings(max_examples=50)
@given(st.lists(st.floats(0.0001, 0.007), max_size=20), st.lists(st.floats(0.0001, 0.007), max_size=20))
async def test_bouncing_contact_is_one_press_and_one_release(down: list[float], up: list[float]) -> None:
    """Whatever bounces at both ends of a press, it is one press and one release."""
    finger = Finger()
    async with running(finger.panel.run()):
        for gap in down:
            finger.press("spin")
            await asyncio.sleep(gap / 2)
            finger.release("spin")
            await asyncio.sleep(gap / 2)
        finger.press("spin")
        await asyncio.sleep(0.1)
        for gap in up:
            finger.release("spin")
            await asyncio.sleep(gap / 2)
            finger.press("spin")
            await asyncio.sleep(gap / 2)
        finger.release("spin")
        await asyncio.sleep(0.1)
    assert finger.reports == [("press", "spin"), ("release", "spin")]


@pytest.mark.requirement("P9")
@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(sorted(PINS)), st.integers(0, 60)), max_size=60))
async def test_two_buttons_are_never_two_acts(moves: list[tuple[str, int]]) -> None:
    """In any storm of fingers each accepted press ends before the next one is accepted."""
    finger = Finger()
    down: set[str] = set()
    async with running(finger.panel.run()):
        for name, wait_ms in moves:
            if name in down:
                finger.release(name)
            else:
                finger.press(name)
            down ^= {name}
            await asyncio.sleep(wait_ms / 1000)
        for name in down:
            finger.release(name)
        await asyncio.sleep(0.1)
    whats = [what for what, _name in finger.reports]
    assert whats == ["press", "release"] * (len(whats) // 2)
    names = [name for _what, name in finger.reports]
    assert names[::2] == names[1::2]


@pytest.mark.requirement("P9")
async def test_ignored_press_is_not_made_good() -> None:
    """A button pressed while another is held does nothing, then or when the first is let go."""
    finger = Finger()
    async with running(finger.panel.run()):
        finger.press("spin")
        await asyncio.sleep(0.02)
        finger.press("collect")
        await asyncio.sleep(0.02)
        finger.release("spin")
        await asyncio.sleep(1)
        assert finger.reports == [("press", "spin"), ("release", "spin")]
        finger.release("collect")
        await asyncio.sleep(0.02)
        await finger.tap("collect")
    assert finger.reports[2:] == [("press", "collect"), ("release", "collect")]


async def test_stuck_button_is_a_fault_and_stops_blocking() -> None:
    """A button held for 30 s is reported as stuck and blocks no other; its release clears the fault at once."""
    finger = Finger()
    async with running(finger.panel.run()):
        finger.press("spin")
        await asyncio.sleep(29.9)
        await finger.tap("collect")
        assert finger.faults.present == {}
        await asyncio.sleep(0.2)
        assert finger.faults.present == {("button spin", "stuck_button"): "held for 30 s"}
        await finger.tap("collect")
        finger.press("info")
        await asyncio.sleep(1)
        finger.release("spin")
        await asyncio.sleep(0.02)
        assert finger.faults.present == {}
    assert finger.reports == [
        ("press", "spin"),
        ("press", "collect"),
        ("release", "collect"),
        ("press", "info"),
    ]


async def test_two_stuck_buttons_are_two_faults() -> None:
    """Each stuck button is named, an ignored one too."""
    finger = Finger()
    async with running(finger.panel.run()):
        finger.press("spin")
        await asyncio.sleep(5)
        finger.press("info")
        await asyncio.sleep(31)
        assert set(finger.faults.present) == {
            ("button spin", "stuck_button"),
            ("button info", "stuck_button"),
        }
        await finger.tap("collect")
    assert finger.reports == [("press", "spin"), ("press", "collect"), ("release", "collect")]


async def test_button_held_at_the_start_is_no_press() -> None:
    """A start under a resting finger starts nothing; after it is lifted the button works."""
    finger = Finger()
    finger.press("spin")
    async with running(finger.panel.run()):
        await asyncio.sleep(1)
        assert finger.panel.held == {"spin"}
        finger.release("spin")
        await asyncio.sleep(1)
        assert finger.reports == []
        await finger.tap("spin")
    assert finger.reports == [("press", "spin"), ("release", "spin")]


async def test_edges_cross_from_a_foreign_thread() -> None:
    """Edges arrive on the pin library's thread; reports happen on the event loop's."""
    finger = Finger()
    async with running(finger.panel.run()):
        with ThreadPoolExecutor(1) as foreign:
            await asyncio.get_running_loop().run_in_executor(foreign, finger.press, "spin")
        await asyncio.sleep(0.1)
    assert finger.threads == [threading.current_thread()]


async def test_release_whose_edge_was_lost_is_found() -> None:
    """Where the kernel lost the last edge of a storm, the pin itself is asked: no button hangs for ever."""
    finger = Finger()
    async with running(finger.panel.run()):
        finger.press("spin")
        finger.header.pin(PINS["spin"])._state = True
        await asyncio.sleep(0.1)
    assert finger.reports == [("press", "spin"), ("release", "spin")]


async def test_pin_that_is_taken_is_named() -> None:
    """A pin claimed twice is an error that names the button, the pin and the table to look at."""
    finger = Finger()
    lamp = finger.header.output(PINS["collect"], "lamp collect")
    with pytest.raises(PortError, match=r"button collect \(GPIO 6\).*\[pins\]"):
        await finger.panel.run()
    lamp.close()
    async with running(finger.panel.run()):
        await finger.tap("spin")
    assert finger.reports == [("press", "spin"), ("release", "spin")]


async def test_pin_that_breaks_in_use_is_named() -> None:
    """A pin that fails later ends the driver with one error that names it, for the supervisor to restart it."""
    finger = Finger()
    task = asyncio.ensure_future(finger.panel.run())
    await asyncio.sleep(0.001)
    finger.press("info")
    finger.header.pin(PINS["info"]).broken = True
    with pytest.raises(PortError, match=r"button info \(GPIO 13\): the pin burnt out"):
        await task
