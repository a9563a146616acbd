"""A PC/SC service as the driver uses it: a small port, which the real one and a simulated one implement."""

from enum import Enum
from typing import NamedTuple, Protocol


class Slot(Enum):
    """What lies at a reader."""

    EMPTY = "empty"
    CARD = "card"
    MUTE = "mute"
    """Something that does not answer the reset: half a card, or several at once."""
    TAKEN = "taken"
    """A card that another program uses alone."""


class Seen(NamedTuple):
    """A reader by its name, and what lies at it; `events` rises with each insertion and removal."""

    reader: str
    slot: Slot
    events: int = 0


class CardGoneError(Exception):
    """The card was taken away while it was read."""


class Terminal(Protocol):
    """The PC/SC service (pcscd) of this computer. Every method raises `PortError` where it is absent or ended."""

    async def open(self) -> None:
        """Connect."""

    async def readers(self) -> tuple[Seen, ...]:
        """Return every reader with what lies at it now."""

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the service's own
        """Return when a reader has come, gone or changed since `readers`, after `timeout` seconds at the latest."""

    async def transmit(self, reader: str, apdu: bytes) -> bytes:
        """Return the card's answer to one command; raise `CardGoneError` where there is no card any more."""

    def close(self) -> None:
        """Disconnect; may be called twice."""
