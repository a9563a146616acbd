"""`cabinet merge-exports`: many cabinets' exports proved, ordered and merged, and everything amiss named."""

import csv
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.features.exports.continuity import CLOSINGS
from controller.features.exports.export_reader import read_keys
from controller.features.exports.merging import Merged, merge, signed_folders
from controller.journal.ledger import ANCHOR_EVERY
from controller.media.signed_folder import MANIFEST, SIGNATURE
from tests.rigs.exporting_cabinet import ExportingCabinet

ACTS = st.sampled_from(["coins", "coins", "round", "collection", "event", "export", "by menu", "tables", "csv"])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The folder that the exports are collected in."""
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


@pytest.fixture
def one(tmp_path: Path, site: Path) -> Iterator[ExportingCabinet]:
    """A cabinet whose key was saved."""
    cabinet = ExportingCabinet(tmp_path / "one", site)
    cabinet.keep_key(site / "keys")
    yield cabinet
    cabinet.close()


def one_in(folder: Path) -> ExportingCabinet:
    """A cabinet in a folder of an example's own."""
    return ExportingCabinet(folder / "one", folder / "site")


def merged(site: Path) -> Merged:
    """Merge what lies in the folder."""
    return merge(signed_folders(site), read_keys(sorted((site / "keys").glob("*.pem"))))


def command(site: Path, *more: object) -> Result:
    """Run `cabinet merge-exports` on the folder."""
    return CliRunner().invoke(main, ["merge-exports", str(site), *map(str, more)])


def test_only_a_csv_of_this_command_is_overwritten(site: Path, one: ExportingCabinet) -> None:
    """The books themselves, named by a slip, stay; the last merge is replaced."""
    one.export()
    journal = site / "journal.sqlite"
    journal.write_bytes(b"SQLite format 3\x00")
    done = command(site, "--out", journal)
    assert (done.exit_code, journal.read_bytes()) == (2, b"SQLite format 3\x00")
    assert "is no CSV of merged exports and stays as it is" in done.output
    assert [command(site).exit_code for _ in range(2)] == [0, 0]


def rows(site: Path) -> list[dict[str, str]]:
    """The CSV's rows."""
    return list(csv.DictReader((site / "merged.csv").read_text("utf-8").splitlines()))


def kinds(found: Merged) -> list[str]:
    """The kinds of what was found amiss, notes left out."""
    return [finding.kind for finding in found.findings if finding.kind != "note"]


def played(cabinet: ExportingCabinet, acts: list[str]) -> None:
    """Play these acts; an export is one of them."""
    for act in acts:
        if act == "export":
            cabinet.export()
        elif act == "by menu":
            cabinet.export_by_menu()
        elif act == "tables":
            cabinet.export(tables=True)
        elif act == "csv":
            cabinet.export(tables=True, formats=("csv",))
        else:
            cabinet.act(act)


@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_whole_exports_add_up_to_the_meters(data: st.DataObject) -> None:
    """Whatever was played and exported, and whichever exports are missing: nothing is amiss, nothing counted twice."""
    with tempfile.TemporaryDirectory() as temporary:
        site = Path(temporary, "site")
        cabinets = [ExportingCabinet(Path(temporary, name), site, name) for name in ("one", "two")]
        for cabinet in cabinets:
            cabinet.keep_key(site / "keys")
            played(cabinet, [*data.draw(st.lists(ACTS, max_size=12)), "export"])
            cabinet.close()
            own = [folder for folder in signed_folders(site) if manifest_of(folder)["name"] == cabinet.name]
            last = max(own, key=lambda folder: (manifest_of(folder)["seq"], manifest_of(folder)["made"]))
            for folder in own:
                if folder != last and data.draw(st.booleans()):
                    shutil.rmtree(folder)
        found = merged(site)
        assert kinds(found) == []
        assert command(site).exit_code == 0
        for cabinet in cabinets:
            counted = [row for row in rows(site) if row["cabinet"] == cabinet.name]
            for name, value in cabinet.meters().items() - [(name, len(counted) - 1) for name in CLOSINGS]:
                assert sum(int(row[name]) for row in counted) == value
                assert int(counted[-1][f"{name}_lifetime"]) == value
            assert [int(row["period"]) for row in counted] == list(range(1, len(counted) + 1))


def manifest_of(folder: Path) -> dict[str, Any]:
    """A folder's manifest."""
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    return manifest


