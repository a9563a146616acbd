"""The tubes of an MDB changer pay an order once, whatever is cut, and what nobody can know is undecided."""

import asyncio
import contextlib
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.capabilities import PayoutEnd, PayoutOutcome
from drivers.errors import DriverError, IdentityError
from drivers.mdb.protocol import coin_setup, tubes
from drivers.mdb.tube_stock import TubeStock
from drivers.simulated.misbehaviour import Kind, Way
from tests.drivers.mdb.till import SERIAL, Till
from tests.rigs.bill_rig import KilledError
from tests.rigs.mdb_peer import COIN_SETUP

ORDER = 37
"""Steps of 5 cents: three coins of 50, one of 20, one of 10, one of 5."""


async def paid(till: Till, coins: int, prepare: Callable[[Till], None] = lambda _till: None) -> PayoutOutcome:
    """Start everything, pay an order, and check the books."""
    till.peer.power(on=True)
    await till.start()
    prepare(till)
    outcome = await till.pay(coins)
    await asyncio.sleep(3)
    await till.stop()
    till.check(outcome)
    return outcome


async def test_an_amount_is_ordered_of_a_changer_that_chooses_its_coins() -> None:
    """One order, by the alternative payout; each unit is booked."""
    till = Till()
    outcome = await paid(till, ORDER)
    assert outcome == PayoutOutcome(end=PayoutEnd.DONE)
    assert (sum(till.changer.paid), till.changer.orders) == (185, [bytes((0x0F, 2, ORDER))])
    assert till.books.faults == {}


@pytest.mark.parametrize("till", [{"level": 2}, {"features": 0}, {"unit_cents": 10}])
async def test_coins_are_ordered_kind_by_kind_of_any_other(till: dict[str, int]) -> None:
    """By DISPENSE, at most fifteen at once; coins that are no multiple of the step stay."""
    made = Till(**till)
    coins = 18 if made.unit_cents == 10 else ORDER
    outcome = await paid(made, coins)
    assert outcome.end is PayoutEnd.DONE
    assert sum(made.changer.paid) == coins * made.unit_cents
    assert {order[0] for order in made.changer.orders} == {0x0D}


async def test_no_coin_is_taken_while_the_tubes_pay() -> None:
    """One that fell into a tube would be counted as not paid."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    assert till.changer.insert(50)
    paying = asyncio.create_task(till.pay(ORDER))
    await asyncio.sleep(2)
    assert not till.changer.insert(50)
    await paying
    await asyncio.sleep(3)
    assert till.changer.insert(50)
    await asyncio.sleep(1)
    await till.stop()
    assert (till.books.paid, till.books.credited) == (ORDER, [50, 50])


async def test_tubes_that_do_not_hold_it_pay_what_they_can() -> None:
    """Then the payout ends empty."""
    till = Till()
    till.changer.tubes = [1, 0, 0, 2]
    outcome = await paid(till, ORDER)
    assert (outcome.end, till.books.paid) == (PayoutEnd.EMPTY, 21)
    assert dict(outcome.faults) == {"hopper_empty": "its tubes do not hold it in whole coins; 80 cents unpaid"}


async def test_a_jam_ends_it_with_what_has_left() -> None:
    """The changer gives up, and says why."""
    till = Till()
    till.changer.jam_after = 2
    outcome = await paid(till, ORDER)
    assert (outcome.end, till.books.paid) == (PayoutEnd.JAMMED, 20)
    assert list(dict(outcome.faults)) == ["hopper_jam"]


async def test_tubes_that_contradict_the_changer_are_undecided() -> None:
    """Sensors that see only some levels of a tube, for one."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    paying = asyncio.create_task(till.pay(ORDER))
    await asyncio.sleep(2.5)
    assert till.changer.paid
    till.changer.lies_by = 9
    outcome = await paying
    await till.stop()
    assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)


def sees_levels(till: Till, levels: tuple[int, ...]) -> None:
    """Give the changer sensors that see only these levels of a tube."""
    answer = till.changer.answer

    def seen(block: bytes) -> bytes | None:
        if block[0] != 0x0A:
            return answer(block)
        return b"\0\0" + bytes(max(one for one in levels if one <= count) for count in till.changer.tubes).ljust(
            16, b"\0"
        )

    till.peer.devices[0x08] = seen


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize(("held", "coins", "left"), [(40, 5, 5), (32, 18, 15)], ids=["too few", "too many"])
async def test_tubes_that_see_only_some_levels_are_undecided(level: int, held: int, coins: int, left: int) -> None:
    """Coins ordered by DISPENSE have left, and the tubes show none gone, or more than were ordered: nobody knows."""
    till = Till(level=level, unit_cents=50)
    till.changer.tubes = [0, 0, 0, held]
    sees_levels(till, (0, 10, 30))
    till.peer.power(on=True)
    await till.start()
    outcome = await till.pay(coins)
    await till.stop()
    assert len(till.changer.paid) == left
    assert (outcome.end, outcome.recount, till.books.paid) == (PayoutEnd.UNDECIDED, True, 0)


