"""Signed exports: `cabinet export`, `cabinet verify-export`, what a stick does, and the QR code's text (M.7)."""

import csv
import errno
import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest
import segno
from click.testing import CliRunner, Result

from controller.books.opening import opened_books
from controller.cli import main
from controller.features.exports.exports import export
from controller.features.exports.summary import METERS, modules, read_summary, summary
from controller.journal import money, rounds
from controller.journal.event_catalogue import Event
from controller.journal.ledger import ADDS, TAKES
from controller.journal.open_items import add_item
from controller.journal.periods import close_period
from controller.journal.reports import EXPORTED, TABLES
from controller.keys import identity
from controller.keys.identity import Identity
from controller.media import sticks
from controller.media.signed_folder import KEY, MANIFEST, SIGNATURE, NotSignedError, verify_folder, write_folder
from controller.media.snapshots import manifest_of, snapshot
from controller.media.sticks import FULL, PROTECTED, PULLED, StickError, stick_errors
from tests.rigs.books import laid, segment, wager

NOW = 1_795_000_000_000
PLAIN = ("CI", "CO", "CN", "NT", "FD", "HO", "HP", "CV", "GM")
"""The meters that a cabinet without tickets, host and venue counts."""


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Books with money, a closed period, a round, an open item and a key."""
    path = tmp_path / "journal.sqlite"
    store = opened_books(laid(path), tmp_path / "journal.sqlite.key", lambda: NOW, simulated=True)
    store.transact(lambda tx: money.coins_taken(tx, 1, 1, (200, 200, 50), 0))
    store.transact(lambda tx: close_period(tx, "technician"))
    store.transact(lambda tx: money.coins_taken(tx, 1, 2, (100,), 0))
    store.transact(lambda tx: rounds.begin(tx, wager(100), "null", segment(40, ends=True)))
    store.transact(
        lambda tx: add_item(tx, "note_unknown", 500, Event.NOTE_UNKNOWN, value_cents=500, reason='a note, "lost"')
    )
    store.close()
    return path


@pytest.fixture
def own(journal: Path) -> Identity:
    """The cabinet's key."""
    key = identity.read_identity(journal.with_name("journal.sqlite.key"))
    assert key is not None
    return key


def cabinet(*arguments: object) -> Result:
    """Run `cabinet` with these arguments."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def table(folder: Path, name: str) -> list[dict[str, str]]:
    """One table's rows as CSV."""
    return list(csv.DictReader((folder / f"{name}.csv").read_text("utf-8").splitlines()))


def test_an_export_holds_the_books_in_both_formats(journal: Path, own: Identity, tmp_path: Path) -> None:
    """M.7: every table as CSV and as JSON, with the chain's head, and the journal is not touched."""
    before = journal.read_bytes()
    made = export(journal, tmp_path, own, "Cabinet 1", NOW)
    assert journal.read_bytes() == before
    for name in EXPORTED:
        as_json = json.loads((made / f"{name}.json").read_text("utf-8"))
        as_csv = table(made, name)
        assert [{key: "" if value is None else str(value) for key, value in row.items()} for row in as_json] == as_csv
    meters = {row["name"]: (row["lifetime"], row["since_collection"], row["unit"]) for row in table(made, "meters")}
    assert meters["coins_in"] == ("550", "100", "cents")
    assert meters["games"] == ("1", "1", "count")
    assert table(made, "notes_and_coins")[-1] == {
        "kind": "coin",
        "value_cents": "200",
        "lifetime": "2",
        "since_collection": "0",
    }
    assert table(made, "games") == [
        {"game": "none", "bet_cents": "100", "games": "1", "staked_cents": "100", "won_cents": "40"}
    ]
    assert [row["text"] for row in table(made, "open_items")] == [
        'Nobody knows where a note of 500 cents is: a note, "lost"'
    ]
    manifest = verify_folder(made, own.public_key)
    with closing(sqlite3.connect(journal)) as connection:
        seq, head = connection.execute("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    assert (manifest.seq, manifest.head, manifest.credit_cents) == (seq, head.hex(), 490)


def test_the_command_makes_the_same_files(journal: Path, own: Identity, tmp_path: Path) -> None:
    """`cabinet export` writes what the menu writes; `--tables` adds each table whole, hashes included."""
    by_menu = export(journal, tmp_path, own, "", NOW)
    done = cabinet("export", journal, tmp_path / "out", "--tables")
    made = Path(done.stdout.strip())
    for file in verify_folder(by_menu).files:
        assert (by_menu / file.name).read_bytes() == (made / file.name).read_bytes()
    assert {path.name for path in made.glob("table_*.csv")} == {f"table_{name}.csv" for name in TABLES}
    with closing(sqlite3.connect(journal)) as connection:
        hashes = [digest.hex() for (digest,) in connection.execute("SELECT hash FROM ledger ORDER BY seq")]
    assert [row["hash"] for row in table(made, "table_ledger")] == hashes
    alone = Path(cabinet("export", journal, tmp_path, "--format", "csv").stdout.strip())
    assert {path.suffix for path in alone.glob("*s.*")} == {".csv"}


def test_without_its_key_nothing_is_signed(journal: Path, own: Identity, tmp_path: Path) -> None:
    """The words name the file that is missing."""
    own.path.unlink()
    done = cabinet("export", journal, tmp_path / "out")
    assert (done.exit_code, "journal.sqlite.key does not exist" in done.output) == (1, True)


def test_an_export_is_proved(journal: Path, own: Identity, tmp_path: Path) -> None:
    """With the cabinet's key, or with the folder's own, which is then printed."""
    made = export(journal, tmp_path, own, "Cabinet 1", NOW)
    (tmp_path / "kept.pem").write_text(identity.public_pem(own.public_key))
    done = cabinet("verify-export", made, "--key", tmp_path / "kept.pem")
    assert done.exit_code == 0
    assert "files are as they were signed" in done.stdout
    assert f"{own.public_key.hex()}: the key that it brings along" in cabinet("verify-export", made).stdout


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda made: (made / "meters.csv").write_text("name\n"), "meters.csv was changed"),
        (lambda made: (made / "rounds.json").unlink(), "rounds.json is missing"),
        (lambda made: (made / "more.csv").touch(), "more.csv was added"),
        (lambda made: (made / SIGNATURE).write_bytes(bytes(64)), "is not what was signed"),
        (lambda made: (made / MANIFEST).write_bytes((made / MANIFEST).read_bytes() + b" "), "is not what was signed"),
        (lambda made: (made / KEY).write_text("no key"), "holds no public key"),
        (lambda made: (made / KEY).unlink(), "cabinet.pem is missing"),
    ],
)
def test_what_was_changed_is_found(journal: Path, own: Identity, tmp_path: Path, harm: object, words: str) -> None:
    """Whatever part of an export is changed, the proof names it and exits with 1."""
    made = export(journal, tmp_path, own, "", NOW)
    assert callable(harm)
    harm(made)
    done = cabinet("verify-export", made)
    assert (done.exit_code, words in done.output) == (1, True)
    assert ("take it away" if "added" in words else "copy the folder again from where it was made") in done.output


