"""Tickets that a host validates: numbers from it, records for it, and its decision about what comes in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from controller.features.sas import tickets as host_tickets
from controller.journal.actor import Role
from controller.journal.open_items import Resolution, open_items
from controller.journal.resolutions import resolve_item
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction
from drivers.capabilities import PrintEnd, Verdict
from tests.rigs.hosted import HOSTS_TICKETS, HostsRig
from tests.rigs.machine import PlainPrinter
from tests.rigs.power_cuts import Power
from tests.rigs.sas_frames import sealed
from tests.rigs.sas_host import SasHost
from tests.rigs.sas_tickets import NUMBER, REDEEM, Issued, TicketHost
from tests.rigs.service_menu import Hand

DONE = 0x68
ELSEWHERE = "37" + "1234567890123456"


class Tried:
    """A machine with a printer, and the host that validates its tickets."""

    def __init__(self, folder: Path, **rules: object) -> None:
        self.printer = PlainPrinter()
        tickets = msgspec.structs.replace(HOSTS_TICKETS, **rules)
        self.rig = HostsRig(folder, Power(), printer=self.printer, tickets=tickets)
        self.host = SasHost(self.rig.joined.link, now=asyncio.get_running_loop().time)
        self.tickets = TicketHost(self.host)
        self.polling: asyncio.Task[None] | None = None

    @property
    def slips(self) -> list[str]:
        """The numbers of the slips in the tray."""
        return [slip.barcode for slip in self.printer.tray]

    async def collect(self, state: str = "idle") -> None:
        """Press COLLECT and wait until the cash-out is over, or the attendant is called."""
        await self.rig.press("collect")
        await self.rig.until_true(lambda: self.rig.shown == state and (state != "idle" or not self.paying))

    @property
    def paying(self) -> bool:
        """Whether a payout is on."""
        return self.rig.machine.play.payout is not None

    async def meters(self) -> tuple[int, int]:
        """The machine's meters of tickets out and in."""
        return await self.rig.meter("tickets_out"), await self.rig.meter("tickets_in")

    async def poll(self) -> None:
        """Have the host poll."""
        self.polling = asyncio.create_task(self.tickets.run())
        await asyncio.sleep(0.5)

    async def stop(self) -> None:
        """Have the host poll no more."""
        if self.polling is not None:
            self.polling.cancel()
            await asyncio.gather(self.polling, return_exceptions=True)
            self.polling = None


@asynccontextmanager
async def tried(folder: Path, credit: int = 2500, **rules: object) -> AsyncIterator[Tried]:
    """A machine with credit, polled by its host."""
    one = Tried(folder, **rules)
    await one.rig.start()
    await one.poll()
    if credit:
        await one.rig.game(credit)
    yield one
    await one.stop()
    await one.rig.journal.do(lambda tx: tx.prove())
    await one.rig.kill()


async def test_a_ticket_has_the_hosts_number_and_comes_back_once(tmp_path: Path) -> None:
    """57, 58, the print, 3D and the record; then 67, 70, 71, the credit, 68 and 71 again."""
    async with tried(tmp_path) as one:
        await one.collect()
        await asyncio.sleep(0.5)
        (number,) = one.slips
        assert (one.rig.credit, one.tickets.books.worth(number)) == (0, 2500)
        assert number.startswith("37")
        assert await one.rig.ticket(number)
        await asyncio.sleep(0.5)
        assert (one.rig.credit, one.tickets.books.worth(number)) == (2500, 0)
        assert await one.meters() == (one.tickets.books.out_cents, one.tickets.books.in_cents) == (2500, 2500)
        assert not await one.rig.ticket(number)
        assert one.rig.credit == 2500
        heard = one.host.tally.confirmed
        assert [heard[code] for code in (0x57, 0x3D, 0x67, 0x68)] == [1, 1, 1, 1]