async def test_a_tube_that_fails_pays_nothing() -> None:
    """It is a fault, and what it held is nobody's stray."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    answer = till.changer.answer

    def failing(block: bytes) -> bytes | None:
        return b"\0\1" + bytes(16) if block[0] == 0x0A else answer(block)

    till.peer.devices[0x08] = failing
    await asyncio.sleep(3)
    assert not till.tubes.ready
    assert list(till.books.faults) == ["hopper_sensor"]
    assert till.books.strays == 0
    await till.stop()


async def test_coins_that_leave_unordered_are_found() -> None:
    """By what the tubes hold."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    till.changer.tubes[3] -= 1
    await asyncio.sleep(3)
    assert till.books.strays == 10
    await till.stop()


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.CORRUPT])
@pytest.mark.parametrize("way", list(Way))
@pytest.mark.parametrize(
    "moments", [pytest.param(range(2, 22, 9), id="some"), pytest.param(range(40), id="every", marks=pytest.mark.proof)]
)
async def test_every_line_goes_wrong(level: int, kind: Kind, way: Way, moments: range) -> None:
    """Whatever happens to a line, what has left is booked, and nothing leaves twice."""
    for after in moments:
        for lines in (1, 3):
            till = Till(level=level)

            def later(one: Till, after: int = after, lines: int = lines) -> None:
                loop = asyncio.get_running_loop()
                loop.call_later(after * 0.1, lambda: one.misbehaviour.inject(kind, lines, way=way))

            outcome = await paid(till, ORDER, later)
            assert outcome.end is not PayoutEnd.UNDECIDED
            assert sum(till.changer.paid) <= ORDER * 5


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize("sent", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "moments", [pytest.param(range(1, 60, 9), id="some"), pytest.param(range(120), id="every", marks=pytest.mark.proof)]
)
async def test_killed_at_every_write(level: int, sent: bool, moments: range) -> None:  # noqa: FBT001 - a parameter
    """A program that dies at any line, with a new one a second later: the order is finished, and nothing leaves twice.

    One that was announced and of which nothing has left the tubes is undecided: they may see only some levels.
    """
    for write in moments:
        till = Till(level=level)
        till.peer.power(on=True)
        await till.start()
        till.port.die_at, till.port.die_sent = till.port.writes + write, sent
        paying = asyncio.create_task(till.tubes.pay(till.books.order(ORDER), till.books))
        await asyncio.wait({paying}, timeout=12)
        paying.cancel()
        with contextlib.suppress(asyncio.CancelledError, DriverError, KilledError):
            await paying
        till.port.die_at = 0
        if till.books.paid < ORDER or till.books.serial is not None:
            till.line.port.close()
            await till.stop()
            till.run()
            await till.start()
            outcome = await till.pay(ORDER)
            assert till.books.paid * till.unit_cents == sum(till.changer.paid)
            if outcome.end is not PayoutEnd.DONE:
                assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)
                assert "nobody knows whether it was obeyed" in dict(outcome.faults)["hopper_memory"]
                await till.stop()
                continue
        await till.stop()
        assert sum(till.changer.paid) == ORDER * 5


@pytest.mark.parametrize("kills", [1, 3])
@pytest.mark.parametrize(("level", "features"), [(2, 0), (3, 0), (3, 1)])
async def test_a_killed_order_is_not_sent_again_where_sensors_see_only_some_levels(
    level: int, features: int, kills: int
) -> None:
    """It was obeyed, and the tubes show nothing gone."""
    till = Till(level=level, features=features, unit_cents=50)
    till.changer.tubes = [0, 0, 0, 40]
    sees_levels(till, (0, 10, 30))
    till.peer.power(on=True)
    await till.start()
    for _ in range(kills):
        paying = asyncio.create_task(till.tubes.pay(till.books.order(5), till.books))
        for _ in range(40):
            await asyncio.sleep(0.05)
            if till.changer.orders:
                break
        await asyncio.sleep(0.3)
        paying.cancel()
        with contextlib.suppress(asyncio.CancelledError, DriverError):
            await paying
        till.line.port.close()
        await till.stop()
        till.run()
        await till.start()
    outcome = await till.pay(5)
    await till.stop()
    assert (outcome.end, outcome.recount, till.books.paid) == (PayoutEnd.UNDECIDED, True, 0)
    assert (len(till.changer.orders), sum(till.changer.paid)) == (1, 250)