def test_another_cabinets_export_is_not_this_ones(journal: Path, own: Identity, tmp_path: Path) -> None:
    """A forger's export is whole in itself and not signed with the cabinet's key."""
    forger = identity.make_identity(tmp_path / "forger.key")
    made = export(journal, tmp_path, forger, "", NOW)
    verify_folder(made)
    with pytest.raises(NotSignedError, match="brings the key"):
        verify_folder(made, own.public_key)
    (tmp_path / "own.pem").write_text(identity.public_pem(own.public_key))
    said = cabinet("verify-export", made, "--key", tmp_path / "own.pem").output
    assert "give the key of the cabinet that made it" in said
    (made / KEY).write_text(identity.public_pem(own.public_key))
    with pytest.raises(NotSignedError, match="is not what was signed"):
        verify_folder(made, own.public_key)


def test_openssl_proves_it_too(journal: Path, own: Identity, tmp_path: Path) -> None:
    """Whoever does not trust this program proves the signature with another one."""
    made = export(journal, tmp_path, own, "", NOW)
    proof = "openssl pkeyutl -verify -pubin -inkey cabinet.pem -rawin -in manifest.json -sigfile manifest.sig"
    done = subprocess.run(proof.split(), cwd=made, capture_output=True, text=True, check=False)
    assert "Signature Verified Successfully" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, FULL),
        (errno.EROFS, PROTECTED),
        (errno.EACCES, PROTECTED),
        (errno.EIO, PULLED),
        (errno.ENODEV, PULLED),
        (errno.ENOENT, PULLED),
    ],
)
def test_what_a_stick_does_is_reported_in_plain_words(
    journal: Path, own: Identity, tmp_path: Path, code: int, words: str
) -> None:
    """Full, write-protected or pulled out in the middle: nothing half is left, and the next export finds its way."""

    def fails(file: IO[bytes]) -> None:
        file.write(b"half of it")
        raise OSError(code, "as the disk says it")

    stick = tmp_path / "stick"
    stick.mkdir()
    with snapshot(journal) as connection:
        manifest = manifest_of(connection, "export", "", NOW)
        with pytest.raises(StickError, match=words), stick_errors():
            write_folder(stick, "cabinet-export", manifest, {"a.csv": lambda _: None, "b.csv": fails}, own)
    assert list(stick.iterdir()) == []
    assert verify_folder(export(journal, stick, own, "", NOW)).seq


def test_a_stick_that_is_gone_is_reported(journal: Path, own: Identity, tmp_path: Path) -> None:
    """Its folder is not there any more."""
    with pytest.raises(StickError, match=PULLED):
        export(journal, tmp_path / "gone", own, "", NOW)


