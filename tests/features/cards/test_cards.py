"""Staff cards: enrolled in C.7, taken at the reader once a key is turned, worth no more than their owner."""

from pathlib import Path

import pytest

from controller.features.cards import page as pages
from controller.features.cards.card_file import CardFile, settle_cards
from controller.features.cards.desk import REFUSALS
from controller.features.cards.journal import (
    PresentCard,
    Presented,
    block_card,
    cards,
    enrol_card,
    go_on_with_cards,
    present_cards,
)
from controller.journal.actor import Role
from controller.journal.people import BARRED_MINUTES, MOST_FAILURES, bar_person, lose_pins
from controller.service.pin_gate import NAME, WORDS
from tests.rigs.books import opened
from tests.rigs.carded import ADAS, BENS, STRANGE, carded, present, type_pin
from tests.rigs.machine import Rig
from tests.rigs.people import CHEAP, set_up_person
from tests.rigs.service_menu import Hand
from tests.rigs.staffed import ADA, BEN

pytestmark = pytest.mark.requirement("S1")


async def logged(rig: Rig, code: str = "card_%") -> list[str]:
    """The codes of the events about cards, oldest first."""
    rows = await rig.rows(f"SELECT code FROM events WHERE code LIKE '{code}' ORDER BY seq")  # noqa: S608
    return [str(row[0]) for row in rows]


def who(hand: Hand) -> str:
    """Who is in the menu; empty at the gate and where it is closed."""
    page = hand.rig.screen.view.pages.service
    return "" if page is None or page.gate else page.person


async def test_a_card_stands_for_name_and_pin(tmp_path: Path) -> None:
    """With mode `instead` a card at a turned key opens the menu in its owner's name; the PIN still does too."""
    async with carded(tmp_path, "instead") as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        assert hand.page.message == WORDS["or card"]
        await present(rig, BENS)
        assert who(hand) == BEN
        await hand.turn(Role.ATTENDANT, on=False)
        await hand.turn(Role.TECHNICIAN)
        await type_pin(rig, ADA)
        assert who(hand) == ADA
        assert (await logged(rig))[-1] == "card_taken"


async def test_what_was_wrong_with_a_card_is_over_with_the_next(tmp_path: Path) -> None:
    """The menu that a good card opens does not say that a card is not known."""
    async with carded(tmp_path, "instead") as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        await present(rig, STRANGE)
        assert hand.page.message == REFUSALS[Presented.UNKNOWN]
        await present(rig, ADAS)
        assert (who(hand), hand.page.message) == (ADA, "")


async def test_with_pin_takes_both(tmp_path: Path) -> None:
    """Neither the PIN alone nor the card alone opens anything; of the two each must be the same person's."""
    async with carded(tmp_path, "with-pin") as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        assert [row.label for row in hand.page.rows] == [WORDS["card"], WORDS["no card"]]
        await type_pin(rig, BEN)
        assert who(hand) == ""
        await present(rig, BENS)
        assert (who(hand), hand.page.person, hand.page.entry) == ("", BEN, "PIN")
        await type_pin(rig, ADA)
        assert (who(hand), hand.page.message) == ("", WORDS["wrong"])
        await type_pin(rig, BEN)
        assert who(hand) == BEN


async def test_back_forgets_the_card(tmp_path: Path) -> None:
    """Whoever leaves the PIN's entry presents the card again."""
    async with carded(tmp_path, "with-pin") as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        await present(rig, BENS)
        await rig.press("service:back")
        assert [row.label for row in hand.page.rows] == [WORDS["card"], WORDS["no card"]]
        await type_pin(rig, BEN)
        assert who(hand) == ""
        await rig.press("collect")
        assert rig.screen.view.pages.service is None


async def test_the_open_logic_door_stands_for_a_card(tmp_path: Path) -> None:
    """A lost reader or card locks nobody out for ever: with that door open the PIN is enough, and an event says so."""
    async with carded(tmp_path, "with-pin") as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        await rig.door(name="logic", is_open=True)
        await rig.until_true(lambda: [row.place for row in hand.page.rows] == [BEN, ADA])
        await hand.enter_place(BEN)
        await type_pin(rig, BEN)
        assert who(hand) == BEN
        assert (await logged(rig))[-1] == "card_waived"


