"""The simulated MDB coin changer, from its slot and from a host's end of the line (MDB/ICP 4.3, section 5)."""

from drivers.simulated.mdb.coin_changer import ChangerHabits, SimulatedChanger
from drivers.simulated.mdb.tubes import TubeHabits
from tests.rigs.mdb_host import ByHand, Deposit, MdbHost, Slugs

TEN, TWENTY, FIFTY, EURO, TWO_EURO = range(5)
STOCK = {10: 20, 20: 20, 50: 20, 100: 20}


class Bench:
    """A changer that takes every coin, what fell out of it, and its host."""

    def __init__(self, stock: dict[int, int] | None = None, habits: ChangerHabits | None = None) -> None:
        self.returned: list[int] = []
        self.tray: list[int] = []
        self.box: list[int] = []
        self.changer = SimulatedChanger(
            stock=STOCK if stock is None else stock,
            habits=habits,
            returned=self.returned.append,
            coin_out=self.tray.append,
            boxed=self.box.append,
        )
        self.host = MdbHost(self.changer)

    async def ready(self) -> "Bench":
        """Switch on, hear the reset, enable everything."""
        await self.host.open()
        assert await self.host.coins() == [0x0B]
        await self.enable()
        return self

    async def enable(self) -> None:
        """Every coin type, manual dispense, every optional feature."""
        assert await self.host.ask("0C FF FF FF FF") == "ACK"
        assert await self.host.ask("0F 01 00 00 00 07") == "ACK"

    async def paid(self) -> None:
        """Wait until POLL reports no payout any more."""
        while 0x02 in await self.host.coins():
            await self.host.pause(0.05)


async def test_coins_go_to_their_tubes_and_what_has_none_to_the_cash_box() -> None:
    """Each is reported once, with the tube's count after it; a full tube's coin goes to the cash box."""
    bench = await Bench().ready()
    bench.changer.insert(100)
    bench.changer.insert(200)
    assert await bench.host.coins_for(1) == [Deposit("tube", EURO, 21), Deposit("cash box", TWO_EURO, 0)]
    bench.changer.tubes.fill(EURO, 39)
    bench.changer.insert(100)
    assert await bench.host.coins_for(1) == [Deposit("cash box", EURO, 60)]
    assert await bench.host.tubes() == (1 << EURO, [20, 20, 20, 60, *[0] * 12])
    assert bench.box == [200, 100]


async def test_what_is_not_wanted_falls_into_the_return() -> None:
    """Types that are not enabled, slugs, two at once, and all while nothing is enabled after a reset."""
    bench = await Bench().ready()
    await bench.host.ask("0C 00 08 00 00")
    bench.changer.insert(50)
    bench.changer.insert(3)
    bench.changer.troubles()["slugs"](2)
    bench.changer.troubles()["double_arrival"](1)
    bench.changer.insert(100)
    events = await bench.host.coins_for(1)
    assert events == [Deposit("reject", FIFTY, 20), Slugs(3), 0x05, Deposit("tube", EURO, 21)]
    assert bench.returned == [50, 3, 100, 100]
    assert await bench.host.ask("08") == "ACK"
    bench.changer.insert(100)
    assert await bench.host.coins_for(1) == [0x0B, Deposit("reject", EURO, 21)]


async def test_it_keeps_what_nobody_asks_for_and_then_takes_no_more() -> None:
    """As many events as fit into 16 bytes at a time, in their order; coins beyond its memory are returned."""
    bench = await Bench().ready()
    for _ in range(40):
        bench.changer.insert(200)
        await bench.host.pause(0.2)
    assert len(await bench.host.data("0B")) == 16
    rest = await bench.host.coins_for(2)
    assert 8 + len(rest) == len(bench.box)
    assert len(bench.box) + len(bench.returned) == 40


