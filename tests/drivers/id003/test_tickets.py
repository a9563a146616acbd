"""Tickets in the ID-003 driver against scripted statuses: what is redeemed, when, and what no misfortune changes."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from drivers.id003.protocol import REJECT_REASONS, Command, Status, encode
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from tests.rigs.bill_rig import NOTE, TICKET, TICKET_CENTS, DeviceRig, KilledError, check_ticket_accounted
from tests.rigs.id003_script import (
    ACCEPTING,
    NOTES,
    RETURNING,
    STACKED,
    STACKING,
    TICKET_CODE,
    VEND_VALID,
    Say,
    escrow,
    id003_rig,
    taken,
)
from tests.rigs.vectors import of_drivers

Rig = DeviceRig[Any]
CODE = TICKET_CODE + TICKET.encode()
ESCROW_LOST_S = 10.0
VECTORS = [(row[0], bytes.fromhex(row[1]), row[3]) for row in of_drivers("id003_ticket_vectors.tsv")]


async def started(misbehaviour: Misbehaviour | None = None, prepare: Callable[[Rig], None] | None = None) -> Rig:
    """A validator that takes notes, and a cabinet that has printed one ticket."""
    rig = id003_rig(misbehaviour)
    rig.books.tickets = {TICKET: TICKET_CENTS}
    if prepare is not None:
        prepare(rig)
    await rig.start()
    return rig


async def played(*script: Say, paper: object = TICKET) -> Rig:
    """What is left when a device has said all this."""
    rig = await started()
    rig.device.play(script, paper)
    await rig.settle(15)
    return await rig.end()


def balance(rig: Rig) -> tuple[int, list[int | None], list[str]]:
    """Credit, open items, redeemed tickets."""
    assert rig.books.escrow is None
    return rig.books.credit_cents, rig.books.open_items, rig.books.redeemed


async def test_its_reader_is_set_up_after_each_reset_as_public_hosts_do() -> None:
    """Interleaved 2 of 5 with 18 characters, notes and tickets taken; a power cut forgets both."""
    rig = await started()
    wanted = [raw for kind, raw, _ in VECTORS if kind == "set"]
    for _ in range(2):
        barcode = (Command.SET_BARCODE, Command.SET_BARCODE_INHIBIT)
        assert [encode(each, rig.device.settings[each]) for each in barcode] == [wanted[0], wanted[2]]
        rig.device.power(on=False)
        rig.device.power(on=True)
        await rig.settle(20)
    await rig.end()


async def test_a_ticket_is_redeemed_once_and_notes_go_on() -> None:
    """Its number is read in escrow, what is kept of the dialogue says that it is a ticket; stack-2, as notes are."""
    rig = await started()
    for insert in (rig.device.insert, rig.device.insert_ticket, rig.device.insert):
        insert(TICKET if insert == rig.device.insert_ticket else NOTE)
        await rig.settle()
    await rig.end()

    assert rig.stacked == [NOTE, TICKET, NOTE]
    assert balance(rig) == (2 * NOTE + TICKET_CENTS, [], [TICKET])
    asked = rig.books.calls.index(f"ticket {TICKET}")
    assert rig.books.calls[asked : asked + 4] == [
        f"ticket {TICKET}",
        "dialogue id003t",
        "ticket stacked",
        "acknowledged",
    ]
    assert set(rig.device.orders) == {Command.STACK_2}


@pytest.mark.parametrize("code", ["000000000000000000", "", "123456", "1234567890ABCDEFGH", "123456789012345678901234"])
async def test_a_ticket_that_is_worth_nothing_here_goes_back(code: str, caplog: pytest.LogCaptureFixture) -> None:
    """A foreign number is asked about; a code of other characters, or of more or fewer, is not, and the log says so."""
    rig = await started()
    rig.device.insert_ticket(code)
    await rig.settle()
    await rig.end()

    read = len(code) == 18 and code.isdigit()
    assert (balance(rig), rig.returned) == ((0, [], []), [code])
    assert (f"refused {code}" in rig.books.calls) is read
    assert set(rig.device.orders) == {Command.RETURN}
    logged = [message for message in caplog.messages if "a ticket goes back" in message]
    assert len(logged) == (0 if read else 1)


async def test_the_log_names_an_unreadable_ticket_once(caplog: pytest.LogCaptureFixture) -> None:
    """The device may go on saying "in escrow" while it obeys: the order to return is repeated, the line is not."""
    still = Say(status=Status.ESCROW, data=TICKET_CODE + b"123456", polls=8)
    rig = await played(ACCEPTING, still, RETURNING)

    assert rig.device.orders.count(Command.RETURN) > 2
    assert sum("a ticket goes back" in message for message in caplog.messages) == 1


@pytest.mark.parametrize("refused", [Command.SET_BARCODE, Command.SET_BARCODE_INHIBIT])
async def test_a_validator_without_a_barcode_reader_takes_notes(
    refused: Command, caplog: pytest.LogCaptureFixture
) -> None:
    """It refuses a command about barcodes (4B): the log says that there are no tickets, and nothing is a fault."""
    rig = await started(prepare=lambda rig: setattr(rig.device, "refuses", frozenset({refused})))
    rig.device.insert(NOTE)
    await rig.settle()
    if refused is Command.SET_BARCODE:
        assert rig.device.settings[Command.SET_BARCODE_INHIBIT] == b"\x02"
        rig.device.insert_ticket(TICKET)
        await rig.settle()
    await rig.end()

    assert (balance(rig), rig.stacked, rig.books.faults) == ((NOTE, [], []), [NOTE], {})
    assert any(f"no tickets: it does not echo {refused.name}" in message for message in caplog.messages)


@pytest.mark.parametrize("last", [[VEND_VALID], [STACKED]], ids=["no stacked", "no vend valid"])
@pytest.mark.parametrize("named", [b"", TICKET_CODE], ids=["unnamed", "named"])
async def test_whatever_its_end_says_the_ticket_is_redeemed_once(last: list[Say], named: bytes) -> None:
    """Whether vend valid ever names a ticket is not public; a "stacked" that follows our order is enough."""
    ends = [msgspec.structs.replace(last[0], data=named, does="stacked")]
    rig = await played(ACCEPTING, escrow(CODE), STACKING, *ends)

    assert (balance(rig), rig.stacked) == ((TICKET_CENTS, [], [TICKET]), [TICKET])


@pytest.mark.parametrize(
    ("ordered", "named", "worth"),
    [(CODE, bytes((NOTES[500],)), TICKET_CENTS), (bytes((NOTES[NOTE],)), TICKET_CODE, NOTE)],
    ids=["a note for a ticket", "a ticket for a note"],
)
async def test_what_is_stacked_as_something_else_is_an_open_item(ordered: bytes, named: bytes, worth: int) -> None:
    """What lies in the box is not what was ordered: nobody guesses, and it is credited as neither."""
    end = msgspec.structs.replace(VEND_VALID, data=named)
    rig = await played(ACCEPTING, escrow(ordered), STACKING, end, STACKED)

    assert balance(rig) == (0, [worth], [])


async def test_another_ticket_in_escrow_is_not_the_one_before() -> None:
    """The device gave it back unheard: its number is released, and the new one is asked about by itself."""
    other = TICKET[::-1]
    rig = await started()
    rig.books.tickets[other] = 500
    rig.device.play([escrow(CODE), *taken(TICKET_CODE + other.encode())], other)
    await rig.settle()
    await rig.end()

    assert (balance(rig), rig.books.tickets) == ((500, [], [other]), {TICKET: TICKET_CENTS})


@pytest.mark.parametrize(
    ("raw", "what"), [(raw, what) for kind, raw, what in VECTORS if kind == "reject"], ids=lambda value: str(value)[:30]
)
async def test_a_rejected_ticket_is_reported_in_words(raw: bytes, what: str) -> None:
    """Each reason that public programs know has words; nobody is asked, and nothing is credited."""
    rig = await played(ACCEPTING, Say(status=Status.REJECTING, data=raw[3:4], does="returned"))

    assert raw[3] in REJECT_REASONS, what
    assert rig.books.reasons[-1] == f"the validator rejected it: {REJECT_REASONS[raw[3]]}"
    assert balance(rig) == (0, [], [])


# Misfortunes.


def depths(some: range, every: range) -> pytest.MarkDecorator:
    """Parametrize `moments`: some of them in each run, every one in the proofs."""
    return pytest.mark.parametrize(
        "moments", [pytest.param(some, id="some"), pytest.param(every, id="every", marks=pytest.mark.proof)]
    )


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
@depths(range(2, 30, 7), range(34))
async def test_every_frame_goes_wrong(kind: Kind, way: Way, moments: range) -> None:
    """Whatever happens to one frame or three at any moment, a stacked ticket is redeemed once."""
    for after_polls in moments:
        for frames in (1, 3):
            misbehaviour = Misbehaviour(delay_s=1.2)
            rig = await started(misbehaviour)
            rig.device.insert_ticket(TICKET)
            await rig.settle(after_polls * 0.1)
            misbehaviour.inject(kind, frames, way=way)
            await rig.settle(20)
            check_ticket_accounted(await rig.end())
            assert rig.stacked == [TICKET]


@pytest.mark.parametrize("sent", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
@depths(range(1, 24, 4), range(1, 30))
async def test_killed_at_every_write(down_s: float, sent: bool, moments: range) -> None:  # noqa: FBT001 - a parameter
    """A driver killed around any frame goes on: redeemed once if stacked, else worth what it was.

    A ticket that came back while nobody listened, after the order to stack it, is an open item: nobody can know.
    """
    for write in moments:
        rig = await started()
        rig.down_s = down_s
        rig.port.die_at, rig.port.die_sent = rig.port.writes + write, sent
        rig.device.insert_ticket(TICKET)
        await rig.settle(down_s + 30)
        await rig.end()
        assert [type(death) for death in rig.deaths] == [KilledError]
        unheard = down_s > ESCROW_LOST_S and bool(rig.returned) and "dialogue id003t" in rig.books.calls
        check_ticket_accounted(rig, open_items_allowed=unheard)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("down_s", [0.05, 40.0])
async def test_killed_around_every_commit(down_s: float, when: str) -> None:
    """The process dies before or after any transaction about the ticket: redeemed exactly once, or released."""
    deaths = 0
    for call in range(1, 6):
        rig = await started()
        rig.down_s = down_s
        fatal = len(rig.books.calls) + call

        async def die(number: int, at: str, fatal: int = fatal) -> None:
            if (number, at) == (fatal, when):
                raise KilledError

        rig.books.at_call = die
        rig.device.insert_ticket(TICKET)
        await rig.settle(down_s + 30)
        await rig.end()
        deaths += len(rig.deaths)
        unheard = down_s > ESCROW_LOST_S and bool(rig.returned) and "dialogue id003t" in rig.books.calls
        check_ticket_accounted(rig, open_items_allowed=unheard)
    assert deaths >= 4


@depths(range(4, 26, 5), range(30))
async def test_killed_twice(moments: range) -> None:
    """Killed again at any frame of the conversation that took the dialogue up."""
    for first in moments:
        for second in range(1, 9):
            rig = await started()
            rig.down_s = 0.05
            rig.port.die_at = rig.port.writes + 1 + first
            rig.device.insert_ticket(TICKET)
            while not rig.deaths:
                await rig.settle(0.05)
            rig.port.die_at = rig.port.writes + second
            await rig.settle(30)
            check_ticket_accounted(await rig.end())


@depths(range(6, 80, 9), range(150))
async def test_killed_at_every_moment(moments: range) -> None:
    """The task is cancelled wherever it waits, and another begins at once."""
    for fiftieths in moments:
        rig = await started()
        rig.device.insert_ticket(TICKET)
        await rig.settle(fiftieths / 50 + 0.003)
        await rig.kill()
        rig.run()
        await rig.settle(30)
        check_ticket_accounted(await rig.end())


@pytest.mark.parametrize("whole_cabinet", [False, True])
@pytest.mark.parametrize("says_so", [False, True])
@depths(range(1, 30, 4), range(40))
async def test_the_mains_fail_at_every_position(
    whole_cabinet: bool,  # noqa: FBT001 - a parameter of the test
    says_so: bool,  # noqa: FBT001 - a parameter of the test
    moments: range,
) -> None:
    """A ticket that a cut catches is redeemed if the device says so later, released if it comes back; else open."""
    for polls in moments:
        rig = await started()
        rig.device.says_so = says_so
        rig.device.insert_ticket(TICKET)
        await rig.settle(polls * 0.1 + 0.05)
        rig.device.power(on=False)
        if whole_cabinet:
            await rig.kill()
        await rig.settle(0.3)
        rig.device.power(on=True)
        if whole_cabinet:
            rig.run()
        await rig.settle(40)
        assert rig.books.faults == {}
        check_ticket_accounted(await rig.end(), open_items_allowed=bool(rig.stacked) and not says_so)


async def test_a_ticket_that_comes_back_after_a_cut_is_released() -> None:
    """The cut caught it before the stacker; the cabinet was killed with it."""
    rig = await started()
    rig.device.play([ACCEPTING, escrow(CODE), RETURNING], TICKET)
    await rig.settle(0.5)
    rig.device.power(on=False)
    await rig.kill()
    rig.device.power(on=True)
    rig.run()
    await rig.settle(30)

    check_ticket_accounted(await rig.end())
    assert rig.returned == [TICKET]
