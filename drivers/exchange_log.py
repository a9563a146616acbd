"""Logging of failed exchanges: invalid frames and failures with their cause, at levels that limit the log's size."""

import logging

from drivers.errors import DriverError
from drivers.masked_hex import masked_hex

LONGEST = 512
"""Maximum number of logged bytes of an invalid answer."""


class ExchangeLog:
    """Logs the failed exchanges of one device under the logger of its link's module.

    The first failure after an answer is a warning. Those after it are logged at DEBUG until the device answers again,
    so that a device that is switched off does not fill the log.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._answered: set[str] = set()

    def __repr__(self) -> str:
        return f"<ExchangeLog {self._logger.name}>"

    def answered(self, device: str) -> None:
        """Record that `device` has answered."""
        self._answered.add(device)

    def wrong(self, device: str, heard: bytes) -> None:
        """Log bytes that are not a valid frame, in hexadecimal."""
        self._log(device, "wrong frame", masked_hex(heard))

    def failed(self, device: str, cause: DriverError | str) -> None:
        """Log why an exchange failed before it is retried."""
        self._log(device, "tried again", cause)
        self._answered.discard(device)

    def _log(self, device: str, what: str, cause: object) -> None:
        level = logging.WARNING if device in self._answered else logging.DEBUG
        self._logger.log(level, "%s: %s: %s", device, what, cause)
