"""Each device can say truly what money lies where, whatever befalls it, in any order; and the bench shows it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.clock import LoopClock
from drivers.simulated.acts import Acts
from drivers.simulated.cabinet import SimulatedCabinet
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.memory import Memory
from drivers.simulated.whereabouts import HasMoney, Piece, Spot, Whereabouts, cents, together
from drivers.wiring import BillValidator, Button, CoinAcceptor, Hopper, Input, Meter, Output, Pins, Wiring
from tests.drivers.simulated.cctalk.bill_bench import Bench as CctalkBills
from tests.drivers.simulated.cctalk.coin_bench import Bench as CctalkCoins
from tests.drivers.simulated.cctalk.hopper_bench import Bench as CctalkHopper
from tests.drivers.simulated.ebds.bench import Bench as EbdsBills
from tests.drivers.simulated.id003.bench import Bench as Id003Bills
from tests.drivers.simulated.mdb.bill_bench import Bench as MdbBills
from tests.drivers.simulated.mdb.changer_bench import Bench as MdbChanger
from tests.drivers.simulated.ssp.bill_bench import Bench as SspBills
from tests.drivers.simulated.ssp.payout_bench import Coins as SmartHopper
from tests.drivers.simulated.ssp.payout_bench import Notes as Recycler

NOTES, COINS = (500, 1000, 2000, 5000), (10, 20, 50, 100, 200)
Order = Callable[[], Awaitable[object]]
Act = tuple[str, int]
Troubles = Mapping[str, Callable[[int], None]]


def everything(*moneys: Mapping[Spot, Counter[Piece]]) -> Counter[Piece]:
    """All pieces, wherever they lie."""
    total: Counter[Piece] = Counter()
    for money in moneys:
        for pieces in money.values():
            total.update(pieces)
    return total


def bring_about(device: HasMoney, name: str, number: int) -> None:
    """Let something happen; a hand that finds nothing jammed is told so."""
    troubles: Troubles = device.troubles()  # type: ignore[attr-defined]
    if name.startswith("jam_to_") and not (device.jammed and Spot.PATH in device.money()):  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="nothing is jammed"):
            troubles[name](1)
    else:
        troubles[name](number % 3)


def acts(*names: str) -> st.SearchStrategy[list[Act]]:
    """Any sequence of acts, each with a number; `trouble` takes its name from the number."""
    return st.lists(st.tuples(st.sampled_from(names), st.integers(0, 999)), max_size=30)


async def cctalk() -> tuple[object, Mapping[str, Order]]:
    bench = await CctalkBills().ready()

    async def enable() -> None:
        for words in ("28 08 01 E7 FF FF FF FF FF FF FF FF F0", "28 01 01 E4 01 F1"):
            await bench.ask(words)

    return bench.bills, {
        "stack": lambda: bench.ask("28 01 01 9A 01 3B"),
        "return": lambda: bench.ask("28 01 01 9A 00 3C"),
        "enable": enable,
    }


async def id003() -> tuple[object, Mapping[str, Order]]:
    bench = Id003Bills()
    await bench.open("C5 02 00")

    async def enable() -> None:
        for words in ("40", "C5 02 00", "C3 00", "50"):
            await bench.ask(words)

    return bench.device, {"stack": lambda: bench.ask("41"), "return": lambda: bench.ask("43"), "enable": enable}


async def ebds() -> tuple[object, Mapping[str, Order]]:
    bench = await EbdsBills().open()

    async def say(orders: str) -> None:
        bench._ack ^= 1
        body = bytes((8, 0x10 | bench._ack, *bytes.fromhex(orders)))
        check = body[0] ^ body[1] ^ body[2] ^ body[3] ^ body[4]
        raw = b"\x02" + body + bytes((3, check))
        await bench.line.port.write(bytes(byte | byte.bit_count() % 2 << 7 for byte in raw))
        await asyncio.sleep(0.1)
        await bench.line.port.read(0)

    return bench.device, {
        "stack": lambda: say("7F 3C 04"),
        "return": lambda: say("7F 5C 04"),
        "enable": lambda: say("7F 1C 04"),
    }


async def mdb() -> tuple[object, Mapping[str, Order]]:
    bench = await MdbBills().ready()
    return bench.bills, {
        "stack": lambda: bench.host.say("R,35,01"),
        "return": lambda: bench.host.say("R,35,00"),
        "enable": lambda: bench.host.say("R,34,FFFFFFFF"),
    }


async def ssp() -> tuple[object, Mapping[str, Order]]:
    bench = await SspBills().ready()

    async def say(*commands: tuple[int, ...]) -> None:
        for command in commands:
            await bench.port.write(bench.packet(bytes(command)))
            bench.flag ^= 0x80
            await asyncio.sleep(0.02)
        await bench.port.read(0)

    return bench.bills, {
        "stack": lambda: say((7,), (7,)),
        "return": lambda: say((8,)),
        "enable": lambda: say((2, 0xFF, 0xFF), (0x0A,)),
    }


BILLS = {make.__name__: make for make in (cctalk, id003, ebds, mdb, ssp)}
BILL_ACTS = acts("note", "note", "stack", "stack", "return", "enable", "cut", "wait", "trouble", "trouble", "chance")


@pytest.mark.parametrize("protocol", BILLS)
@given(done=BILL_ACTS)
async def test_no_note_is_made_or_lost(protocol: str, done: list[Act]) -> None:
    """Whatever befalls a validator, its power and its hands: each note that was put in lies at one spot."""
    device, orders = await BILLS[protocol]()
    assert isinstance(device, HasMoney)
    names, befalls = sorted(device.troubles()), sorted(device.mishaps.names)  # type: ignore[attr-defined]
    put: Counter[Piece] = Counter()
    for what, number in done:
        if what == "note":
            put[NOTES[number % 4]] += 1
            device.insert(NOTES[number % 4])  # type: ignore[attr-defined]
        elif what == "trouble":
            bring_about(device, names[number % len(names)], number)
        elif what == "chance":
            device.mishaps.rate(befalls[number % len(befalls)], number % 2 / 2)  # type: ignore[attr-defined]
        elif what == "cut":
            device.power(on=False)  # type: ignore[attr-defined]
            await asyncio.sleep(0.1)
            device.power(on=True)  # type: ignore[attr-defined]
        elif what == "wait":
            await asyncio.sleep(number / 300)
        else:
            await orders[what]()
        assert everything(device.money()) == put


PAYERS = ("cctalk", "changer", "smart_hopper", "recycler")
PAYER_ACTS = acts("coin", "pay", "pay", "enable", "cut", "wait", "trouble", "trouble", "chance")
OUTSIDE = frozenset(("stray", "swapped", "uncounted"))
"""What brings money from outside, or holds fewer pieces than there should be."""


async def payer(name: str) -> tuple[object, Order, Order, Callable[[int], object]]:
    """A payer, an order to pay, one to enable, and what puts a coin or note in."""
    if name == "cctalk":
        hopper = await CctalkHopper().ready()
        return (
            hopper.hopper,
            lambda: hopper.ask("03 04 01 A7 2F 03 00 04 1B"),
            lambda: hopper.ask("03 01 01 A4 A5 B2"),
            lambda _cents: None,
        )
    if name == "changer":
        changer = await MdbChanger().ready()
        return (
            changer.changer,
            lambda: changer.host.say("R,0D,33"),
            lambda: changer.host.say("R,0C,FFFFFFFF"),
            changer.changer.insert,
        )
    if name == "smart_hopper":
        coins = await SmartHopper().ready()
        return (
            coins.hopper,
            lambda: coins.ask(*bytes.fromhex("33 2C 01 00 00 45 55 52 58")),
            coins.again,
            lambda _: None,
        )
    notes = await Recycler().ready()
    return (
        notes.recycler,
        lambda: notes.ask(*bytes.fromhex("33 E8 03 00 00 45 55 52 58")),
        lambda: notes.ask(7),
        lambda value: notes.recycler.insert(10 * value if 10 * value in NOTES else 1000),
    )


@pytest.mark.parametrize("name", PAYERS)
@given(done=PAYER_ACTS)
async def test_no_coin_is_made_or_lost_by_what_pays(name: str, done: list[Act]) -> None:
    """What was in a hopper, in tubes or in a store, and what was put in, lies somewhere, whatever befalls a payout."""
    device, pay, enable, put_in = await payer(name)
    assert isinstance(device, HasMoney)
    names = sorted(set(device.troubles()) - OUTSIDE)  # type: ignore[attr-defined]
    befalls = sorted(device.mishaps.names)  # type: ignore[attr-defined]
    there = everything(device.money())
    for what, number in done:
        outside = 0
        if what == "coin":
            outside = COINS[number % 5]
            before = everything(device.money())
            put_in(outside)
            there += everything(device.money()) - before
        elif what == "trouble":
            before = everything(device.money())
            bring_about(device, names[number % len(names)], number)
            if names[number % len(names)] in {"double_arrival", "slugs"}:
                there += everything(device.money()) - before
        elif what == "chance":
            device.mishaps.rate(befalls[number % len(befalls)], number % 2 / 2)  # type: ignore[attr-defined]
        elif what == "cut":
            device.power(on=False)  # type: ignore[attr-defined]
            device.power(on=True)  # type: ignore[attr-defined]
            await asyncio.sleep(0.8)
        elif what == "wait":
            await asyncio.sleep(number / 300)
        elif name in {"smart_hopper", "recycler"} and what == "enable" and number % 2:
            await asyncio.sleep(0.1)
        else:
            await tried(pay if what == "pay" else enable)
        assert +everything(device.money()) == +there


async def tried(order: Order) -> None:
    """Give an order that a device after a cut may not understand."""
    try:
        await order()
    except AssertionError:
        # the host's own checks of an answer: it has to begin anew
        await asyncio.sleep(0.1)


@given(done=acts("coin", "coin", "enable", "cut", "wait", "trouble", "trouble", "chance"))
async def test_no_coin_is_made_or_lost_by_an_acceptor(done: list[Act]) -> None:
    """Each coin that was put in is in the acceptor, fell on, came back, or is in a technician's hand."""
    bench = await CctalkCoins().ready()
    names, befalls = sorted(bench.coins.troubles()), sorted(bench.coins.mishaps.names)
    put: Counter[Piece] = Counter()
    for what, number in done:
        if what == "coin":
            put[COINS[number % 5]] += 1
            bench.coins.insert(COINS[number % 5])
        elif what == "trouble":
            bring_about(bench.coins, names[number % len(names)], number)
        elif what == "chance":
            bench.coins.mishaps.rate(befalls[number % len(befalls)], number % 2 / 2)
        elif what == "cut":
            bench.coins.power(on=False)
            bench.coins.power(on=True)
        elif what == "wait":
            await asyncio.sleep(number / 1000)
        else:
            for words in ("02 02 01 E7 FF FF 16", "02 01 01 E4 01 17"):
                await bench.ask(words)
        assert everything(bench.coins.money()) == put
    assert Counter(bench.box) == bench.coins.money().get(Spot.BELOW, Counter())
    assert Counter(bench.hand) == bench.coins.money().get(Spot.RETURNED, Counter())


