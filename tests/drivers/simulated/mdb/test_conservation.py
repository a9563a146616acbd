"""No coin and no bill is lost or made, whatever is done to the devices, their bus and their power, in any order."""

from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.mdb.bill_validator import BillHabits, SimulatedMdbBills
from drivers.simulated.mdb.coin_changer import ChangerHabits, SimulatedChanger
from drivers.simulated.mdb.tubes import TubeHabits
from drivers.simulated.note_path import Paper
from tests.rigs.mdb_host import MdbHost

COINS, NOTES = (10, 20, 50, 100, 200), (500, 1000, 2000, 5000)
FIRST = {10: 5, 20: 5, 50: 5, 100: 5}
BUS = ("request_spoilt", "answer_spoilt", "ack_lost", "silent", "garbage", "late", "restart")
CHANGER_TROUBLES = ("slugs", "no_credit", "routing_error", "coin_jam", "tube_jam", "tube_sensor", "by_hand")

TEAR_S = (0.0, 0.002, 0.004, 0.0065, 0.15)
"""Within the request, at its end, in the answer, after it, and in what it began."""

Act = tuple[str, int]


def acts(*names: str) -> st.SearchStrategy[list[Act]]:
    """Any sequence of acts, each with a number from 0 to 4."""
    return st.lists(st.tuples(st.sampled_from(names), st.integers(0, 4)), max_size=25)


COIN_ACTS = acts(
    "coin", "coin", "ask", "pay", "value", "cut", "torn", "reset", "enable", "wait", *BUS, *CHANGER_TROUBLES
)
BILL_ACTS = acts(
    "note", "note", "ask", "stack", "return", "cut", "torn", "reset", "enable", "wait", "fault", "pull", "spoil", *BUS
)


@pytest.mark.parametrize("count_s", [0.0, 0.15])
@given(done=COIN_ACTS)
async def test_coins(done: list[Act], count_s: float) -> None:
    """What was put in and filled lies in tubes, cash box, return and tray; nothing is counted below zero."""
    returned: list[int] = []
    tray: list[int] = []
    box: list[int] = []
    changer = SimulatedChanger(
        stock=FIRST,
        habits=ChangerHabits(tubes=TubeHabits(capacity=7, count_s=count_s)),
        returned=returned.append,
        coin_out=tray.append,
        boxed=box.append,
    )
    host = await MdbHost(changer).open()
    put: list[int] = []

    async def coin(number: int) -> None:
        put.append(COINS[number])
        changer.insert(COINS[number])

    does = {
        "coin": coin,
        "ask": lambda number: host.say(("R,0B", "R,0A", "R,0F,03", "R,0F,04", "R,09")[number]),
        "pay": lambda number: host.say(f"R,0D,{number}{number}"),
        "value": lambda number: host.say(f"R,0F,02{number * 9:02X}"),
        "reset": lambda _number: host.say("R,08"),
        "enable": lambda number: _enabled(host, "R,0C,FFFFFFFF", "R,0F,0100000007" if number else "R,0B"),
        **_common(host, "R,0D,21"),
    }
    for name, number in done:
        if name in changer.troubles():
            changer.troubles()[name](number)
        else:
            await does[name](number)
    await host.cut()
    held = Counter({value: coins for value, coins in changer.held.items() if coins})
    assert Counter(put) + Counter(FIRST) == Counter(returned) + Counter(tray) + Counter(box) + held
    assert Counter({changer.values_cents[kind]: coins for kind, coins in changer.tubes.boxed.items()}) == Counter(box)
    assert all(coins >= 0 for coins in (*changer.tubes.counted.values(), *changer.tubes.held.values()))


@given(done=BILL_ACTS)
async def test_bills(done: list[Act]) -> None:
    """Each note is in the hand, in the stacker or still inside; the stacker counts what is in it."""
    returned: list[Paper] = []
    stacked: list[Paper] = []
    bills = SimulatedMdbBills(returned=returned.append, stacked=stacked.append, habits=BillHabits(capacity=1000))
    host = await MdbHost(bills).open()
    put: list[Paper] = []

    async def note(number: int) -> None:
        put.append(NOTES[number % 4])
        bills.insert(NOTES[number % 4])

    async def fault(number: int) -> None:
        bills.set_fault(("acceptor_jam", "stacker_full", "failure")[number % 3], on=number > 1)

    async def pull(_number: int) -> None:
        bills.pull_back()

    async def spoil(number: int) -> None:
        bills.unreadable = number

    does = {
        "note": note,
        "ask": lambda number: host.say("R,33" if number else "R,36"),
        "stack": lambda _number: host.say("R,35,01"),
        "return": lambda _number: host.say("R,35,00"),
        "reset": lambda _number: host.say("R,30"),
        "enable": lambda number: _enabled(host, f"R,34,000F{'000F' if number else '0000'}", "R,33"),
        "fault": fault,
        "pull": pull,
        "spoil": spoil,
        **_common(host, "R,35,01"),
    }
    for name, number in done:
        await does[name](number)
    for name in bills.faults:
        bills.set_fault(name, on=False)
    await host.cut()
    await host.pause(3)
    assert bills.slot == ""
    assert Counter(put) == Counter(returned) + Counter(stacked)
    assert bills.in_stacker == len(stacked)


def _common(host: MdbHost, pays: str) -> dict[str, Callable[[int], Awaitable[object]]]:
    async def trouble(name: str, number: int) -> None:
        host.bridge.troubles()[name](number)

    async def cut(number: int) -> None:
        host.bridge.power(on=False)
        await host.pause(0.1 * number)
        host.bridge.power(on=True)
        await host.pause(0.3)
        await host.say("M,1")

    async def torn(number: int) -> None:
        """Lose power while a request goes over the bus, is answered, or is carried out."""
        await host.line.port.write(pays.encode() + b"\n")
        await host.pause(TEAR_S[number])
        await cut(number)

    does: dict[str, Callable[[int], Awaitable[object]]] = {
        "cut": cut,
        "torn": torn,
        "wait": lambda number: host.pause(0.07 * number),
    }
    for name in BUS:
        does[name] = lambda number, name=name: trouble(name, number)  # type: ignore[misc]
    return does


async def _enabled(host: MdbHost, *lines: str) -> None:
    for line in ("M,1", *lines):
        await host.say(line)
