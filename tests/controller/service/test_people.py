"""People before the service menu: who they are is asked once, and every row of what they do names them."""

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.journal import people
from controller.journal.actor import Actor, Role
from controller.journal.people import MOST_FAILURES
from controller.keys.pins import Credential, PinFile
from controller.machine.key_switches import HAND_PAY, HOPPER, LOCK_UP
from controller.machine.states import State
from controller.service.access import ITSELF
from controller.service.pin_gate import WORDS
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.people import CHEAP, NAME
from tests.rigs.service_menu import Hand
from tests.rigs.staffed import ADA, BEN, CYD, PINS, staffed, with_service
from tests.rigs.virtual_cabinet import configuration
from ui import text

pytestmark = pytest.mark.requirement("S1")

NEW = "648203"


async def come_in(hand: Hand, name: str, key: Role = Role.ATTENDANT) -> None:
    """Turn a key, choose a name where names are asked for, and type its PIN."""
    await hand.turn(key)
    await prove(hand, name)
    await hand.rig.until_true(lambda: not hand.page.gate)


async def prove(hand: Hand, name: str) -> None:
    """Choose a name where names are asked for, and type its PIN."""
    if not hand.page.entry:
        at = next(number for number, row in enumerate(hand.page.rows) if row.place == name)
        await hand.rig.press(f"service:row:{at}")
    assert hand.page.person == name
    await press_pin(hand, PINS[name])


async def press_pin(hand: Hand, pin: str) -> None:
    """Type a PIN; it may lead out of the menu."""
    for digit in pin:
        await hand.rig.press(f"service:digit:{digit}")
    await hand.rig.press("service:done", 0.3)


async def stamps(rig: Rig, where: str = "1") -> list[tuple[str, str, str]]:
    """Return kind or code, role and name of each ledger row that names who did it, oldest first."""
    rows = await rig.rows(f"SELECT kind, data FROM ledger WHERE {where} ORDER BY seq")  # noqa: S608
    found = []
    for kind, data in rows:
        result = json.loads(str(data))
        if by := result.get("by"):
            found.append((result.get("code", kind), by["role"], by.get("name", "")))
    return found


# at the key


async def test_without_a_pin_of_anybody_the_attendants_key_opens_nothing(tmp_path: Path) -> None:
    """The page says what to do about it; only where the key alone is allowed does it open the menu."""
    config = configuration(tmp_path)
    async with Rig(tmp_path, config=with_service(config, attendant_key_alone=False)) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        assert [row.label for row in hand.page.rows] == [WORDS["nobody"]]
        assert hand.page.gate
        assert "service:row:0" not in rig.machine.states.controls
        await rig.press("auto")
        await rig.press("spin")
        assert hand.page.gate
        await rig.press("collect")
        assert rig.screen.view.pages.service is None
        assert await stamps(rig) == []
    async with Rig(tmp_path, config=config) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        assert (hand.page.gate, hand.page.person) == (False, "")
        assert await stamps(rig) == [("service_menu", "attendant", "")]


async def test_a_name_is_chosen_and_its_own_pin_opens(tmp_path: Path) -> None:
    """Nobody else's PIN does; the technician may do the attendant's work with the attendant's key."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT), (CYD, Role.ATTENDANT)) as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        assert [row.place for row in hand.page.rows] == [BEN, CYD, ADA]
        await rig.press("bet")
        await rig.press("spin")
        assert (hand.page.person, hand.page.entry) == (CYD, "PIN")
        await press_pin(hand, PINS[BEN])
        assert (hand.page.gate, hand.page.message) == (True, WORDS["wrong"])
        await press_pin(hand, PINS[CYD])
        await rig.until_true(lambda: not hand.page.gate)
        assert hand.page.person == CYD
        await hand.turn(Role.ATTENDANT, on=False)
        assert await stamps(rig) == [
            ("pin_wrong", "attendant", ""),
            ("pin_granted", "attendant", ""),
            ("service_menu", "attendant", CYD),
            ("service_menu", "attendant", CYD),
        ]
        await hand.turn(Role.ATTENDANT)
        assert hand.page.rows[hand.page.focus].place == CYD
        await hand.turn(Role.ATTENDANT, on=False)
        await come_in(hand, ADA)
        assert [row.code for row in hand.page.rows] == ["A", "M", "H", "T", "U", ""]


async def test_back_leads_from_the_pin_to_the_names_and_out(tmp_path: Path) -> None:
    """Whoever chose the wrong name goes one level back."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        await rig.press("spin")
        assert hand.page.person == BEN
        await rig.press("service:back")
        assert [row.place for row in hand.page.rows] == [BEN, ADA]
        await rig.press("collect")
        assert rig.screen.view.pages.service is None