async def test_a_ticket_of_another_machine_is_worth_what_the_host_says(tmp_path: Path) -> None:
    """The cabinet has no list of it; the host rejects it the second time."""
    async with tried(tmp_path, credit=0) as one:
        one.tickets.books.of_another(ELSEWHERE, 700)
        assert await one.rig.ticket(ELSEWHERE)
        assert one.rig.credit == 700
        await asyncio.sleep(0.5)
        assert not await one.rig.ticket(ELSEWHERE)
        assert one.rig.credit == 700
        assert "the host has refused it" in (await one.rig.events("ticket"))[-1]


@pytest.mark.parametrize("trouble", ["denies", "mute", "gone", "printer"])
async def test_without_a_number_or_a_print_the_attendant_pays(tmp_path: Path, trouble: str) -> None:
    """Nobody hears of a ticket, and a number that the host has given is worth nothing."""
    async with tried(tmp_path) as one:
        if trouble == "gone":
            await one.stop()
            await asyncio.sleep(6.0)
        elif trouble == "printer":
            one.printer.ends = [PrintEnd.UNKNOWN]
        else:
            setattr(one.tickets, trouble, True)
        await one.collect("handpay")
        await one.rig.turn_key("attendant")
        await one.rig.until_true(lambda: one.rig.credit == 0)
        assert (await one.meters(), one.tickets.books.out_cents) == ((0, 0), 0)
        assert await one.rig.meter("hand_pay") == 2500
        assert len(one.slips) == (trouble == "printer")
        for number in one.slips:
            assert not await one.rig.ticket(number)
        if trouble != "gone":
            await asyncio.sleep(0.5)
            assert one.host.tally.confirmed[0x66] == 1


async def test_a_number_is_taken_once(tmp_path: Path) -> None:
    """Not in a cash-out, no BCD, nothing but zeros, or a number that was given before: refused by its status."""
    async with tried(tmp_path) as one:
        await one.collect()
        await one.stop()
        (number,) = one.slips
        await one.host.collect()
        assert await one.host.ask(0x57) == {"type": 0x80, "cents": 0}
        assert await one.host.ask(NUMBER, system_id=37, number=5) == {"status": 0x80}
        await one.rig.game(2000)
        await one.rig.press("collect", 0.5)
        assert await one.host.ask(0x57) == {"type": 0x00, "cents": 2000}
        assert await one.host.ask(NUMBER, system_id=37, number=int(number[2:])) == {"status": 0x81}
        assert await one.host.ask(NUMBER, system_id=37, number=0) == {"status": 0x81}
        assert await one.host.ask(NUMBER, system_id=37, number=77) == {"status": 0x00}
        await one.host.confirm()
        assert await one.host.ask(NUMBER, system_id=37, number=77) == {"status": 0x00}, "it was taken"
        await one.rig.until("idle")
        assert one.slips[1:] == ["37" + f"{77:016d}"]


async def test_a_number_that_a_taken_ticket_has_is_improper(tmp_path: Path) -> None:
    """Also of a ticket of another machine, which this cabinet has no list of; one that went back may have it again."""
    async with tried(tmp_path, credit=0) as one:
        back = "37" + "9" * 16
        assert not await one.rig.ticket(back)
        await asyncio.sleep(0.5)
        one.tickets.books.of_another(ELSEWHERE, 700)
        assert await one.rig.ticket(ELSEWHERE)
        await asyncio.sleep(0.5)
        await one.stop()
        await one.rig.press("collect")
        assert 0x57 in await one.host.collect()
        for number, status in ((ELSEWHERE, 0x81), (back, 0x00)):
            answer = await one.host.ask(NUMBER, system_id=int(number[:2]), number=int(number[2:]))
            assert answer == {"status": status}
        await one.poll()
        await one.rig.until_true(lambda: one.slips == [back])


