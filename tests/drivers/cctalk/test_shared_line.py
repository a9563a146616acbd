import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from drivers.capabilities import PayoutEnd
from drivers.cctalk.bus import REPLY_S, SETTLE_S, Bus
from drivers.cctalk.protocol import Header
from drivers.cctalk.wire import Wire
from drivers.clock import LoopClock
from drivers.errors import NoReplyError, PortError
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.party import BILLS, COIN, HOPPER, Party

NOTE = 2000
BUFFER_S = 1.0
"""Five buffered events at five coins a second: a coin acceptor that is polled this often loses none."""


async def run_party(party: Party, act: Callable[[Party], Coroutine[Any, Any, None]]) -> Party:
    await party.start()
    await act(party)
    await asyncio.sleep(5.0)
    await party.end()

    return party


async def coins(party: Party, count: int) -> None:
    """Five coins a second, as fast as people throw them."""
    for _ in range(count):
        party.slot.device.insert(100)
        await asyncio.sleep(0.2)


def check_coins(party: Party) -> None:
    assert party.slot.books.credited == party.slot.accepted
    assert party.slot.books.lost == 0
    assert party.slot.falls == []


@pytest.mark.parametrize("echo", [False, True])
async def test_three_devices_serve_on_one_wire(*, echo: bool) -> None:
    """Coins, a note and a payout at the same time: each has its books right, and the echo is found once for all."""

    async def act(party: Party) -> None:
        assert party.wire.echo is echo
        party.bills.device.insert(NOTE)
        paying = asyncio.create_task(party.desk.order(10))
        await coins(party, 30)
        assert (await paying).end is PayoutEnd.DONE
        await asyncio.sleep(5.0)

    party = await run_party(Party(echo=echo), act)
    check_coins(party)
    assert len(party.slot.accepted) == 30
    assert party.bills.books.credit_cents == NOTE
    assert party.desk.tray == [100] * 10
    assert party.desk.falls == party.bills.deaths == []


def slow(device: Any, delay_s: float) -> None:
    """Have a device answer late, but in time."""
    obey = device._obey

    def later(frame: Any) -> None:
        asyncio.get_running_loop().call_later(delay_s, obey, frame)

    device._obey = later


def trouble(party: Party, others: str) -> None:
    """Begin what the two others do."""
    hopper, bills = party.desk.device, party.bills.device
    if others == "dead":
        hopper.power(on=False)
        bills.power(on=False)
    elif others == "slow":
        slow(hopper, REPLY_S - 0.015)
        slow(bills, REPLY_S - 0.015)
    elif others == "later than late":
        slow(hopper, REPLY_S + 0.05)
        slow(bills, REPLY_S + 0.15)
    elif others == "babbling":
        answer = hopper.answer
        hopper.answer = lambda header, data: answer(header, data) and bytes(200)  # type: ignore[method-assign]


@pytest.mark.parametrize("others", ["busy", "dead", "slow", "later than late", "dying and back", "babbling"])
@pytest.mark.parametrize("echo", [False, True])
async def test_no_device_starves_the_coin_acceptor(others: str, *, echo: bool) -> None:
    """Whatever the two others do, the coin acceptor is polled within a second: five coins a second, none lost."""

    async def act(party: Party) -> None:
        trouble(party, others)
        paying = asyncio.create_task(party.desk.order(20)) if others in {"busy", "slow"} else None
        if others == "busy":
            party.bills.device.insert(NOTE)
        began = asyncio.get_running_loop().time()
        for turn in range(12):
            if others == "dying and back":
                party.desk.device.power(on=turn % 2 == 0)
                party.bills.device.power(on=turn % 3 == 0)
            await coins(party, 25)
        assert party.ear.longest_gap(began) < BUFFER_S
        if paying is not None:
            await paying

    party = await run_party(Party(echo=echo), act)
    check_coins(party)
    assert len(party.slot.accepted) == 300
    if others in {"dead", "later than late", "babbling"}:
        assert party.desk.falls


