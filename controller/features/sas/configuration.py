"""`[host_port]` and `[host_port_2]`: the serial lines to hosts, and what each of them may do."""

from typing import Final, Literal

import msgspec

ACTS: Final = ("machine", "games", "notes", "sound", "maintenance", "hand_pay", "clock", "transfers", "tickets")
"""What a host may be allowed to do."""


class HostPort(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A line on which a host polls this cabinet by SAS (docs/host-port.md).

    `link` is `wakeup` on a UART that carries the wake-up bit, `timed` on a pty or a network adapter that does not.
    `address` is the cabinet's own on that line. Meters count credits of `denomination_cents`. A host `may` do only what
    is named; everything can be read. `asset` is the cabinet's number for transfers, 0 for none, and
    `transfer_limit_cents` the most of one transfer.
    """

    port: str
    link: Literal["wakeup", "timed"] = "wakeup"
    address: int = 1
    denomination_cents: int = 1
    may: tuple[str, ...] = ()
    asset: int = 0
    transfer_limit_cents: int = 10_000