async def test_a_ticket_goes_back_where_the_cabinet_cannot_take_it(tmp_path: Path) -> None:
    """Each reason has its status; the player has the ticket, and the host reads the end once."""
    async with tried(tmp_path, credit=1000) as one:
        await one.stop()
        await one.host.collect()
        cases = [
            ({"code": 0x84, "cents": 500}, 0x80),
            ({"code": 0x01, "cents": 500}, 0x82),
            ({"code": 0x00, "cents": 0}, 0x83),
            ({"code": 0x00, "cents": 10_000_000}, 0x84),
        ]
        for decision, status in cases:
            asking = asyncio.create_task(one.rig.listener.ticket_in_escrow(ELSEWHERE))
            await asyncio.sleep(0.2)
            assert (await one.host.collect())[:1] == [0x67]
            escrow = await one.host.ask(0x70)
            assert escrow is not None
            assert (escrow["status"], escrow["system_id"], escrow["number"]) == (0x00, 37, int(ELSEWHERE[2:]))
            other = await one.tickets.redeem("37" + "9" * 16, 0x00, 500)
            assert other is not None
            assert (other["status"], other["number"]) == (0x81, int(ELSEWHERE[2:])), "the right number"
            answer = await one.host.ask(REDEEM, **decision, parsing=0, system_id=37, number=int(ELSEWHERE[2:]))
            assert answer is not None
            assert answer["status"] == status, decision
            assert await asking is Verdict.RETURN
            assert await one.host.collect() == [DONE]
            end = await one.tickets.read_end()
            assert end is not None
            assert (end["status"], end["cents"]) == (status, 0)
            await one.host.confirm()
            nothing = await one.host.ask(0x70)
            assert nothing is not None
            assert nothing["status"] == 0xFF
        assert one.rig.credit == 1000


async def test_no_ticket_is_taken_until_the_host_has_read_what_became_of_the_one_before(tmp_path: Path) -> None:
    """The answer must have arrived: asked for and cut off before the next poll it is still to be read."""
    async with tried(tmp_path, credit=0) as one:
        one.tickets.books.of_another(ELSEWHERE, 700)
        await one.stop()
        await one.host.collect()
        asking = asyncio.create_task(one.rig.listener.ticket_in_escrow(ELSEWHERE))
        await asyncio.sleep(0.2)
        await one.host.collect()
        await one.tickets.decide()
        assert await asking is Verdict.STACK
        await one.rig.listener.ticket_stacked()
        await one.rig.listener.bill_acknowledged()
        await one.host.collect()
        assert await one.rig.listener.ticket_in_escrow(ELSEWHERE) is Verdict.RETURN
        assert (await one.tickets.read_end() or {})["status"] == 0x00
        one.host.cut()
        await one.rig.restart(until=None)
        await one.rig.until_true(one.rig.machine.states.up.is_set)
        await one.host.collect()
        assert await one.rig.listener.ticket_in_escrow(ELSEWHERE) is Verdict.RETURN
        assert (await one.tickets.read_end() or {})["status"] == 0x00
        await one.host.confirm()
        await asyncio.sleep(0.1)
        one.tickets.mute = True
        assert await one.rig.listener.ticket_in_escrow(ELSEWHERE) is Verdict.RETURN, "the host is silent"
        assert [code for code in await one.host.collect() if code in (0x67, 0x68)] == [0x67, 0x68]
        assert (await one.tickets.read_end() or {})["status"] == 0x88


async def test_a_cut_before_the_host_has_decided_gives_the_ticket_back(tmp_path: Path) -> None:
    """The host reads that it was not redeemed, and the ticket can be put in again."""
    async with tried(tmp_path, credit=0) as one:
        one.tickets.books.of_another(ELSEWHERE, 700)
        one.tickets.mute = True
        asking = asyncio.create_task(one.rig.listener.ticket_in_escrow(ELSEWHERE))
        await asyncio.sleep(0.5)
        await one.stop()
        one.host.cut()
        await one.rig.kill()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await one.rig.start(until=None)
        await one.rig.until_true(one.rig.machine.states.up.is_set)
        await one.rig.listener.bill_returned("it was never ordered to be stacked")
        assert DONE in await one.host.collect()
        assert (await one.tickets.read_end() or {})["status"] == 0x8B
        one.tickets.mute = False
        await one.poll()
        assert await one.rig.ticket(ELSEWHERE)
        assert one.rig.credit == 700


