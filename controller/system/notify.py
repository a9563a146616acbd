"""What the supervisor tells systemd (sd_notify(3)): one datagram a message to the socket in NOTIFY_SOCKET."""

import os
import socket
from collections.abc import Mapping


class Notifier:
    """Tells the service manager how the supervisor fares; does nothing where there is none.

    `address` is a path, or an abstract socket's name after `@`. Each call returns whether the message went
    out: a manager that cannot take it must neither block nor end the cabinet.
    """

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_s = watchdog_s

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Notifier":
        """Read NOTIFY_SOCKET, and WATCHDOG_USEC where WATCHDOG_PID names this process or nobody."""
        interval = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_s = int(interval) / 1_000_000 if interval.isdecimal() and ours else None
        return cls(environment.get("NOTIFY_SOCKET", ""), watchdog_s)

    @property
    def managed(self) -> bool:
        """Whether there is a service manager to be told."""
        return bool(self._address)

    def ready(self) -> bool:
        """The cabinet has recovered and can be played."""
        return self._send("READY=1")

    def status(self, text: str) -> bool:
        """One line of plain words for `systemctl status`."""
        return self._send("STATUS=" + " ".join(text.split()))

    def watchdog(self) -> bool:
        """All critical tasks have ticked; due at least every `watchdog_s` seconds where that is set."""
        return self._send("WATCHDOG=1")

    def stopping(self) -> bool:
        """The cabinet is shutting down."""
        return self._send("STOPPING=1")

    def _send(self, message: str) -> bool:
        if not self._address:
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            try:
                sock.sendto(message.encode(), socket.MSG_DONTWAIT, self._address)
            except OSError:
                return False
        return True
