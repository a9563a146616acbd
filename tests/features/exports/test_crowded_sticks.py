"""Sticks with very many or very long names before a whole cabinet: pages stay short, and the supervisor goes on."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.configuration.cabinet_toml import Export
from controller.display.link import TOO_LONG
from controller.features.copies.backups import MOST_BACKUPS
from controller.service.page import MOST_LINES, NOT_SHOWN
from tests.rigs.technician import technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

MANY = 400


def cabinet_with_sticks(folder: Path) -> VirtualCabinet:
    """A cabinet whose sticks are folders in `folder/sticks`."""
    cabinet = VirtualCabinet(folder)
    cabinet.config = replace(cabinet.config, export=Export(roots=(str(folder / "sticks"),)))
    return cabinet


def wide(number: int, start: str) -> str:
    """A name of nearly the longest that is offered, three bytes to most letters."""
    return f"{start}{number:04d}-" + "\u6f22" * 70


async def test_a_stick_with_very_many_backups_offers_the_newest(tmp_path: Path) -> None:
    """U.6: real supervisor and encoder; the page shows twenty of 400 folders, newest first, and the next page opens."""
    stick = tmp_path / "sticks" / "EVIL"
    names = [wide(number, "cabinet-backup-") for number in range(MANY)]
    for name in names:
        (stick / name).mkdir(parents=True)
        (stick / name / "manifest.json").write_text("{}")

    async with technician_at(tmp_path, cabinet_with_sticks(tmp_path)) as technician:
        await technician.open()
        await technician.go("U.6")
        offered = [row.place for row in technician.page.rows if row.label == "Restore {place}"]
        assert offered == names[::-1][:MOST_BACKUPS]
        await technician.go_by_touch("M.1")
        assert technician.cabinet.running


@pytest.mark.parametrize("letter", ["a", "\u6f22"])
async def test_very_many_sticks_fit_on_a_page(tmp_path: Path, letter: str) -> None:
    """M.7: what does not fit into a packet is left out, and the last row says how much that is."""
    for number in range(MANY):
        (tmp_path / "sticks" / (f"{number:04d}-" + letter * 80)).mkdir(parents=True)

    async with technician_at(tmp_path, cabinet_with_sticks(tmp_path)) as technician:
        await technician.open()
        await technician.go("M.7")
        *rows, last = technician.page.rows
        assert (last.label, last.leads) == (NOT_SHOWN, False)
        assert len(rows) + (last.count or 0) == MANY + 3  # key, ledger rows and QR code beside the sticks
        assert 100 < len(rows) < MOST_LINES
        assert technician.page.message != TOO_LONG
        assert technician.cabinet.running
