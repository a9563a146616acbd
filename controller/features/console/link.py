"""The supervisor's end of the console's socket: a second view of the service menu, with the same rights.

The console presses the same controls as the screen. The key must be turned at the cabinet, the PIN is required, doors
count, and the journal records `console` as the origin. There is only this local socket, no network access.
"""

import asyncio
import grp
import logging
import os
import pwd
import socket
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from common.decoding import UnreadableError
from common.error_words import error_words
from controller.errors import LockingError
from controller.features.console.events import ConsoleEvent
from controller.features.console.words import (
    MOST_BYTES,
    Denied,
    Look,
    Push,
    Sheet,
    decode_to_supervisor,
    encode,
)
from controller.fitting import Menu
from controller.journal.actor import CONSOLE
from controller.journal.event_catalogue import EventKind
from controller.journal.receipt import Receipt
from controller.machine.view import MachineParts
from controller.system.local_socket import Listening, Peer, SocketPathError, connections, listen, peer_of
from controller.system.peers import BOUNDS, Bans, Bounds, PacketReader
from drivers.clock import Clock
from ui.protocol.messages import ServicePage
from ui.protocol.values import Money

_log = logging.getLogger(__name__)

OWNER, GROUP = 0o600, 0o660
PATIENCE_S = 20.0
"""Seconds that an answer waits for a press to be handled; after that it contains the page of the running job."""
LOOK_S = 0.02
"""The interval, in seconds, at which the page is checked for being ready."""
MOST_AT_ONCE = 4
MOST_DENIED = 8
"""The most refused consoles that may wait for the reason at once; further ones are disconnected."""

_ROOT = 0


class Report(NamedTuple):
    """A page, with the proof that what it shows is durable, or the lock of books that accept nothing."""

    sheet: Sheet
    proof: Receipt[object] | LockingError


class ConsoleLink:
    """Listens on `path` with the file rights `mode`, and serves each console that is allowed."""

    def __init__(
        self,
        path: Path,
        menu: Menu,
        clock: Clock,
        *,
        mode: int = OWNER,
        listening: Listening = listen,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self.path = path
        self._menu = menu
        self._clock = clock
        self._mode = mode
        self._listening = listening
        self._served = self._denied = 0
        self._group = -1
        self._bounds = bounds
        self._bans = Bans(clock, bounds)

    def __repr__(self) -> str:
        return f"<ConsoleLink {self.path} {self._served} served>"

    async def run(self) -> None:
        """Listen and serve until cancelled; if the socket cannot be created, log it and let the cabinet continue."""
        try:
            listener = self._listening(self.path, self._mode)
            # Only once: a socket that is removed later must not end the supervisor.
            self._group = self.path.stat().st_gid
        except (SocketPathError, OSError) as error:
            _log.warning("there is no console: %s", error_words(error))
            return
        try:
            async with asyncio.TaskGroup() as group:
                async for sock in connections(listener, self._clock, self._bounds):
                    group.create_task(self._serve(sock))
        finally:
            listener.close()
            with suppress(FileNotFoundError):
                self.path.unlink()

    async def _serve(self, sock: socket.socket) -> None:
        peer = peer_of(sock)
        user = _name(peer.user)
        who = f"user {user}, process {peer.pid}"
        with sock:
            if reason := self._refusal(peer):
                self._menu.record(ConsoleEvent.CONSOLE_REFUSED, user, user=who, reason=reason)
                await self._deny(sock, reason)
                return
            self._menu.record(ConsoleEvent.CONSOLE_OPENED, user, user=who)
            self._served += 1
            try:
                await self._answer(sock)
            except UnreadableError as error:
                seconds = self._bans.ban(peer.user)
                reason = f"it sent what cannot be read ({error}) and is kept out for {seconds:g} s"
                self._menu.record(ConsoleEvent.CONSOLE_REFUSED, user, user=who, reason=reason)
            finally:
                self._served -= 1
                self._menu.record(ConsoleEvent.CONSOLE_LEFT, user, user=who)

    async def _deny(self, sock: socket.socket, reason: str) -> None:
        """Answer the first request with the reason: closing a socket with unread data would discard it."""
        if self._denied >= MOST_DENIED:
            return
        self._denied += 1
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.get_running_loop().sock_recv(sock, MOST_BYTES)
            await self._send(sock, Denied(reason))
        except (OSError, TimeoutError) as error:
            _log.info("console: %s", error_words(error))
        finally:
            self._denied -= 1

    def _refusal(self, peer: Peer) -> str:
        """Return why this console is refused, beyond the file's rights; empty if it is not."""
        if self._served >= MOST_AT_ONCE:
            return f"{MOST_AT_ONCE} consoles are served already"
        if self._bans.is_banned(peer.user):
            return "this user's console sent what cannot be read: try again in a minute"
        if peer.user in (_ROOT, os.getuid()):
            return ""
        if self._mode == GROUP and self._group in _groups(peer):
            return ""
        return "this user may not use the console"

    async def _answer(self, sock: socket.socket) -> None:
        """Answer until the console disconnects; raise `UnreadableError` for a malformed request."""
        pace = self._bounds.packets(self._clock)
        reader = PacketReader(sock, decode_to_supervisor, most_bytes=MOST_BYTES, pace=pace)
        try:
            while (question := await reader.read()) is not None:
                match question:
                    case Look():
                        await self._gate_asks()
                        await self._send(sock, await self._report())
                    case Push(control, turn):
                        await self._send(sock, await self._push(control, turn))
        except (OSError, TimeoutError) as error:
            _log.info("console: %s", error_words(error))

    async def _gate_asks(self) -> None:
        """Wait until the page for a key that was just turned asks for a name, a PIN or a card."""
        until = self._clock.now() + PATIENCE_S
        while (page := self._menu.page) and page.gate and not (page.entry or page.rows) and self._clock.now() < until:
            await self._clock.sleep(LOOK_S)

    async def _push(self, control: str, turn: int) -> Report:
        menu = self._menu
        if turn != menu.turn or menu.page is None or control not in menu.live:
            return await self._report(stale=True)
        done = menu.press(control, CONSOLE)
        if done is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_S):
                    await done.wait()
        return await self._report()

    async def _report(self, *, stale: bool = False) -> Report:
        sheet, proof = self._sheet(stale=stale), await self._menu.recorded()
        if isinstance(proof, LockingError):  # what the page shows may have been refused
            sheet = self._sheet(stale=stale)
        return Report(sheet, proof)

    def _sheet(self, *, stale: bool = False) -> Sheet:
        menu = self._menu
        return Sheet(
            turn=menu.turn,
            page=menu.page,
            controls=tuple(sorted(menu.live)) if menu.page is not None else (),
            stale=stale,
            locked=menu.locked,
            money=menu.money,
        )

    async def _send(self, sock: socket.socket, answer: Report | Denied) -> None:
        message = answer.sheet if isinstance(answer, Report) else answer
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.get_running_loop().sock_sendall(sock, encode(message))


