"""gunicorn worker for the page: a request gets a thread only after it has arrived completely.

The threads of gunicorn's own worker wait without limit for a slow client, so eight incomplete requests block a page
with eight threads. Here one event loop receives all requests, including the TLS handshake and the small bodies of
forms, with timeouts. The loop also waits for clients to close connections that were answered.
"""

import errno
import re
import selectors
import socket
import ssl
import time
from collections import Counter
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from gunicorn import http, sock
from gunicorn.workers.gthread import TConn, ThreadWorker

from common.error_words import error_words
from venue.page.limits import LARGEST_FORM

REQUEST_TIMEOUT_S = 10.0
"""Timeout for the TLS handshake, and for a request from its first byte to its last; uploads are exempt."""
KEEP_ALIVE_S = 5.0
"""Keep-alive timeout: how long a connection waits for its next request."""
CLOSE_TIMEOUT_S = 2.0
"""How long the server waits for a client to close its connection, so that it can read the whole response."""
MOVES_WITHIN_S = 10.0
"""Socket timeout in a thread: for the next bytes of an upload, or for the client to accept more of the response."""
LONGEST_HEAD = 32 * 1024
MOST_OF_AN_ADDRESS = 40
"""Maximum number of waiting connections per client address; one more closes the oldest. A browser opens six."""
_READ = 16 * 1024
_GONE = {errno.ENOTCONN, errno.ECONNRESET, errno.ECONNABORTED}
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]{1,18})[ \t]*\r\n", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)


class RefusedError(Exception):
    """A connection to close at once: its head is too long, its body has no length, or the client closed it."""


def body_lengths(received: bytes) -> tuple[int, int] | None:
    """Return the length of a request's body and how many bytes have arrived; None while its head is incomplete.

    Raises `RefusedError` for a head longer than `LONGEST_HEAD` and for a chunked body.
    """
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        if len(received) > LONGEST_HEAD:
            raise RefusedError
        return None
    if _CHUNKED.search(head + end):
        raise RefusedError
    length = _LENGTH.search(head + end)
    return 0 if length is None else int(length[1]), len(body)


class ClientConnection(TConn):
    """A client connection: the bytes received of its next request, and the deadline for more."""

    sock: socket.socket
    parser: Any

    def __init__(self, context: ssl.SSLContext | None, *given: object) -> None:
        super().__init__(*given)
        self.received = b""
        self.until = time.monotonic() + REQUEST_TIMEOUT_S
        self.is_secure = self.is_upload = self.lingers = False
        if context is not None:
            self.sock = context.wrap_socket(self.sock, server_side=True, do_handshake_on_connect=False)

    @property
    def address(self) -> str:
        """The client's IP address, empty for a Unix socket."""
        return str(self.client[0]) if isinstance(self.client, tuple) else ""

    def receive(self) -> bool:
        """Read the available bytes; return whether the next request has arrived.

        Raises `OSError`, and `RefusedError` for a refused request or a closed connection.
        """
        try:
            if isinstance(self.sock, ssl.SSLSocket) and not self.is_secure:
                self.sock.do_handshake()
                self.is_secure = True
            while not self._has_arrived():
                more = self.sock.recv(_READ)
                if not more:
                    raise RefusedError
                if not self.received:
                    self.until = time.monotonic() + REQUEST_TIMEOUT_S
                self.received += more
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        return True

    def _has_arrived(self) -> bool:
        """Whether a request is complete; for an upload its head is enough, as the page decides whether to read on."""
        found = body_lengths(self.received)
        if found is None:
            return False
        length, there = found
        self.is_upload = length > LARGEST_FORM
        return self.is_upload or there >= length

    def hand_over(self) -> None:
        """Pass the received bytes to gunicorn's parser, which reads them in a thread."""
        if self.parser is None:
            self.parser = http.get_parser(self.cfg, self.sock, self.client)
        self.parser.unreader.unread(self.received)
        self.received = b""
        self.initialized = self.data_ready = True

    def init(self) -> None:
        """Set the socket timeout that applies in a thread."""
        self.sock.settimeout(MOVES_WITHIN_S)

    def rest(self) -> None:
        """Make the socket non-blocking and set the deadline for the next request."""
        self.sock.settimeout(0)
        self.until = time.monotonic() + KEEP_ALIVE_S

    def linger(self) -> None:
        """Shut down sending and set the deadline for the client to close the connection. Raises `OSError`."""
        self.sock.shutdown(socket.SHUT_WR)
        self.sock.settimeout(0)
        self.lingers = True
        self.until = time.monotonic() + CLOSE_TIMEOUT_S

    def has_left(self) -> bool:
        """Whether the client has closed a lingering connection."""
        try:
            return not self.sock.recv(_READ)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True