def test_what_a_cut_left_behind_is_removed(journal: Path, own: Identity, tmp_path: Path) -> None:
    """A power cut leaves a part that is never taken for an export; two exports of one second are two folders."""
    stick = tmp_path / "stick"
    others = ("holiday.part", "cabinet-export-photos.part")
    for left in ("cabinet-export-1234abcd-20260102T030405Z.part", *others):
        (stick / left).mkdir(parents=True)
        (stick / left / "file").write_text("")
    names = [export(journal, stick, own, "", NOW).name for _ in range(2)]
    assert names[1] == f"{names[0]}-2"
    assert {path.name for path in stick.iterdir()} == {*names, *others}


def test_only_what_can_be_pulled_out_is_a_stick(tmp_path: Path) -> None:
    """A folder on the cabinet's own disk is none; a disk on USB, or one that calls itself removable, is."""
    device = Path("/").stat().st_dev
    blocks, name = tmp_path / "dev" / "block", f"{os.major(device)}:{os.minor(device)}"
    blocks.mkdir(parents=True)
    for place, removable, expected in (
        ("platform/mmc/mmcblk0/mmcblk0p2", "0", False),
        ("platform/usb1/1-1/sda/sda1", "0", True),
        ("platform/sd/mmcblk1/mmcblk1p1", "1", True),
    ):
        partition = tmp_path / "devices" / place
        partition.mkdir(parents=True)
        (partition.parent / "removable").write_text(f"{removable}\n")
        (blocks / name).unlink(missing_ok=True)
        (blocks / name).symlink_to(partition)
        assert sticks.is_removable(Path("/"), blocks) is expected
    (tmp_path / "media" / "STICK").mkdir(parents=True)
    assert sticks.sticks([str(tmp_path / "media")], removable=lambda _: True) == []
    assert sticks.sticks([str(tmp_path / "media")], simulated=True) == [tmp_path / "media" / "STICK"]
    assert Path("/proc") in sticks.sticks(["/"], removable=lambda path: path == Path("/proc"))
    assert sticks.sticks([str(tmp_path / "nothing")]) == []


def test_the_summary_says_what_the_meters_say(journal: Path, own: Identity) -> None:
    """M.7's QR code: period, main meters and the chain's head, proved with the cabinet's key alone."""
    with snapshot(journal) as connection:
        text = summary(connection, own, NOW)
        manifest = manifest_of(connection, "summary", "", NOW)
    said = read_summary(text, own.public_key)
    assert (said.period, said.seq, said.head, said.credit_cents) == (2, manifest.seq, manifest.head, 490)
    assert said.meters["coins_in"] == (550, 100)
    assert (said.cabinet_id, said.key) == (manifest.cabinet_id, own.public_key.hex()[:16])
    key = own.path.with_name("cabinet.pem")
    key.write_text(identity.public_pem(own.public_key))
    done = cabinet("verify-export", "--text", text, "--key", key)
    assert done.exit_code == 0
    assert said.head in done.stdout
    assert "490 as the meters add up to" in done.stdout
    for changed in (text.replace("CN550", "CN551"), text[:-9], "CAB1 hello", ""):
        done = cabinet("verify-export", "--text", changed, "--key", key)
        assert done.exit_code == 1, changed


@pytest.mark.parametrize(("long", "error"), [(PLAIN, "m"), (tuple(METERS), "l")])
def test_the_qr_code_is_small_enough_to_be_scanned(
    journal: Path, own: Identity, long: tuple[str, ...], error: str
) -> None:
    """In alphanumeric mode and, with meters of ten digits, still at seven units a module on the smallest screen.

    It corrects 15 % of errors with the meters of a plain cabinet, 7 % where every kind of money has ten digits.
    """
    with snapshot(journal) as connection:
        text = summary(connection, own, NOW)
    longest = " ".join(
        f"{field[:2]}9999999999/9999999999" if field[:2] in long and "/" in field else field
        for field in text.split(" ")
    )
    assert longest.count("9999999999/9999999999") == len(long)
    code = segno.make_qr(longest, error=error, boost_error=False)
    assert code.mode == "alphanumeric"
    rows = modules(longest)
    assert rows == tuple("".join(map(str, row)) for row in code.matrix)
    assert 7 * (len(rows) + 8) <= 620


def test_the_summary_adds_up_with_every_kind_of_money(journal: Path, own: Identity) -> None:
    """M.7: each kind of money of the books' equation is in the line, and they lead to the credit that it says."""
    with closing(opened_books(journal, own.path, lambda: NOW, simulated=True)) as store:
        for place, name in enumerate((*ADDS, *TAKES)):
            cents = 2**place * (-1 if name in TAKES else 10**6)  # without any of them the sum is another one
            store.transact(lambda tx: tx.post("test", credit=cents, meters={name: abs(cents)}))  # noqa: B023
        credit = store.transact(lambda tx: tx.audit())
    with snapshot(journal) as connection:
        said = read_summary(summary(connection, own, NOW), own.public_key)
    assert [name for name in (*ADDS, *TAKES) if name not in said.meters] == []
    assert (said.credit_cents, said.balance_cents) == (credit, credit)
