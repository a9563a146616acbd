"""U.7: versions and hashes; and nothing that leaves the cabinet moves a meter."""

from importlib.metadata import version
from pathlib import Path

import pytest

from controller.journal.actor import Role
from controller.system.versions import PACKAGES, folder_hash, package_hash
from tests.rigs.paths import ROOT
from tests.rigs.people import PIN
from tests.rigs.service_menu import technician


def test_a_hash_shows_whether_a_file_was_changed(tmp_path: Path) -> None:
    """Its name, its content, or that it is there: whatever changes, the hash does; compiled files count for nothing."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.py").write_text("one")
    first = folder_hash(tmp_path)
    (tmp_path / "a" / "__pycache__").mkdir()
    (tmp_path / "a" / "__pycache__" / "one.pyc").write_text("compiled")
    assert folder_hash(tmp_path) == first
    (tmp_path / "a" / "one.py").write_text("two")
    second = folder_hash(tmp_path)
    (tmp_path / "a" / "one.py").rename(tmp_path / "a" / "two.py")
    third = folder_hash(tmp_path)
    (tmp_path / "b").touch()
    assert len({first, second, third, folder_hash(tmp_path)}) == 4
    assert package_hash("games") == folder_hash(ROOT / "games")


async def test_the_page_shows_versions_mathematics_and_hashes(tmp_path: Path) -> None:
    """U.7: what an inspector compares, and the way to another program."""
    async with technician(tmp_path) as (rig, hand):
        await hand.go("U.7")
        shown = {row.place or row.label: row for row in hand.page.rows}
        assert shown["cabinet"].value == version("cabinet")
        assert shown["Neptune"].count == 1
        assert shown["Update and roll back"].code == "U.7.3"
        await hand.enter("Hashes of program and art")
        await rig.until_true(lambda: hand.page.code == "U.7.1")
        found = {row.place: row.value for row in hand.page.rows}
        assert {name: found[name] for name in PACKAGES} == {name: package_hash(name) for name in PACKAGES}


WORKS = {
    "M.7": ("Export to the stick", "Show as a QR code"),
    "U.6": ("Back up onto the stick",),
    "U.7": ("Hashes of program and art",),
    "U.11": ("Diagnostics onto the stick",),
}


@pytest.mark.parametrize(("code", "work"), [(code, work) for code, works in WORKS.items() for work in works])
async def test_what_leaves_the_cabinet_moves_no_meter(tmp_path: Path, code: str, work: str) -> None:
    """Whatever is written or shown: no ledger row but an event's, no credit, no meter."""
    async with technician(tmp_path) as (rig, hand):
        (tmp_path / "sticks" / "BLUE").mkdir(parents=True)
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await rig.game(2000)
        await rig.door(is_open=True)
        await hand.turn(Role.TECHNICIAN)
        await hand.type(PIN)
        await rig.until_true(lambda: bool(hand.page.rows))
        await hand.go(code)
        before = await rig.rows("SELECT name, value, collected FROM meters ORDER BY name")
        ((head,),) = await rig.rows("SELECT max(seq) FROM ledger")
        await hand.enter(work)
        await rig.until_true(lambda: hand.page.code != code or hand.page.message.startswith("It is written"))
        assert await rig.rows("SELECT name, value, collected FROM meters ORDER BY name") == before
        assert rig.credit == 2000
        kinds = await rig.rows(f"SELECT DISTINCT kind FROM ledger WHERE seq > {head}")  # noqa: S608 - a number
        assert kinds in ([], [("event",)])
