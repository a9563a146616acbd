"""The messages of console and supervisor, one JSON packet each over an AF_UNIX SOCK_SEQPACKET socket.

The console sends requests; each answer has the current page.
"""

from collections.abc import Callable

import msgspec

from common.decoding import decoder
from ui.protocol.messages import Control, Number, ServicePage
from ui.protocol.values import Money

MOST_BYTES = 256 * 1024


class Look(msgspec.Struct, frozen=True, tag="look"):
    """Request the page."""


class Push(msgspec.Struct, frozen=True, tag="push"):
    """Press a control, with the turn of its page; on a later page it has no effect."""

    control: Control
    turn: Number


class Sheet(msgspec.Struct, frozen=True, kw_only=True, tag="sheet"):
    """The current page, None while the menu is closed. `controls` are the live ones.

    `stale` means that a press was for an older page or a control that is not live. `locked` is why the cabinet is
    locked, if it is.
    """

    turn: int
    page: ServicePage | None
    controls: tuple[str, ...] = ()
    stale: bool = False
    locked: str = ""
    money: Money = Money()


class Denied(msgspec.Struct, frozen=True, tag="denied"):
    """The console is refused, for this reason."""

    reason: str


ToSupervisor = Look | Push
ToConsole = Sheet | Denied

encode = msgspec.json.Encoder().encode
decode_to_supervisor: Callable[[bytes], ToSupervisor] = decoder(ToSupervisor)
decode_to_console: Callable[[bytes], ToConsole] = decoder(ToConsole)