async def test_a_door_that_is_shut_again_waives_nothing(tmp_path: Path) -> None:
    """The PIN typed after it was shut is not even tried; with one technician alone the PIN's entry opens by itself."""
    async with carded(tmp_path, "with-pin") as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        await rig.door(name="logic", is_open=True)
        await rig.until_true(lambda: hand.page.entry == "PIN")
        await rig.door(name="logic", is_open=False)
        await type_pin(rig, ADA)
        assert (who(hand), hand.page.message) == ("", WORDS["card"])
        assert await logged(rig, "pin_%") == []


async def test_an_attendants_card_is_not_for_the_technicians_key(tmp_path: Path) -> None:
    """Nobody gets a role that they do not have."""
    async with carded(tmp_path, "instead") as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        await present(rig, BENS)
        assert (who(hand), hand.page.message) == ("", REFUSALS[Presented.OTHER_KEY])
        await present(rig, ADAS)
        assert who(hand) == ADA


@pytest.mark.parametrize("mode", ["instead", "with-pin"])
async def test_wrong_cards_bar_the_reader(tmp_path: Path, mode: str) -> None:
    """Five in a row bar every card for minutes that no restart shortens; PINs are counted apart."""
    async with carded(tmp_path, mode) as (rig, hand):  # type: ignore[arg-type]
        await hand.turn(Role.ATTENDANT)
        for _ in range(MOST_FAILURES):
            await present(rig, STRANGE)
        assert (await logged(rig))[-2:] == ["card_refused", "card_barred"]
        await rig.restart(until="attract")
        rig.machine.keys.take("attendant", turned=False)
        await hand.turn(Role.ATTENDANT)
        await present(rig, BENS)
        assert (who(hand), hand.page.message) == ("", REFUSALS[Presented.BARRED])
        assert hand.page.figures == {"minutes": BARRED_MINUTES}
        await rig.door(name="logic", is_open=True)
        await rig.until_true(lambda: bool(hand.page.rows) and hand.page.rows[0].place == BEN)
        await hand.enter_place(BEN)
        await type_pin(rig, BEN)
        assert who(hand) == BEN


async def test_a_blocked_card_and_a_barred_owner_open_nothing(tmp_path: Path) -> None:
    """A lost card is refused by name; the card of somebody who was barred is worth nothing."""
    async with carded(tmp_path, "instead") as (rig, hand):
        (adas,) = [card for card in await rig.journal.do(cards) if card.name.endswith(ADA)]
        await rig.journal.do(lambda tx: block_card(tx, adas.id))
        await rig.journal.do(lambda tx: bar_person(tx, 2))
        await hand.turn(Role.ATTENDANT)
        await present(rig, ADAS)
        assert (who(hand), hand.page.message) == ("", REFUSALS[Presented.BLOCKED])
        await present(rig, BENS)
        assert (who(hand), hand.page.message) == ("", REFUSALS[Presented.OTHER_KEY])


async def test_a_card_means_nothing_without_a_key(tmp_path: Path) -> None:
    """A player may hold any card to the reader: nothing is recorded, nothing counted, nothing kept for later."""
    async with carded(tmp_path, "instead") as (rig, hand):
        for _ in range(MOST_FAILURES + 1):
            await present(rig, STRANGE)
        await present(rig, BENS)
        before = await logged(rig)
        await hand.turn(Role.ATTENDANT)
        assert who(hand) == ""
        assert await logged(rig) == before == ["card_enrolled", "card_enrolled"]


async def test_a_key_without_cards_takes_the_pin_alone(tmp_path: Path) -> None:
    """`keys` names the switches that cards are taken at."""
    async with carded(tmp_path, "with-pin", keys=("technician",)) as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        await present(rig, BENS)
        assert [row.place for row in hand.page.rows] == [BEN, ADA]
        await hand.enter_place(BEN)
        await type_pin(rig, BEN)
        assert who(hand) == BEN


