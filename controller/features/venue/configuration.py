"""`[venue]`: the venue that the cabinet belongs to."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from common.bounds import NOT_EMPTY, between

if TYPE_CHECKING:
    from controller.configuration.cabinet_toml import Config


class VenueAddress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[venue]`: the venue of this cabinet (docs/venue-protocol.md). Without this table its jackpots are its own."""

    host: Annotated[str, NOT_EMPTY]
    """Name or address of the venue's database, as in its certificate."""
    port: Annotated[int, between(1, 65_535, "a TCP port")] = 5432
    """The port of the database."""
    name: Annotated[str, NOT_EMPTY] = "venue"
    """The name of the database."""


def venue_address(config: "Config") -> VenueAddress | None:
    """Return the configuration's `[venue]`, None without one."""
    return config.table("venue", VenueAddress)
