"""The only words that supervisor and console exchange, one JSON message a packet over an AF_UNIX SOCK_SEQPACKET socket.

The console asks, the supervisor answers each time with the page as it stands then.
"""

from collections.abc import Callable

import msgspec

from ui.messages import Control, Money, Number, ServicePage, decoder

MOST_BYTES = 256 * 1024


class Look(msgspec.Struct, frozen=True, tag="look"):
    """Show me the page."""


class Push(msgspec.Struct, frozen=True, tag="push"):
    """A press of a control, and the turn of the page that it was chosen from: on a later page it does nothing."""

    control: Control
    turn: Number


class Sheet(msgspec.Struct, frozen=True, kw_only=True, tag="sheet"):
    """The page as it stands; None while the menu is closed. `controls` are those that live.

    `stale` says that a press was meant for an older page, or for a control that does not live. `locked` is why the
    cabinet is locked, where it is.
    """

    turn: int
    page: ServicePage | None
    controls: tuple[str, ...] = ()
    stale: bool = False
    locked: str = ""
    money: Money = Money()


class Denied(msgspec.Struct, frozen=True, tag="denied"):
    """The console is not served, for that reason."""

    reason: str


ToSupervisor = Look | Push
ToConsole = Sheet | Denied

encode = msgspec.json.Encoder().encode
decode_to_supervisor: Callable[[bytes], ToSupervisor] = decoder(ToSupervisor)
decode_to_console: Callable[[bytes], ToConsole] = decoder(ToConsole)