async def test_enrolment_wants_the_same_card_twice(tmp_path: Path) -> None:
    """Two numbers are refused, a card that is known too; the page lists, blocks and removes it."""
    async with carded(tmp_path, "instead", enrolled=False) as (rig, hand):
        await rig.door(is_open=True)
        await hand.turn(Role.TECHNICIAN)
        await type_pin(rig, ADA)
        await hand.go("C.7")
        await hand.enter_place(BEN)
        for second, said in ((STRANGE, pages.DIFFER), (BENS, pages.ENROLLED)):
            await hand.enter("Enrol a card")
            await hand.name("BLUE")
            await rig.until_true(lambda: hand.page.entry == pages.FIRST.label)
            await rig.press("service:digit:1")
            await present(rig, BENS)
            await rig.until_true(lambda: hand.page.entry == pages.SECOND.label)
            assert (hand.page.typed, hand.page.options) == ("", ())
            await present(rig, second)
            assert await hand.result() == said
        await hand.enter_place("BLUE")
        for words, said in (("Block", pages.BLOCKED), ("Take off", pages.UNBLOCKED), ("Remove", pages.REMOVED)):
            await hand.enter(words)
            await rig.press("lines")
            await rig.press("spin")
            assert await hand.result() == said
        assert await logged(rig) == ["card_enrolled", "card_blocked", "card_unblocked", "card_removed"]
        everything = "".join(str(row) for row in await rig.rows("SELECT data FROM ledger"))
        assert BENS not in everything


async def test_half_a_card_is_said(tmp_path: Path) -> None:
    """What no number could be read from is no wrong card."""
    async with carded(tmp_path, "instead") as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        rig.service.unread()
        await rig.until_true(lambda: hand.page.message == WORDS["unread"])
        assert await logged(rig) == ["card_enrolled", "card_enrolled"]


async def test_a_lost_key_loses_the_cards(tmp_path: Path) -> None:
    """The next start takes them out of the books, and the ledger says why; a damaged file is put aside."""
    async with carded(tmp_path, "instead") as (rig, _hand):
        path = rig.path
    file = CardFile(path, CHEAP)
    file.path.write_text("{}", encoding="utf-8")
    with opened(path.parent, create=False) as store:
        settle_cards(store)
        assert store.transact(cards) == []
        lost = store.transact(lambda tx: tx.execute("SELECT count(*) FROM events WHERE text = 'card_lost'").fetchone())
    assert lost == (2,)
    assert not file.path.exists()


def test_a_restore_keeps_the_cards_of_this_cabinet(tmp_path: Path) -> None:
    """No card comes from a backup; those of people who are barred in its books are gone too."""
    with opened(tmp_path) as store:
        ada = set_up_person(store, ADA, Role.TECHNICIAN, "258014")
        ben = set_up_person(store, BEN, Role.ATTENDANT, "704125")
        store.transact(lambda tx: enrol_card(tx, ada.id, "of the backup", "b" * 64, "k" * 16))
        store.transact(lambda tx: bar_person(tx, ben.id))
        here = [
            PresentCard(ADA, "blue", "a" * 64, "k" * 16, blocked=True),
            PresentCard(BEN, "red", "c" * 64, "k" * 16),
            PresentCard("Nobody", "green", "d" * 64, "k" * 16),
        ]
        store.transact(lambda tx: go_on_with_cards(tx, here))
        assert store.transact(present_cards) == here[:1]


async def test_lost_pins_open_nothing_to_the_key_alone(tmp_path: Path) -> None:
    """Where cards are asked for with the PIN, a name and a new PIN are taken with the logic door open only."""
    async with carded(tmp_path, "with-pin") as (rig, hand):
        await rig.journal.do(lambda tx: lose_pins(tx, ()))
        await hand.turn(Role.TECHNICIAN)
        assert (hand.page.entry, [row.label for row in hand.page.rows]) == ("", [WORDS["no card"]])
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(name="logic", is_open=True)
        await hand.turn(Role.TECHNICIAN)
        assert hand.page.entry == NAME.label