async def test_dispense_pays_and_is_busy_meanwhile() -> None:
    """ACK, "payout busy" while it lasts, the tube's count after it; another request in between meets silence."""
    bench = await Bench().ready()
    assert await bench.host.ask("0D 31") == "ACK"
    assert await bench.host.ask("0D 11") == "NACK"
    assert await bench.host.coins() == [0x02]
    await bench.paid()
    assert (bench.tray, (await bench.host.tubes())[1][TWENTY]) == ([20] * 3, 17)
    assert await bench.host.ask("0D 14") == "NACK"


async def test_an_empty_tube_pays_what_it_has() -> None:
    """There is no status for it: the count says 0 afterwards, also where it had been wrong."""
    bench = await Bench({100: 2}).ready()
    bench.changer.tubes.counted[EURO] = 5
    assert await bench.host.ask("0D 53") == "ACK"
    await bench.paid()
    assert (bench.tray, (await bench.host.tubes())[1][EURO]) == ([100, 100], 0)


async def test_alternative_payout_chooses_the_coins_and_reports_them() -> None:
    """Value since the last poll, ACK when it is over, then the coins of each type until they were heard."""
    bench = await Bench().ready()
    assert await bench.host.ask("0F 02 1B") == "ACK"
    units = 0
    while answer := await bench.host.data("0F 04"):
        units += answer[0]
        await bench.host.pause(0.1)
    assert (units, sum(bench.tray)) == (27, 270)
    bench.host.bridge.troubles()["ack_lost"](1)
    for _ in range(2):
        assert await bench.host.data("0F 03") == bytes((0, 1, 1, 2, *[0] * 12))
    assert await bench.host.data("0F 03") == bytes(16)


async def test_alternative_payout_must_be_enabled_and_pays_no_more_than_there_is() -> None:
    """Off after a reset; with too few coins the report says what was paid."""
    bench = await Bench({100: 1, 50: 1}).ready()
    assert await bench.host.ask("08") == "ACK"
    assert [await bench.host.ask(command) for command in ("0F 02 01", "0F 03", "0F 04")] == ["NACK"] * 3
    await bench.enable()
    assert await bench.host.ask("0F 02 FF") == "ACK"
    await bench.paid()
    assert (await bench.host.data("0F 03"))[:5] == bytes((0, 0, 1, 1, 0))


async def test_a_tube_jam_is_found_by_paying() -> None:
    """It is reported once; the tube then counts 0 and full until a hand frees it."""
    bench = await Bench().ready()
    bench.changer.troubles()["tube_jam"](EURO + 1)
    assert (await bench.host.tubes())[1][EURO] == 20
    assert await bench.host.ask("0D 33") == "ACK"
    assert [event for event in await bench.host.coins_for(1) if event != 0x02] == [0x07]
    assert await bench.host.tubes() == (1 << EURO, [20, 20, 20, 0, *[0] * 12])
    assert (await bench.host.data("0F 05")).hex() == "1400"
    bench.changer.troubles()["tube_jam"](0)
    assert ((await bench.host.tubes())[1][EURO], bench.tray) == (20, [])


async def test_a_defective_tube_sensor() -> None:
    """Reported once; the tube counts 0 and full, and its coins go to the cash box."""
    bench = await Bench().ready()
    bench.changer.troubles()["tube_sensor"](TEN + 1)
    bench.changer.insert(10)
    assert await bench.host.coins_for(1) == [0x04, Deposit("cash box", TEN, 0)]
    assert await bench.host.tubes() == (1, [0, 20, 20, 20, *[0] * 12])


async def test_what_goes_wrong_with_a_coin() -> None:
    """No credit is returned, a routing error lies in the cash box uncredited, a jam takes nothing more."""
    bench = await Bench().ready()
    troubles = bench.changer.troubles()
    troubles["no_credit"](1)
    bench.changer.insert(100)
    assert await bench.host.coins_for(0.5) == [0x03]
    troubles["routing_error"](1)
    bench.changer.insert(50)
    assert await bench.host.coins_for(0.5) == [0x09]
    troubles["coin_jam"](1)
    bench.changer.insert(20)
    assert await bench.host.coins_for(0.5) == [0x0C]
    assert (await bench.host.data("0F 05")).hex() == "1130"
    troubles["coin_jam"](0)
    assert (bench.returned, bench.box) == ([100, 20], [50])


