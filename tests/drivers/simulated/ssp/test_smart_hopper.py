"""A simulated SMART Hopper: the manuals' worked commands, what can go wrong, and cuts at every moment of a payout."""

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.ssp.payout_store import StoreHabits
from drivers.simulated.ssp.smart_hopper import HopperHabits, SimulatedSmartHopper
from tests.rigs.ssp_host import SspHost
from tests.rigs.virtual_time import run_virtual

EURO = "45 55 52"
STOCK = {50: 4, 100: 5, 200: 2}
PAY_5, TRY_5 = f"33 F4 01 00 00 {EURO} 58", f"33 F4 01 00 00 {EURO} 19"
LEVELS, POLL, POLL_ACK, ACK, HALT = "22", "07", "56", "57", "38"


class Hopper(SspHost):
    """A hopper under power, agreed upon a key, at protocol version 6 and enabled."""

    def __init__(self, stock: Mapping[int, int] = STOCK, store: StoreHabits | None = None) -> None:
        self.tray: list[int] = []
        self.box: list[int] = []
        habits = HopperHabits(store=store or StoreHabits())
        self.hopper = SimulatedSmartHopper(stock=stock, coin_out=self.tray.append, boxed=self.box.append, habits=habits)
        super().__init__(self.hopper, 16)

    async def ready(self, version: int = 6) -> "Hopper":
        """Switch on, negotiate, enable and leave the reset behind."""
        await self.open()
        return await self.again(version)

    async def again(self, version: int = 6) -> "Hopper":
        """Negotiate and enable; the reset stays to be polled."""
        await self.negotiate()
        assert await self.ask(0x06, version) == b"\xf0"
        assert await self.ask(0x0A) == b"\xf0"
        return self

    async def settle(self, seconds: float) -> list[str]:
        """Poll every 100 ms and return each new answer."""
        answers: list[str] = []
        for _ in range(round(seconds * 10)):
            answer = await self.asked(POLL)
            if not answers or answers[-1] != answer:
                answers.append(answer)
            await asyncio.sleep(0.08)
        return answers

    async def cut(self) -> None:
        """Switch the mains off and on; an answer that nobody read is gone."""
        self.device.power(on=False)
        await asyncio.sleep(1.0)
        await self.port.read(0)
        self.device.power(on=True)


def amount(event: str, cents: int, *more: int) -> str:
    """An event about euros as it stands in an answer."""
    values = b"".join(value.to_bytes(4, "little") for value in (cents, *more))
    return f"{event} 01 {values.hex(' ').upper()} {EURO}"


async def test_the_operations_manuals_example() -> None:
    """GA401, appendix D, table 11: levels, routes, coin mech inhibits and a payout of 0040 below protocol 6."""
    hopper = await Hopper({10: 300, 20: 150}).ready(version=5)
    assert (await hopper.asked("05"))[:2] == "F0"
    assert await hopper.asked("35 0A 00 00 00") == "F0 2C 01"
    assert await hopper.asked("35 14 00 00 00") == "F0 96 00"
    for words in ("3B 01 0A 00 00 00", "3B 00 14 00 00 00", "40 00 01 00", "40 01 14 00", "0A"):
        assert await hopper.asked(words) == "F0"
    assert await hopper.asked("33 28 00 00 00") == "F0"
    answers = await hopper.settle(1)
    assert answers[0].startswith("F0 F1")
    assert "F0 DA 14 00 00 00" in answers
    assert "F0 D2 28 00 00 00 DE 14 00 00 00" in answers
    assert (hopper.tray, hopper.box) == ([20, 20], [10, 10])


async def test_the_setup_names_unit_currency_protocol_and_coins() -> None:
    """Unit type 3; two bytes for each coin, and the currency of each from protocol 6 on."""
    setup = bytes.fromhex(await (await Hopper().ready()).asked("05"))[1:]
    assert (setup[0], setup[5:8], setup[8], setup[9]) == (3, b"EUR", 6, 5)
    assert [int.from_bytes(setup[10 + 2 * n : 12 + 2 * n], "little") for n in range(5)] == [10, 20, 50, 100, 200]
    assert setup[20:] == b"EUR" * 5


