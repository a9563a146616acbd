"""A configuration that names the books for something else: the real supervisor stops in words, no cent is lost."""

import subprocess
import sys
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.books.copy_records import read_copy
from controller.journal.head import head_file
from tests.rigs.display_client import DisplayClient
from tests.rigs.hall import Hall, until

pytestmark = pytest.mark.processes


def pay_in(hall: Hall, credit_cents: int) -> None:
    """Push a note of 20.00 in until it is taken; a validator that still starts gives it back."""

    def is_credited() -> bool:
        front = hall.sees(lambda _front: True)
        if front.bill_return_cents:
            hall.hand.do("take note")
            hall.hand.do("note 20")
        return hall.books.credit_cents == credit_cents

    hall.hand.do("note 20")
    until(is_credited)


def with_credit(folder: Path) -> Hall:
    """A demo with 20.00 of credit, stopped in order."""
    hall = Hall(folder)
    with hall.devices(), hall.supervisor() as running:
        pay_in(hall, 2000)
        running.terminate()
        assert running.wait() == 0
    return hall


def configured(hall: Hall, key: str, path: Path) -> None:
    """Have the configuration say so, in `[cabinet]`."""
    text = hall.run.configuration.read_text()
    hall.run.configuration.write_text(text.replace("[cabinet]\n", f'[cabinet]\n{key} = "{path}"\n', 1))


def started(hall: Hall) -> str:
    """Start the supervisor, which must not run; return its words."""
    command = [sys.executable, "-m", "controller.supervisor", str(hall.run.configuration), "--simulated"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def itself(journal: Path) -> Path:
    """The journal's own path."""
    return journal


def its_mark(journal: Path) -> Path:
    """The mark beside it."""
    return head_file(journal)


def a_link(journal: Path) -> Path:
    """A link to it."""
    link = journal.with_name("link")
    link.symlink_to(journal)
    return link


def a_second_name(journal: Path) -> Path:
    """Another name of the same file."""
    name = journal.with_name("second name")
    name.hardlink_to(journal)
    return name


def by_dots(journal: Path) -> Path:
    """Through another folder and back."""
    (journal.parent / "elsewhere").mkdir()
    return journal.parent / "elsewhere" / ".." / journal.name


SLIPS = (
    ("second_copy", itself),
    ("second_copy", its_mark),
    ("second_copy", a_link),
    ("second_copy", by_dots),
    ("key", itself),
    ("key", a_second_name),
)


def test_the_books_are_not_overwritten_by_a_slip_in_the_configuration(tmp_path: Path) -> None:
    """check-config's words, no byte changed, and with the mended file the credit is there."""
    hall = with_credit(tmp_path / "run")
    before = hall.run.journal.read_bytes()
    mended = hall.run.configuration.read_text()
    for key, way in SLIPS:
        configured(hall, key, way(hall.run.journal))
        words = started(hall)
        assert f"cabinet.{key}: is " in words
        assert "cabinet.journal; give each its own" in words
        assert hall.run.journal.read_bytes() == before
        hall.run.configuration.write_text(mended)
    with hall.devices(), hall.supervisor():
        assert hall.books.credit_cents == 2000
    assert audit(hall.run.journal, lambda *_: None).failures == []


def test_a_foreign_file_at_the_copys_place_stays_as_it_is(tmp_path: Path) -> None:
    """The cabinet plays on with one copy, and says that the file is none of its own."""
    hall = with_credit(tmp_path / "run")
    other = tmp_path / "notes.txt"
    other.write_text("the operator's own words\n")
    configured(hall, "second_copy", other)
    with hall.devices(), hall.supervisor():
        until(lambda: ("copy_lost", "second_copy") in hall.faults())
        pay_in(hall, 4000)
    assert other.read_text() == "the operator's own words\n"
    assert audit(hall.run.journal, lambda *_: None).failures == []


def test_a_copy_that_was_there_is_missed_at_the_next_start(tmp_path: Path) -> None:
    """Its folder is empty, as the mount point of a stick that is out: no other copy is begun; `copy_locks` locks."""
    hall = Hall(tmp_path / "run")
    medium = tmp_path / "medium"
    medium.mkdir()
    configured(hall, "second_copy", medium / "copy")
    with hall.devices():
        with hall.supervisor() as running:
            pay_in(hall, 2000)
            running.terminate()
            assert running.wait() == 0
        kept = read_copy(medium / "copy")
        assert kept is not None
        assert kept.credit_cents == 2000
        medium.rename(tmp_path / "pulled")
        medium.mkdir()
        with hall.supervisor():
            until(lambda: ("copy_missing", "second_copy") in hall.faults())
            assert not list(medium.iterdir())
        text = hall.run.configuration.read_text()
        hall.run.configuration.write_text(text.replace("[cabinet]\n", "[cabinet]\ncopy_locks = true\n", 1))
        with hall.process("controller.supervisor", str(hall.run.configuration), "--simulated"):
            display = DisplayClient(hall.run.display_socket)
            try:
                display.serve_until(lambda: display.state == "locked")
            finally:
                display.close()
