"""`[tickets]`: whether credit is paid by tickets, and tickets are accepted as credit.

A feature adds the table to `cabinet.toml`, and prints and takes tickets. The features that validate them read it too.
"""

from typing import TYPE_CHECKING, Annotated, Final, Literal, get_args

import msgspec

from common.bounds import between

if TYPE_CHECKING:
    from controller.configuration.cabinet_toml import Config

CABINET = "cabinet"
VENUE = "venue"
Validator = Literal["cabinet", "venue", "host_port", "host_port_2"]
VALIDATORS: Final[tuple[Validator, ...]] = get_args(Validator)
"""Who validates tickets: the cabinet by its own list, the venue, or the host at a port."""


class Tickets(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Cash-out by ticket (docs/tickets.md); it needs a `[ticket_printer]`, and for inserted tickets a bill validator.

    A ticket `pays` the whole credit (`all`), what the hopper leaves of it (`rest`), or nothing. It is printed for
    `least_cents` to `most_cents`; any other amount is paid by hand. With `takes` this cabinet's own tickets come in
    through the bill validator. One expires after `expire_days`, never where that is 0. `lines` are printed below the
    title, for name and address of the venue. Where a host port is named in `validated_by`, its host gives tickets their
    numbers and says which are worth something. With `"venue"` the cabinets of the venue take each other's tickets, and
    its cashier pays them: while it is out of reach, tickets are printed with `offline_prints`, and those are taken that
    it was never handed, up to `offline_cents` together.

    With `must_print`, where tickets are all that pays, a printer that cannot print stops stakes and money in.

    With `slips` the printer prints one for the attendant after each hand-pay and each collection.
    """

    pays: Literal["nothing", "rest", "all"] = "nothing"
    takes: bool = False
    least_cents: Annotated[int, between(1, 100_000_000, "cents")] = 1
    most_cents: Annotated[int, between(1, 100_000_000, "cents")] = 50_000
    expire_days: Annotated[int, between(0, 9_998, "days; 0 for never")] = 30
    lines: tuple[str, ...] = ()
    validated_by: Validator = "cabinet"
    offline_prints: bool = True
    must_print: bool = False
    slips: bool = False
    offline_cents: Annotated[int, between(0, 100_000_000, "cents; 0 for none")] = 20_000

    @property
    def own(self) -> bool:
        """Whether the cabinet prints tickets that it validates against its own list."""
        return self.pays != "nothing" and self.validated_by == CABINET


def tickets_of(config: "Config") -> Tickets:
    """Return the configuration's `[tickets]`."""
    return config.table("tickets", Tickets) or Tickets()