async def test_states_last_and_events_do_not() -> None:
    """Unplugged and busy are reported in each POLL, a broken wire in none; lever, removal and checksum once."""
    bench = await Bench().ready()
    troubles = bench.changer.troubles()
    troubles["acceptor_unplugged"](1)
    assert [await bench.host.coins() for _ in range(2)] == [[0x06], [0x06]]
    troubles["acceptor_unplugged"](0)
    troubles["busy"](1)
    assert [await bench.host.coins() for _ in range(2)] == [[0x0A], [0x0A]]
    assert await bench.host.ask("0A") == "NACK"
    troubles["busy"](0)
    for name in ("escrow_lever", "escrow_lever", "coin_removal", "rom"):
        troubles[name](1)
    assert [await bench.host.coins() for _ in range(2)] == [[0x01, 0x0D, 0x08], []]
    troubles["dead"](1)
    assert await bench.host.ask("0B") == "NACK"
    troubles["dead"](0)
    assert await bench.host.coins() == []


async def test_coins_given_and_filled_by_hand() -> None:
    """Inventory switches work where the master allows them; both have a report, cleared when it was heard."""
    bench = await Bench().ready()
    bench.changer.troubles()["by_hand"](2)
    assert await bench.host.coins() == [ByHand(2, EURO, 18)]
    bench.changer.stock += 5
    assert (await bench.host.data("0F 06"))[EURO] == 5
    assert (await bench.host.data("0F 06"))[EURO] == 0
    assert (await bench.host.data("0F 07"))[EURO] == 2
    await bench.host.ask("0C FF FF 00 00")
    bench.changer.dispense_by_hand(100, 2)
    assert (await bench.host.coins(), bench.tray) == ([], [100, 100])


async def test_a_reset_aborts_a_payout_and_half_a_second_later_the_tubes_are_known() -> None:
    """The coin under way falls; TUBE STATUS meets silence until then."""
    bench = await Bench().ready()
    assert await bench.host.ask("0D F0") == "ACK"
    await bench.host.pause(0.25)
    assert await bench.host.ask("08") == "ACK"
    assert await bench.host.ask("0A") == "NACK"
    await bench.host.pause(3)
    assert (await bench.host.tubes())[1][TEN] == 20 - len(bench.tray)
    assert 2 <= len(bench.tray) <= 4
    assert await bench.host.ask("0D 10") == "ACK"
    await bench.host.pause(3)
    assert (await bench.host.tubes())[1][TEN] == 20 - len(bench.tray) >= 15


async def test_a_cut_forgets_events_and_not_the_tubes() -> None:
    """A coin on its way comes back; one in a tube is counted, never reported; one fallen uncounted stays so."""
    bench = await Bench(habits=ChangerHabits(tubes=TubeHabits(grip_s=0.1, count_s=0.3))).ready()
    bench.changer.insert(100)
    await bench.host.pause(0.5)
    bench.changer.insert(50)
    await bench.host.cut()
    assert await bench.host.coins() == [0x0B]
    assert (bench.returned, (await bench.host.tubes())[1][EURO]) == ([50], 21)
    assert await bench.host.ask("0D 23") == "ACK"
    await bench.host.pause(0.2)
    await bench.host.cut()
    assert ((await bench.host.tubes())[1][EURO], bench.changer.tubes.held[EURO], bench.tray) == (21, 20, [100])
    assert await bench.host.ask("0D 12") == "ACK"
    await bench.host.pause(3)
    assert bench.tray == [100, 50], "the payout of before is forgotten"
