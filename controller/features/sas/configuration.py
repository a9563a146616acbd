"""`[host_port]` and `[host_port_2]`: the serial lines to hosts, and what each of them may do."""

from typing import Final, Literal

import msgspec

ACTS: Final = ("machine", "games", "notes", "sound", "maintenance", "hand_pay", "clock", "transfers", "tickets")
"""The permissions that a host can have."""


class HostPort(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A serial line on which a host polls this cabinet by SAS (docs/host-port.md).

    `link` is `wakeup` on a UART that carries the wake-up bit, and `timed` on a pty or a network adapter that does not.
    `address` is the cabinet's address on that line. Meters count credits of `denomination_cents`. `may` lists the
    host's permissions; reading needs none. `asset` is the cabinet's asset number for transfers, 0 for none, and
    `transfer_limit_cents` the largest amount of one transfer.
    """

    port: str
    link: Literal["wakeup", "timed"] = "wakeup"
    address: int = 1
    denomination_cents: int = 1
    may: tuple[str, ...] = ()
    asset: int = 0
    transfer_limit_cents: int = 10_000
