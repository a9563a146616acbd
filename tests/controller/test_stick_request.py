"""USB storage is ignored outside the menu's actions (issue 7)."""

import asyncio
from pathlib import Path

from controller.configuration.named_files import STICKS_WANTED
from controller.media.stick_request import ask_for_sticks, watch_sticks
from drivers.clock import LoopClock


async def test_sticks_are_asked_for_only_while_the_menu_is_open(tmp_path: Path) -> None:
    """The request comes with the menu and goes with it; one that a killed supervisor left goes at the start."""
    request = tmp_path / STICKS_WANTED
    request.touch()
    is_open = False

    asking = asyncio.ensure_future(ask_for_sticks(lambda: is_open, tmp_path, LoopClock()))
    await asyncio.sleep(1.0)
    assert not request.exists()
    is_open = True
    await asyncio.sleep(1.0)
    assert request.exists()
    is_open = False
    await asyncio.sleep(1.0)
    assert not request.exists()
    is_open = True
    await asyncio.sleep(1.0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert not request.exists()


async def test_a_run_directory_that_takes_no_request_only_costs_the_sticks(tmp_path: Path) -> None:
    """Full, or gone for a while: the supervisor goes on, and asks as soon as it can."""
    run_dir = tmp_path / "run"

    asking = asyncio.ensure_future(ask_for_sticks(lambda: True, run_dir, LoopClock()))
    await asyncio.sleep(2.0)
    assert not asking.done()
    run_dir.mkdir()
    await asyncio.sleep(1.0)
    assert (run_dir / STICKS_WANTED).exists()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


async def test_a_stick_that_comes_or_goes_has_the_open_page_read_again() -> None:
    """Once each; nobody looks for sticks while the menu is closed."""
    there: list[Path] = []
    is_open, looks, changes = False, 0, 0

    def look() -> list[Path]:
        nonlocal looks
        looks += 1
        return list(there)

    def on_change() -> None:
        nonlocal changes
        changes += 1

    watching = asyncio.ensure_future(watch_sticks(lambda: is_open, look, on_change, LoopClock()))
    there = [Path("/media/cabinet-sda")]
    await asyncio.sleep(2.0)
    assert (looks, changes) == (0, 0)
    is_open = True
    await asyncio.sleep(2.0)
    assert changes == 1
    there = []
    await asyncio.sleep(2.0)
    assert changes == 2
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
