"""The PC/SC service through pyscard, imported on first use; its blocking calls run in a thread.

Only `smartcard.scard`, the service's own functions, is used: pyscard's higher-level classes start threads.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from threading import Thread
from types import ModuleType
from typing import Any, Final

from drivers.cards.terminal import CardGoneError, Seen, Slot
from drivers.errors import PortError, SettingsError

_NEW_READERS: Final = "\\\\?PnP?\\Notification"
"""The pseudo reader name with which the service reports added and removed readers."""
_GONE: Final = (
    "SCARD_W_REMOVED_CARD",
    "SCARD_E_NO_SMARTCARD",
    "SCARD_W_RESET_CARD",
    "SCARD_W_UNPOWERED_CARD",
    "SCARD_E_NOT_TRANSACTED",  # pcsclite returns it for every command that the reader failed to execute
)
_MUTE: Final = (
    "SCARD_W_UNRESPONSIVE_CARD",
    "SCARD_E_PROTO_MISMATCH",
    "SCARD_E_SHARING_VIOLATION",
    "SCARD_F_COMM_ERROR",
)
_MEND: Final = "install and start pcscd (`systemctl status pcscd.socket`)"


def load() -> ModuleType:
    """Import pyscard; raise `SettingsError` if it is not installed."""
    try:
        from smartcard import scard  # noqa: PLC0415 - where no reader is configured nobody needs it
    except ImportError as error:
        raise SettingsError(
            f"pyscard cannot be imported ({error}): install the extra `cards` (docs/install.md), or set cards.reader"
        ) from error
    return scard  # type: ignore[no-any-return]


def _apart(call: Callable[[Any], Any], context: Any) -> None:
    Thread(target=call, args=(context,), name="pcscd", daemon=True).start()


class PcscTerminal:
    """The service of this computer, a `drivers.cards.terminal.Terminal`; `scard` replaces pyscard's functions."""

    def __init__(self, scard: Any = None) -> None:
        self._scard = scard
        self._context: Any = None
        self._states: dict[str, int] = {}
        self._busy: asyncio.Future[Any] | None = None

    def __repr__(self) -> str:
        return f"<PcscTerminal {'closed' if self._context is None else 'open'}>"

    async def open(self) -> None:
        """Connect; raise `PortError` if the service is absent."""
        if self._scard is None:
            self._scard = await asyncio.to_thread(load)
        scard = self._scard
        result, self._context = await self._call(scard.SCardEstablishContext, scard.SCARD_SCOPE_SYSTEM)
        if result != scard.SCARD_S_SUCCESS:
            self._context = None
            raise self._failed("pcscd does not answer", result)

    async def readers(self) -> tuple[Seen, ...]:
        """Return every reader with the state of its slot."""
        scard, context = self._open()
        result, names = await self._call(scard.SCardListReaders, context, [])
        if result == scard.SCARD_E_NO_READERS_AVAILABLE:
            self._states = {}
            return ()
        self._require(result, "the readers cannot be listed")
        result, states = await self._call(
            scard.SCardGetStatusChange, context, 0, [(name, scard.SCARD_STATE_UNAWARE) for name in names]
        )
        if result not in (scard.SCARD_S_SUCCESS, scard.SCARD_E_TIMEOUT, scard.SCARD_E_UNKNOWN_READER):
            self._require(result, "the readers do not answer")
        self._states = {name: state for name, state, _atr in states}
        return tuple(self._seen(name, state) for name, state, _atr in states)

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the service's own
        """Return when a reader was added, removed or changed since `readers`, or after `timeout` seconds."""
        scard, context = self._open()
        watched = [*self._states.items(), (_NEW_READERS, scard.SCARD_STATE_UNAWARE)]
        result, _ = await self._call(scard.SCardGetStatusChange, context, int(timeout * 1000), watched)
        if result not in (scard.SCARD_S_SUCCESS, scard.SCARD_E_TIMEOUT, scard.SCARD_E_UNKNOWN_READER):
            self._require(result, "pcscd was lost")

    async def transmit(self, reader: str, apdu: bytes) -> bytes:
        """Return the card's answer to one command; raise `CardGoneError` if the card was removed."""
        answer: bytes = await self._in_thread(lambda: self._exchanged(reader, apdu))
        return answer

    def _exchanged(self, reader: str, apdu: bytes) -> bytes:
        scard, context = self._open()
        protocols = scard.SCARD_PROTOCOL_T0 | scard.SCARD_PROTOCOL_T1
        result, card, protocol = scard.SCardConnect(context, reader, scard.SCARD_SHARE_SHARED, protocols)
        self._require_card(result)
        try:
            header = scard.SCARD_PCI_T0 if protocol == scard.SCARD_PROTOCOL_T0 else scard.SCARD_PCI_T1
            result, answer = scard.SCardTransmit(card, header, list(apdu))
            self._require_card(result)
            return bytes(byte & 0xFF for byte in answer)
        finally:
            scard.SCardDisconnect(card, scard.SCARD_LEAVE_CARD)

    def close(self) -> None:
        """Disconnect; a pending call is cancelled first. A hanging service blocks only its thread."""
        scard, context, self._context = self._scard, self._context, None
        if context is None:
            return
        release = partial(_apart, scard.SCardReleaseContext, context)
        if self._busy is not None and not self._busy.done():
            _apart(scard.SCardCancel, context)
            self._busy.add_done_callback(lambda _done: release())
        else:
            release()

    async def _call(self, function: Any, *arguments: Any) -> Any:
        return await self._in_thread(lambda: function(*arguments))

    async def _in_thread(self, work: Any) -> Any:
        # shielded: the thread continues if its task is cancelled, and the context is released after it
        self._busy = busy = asyncio.ensure_future(asyncio.to_thread(work))
        return await asyncio.shield(busy)

    def _seen(self, name: str, state: int) -> Seen:
        scard = self._scard
        slot = Slot.EMPTY
        if state & scard.SCARD_STATE_PRESENT:
            slot = Slot.CARD
            if state & scard.SCARD_STATE_MUTE:
                slot = Slot.MUTE
            elif state & scard.SCARD_STATE_EXCLUSIVE:
                slot = Slot.TAKEN
        # pcsclite counts the events of a reader in the upper half of its state
        return Seen(name, slot, (state >> 16) & 0xFFFF)

    def _open(self) -> tuple[Any, Any]:
        if self._context is None:
            raise PortError("the connection to pcscd is closed; open it again")
        return self._scard, self._context

    def _require(self, result: int, what: str) -> None:
        if result != self._scard.SCARD_S_SUCCESS:
            raise self._failed(what, result)

    def _require_card(self, result: int) -> None:
        if result in {getattr(self._scard, name) for name in (*_GONE, *_MUTE) if hasattr(self._scard, name)}:
            raise CardGoneError
        self._require(result, "the reader does not answer")

    def _failed(self, what: str, result: int) -> PortError:
        return PortError(f"{what} ({self._scard.SCardGetErrorMessage(result).strip()}): {_MEND}")
