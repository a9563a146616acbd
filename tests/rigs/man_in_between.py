"""A machine between a cabinet and its venue's PostgreSQL: ends TLS with a certificate of its own, and relays."""

import socket
import ssl
import struct
import threading
from pathlib import Path
from typing import Self

SSL_REQUEST = struct.pack("!ii", 8, 80877103)
"""The first packet of a client that wants TLS (PostgreSQL's protocol, SSLRequest)."""


class ManInBetween:
    """Listens on a port of its own while the context lasts; `seen` is what cabinets have said in clear to it."""

    def __init__(self, port: int, certificate: Path, key: Path) -> None:
        self._far = port
        self._own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._own.load_cert_chain(certificate, key)
        self._any = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._any.check_hostname = False
        self._any.verify_mode = ssl.CERT_NONE
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.seen = b""
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(plain,), daemon=True).start()

    def _relay(self, plain: socket.socket) -> None:
        assert plain.recv(8) == SSL_REQUEST
        plain.sendall(b"S")
        far = socket.create_connection(("127.0.0.1", self._far))
        far.sendall(SSL_REQUEST)
        assert far.recv(1) == b"S"
        with self._own.wrap_socket(plain, server_side=True) as near, self._any.wrap_socket(far) as server:
            near.settimeout(0.05)
            server.settimeout(0.05)
            while True:
                for source, target in ((near, server), (server, near)):
                    try:
                        said = source.recv(65536)
                    except TimeoutError:
                        continue
                    except OSError:
                        return
                    if not said:
                        return
                    if source is near:
                        self.seen += said
                    target.sendall(said)
