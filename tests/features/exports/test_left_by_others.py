"""What other computers add to a stick, an export or a folder of keys is left out and mentioned; nothing else is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.files.left_by_others import in_words, is_left_by_others
from controller.media.signed_folder import MANIFEST, OtherFilesError, verify_folder
from controller.media.sticks import sticks
from tests.rigs.exporting_cabinet import ExportingCabinet
from tests.rigs.other_computers import visited


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The folder that the exports are collected in."""
    (tmp_path / "site").mkdir()
    return tmp_path / "site"


@pytest.fixture
def one(tmp_path: Path, site: Path) -> Iterator[ExportingCabinet]:
    """A cabinet whose key was saved, with an export."""
    cabinet = ExportingCabinet(tmp_path / "one", site)
    cabinet.keep_key(site / "keys")
    cabinet.export()
    yield cabinet
    cabinet.close()


def exported(site: Path) -> Path:
    """The export's folder."""
    (folder,) = site.glob("cabinet-export-*")
    return folder


def run(*arguments: object) -> Result:
    """Run `cabinet` with these arguments."""
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.usefixtures("one")
def test_an_export_that_others_have_opened_is_still_signed(site: Path) -> None:
    """`verify-export` proves what the cabinet signed, and mentions what it leaves out."""
    visited(exported(site))
    assert verify_folder(exported(site)).cabinet_id
    done = run("verify-export", exported(site))
    assert done.exit_code == 0, done.output


@pytest.mark.usefixtures("one")
def test_what_is_left_out_is_logged(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Three names, and how many more."""
    visited(exported(site))
    verify_folder(exported(site))
    assert "left out, since other computers add such files: #recycle, $RECYCLE.BIN, .AppleDouble and 24 more" in (
        caplog.text
    )


@pytest.mark.usefixtures("one")
def test_a_file_that_no_computer_adds_by_itself_is_still_refused(site: Path) -> None:
    """It is named, with what to do."""
    (exported(site) / "notes.txt").write_text("read me")
    with pytest.raises(OtherFilesError, match=r"notes\.txt was added"):
        verify_folder(exported(site))
    assert "notes.txt was added: take it away" in run("verify-export", exported(site)).output
    (exported(site) / "notes.txt").unlink()
    (exported(site) / "meters.csv").unlink()
    assert "meters.csv is missing: copy the folder again" in run("verify-export", exported(site)).output


@pytest.mark.usefixtures("one")
def test_a_merge_leaves_them_out_of_keys_and_exports(site: Path) -> None:
    """A resource fork of a key is no key, a bin no export."""
    for folder in (site, site / "keys", exported(site)):
        visited(folder)
    (site / "keys" / "._one.pem").write_bytes(b"\x00\x05\x16\x07")
    (site / f"._{exported(site).name}").write_bytes(b"\x00\x05\x16\x07")
    (site / ".Trashes" / MANIFEST).write_text("{}")
    done = run("merge-exports", site)
    assert done.exit_code == 0, done.output
    assert f"{site / 'keys'}: left out, since other computers add such files" in done.output


def test_no_stick_is_one_of_their_folders(tmp_path: Path) -> None:
    """In a demo each folder is a stick, but not those."""
    visited(tmp_path)
    (tmp_path / "BLUE").mkdir()
    assert [stick.name for stick in sticks([str(tmp_path)], simulated=True)] == ["BLUE"]


@pytest.mark.parametrize("name", ["manifest.json", "DS_Store", "books.sqlite", "_x", ".hidden", "Trashes"])
def test_other_names_are_not_theirs(name: str) -> None:
    """Only what is known to be added by itself is left out."""
    assert not is_left_by_others(name)
    assert in_words([name]) == ""
