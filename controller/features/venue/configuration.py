"""`[venue]`: the venue that the cabinet belongs to."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from common.bounds import NOT_EMPTY, between

if TYPE_CHECKING:
    from controller.configuration.cabinet_toml import Config


class VenueAddress(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[venue]`: the venue whose jackpots this cabinet plays for: where its database is (docs/venue-protocol.md)."""

    host: Annotated[str, NOT_EMPTY]
    port: Annotated[int, between(1, 65_535, "a TCP port")] = 5432
    name: Annotated[str, NOT_EMPTY] = "venue"


def venue_address(config: "Config") -> VenueAddress | None:
    """Return the configuration's `[venue]`, None without one."""
    return config.table("venue", VenueAddress)
