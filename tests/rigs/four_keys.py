"""Somebody with only the panel's four service keys, whose presses are counted."""

from collections.abc import Awaitable, Callable

from tests.rigs.machine import Rig
from tests.rigs.people import pad_presses
from tests.rigs.staffed import PINS
from ui.protocol.messages import PAD_BUTTONS, ServicePage

OF_A_PIN = 14
"""Two presses for each of six digits, and two for DONE."""


class FourKeys:
    """Somebody who has nothing but the four keys, and counts their presses."""

    def __init__(self, tap: Callable[[str], Awaitable[None]], shown: Callable[[], ServicePage | None]) -> None:
        self._tap = tap
        self._shown = shown
        self.presses = 0
        self.of_pins = 0

    @property
    def page(self) -> ServicePage:
        """The page that is open."""
        page = self._shown()
        assert page is not None
        return page

    async def press(self, *buttons: str) -> None:
        """Press buttons."""
        for button in buttons:
            assert button in PAD_BUTTONS
            self.presses += 1
            await self._tap(button)

    async def take(self, at: int) -> None:
        """Move the cursor to a row by the shorter way round, and enter it."""
        await self._move(self.page.focus, at, len(self.page.rows))

    async def option(self, letter: str) -> None:
        """Move the cursor to what may come next by the shorter way round, and take it."""
        page = self.page
        await self._move(page.digit, page.options.index(letter), len(page.options) + page.may_be_done)

    async def _move(self, focus: int, at: int, count: int) -> None:
        down, up = (at - focus) % count, (focus - at) % count
        await self.press(*(["bet"] * down if down <= up else ["lines"] * up), "spin")

    async def row(self, words: str) -> None:
        """Enter the row of that code, label or name."""
        rows = enumerate(self.page.rows)
        await self.take(next(number for number, row in rows if words in (row.code, row.label, row.place)))

    async def open(self, code: str) -> None:
        """Walk from the whole menu to a page."""
        await self.row(code[0])
        await self.row(code)
        assert self.page.code == code, self.page.message

    async def figure(self, typed: str) -> None:
        """Type a figure on the pad."""
        for what in (*typed, "done"):
            await self.press(*pad_presses(what))

    async def yes(self, times: int) -> None:
        """Answer a question with YES, that often."""
        for _ in range(times):
            assert not self.page.yes
            await self.press("lines", "spin")

    async def prove(self, name: str) -> None:
        """Take the name that the cursor begins on, and type its PIN, which counts apart."""
        assert self.page.rows[self.page.focus].place == name
        await self.press("spin")
        before = self.presses
        await self.figure(PINS[name])
        self.of_pins, self.presses = self.presses - before, before


async def waits(rig: Rig) -> None:
    """A hand-pay waits."""
    await rig.game(2000)
    await rig.press("collect")
    await rig.until("handpay")


async def alarm(rig: Rig) -> None:
    """A lock-up waits for the attendant."""
    await rig.listener.device_fault("bill_validator", "note_yoyo", present=True)
