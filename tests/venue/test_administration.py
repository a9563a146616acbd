"""`cabinet venue`: from an empty PostgreSQL to a linked cabinet over TLS, a backup, and the venue restored from it."""

import hashlib
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.rigs.other_computers import visited
from tests.rigs.venue_cabinet import VenueCabinet
from tests.rigs.venue_machine import VenueMachine
from venue.authority import hosts_of
from venue.page.config import load

pytestmark = pytest.mark.processes
SEED = 50_000_000


@pytest.fixture
def machine() -> Iterator[VenueMachine]:
    """Yield a machine whose PostgreSQL has nothing in it."""
    with VenueMachine() as made:
        yield made


def test_from_nothing_to_a_linked_jackpot_and_back_from_a_backup(machine: VenueMachine, tmp_path: Path) -> None:
    """A cabinet enrols over TLS and wins; after a backup, more wins and a restore nothing is paid twice.

    What other computers have added to the backup changes nothing.
    """
    output = machine.init().output
    assert "pool of bewitched at 25 ct added" in output
    assert "0 migrations applied" in machine.init().output
    page = tomllib.loads((machine.keys / "page.toml").read_text(encoding="utf-8"))["page"]
    assert page["hosts"] == ["localhost", "127.0.0.1"]
    assert len(Path(page["secret_file"]).read_text(encoding="ascii").strip()) >= 50
    assert "display" not in page, "no art is there"
    machine.restart()

    role, password = machine.enrol("ab" * 32)
    with VenueCabinet(machine.tls(role, password)) as cabinet:
        cabinet.hello()
        pool = next(row.pool for row in cabinet.beat().values() if (row.game, row.coin) == ("bewitched", 25))
        cabinet.play(pool, 30_000)
        cabinet.put()
        saved = Path(machine.run("backup", str(tmp_path / "backups")).output.partition(":")[0])
        paid = cabinet.claim(pool, 1)
        assert paid.award == SEED + 25_000

    visited(saved)
    refused = machine.run("restore", str(saved), exits=1).output
    assert "--put-aside" in refused
    restored = machine.run("restore", str(saved), "--put-aside").output
    assert "server certificate for localhost, 127.0.0.1" in restored
    assert "with the logins of 1 cabinets" in restored
    assert "waits for cabinets 1" in machine.run("status").output
    machine.restart()

    with VenueCabinet(machine.tls(role, password)) as again:
        again.epoch, again.seqs, again.cums = 1, {pool: 1}, {pool: 30_000}
        assert again.hello().fresh is False
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            again.claim(pool, 2)
        claim = {"pool": pool, "epoch": 1, "round": 1, "number": 0, "hit": 1, "seed": SEED, "award": paid.award}
        assert again.call("give_back", again.session, Jsonb([claim]))[0][0] == 1
        again.call("reported", again.session, Jsonb({}))
        assert "confirm first" in machine.run("open", exits=1).output
        machine.run("open", "--complete")
        assert again.claim(pool, 1) == paid._replace(dup=True)
        assert again.claim(pool, 2).award == SEED
    assert "the books are proved" in machine.run("audit").output


def test_a_closed_login_is_closed_in_the_restored_venue(machine: VenueMachine, tmp_path: Path) -> None:
    """On the same machine as on another; opened again it has its password."""
    machine.init()
    machine.restart()
    role, password = machine.enrol("ab" * 32)
    with machine.admin() as admin:
        admin.execute("SELECT venue.close_login(1, 'odd', 'anna')")
    saved = machine.run("backup", str(tmp_path / "backups")).output.partition(":")[0]
    with machine.admin() as admin:
        admin.execute("SELECT venue.open_login(1, 'anna')")
    machine.run("restore", saved, "--put-aside")
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(machine.tls(role, password))
    with machine.admin() as admin:
        admin.execute("SELECT venue.open_login(1, 'anna')")
    psycopg.connect(machine.tls(role, password)).close()


def test_the_server_keeps_the_names_by_which_cabinets_know_it(machine: VenueMachine, tmp_path: Path) -> None:
    """A second set-up, a restore, and one on another machine: a certificate for other names locks cabinets out."""
    machine.init()
    saved = Path(machine.run("backup", str(tmp_path / "backups")).output.partition(":")[0])
    assert "for localhost, 127.0.0.1 until" in machine.run("init", "--name", "Casino Nord").output
    assert hosts_of(machine.keys / "server.pem") == ["localhost", "127.0.0.1"]
    for key in machine.keys.iterdir():
        key.unlink()
    machine.run("restore", str(saved), "--put-aside")
    assert hosts_of(machine.keys / "server.pem") == hosts_of(machine.keys / "page.pem") == ["localhost", "127.0.0.1"]
    machine.run("restore", str(saved), "--put-aside", "--host", "venue.lan", "--host", "::1")
    assert hosts_of(machine.keys / "server.pem") == ["venue.lan", "::1"]