@pytest.mark.parametrize("coin_s", [0.2, 0.08, 0.03])
async def test_a_hopper_that_pays_faster_than_it_can_be_asked_beside_dead_devices_pays_out(coin_s: float) -> None:
    """Both others are dead, so that two reads of its counters always differ: every coin is booked, none twice."""

    async def act(party: Party) -> None:
        party.slot.device.power(on=False)
        party.bills.device.power(on=False)
        party.desk.device.coin_s = coin_s
        await asyncio.sleep(2.0)
        assert (await party.desk.order(60)).end is PayoutEnd.DONE

    party = await run_party(Party(echo=True), act)
    assert party.desk.tray == [100] * 60
    assert party.desk.falls == []


@pytest.mark.parametrize("silent", [set[int](), {BILLS}, {HOPPER, BILLS}])
async def test_turns_are_given_in_the_order_they_were_asked_for(silent: set[int]) -> None:
    """Round robin: of three drivers that ask without a pause none has two turns while another waits."""
    party = Party()
    party.line.device.power(on=True)
    for address, device in ((HOPPER, party.desk.device), (BILLS, party.bills.device)):
        device.power(on=address not in silent)
    buses = {address: Bus(party.wire.tap(), LoopClock()) for address in (COIN, HOPPER, BILLS)}
    for bus in buses.values():
        await bus.open()
    await buses[COIN].request(COIN, Header.SIMPLE_POLL)
    party.ear.asked.clear()

    async def ask(address: int) -> None:
        for _ in range(20):
            if address in silent:
                with pytest.raises(NoReplyError):
                    await buses[address].exchange(address, Header.SIMPLE_POLL)
            else:
                await buses[address].exchange(address, Header.SIMPLE_POLL)

    await asyncio.gather(*(ask(address) for address in buses))
    order = [whom for _, whom, _ in party.ear.asked]
    assert all(order.count(address) == 20 for address in (COIN, HOPPER, BILLS))
    if not silent:
        assert order == [COIN, HOPPER, BILLS] * 20
    # a silent one is itself kept waiting for its late reply; whoever answers is never kept waiting for more than it
    talkers = {COIN, HOPPER, BILLS} - silent
    last = max(at for at, whom in enumerate(order) if whom == COIN)
    assert all(talkers <= set(order[at : at + 3]) for at in range(last - 2))


async def test_a_silent_device_costs_the_others_its_time_out_and_no_more() -> None:
    """While one device is waited for, after its time-out, the others are served at once."""
    party = Party()
    party.line.device.power(on=True)
    party.desk.device.power(on=False)
    dead, alive = (Bus(party.wire.tap(), LoopClock()) for _ in range(2))
    for bus in (dead, alive):
        await bus.open()
    await alive.request(COIN, Header.SIMPLE_POLL)
    asking = asyncio.create_task(dead.request(HOPPER, Header.SIMPLE_POLL))
    waits: list[float] = []
    while not asking.done():
        began = LoopClock().now()
        await alive.request(COIN, Header.SIMPLE_POLL)
        waits.append(LoopClock().now() - began)
        await asyncio.sleep(0.01)
    with pytest.raises(NoReplyError):
        await asking
    (longest, _) = max(waits), sum(waits)
    assert REPLY_S < longest < REPLY_S + 0.05 < SETTLE_S


async def test_a_late_reply_of_another_device_is_nobodys() -> None:
    """The hopper's belated answer arrives while the coin acceptor is asked: it is the hopper's, and thrown away."""

    async def scene() -> tuple[bytes, bytes]:
        party = Party()
        party.line.device.power(on=True)
        slow(party.desk.device, REPLY_S + 0.01)
        hopper, coin = (Bus(party.wire.tap(), LoopClock()) for _ in range(2))
        for bus in (hopper, coin):
            await bus.open()
        await coin.request(COIN, Header.SIMPLE_POLL)
        with pytest.raises(NoReplyError):
            await hopper.exchange(HOPPER, Header.SERIAL_NUMBER)
        answer = await coin.request(COIN, Header.SERIAL_NUMBER, sizes=range(3, 4))
        with pytest.raises(NoReplyError):
            await hopper.exchange(HOPPER, Header.SERIAL_NUMBER)
        again = await coin.request(COIN, Header.SERIAL_NUMBER, sizes=range(3, 4))
        return answer, again

    serial = (4711).to_bytes(3, "little")
    assert (await scene()) == (serial, serial)