@pytest.mark.parametrize(("way", "status"), [(Resolution.PAID, 0x00), (Resolution.RETURNED, 0x8B)])
async def test_a_ticket_that_nobody_finds_is_pending_until_its_item_is_resolved(
    tmp_path: Path, way: Resolution, status: int
) -> None:
    """Paid by hand it is redeemed, back with its owner it is not."""
    async with tried(tmp_path, credit=0) as one:
        one.tickets.books.of_another(ELSEWHERE, 700)
        assert await one.rig.listener.ticket_in_escrow(ELSEWHERE) is Verdict.STACK
        await one.rig.listener.bill_unknown("a test")
        await one.stop()
        hand = Hand(one.rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.7")
        shown = {row.label: (row.count, row.cents) for row in hand.page.rows}
        assert shown["Printed tickets that the host has not read"] == (0, None)
        assert shown["A ticket that the host has not settled"] == (None, 700)
        assert (await one.tickets.read_end() or {})["status"] == 0x40
        (item,) = await one.rig.journal.do(open_items)
        cents = 700 if way is Resolution.PAID else 0
        await one.rig.journal.do(lambda tx: resolve_item(tx, item.id, way, "technician", amount_cents=cents))
        assert DONE in await one.host.collect()
        assert (await one.tickets.read_end() or {})["status"] == status
        assert one.rig.credit == 0


async def test_records_are_read_once_and_by_index(tmp_path: Path) -> None:
    """Function 00 goes on once its answer has arrived, FF looks without reading, an index finds what was read."""
    async with tried(tmp_path) as one:
        await one.collect()
        await one.stop()
        await one.rig.game(1000)
        await one.poll()
        one.tickets.host.tally.confirmed.clear()
        await one.collect()
        await asyncio.sleep(0.5)
        await one.stop()
        first, second = one.slips
        looked = await one.host.ask(0x4D, function=0xFF)
        assert looked is not None
        assert looked["number"] == 0
        for index, number, cents in ((1, first, 2500), (2, second, 1000)):
            record = await one.host.ask(0x4D, function=index)
            assert record is not None
            assert (record["type"], record["index"], record["cents"]) == (0x00, index, cents)
            assert f"{record['system_id']:02d}{record['number']:016d}" == number
            assert record["ticket"] == index
        assert await one.host.ask(0x3D) == {"number": 0, "cents": 1000}
        assert await one.host.ask(0x50, type=0) == {"type": 0, "count": 2, "cents": 3500}
        assert await one.host.ask(0x50, type=0x80) == {"type": 0x80, "count": 0, "cents": 0}


async def test_a_record_whose_answer_was_cut_off_is_read_again(tmp_path: Path) -> None:
    """It is read when the host has gone on to another poll, and that is durable."""
    async with tried(tmp_path) as one:
        one.tickets.heard = lambda code: one.tickets.validate() if code == 0x57 else asyncio.sleep(0)  # type: ignore[method-assign, assignment, return-value]
        await one.collect()
        await one.stop()
        await one.host.collect()
        first = await one.host.ask(0x4D, function=0)
        assert first is not None
        one.host.cut()
        await one.rig.restart(until=None)
        await one.rig.until_true(one.rig.machine.states.up.is_set)
        await one.host.collect()
        assert await one.host.ask(0x4D, function=0) == first
        await one.host.confirm()
        assert (await one.host.ask(0x4D, function=0) or {})["number"] == 0


async def test_nothing_is_printed_while_the_host_reads_no_records(tmp_path: Path) -> None:
    """All 31 are kept, the oldest would be lost with one more: the attendant pays."""
    async with tried(tmp_path) as one:
        numbers = [f"37{number:016d}" for number in range(1, host_tickets.POSITIONS + 1)]
        one.tickets.books.issued |= {number: Issued(100) for number in numbers}

        def many(tx: Transaction) -> None:
            for at, number in enumerate(numbers):
                host_tickets.record(tx, "host_port", Ticket(at, number, 100, "printed", 0, None, None))

        await one.rig.journal.do(many)
        await one.collect("handpay")
        assert (one.slips, one.rig.credit) == ([], 2500)
        await one.stop()
        for number in range(2):
            assert (await one.host.ask(0x4D, function=0) or {})["ticket"] == number
            await one.host.confirm()
        await one.poll()
        await one.rig.press("collect")  # back to the credit, and again
        await one.collect()
        assert len(one.slips) == 1


async def test_a_host_sets_what_holds_for_tickets(tmp_path: Path) -> None:
    """7B switches and dates, 7D is printed; both outlast a restart, and are events."""
    async with tried(tmp_path) as one:
        await one.stop()
        holds = {"asset": 318, "status": 0x21, "cashable_days": 30, "restricted_days": 0}
        inquiry = {"mask": 0, "states": 0, "cashable_days": 0, "restricted_days": 0}
        assert await one.host.ask(0x7B, **inquiry) == holds
        answer = await one.host.ask(0x7B, **inquiry | {"cashable_days": 9999})
        assert answer == holds | {"cashable_days": 9999}
        assert await one.host.ask(0x7D, host_id=1, days=7, location="TOWER", address1="", address2="PIER 3") == {
            "flag": 1
        }
        one.host.cut()
        await one.rig.restart(until=None)
        await one.rig.until_true(one.rig.machine.states.up.is_set)
        await one.poll()
        await one.rig.until_true(lambda: one.rig.shown == "idle")
        await one.collect()
        assert one.printer.tray[-1].lines[:2] == ("TOWER", "PIER 3")
        await one.stop()
        off = await one.host.ask(0x7B, **inquiry | {"mask": 0x21, "states": 0x00})
        assert off == holds | {"status": 0, "cashable_days": 7}
        assert not await one.rig.ticket(one.slips[-1])
        await one.rig.game(1000)
        await one.rig.press("collect")
        await one.rig.until("handpay")
        assert "By the host: what holds for tickets" in await one.rig.events("host_act")


LINES = ("HOUSE", "STREET", "TOWN")


class Lined(Tried):
    """A machine whose own lines stand on its tickets until the host says other ones (7C, section 2.2)."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, lines=LINES)

    async def begin(self) -> "Lined":
        """Start with credit for some tickets, its host at hand."""
        await self.rig.start()
        await self.rig.game(3000)
        return self

    async def end(self) -> None:
        """Prove the books and stop."""
        await self.stop()
        await self.rig.journal.do(lambda tx: tx.prove())
        await self.rig.kill()

    async def lines(self, elements: dict[int, str]) -> object:
        """The flag that 7C is answered with."""
        await self.host.collect()
        return (await self.host.ask(0x7C, elements=elements) or {}).get("flag")

    async def printed(self) -> tuple[str, ...]:
        """The first lines of a ticket that is printed now."""
        await self.poll()
        if self.rig.credit == 0:
            await self.rig.game(1000)
        await self.collect()
        await self.stop()
        return self.printer.tray[-1].lines[:3]


async def test_a_host_sets_the_lines_of_tickets_one_by_one(tmp_path: Path) -> None:
    """An element replaces its line and no other; it outlasts a restart, and length 0 brings the default back."""
    one = await Lined(tmp_path).begin()
    assert await one.lines({1: "HARBOUR 7"}) == 1
    assert await one.printed() == ("HOUSE", "HARBOUR 7", "TOWN")
    one.host.cut()
    await one.rig.restart(until=None)
    await one.rig.until_true(one.rig.machine.states.up.is_set)
    assert await one.lines({}) == 1, "an inquiry"
    await one.poll()
    await one.rig.until_true(lambda: one.rig.shown == "idle")
    await one.stop()
    assert await one.printed() == ("HOUSE", "HARBOUR 7", "TOWN")
    assert await one.lines({0: "X" * 40, 1: "", 2: "PIER"}) == 1
    assert await one.printed() == ("X" * 40, "STREET", "PIER")
    assert await one.lines({0: "", 2: ""}) == 1
    assert await one.printed() == LINES
    assert "By the host: what holds for tickets" in await one.rig.events("host_act")
    await one.end()


@pytest.mark.parametrize(
    "body",
    [
        "00 29" + " 41" * 41, "03 01 41", "10 01 41", "20 01 41", "FF 00", "00 02 41", "00", "00 01 FF", "00 01 0A",
        "00 01 41 05 01 41", "00 01 41 01",
    ],
)  # fmt: skip
async def test_lines_that_are_not_valid_change_nothing(tmp_path: Path, body: str) -> None:
    """Too long, an element it has not, cut short, no ASCII, and a valid one beside such: flag 00."""
    one = await Lined(tmp_path).begin()
    await one.host.collect()
    data = bytes.fromhex(body)
    heard = (await one.host.exchange(sealed(bytes((1, 0x7C, len(data))) + data), 0x7C)).heard
    assert heard == sealed(bytes((1, 0x7C, 0)))
    assert await one.printed() == LINES
    await one.end()


async def test_lines_said_to_all_machines_are_taken_in_silence(tmp_path: Path) -> None:
    """At address 0, as 7B and 7D are."""
    one = await Lined(tmp_path).begin()
    await one.host.collect()
    assert (await one.host.exchange(sealed(bytes.fromhex("00 7C 06 02 04 50 49 45 52")), 0x7C)).heard == b""
    assert await one.printed() == ("HOUSE", "STREET", "PIER")
    await one.end()


async def test_a_host_that_may_not_changes_nothing_about_tickets(tmp_path: Path) -> None:
    """It reads what holds."""
    one = Tried(tmp_path)
    ports = one.rig.config.host_port
    assert ports is not None
    one.rig.config = msgspec.structs.replace(one.rig.config, host_port=msgspec.structs.replace(ports, may=()))
    await one.rig.start()
    await one.host.collect()
    answer = await one.host.ask(0x7B, mask=0x21, states=0, cashable_days=3, restricted_days=0)
    assert answer is not None
    assert (answer["status"], answer["cashable_days"]) == (0x21, 30)
    assert await one.host.ask(0x7D, host_id=1, days=7, location="X", address1="", address2="") == {"flag": 0}
    assert await one.host.ask(0x7C, elements={0: "X"}) == {"flag": 0}
    assert await one.host.ask(0x7C, elements={}) == {"flag": 1}
    await one.rig.kill()


async def test_without_validation_by_the_host_its_polls_are_silent(tmp_path: Path) -> None:
    """A cabinet that validates its own tickets says nothing of them beyond its meters; 4C is silent in any case."""
    one = Tried(tmp_path, validated_by="cabinet")
    await one.rig.start()
    await one.host.collect()
    for command in (0x3D, 0x57, 0x70):
        assert await one.host.ask(command) is None
    assert await one.host.ask(0x4D, function=0) is None
    assert await one.host.ask(0x4C, id=1, sequence=1) is None
    assert await one.host.ask(0x7B, mask=0, states=0, cashable_days=0, restricted_days=0) is None
    assert await one.host.ask(0x7C, elements={}) is None
    features = await one.host.ask(0xA0, game=0)
    assert features is not None
    assert features["features"][0] == 0
    await one.rig.kill()


async def test_features_name_system_validation_and_redemption(tmp_path: Path) -> None:
    """Bits 5 and 7 of the first byte."""
    async with tried(tmp_path, credit=0) as one:
        await one.stop()
        features = await one.host.ask(0xA0, game=0)
        assert features is not None
        assert features["features"][0] == 0b1010_0000
        assert await one.host.ask(0x4C, id=1, sequence=1) is None
