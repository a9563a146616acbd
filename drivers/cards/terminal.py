"""Interface of the PC/SC service for the driver, implemented by the real and a simulated service."""

from enum import Enum
from typing import NamedTuple, Protocol


class Slot(Enum):
    """The state of a reader's slot."""

    EMPTY = "empty"
    CARD = "card"
    MUTE = "mute"
    """A card that does not answer the reset: badly placed, or several at once."""
    TAKEN = "taken"
    """A card that another program uses exclusively."""


class Seen(NamedTuple):
    """A reader's name and slot state; `events` increases with each insertion and removal."""

    reader: str
    slot: Slot
    events: int = 0


class CardGoneError(Exception):
    """The card was removed while it was read."""


class Terminal(Protocol):
    """The PC/SC service (pcscd) of this computer. Every method raises `PortError` if it is absent or has ended."""

    async def open(self) -> None:
        """Connect."""

    async def readers(self) -> tuple[Seen, ...]:
        """Return every reader with the state of its slot."""

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the service's own
        """Return when a reader was added, removed or changed since `readers`, or after `timeout` seconds."""

    async def transmit(self, reader: str, apdu: bytes) -> bytes:
        """Return the card's answer to one command; raise `CardGoneError` if the card was removed."""

    def close(self) -> None:
        """Disconnect; may be called twice."""
