"""Presses on the panel's four keys for the daily tasks, as docs/service-menu.md lists them; none takes more than 20."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.features.diagnostics.device_test import DeviceTestPage
from controller.features.diagnostics.lights import ALL_ON
from controller.journal.actor import Role
from controller.journal.store import Store
from controller.service import tree
from controller.service.messages import WORDS
from tests.rigs.books import laid
from tests.rigs.four_keys import OF_A_PIN, FourKeys, alarm, waits
from tests.rigs.machine import Rig
from tests.rigs.paths import ROOT
from tests.rigs.people import set_up_person
from tests.rigs.service_menu import Hand, strayed
from tests.rigs.staffed import ADA, BEN, PINS, staffed, with_service
from tests.rigs.technician import technician_at
from tests.rigs.virtual_cabinet import VirtualCabinet

DOCUMENT = ROOT / "docs" / "service-menu.md"
MOST = 20


class Task(NamedTuple):
    """A daily task: its words in the document, its page, what the cabinet is like before, how it is done, the proof."""

    words: str
    code: str
    before: Callable[[Rig], Awaitable[object]]
    done: Callable[[FourKeys], Awaitable[object]]
    proof: Callable[[Rig], Awaitable[bool]]


async def nothing(_: Rig | FourKeys) -> None:
    """It is as it is."""


async def credit(rig: Rig) -> None:
    """There is credit to pay out."""
    await rig.game(2000)


async def played(rig: Rig) -> None:
    """A game was played."""
    await rig.game(2000)
    await rig.press("spin")
    await rig.until("idle")


async def stray_coins(rig: Rig) -> None:
    """Coins that were no credit, and whose amount is proved."""
    await rig.journal.do(strayed)
    await rig.machine.journal.reload()


async def refill(hand: FourKeys) -> None:
    """Book 250 coins."""
    await hand.open("U.2")
    await hand.row("Put coins in")
    await hand.figure("250")
    await hand.yes(1)


async def collect(hand: FourKeys) -> None:
    """Close the period."""
    await hand.open("U.3")
    await hand.row("Collect and close the period")
    await hand.yes(2)


async def meters(hand: FourKeys) -> None:
    """Read what was counted since the last collection."""
    await hand.open("M.2")


async def pay(hand: FourKeys) -> None:
    """Pay the whole credit by hand."""
    await hand.open("A.2")
    await hand.row("Pay by hand")
    await hand.yes(2)


async def last_game(hand: FourKeys) -> None:
    """Show the last game on the reels again."""
    await hand.open("A.5")
    await hand.take(next(number for number, row in enumerate(hand.page.rows) if row.leads and row.code))
    await hand.take(next(number for number, row in enumerate(hand.page.rows) if row.label == "Show it on the reels"))


async def close(hand: FourKeys) -> None:
    """Close the machine for players."""
    await hand.open("A.7")
    await hand.row("Close the machine for players")


async def resolve(hand: FourKeys) -> None:
    """Close an open item without payment, for a reason."""
    await hand.open("A.8")
    await hand.row("Nothing is owed")
    await hand.press("spin")
    await hand.yes(1)


async def shows(rig: Rig, code: str) -> bool:
    """Whether that page is open."""
    page = rig.screen.view.pages.service
    return page is not None and page.code == code


async def is_none(rig: Rig, sql: str) -> bool:
    """Whether nothing is left of it in the books."""
    return await rig.rows(sql) == []


LAMPS = "light all lamps"


async def _credit_is(rig: Rig, cents: int) -> bool:
    await rig.machine.clock.sleep(1.0)
    return rig.credit == cents


async def _meter(rig: Rig, name: str, value: int) -> bool:
    return await rig.meter(name) == value


async def _recalls(rig: Rig) -> bool:
    return rig.service.recall is not None


async def _out_of_service(rig: Rig) -> bool:
    return rig.machine.conditions.out_of_service


TASKS = (
    Task("confirm a hand-pay that waits", "key", waits, nothing, lambda rig: _credit_is(rig, 0)),
    Task("clear a lock-up", "key", alarm, nothing, lambda rig: is_none(rig, "SELECT * FROM faults WHERE present = 0")),
    Task(
        "book 250 coins put into the hopper",
        "U.2",
        nothing,
        refill,
        lambda rig: _meter(rig, "hopper_refill_coins", 250),
    ),
    Task("collect and close the period", "U.3", nothing, collect, lambda rig: _meter(rig, "collections", 1)),
    Task("read the meters since the last collection", "M.2", nothing, meters, lambda rig: shows(rig, "M.2")),
    Task("pay the whole credit by hand", "A.2", credit, pay, lambda rig: _credit_is(rig, 0)),
    Task("show the last game on the reels again", "A.5", played, last_game, _recalls),
    Task("close the machine for players", "A.7", nothing, close, _out_of_service),
    Task(
        "close an open item without payment",
        "A.8",
        stray_coins,
        resolve,
        lambda rig: is_none(rig, "SELECT * FROM open_items WHERE resolution IS NULL"),
    ),
)


def documented() -> dict[str, tuple[str, int]]:
    """The document's table: of each task its page and its presses."""
    rows = re.findall(r"^\| ([^|]+) \| ([A-Z]\.\d+|key) \| (\d+) \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    return {words: (code, int(presses)) for words, code, presses in rows}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.words)
async def test_presses_for_a_daily_task(tmp_path: Path, task: Task) -> None:
    """The task is done with the four keys alone, in as many presses as the document says."""
    counted: list[int] = []

    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, known):
        await task.before(rig)
        hand = FourKeys(rig.press, lambda: rig.screen.view.pages.service)
        await known.turn(Role.ATTENDANT)
        await hand.prove(BEN)
        await rig.machine.clock.sleep(0.5)
        await task.done(hand)
        await rig.machine.clock.sleep(0.5)
        assert await task.proof(rig)
        assert hand.of_pins == OF_A_PIN
        counted.append(hand.presses)
    assert documented()[task.words] == (task.code, counted[0])
    assert counted[0] <= MOST