async def test_a_kill_after_the_changer_gave_its_sum_is_undecided() -> None:
    """The sum is gone once it was read, and the tubes, which see only some levels, show nothing gone."""
    till = Till(unit_cents=50)
    till.changer.setup = COIN_SETUP[:3] + b"\x32" + COIN_SETUP[4:5] + b"\0\x08" + bytes((1, 1, 1, 1, 2, 4))
    till.changer.tubes = [0, 0, 0, 40]
    sees_levels(till, (0, 10, 30))
    till.peer.power(on=True)
    await till.start()
    paying = asyncio.create_task(till.tubes.pay(till.books.order(1), till.books))
    await asyncio.sleep(6)
    assert not paying.done()
    paying.cancel()
    with contextlib.suppress(asyncio.CancelledError, DriverError):
        await paying
    till.line.port.close()
    await till.stop()
    till.run()
    await till.start()
    outcome = await till.pay(1)
    await till.stop()
    assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)
    assert (len(till.changer.orders), till.changer.paid) == (1, [50])


@pytest.mark.parametrize("announced", [False, True])
async def test_an_order_that_is_given_up_is_not_sent(announced: bool) -> None:  # noqa: FBT001 - as above
    """Given up before it was announced: nothing has left, nothing is ordered. After that nobody knows."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    if announced:
        stock = TubeStock(tubes(till.changer.answer(b"\x0a") or b""), coin_setup(COIN_SETUP), 5)
        till.books.announce(SERIAL, ORDER, stock.count)
    outcome = await till.tubes.settle(till.books.order(ORDER), till.books)
    await till.stop()
    assert (outcome.end, outcome.recount) == ((PayoutEnd.UNDECIDED, True) if announced else (PayoutEnd.STOPPED, False))
    assert (till.changer.orders, till.books.paid) == ([], 0)


@pytest.mark.parametrize("level", [2, 3])
async def test_orders_that_it_does_not_acknowledge_end_the_payout(level: int) -> None:
    """Nothing moves, so it is ordered again, three times in all."""
    till = Till(level=level)
    for units in range(1, ORDER + 1):
        till.peer.answers[f"R,0F,02{units:02X}"] = b"p,NACK"
    till.peer.answers["R,0D,33"] = b"p,NACK"
    outcome = await paid(till, ORDER)
    assert (outcome.end, till.books.announced, till.books.paid) == (PayoutEnd.STOPPED, 3, 0)
    assert list(dict(outcome.faults)) == ["dispense_refused"]


async def test_an_amount_that_nobody_heard_the_end_of_is_undecided() -> None:
    """Tubes that show nothing gone, and the changer's own sum was lost on the line."""
    till = Till(unit_cents=50)
    till.changer.setup = COIN_SETUP[:3] + b"\x32" + COIN_SETUP[4:5] + b"\0\x08" + bytes((1, 1, 1, 1, 2, 4))
    till.changer.tubes = [0, 0, 0, 40]
    sees_levels(till, (0, 10, 30))
    till.peer.answers["R,0F,03"] = b"?"
    till.peer.power(on=True)
    await till.start()
    outcome = await till.pay(1)
    await till.stop()
    assert (outcome.end, outcome.recount, till.changer.paid) == (PayoutEnd.UNDECIDED, True, [50])
    assert "does not say how many" in dict(outcome.faults)["hopper_memory"]


async def test_a_level_2_changer_of_another_set_up_finishes_no_payout() -> None:
    """Its tubes say nothing of what the one before had paid."""
    till = Till(level=2)
    till.peer.power(on=True)
    await till.start()
    till.books.announce(zlib.crc32(b"another"), 5, 0)
    with pytest.raises(IdentityError, match="began this payout"):
        await till.tubes.pay(till.books.order(5), till.books)
    await till.stop()
    assert till.changer.orders == []


