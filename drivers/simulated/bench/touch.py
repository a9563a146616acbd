"""A finger on the monitor: the client of the display's touch socket.

RUN/touch.sock is SOCK_SEQPACKET; each packet is `{"x": int, "y": int, "down": bool}` in canvas units.
"""

import json
import socket
from pathlib import Path


class TouchLostError(ConnectionError):
    """No display listens to touches."""


class TouchClient:
    """One connection to a display's touch socket, made when first needed and again after the display's death."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._socket: socket.socket | None = None

    def __repr__(self) -> str:
        return f"<TouchClient {self.path}>"

    def touch(self, x: int, y: int, *, down: bool) -> None:
        """Put a finger down on the canvas, or lift it; raise `TouchLostError` when no display takes it."""
        packet = json.dumps({"x": x, "y": y, "down": down}).encode()
        if self._socket is not None:
            try:
                self._socket.send(packet)
            except OSError:
                # The display at the other end died; its successor listens on a new socket.
                self.close()
            else:
                return
        self._connect().send(packet)

    def tap(self, x: int, y: int) -> None:
        """Touch a point and lift at once."""
        self.touch(x, y, down=True)
        self.touch(x, y, down=False)

    def close(self) -> None:
        """Close the connection; may be called twice."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connect(self) -> socket.socket:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # A display that hangs must not hang the bench with it.
        sock.settimeout(0)
        try:
            sock.connect(str(self.path))
        except OSError as error:
            sock.close()
            raise TouchLostError(f"{self.path}: {error.strerror}; is a display running on this directory?") from error
        self._socket = sock
        return sock