async def test_the_technicians_key_is_for_technicians(tmp_path: Path) -> None:
    """An attendant's name is not on offer there."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT), (CYD, Role.TECHNICIAN)) as (_, hand):
        await hand.turn(Role.TECHNICIAN)
        assert [row.place for row in hand.page.rows] == [ADA, CYD]


async def test_a_person_is_barred_and_nobody_else(tmp_path: Path) -> None:
    """Five wrong PINs at one name bar that name alone."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        await hand.enter_place(BEN)
        for _ in range(MOST_FAILURES):
            await press_pin(hand, NEW)
        await press_pin(hand, PINS[BEN])
        assert hand.page.message == WORDS["barred"]
        await rig.press("service:back")
        await prove(hand, ADA)
        await rig.until_true(lambda: not hand.page.gate)


def said(hand: Hand) -> str:
    """The message at the foot of the page, with its figures."""
    return text.outcome(hand.page.message, hand.page.figures)


async def test_wrong_pins_say_what_is_left_and_who_can_help(tmp_path: Path) -> None:
    """Tries left, then the minutes to wait, which run down; the technician who gives a new PIN is named."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await hand.turn(Role.ATTENDANT)
        await hand.enter_place(BEN)
        heard = []
        for _ in range(MOST_FAILURES):
            await press_pin(hand, NEW)
            heard.append(said(hand))
        assert heard == [
            *(f"Wrong PIN. Tries left: {left}" for left in (4, 3, 2)),
            "Wrong PIN. One try is left. Forgotten? Ada can give a new one (C.7)",
            "Too many wrong PINs: wait 10 min, or Ada gives a new one (C.7)",
        ]
        await rig.press("service:back")
        await rig.machine.clock.sleep(120.0)
        await hand.enter_place(BEN)
        assert said(hand) == "Too many wrong PINs: wait 8 min, or Ada gives a new one (C.7)"


async def test_the_only_technician_waits(tmp_path: Path) -> None:
    """Nobody is named who could not help; the attendants cannot."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await hand.turn(Role.TECHNICIAN)
        for _ in range(MOST_FAILURES):
            await press_pin(hand, NEW)
        assert said(hand) == "Too many wrong PINs: wait 10 min. Nobody else can give a new one"
        await hand.leave(Role.TECHNICIAN)
        await hand.turn(Role.TECHNICIAN)
        await rig.until_true(lambda: said(hand) == "Too many wrong PINs: wait 10 min. Nobody else can give a new one")


async def test_a_technician_who_is_locked_out_too_is_no_help(tmp_path: Path) -> None:
    """Two technicians with wrong PINs wait for their minutes."""
    async with staffed(tmp_path, (CYD, Role.TECHNICIAN)) as (_, hand):
        await hand.turn(Role.TECHNICIAN)
        for name, words in ((ADA, "or Cyd gives a new one (C.7)"), (CYD, "Nobody else can give a new one")):
            await hand.enter_place(name)
            for _ in range(MOST_FAILURES):
                await press_pin(hand, NEW)
            assert said(hand).endswith(words)
            await hand.rig.press("service:back")


