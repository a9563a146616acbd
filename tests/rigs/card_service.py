"""A simulated PC/SC service with its readers: a `drivers.cards.terminal.Terminal`."""

import asyncio

from drivers.cards.terminal import CardGoneError, Seen, Slot
from drivers.errors import PortError


class SimulatedService:
    """pcscd with readers; `stop` and `start` are the service's own, `plug` and `pull` a reader's cable."""

    def __init__(self, *readers: str) -> None:
        self._runs = True
        self._open = False
        self._slots = {name: Seen(name, Slot.EMPTY) for name in readers}
        self._uids: dict[str, bytes] = {}
        self._changed = asyncio.Event()
        self.answers: dict[bytes, bytes] = {}
        """Answers that replace the usual ones, by command."""
        self.drawn_away = False
        """Whether the next card is removed before it is read."""
        self.asked: list[bytes] = []

    def __repr__(self) -> str:
        return f"<SimulatedService {'running' if self._runs else 'stopped'} {sorted(self._slots)}>"

    # physical actions

    def lay(self, reader: str, uid: bytes, slot: Slot = Slot.CARD) -> None:
        """Lay a card on a reader."""
        self._uids[reader] = uid
        self._become(reader, slot)

    def take(self, reader: str) -> None:
        """Take the card away."""
        self._uids.pop(reader, None)
        self._become(reader, Slot.EMPTY)

    def plug(self, reader: str) -> None:
        """Plug a reader in."""
        self._slots[reader] = Seen(reader, Slot.EMPTY)
        self._changed.set()

    def pull(self, reader: str) -> None:
        """Pull a reader."""
        self._slots.pop(reader, None)
        self._changed.set()

    def stop(self) -> None:
        """End the service, and every connection with it."""
        self._runs = self._open = False
        self._changed.set()

    def start(self) -> None:
        """Start the service."""
        self._runs = True

    def _become(self, reader: str, slot: Slot) -> None:
        before = self._slots[reader]
        self._slots[reader] = Seen(reader, slot, before.events + 1)
        self._changed.set()

    # the program's interface

    async def open(self) -> None:
        """Connect."""
        if not self._runs:
            raise PortError("pcscd does not answer (Service not available.): install and start pcscd")
        self._open = True

    async def readers(self) -> tuple[Seen, ...]:
        """Return every reader with what lies at it."""
        self._require()
        return tuple(self._slots.values())

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the service's own
        """Wait for a change."""
        self._require()
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            return
        self._changed.clear()
        self._require()

    async def transmit(self, reader: str, apdu: bytes) -> bytes:
        """Answer a command as a contactless reader does."""
        self._require()
        self.asked.append(apdu)
        if self.drawn_away or self._slots.get(reader, Seen(reader, Slot.EMPTY)).slot is not Slot.CARD:
            self.drawn_away = False
            raise CardGoneError
        if apdu in self.answers:
            return self.answers[apdu]
        if apdu == bytes((0xFF, 0xCA, 0x00, 0x00, 0x00)):
            return self._uids[reader] + bytes((0x90, 0x00))
        return bytes((0x6D, 0x00))

    def close(self) -> None:
        """Disconnect."""
        self._open = False
        self._changed.set()

    def _require(self) -> None:
        if not self._open:
            raise PortError("pcscd was lost (Service was stopped.): install and start pcscd")
