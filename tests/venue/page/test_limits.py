"""What a request may hold, and what the page answers without its database."""

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.test import Client, override_settings

from tests.rigs.postgres import PostgresServer, VenueDatabase
from tests.rigs.venue_page import logged_in, text_of, use
from venue.page.limits import LARGEST_FORM
from venue.page.roles import Role

LARGE = LARGEST_FORM + 1


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """The folder of temporary files, to which nothing may be written before it is known by whom."""
    with override_settings(FILE_UPLOAD_TEMP_DIR=str(tmp_path)):
        yield tmp_path


class Unread(io.RawIOBase):
    """A body that nobody may read."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise AssertionError(f"a body was read into {buffer!r}")


@pytest.mark.parametrize("address", ["/login/", "/", "/wall/", "/software/upload", "/nowhere"])
def test_a_large_body_of_a_stranger_is_not_read(site: VenueDatabase, address: str) -> None:
    """Whatever address it is for, it is refused by its size, in words, before any of it is read."""
    answer = Client().generic(
        "POST",
        address,
        content_type="multipart/form-data; boundary=x",
        CONTENT_LENGTH=str(LARGE),
        **{"wsgi.input": Unread()},
    )
    assert answer.status_code == 413
    assert "so large" in text_of(answer.content)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.CASHIER])
def test_who_may_not_upload_sends_no_large_body(site: VenueDatabase, role: Role) -> None:
    """A session without the role is refused as a stranger is; so is an operator at another address."""
    for client, address in ((logged_in(role), "/software/upload"), (logged_in(Role.OPERATOR), "/account/")):
        answer = client.generic("POST", address, CONTENT_LENGTH=str(LARGE), **{"wsgi.input": Unread()})
        assert answer.status_code == 413


def test_a_small_file_of_a_stranger_reaches_no_disk(site: VenueDatabase, temporary: Path) -> None:
    """A file with the login's form is not kept; the form is answered as ever."""
    temporary.rmdir()  # a temporary file could not be made
    answer = Client().post("/login/", {"username": "a", "password": "b", "file": SimpleUploadedFile("x", b"y" * 1000)})
    assert answer.status_code == 200
    temporary.mkdir()


def test_an_operator_uploads_what_is_larger_than_a_form(site: VenueDatabase, temporary: Path) -> None:
    """With the session that may, a bundle goes through the disk as it arrives, and is gone from there afterwards."""
    bundle = SimpleUploadedFile("a.cabinet", b"s" * (3 * LARGE))
    answer = logged_in(Role.OPERATOR).post("/software/upload", {"kind": "bundle", "file": bundle})
    assert answer["Location"] == "/software/1/"
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b"a = " + b"[" * 100_000, b"a = " + b"{b = " * 5000, b"a = " + b"1" * 5000]
)
def test_a_template_without_end_is_no_template(site: VenueDatabase, content: bytes) -> None:
    """TOML that is nested a hundred thousand times, or has a number of 5,000 digits, is refused in words."""
    file = SimpleUploadedFile("deep.toml", content)
    client = logged_in(Role.OPERATOR)
    answer = client.post("/software/upload", {"kind": "settings", "file": file}, follow=True)
    assert answer.status_code == 200
    assert "this is none" in text_of(answer.content)


def test_a_configuration_without_end_is_named(tmp_path: Path) -> None:
    """The page's own configuration ends its start with one line."""
    file = tmp_path / "page.toml"
    file.write_text("a = " + "[" * 100_000)
    command = [sys.executable, "-m", "venue.page", "check"]
    done = subprocess.run(command, env={"VENUE_PAGE": str(file)}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"venue page: {file} is not TOML: maximum recursion depth exceeded"]


@pytest.mark.processes
@pytest.mark.parametrize("language", ["en", "de"])
def test_without_its_database_the_page_says_so(language: str) -> None:
    """Every address answers 503 with what has happened and what to do, and the page again once the server runs."""
    server = PostgresServer()
    server.start()
    try:
        database = server.new_database()
        use(database)
        client = Client(raise_request_exception=False, headers={"Accept-Language": language})
        server.stop()
        for address in ("/", "/wall/", "/wall/values", "/login/", "/events/", "/metrics"):
            answer = client.get(address)
            assert answer.status_code == 503, address
            words = {"en": "database does not answer", "de": "Datenbank der Halle antwortet nicht"}[language]
            assert words in text_of(answer.content), address
            assert answer["Retry-After"] == "10"
        server.start()
        assert client.get("/wall/").status_code == 200
    finally:
        connections["default"].close()
        server.close()


def test_a_fault_of_the_page_itself_stays_one(site: VenueDatabase) -> None:
    """What is wrong in a query is no server out of reach: 500."""
    with site.connect() as admin:
        admin.execute("ALTER TABLE venue.pool RENAME TO swimming_pool")
    assert Client(raise_request_exception=False).get("/wall/").status_code == 500