async def test_a_payout_is_tried_made_and_reported_until_it_is_acknowledged() -> None:
    """19 changes nothing; 58 pays; the poll with acknowledgement repeats the end, the plain one gives it once."""
    hopper = await Hopper().ready()
    assert await hopper.asked(TRY_5) == "F0"
    assert (hopper.hopper.store.operation, hopper.tray) == (None, [])
    assert await hopper.asked(PAY_5) == "F0"
    assert amount("DA", 0) in await hopper.asked(POLL_ACK)
    await asyncio.sleep(1)
    assert [await hopper.asked(POLL_ACK) for _ in range(2)] == [f"F0 {amount('D2', 500)}"] * 2
    assert [await hopper.asked(ACK), await hopper.asked(POLL_ACK)] == ["F0", "F0"]
    assert hopper.tray == [200, 200, 100]
    rows = [
        f"{count:02X} 00 {value:02X} 00 00 00 {EURO}" for value, count in {10: 0, 20: 0, 50: 4, 100: 4, 200: 0}.items()
    ]
    assert await hopper.asked(LEVELS) == f"F0 05 {' '.join(rows)}"


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (f"33 E8 03 00 00 {EURO} 58", "F0"),
        (f"33 E9 03 00 00 {EURO} 58", "F5 02"),
        (f"33 00 27 00 00 {EURO} 58", "F5 01"),
        (f"33 0A 00 00 00 {EURO} 58", "F5 02"),
        (f"33 00 00 00 00 {EURO} 58", "F5 02"),
        ("33 64 00 00 00 47 42 50 58", "F5 02"),
        (f"33 64 00 00 00 {EURO} 57", "F4"),
        ("33 64 00 00 00", "F3"),
        (f"46 02 01 00 C8 00 00 00 {EURO} 02 00 32 00 00 00 {EURO} 58", "F0"),
        (f"46 01 03 00 C8 00 00 00 {EURO} 58", "F5 01"),
        (f"46 01 01 00 C8 00 00 00 {EURO} 02", "F4"),
        (f"46 02 01 00 C8 00 00 00 {EURO} 58", "F3"),
        ("46", "F3"),
        (f"35 64 00 00 00 {EURO}", "F0 05 00"),
        (f"35 65 00 00 00 {EURO}", "F5 02"),
        ("35 64 00 00 00", "F3"),
        (f"34 03 00 64 00 00 00 {EURO}", "F0"),
        (f"34 03 00 64 00 00 {EURO}", "F3"),
        (f"3B 02 64 00 00 00 {EURO}", "F4"),
        ("3B 00 64 00 00 00 47 42 50", "F5 02"),
        (f"3C 64 00 00 00 {EURO}", "F0 00"),
        (f"3E {EURO}", "F0 32 00 00 00"),
        ("3E", "F3"),
        ("38", "F5"),
        ("06 09", "F8"),
        ("06", "F3"),
        ("4F", "F0 03 00 01"),
        ("50 04 00", "F0"),
        ("50 04", "F3"),
        ("51", "F0 00 00"),
        ("5C", "F2"),
        ("99", "F2"),
    ],
)
async def test_what_a_command_meets(words: str, answer: str) -> None:
    """Each of the manual's errors, and what is right."""
    assert await (await Hopper().ready()).asked(words) == answer


async def test_a_busy_a_disabled_and_a_silent_host() -> None:
    """F5 03 during a payout, F5 04 while disabled, which it is after five seconds without a host."""
    hopper = await Hopper().ready()
    await hopper.asked(PAY_5)
    assert await hopper.asked(PAY_5) == "F5 03"
    await asyncio.sleep(6)
    assert (await hopper.asked(POLL)).endswith("E8")
    assert await hopper.asked(TRY_5) == "F5 04"


async def test_a_halt_ends_after_the_coin_on_its_way() -> None:
    """The event has what was paid until then, to the cent."""
    hopper = await Hopper().ready()
    await hopper.asked(POLL)
    await hopper.asked(PAY_5)
    await asyncio.sleep(0.05)
    assert await hopper.asked(HALT) == "F0"
    assert (await hopper.settle(1))[-2] == f"F0 {amount('D6', sum(hopper.tray))}"
    assert hopper.tray == [200]


