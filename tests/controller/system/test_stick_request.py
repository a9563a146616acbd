"""USB storage is ignored outside the menu's actions (issue 7)."""

import asyncio
from pathlib import Path

from controller.system.stick_request import REQUEST, ask_for_sticks
from drivers.clock import LoopClock


async def test_sticks_are_asked_for_only_while_the_menu_is_open(tmp_path: Path) -> None:
    """The request comes with the menu and goes with it; one that a killed supervisor left goes at the start."""
    request = tmp_path / REQUEST
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
    assert (run_dir / REQUEST).exists()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
