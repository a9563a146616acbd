"""Credit moves between host and machine exactly once, whatever is lost or cut (sas.md, section 1)."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from drivers.capabilities import Verdict
from drivers.sas import transfers
from drivers.sas.transfers import (
    IN_HOUSE_OUT,
    INTERROGATE,
    INTERROGATE_AND_CLOSE,
    LOCK_PENDING,
    LOCKED,
    NO_KEY,
    NOT_LOCKED,
    PARTIAL_ALLOWED,
    Amounts,
    Flags,
    LockAnswer,
    LockRequest,
    Status,
    TransferAnswer,
    TransferQuery,
    TransferRequest,
)
from tests.rigs.hosted import ADDRESS, ASSET, PORT, HostedRig, request
from tests.rigs.sas_answers import LOCK_STATUS, read_answer, read_lock_answer

KEY = bytes(range(1, 21))


async def transfer(rig: HostedRig, asked: TransferRequest | TransferQuery) -> TransferAnswer | tuple[int, int]:
    """Send poll 72; return what it is answered with."""
    await rig.sas.ask(transfers.TRANSFER, asked.encode(ADDRESS).data)
    return read_answer(rig.line.said[-1])


async def status_of(rig: HostedRig, asked: TransferRequest | TransferQuery) -> int:
    """Send poll 72; return the status in its answer."""
    answer = await transfer(rig, asked)
    return answer[1] if isinstance(answer, tuple) else answer.status


async def done(rig: HostedRig, asked: TransferRequest) -> int:
    """Make a transfer and read what became of it; return its status."""
    status = await status_of(rig, asked)
    assert await status_of(rig, TransferQuery(INTERROGATE_AND_CLOSE)) == status
    return status


async def lock(rig: HostedRig, code: int, conditions: int = 1, hundredths: int = 9000) -> LockAnswer:
    """Send poll 74."""
    await rig.sas.ask(transfers.LOCK, LockRequest(code, conditions, hundredths).encode(ADDRESS).data)
    return read_lock_answer(rig.line.said[-1])


async def test_credit_comes_in_and_goes_out(tmp_path: Path) -> None:
    """Each with its meter, count, event and exception; the books balance."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        answer = await transfer(rig, request(5000))
        assert isinstance(answer, TransferAnswer)
        assert (answer.status, answer.amounts, answer.id, answer.position) == (0, Amounts(cashable=5000), b"A1", 1)
        assert (answer.expiration.hex(), answer.pool.hex(), answer.asset) == ("08182026", "0030", ASSET)
        assert rig.credit == 5000
        assert 0x69 in await rig.sas.exceptions()
        assert await status_of(rig, TransferQuery(INTERROGATE_AND_CLOSE)) == Status.FULL
        await rig.until_true(lambda: rig.shown == "idle")
        assert await done(rig, request(2000, "A2", kind=IN_HOUSE_OUT)) == Status.FULL
        assert (rig.credit, await rig.meter("host_in"), await rig.meter("host_out")) == (3000, 5000, 2000)
        assert (await rig.meter("host_ins"), await rig.meter("host_outs")) == (1, 1)
        await rig.journal.do(lambda tx: tx.audit())
        sql = "SELECT kind, credit_delta, data ->> '$.by.name' FROM ledger WHERE credit_delta <> 0 ORDER BY seq"
        assert await rig.rows(sql) == [("host_in", 5000, "host_port"), ("host_out", -2000, "host_port")]