class MachineMenu:
    """The service menu of a running machine."""

    def __init__(self, parts: MachineParts) -> None:
        self._parts = parts

    @property
    def turn(self) -> int:
        """The machine's turn."""
        return self._parts.states.turn

    @property
    def page(self) -> ServicePage | None:
        """The page, None while the menu is closed."""
        return self._parts.conditions.menu.page

    @property
    def live(self) -> frozenset[str]:
        """The live controls."""
        return self._parts.states.controls

    @property
    def locked(self) -> str:
        """Why the machine is locked."""
        return "" if self._parts.journal.lock is None else str(self._parts.journal.lock)

    @property
    def money(self) -> Money:
        """The cabinet's format of amounts."""
        return self._parts.settings.config.cabinet.written_money

    def press(self, control: str, origin: str) -> asyncio.Event | None:
        """Press a control as a touch on the screen does."""
        return self._parts.conditions.menu.press(control, origin)

    async def recorded(self) -> Receipt[object] | LockingError:
        """Record the cabinet's waiting posts; return the proof, or the lock."""
        journal = self._parts.journal
        if journal.lock is not None:
            return journal.lock
        try:
            return await journal.recorded()
        except LockingError as error:  # the journal has locked the cabinet with it
            return error

    def record(self, event: EventKind, by: str, /, **figures: str) -> None:
        """Record an event, unless the cabinet is locked."""
        self._parts.journal.remark(event, place=CONSOLE, by=by, **figures)


def _name(user: int) -> str:
    try:
        return f"{pwd.getpwuid(user).pw_name} ({user})"
    except KeyError:
        return str(user)


def _groups(peer: Peer) -> frozenset[int]:
    """Return the groups of a peer: its process's own, and those of its user."""
    try:
        name = pwd.getpwuid(peer.user).pw_name
    except KeyError:
        return frozenset({peer.group})
    return frozenset({peer.group, *(group.gr_gid for group in grp.getgrall() if name in group.gr_mem)})
