"""`[host_port]` and `[host_port_2]`: the serial lines to hosts, and what each of them may do."""

from typing import Annotated, Final, Literal, get_args

import msgspec

from common.bounds import between

Act = Literal["machine", "games", "notes", "sound", "maintenance", "hand_pay", "clock", "transfers", "tickets"]
ACTS: Final[tuple[Act, ...]] = get_args(Act)
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
    address: Annotated[int, between(1, 127, "an address of SAS; 0 is broadcast")] = 1
    denomination_cents: Annotated[int, between(1, 500_000, "cents")] = 1
    may: tuple[Act, ...] = ()
    asset: Annotated[int, between(0, 0xFFFFFFFF, "an asset number of 32 bits, or 0 for no transfers")] = 0
    transfer_limit_cents: Annotated[int, between(0, 100_000_000, "cents")] = 10_000
