"""The EBDS driver against scripted answers: what is credited, when, and what no misfortune changes."""

import functools
import operator
import random
from collections.abc import Callable
from enum import IntFlag
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.bill_validator import BillValidator
from drivers.capabilities import Verdict
from drivers.clock import LoopClock
from drivers.currency import EURO
from drivers.ebds.protocol import Auxiliary, Condition, Mode, Options, State, Trouble, enabled
from drivers.errors import DriverError, NoReplyError, WireError
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.wiring import BillValidator as Settings
from tests.rigs.bill_rig import NOTE, Books, DeviceRig, KilledError, check_accounted
from tests.rigs.ebds_script import (
    ACCEPTING,
    IDLE,
    POWER_UP,
    RETURNING,
    STACKING,
    TICKET,
    Say,
    described,
    ebds_rig,
    refused,
    taken,
)

Rig = DeviceRig[Any]
RETURNED = Say(state=State.IDLING | State.RETURNED, does="returned")
CENTS = 1230


async def started(misbehaviour: Misbehaviour | None = None, prepare: Callable[[Rig], None] | None = None) -> Rig:
    """A validator that takes notes, and a cabinet that has printed one ticket."""
    rig = ebds_rig(misbehaviour)
    rig.books.tickets = {TICKET: CENTS}
    if prepare is not None:
        prepare(rig)
    await rig.start()
    return rig


async def played(*script: Say, prepare: Callable[[Rig], None] | None = None, seconds: float = 10) -> Rig:
    """What is left when a device has said all this."""
    rig = await started(prepare=prepare)
    rig.device.play(script)
    await rig.settle(seconds)
    return await rig.end()


IDENTITY = "model 54 revision 21, application 286000123, variant EURO, serial number 20 4711 A"


def balance(rig: Rig) -> tuple[int, list[int | None], list[str]]:
    """Credit, open items, redeemed tickets."""
    assert rig.books.escrow is None
    return rig.books.credit_cents, rig.books.open_items, rig.books.redeemed


# Starting.


async def test_it_says_who_it_is_and_takes_the_cabinets_notes() -> None:
    """Its table is read once, other currencies' notes stay out, and polls let it take notes and tickets."""
    rig = await started()
    assert rig.books.found == [IDENTITY]
    assert rig.device.inhibits == [enabled(frozenset({1, 2, 3, 4}), 19)]
    mode = Mode.ALL_ORIENTATIONS | Mode.ESCROW
    assert rig.device.polls[0] == bytes((0, mode, Options.EXTENDED_NOTES))
    assert rig.device.polls[-1] == bytes((0x7F, mode, Options.EXTENDED_NOTES | Options.BARCODES))
    assert rig.driver is not None
    rig.driver.accept(frozenset({1000}))
    await rig.settle(1)
    assert rig.device.inhibits[1:] == [enabled(frozenset({2}), 19)]
    rig.driver.accept(frozenset())
    await rig.settle(1)
    assert rig.device.polls[-1] == rig.device.polls[0]
    assert (rig.books.faults, rig.deaths) == ({}, [])
    await rig.end()


@pytest.mark.parametrize("question", list(Auxiliary))
@pytest.mark.parametrize("lost", range(1, 6))
async def test_answers_that_are_lost_make_no_other_validator(question: Auxiliary, lost: int) -> None:
    """Asked again with the same bit it repeats what it said last: that is no answer to another question."""
    rig = await started(prepare=lambda rig: rig.device.loses.update({question: lost}))
    await rig.settle(20)
    assert rig.books.found == [IDENTITY]
    assert rig.deaths == []
    await rig.end()


@pytest.mark.parametrize(("size", "tried"), [(8, 1), (5, 0)])
async def test_the_order_about_single_notes_is_as_long_as_the_device_wants(size: int, tried: int) -> None:
    """Nineteen bytes or eight; a device that takes neither takes all notes, and they are asked about in escrow."""

    def prepare(rig: Rig) -> None:
        rig.device.inhibit_bytes = size
        rig.accepted = frozenset({500})

    rig = await started(prepare=prepare)
    assert len(rig.device.inhibits) == tried
    assert rig.device.polls[-1][0] == 0x7F
    await rig.end()