async def test_presses_for_the_lamps(tmp_path: Path) -> None:
    """T.5 before the open main door: all lamps of the panel are lit."""
    counted: list[int] = []

    cabinet = VirtualCabinet(tmp_path)
    store = Store(laid(tmp_path / "journal.sqlite"), lambda: 0, simulated=True)
    for name, role in ((ADA, Role.TECHNICIAN), (BEN, Role.ATTENDANT)):
        set_up_person(store, name, role, PINS[name])
    store.close()
    cabinet.config = with_service(cabinet.config, attendant_key_alone=False)
    async with technician_at(tmp_path, cabinet) as technician:
        hand = FourKeys(cabinet.tap, lambda: technician.service.page)
        cabinet.door("main", is_open=True)
        technician.turn(on=True, key="attendant")
        await cabinet.until(lambda: not technician.closed)
        await hand.prove(BEN)
        await cabinet.until(lambda: not technician.page.gate)
        await hand.open("T.5")
        await hand.row(ALL_ON)
        await technician.pause()
        assert technician.lit() == set(cabinet.config.pins.buttons)
        counted.append(hand.presses)
    assert documented()[LAMPS] == ("T.5", counted[0])
    assert counted[0] <= MOST


def test_the_document_has_these_tasks_and_no_others() -> None:
    """Ten of them."""
    assert set(documented()) == {LAMPS, *(task.words for task in TASKS)}
    assert len(documented()) == 10


@pytest.mark.parametrize("code", [code for code, page in tree.pages().items() if not isinstance(page, DeviceTestPage)])
async def test_any_page_is_reached_by_its_code(tmp_path: Path, code: str) -> None:
    """Four keys alone: at most 20 presses, and BACK leads to the page's section. AUTO saves two of them."""
    for button in ((), ("auto",)):
        folder = tmp_path / f"with {len(button)}"
        folder.mkdir()
        async with Rig(folder) as rig:
            known = Hand(rig)
            await known.technician()
            for door in ("main", "logic"):
                await rig.door(is_open=True, name=door)
            hand = FourKeys(rig.press, lambda: rig.screen.view.pages.service)
            for auto in button:
                await rig.press(auto)
            if not button:
                await hand.press("lines", "spin")
            assert hand.page.entry_kind == "code"
            for letter in code.replace(".", ""):
                await hand.option(letter)
            if hand.page.entry:
                assert hand.page.digit == len(hand.page.options)
                await hand.press("spin")
            assert hand.page.code == code
            assert hand.presses <= MOST
            await rig.press("collect")
            assert hand.page.code == code[0]


async def test_a_code_that_is_left_leads_nowhere(tmp_path: Path) -> None:
    """BACK rubs out and then leaves the field; a door that is shut keeps its pages shut; the attendant's are fewer."""
    async with Rig(tmp_path) as rig:
        known = Hand(rig)
        await known.turn(Role.ATTENDANT)
        await rig.press("auto")
        assert known.page.options == ("A", "M", "H", "T", "U")
        hand = FourKeys(rig.press, lambda: rig.screen.view.pages.service)
        await hand.option("U")
        assert known.page.options == ("2", "3", "1")
        assert known.page.typed == "U"
        await rig.press("collect")
        assert known.page.typed == ""
        await rig.press("collect")
        assert (known.page.entry, known.page.code) == ("", "")
        await rig.press("auto")
        for letter in "T5":
            await hand.option(letter)
        assert (known.page.code, known.page.message) == ("T", WORDS["door"])
