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
    """`[tickets]`: cash-out by ticket, and tickets as credit (docs/tickets.md)."""

    pays: Literal["nothing", "rest", "all"] = "nothing"
    """What a ticket pays: `"all"` of the credit, the `"rest"` that the hopper leaves, or `"nothing"`. Needs a
    `[ticket_printer]`.
    """
    takes: bool = False
    """Whether the bill validator takes tickets ([validators](tickets.md#validators))."""
    least_cents: Annotated[int, between(1, 100_000_000, "cents")] = 1
    """The smallest ticket that is printed; less is paid by hand."""
    most_cents: Annotated[int, between(1, 100_000_000, "cents")] = 50_000
    """The largest ticket that is printed; more is paid by hand."""
    expire_days: Annotated[int, between(0, 9_998, "days; 0 for never")] = 30
    """The days until a ticket is worth nothing."""
    lines: tuple[str, ...] = ()
    """Up to four lines below the title, such as name and address of the place."""
    validated_by: Validator = "cabinet"
    """Who gives tickets their numbers and says what they are worth."""
    offline_prints: bool = True
    """With `"venue"`: whether tickets are printed while the venue is out of reach."""
    must_print: bool = False
    """Whether a printer that cannot print stops stakes and money in; needs `pays = "all"` and no `[hopper]`."""
    slips: bool = False
    """Whether hand-pays and collections print [a slip](tickets.md#slips-for-attendants). Needs a `[ticket_printer]`."""
    offline_cents: Annotated[int, between(0, 100_000_000, "cents; 0 for none")] = 20_000
    """With `"venue"`: the most of own tickets that are taken while it is out of reach."""

    @property
    def own(self) -> bool:
        """Whether the cabinet prints tickets that it validates against its own list."""
        return self.pays != "nothing" and self.validated_by == CABINET


def tickets_of(config: "Config") -> Tickets:
    """Return the configuration's `[tickets]`."""
    return config.table("tickets", Tickets) or Tickets()