async def test_a_device_without_extended_notes_names_seven_denominations() -> None:
    """Its value table says what they are worth; the mask has a bit for each that is taken."""

    def prepare(rig: Rig) -> None:
        rig.device.notes, rig.device.table = (), ((b"EUR", 500), (b"GBP", 1000), (b"EUR", NOTE))

    rig = await started(prepare=prepare)
    assert rig.device.polls[-1] == bytes((0b101, Mode.ALL_ORIENTATIONS | Mode.ESCROW, Options.BARCODES))
    rig.device.play(taken(denomination=3))
    await rig.settle()
    rig.device.play(refused(denomination=2))
    await rig.settle()
    await rig.end()
    assert balance(rig) == (NOTE, [], [])
    assert rig.stacked == rig.returned == [NOTE]


@pytest.mark.parametrize(
    ("notes", "fault", "words"),
    [
        ((), "wrong_device", "does not say what its notes are worth"),
        (((b"GBP", 500),), "wrong_currency", "the device takes notes of GBP, the cabinet is played in EUR"),
    ],
)
async def test_a_device_whose_notes_are_worth_nothing_here_is_refused(
    notes: tuple[tuple[bytes, int], ...], fault: str, words: str
) -> None:
    """Nothing is guessed about what a denomination is worth."""

    def prepare(rig: Rig) -> None:
        rig.device.notes = notes

    rig = await started(prepare=prepare)
    assert words in rig.books.faults[fault]
    assert all(poll[0] == 0 for poll in rig.device.polls)
    rig.device.notes = ((b"EUR", 500),)
    await rig.settle(5)
    assert rig.books.faults == {}
    await rig.end()


async def test_a_device_that_answers_no_question_about_itself_is_taken_all_the_same() -> None:
    """Only what its notes are worth must be known."""

    def prepare(rig: Rig) -> None:
        rig.device.knows_aux = False

    rig = await started(prepare=prepare)
    assert rig.books.found == ["model 54 revision 21, application unknown, variant unknown, serial number unknown"]
    await rig.end()


async def test_a_silent_device_is_reported_and_found_again() -> None:
    """Switched off it is a fault that says what to check; on again it works as before."""
    rig = await started()
    rig.device.power(on=False)
    await rig.settle(30)
    assert "check its power and its cable" in rig.books.faults["no_reply"]
    assert {type(death) for death in rig.deaths} == {NoReplyError}
    rig.device.power(on=True)
    await rig.settle(10)
    assert rig.books.faults == {}
    rig.device.insert(NOTE)
    await rig.settle()
    check_accounted(await rig.end())


# A note, a ticket.


async def test_a_note_is_credited_once_after_its_order_is_durable() -> None:
    """Escrow, the ACK bit of the poll that orders it, credit, acknowledgement."""
    rig = await played(*taken(cents=NOTE))

    assert set(rig.device.orders) == {Mode.STACK}
    credited = rig.books.calls[rig.books.calls.index("escrow 2000") :]
    assert credited[0] == "escrow 2000"
    assert [call for call in credited if not call.startswith("dialogue")] == ["escrow 2000", "stacked", "acknowledged"]
    assert credited[1] in {f"dialogue ebds{ack} serial {b'20 4711 A'.hex()}" for ack in (0, 1)}
    assert balance(rig) == (NOTE, [], [])


async def test_a_refused_note_is_returned() -> None:
    """The order to return is repeated until it leaves the escrow, and nothing is credited."""
    rig = await started()
    rig.books.verdict = Verdict.RETURN
    rig.device.play(refused(cents=NOTE))
    await rig.settle()
    await rig.end()

    assert set(rig.device.orders) == {Mode.RETURN}
    assert (balance(rig), rig.returned) == ((0, [], []), [NOTE])
    assert rig.books.reasons[-1] == "it was not taken"


async def test_a_verdict_that_takes_long_is_polled_for() -> None:
    """The device is polled without an order, so that it neither gives the note back nor falls silent."""
    rig = await started()
    rig.books.verdict_after_s = 20
    rig.device.insert(NOTE)
    await rig.settle(15)
    assert rig.device.orders == []
    polls = len(rig.device.polls)
    await rig.settle(5)
    assert len(rig.device.polls) > polls + 20
    await rig.settle(10)
    check_accounted(await rig.end())
    assert rig.books.credit_cents == NOTE


@pytest.mark.parametrize("back", [[RETURNED], [IDLE]], ids=["says so", "says nothing"])
async def test_a_note_that_leaves_while_its_verdict_is_awaited(back: list[Say]) -> None:
    """It was never ordered to be stacked, so its verdict comes too late and it is certainly returned."""
    rig = await started()
    rig.books.verdict_after_s = 5
    escrow = Say(state=State.ESCROWED, cents=NOTE)
    rig.device.play([ACCEPTING, *[escrow] * 10, RETURNING, *back])
    await rig.settle()
    await rig.end()

    assert rig.device.orders == []
    assert balance(rig) == (0, [], [])
    assert len(rig.books.reasons) == 1


