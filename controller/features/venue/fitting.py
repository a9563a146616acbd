"""The link to a venue as a part of the cabinet; a cabinet without a venue imports none of the other modules."""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from controller.configuration.tickets import VENUE, tickets_of
from controller.features.venue.configuration import venue_address
from controller.fitting import Cabinet, LockedCabinet, Task
from controller.keys.identity import read_identity
from controller.system.card_wear import card_wear_percent

if TYPE_CHECKING:
    from controller.features.venue.keeper import VenueKeeper


class VenuePart:
    """The keeper of the venue's jackpots, with the socket of the link's process."""

    def __init__(self, keeper: "VenueKeeper") -> None:
        self._keeper = keeper

    def tasks(self) -> Iterator[Task]:
        """Yield the tasks of the link."""
        yield Task("link's socket", self._keeper.listen())
        for name, work in self._keeper.tasks():
            yield Task(name, work)


def venue_part(cabinet: Cabinet) -> VenuePart | None:
    """Let the cabinet play for the venue's jackpots; return None without `[venue]`."""
    machine, serviced = cabinet.machine, cabinet.serviced
    config = machine.settings.file_config
    address = venue_address(config)
    if address is None:
        return None
    from controller.features.venue.keeper import VenueKeeper  # noqa: PLC0415 - as the module's first line says
    from controller.features.venue.relayed import SOCKET, Address, RelayedVenue  # noqa: PLC0415
    from controller.features.venue.status import Watches  # noqa: PLC0415

    site, program = config.cabinet, serviced.program
    venue = RelayedVenue(Path(site.run_dir, SOCKET), Address(address.host, address.port, address.name))
    keeper = VenueKeeper(
        machine.parts,
        venue,
        cabinet.clock,
        site=site,
        identity=partial(public_key_of, site.key_file),
        jitter=random.random,
        listen=venue.listen,
        program=program,
        tickets=machine.tickets if tickets_of(config).validated_by == VENUE else None,
        gate=cabinet.communication,
        watches=Watches(
            books_proved_ms=cabinet.books_proved_ms,
            temperature_c=serviced.thermometer,
            card_wear_percent=lambda: card_wear_percent(machine.journal.path.parent),
            is_authentic=lambda: None if program is None else program.is_authentic,
            trial=lambda: "" if program is None else program.trial,
        ),
    )
    machine.jackpots.fit(keeper)
    serviced.venue = keeper
    return VenuePart(keeper)


def public_key_of(key_file: Path) -> str:
    """Return the cabinet's public key in hexadecimal digits, or 64 zeros for a demo without one."""
    own = read_identity(key_file)
    return "0" * 64 if own is None else own.public_key.hex()


def locked_venue(cabinet: LockedCabinet) -> Iterator[Task]:
    """Yield the task that reports the lock to the venue; none without `[venue]`."""
    address = venue_address(cabinet.config)
    if address is None:
        return
    from controller.features.venue.lock_report import report_from_safe_mode  # noqa: PLC0415 - as above

    yield Task("lock report", report_from_safe_mode(address, cabinet))