async def test_each_start_ends_the_faults_of_the_link() -> None:
    """Of the tubes alone, while the changer's acceptor goes on."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    tubes = till.tasks.pop()
    tubes.cancel()
    await asyncio.wait([tubes])
    await till.books.device_fault(till.tubes.name, "no_reply", present=True)
    till.tasks.append(asyncio.create_task(till.tubes.run()))
    await asyncio.sleep(4)
    await till.stop()
    assert till.books.present == {}


async def test_a_contradiction_is_over_once_it_is_reported() -> None:
    """Else no key could clear it, and no payout that would show it over may begin."""
    till = Till()
    till.peer.power(on=True)
    await till.start()
    await till.books.device_fault("hopper", "hopper_memory", present=True, detail="an undecided payout")
    await asyncio.sleep(15)
    await till.stop()
    assert till.books.present == {}


BY_AMOUNT = COIN_SETUP[:3] + b"\x32" + COIN_SETUP[4:5] + b"\0\x08" + bytes((1, 1, 1, 1, 2, 4))
"""A tube of coins of 50 alone, so that amounts can be ordered in steps of 50."""


def blind_till(*, level: int, by_amount: bool) -> Till:
    """A changer with 40 coins of 50, whose sensors see only some levels of the tube."""
    till = Till(level=level, unit_cents=50)
    if by_amount:
        till.changer.setup = BY_AMOUNT
    till.changer.tubes = [0, 0, 0, 40]
    sees_levels(till, (0, 10, 30))
    return till


WAYS = pytest.mark.parametrize(("level", "by_amount"), [(2, False), (3, False), (3, True)])


@WAYS
@pytest.mark.parametrize("whole_cabinet", [False, True])
@pytest.mark.parametrize("after_s", [0.1, 0.3, 0.5])
async def test_a_payout_that_the_power_ended_is_never_ordered_again(
    level: int,
    after_s: float,
    *,
    by_amount: bool,
    whole_cabinet: bool,
) -> None:
    """Coins have left, the tubes show none gone, and the changer has forgotten its sum: an attendant decides."""
    till = blind_till(level=level, by_amount=by_amount)
    till.peer.power(on=True)
    await till.start()
    paying = asyncio.create_task(till.pay(5))
    for _ in range(40):
        await asyncio.sleep(0.05)
        if till.changer.orders:
            break
    await asyncio.sleep(after_s)
    till.changer.power(on=False)
    if whole_cabinet:
        paying.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await paying
        till.line.port.close()
        await till.stop()
        till.run()
    till.changer.power(on=True)
    if whole_cabinet:
        await till.start()
    outcome = await (till.pay(5) if whole_cabinet else paying)
    await till.stop()
    assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)
    assert len(till.changer.orders) == 1
    assert till.books.paid * 50 <= sum(till.changer.paid) < 250


@WAYS
async def test_a_jam_is_certain_only_with_the_changers_own_sum(level: int, *, by_amount: bool) -> None:
    """Tubes that see only some levels show none of two coins gone; what is unpaid is nobody's to pay by hand."""
    till = blind_till(level=level, by_amount=by_amount)
    till.changer.jam_after = 2
    till.peer.power(on=True)
    await till.start()
    outcome = await till.pay(5)
    await till.stop()
    assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)
    assert (len(till.changer.orders), sum(till.changer.paid)) == (1, 100)


async def test_a_jam_of_a_changer_without_a_sum_is_undecided() -> None:
    """Its tubes count each coin, but nothing proves that they do."""
    till = Till(features=0)
    till.changer.jam_after = 2
    outcome = await paid(till, ORDER)
    assert (outcome.end, outcome.recount) == (PayoutEnd.UNDECIDED, True)
    assert "stuck" in dict(outcome.faults)["hopper_memory"]


@pytest.mark.parametrize("level", [2, 3])
@pytest.mark.parametrize(
    "moments",
    [pytest.param(range(2, 30, 4), id="some"), pytest.param(range(60), id="every", marks=pytest.mark.proof)],
)
async def test_the_changer_loses_its_power_while_it_pays(level: int, moments: range) -> None:
    """What had left is booked where the order was whole, else an attendant decides; nothing leaves twice."""
    ends = set()
    for after in moments:
        till = Till(level=level)

        def cut(one: Till, after: int = after) -> None:
            loop = asyncio.get_running_loop()
            loop.call_later(after / 10, lambda: one.changer.power(on=False))
            loop.call_later(after / 10 + 0.1, lambda: one.changer.power(on=True))

        outcome = await paid(till, ORDER, cut)
        ends.add(outcome.end)
        assert till.books.paid * till.unit_cents <= sum(till.changer.paid) <= ORDER * 5
    assert ends == {PayoutEnd.DONE, PayoutEnd.UNDECIDED}


@given(st.lists(st.integers(0, 12), min_size=4, max_size=4), st.integers(0, 60))
def test_what_can_be_paid_is_what_some_coins_make_up(counts: list[int], units: int) -> None:
    """By trying all of them."""
    setup = coin_setup(COIN_SETUP)
    stock = TubeStock(tubes(b"\0\0" + bytes(counts)), setup, 5)
    sums = {0}
    for size, count in zip((1, 2, 4, 10), counts, strict=True):
        sums = {one + size * used for one in sums for used in range(count + 1) if one + size * used <= units}
    assert stock.payable(units) == max(sums)
