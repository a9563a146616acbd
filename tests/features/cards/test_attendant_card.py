"""docs/attendant-card.md: each step is carried out with the menu's own words."""

import re
from gettext import GNUTranslations
from pathlib import Path

import pytest

from controller.journal.actor import Role
from controller.journal.faults import raise_fault
from controller.service.keys import CODE, KEYS
from controller.service.meters import MONEY
from tests.rigs.four_keys import FourKeys, alarm, waits
from tests.rigs.machine import Rig
from tests.rigs.paths import ROOT
from tests.rigs.staffed import BEN, staffed
from ui import text
from ui.baking import catalogues
from ui.languages import Languages
from ui.protocol.messages import View

CARD = ROOT / "docs" / "attendant-card.md"
ENGLISH, GERMAN = CARD.read_text("utf-8").split("## Deutsch")
PAGE = re.compile(r"[A-Z]\.\d+")
BUTTONS = {"LINES": "lines", "BET": "bet", "SPIN": "spin", "AUTO": "auto", "SERVICE": "service"}
TASKS = ("Hand-pay", "Refill", "Collect", "Clear", "Called")


def spans(words: str) -> list[str]:
    """The words that the screen or the panel has."""
    return re.findall(r"`([^`]+)`", words)


def task(name: str) -> list[str]:
    """The words of the screen in that row of the English card, in order."""
    (row,) = [line for line in ENGLISH.splitlines() if line.startswith(f"| **{name}**")]
    return spans(row)


@pytest.fixture
def german(tmp_path: Path) -> GNUTranslations:
    """German as the display reads it."""
    catalogues.compile_to(tmp_path)
    found = Languages(tmp_path).catalogue("de")
    assert isinstance(found, GNUTranslations)
    return found


def test_the_german_card_says_the_same(german: GNUTranslations) -> None:
    """Of each word of the screen or panel the translation that the screen has, in the same order."""

    def translated(words: str) -> str:
        if PAGE.fullmatch(words) or words == "AUTO":
            return words
        if words in BUTTONS:
            return german.gettext(BUTTONS[words])
        return german.gettext(words)

    assert spans(GERMAN) == [translated(words) for words in spans(ENGLISH) if words != "this type"]


def test_the_card_fits_on_a_page() -> None:
    """Two tables of five tasks each, and no word of the screen that the display does not say."""
    assert re.findall(r"^\| \*\*([^*]+)\*\*", ENGLISH, re.MULTILINE) == list(TASKS)
    assert len(re.findall(r"^\| \*\*", GERMAN, re.MULTILINE)) == len(TASKS)
    assert len(CARD.read_text("utf-8")) < 4_000


def test_the_keys_of_the_card() -> None:
    """The buttons that it names are those of the menu."""
    first, page = (words for words in ENGLISH.split("\n\n") if words.startswith("**First")), spans(ENGLISH)[1:5]
    assert spans(next(first)) == page == ["LINES", "BET", "SPIN", "AUTO"]
    assert [KEYS[BUTTONS[name]] for name in page[:3]] == ["up", "down", "enter"]
    assert {BUTTONS["AUTO"]: "code"} == CODE


def on_the_screen(view: View) -> set[str]:
    """The words of the view's notices."""
    return {notice.text for notice in view.notices}


async def key(rig: Rig) -> FourKeys:
    """Turn the key, take the name, type the PIN."""
    rig.machine.keys.take(Role.ATTENDANT, turned=True)
    await rig.until_true(lambda: rig.screen.view.pages.service is not None)
    hand = FourKeys(rig.press, lambda: rig.screen.view.pages.service)
    await hand.prove(BEN)
    await rig.machine.clock.sleep(0.5)
    return hand


async def go(rig: Rig, hand: FourKeys, code: str) -> None:
    """Press AUTO, then the code."""
    await rig.press("auto")
    for letter in code.replace(".", ""):
        await hand.option(letter)
    assert hand.page.code == code