@settings(max_examples=10, deadline=None)
@given(acts=st.lists(ACTS, max_size=8), data=st.data())
def test_any_changed_byte_is_unproved(acts: list[str], data: st.DataObject) -> None:
    """One changed byte in any file of an export: it is named, and the CSV is that of the other exports."""
    with tempfile.TemporaryDirectory() as temporary, closing(one_in(Path(temporary))) as cabinet:
        site = cabinet.out
        cabinet.keep_key(site / "keys")
        played(cabinet, [*acts, "export"])
        assert command(site).exit_code == 0
        before = rows(site)
        cabinet.act("coins")
        made = cabinet.export()
        file = data.draw(st.sampled_from(sorted(path for path in made.iterdir() if path.stat().st_size)))
        content = bytearray(file.read_bytes())
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
        file.write_bytes(content)
        done = command(site)
        (finding,) = [one for one in merged(site).findings if one.file == str(made)]
        assert finding.kind in ("unproved", "foreign")
        assert (done.exit_code, rows(site)) == (1, before)


@settings(max_examples=10, deadline=None)
@given(
    common=st.lists(ACTS, max_size=6),
    lost=st.lists(st.sampled_from(["coins", "collection", "event"]), min_size=1, max_size=4),
    again=st.lists(st.sampled_from(["coins", "collection", "event"]), min_size=1, max_size=8),
)
def test_an_old_copy_of_the_card_is_a_break(common: list[str], lost: list[str], again: list[str]) -> None:
    """Books that went back to an older copy are named by exports with whole tables, however long they went on."""
    with tempfile.TemporaryDirectory() as temporary, closing(one_in(Path(temporary))) as cabinet:
        site = cabinet.out
        cabinet.keep_key(site / "keys")
        played(cabinet, common)
        card = cabinet.copy()
        played(cabinet, [*lost, "tables"])
        cabinet.put_back(card)
        played(cabinet, [*again, "tables"])
        assert kinds(merged(site)) == ["break"]
        assert len(rows_of(site)) == len(merged(site).lines[0].export.periods) + 1


def rows_of(site: Path) -> list[dict[str, str]]:
    """The CSV's rows, after the command found something."""
    assert command(site).exit_code == 1
    return rows(site)


def test_a_recorded_export_is_proved_by_the_chain(one: ExportingCabinet, site: Path) -> None:
    """M.7 records the last row's hash: the next export proves the chain; the command's proves row numbers only."""
    one.act("coins")
    one.export_by_menu()
    one.act("round")
    one.export()
    assert [line.proof for line in merged(site).lines] == ["chain"]
    one.act("coins")
    one.export()
    assert [line.proof for line in merged(site).lines] == ["sequence"]


def test_common_anchors_are_a_proof(one: ExportingCabinet, site: Path) -> None:
    """After a thousand rows the command's exports have an anchor in common."""
    for _ in range(ANCHOR_EVERY):
        one.store.transact(lambda tx: tx.post("coin", credit=1, meters={"coins_in": 1}), durable=False)
    one.export()
    one.act("coins")
    one.export()
    assert [line.proof for line in merged(site).lines] == ["anchors"]


def test_an_older_copy_made_later_is_a_break(one: ExportingCabinet, site: Path) -> None:
    """Without whole tables an old card is seen where its books fell behind: it ends earlier, and was made later."""
    one.act("coins")
    card = one.copy()
    one.act("coins")
    one.act("coins")
    one.export()
    one.put_back(card)
    one.export()
    (finding,) = merged(site).findings
    assert finding.kind == "break"
    assert "an older copy of the books was in use" in finding.words


def test_a_foreign_export_is_named(one: ExportingCabinet, tmp_path: Path, site: Path) -> None:
    """Whole in itself, but signed with a key that nobody saved: it is named, with what to do, and not counted."""
    one.act("coins")
    one.export()
    other = ExportingCabinet(tmp_path / "other", site, "Other")
    other.act("coins")
    made = other.export()
    other.close()
    done = command(site)
    assert done.exit_code == 1
    assert f"foreign: {made}: it is signed with the key {other.own.fingerprint}" in done.output
    assert "save the cabinet.pem of its set-up among the keys" in done.output
    assert {row["cabinet"] for row in rows(site)} == {"Cabinet 1"}


def test_a_cabinet_without_exports_is_missing(one: ExportingCabinet, tmp_path: Path, site: Path) -> None:
    """A saved key of which no export came is named by its file."""
    one.export()
    ExportingCabinet(tmp_path / "two", site).keep_key(site / "keys")
    assert [(finding.kind, finding.file) for finding in merged(site).findings] == [("missing", "two.pem")]