@pytest.mark.parametrize("cut", [False, True])
async def test_what_an_operation_sent_into_the_cash_box_is_kept_until_the_next(*, cut: bool) -> None:
    """The newest dispense, float or empty alone counts (GA138, "Cashbox Payout Operation Data"), a cut one too."""
    hopper = await Hopper(store=StoreHabits(grip_s=0.5, exit_s=0.5)).ready()
    await hopper.asked("52")
    await asyncio.sleep(2.2)
    if cut:
        hopper.hopper.power(on=False)
        hopper.hopper.power(on=True)
        await hopper.again()
    else:
        await hopper.asked(HALT)
        await asyncio.sleep(1)
    sent = hopper.box.count(50)
    assert 0 < sent == len(hopper.box)
    hopper.hopper.store.add(50, 9)
    assert f"{sent:02X} 00 32 00 00 00 {EURO}" in await hopper.asked("53")
    await hopper.asked(PAY_5)
    assert f"{sent:02X} 00 32 00 00 00 {EURO}" not in await hopper.asked("53")


@pytest.mark.parametrize(("fault", "event"), [("jam", "D5"), ("uncounted", "D9")])
async def test_a_jam_and_coins_that_are_not_there(fault: str, event: str) -> None:
    """Jammed (D5), and timed out (D9) where it has counted more than it holds: what was paid is in the event."""
    hopper = await Hopper({200: 2}).ready()
    await hopper.asked(POLL)
    await hopper.asked(f"33 90 01 00 00 {EURO} 58")
    await asyncio.sleep(0.05)
    hopper.hopper.store.troubles()[fault](1)
    assert f"F0 {amount(event, 200)}" in await hopper.settle(4)
    assert hopper.tray == [200]


async def test_a_float_and_an_empty_hopper() -> None:
    """A float keeps what pays its amount and boxes the rest; both ways to empty it box everything."""
    hopper = await Hopper().ready()
    await hopper.asked(POLL)
    assert await hopper.asked(f"3D 19 00 C8 00 00 00 {EURO} 58") == "F5 02"
    assert await hopper.asked(f"3D C8 00 C8 00 00 00 {EURO} 19") == "F0"
    assert await hopper.asked(f"3D C8 00 C8 00 00 00 {EURO} 58") == "F0"
    assert f"F0 {amount('D8', 900)}" in await hopper.settle(2)
    assert (sum(hopper.box), hopper.tray, hopper.hopper.stock) == (900, [], 1)
    assert await hopper.asked("52") == "F0"
    assert f"F0 {amount('B4', 200)}" in await hopper.settle(1)
    assert (await hopper.asked("53")).endswith(f"01 00 C8 00 00 00 {EURO} 00 00 00 00")
    hopper.hopper.store.add(100, 2)
    assert await hopper.asked("3F") == "F0"
    answers = await hopper.settle(1)
    assert answers[0] == "F0 C2"
    assert "F0 C3" in answers
    assert (hopper.hopper.stock, sum(hopper.box)) == (0, 1300)


@pytest.mark.parametrize(("least", "kept"), [(200, {200: 1}), (100, {100: 2}), (50, {50: 2, 100: 1})])
async def test_a_float_keeps_a_piece_that_pays_the_least(least: int, kept: dict[int, int]) -> None:
    """3D: what is kept pays the amount, and the requested minimum too (page 102)."""
    hopper = await Hopper().ready()
    await hopper.asked(POLL)
    assert await hopper.asked(f"3D {least:02X} 00 C8 00 00 00 {EURO} 58") == "F0"
    await hopper.settle(2)
    assert +hopper.hopper.store.held == kept


async def test_a_float_by_denomination_keeps_those_pieces() -> None:
    """44 with two coins of 50: all others go to the cash box."""
    hopper = await Hopper().ready()
    assert await hopper.asked(f"44 01 05 00 32 00 00 00 {EURO} 58") == "F5 01"
    assert await hopper.asked(f"44 01 02 00 32 00 00 00 {EURO} 58") == "F0"
    await hopper.settle(2)
    assert (hopper.hopper.store.payable(), sum(hopper.box)) == ({10: 0, 20: 0, 50: 2, 100: 0, 200: 0}, 1000)