async def test_a_hand_pay_by_the_card(tmp_path: Path) -> None:
    """The screen shows its word; key, name and PIN book it."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, _):
        assert task("Hand-pay") == [text.HANDPAY]
        await waits(rig)
        await key(rig)
        await rig.until_true(lambda: rig.credit == 0)
        assert await rig.meter("hand_pays") == 1


async def answer(hand: FourKeys, answers: list[str]) -> None:
    """Answer the questions of a page as the card says."""
    for given in answers:
        assert given == text.SERVICE_YES
        assert hand.page.question
        await hand.yes(1)
    assert not hand.page.question


async def clear_by_pin(rig: Rig, words: str) -> None:
    """Turn the key, type the PIN that `words` ask for, which opens no page, and turn the key back."""
    rig.machine.keys.take(Role.ATTENDANT, turned=True)
    await rig.until_true(lambda: rig.screen.view.pages.service is not None)
    hand = FourKeys(rig.press, lambda: rig.screen.view.pages.service)
    assert hand.page.message == words
    await hand.prove(BEN)
    await rig.until_true(lambda: rig.screen.view.pages.service is None)
    rig.machine.keys.take(Role.ATTENDANT, turned=False)


@pytest.mark.parametrize("empty", [False, True])
async def test_a_refill_by_the_card(tmp_path: Path, *, empty: bool) -> None:
    """Coins put in are booked; where the empty hopper has locked up, its lock-up takes a turn of its own first."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, _):
        lock_up, code, row, *answers = task("Refill")
        await rig.game(2000)
        if empty:
            await rig.listener.device_fault("hopper", "hopper_empty", present=True)
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        if empty:
            await clear_by_pin(rig, lock_up)
        hand = await key(rig)
        await go(rig, hand, code)
        await hand.row(row)
        await hand.figure("250")
        await answer(hand, answers)
        assert await rig.meter("hopper_refill_coins") == 250
        assert "hopper_empty" not in rig.notices()


def amounts(hand: FourKeys) -> dict[str, int | None]:
    """Return what came in since the last collection, as the page shows it."""
    return {row.label: row.cents for row in hand.page.rows if row.label in MONEY.values()}


async def test_a_collection_by_the_card(tmp_path: Path) -> None:
    """The amounts are on the page before the answers, and zero after them: the card has them written down first."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, _):
        code, row, *answers = task("Collect")
        for card, first, then in ((ENGLISH, "write down", row), (GERMAN, "notieren", "Leeren und Zeitraum")):
            assert card.index(first) < card.index(then)
        await rig.game(2000)
        hand = await key(rig)
        await go(rig, hand, code)
        assert amounts(hand) == {MONEY["coins_in"]: 0, MONEY["notes_in"]: 2000}
        await hand.row(row)
        await answer(hand, answers)
        assert await rig.meter("collections") == 1
        assert amounts(hand) == {MONEY["coins_in"]: 0, MONEY["notes_in"]: 0}


async def test_a_lock_up_by_the_card(tmp_path: Path) -> None:
    """What is mended is cleared by the PIN; what came later is on A.3, in the card's words."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, _):
        lock_up, code, still, clear = task("Clear")
        await alarm(rig)
        await clear_by_pin(rig, lock_up)
        assert "note_yoyo" not in rig.notices()
        await rig.listener.device_fault("bill_validator", "stacker_jam", present=True)
        hand = await key(rig)
        await go(rig, hand, code)
        assert [row.value for row in hand.page.rows] == [still]
        await rig.listener.device_fault("bill_validator", "stacker_jam", present=False)
        await rig.press("lines")
        (row,) = hand.page.rows
        assert (row.value, row.leads) == (clear, True)
        await hand.take(0)
        assert "stacker_jam" not in rig.notices()


async def test_a_call_by_the_card(tmp_path: Path) -> None:
    """The screen says that the player has called; SERVICE ends it."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, _):
        words, button = task("Called")
        await rig.game(500)
        await rig.press("service")
        assert words in on_the_screen(rig.screen.view)
        await rig.press(BUTTONS[button])
        assert words not in on_the_screen(rig.screen.view)


async def test_who_to_call_by_the_card(tmp_path: Path) -> None:
    """A locked machine, and a fault on A.3 that is the technician's, have the card's words."""
    (paragraph,) = [words for words in ENGLISH.split("\n\n") if words.startswith("**Call the technician**")]
    locked, code, technicians = spans(paragraph)
    assert locked == text.LOCKED

    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, _):
        await rig.machine.journal.do(lambda tx: raise_fault(tx, "hopper_motor", "hopper"))
        await rig.machine.journal.reload()
        hand = await key(rig)
        await go(rig, hand, code)
        assert [(row.value, row.leads) for row in hand.page.rows] == [(technicians, False)]