async def test_a_transfer_is_made_once_however_often_it_is_asked_for(tmp_path: Path) -> None:
    """Until it is read no other begins; afterwards its id is not taken again; over restarts too."""
    async with HostedRig(tmp_path) as rig:
        assert await status_of(rig, request(5000)) == Status.FULL
        assert await status_of(rig, request(5000)) == Status.INCOMPATIBLE
        assert await status_of(rig, TransferQuery(INTERROGATE)) == Status.FULL
        await rig.restart()
        await rig.until_true(rig.machine.states.up.is_set)
        assert await status_of(rig, request(5000)) == Status.INCOMPATIBLE
        await rig.restart()
        await rig.until_true(rig.machine.states.up.is_set)
        assert await status_of(rig, TransferQuery(INTERROGATE)) == Status.FULL
        assert await status_of(rig, TransferQuery(INTERROGATE_AND_CLOSE)) == Status.FULL
        assert await status_of(rig, request(5000)) == Status.NOT_UNIQUE
        assert rig.credit == 5000


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"asset": 1}, Status.ASSET),
        ({"code": 0x05}, Status.UNSUPPORTED_CODE),
        ({"kind": 0x10}, Status.NOT_VALID),
        ({"kind": 0x20}, Status.NOT_VALID),
        ({"index": 1}, Status.NOT_VALID),
        ({"raw_amounts": b"\xaa" * 15}, Status.AMOUNT),
        ({"raw_amounts": Amounts(restricted=5).encode()}, Status.NOT_VALID),
        ({"raw_amounts": Amounts().encode()}, Status.NOT_VALID),
        ({"id": b""}, Status.ID),
        ({"id": b"a\x07"}, Status.ID),
        ({"key": KEY}, Status.KEY),
        ({"flags": int(Flags.RECEIPT)}, Status.RECEIPT_PRINTER),
        ({"flags": int(Flags.ONLY_LOCKED)}, Status.NOT_LOCKED),
        ({"raw_amounts": Amounts(cashable=50_001).encode()}, Status.OVER_LIMIT),
        ({"kind": IN_HOUSE_OUT}, Status.NOT_NOW),
    ],
)
async def test_each_refusal_has_its_status_and_moves_nothing(
    tmp_path: Path, changes: dict[str, object], status: Status
) -> None:
    """The answer repeats the id, its amounts are zero, and the next transfer may begin at once."""
    async with HostedRig(tmp_path) as rig:
        answer = await transfer(rig, request(500, **changes))
        assert isinstance(answer, TransferAnswer)
        assert (answer.status, answer.amounts) == (status, Amounts())
        assert await status_of(rig, TransferQuery(INTERROGATE_AND_CLOSE)) == status
        assert rig.credit == 0
        assert await status_of(rig, request(500, "B1")) == Status.FULL


async def test_part_of_a_transfer_is_made_where_that_is_allowed(tmp_path: Path) -> None:
    """In up to the limits, out up to the credit: the answer says how much."""
    async with HostedRig(tmp_path) as rig:
        assert await done(rig, request(60_000, code=PARTIAL_ALLOWED)) == Status.PARTIAL
        assert rig.credit == 50_000
        assert await done(rig, request(60_000, "A2", code=PARTIAL_ALLOWED)) == Status.PARTIAL
        assert rig.credit == 100_000
        assert await done(rig, request(100, "A3", code=PARTIAL_ALLOWED)) == Status.OVER_LIMIT
        for name in ("A4", "A5"):
            out = request(9_999_999_999, name, kind=IN_HOUSE_OUT, code=PARTIAL_ALLOWED)
            assert await done(rig, out) == Status.PARTIAL
        assert (rig.credit, await rig.meter("host_out")) == (0, 100_000)


async def test_no_transfer_comes_between_a_stake_and_its_win(tmp_path: Path) -> None:
    """During a round, a hand-pay, an open door, a menu or a key left on the answer is that it is not possible now."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.0)
        assert await status_of(rig, request(500)) == Status.NOT_NOW
        await rig.until("idle")
        await rig.door(is_open=True)
        assert await status_of(rig, request(500)) == Status.NOT_NOW
        await rig.door(is_open=False)
        rig.machine.keys.take("attendant", turned=True)
        await rig.until("service_menu")
        assert await status_of(rig, request(500)) == Status.NOT_NOW
        await rig.press("collect")
        await rig.until("tilted")
        assert await status_of(rig, request(500)) == Status.NOT_NOW
        rig.machine.keys.take("attendant", turned=False)
        await rig.press("collect")
        await rig.until("handpay")
        assert await status_of(rig, request(500)) == Status.NOT_NOW
        rig.machine.keys.take("technician", turned=True)
        await rig.until("service_menu")
        await rig.press("collect")
        await rig.until("tilted")
        assert await rig.sas.ask(0x94) == b"\x01"
        assert (await rig.meter("host_in"), await rig.meter("host_out")) == (0, 0)


async def test_a_lock_waits_for_the_round_and_keeps_the_next_from_beginning(tmp_path: Path) -> None:
    """Pending while the reels spin, then held, until its time is over; 6F reports it."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.sas.exceptions()
        await rig.press("spin", 0.0)
        assert (await lock(rig, transfers.LOCK_NOW)).lock == LOCK_PENDING
        await rig.until("tilted")
        assert rig.notices() == {"host_lock"}
        assert (await lock(rig, LOCK_STATUS)).lock == LOCKED
        assert 0x6F in await rig.sas.exceptions()
        assert await status_of(rig, request(500, flags=int(Flags.ONLY_LOCKED))) == Status.FULL
        assert (await lock(rig, LOCK_STATUS)).lock == NOT_LOCKED
        assert rig.shown == "idle"
        await lock(rig, transfers.LOCK_NOW, hundredths=300)
        assert rig.shown == "tilted"
        await asyncio.sleep(3.5)
        assert rig.shown == "idle"
        await lock(rig, transfers.LOCK_NOW)
        assert (await lock(rig, transfers.LOCK_CANCEL)).lock == NOT_LOCKED
        assert (await lock(rig, transfers.LOCK_NOW, conditions=0)).lock == NOT_LOCKED