def test_whereabouts_add_up() -> None:
    """Pieces by spot, in cents, and of several devices together; tickets are worth nothing."""
    first, second = Whereabouts(), Whereabouts()
    first.put(1000, Spot.CASH_BOX, 2)
    first.put("001234", Spot.CASH_BOX)
    second.put(1000, Spot.CASH_BOX)
    second.put(50, Spot.RETURNED)
    money = together(first.money(), second.money())
    assert money == {Spot.CASH_BOX: Counter({1000: 3, "001234": 1}), Spot.RETURNED: Counter({50: 1})}
    assert cents(money) == {"cash_box": 3000, "returned": 50}


PINS = Pins(
    factory="simulated",
    buttons={"spin": Button(pin=5, lamp=17)},
    doors={"main": Input(pin=6, active=1)},
    keys={"attendant": Input(pin=13)},
    tower={"top": Output(pin=27)},
    meters={"coin_in": Meter(pin=22)},
    coin={"diverter": Output(pin=20), "lockout": Output(pin=21)},
)


class Floor:
    """A simulated cabinet of ccTalk devices, under power, and a hand."""

    def __init__(self, run: Path) -> None:
        wiring = Wiring(
            pins=PINS,
            coin_acceptor=CoinAcceptor(port="tty-coin"),
            bill_validator=BillValidator(port="tty-bill", protocol="cctalk"),
            hopper=Hopper(port="tty-hopper", coin_value_cents=100),
        )
        clock = LoopClock()
        self.devices = SimulatedCabinet(wiring, run, clock, memory=Memory(hopper_coins=10), on_change=lambda: None)
        self.acts = Acts(self.devices, clock)
        self.devices.open()

    @property
    def coin(self) -> SimulatedCoinAcceptor:
        """The coin acceptor, taking every coin."""
        acceptor = self.devices.coins.acceptor
        assert isinstance(acceptor, SimulatedCoinAcceptor)
        acceptor.inhibited, acceptor.enabled_mask = False, 0xFFFF
        return acceptor