class PatientWorker(ThreadWorker):
    """Receives whole requests in its event loop and answers them in its threads."""

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)
        self._waiting: dict[ClientConnection, None] = {}
        self._certified_ns = 0
        self._context: ssl.SSLContext | None = None

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection and wait for its first request."""
        try:
            client, address = listener.accept()
        except OSError:
            return  # no connection is left to accept
        self.nr_conns += 1
        try:
            self._await(ClientConnection(self._tls(), self.cfg, client, address, listener.getsockname()))
        except OSError as error:
            if error.errno not in _GONE:
                self.log.warning("a connection could not be begun: %s", error_words(error))
            self.nr_conns -= 1
            client.close()

    def _tls(self) -> ssl.SSLContext | None:
        """Return the TLS context, reloaded after the certificate is renewed; None without TLS."""
        if not self.cfg.is_ssl:
            return None
        changed_ns = Path(self.cfg.certfile).stat().st_mtime_ns
        if self._context is None or changed_ns != self._certified_ns:
            self._context, self._certified_ns = sock.ssl_context(self.cfg), changed_ns
        return self._context

    def _await(self, connection: ClientConnection) -> None:
        """Wait for data on a connection; close the address's oldest one above `MOST_OF_AN_ADDRESS`."""
        self._waiting[connection] = None
        self.poller.register(connection.sock, selectors.EVENT_READ, partial(self._look, connection))
        if Counter(one.address for one in self._waiting)[connection.address] > MOST_OF_AN_ADDRESS:
            self._drop(next(one for one in self._waiting if one.address == connection.address))

    def _look(self, connection: ClientConnection, _socket: socket.socket) -> None:
        """Handle data on a waiting connection: enqueue a complete request, close an ended or refused connection."""
        try:
            if connection.lingers:
                if connection.has_left():
                    self._drop(connection)
            elif connection.receive():
                self._forget(connection)
                connection.hand_over()
                self.enqueue_req(connection)
        except (OSError, RefusedError):
            self._drop(connection)

    def _forget(self, connection: ClientConnection) -> None:
        del self._waiting[connection]
        self.poller.unregister(connection.sock)

    def _drop(self, connection: ClientConnection) -> None:
        self._forget(connection)
        self.nr_conns -= 1
        connection.close()

    def finish_request(self, conn: ClientConnection, fs: "Future[bool]") -> None:
        """After a response, wait for the next request, or for the client to close the connection."""
        stays = not fs.cancelled() and fs.exception() is None and fs.result() and self.alive
        try:
            conn.rest() if stays else conn.linger()
            self._await(conn)
        except OSError:
            self.nr_conns -= 1
            conn.close()

    def _keepalive_after(self, conn: ClientConnection, keepalive: bool) -> bool:  # noqa: FBT001 - gunicorn's own signature
        """Whether a connection may send another request; not after an upload or with unread bytes."""
        if not keepalive or conn.is_upload or not super()._keepalive_after(conn, keepalive):
            return False
        return not conn.parser.unreader.buf.getvalue()

    def murder_pending(self) -> None:
        """Close waiting connections whose deadline has passed, or all of them when this worker stops."""
        now = time.monotonic()
        for connection in [one for one in self._waiting if one.until <= now or not self.alive]:
            self._drop(connection)