async def test_status_says_what_is_possible(tmp_path: Path) -> None:
    """Credit, limit, history and directions."""
    async with HostedRig(tmp_path) as rig:
        await rig.note(2000)
        await rig.until("idle")
        answer = await lock(rig, LOCK_STATUS)
        assert (answer.asset, answer.amounts.cashable, answer.limit_cents) == (ASSET, 2000, 50_000)
        assert (answer.available, answer.history, answer.status) == (0x03, 127, 0x92)
        await rig.door(is_open=True)
        assert (await lock(rig, LOCK_STATUS)).available == 0


async def test_a_key_is_registered_and_asked_for(tmp_path: Path) -> None:
    """Read, initialize, register: the key is echoed, kept over a restart, and a wrong one is refused."""
    async with HostedRig(tmp_path) as rig:
        assert await register(rig, 0xFF) == (0x80, NO_KEY)
        assert await register(rig, 0x01, KEY) == (0x80, NO_KEY)
        assert await register(rig, 0x00) == (0x00, NO_KEY)
        assert await register(rig, 0x01, KEY) == (0x01, KEY)
        await rig.restart(until="attract")
        assert await register(rig, 0xFF) == (0x01, KEY)
        assert await done(rig, request(500, key=KEY)) == Status.FULL
        assert await done(rig, request(500, "A2", key=KEY[::-1])) == Status.KEY
        assert (await lock(rig, LOCK_STATUS)).status & 0x08
        assert await register(rig, 0x80) == (0x80, NO_KEY)
        assert "By the host: registered for transfers" in await rig.events("host_act")


@pytest.mark.parametrize("initializes", [True, False])
async def test_a_key_of_zeros_is_registered_and_opens_nothing(tmp_path: Path, *, initializes: bool) -> None:
    """As public hosts register, with 00 before or at once; a transfer with another key is refused, before and after."""
    async with HostedRig(tmp_path) as rig:
        if initializes:
            assert await register(rig, 0x00) == (0x00, NO_KEY)
        assert await register(rig, 0x01) == (0x01, NO_KEY)
        assert (await lock(rig, LOCK_STATUS)).status & 0x08
        await rig.restart(until="attract")
        assert await register(rig, 0xFF) == (0x01, NO_KEY)
        assert await done(rig, request(500, key=KEY)) == Status.KEY
        assert await done(rig, request(500, "A2")) == Status.FULL


async def register(rig: HostedRig, code: int, key: bytes = NO_KEY) -> tuple[int, bytes]:
    """Send poll 73, in the short form to read; return status and key."""
    data = transfers.Registration(code, ASSET, key, 7).data if code != 0xFF else bytes((code,))
    answer = await rig.sas.ask(transfers.REGISTER, bytes((len(data),)) + data)
    return answer[1], answer[6:26]


async def test_the_history_keeps_what_was_done(tmp_path: Path) -> None:
    """127 positions in a ring; a position without a transfer has no information."""
    async with HostedRig(tmp_path) as rig:
        for number in range(1, 4):
            assert await done(rig, request(100 * number, f"A{number}")) == Status.FULL
        for number in range(1, 4):
            answer = await transfer(rig, TransferQuery(INTERROGATE, number))
            assert isinstance(answer, TransferAnswer)
            assert (answer.id, answer.amounts.cashable) == (f"A{number}".encode(), 100 * number)
        assert await transfer(rig, TransferQuery(INTERROGATE, 9)) == (0, Status.NO_INFORMATION)


async def test_no_id_of_the_history_is_taken_again(tmp_path: Path) -> None:
    """Not only that of the transfer before: a host that has lost its place is not credited a second time."""
    async with HostedRig(tmp_path) as rig:
        for name in ("A1", "A2", "A3"):
            assert await done(rig, request(500, name)) == Status.FULL
        for name in ("A1", "A2", "A3"):
            assert await done(rig, request(500, name)) == Status.NOT_UNIQUE
        await rig.restart()
        await rig.until_true(rig.machine.states.up.is_set)
        assert await done(rig, request(500, "A1", kind=IN_HOUSE_OUT)) == Status.NOT_UNIQUE
        assert (rig.credit, await rig.meter("host_ins")) == (1500, 3)