async def test_the_digest_holds_nothing_up(tmp_path: Path) -> None:
    """While a PIN is tried the event loop goes on: it is done in a thread of its own, and outside the journal's."""
    async with staffed(tmp_path) as (rig, hand):
        threads: list[str] = []
        known = rig.machine.pins.of_seal

        class Watched(PinFile):
            def of_seal(self, seal: str) -> Credential | None:
                threads.append(threading.current_thread().name)
                return known(seal)

        rig.service.machine.pins = Watched(rig.path, CHEAP)
        await come_in(hand, ADA)
        assert threads
        assert not any(name.startswith(("MainThread", "journal")) for name in threads)


# the turn that is an answer


@pytest.mark.requirement("B8")
async def test_a_hand_pay_names_who_paid(tmp_path: Path) -> None:
    """The PIN confirms it, no menu opens, and ledger, payout and history have the name."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        await hand.turn(Role.ATTENDANT)
        assert (hand.page.message, hand.page.figures) == (HAND_PAY, {"amount_cents": 1000})
        await rig.press("service:row:0")
        assert (hand.page.message, rig.credit) == (HAND_PAY, 1000)
        await press_pin(hand, NEW)
        assert rig.credit == 1000
        await press_pin(hand, PINS[BEN])
        await rig.until_true(lambda: rig.credit == 0)
        assert rig.screen.view.pages.service is None
        assert [stamp for stamp in await stamps(rig) if stamp[0] == "hand_pay"] == [("hand_pay", "attendant", BEN)]
        await hand.leave()
        await rig.until("idle")
        assert await rig.events("service_menu") == []
        await rig.game(500)
        await rig.press("spin")
        await rig.until("idle")
        assert await stamps(rig, "kind = 'stake'") == []


@pytest.mark.requirement("B8")
async def test_a_hopper_that_stays_away_is_given_up_by_a_pin(tmp_path: Path) -> None:
    """Typing the PIN takes time in which the hopper goes on being away; the rows of it have the name."""
    hopper = PlainHopper()
    async with staffed(tmp_path, hopper=hopper) as (rig, hand):
        await rig.game(1000)
        hopper.breaks_after = 3
        await rig.press("collect")
        hopper.ready = False
        await rig.until_true(lambda: hopper.breaks_after is None)
        await rig.machine.clock.sleep(rig.machine.settings.config.payout.hopper_away_s + 5.0)
        await rig.until_true(lambda: rig.machine.play.payout_waits)
        await hand.turn(Role.ATTENDANT)
        assert hand.page.message == HOPPER
        await rig.machine.clock.sleep(5.0)
        await press_pin(hand, PINS[ADA])
        await hand.leave()
        await rig.until("idle")
        assert await rig.rows("SELECT kind, amount_cents FROM open_items") == [("payout_held", 700)]
        assert ("open_item", "attendant", ADA) in await stamps(rig)


async def test_a_pin_confirms_only_what_was_shown_when_the_key_was_turned(tmp_path: Path) -> None:
    """A hand-pay that another has taken the place of meanwhile is not paid by it."""
    async with staffed(tmp_path) as (rig, _):
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        seen = rig.machine.keys.waiting_call()
        assert seen is not None
        by = Actor(Role.ATTENDANT, 1, ADA)
        for older in (seen._replace(figures={"amount_cents": 900}), seen._replace(state=State.COLLECTING)):
            rig.machine.keys.answer(older, by)
            await rig.machine.clock.sleep(1.0)
            assert rig.credit == 1000
        rig.machine.keys.answer(seen, by)
        await rig.until_true(lambda: rig.credit == 0)


async def test_whoever_leaves_the_gate_has_paid_nothing(tmp_path: Path) -> None:
    """The hand-pay waits on, and a later turn asks again."""
    async with staffed(tmp_path) as (rig, hand):
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        await hand.turn(Role.ATTENDANT)
        await hand.turn(Role.ATTENDANT, on=False)
        assert (rig.shown, rig.credit) == ("handpay", 1000)
        await hand.turn(Role.ATTENDANT)
        await press_pin(hand, PINS[ADA])
        await rig.until_true(lambda: rig.credit == 0)


@pytest.mark.requirement("D5")
async def test_a_lock_up_is_cleared_by_the_pin_of_whoever_saw_it(tmp_path: Path) -> None:
    """What came after the key was turned stays, and the event has the name."""
    async with staffed(tmp_path) as (rig, hand):
        await rig.listener.device_fault("bill_validator", "note_yoyo", present=True)
        await hand.turn(Role.ATTENDANT)
        assert hand.page.message == LOCK_UP
        await rig.listener.device_fault("coin_acceptor", "coin_jam", present=True)
        await rig.listener.device_fault("coin_acceptor", "coin_jam", present=False)
        await press_pin(hand, PINS[ADA])
        await rig.until_true(lambda: "note_yoyo" not in rig.notices())
        assert "coin_jam" in rig.notices()
        assert [stamp for stamp in await stamps(rig) if stamp[0] == "fault_cleared"] == [
            ("fault_cleared", "attendant", ADA)
        ]


# what is recorded


@pytest.mark.parametrize("alone", [True, False])
async def test_every_row_of_an_act_names_the_person(tmp_path: Path, *, alone: bool) -> None:
    """Refill, collection, volume, service credit: money and events alike; the key alone is recorded as the key."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        rig.machine.settings.file_config = with_service(rig.machine.settings.file_config, attendant_key_alone=alone)
        rig.machine.settings.config = with_service(rig.machine.settings.config, attendant_key_alone=alone)
        await (hand.turn(Role.ATTENDANT) if alone else come_in(hand, BEN))
        ((seq,),) = await rig.rows("SELECT max(seq) FROM ledger")
        await hand.go("U.2")
        await hand.enter("Put coins in")
        await hand.type("250")
        await yes(rig)
        assert hand.page.message == "The coins are booked"
        for _ in range(2):
            await rig.press("collect")
        await hand.go("U.3")
        await hand.enter("Collect")
        for _ in range(2):
            await yes(rig)
        assert hand.page.message == "The period is closed"
        name = "" if alone else BEN
        rows = await rig.rows(f"SELECT count(*) FROM ledger WHERE seq > {seq}")  # noqa: S608
        result = await stamps(rig, f"seq > {seq}")
        assert {code for code, _, _ in result} >= {"hopper_refill", "collection"}
        assert {(role, who) for _, role, who in result} == {("attendant", name)}
        assert [(len(result),)] == rows


