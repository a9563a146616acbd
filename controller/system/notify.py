"""Notifies systemd of the supervisor's state (sd_notify(3)): one datagram per message to NOTIFY_SOCKET."""

import os
import socket
from collections.abc import Mapping

START_S = 180
"""The maximum duration of a start in seconds, as in the unit (`TimeoutStartSec`): it opens and proves long books."""


class Notifier:
    """Sends the supervisor's state to the service manager; does nothing without one.

    `address` is a path, or an abstract socket's name after `@`. Each call returns whether the message was sent: a
    manager that cannot take it must neither block nor end the cabinet.
    """

    def __init__(self, address: str = "", watchdog_s: float | None = None) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.watchdog_s = watchdog_s
        self._is_starting_again = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Notifier":
        """Read NOTIFY_SOCKET, and WATCHDOG_USEC if WATCHDOG_PID is this process or not set."""
        interval = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_s = int(interval) / 1_000_000 if interval.isdecimal() and ours else None
        return cls(environment.get("NOTIFY_SOCKET", ""), watchdog_s)

    @property
    def managed(self) -> bool:
        """Whether there is a service manager."""
        return bool(self._address)

    def ready(self) -> bool:
        """Report that the cabinet has recovered and can be played."""
        if self._is_starting_again and self.watchdog_s is not None:
            self._send(f"WATCHDOG_USEC={round(self.watchdog_s * 1_000_000)}")
        return self._send("READY=1")

    def starting_again(self) -> bool:
        """Extend the watchdog's timeout to the maximum duration of a start, until `ready`."""
        self._is_starting_again = self.watchdog_s is not None
        return self._is_starting_again and self._send(f"WATCHDOG_USEC={START_S * 1_000_000}")

    def status(self, text: str) -> bool:
        """Report one line of text for `systemctl status`."""
        return self._send("STATUS=" + " ".join(text.split()))

    def watchdog(self) -> bool:
        """Report that all critical tasks have ticked; due at least every `watchdog_s` seconds if that is set."""
        return self._send("WATCHDOG=1")

    def stopping(self) -> bool:
        """Report that the cabinet is shutting down."""
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