async def test_a_refused_request_is_the_newest_one_after_a_restart_too(tmp_path: Path) -> None:
    """Position 0 says 84 for the id that was refused, not 00 for the transfer before it."""
    async with HostedRig(tmp_path) as rig:
        assert await done(rig, request(500, "A1")) == Status.FULL
        before = await transfer(rig, request(60_000, "A2"))
        await rig.restart()
        await rig.until_true(rig.machine.states.up.is_set)
        after = await transfer(rig, TransferQuery(INTERROGATE))
        assert isinstance(after, TransferAnswer)
        assert (after.status, after.id) == (Status.OVER_LIMIT, b"A2")
        assert after == before
        assert await done(rig, request(700, "A3")) == Status.FULL
        await rig.restart()
        await rig.until_true(rig.machine.states.up.is_set)
        newest = await transfer(rig, TransferQuery(INTERROGATE_AND_CLOSE))
        assert isinstance(newest, TransferAnswer)
        assert (newest.status, newest.id, newest.amounts) == (Status.FULL, b"A3", Amounts(cashable=700))


@pytest.mark.parametrize("length", [21, 120, 200])
async def test_an_id_that_is_too_long_is_refused_with_its_status(tmp_path: Path, length: int) -> None:
    """However long: the answer has as much of it as an id may have."""
    async with HostedRig(tmp_path) as rig:
        answer = await transfer(rig, request(500, "A" * length))
        assert isinstance(answer, TransferAnswer)
        assert (answer.status, answer.id) == (Status.ID, b"A" * 20)
        assert not [each for each in await rig.events("host_link") if "not answered" in each]


async def test_a_part_is_a_multiple_of_the_accounting_denomination(tmp_path: Path) -> None:
    """What a limit cuts off in part leaves whole credits; a full transfer that is no multiple is 85."""
    rig = HostedRig(tmp_path, settings=msgspec.structs.replace(PORT, denomination_cents=25))
    limits = msgspec.structs.replace(rig.config.limits, credit_cents=1030)
    rig.config = msgspec.structs.replace(rig.config, limits=limits)
    async with rig:
        assert await status_of(rig, request(510)) == Status.DENOMINATION
        assert await done(rig, request(2000, "A1", code=PARTIAL_ALLOWED)) == Status.PARTIAL
        assert rig.credit == 1025
        assert await status_of(rig, request(2000, "A2", code=PARTIAL_ALLOWED)) == Status.OVER_LIMIT
        assert await status_of(rig, request(20, "A2", kind=IN_HOUSE_OUT, code=PARTIAL_ALLOWED)) == Status.DENOMINATION
        assert await done(rig, request(110, "A2", kind=IN_HOUSE_OUT, code=PARTIAL_ALLOWED)) == Status.PARTIAL
        everything = request(9_999_999_999, "A3", kind=IN_HOUSE_OUT, code=PARTIAL_ALLOWED)
        assert await done(rig, everything) == Status.PARTIAL
        assert rig.credit == 0


async def test_before_the_first_transfer_there_is_no_information(tmp_path: Path) -> None:
    """Interrogation and cancelling are answered shortly."""
    async with HostedRig(tmp_path) as rig:
        for code in (INTERROGATE, INTERROGATE_AND_CLOSE, transfers.CANCEL):
            assert await transfer(rig, TransferQuery(code)) == (0, Status.NO_INFORMATION)


async def test_without_an_asset_number_there_are_no_transfers(tmp_path: Path) -> None:
    """The three polls are silence, and the features say so."""
    settings = msgspec.structs.replace(PORT, asset=0, may=())
    async with HostedRig(tmp_path, settings=settings) as rig:
        assert await rig.sas.ask(transfers.TRANSFER, request(500).encode(ADDRESS).data) == b""
        assert not (await rig.sas.ask(0xA0, b"\x00\x00"))[3] & 0x40


async def test_a_ticket_that_is_being_stacked_counts_against_the_limit(tmp_path: Path) -> None:
    """A transfer that would bring the credit over it once the ticket is in is 84; one in part brings what is left."""
    rig = HostedRig(tmp_path)
    limits = msgspec.structs.replace(rig.config.limits, credit_cents=2500)
    rig.config = msgspec.structs.replace(rig.config, limits=limits)
    async with rig:
        await rig.game(500)
        assert await rig.listener.bill_in_escrow(1000) is Verdict.STACK
        assert await status_of(rig, request(2000)) == Status.OVER_LIMIT
        assert await done(rig, request(2000, "A2", code=PARTIAL_ALLOWED)) == Status.PARTIAL
        await rig.listener.bill_stacked(1000)
        assert rig.credit == 2500


async def test_a_lock_waits_for_the_note_that_is_being_stacked(tmp_path: Path) -> None:
    """It is pending until the note is on the credit: what a host has locked does not change."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(500)
        assert await rig.listener.bill_in_escrow(1000) is Verdict.STACK
        assert (await lock(rig, 0)).lock == LOCK_PENDING
        await asyncio.sleep(1.0)
        assert (await lock(rig, 0xFF, 0, 0)).lock == LOCK_PENDING
        await rig.listener.bill_stacked(1000)
        await asyncio.sleep(0.5)
        assert (await lock(rig, 0xFF, 0, 0)).lock == LOCKED