ACTS: tuple[tuple[str, str, str, int], ...] = (
    ("A.4", "Give service credit", "2000", 2),
    ("A.6", "Sound", "", 0),
    ("A.7", "Close the machine for players", "", 0),
    ("A.7", "Open the machine again", "", 0),
    ("C.7", "Menu closes itself after", "120", 0),
    ("U.4", "Clear the period", "", 2),
    ("U.5", "Void the credit", "", 2),
)
"""Page, row, figure that is typed, and how often it is asked."""


async def test_every_row_of_a_technicians_acts_names_the_technician(tmp_path: Path) -> None:
    """Credit, settings, sound, closing: from the PIN until the menu is left each ledger row has the name."""
    async with staffed(tmp_path) as (rig, hand):
        await rig.door(is_open=True)
        await come_in(hand, ADA, Role.TECHNICIAN)
        ((seq,),) = await rig.rows("SELECT max(seq) FROM ledger")
        for code, row, figure, asked in ACTS:
            await hand.go(code)
            ((before,),) = await rig.rows("SELECT max(seq) FROM ledger")
            await hand.enter(row)
            if figure:
                await hand.type(figure)
            elif hand.page.entry:
                await rig.press("spin")
            for _ in range(asked):
                await yes(rig)
            ((after,),) = await rig.rows("SELECT max(seq) FROM ledger")
            assert after > before, (code, row, hand.page.message)
            for _ in range(2):
                await rig.press("collect")
        rows = await rig.rows(f"SELECT count(*) FROM ledger WHERE seq > {seq}")  # noqa: S608
        result = await stamps(rig, f"seq > {seq}")
        assert {(role, who) for _, role, who in result} == {("technician", ADA)}
        assert [(len(result),)] == rows