async def test_a_ticket_is_redeemed_once() -> None:
    """Its number is read in escrow; stacked it becomes the credit that the cabinet knows it for."""
    rig = await played(*taken(ticket=TICKET))

    assert balance(rig) == (CENTS, [], [TICKET])
    assert f"ticket {TICKET}" in rig.books.calls
    assert any(f"t{TICKET} " in call for call in rig.books.calls)


async def test_a_ticket_whose_end_has_no_barcode() -> None:
    """Whether a stacked ticket's number is said again is not public: the one seen in escrow holds."""
    script = taken(ticket=TICKET)
    rig = await played(*script[:-1], Say(state=State.STACKED, does="stacked"))

    assert balance(rig) == (CENTS, [], [TICKET])


async def test_a_ticket_that_is_stacked_as_another_is_an_open_item() -> None:
    """What lies in the box is not what was ordered: nobody guesses."""
    script = taken(ticket=TICKET)
    rig = await played(*script[:-1], Say(state=State.STACKED, ticket="999999", does="stacked"))

    assert balance(rig) == (0, [CENTS], [])


@pytest.mark.parametrize("number", ["000000000000000000", "ABC123"])
async def test_a_ticket_that_is_worth_nothing_here_goes_back(number: str) -> None:
    """A foreign number is asked about, a code that is none is not."""
    rig = await played(*refused(ticket=number))

    assert (balance(rig), rig.returned) == ((0, [], []), [NOTE])
    assert (f"refused {number}" in rig.books.calls) is number.isdigit()


@pytest.mark.parametrize(
    "last",
    [
        Say(state=State.STACKED, does="stacked"),
        Say(state=State.STACKED, cents=NOTE, classification=2, does="stacked"),
        Say(state=State.STACKED, raw=b"\0EUR???", does="stacked"),
    ],
    ids=["no value", "forgery", "unreadable"],
)
async def test_a_stacked_note_that_the_device_does_not_vouch_for_is_an_open_item(last: Say) -> None:
    """It pushes such notes into the box; the attendant decides."""
    rig = await played(*taken(cents=NOTE)[:-1], last)

    assert balance(rig) == (0, [NOTE], [])


@pytest.mark.requirement("B2")
async def test_a_note_that_nobody_ordered_is_an_open_item() -> None:
    """A credit message without an escrow credits nothing, and an attendant sees it."""
    rig = await played(Say(state=State.STACKED, cents=NOTE, does="stacked"))

    assert balance(rig) == (0, [NOTE], [])


BLANKS = {
    "nothing described": Say(state=State.IDLING | State.STACKED),
    "a note of zero": Say(state=State.IDLING | State.STACKED, raw=described(0, b"EUR", 0)),
}
AFTER = {
    "power": [POWER_UP, POWER_UP],
    "cassette": [Say(condition=Condition(0)), Say(condition=Condition(0))],
}


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("after", AFTER)
async def test_stacked_without_a_note_after_a_change_of_power_or_cassette_is_nothing(after: str, blank: str) -> None:
    """Public drivers describe it: nobody put a note in; the next note is credited as ever."""
    rig = await played(*[IDLE] * 1_000, *AFTER[after], BLANKS[blank], *taken(cents=NOTE), seconds=200)

    assert balance(rig) == (NOTE, [], [])


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("after", AFTER)
async def test_stacked_without_a_value_is_the_note_that_was_in_hand(after: str, blank: str) -> None:
    """Whatever has changed meanwhile: nobody guesses whether it is that one."""
    rig = await played(*taken(cents=NOTE)[:-1], *AFTER[after], BLANKS[blank])

    assert balance(rig) == (0, [NOTE], [])


@pytest.mark.parametrize("blank", BLANKS)
async def test_stacked_without_a_note_at_any_other_time_is_an_open_item(blank: str) -> None:
    """Something lies in the box, and nothing has changed for minutes."""
    rig = await played(*[IDLE] * 1_000, BLANKS[blank], seconds=200)

    assert balance(rig) == (0, [None], [])


