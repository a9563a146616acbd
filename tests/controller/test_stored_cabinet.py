"""A cabinet that was stored without power for months is as it was, whatever its clock says then."""

import re
from pathlib import Path

import pytest

from controller.service import tree
from tests.rigs.machine import Rig

pytestmark = pytest.mark.requirement("C7")

DAY_MS = 86_400_000
BEGAN_MS = 1_760_000_000_000
METERS = ("notes_in", "stakes", "wins", "games", "power_ups")
INSTALL = Path(__file__).parents[2] / "docs" / "install.md"


@pytest.mark.parametrize("wakes_ms", [BEGAN_MS + 180 * DAY_MS, 0], ids=["180 days later", "its clock has no cell"])
async def test_credit_and_meters_outlast_the_storage(tmp_path: Path, wakes_ms: int) -> None:
    """They are proved at the start, and the credit is played on."""
    async with Rig(tmp_path) as rig:
        rig.wall_ms = BEGAN_MS
        await rig.game(2000)
        await rig.press("spin")
        await rig.until("idle")
        before = {name: await rig.meter(name) for name in METERS}
        credit = rig.credit
        await rig.kill()
        rig.wall_ms = wakes_ms
        await rig.start(until="idle")
        assert rig.credit == credit
        assert {name: await rig.meter(name) for name in METERS} == before | {"power_ups": before["power_ups"] + 1}
        await rig.press("spin")
        await rig.until("idle")
        assert await rig.meter("games") == before["games"] + 1


def test_the_advice_for_a_storage_names_pages_of_the_menu() -> None:
    """Each page that docs/install.md sends one to exists."""
    section = INSTALL.read_text("utf-8").partition("## Months without power")[2].partition("\n## ")[0]
    codes = set(re.findall(r"\b[A-Z]\.\d+\b", section))
    assert codes == {"U.3", "M.7", "U.6", "U.10"}
    assert codes <= tree.pages().keys()