async def yes(rig: Rig) -> None:
    """Answer a question with YES."""
    await rig.press("lines")
    await rig.press("spin")


# who may come in


@asynccontextmanager
async def ada_at_c7(folder: Path, *staff: tuple[str, Role]) -> AsyncIterator[tuple[Rig, Hand]]:
    """The technician Ada on C.7, before the open main door."""
    async with staffed(folder, *staff) as (rig, hand):
        await rig.door(is_open=True)
        await come_in(hand, ADA, Role.TECHNICIAN)
        await hand.go("C.7")
        yield rig, hand


async def type_new(hand: Hand, pin: str, again: str = "") -> None:
    """Type a new PIN twice."""
    await hand.type(pin)
    await press_pin(hand, again or pin)


async def test_a_technician_adds_an_attendant_who_chooses_a_pin_of_their_own(tmp_path: Path) -> None:
    """The first PIN is known to two people, so that it is good for its own change and for nothing else."""
    async with ada_at_c7(tmp_path) as (rig, hand):
        await hand.enter("Add an attendant")
        await hand.name("EVE")
        await type_new(hand, PINS[BEN])
        assert hand.page.message == "Added: the PIN is changed at the first entry"
        assert [(row.place, row.value) for row in hand.page.rows[:2]] == [
            ("EVE", "must change the PIN"),
            (ADA, "may come in"),
        ]
        await hand.turn(Role.TECHNICIAN, on=False)
        await rig.door(is_open=False)
        await hand.turn(Role.ATTENDANT)
        await hand.enter_place("EVE")
        await press_pin(hand, PINS[BEN])
        assert (hand.page.gate, hand.page.message) == (True, WORDS["own"])
        for wrong, result in ((PINS[BEN], "same"), ("123456", "guessable"), ("64820", "digits")):
            await press_pin(hand, wrong)
            assert (hand.page.gate, hand.page.message) == (True, WORDS[result])
        await hand.type(NEW)
        await press_pin(hand, NEW)
        await rig.until_true(lambda: not hand.page.gate)
        assert hand.page.person == "EVE"
        assert len(rig.machine.pins.read()) == 2
        result = [stamp for stamp in await stamps(rig) if stamp[0] in ("person_added", "pin_changed")]
        assert result == [("person_added", "technician", ADA), ("pin_changed", "attendant", "")]


async def test_what_is_refused_leaves_no_pin_behind(tmp_path: Path) -> None:
    """A name that is taken, PINs that differ, are guessable or too short: nobody is added, nothing is kept."""
    async with ada_at_c7(tmp_path) as (rig, hand):
        before = rig.machine.pins.read()
        for name, pin, again, result in (
            ("ADA", NEW, NEW, "Somebody else has this name: choose another"),
            ("EVE", NEW, PINS[BEN], WORDS["differ"]),
            ("EVE", "111111", "111111", WORDS["guessable"]),
            ("EVE", "25801", "25801", WORDS["digits"]),
        ):
            await hand.enter("Add an attendant")
            await hand.name(name)
            await type_new(hand, pin, again)
            assert hand.page.message == result
        assert rig.machine.pins.read() == before
        assert len(await rig.rows("SELECT * FROM people")) == 1