async def test_a_note_of_another_currency_and_an_unreadable_one_go_back_unasked() -> None:
    """Only what has a value here is asked about; what a device says nothing of goes back after a while."""
    for script in (
        refused(raw=b"\0GBP005+00\0AABA\0\0\0"),  # type: ignore[arg-type]
        refused(raw=b"\0EUR???"),  # type: ignore[arg-type]
        refused(),
    ):
        rig = await played(*script)
        assert (balance(rig), rig.returned) == ((0, [], []), [NOTE])
        assert not [call for call in rig.books.calls if call.startswith("escrow")]


@pytest.mark.parametrize(
    ("script", "items", "reason"),
    [
        ([RETURNING, RETURNED], [], "the validator gave it back by itself"),
        ([Say(condition=Condition.CASSETTE_PRESENT | Condition.REJECTED)], [NOTE], "the validator rests"),
        ([IDLE], [NOTE], "the validator rests"),
        ([POWER_UP, POWER_UP, IDLE], [NOTE], "the validator rests"),
        ([POWER_UP, POWER_UP, RETURNING, RETURNED], [], "the validator gave it back by itself"),
    ],
    ids=["returned", "rejected", "forgotten", "cut", "cut and returned"],
)
async def test_the_end_of_a_note_that_was_ordered_to_be_stacked(
    script: list[Say], items: list[int], reason: str
) -> None:
    """What the device says decides; what it does not say an attendant decides."""
    rig = await played(*taken(cents=NOTE)[:-1], *script)

    assert balance(rig) == (0, items, [])
    assert rig.books.reasons[-1].startswith(reason)


async def test_after_a_start_the_devices_settings_are_set_anew() -> None:
    """It has forgotten which notes it may take, and may be another one."""
    rig = await played(POWER_UP, POWER_UP, IDLE)

    assert len(rig.device.inhibits) == len(rig.books.found) == 2
    assert balance(rig) == (0, [], [])


@pytest.mark.requirement("D8")
async def test_notes_that_are_not_recognised_are_an_alarm() -> None:
    """Rejected again and again."""
    rejected = [ACCEPTING, Say(condition=Condition.CASSETTE_PRESENT | Condition.REJECTED), IDLE, IDLE]
    rig = await played(*rejected * 10, seconds=30)

    assert rig.books.raised == ["notes_rejected"]


# Faults.

PRESENT = Condition.CASSETTE_PRESENT
BAD = {
    "acceptor_jam": Say(state=State(0), condition=PRESENT | Condition.JAMMED),
    "stacker_full": Say(state=State(0), condition=PRESENT | Condition.STACKER_FULL),
    "stacker_open": Say(state=State(0), condition=Condition(0)),
    "stacker_jam": Say(state=State(0), other=1),
    "failure": Say(state=State(0), trouble=Trouble.FAILURE),
    "cheated": Say(condition=PRESENT | Condition.CHEATED),
}


@pytest.mark.parametrize("fault", sorted(BAD))
async def test_faults_come_and_go(fault: str) -> None:
    """Each is raised while the device reports it, and it is served again when that is over."""
    rig = await started()
    rig.device.rest = BAD[fault]
    await rig.settle(2)
    assert set(rig.books.faults) == {fault}
    rig.device.rest = IDLE
    await rig.settle(2)
    assert (rig.books.faults, rig.books.raised, rig.deaths) == ({}, [fault], [])
    assert rig.device.polls[-1][0] == 0x7F
    rig.device.insert(NOTE)
    await rig.settle()
    check_accounted(await rig.end())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Say(trouble=Trouble.PATH_OPEN), "its note path is open"),
        (Say(condition=PRESENT | Condition.CALIBRATION), "it waits to be calibrated"),
        (Say(state=State(0)), "it is out of service and does not say why: switch it off and on"),
    ],
)
async def test_a_failure_says_which(said: Say, words: str) -> None:
    """What keeps a device out of service is named, once."""
    rig = await started()
    rig.device.rest = said
    await rig.settle(30)
    assert (rig.books.faults, rig.books.raised) == ({"failure": words}, ["failure"])
    await rig.end()


@pytest.mark.requirement("P8")
async def test_a_failed_self_test_keeps_every_note_out() -> None:
    """A device that does not get ready is a fault after a minute, is let take nothing, and comes back."""
    rig = ebds_rig()
    rig.device.rest = POWER_UP
    await rig.start()
    await rig.settle(50)
    assert rig.books.faults == {}
    await rig.settle(10)
    assert rig.books.faults == {"failure": "it does not get ready: switch it off and on"}
    assert all(poll[0] == 0 for poll in rig.device.polls)
    rig.device.rest = IDLE
    await rig.settle(5)
    assert (rig.books.faults, rig.device.polls[-1][0]) == ({}, 0x7F)
    await rig.end()