async def test_a_driver_that_stops_leaves_the_line_to_the_others() -> None:
    """Stopping or restarting one closes the port for none: the others notice nothing."""

    async def act(party: Party) -> None:
        for _ in range(5):
            party.desk.hopper.stop()
            await coins(party, 5)
            await party.bills.kill()
            await coins(party, 5)
            party.bills.run()
            await coins(party, 25)
        party.bills.device.insert(NOTE)
        await asyncio.sleep(5.0)

    party = await run_party(Party(), act)
    check_coins(party)
    assert party.bills.books.credit_cents == NOTE
    assert len(party.desk.falls) == 5


async def test_a_lost_port_reaches_every_driver_and_all_come_back() -> None:
    """Pulled and put back: each driver reports it, opens the line again, and nothing is credited twice."""

    async def act(party: Party) -> None:
        await coins(party, 3)
        await asyncio.sleep(1.0)
        party.line.unplug()
        party.slot.device.insert(200)
        await asyncio.sleep(3.0)
        assert {type(error) for error in party.slot.falls + party.desk.falls} == {PortError}
        assert {type(error) for error in party.bills.deaths} == {PortError}
        party.line.plug()
        await asyncio.sleep(10.0)
        await coins(party, 3)
        party.bills.device.insert(NOTE)
        await asyncio.sleep(5.0)
        assert (await party.desk.order(3)).end is PayoutEnd.DONE

    party = await run_party(Party(), act)
    assert party.slot.books.credited == party.slot.accepted
    assert party.bills.books.credit_cents == NOTE
    assert party.desk.tray == [100] * 3


async def test_the_port_is_opened_once_and_closed_after_the_last() -> None:
    """A line is one port: the first user opens it, who comes later joins, the last one closes it."""

    async def scene() -> list[str]:
        party = Party()
        first, second = party.wire.tap(), party.wire.tap()
        said = []
        await first.open()
        await second.open()
        with pytest.raises(PortError, match="already open"):
            await first.open()
        first.close()
        first.close()
        with pytest.raises(PortError, match="open it again"):
            await first.write(b"\x00")
        said.append(repr(party.line.port))
        second.close()
        said.append(repr(party.line.port))
        await second.open()
        said.append(repr(party.line.port))
        return said

    assert (await scene()) == ["<MemoryPort party open>", "<MemoryPort party closed>", "<MemoryPort party open>"]


async def test_a_spoilt_echo_on_a_shared_line_is_one_drivers_failure() -> None:
    """A collision fails the exchange it hits; the next one, of whoever it is, is as good as ever."""

    async def act(party: Party) -> None:
        for _ in range(40):
            party.incident.inject(Kind.CORRUPT, way=Way.TO_HOST)
            await coins(party, 5)

    party = await run_party(Party(echo=True), act)
    check_coins(party)
    assert party.desk.falls == party.bills.deaths == []


async def test_devices_hear_each_other_and_answer_for_themselves_only() -> None:
    """On the simulated wire a reply reaches every device, and none of them takes it for a question."""

    async def scene() -> list[int]:
        answered: list[int] = []
        party = Party()
        for device in (party.slot.device, party.desk.device, party.bills.device):
            answer = device.answer

            def watched(header: int, data: bytes, ask: Any = answer, whom: int = device.address) -> bytes | Refusal:
                answered.append(whom)
                said: bytes | Refusal = ask(header, data)
                return said

            device.answer = watched  # type: ignore[method-assign]
        line = MemoryLine(PartyLine([party.slot.device, party.desk.device, party.bills.device]))
        line.device.power(on=True)
        bus = Bus(Wire(line.port).tap(), LoopClock())
        await bus.open()
        for address in (COIN, HOPPER, BILLS, COIN):
            await bus.request(address, Header.CATEGORY, sizes=range(30))
        return answered

    assert (await scene()) == [COIN, HOPPER, BILLS, COIN]