async def test_the_front_shows_where_the_money_lies() -> None:
    """By device and spot, in cents; a note that came back, a hopper that was emptied and one that was swapped."""
    with TemporaryDirectory(prefix="hw") as directory:
        floor = Floor(Path(directory))
        assert floor.devices.front().money == {"hopper": {"store": 1000}}
        await floor.acts.do("note 20")
        await floor.acts.do("fault hopper empty")
        assert floor.devices.front().money == {"bill": {"returned": 2000}, "hopper": {"taken": 1000}}
        await floor.acts.do("fault hopper empty off")
        await floor.acts.do("fault hopper swapped 50")
        assert floor.devices.front().money["hopper"] == {"store": 25_000, "taken": 1000}
        floor.devices.close()


async def test_a_stuck_diverter_sends_coins_elsewhere() -> None:
    """Its output says "hopper", and the coin falls into the cash box; freed, it obeys again."""
    with TemporaryDirectory(prefix="hw") as directory:
        floor = Floor(Path(directory))
        await floor.acts.do("fault coin diverter_stuck")
        floor.devices.coins.drive(21, level=True)
        floor.devices.coins.drive(20, level=True)
        floor.coin.insert(100)
        await asyncio.sleep(0.3)
        assert (floor.devices.coins.cash_box_cents, floor.devices.front().hopper_coins) == (100, 10)
        await floor.acts.do("fault coin diverter_stuck off")
        floor.devices.coins.drive(20, level=True)
        floor.coin.insert(100)
        floor.coin.insert(50)
        await asyncio.sleep(0.3)
        hopper = floor.devices.coins.hopper
        assert isinstance(hopper, SimulatedHopper)
        assert (hopper.stock, hopper.strays, floor.devices.coins.strays_cents) == (11, [50], 50)
        floor.devices.close()


async def test_chance_by_words() -> None:
    """`chance` sets a rate per thousand, of a device or of its line; what has none says what there is."""
    with TemporaryDirectory(prefix="hw") as directory:
        floor = Floor(Path(directory))
        await floor.acts.do("chance coin swallowed 1000")
        floor.devices.coins.drive(21, level=True)
        floor.coin.insert(100)
        await asyncio.sleep(0.3)
        assert floor.coin.mishaps.happened == {"swallowed": 1}
        await floor.acts.do("chance bill drop 20 to_device")
        for words, error in (
            ("chance bill flu 5", "no such mishap: flu"),
            ("chance bill jam_in_stacker 5000", "give 0 to 1"),
            ("chance bill", "say `chance DEVICE"),
            ("chance card_reader flu 5", "nothing befalls card_reader by chance"),
            ("chance nobody flu 5", "there is no device 'nobody'"),
        ):
            with pytest.raises(ValueError, match=error):
                await floor.acts.do(words)
        floor.devices.close()