async def test_a_pause_is_no_fault() -> None:
    """A second note held against the mouth is nobody's fault."""
    rig = await started()
    rig.device.rest = Say(condition=PRESENT | Condition.PAUSED)
    await rig.settle(2)
    assert rig.books.raised == []
    await rig.end()


async def test_faults_of_an_earlier_run_are_cleared() -> None:
    """What the device no longer says is over."""
    rig = ebds_rig()
    for code in ("stacker_full", "failure", "no_reply", "wrong_device"):
        await rig.books.device_fault("bill_validator", code, present=True)
    await rig.start()
    assert rig.books.faults == {}
    await rig.end()


# Misfortunes. Each life ends in the box unless its script says otherwise.

LIVES: dict[str, tuple[list[Say], tuple[int, list[str]]]] = {
    "note": (taken(cents=NOTE), (NOTE, [])),
    # one poll longer: its credit comes under the other ACK bit
    "ticket": ([ACCEPTING, *taken(ticket=TICKET)], (CENTS, [TICKET])),
}
EACH = pytest.mark.parametrize("life", LIVES)


def depths(some: range, every: range) -> pytest.MarkDecorator:
    """Parametrize `moments`: some of them in each run, every one in the proofs."""
    return pytest.mark.parametrize(
        "moments", [pytest.param(some, id="some"), pytest.param(every, id="every", marks=pytest.mark.proof)]
    )


def check(rig: Rig, life: str) -> None:
    """What lies in the box is credited once."""
    credit, redeemed = LIVES[life][1]
    assert rig.stacked == [NOTE]
    assert balance(rig) == (credit, [], redeemed)


@EACH
@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
@depths(range(3, 12, 4), range(12))
async def test_every_frame_goes_wrong(life: str, kind: Kind, way: Way, moments: range) -> None:
    """Whatever happens to the frames at any moment, what is stacked is credited once."""

    async def main(after_polls: int, frames: int) -> Rig:
        misbehaviour = Misbehaviour(delay_s=1.2)
        rig = await started(misbehaviour)
        rig.device.play(LIVES[life][0])
        await rig.settle(after_polls * 0.1)
        misbehaviour.inject(kind, frames, way=way)
        await rig.settle(8)
        return await rig.end()

    for after_polls in moments:
        for frames in (1, 3) if len(moments) > 3 else (3,):
            check(await main(after_polls, frames), life)