async def test_a_barred_person_comes_in_only_after_being_admitted_again(tmp_path: Path) -> None:
    """The PIN is gone with the right; whoever is admitted again gets a new one. Nobody bars themselves."""
    async with ada_at_c7(tmp_path, (BEN, Role.ATTENDANT), (CYD, Role.TECHNICIAN)) as (rig, hand):
        await hand.enter_place(ADA)
        await hand.enter("Bar")
        await yes(rig)
        assert hand.page.message == ITSELF
        await rig.press("collect")
        await hand.enter_place(BEN)
        await hand.enter("Bar")
        await yes(rig)
        assert hand.page.message == "Nobody comes in with this name now"
        assert [one.name for one in rig.machine.pins.read()] == [ADA, CYD]
        assert [one.name for one in await rig.journal.do(lambda tx: people.may_turn(tx, Role.ATTENDANT))] == [
            ADA,
            CYD,
        ]
        await hand.enter("Admit again")
        await type_new(hand, NEW)
        assert hand.page.message == "Admitted again"
        person = await rig.journal.do(lambda tx: people.named(tx, BEN))
        assert person is not None
        assert (person.may_enter, person.change_pin) == (True, True)


async def test_a_name_and_a_forgotten_pin_are_changed_by_the_technician(tmp_path: Path) -> None:
    """Who forgot the PIN gets one to be changed; the file beside the books has the new name too."""
    async with ada_at_c7(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await hand.enter_place(BEN)
        await hand.enter("Change the name")
        await hand.name("BENNO")
        assert hand.page.message == "The name is changed"
        await hand.enter("Give a new PIN")
        await type_new(hand, NEW)
        assert hand.page.message == "The PIN is changed at the next entry"
        assert [one.name for one in rig.machine.pins.read()] == [ADA, "BENNO"]


async def test_the_pin_is_changed_by_whoever_knows_it(tmp_path: Path) -> None:
    """A.9: the old one first; a wrong one counts as an attempt, guessable and unequal ones are refused."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await come_in(hand, BEN)
        await hand.go("A.9")
        for old, new, again, result in (
            ("111111", NEW, NEW, WORDS["wrong"]),
            (PINS[BEN], NEW, PINS[ADA], WORDS["differ"]),
            (PINS[BEN], "123456", "123456", WORDS["guessable"]),
            (PINS[BEN], "25801", "25801", WORDS["digits"]),
            (PINS[BEN], PINS[BEN], PINS[BEN], WORDS["same"]),
            (PINS[BEN], NEW, NEW, "The PIN is changed"),
        ):
            await hand.enter("Change my PIN")
            await hand.type(old)
            await type_new(hand, new, again)
            assert hand.page.message == result
            assert "{" not in said(hand)
        await hand.turn(Role.ATTENDANT, on=False)
        await hand.turn(Role.ATTENDANT)
        await hand.enter_place(BEN)
        await press_pin(hand, NEW)
        await rig.until_true(lambda: not hand.page.gate)
        assert len(await rig.events("pin_wrong")) == 1


async def test_lost_pins_are_given_anew_by_the_first_technician(tmp_path: Path) -> None:
    """The file is gone: a technician who is known by name chooses a PIN again, and gives the others theirs."""
    async with staffed(tmp_path, (BEN, Role.ATTENDANT)) as (rig, hand):
        await rig.journal.do(lambda tx: people.lose_pins(tx, ()))
        await hand.turn(Role.TECHNICIAN)
        await hand.name("BEN")
        assert hand.page.message == "Somebody else has this name: choose another"
        await hand.name("ADA")
        await hand.type(NEW)
        await press_pin(hand, NEW)
        await rig.until_true(lambda: not hand.page.gate)
        assert hand.page.person == ADA
        assert len(await rig.rows("SELECT * FROM people")) == 2


async def test_the_first_technician_has_a_name(tmp_path: Path) -> None:
    """Name, PIN and PIN again; the menu is open then, and its opening names the person."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.technician()
        assert hand.page.person == NAME
        assert [one[0] for one in await rig.rows("SELECT name FROM people")] == [NAME]
        assert (await stamps(rig))[-1] == ("service_menu", "technician", NAME)