@pytest.mark.parametrize("count_s", [0.0, 0.02])
async def test_a_cut_at_every_moment_of_a_payout(count_s: float) -> None:
    """DC has what was counted and what was asked for; the tray has at most the one coin more that fell uncounted."""
    missed = set()
    for moment in range(0, 380, 10):
        hopper = await Hopper(store=StoreHabits(count_s=count_s)).ready()
        await hopper.asked(POLL)
        await hopper.port.write(hopper.packet(hopper.enciphered(bytes.fromhex(PAY_5))))
        await asyncio.sleep(moment / 1000)
        paying = hopper.hopper.store.operation is not None
        await hopper.cut()
        before = sum(hopper.tray)
        await hopper.again()
        answer = bytes.fromhex(await hopper.asked(POLL))
        assert sum(hopper.tray) == before, "a start pays nothing"
        if not paying:
            assert answer == b"\xf0\xf1"
            continue
        assert answer[:4] == b"\xf0\xf1\xdc\x01"
        told, requested = (int.from_bytes(answer[start : start + 4], "little") for start in (4, 8))
        assert requested == 500
        missed.add(before - told)
        held = sum(value * count for value, count in hopper.hopper.store.held.items())
        assert held + before == 1100
        assert (await hopper.settle(1))[-1] == "F0"
    assert missed == ({0} if not count_s else {0, 100, 200})


async def test_an_unpolled_cut_is_still_reported_after_the_next_one() -> None:
    """What a host has not heard survives, and with acknowledgements what it has not confirmed."""
    hopper = await Hopper().ready()
    await hopper.asked(PAY_5)
    await asyncio.sleep(0.2)
    for _ in range(2):
        await hopper.cut()
        await hopper.again()
    incomplete = amount("DC", sum(hopper.tray), 500)
    assert (await hopper.asked(POLL_ACK)).endswith(incomplete)
    await hopper.cut()
    await hopper.again()
    assert (await hopper.asked(POLL_ACK)).endswith(incomplete)
    await hopper.asked(ACK)
    assert await hopper.asked(POLL_ACK) == "F0"


async def test_a_cut_float_is_reported_as_such() -> None:
    """DD with what was boxed."""
    hopper = await Hopper().ready()
    await hopper.asked(f"3D C8 00 C8 00 00 00 {EURO} 58")
    await asyncio.sleep(0.35)
    await hopper.cut()
    await hopper.again()
    assert (await hopper.asked(POLL)).endswith(amount("DD", sum(hopper.box), 900))


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("pay"), st.integers(1, 12).map(lambda n: n * 50)),
        st.tuples(st.sampled_from(["cut", "halt", "jam", "free", "empty", "slip", "fill"]), st.just(1)),
        st.tuples(st.just("wait"), st.integers(0, 60)),
    ),
    max_size=12,
)


@given(ACTS)
def test_whatever_happens_no_coin_is_made_or_lost(acts: list[tuple[str, int]]) -> None:
    """What it holds, what fell out and what went to the box are the coins put in; its events never say more."""
    run_virtual(_scene(acts))


async def _scene(acts: list[tuple[str, int]]) -> None:
    hopper = await Hopper().ready()
    store, added = hopper.hopper.store, 0
    for act, much in acts:
        match act:
            case "pay":
                await hopper.ask(0x33, *much.to_bytes(4, "little"), *b"EUR", 0x58)
            case "cut":
                await hopper.cut()
                await hopper.again()
            case "wait":
                await asyncio.sleep(much / 40)
            case "jam" | "free":
                store.jammed = act == "jam"
            case "slip":
                store.slip()
            case "fill":
                store.add(50)
                added += 50
            case _:
                await hopper.asked(HALT if act == "halt" else "52")
        held = sum(value * count for value, count in store.held.items())
        on_its_way = store.operation is not None and store.operation.step.value == "on its way"
        moving = store.operation.pieces[0] if store.operation is not None and on_its_way else 0
        assert held + moving + sum(hopper.tray) + sum(hopper.box) == 1100 + added
        assert store.operation is None or store.operation.moved_cents <= sum(hopper.tray) + sum(hopper.box)
        assert (await hopper.asked(POLL))[:2] == "F0"
