"""Clients that send half of a request, or take half of an answer: the page is there for the others all the while."""

import contextlib
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from tests.rigs.venue_browser import ServedPage
from tests.rigs.venue_page import PageTemplate
from venue.authority import AuthorityFiles, make_authority, make_page_certificate

pytestmark = [pytest.mark.processes, pytest.mark.sampled(4)]
HEAD = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
WHOLE = b"GET /wall/values HTTP/1.1\r\nHost: localhost\r\n\r\n"
SENT = {
    "nothing": b"",
    "half a line": b"GET /wa",
    "half a head": HEAD,
    "half a body": HEAD + b"Content-Length: 1000\r\n\r\nusername=",
    "half a large body": HEAD + b"Content-Length: 100000000\r\n\r\nusername=",
    "half of chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nuse",
    "one and a half": WHOLE + b"GET /wall/val",
    "all, and stays": WHOLE.replace(b"1.1", b"1.0"),
}
_ANY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_ANY.check_hostname, _ANY.verify_mode = False, ssl.CERT_NONE
PATIENCE_S = 5.0
"""How long a person waits for the page on a busy machine; what is half sent is not ended before ten seconds."""


@pytest.fixture(scope="module", params=["http", "https"])
def served(
    request: pytest.FixtureRequest, page_template: PageTemplate, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedPage]:
    """The page as its unit serves it, in clear or over TLS; it has answered before."""
    folder, arguments = tmp_path_factory.mktemp("page"), []
    if request.param == "https":
        files = AuthorityFiles(folder)
        make_authority(files, "Test", datetime.now(UTC))
        make_page_certificate(files, ["localhost", "127.0.0.1"], datetime.now(UTC))
        arguments = [f"--certfile={files.page_certificate}", f"--keyfile={files.page_key}"]
    database = page_template.copy()
    with ServedPage(database, folder, arguments) as page:
        for _ in range(4):  # each of the workers loads the program with its first request
            load(page)
        yield page
    database.drop()


Connect = Callable[..., socket.socket]


@pytest.fixture
def connect(served: ServedPage) -> Iterator[Connect]:
    """Opens connections to the page, and closes them in the end."""
    with contextlib.ExitStack() as stack:

        def connected(sent: bytes, *, shake: bool = True) -> socket.socket:
            made = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=30))
            if served.is_secure and shake:
                made = stack.enter_context(_ANY.wrap_socket(made))
            made.sendall(sent)
            return made

        yield connected


def load(served: ServedPage) -> float:
    """Load the wall's values and the login; return the seconds that it took."""
    began = time.monotonic()
    for address in ("/wall/values", "/login/"):
        with urllib.request.urlopen(f"{served.url}{address}", timeout=30, context=_ANY) as answer:  # noqa: S310 - our own page
            assert answer.status == 200
    return time.monotonic() - began


@pytest.mark.parametrize("count", [8, 200])
@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
def test_half_sent_requests_stop_nobody(served: ServedPage, connect: Connect, sent: bytes, count: int) -> None:
    """However many there are and wherever they stop, a page is loaded at once."""
    held = [connect(sent) for _ in range(count)]
    assert load(served) < PATIENCE_S
    assert len(held) == count


@pytest.mark.parametrize("served", ["https"], indirect=True)
@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00"], ids=["nothing", "half of a hello"])
def test_half_a_handshake_stops_nobody(served: ServedPage, connect: Connect, sent: bytes) -> None:
    """A connection without TLS's first messages is one of many as well."""
    held = [connect(sent, shake=False) for _ in range(200)]
    assert load(served) < PATIENCE_S
    assert len(held) == 200


def test_what_is_half_sent_is_ended(served: ServedPage, connect: Connect) -> None:
    """After ten seconds at most the page ends what has not gone on, so that connections are not used up."""
    held = [connect(sent) for sent in SENT.values()]
    began = time.monotonic()
    for one in held:
        with contextlib.suppress(ConnectionResetError):
            while one.recv(65536):
                pass
    assert time.monotonic() - began < 20


def test_a_connection_is_used_again(served: ServedPage, connect: Connect) -> None:
    """Requests that are sent one after the other on a connection are each answered, also in pieces."""
    line = connect(b"")
    for _ in range(3):
        for piece in (WHOLE[:7], WHOLE[7:30], WHOLE[30:]):
            line.sendall(piece)
        answer = b""
        while b"\r\n\r\n" not in answer or not answer.endswith(b"}"):
            answer += line.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200")
