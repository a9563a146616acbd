"""`[host_port]` and `[host_port_2]`: the serial lines to hosts, and what each of them may do."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, get_args

import msgspec

from common.bounds import NOT_EMPTY, between
from controller.configuration.fields import Fields, Misfit, Problem, matching, quoted, shown
from drivers.sas.denominations import CODES

if TYPE_CHECKING:
    from controller.configuration.cabinet_toml import Config

Act = Literal["machine", "games", "notes", "sound", "maintenance", "hand_pay", "clock", "transfers", "tickets"]
ACTS: Final[tuple[Act, ...]] = get_args(Act)
"""The permissions that a host can have."""


class HostPort(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[host_port]`: a serial line on which a host polls this cabinet by SAS (docs/host-port.md)."""

    port: Annotated[str, NOT_EMPTY]
    """A serial port of its own."""
    link: Literal["wakeup", "timed"] = "wakeup"
    """`"wakeup"` on a UART with the wake-up bit, `"timed"` on a pty or a network adapter."""
    address: Annotated[int, between(1, 127, "an address of SAS; 0 is broadcast")] = 1
    """The cabinet's address on that line."""
    denomination_cents: Annotated[int, between(1, 500_000, "cents")] = 1
    """The value of one credit of the host's meters; one that has a SAS code."""
    may: tuple[Act, ...] = ()
    """What the host may do. Reading needs no permission."""
    asset: Annotated[int, between(0, 0xFFFFFFFF, "an asset number of 32 bits, or 0 for no transfers")] = 0
    """The cabinet's asset number for transfers."""
    transfer_limit_cents: Annotated[int, between(0, 100_000_000, "cents")] = 10_000
    """The most of one transfer."""


PORTS: Final = ("host_port", "host_port_2")
"""The tables of `cabinet.toml` that configure a host port."""


def host_ports(config: "Config") -> Mapping[str, HostPort]:
    """Return the configured host ports by their tables."""
    found = {name: config.table(name, HostPort) for name in PORTS}
    return {name: port for name, port in found.items() if port is not None}


def problems(fields: Fields) -> Iterator[Problem]:
    """Report a denomination without a code, and transfers without an asset number."""
    for key, cents in matching(fields, "host_port*.denomination_cents"):
        if cents not in CODES:
            listed = quoted([str(each) for each in CODES])
            yield Problem(key, f"is {shown(cents)}, for which SAS has no code; choose one of: {listed}", Misfit.VALUE)
    for key, may in matching(fields, "host_port*.may"):
        table = key.rpartition(".")[0]
        if "transfers" in may and not fields.get(f"{table}.asset"):
            yield Problem(f"{table}.asset", "is 0, and the host may make transfers; give the machine's number")