def test_roles_log_in_only_where_they_belong(machine: VenueMachine) -> None:
    """Without TLS, to another database, by another name of the server or with another authority nobody gets in."""
    machine.init()
    machine.restart()
    role, password = machine.enrol("cd" * 32)
    code = machine.code()
    guest, secret = f"enrol_{code[:3]}", code[3:]
    psycopg.connect(machine.tls(role, password)).close()
    psycopg.connect(machine.tls(guest, secret)).close()
    for dsn in (
        machine.tls(role, password, mode="disable"),
        machine.tls(role, password, host="other"),
        machine.tls(role, password).replace("dbname=venue", "dbname=postgres"),
        machine.tls(role, "wrong"),
        machine.tls("enrolment"),
        machine.tls("enrolment", mode="require"),
        machine.tls(guest),
        machine.tls(guest, secret, mode="disable"),
        machine.tls(guest, secret).replace("dbname=venue", "dbname=postgres"),
        machine.tls("venue_page"),
        machine.tls("postgres"),
    ):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(dsn)


def test_a_server_that_was_set_back_is_declared_so(machine: VenueMachine) -> None:
    """`recover` closes the pools until all have reported; `open` says for whom it waits, in one line."""
    machine.init()
    with machine.admin() as admin:
        admin.execute("INSERT INTO venue.cabinet (cabinet, role, epoch) VALUES (4, 'cab_4', 1)")
    machine.run("recover", "--reason", "snapshot of Monday")
    assert "RECOVERING (snapshot of Monday): waits for cabinets 4" in machine.run("status").output
    output = machine.run("open", exits=1).output
    assert output == "Error: PostgreSQL: cabinets 4 have not reported: wait for them or write them off\n"
    assert "partitions made or dropped" in machine.run("tidy").output


def test_the_audit_names_what_is_wrong(machine: VenueMachine) -> None:
    """A pool whose base was changed fails the audit with both figures and exit code 1."""
    machine.init()
    with machine.admin() as admin:
        admin.execute("UPDATE venue.pool SET base = -5 WHERE pool = 1")
    output = machine.run("audit", exits=1).output
    assert "NOT PROVED: pool 1: base is -5, its awards and adjustments make it 0" in output
    assert "1 proofs FAILED" in machine.run("status").output


def test_old_backups_are_removed(machine: VenueMachine, tmp_path: Path) -> None:
    """`--keep` leaves the newest, the newest of each of twelve months, and whatever is no backup."""
    machine.init()
    target = tmp_path / "backups"
    days = [f"venue-2020{month:02d}{day:02d}T053000Z" for month in range(1, 13) for day in (1, 28)]
    for name in ("venue-20191231T053000Z", *days, "venue-20200101T053000Z.part", "other", "venue-notes"):
        (target / name).mkdir(parents=True)
    machine.run("backup", str(target), "--keep", "2")
    left = sorted(path.name for path in target.iterdir())
    made = left[-2]
    assert made > "venue-2026"
    assert left == ["other", *(name for name in days[2:] if name.endswith("28T053000Z")), made, "venue-notes"]


def test_a_damaged_backup_is_refused(machine: VenueMachine, tmp_path: Path) -> None:
    """A changed file is named and nothing is restored; so is a folder that is no backup."""
    machine.init()
    saved = Path(machine.run("backup", str(tmp_path / "backups")).output.partition(":")[0])
    with (saved / "venue.dump").open("ab") as dump:
        dump.write(b"x")
    assert "venue.dump is missing or damaged" in machine.run("restore", str(saved), "--put-aside", exits=1).output
    assert "is no backup" in machine.run("restore", str(tmp_path), "--put-aside", exits=1).output
    assert "the books are proved" in machine.run("audit").output


