"""The service menu of a machine, worked with keys, buttons and fingers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from controller.books.rotation import finish
from controller.configuration.cabinet_toml import Export
from controller.journal.actor import Role
from controller.journal.event_catalogue import Event
from controller.journal.open_items import add_item
from controller.journal.transaction import Transaction
from controller.keys import identity
from controller.settings.settings import change
from controller.system.host import Departure
from tests.rigs.machine import Rig
from tests.rigs.people import NAME, PIN, typed_at
from tests.rigs.virtual_cabinet import configuration
from ui.protocol.messages import ServicePage


def strayed(tx: Transaction) -> None:
    """Coins of 20.00 that came in while no money counted: their amount is proved."""
    add_item(tx, "demo_coins", 2000, Event.DEMO_COINS, coins=10)


class Hand:
    """Somebody with a key before the rig's panel."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig

    @property
    def page(self) -> ServicePage:
        """The page on the screen."""
        page = self.rig.screen.view.pages.service
        assert page is not None
        return page

    async def turn(self, who: Role, *, on: bool = True) -> None:
        """Turn a key on or off."""
        self.rig.machine.keys.take(who, turned=on)
        await self.rig.until_true(lambda: (self.rig.screen.view.pages.service is not None) is on)

    async def go(self, code: str) -> None:
        """Walk from the whole menu to a page."""
        for step in (code[0], code):
            await self.enter(step)
        assert self.page.code == code

    async def enter(self, words: str) -> None:
        """Move the cursor down to the row that begins with these words, and enter it."""
        labels = [row.code or row.label for row in self.page.rows]
        at = next(number for number, label in enumerate(labels) if label.startswith(words))
        while self.page.focus != at:
            await self.rig.press("bet" if self.page.focus < at else "lines")
        await self.rig.press("spin")

    async def enter_place(self, name: str) -> None:
        """Touch the row of that name."""
        at = next(number for number, row in enumerate(self.page.rows) if row.place == name)
        await self.rig.press(f"service:row:{at}")

    async def type(self, digits: str) -> None:
        """Type digits on the screen's pad."""
        for digit in digits:
            await self.rig.press(f"service:digit:{digit}")
        await self.rig.press("service:done")
        await self.rig.until_true(lambda: self.page.typed == "" or bool(self.page.question))

    async def name(self, name: str = NAME) -> None:
        """Type a name on the screen's letters."""
        for control in typed_at(self.page, name=name):
            await self.rig.press(control)
        await self.rig.until_true(lambda: self.page.entry_kind != "text" or bool(self.page.message))

    async def agree(self) -> None:
        """Say YES as often as it is asked."""
        for _ in range(2):
            await self.rig.press("lines")
            await self.rig.press("spin")

    async def result(self) -> str:
        """Return the page's message once its work has ended."""
        await self.rig.until_true(lambda: self.page.message not in ("", "One moment, please"))
        return self.page.message

    async def leave(self, who: Role = Role.ATTENDANT) -> None:
        """Turn the key back."""
        await self.turn(who, on=False)

    async def technician(self) -> None:
        """Turn the technician's key and choose the cabinet's first PIN."""
        await self.turn(Role.TECHNICIAN)
        await self.rig.type_pin()


def with_sticks(folder: Path) -> Rig:
    """A rig whose sticks are folders in `folder/sticks`."""
    config = configuration(folder)
    return Rig(folder, config=replace(config, export=Export(roots=(str(folder / "sticks"),))))


CLEAR = "Clear everything"


ASKED = "Clear all books of this machine?"


@asynccontextmanager
async def technician(folder: Path) -> AsyncIterator[tuple[Rig, Hand]]:
    """A rig with a key, its main door open, and a technician in its menu."""
    own = identity.make_identity(folder / "journal.sqlite.key")
    async with with_sticks(folder) as rig:
        await rig.journal.do(lambda tx: identity.bind(tx, own, "test", "test"))
        hand = Hand(rig)
        await rig.door(is_open=True)
        await hand.technician()
        yield rig, hand


async def technician_back(rig: Rig, hand: Hand) -> None:
    """Open the main door, and the menu with the technician's key and PIN."""
    await rig.door(is_open=True)
    await hand.turn(Role.TECHNICIAN)
    await hand.type(PIN)
    await rig.until_true(lambda: bool(hand.page.rows))


async def clear(rig: Rig, hand: Hand) -> None:
    """Order the full clear before the open logic door, up to its work."""
    await rig.door(is_open=True, name="logic")
    await hand.go("U.8")
    await confirm_clear(rig, hand)


async def confirm_clear(rig: Rig, hand: Hand) -> None:
    """Order the full clear on its page."""
    await hand.enter(CLEAR)
    await rig.press("spin")  # the first reason
    for _ in range(2):
        assert (hand.page.question, hand.page.yes) == (ASKED, False)
        await rig.press("lines")
        await rig.press("spin")


async def started_anew(rig: Rig) -> None:
    """Let the supervisor end and the next one start."""
    await rig.until_true(lambda: rig.host.departures == [Departure.RESTART])
    rig.host.departures.clear()
    await rig.kill()
    assert finish(rig.path)
    await rig.start()


async def cleared(rig: Rig, hand: Hand) -> None:
    """Clear it, start it anew, and come in again."""
    await clear(rig, hand)
    await started_anew(rig)
    await rig.door(is_open=True)
    await hand.technician()


async def set_now(rig: Rig, values: dict[str, object]) -> None:
    """Change settings as the menu does."""
    file_config = rig.machine.settings.file_config

    def act(tx: Transaction) -> None:
        change(tx, file_config, values, Role.TECHNICIAN)  # type: ignore[arg-type]

    await rig.machine.journal.attempt(act)
    await rig.machine.journal.reload()