@EACH
@pytest.mark.parametrize("sent", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
@depths(range(5, 11), range(1, 16))
async def test_killed_at_every_write(life: str, down_s: float, sent: bool, moments: range) -> None:  # noqa: FBT001 - a parameter
    """A driver killed around any poll takes the dialogue up again under the same ACK bit: credited once, never lost."""

    async def main(write: int) -> Rig:
        rig = await started()
        rig.down_s = down_s
        rig.port.die_at, rig.port.die_sent = rig.port.writes + write, sent
        rig.device.play(LIVES[life][0])
        await rig.settle(down_s + 10)
        return await rig.end()

    for write in moments:
        rig = await main(write)
        assert [type(death) for death in rig.deaths] == [KilledError]
        check(rig, life)


@EACH
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
@depths(range(1, 11, 3), range(1, 12))
async def test_killed_around_every_commit(life: str, down_s: float, when: str, moments: range) -> None:
    """The process dies before or after any transaction: still credited exactly once."""

    async def main(call: int) -> tuple[Rig, int]:
        rig = await started()
        rig.down_s = down_s
        fatal = len(rig.books.calls) + call

        async def die(number: int, at: str) -> None:
            if (number, at) == (fatal, when):
                raise KilledError

        rig.books.at_call = die
        rig.device.play(LIVES[life][0])
        await rig.settle(down_s + 10)
        return await rig.end(), fatal

    deaths = 0
    for call in moments:
        rig, _fatal = await main(call)
        deaths += len(rig.deaths)
        check(rig, life)
    assert deaths >= min(7, len(moments) - 1)


@EACH
@depths(range(5, 7), range(1, 10))
async def test_killed_twice(life: str, moments: range) -> None:
    """Killed again at any poll of the conversation that took the dialogue up."""

    async def main(first: int, second: int) -> Rig:
        rig = await started()
        rig.down_s = 0.05
        rig.port.die_at = rig.port.writes + first
        rig.device.play(LIVES[life][0])
        while not rig.deaths:
            await rig.settle(0.05)
        rig.port.die_at = rig.port.writes + second
        await rig.settle(10)
        return await rig.end()

    for first in moments:
        for second in range(1, 7):
            check(await main(first, second), life)


@EACH
@depths(range(6, 16, 3), range(60))
async def test_killed_at_every_moment(life: str, moments: range) -> None:
    """The task is cancelled wherever it waits, and another begins at once."""

    async def main(fiftieths: int) -> Rig:
        rig = await started()
        rig.device.play(LIVES[life][0])
        await rig.settle(fiftieths / 50 + 0.003)
        await rig.kill()
        rig.run()
        await rig.settle(10)
        return await rig.end()

    for fiftieths in moments:
        check(await main(fiftieths), life)


def exchange(rig: Rig) -> None:
    """Put another validator in the device's place, which reports a note of its own when it is asked first."""
    rig.device.power(on=False)
    rig.device.serial = b"20 4712 A"
    rig.device.power(on=True)
    rig.device.play([POWER_UP, Say(state=State.IDLING | State.STACKED, cents=NOTE)])


@pytest.mark.parametrize("runs", [False, True], ids=["stopped", "running"])
@pytest.mark.parametrize("second", range(11))
async def test_another_validator_says_nothing_of_the_note_of_the_one_before(second: int, *, runs: bool) -> None:
    """It is exchanged with a note on its way, while the program is killed or runs, and perhaps killed once more."""
    rig = await started()
    rig.device.play(LIVES["note"][0])
    while rig.device.slot != "stacking":
        await rig.settle(0.05)
    if not runs:
        await rig.kill()
    exchange(rig)
    if second:
        rig.port.die_at = rig.port.writes + second
    if not runs:
        rig.run()
    await rig.settle(20)
    await rig.end()
    assert balance(rig) == (0, [NOTE], [])


async def killed_while_stacking(life: str = "note") -> Rig:
    """The program dies with the note or ticket on its way to the box."""
    rig = await started()
    rig.device.play(LIVES[life][0])
    while rig.device.slot != "stacking":
        await rig.settle(0.05)
    await rig.kill()
    return rig


@pytest.mark.parametrize("names_itself_first", [True, False])
async def test_another_validator_that_takes_long_to_start(*, names_itself_first: bool) -> None:
    """It may not say who it is until it is ready; its note is not believed before that."""
    rig = await killed_while_stacking()
    exchange(rig)
    rig.device.names_itself_first = names_itself_first
    rig.device.play([*[POWER_UP] * 6, Say(state=State.IDLING | State.STACKED, cents=NOTE)])
    rig.run()
    await rig.settle(20)
    await rig.end()
    assert balance(rig) == (0, [NOTE], [])
    assert [type(death) for death in rig.deaths] == ([] if names_itself_first else [WireError])


async def test_a_note_of_another_validator_is_credited_after_a_kill() -> None:
    """A note that lies in the spare one's escrow is journaled under that one's serial number."""
    rig = await killed_while_stacking()
    exchange(rig)
    rig.device.play([IDLE, *taken(cents=500)])
    rig.run()
    while "escrow 500" not in rig.books.calls or rig.device.slot != "stacking":
        await rig.settle(0.05)
    await rig.kill()
    rig.run()
    await rig.settle(10)
    await rig.end()
    assert balance(rig) == (500, [NOTE], [])


@pytest.mark.parametrize("lost", [3, 6])
async def test_another_validators_number_is_heard_on_a_bad_line(lost: int) -> None:
    """Killed after its first answer; then the answers that name it are lost, and come in reply to polls."""
    rig = await killed_while_stacking()
    exchange(rig)
    rig.device.play([Say(state=State.IDLING | State.STACKED, cents=NOTE)])
    rig.port.die_at = rig.port.writes + 2
    rig.run()
    while not rig.deaths:
        await rig.settle(0.05)
    rig.device.loses[Auxiliary.SERIAL_NUMBER] = lost
    await rig.settle(30)
    await rig.end()
    assert balance(rig) == (0, [NOTE], [])


@pytest.mark.parametrize("missed", [3, 6, 9])
@pytest.mark.parametrize("write", [0, 4, 5, 8, 9, 12])
@EACH
async def test_a_credit_that_comes_in_place_of_the_serial_number_counts(life: str, write: int, missed: int) -> None:
    """The device does not hear the question and reports the end to the poll after it; perhaps it is killed again."""
    rig = await killed_while_stacking(life)
    rig.device.script.pop(0)
    rig.device.misses[Auxiliary.SERIAL_NUMBER] = missed
    if write:
        rig.port.die_at, rig.port.die_sent = rig.port.writes + write, True
    rig.run()
    await rig.settle(30)
    await rig.end()
    check(rig, life)


@pytest.mark.parametrize("missed", [0, 6, 9])
@EACH
async def test_a_device_that_starts_with_a_note_in_hand_reports_it_all_the_same(life: str, missed: int) -> None:
    """It is asked who it is when it is ready, and what it says meanwhile counts."""
    rig = await started()
    rig.device.play(LIVES[life][0])
    while rig.device.slot != "stacking":
        await rig.settle(0.05)
    end = rig.device.script[-1]
    rig.device.power(on=False)
    rig.device.power(on=True)
    rig.device.script = [POWER_UP, POWER_UP, STACKING, end]
    rig.device.misses[Auxiliary.SERIAL_NUMBER] = missed
    await rig.settle(30)
    await rig.end()
    check(rig, life)


@pytest.mark.parametrize("stacked", [TICKET, "999999999999999999"])
async def test_a_journaled_answer_holds_no_ticket_number(stacked: str) -> None:
    """A whole number is enough to print the ticket: an answer is kept without it, twice if it must be."""
    rig = await killed_while_stacking("ticket")
    rig.device.script = [Say(state=State.IDLING | State.STACKED, ticket=stacked, does="stacked")]
    rig.port.die_at = rig.port.writes + 2
    rig.run()
    await rig.settle(20)
    await rig.end()
    assert balance(rig) == ((CENTS, [], [TICKET]) if stacked == TICKET else (0, [CENTS], []))
    assert any(" answer " in call for call in rig.books.calls)
    assert not [call for call in rig.books.calls if stacked.encode().hex() in call]


@pytest.mark.requirement("P4")
@EACH
@depths(range(3, 9, 2), range(12))
@pytest.mark.parametrize("whole_cabinet", [False, True])
@pytest.mark.parametrize("says_so", [False, True])
async def test_the_mains_fail_at_every_position(
    life: str,
    whole_cabinet: bool,  # noqa: FBT001 - a parameter of the test
    says_so: bool,  # noqa: FBT001 - a parameter of the test
    moments: range,
) -> None:
    """Policy A: what is on its way to the box is stacked unreported, an open item; all else comes back."""

    async def main(polls: int) -> Rig:
        rig = await started()
        rig.device.play(LIVES[life][0])
        await rig.settle(polls * 0.1 + 0.05)
        inside, stacking = bool(rig.device.script), rig.device.slot == "stacking"
        rig.device.power(on=False)
        if whole_cabinet:
            await rig.kill()
        came_back = [RETURNING, RETURNED] if says_so else [Say(state=State.RETURNING, does="returned")]
        ends = [] if not inside else [Say(state=State.STACKING, does="stacked")] if stacking else came_back
        rig.device.play([POWER_UP, POWER_UP, *ends])
        await rig.settle(1)
        rig.device.power(on=True)
        if whole_cabinet:
            rig.run()
        await rig.settle(20)
        assert rig.books.faults == {}
        return await rig.end()

    worth, redeemed = LIVES[life][1]
    for polls in moments:
        rig = await main(polls)
        assert len(rig.stacked) + len(rig.returned) == 1
        if rig.books.credit_cents:
            assert (balance(rig), rig.stacked) == ((worth, [], redeemed), [NOTE])
        elif rig.books.open_items:
            assert balance(rig) == (0, [worth], [])
        else:
            assert (balance(rig), rig.returned) == ((0, [], []), [NOTE])
            assert rig.books.tickets == {TICKET: CENTS}


async def test_a_note_that_comes_back_after_a_kill_is_an_open_item() -> None:
    """Nobody read the device meanwhile: what it gives back may be another note, put in after this one was stacked."""
    rig = await started()
    rig.device.play([*taken(cents=NOTE)[:-1], RETURNING, RETURNING, RETURNED])
    while STACKING is not (rig.device.script or [None])[0]:
        await rig.settle(0.02)
    await rig.kill()
    rig.run()
    await rig.settle(10)
    await rig.end()

    assert (balance(rig), rig.returned) == ((0, [NOTE], []), [NOTE])


async def test_a_note_that_still_lies_in_escrow_after_a_kill_is_asked_about_anew() -> None:
    """The order never reached the device: the first escrow ends as returned, a second one begins."""
    rig = await started()
    escrow = Say(state=State.ESCROWED, cents=NOTE, until=Mode.STACK)
    rig.device.play([ACCEPTING, escrow, escrow, *taken(cents=NOTE)[3:]])
    rig.down_s = 0.05
    while not rig.device.orders:
        await rig.settle(0.02)
    await rig.kill()
    rig.run()
    await rig.settle(10)
    await rig.end()

    assert rig.books.calls.count("escrow 2000") == 2
    check(rig, "note")


async def test_a_note_that_is_just_about_to_be_stacked_is_not_asked_about_anew() -> None:
    """A device that obeys the order may still say "in escrow" for a moment, to the next conversation too."""
    rig = await started()
    escrow = Say(state=State.ESCROWED, cents=NOTE)
    order, *rest = taken(cents=NOTE)[2:]
    rig.device.play([ACCEPTING, order, escrow, escrow, escrow, *rest])
    while not rig.device.orders:
        await rig.settle(0.02)
    await rig.kill()
    rig.books.verdict = Verdict.RETURN
    rig.run()
    await rig.settle(10)
    await rig.end()

    assert rig.books.calls.count("escrow 2000") == 1
    check(rig, "note")


@pytest.mark.parametrize("words", ["id003", "id003t", "1a", "1at123456", "0000000000000000000000", "ebds", "ebds2"])
async def test_a_note_left_by_another_protocol_is_not_guessed(words: str) -> None:
    """The validator was replaced by one of another kind with a note on its way: an open item, and it serves on."""
    rig = ebds_rig()
    rig.books.escrow, rig.books.dialogue = (NOTE, "stacking"), words
    await rig.start()
    assert rig.books.open_items == [NOTE]
    rig.device.insert(500)
    await rig.settle()
    await rig.end()
    assert balance(rig) == (500, [NOTE], [])


def bits(kind: type[IntFlag]) -> st.SearchStrategy[IntFlag]:
    """Any combination of a byte's bits."""
    return st.sets(st.sampled_from(list(kind))).map(lambda some: functools.reduce(operator.or_, some, kind(0)))


ANSWERS = st.builds(
    Say,
    state=bits(State),
    condition=bits(Condition),
    trouble=bits(Trouble),
    other=st.integers(0, 0x7F),
    denomination=st.integers(0, 7),
    cents=st.sampled_from([0, NOTE]),
    classification=st.integers(0, 5),
    ticket=st.sampled_from(["", TICKET, "999999", "no digits"]),
    raw=st.sampled_from([b"", b"", b"", b"\0", b"\0EUR0x0+00\0AABA\0\0\0"]),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(ANSWERS, max_size=25))
async def test_any_answers_at_any_time(script: list[Say]) -> None:
    """Whatever a device says for a while, the books have an end for each note, and it is served again afterwards."""
    rig = await started()
    rig.device.play(script)
    await rig.settle(30)
    asked = [call for call in rig.books.calls if call.startswith(("escrow", "ticket 0"))]
    before, items, _ = balance(rig)
    assert before <= sum(NOTE if call.startswith("escrow") else CENTS for call in asked)
    assert rig.books.redeemed in ([], [TICKET])
    assert not [item for item in items if item is not None and item < 0]
    rig.device.insert(500)
    await rig.settle(10)
    await rig.end()
    assert (rig.books.credit_cents, rig.deaths) == (before + 500, [])


async def test_a_million_random_bytes_credit_nothing() -> None:
    """A flooded driver gives up with a clear error and reports nothing about money."""

    class FloodPort:
        path = "flood"

        def __init__(self) -> None:
            self.left = 1_000_000
            self._chance = random.Random(11)

        async def open(self) -> None:
            """Always there."""

        async def write(self, data: bytes) -> None:
            """Nobody listens."""

        async def read(self, timeout: float) -> bytes:  # noqa: ASYNC109 - the seam's own signature
            await LoopClock().sleep(min(timeout, 0.004))
            size = min(self.left, 400)
            self.left -= size
            if not size:
                await LoopClock().sleep(timeout)
            return bytes(byte & 0x7F for byte in self._chance.randbytes(size))

        def close(self) -> None:
            """Nothing to release."""

    port, books = FloodPort(), Books()
    settings = Settings(port="flood", protocol="ebds", parity="none")
    while port.left:
        driver = BillValidator(settings, port, LoopClock(), books, currency=EURO)
        with pytest.raises(DriverError):
            await driver.run()

    assert (books.credit_cents, books.open_items, books.calls) == (0, [], [])