def test_a_restore_that_breaks_off_leaves_the_venue_as_it_was(machine: VenueMachine, tmp_path: Path) -> None:
    """Logins that cannot be read, a dump that ends early, another authority: the pools that were open are open."""
    machine.init()
    saved = Path(machine.run("backup", str(tmp_path / "backups")).output.partition(":")[0])
    whole = {path.name: path.read_bytes() for path in saved.iterdir()}
    for name, content, words in (
        ("logins.json", b"{", "logins.json cannot be read"),
        ("venue.dump", whole["venue.dump"][:5_000], "pg_restore failed"),
        ("authority.pem", whole["authority.pem"] + b"\n", "is another authority than the backup's"),
    ):
        files = whole | {name: content}
        sums = "".join(f"{hashlib.sha256(files[file]).hexdigest()}  {file}\n" for file in files if file != "SHA256SUMS")
        for file, kept in (files | {"SHA256SUMS": sums.encode()}).items():
            (saved / file).write_bytes(kept)
        assert words in machine.run("restore", str(saved), "--put-aside", exits=1).output
        with machine.admin() as admin:
            assert admin.execute("SELECT DISTINCT state FROM venue.pool").fetchall() == [("open",)]
            names = admin.execute("SELECT datname FROM pg_database WHERE datname LIKE 'venue%'").fetchall()
            assert names == [("venue",)]


def test_clear_words_without_a_server_or_a_venue(machine: VenueMachine, tmp_path: Path) -> None:
    """No database, another one, no keys, no room for a backup and no server are said with what to do."""
    assert "run `cabinet venue init`" in machine.run("status", exits=1).output
    for option, value, words in (
        ("--timezone", "Europe/Nowhere", "there is no time zone Europe/Nowhere"),
        ("--currency", "Euro", "Euro is no currency"),
        ("--host", "bad host!", "'bad host!' is neither a name nor an address"),
        ("--database", "postgres", "PostgreSQL's own"),
    ):
        assert words in machine.run("init", "--name", "x", option, value, exits=1).output
    assert "it is empty" in machine.run("init", "--name", " ", exits=2).output
    machine.init()
    assert "it is empty" in machine.run("recover", "--reason", "", exits=2).output
    for command in ("enrol", "status", "audit", "tidy", "open"):
        assert "holds no venue: say --database" in machine.run(command, "--database", "postgres", exits=1).output
    target = tmp_path / "file"
    target.touch()
    assert "Not a directory" in machine.run("backup", str(target / "backups"), exits=1).output
    machine.keys = tmp_path / "none"
    assert "server.pem is not there; say --folder" in machine.run("status").output
    assert "has not the authority" in machine.run("backup", str(tmp_path / "backups"), exits=1).output
    assert not (tmp_path / "backups").exists()
    machine.server.stop()
    assert "start it (or apt-get install postgresql)" in machine.run("status", exits=1).output


def test_a_second_set_up_keeps_the_name_unless_it_is_renamed(machine: VenueMachine) -> None:
    """Another name, time zone or currency is refused with what the venue has; `--rename` is meant, and recorded."""
    machine.init()

    def site() -> object:
        with machine.admin() as admin:
            return admin.execute("SELECT name, timezone, currency FROM venue.site").fetchone()

    output = machine.run("init", "--name", "Casino Süd", exits=1).output
    assert "is called 'Casino Nord': say that name, or --rename to call it 'Casino Süd'" in output
    for option, other, kept in (("--timezone", "UTC", "Europe/Berlin"), ("--currency", "CHF", "EUR")):
        output = machine.run("init", "--name", "Casino Nord", option, other, exits=1).output
        assert f"{kept}, which does not change: leave {other} out" in output
    assert site() == ("Casino Nord", "Europe/Berlin", "EUR")
    machine.run("init", "--name", "Casino Süd", "--rename", "--timezone", "Europe/Berlin")
    assert site() == ("Casino Süd", "Europe/Berlin", "EUR")
    with machine.admin() as admin:
        detail = admin.execute("SELECT detail FROM venue.audit WHERE act = 'venue renamed'").fetchone()
    assert detail == ({"name": "Casino Süd", "before": "Casino Nord"},)


def test_a_folder_of_keys_that_is_named_from_here_is_found_from_everywhere(machine: VenueMachine) -> None:
    """The page and PostgreSQL are started elsewhere: both have whole paths."""
    keys = machine.keys
    machine.keys = Path(os.path.relpath(keys))
    machine.init()
    assert load(keys / "page.toml").secret_file == keys / "page.secret"
    with machine.admin() as admin:
        assert admin.execute("SHOW ssl_cert_file").fetchone() == (str(keys / "server.pem"),)
