"""A cabinet with a reader of staff cards and several people in its books."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from controller.features.cards.card_file import CardFile
from controller.features.cards.configuration import Cards
from controller.features.cards.journal import enrol_card
from controller.journal.actor import Role
from controller.journal.people import named
from controller.journal.transaction import Transaction
from drivers.wiring import KEYS
from tests.rigs.machine import Rig
from tests.rigs.people import CHEAP
from tests.rigs.service_menu import Hand
from tests.rigs.staffed import ADA, BEN, PINS, set_up_staff, with_service
from tests.rigs.virtual_cabinet import configuration

ADAS, BENS, STRANGE = "04A1B2C3D4E5F6", "0012345678", "9988776655"
CARDS = {ADA: ADAS, BEN: BENS}
Mode = Literal["instead", "with-pin"]


@asynccontextmanager
async def carded(
    folder: Path, mode: Mode, *, keys: tuple[str, ...] = KEYS, enrolled: bool = True
) -> AsyncIterator[tuple[Rig, Hand]]:
    """The technician Ada and the attendant Ben, each with a card where they are `enrolled`."""
    path = folder / "journal.sqlite"
    set_up_staff(path, (ADA, Role.TECHNICIAN), (BEN, Role.ATTENDANT))
    config = with_service(configuration(folder), attendant_key_alone=False)
    cards = Cards(reader="wedge", device="/dev/input/by-id/reader", mode=mode, keys=keys)
    async with Rig(folder, config=replace(config, cards=cards)) as rig:
        if enrolled:
            await enrol(rig)
        yield rig, Hand(rig)


async def enrol(rig: Rig) -> None:
    """Enrol both people's cards, as the menu does."""
    file = CardFile(rig.path, CHEAP)
    key = file.begin()
    for name, number in CARDS.items():
        seal = file.seal_of(number)

        def record(tx: Transaction, name: str = name, seal: str = seal) -> None:
            person = named(tx, name)
            assert person is not None
            enrol_card(tx, person.id, f"card of {name}", seal, key)

        await rig.journal.do(record)


async def present(rig: Rig, number: str) -> None:
    """Hold a card to the reader."""
    rig.service.card(number)
    await rig.until_true(lambda: rig.service.at_rest)


async def type_pin(rig: Rig, name: str) -> None:
    """Type somebody's PIN where it is asked for; where it is not, the touches mean nothing."""
    for digit in PINS[name]:
        await rig.press(f"service:digit:{digit}")
    await rig.press("service:done")
    await rig.until_true(lambda: rig.service.at_rest)
