"""A cabinet with several people in its books."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from controller.configuration.cabinet_toml import Config
from controller.journal.actor import Role
from controller.journal.store import Store
from tests.rigs.books import laid
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.people import set_up_person
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import configuration

ADA, BEN, CYD = "Ada", "Ben", "Cyd"


PINS = {ADA: "258014", BEN: "704125", CYD: "930582"}


def with_service(config: Config, **settings: bool) -> Config:
    """The cabinet with these settings of `[service]`."""
    return msgspec.structs.replace(config, service=msgspec.structs.replace(config.service, **settings))


def set_up_staff(path: Path, *staff: tuple[str, Role]) -> None:
    """Lay books with these people, each with a PIN."""
    store = Store(laid(path), lambda: 0, simulated=True)
    for name, role in staff:
        set_up_person(store, name, role, PINS[name])
    store.close()


@asynccontextmanager
async def staffed(
    folder: Path, *staff: tuple[str, Role], hopper: PlainHopper | None = None, **settings: bool
) -> AsyncIterator[tuple[Rig, Hand]]:
    """A cabinet whose attendant's key wants a PIN, and these people; the technician Ada is always among them."""
    set_up_staff(folder / "journal.sqlite", (ADA, Role.TECHNICIAN), *staff)
    config = with_service(configuration(folder), attendant_key_alone=False, **settings)
    async with Rig(folder, hopper=hopper, config=config) as rig:
        yield rig, Hand(rig)