def test_a_clear_follows_its_snapshot(one: ExportingCabinet, site: Path) -> None:
    """With the clear's snapshot nothing is amiss and both journals are counted; without it the rows are a gap."""
    played(one, ["coins", "round"])
    one.paid()
    one.export()
    one.act("event")
    one.clear()
    one.act("coins")
    one.export()
    found = merged(site)
    assert (kinds(found), [line.proof for line in found.lines]) == ([], ["sequence", "chain"])
    assert command(site).exit_code == 0
    assert [(row["journal"], row["coins_in"]) for row in rows(site)] == [("1", "200"), ("2", "200")]
    (snapshot,) = site.glob("cabinet-snapshot-*")
    shutil.rmtree(snapshot)
    (finding,) = merged(site).findings
    assert (finding.kind, "of journal 1 were in no export" in finding.words) == ("gap", True)


def test_a_journal_of_which_nothing_is_there_is_a_gap(one: ExportingCabinet, site: Path) -> None:
    """Two clears with exports of the first and the third journal alone."""
    one.export()
    for _ in range(2):
        one.clear()
        one.act("event")
    one.export()
    for snapshot in site.glob("cabinet-snapshot-*"):
        shutil.rmtree(snapshot)
    (finding,) = merged(site).findings
    assert (finding.kind, "journal 2 to 2" in finding.words) == ("gap", True)


def test_restored_books_go_on_and_are_counted_once(one: ExportingCabinet, site: Path) -> None:
    """A backup restored into cleared books continues its meters: one line, counted once."""
    one.act("event")
    one.export()
    backup = one.back_up()
    one.clear()
    one.act("event")
    one.restore(backup)
    one.act("coins")
    one.export()
    found = merged(site)
    assert kinds(found) == []
    assert command(site).exit_code == 0
    assert sum(int(row["coins_in"]) for row in rows(site)) == one.meters()["coins_in"]


def test_an_export_after_the_backup_overlaps(one: ExportingCabinet, site: Path) -> None:
    """Rows that were exported after the backup are in no later books: named, and the restored books are counted."""
    backup = one.back_up()
    one.act("event")
    one.export()
    one.clear()
    one.restore(backup)
    one.act("coins")
    one.export()
    (finding,) = [one for one in merged(site).findings if one.kind != "note"]
    assert (finding.kind, "its backup ended at row" in finding.words) == ("overlap", True)
    assert [row["coins_in"] for row in rows_of(site)] == ["200"]


def test_one_key_is_one_cabinet(one: ExportingCabinet, tmp_path: Path, site: Path) -> None:
    """A cabinet's key that signs for another cabinet too is named."""
    one.export()
    other = ExportingCabinet(tmp_path / "other", site, "Other")
    other.own = one.own
    other.export()
    (finding,) = merged(site).findings
    assert (finding.kind, "the key one.pem signed it for cabinet" in finding.words) == ("break", True)


def test_notes_are_no_fault(one: ExportingCabinet, site: Path) -> None:
    """The same books exported twice, and a backup among the exports: noted, counted once, exit code 0."""
    one.act("coins")
    one.export()
    one.export()
    shutil.copytree(one.back_up(), site / "backup")
    done = command(site)
    assert (done.exit_code, done.output.count("note: ")) == (0, 2)
    assert [row["coins_in"] for row in rows(site)] == ["200"]


def test_what_cannot_be_merged_at_all(one: ExportingCabinet, tmp_path: Path, site: Path) -> None:
    """No keys, a file without a key, no exports, none proved: exit code 2, and the words name the mend."""
    empty = tmp_path / "empty"
    empty.mkdir()
    done = command(site)
    assert (done.exit_code, "copy the folders cabinet-export" in done.output) == (2, True)
    made = one.export()
    done = command(site, "--keys", empty)
    assert (done.exit_code, "holds no *.pem" in done.output) == (2, True)
    (made / SIGNATURE).write_bytes(bytes(64))
    done = command(site)
    assert (done.exit_code, "unproved: " in done.output, "none of the exports is proved" in done.output) == (
        2,
        True,
        True,
    )
    (site / "keys" / "two.pem").write_text("no key")
    done = command(site)
    assert (done.exit_code, "two.pem holds no public key" in done.output) == (2, True)
    assert not (site / "merged.csv").exists()


def test_a_name_is_no_formula(one: ExportingCabinet, site: Path) -> None:
    """A cabinet's name that a spreadsheet would calculate is text in the CSV."""
    one.name = "=1+1"
    one.export()
    assert command(site).exit_code == 0
    assert rows(site)[0]["cabinet"] == "'=1+1"


def test_a_cabinet_whose_only_export_was_changed_is_not_missing_too(one: ExportingCabinet, site: Path) -> None:
    """The changed file is named, and nothing else."""
    made = one.export()
    file = next(path for path in sorted(made.iterdir()) if path.suffix == ".csv" and path.stat().st_size)
    file.write_bytes(file.read_bytes() + b"x")
    assert [(finding.kind, finding.file) for finding in merged(site).findings] == [("unproved", str(made))]
