"""The whole supervisor with coin acceptor, hopper and ccTalk validator on one line, and coins that fall two ways."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.books.audit import audit
from drivers.cctalk.bus import Bus
from drivers.cctalk.protocol import Header
from drivers.cctalk.wire import Wire
from drivers.clock import LoopClock
from drivers.serial_port import SerialPort
from drivers.simulated.cabinet import SimulatedCabinet
from drivers.simulated.cctalk.coin_path import CoinPath
from drivers.simulated.cctalk.party_line import PartyLine
from drivers.simulated.memory import Memory
from drivers.simulated.memory_line import MemoryLine
from drivers.wiring import Output
from tests.rigs.logged_events import words_of
from tests.rigs.virtual_cabinet import VirtualCabinet, takes_coins

DEVICES = {"coin_acceptor", "bill_validator", "hopper"}


class SharedCabinet(VirtualCabinet):
    """All three money devices on one line, and chutes between them."""

    def __init__(self, folder: Path, *, echo: bool = False, hopper_path: int = 0, pins: bool = False) -> None:
        super().__init__(folder, protocol="cctalk")
        config = self.config
        assert config.coin_acceptor is not None
        assert config.bill_validator is not None
        assert config.hopper is not None
        coin = {"lockout": Output(pin=26), "diverter": Output(pin=27)} if pins else {}
        self.config = replace(
            config,
            pins=replace(config.pins, coin=coin, meters={"drop": replace(config.pins.meters["drop"], sense=None)}),
            coin_acceptor=replace(
                config.coin_acceptor,
                port="party",
                hopper_path=hopper_path,
                coins_cents=(100,) if pins else (),
            ),
            bill_validator=replace(config.bill_validator, port="party"),
            hopper=replace(config.hopper, port="party"),
        )
        devices = (self.coins, self.bills, self.hopper)
        self.lines = {"party": MemoryLine(PartyLine(devices, echo=echo), path="party")}
        self.chutes = CoinPath(self.config, cash_box_cents=0, on_change=lambda: None)
        self.chutes.fit(self.coins, self.hopper)
        self.hopper.high_mark = 1010

    def move_gates(self) -> None:
        """Let the chutes follow the pins, as wires do."""
        for output in self.config.pins.coin.values():
            pin = self.factory.pin(output.pin)
            self.chutes.drive(output.pin, level=pin.function == "output" and bool(pin.state))

    def dropped(self) -> int:
        """What the hard drop meter was given and is owed."""
        with closing(sqlite3.connect(f"file:{self.config.cabinet.journal}?mode=ro", uri=True)) as books:
            (cents,) = books.execute("SELECT owed + given_units FROM hard_meters WHERE name = 'drop'").fetchone()
        return int(cents)

    def figure(self, name: str) -> int:
        """A meter of the journal."""
        proof = audit(Path(self.config.cabinet.journal), lambda _what, _done, _all: None)
        assert proof.failures == []
        return proof.meters.get(name, 0)


def missing(cabinet: VirtualCabinet) -> set[tuple[str, str]]:
    """The devices whose port is lost."""
    assert cabinet.supervisor is not None
    return {(fault.code, fault.place) for fault in cabinet.supervisor.machine.conditions.faults}


@pytest.mark.parametrize("echo", [False, True])
async def test_money_goes_in_and_out_over_one_line(tmp_path: Path, *, echo: bool) -> None:
    """A note, coins and a cash-out on one port; pulled and put back, all three are faults and serve again."""
    cabinet = SharedCabinet(tmp_path, echo=echo)
    await cabinet.start()
    try:
        await cabinet.until(lambda: takes_coins(cabinet))
        await asyncio.sleep(6.0)
        await cabinet.insert_note(500)
        assert cabinet.coins.insert(200)
        await cabinet.until(lambda: cabinet.credit == 700)
        cabinet.lines["party"].unplug()
        await cabinet.until(lambda: missing(cabinet) >= {("port_lost", device) for device in DEVICES})
        cabinet.lines["party"].plug()
        await cabinet.until(lambda: not missing(cabinet) & {("port_lost", device) for device in DEVICES})
        await cabinet.until(lambda: takes_coins(cabinet))
        assert cabinet.coins.insert(100)
        await cabinet.until(lambda: cabinet.credit == 800)
        await cabinet.tap("collect")
        await cabinet.until(lambda: cabinet.credit == 0)
        assert cabinet.tray_cents == 800
    finally:
        await cabinet.kill()
    assert cabinet.figure("coins_in") == 300


@pytest.mark.requirement("M4")
@pytest.mark.parametrize("build", ["nothing", "sorter", "diverter"])
async def test_the_drop_meter_counts_what_falls_into_the_cash_box(tmp_path: Path, build: str) -> None:
    """Coins that go back into the hopper are no drop: meters, hard meter and chutes agree to the cent."""
    cabinet = SharedCabinet(tmp_path, hopper_path=3 if build == "sorter" else 0, pins=build == "diverter")
    await cabinet.start()
    cabinet.move_gates()
    taken = 0
    try:
        await cabinet.until(lambda: cabinet.coins.enabled_mask != 0)
        for second in range(60):
            cabinet.move_gates()
            value_cents = 100 if build == "diverter" else (10, 100, 200)[second % 3]
            if cabinet.coins.insert(value_cents):
                taken += value_cents
            for _ in range(10):
                await asyncio.sleep(0.1)
                cabinet.move_gates()
        await cabinet.until(lambda: cabinet.credit == taken)
    finally:
        await cabinet.kill()
    to_hopper = (cabinet.hopper.stock - 1000) * 100
    assert cabinet.chutes.strays_cents == 0
    # it has room for ten more, and notices within seconds that it is full
    assert to_hopper in (range(1000, 1400) if build != "nothing" else range(1))
    assert cabinet.figure("coins_to_hopper") == to_hopper
    assert cabinet.figure("coins_in") == taken
    assert cabinet.chutes.cash_box_cents == cabinet.dropped() == taken - to_hopper
    assert cabinet.figure("coins_way_unknown") == 0


async def test_the_log_says_what_was_wrong_with_a_coin(tmp_path: Path) -> None:
    """The event log has the plain words with the code, and nothing of coins that we refuse ourselves."""

    async def play() -> list[str]:
        cabinet = SharedCabinet(tmp_path)
        supervisor = await cabinet.start()
        try:
            await cabinet.until(lambda: takes_coins(cabinet))
            for code in (25, 2, 1):
                cabinet.coins.reject(code)
            await asyncio.sleep(2.0)
            assert ("coin_slug", "coin_acceptor") in missing(cabinet)
            return await supervisor.journal.do(lambda tx: words_of(tx.execute, "coin_rejected"))
        finally:
            await cabinet.kill()

    assert (await play()) == [
        "Coin rejected: a slug (code 25)",
        "Coin rejected: a coin was not recognised (code 1)",
    ]


class PatientClock(LoopClock):
    """A clock of a host that waits ten times as long: on a busy machine a pty's answer takes more than 0.1 s."""

    def now(self) -> float:
        """Monotonic seconds, a tenth of the loop's."""
        return super().now() / 10

    async def sleep(self, seconds: float) -> None:
        """Sleep for ten times as long."""
        await super().sleep(10 * seconds)


@pytest.mark.parametrize("echo", [False, True])
def test_three_simulated_devices_answer_on_one_terminal(tmp_path: Path, *, echo: bool) -> None:
    """The demo's devices, wired to one port, hang on one real pty; the line echoes once or not at all."""
    wired = SharedCabinet(tmp_path).config

    async def scene() -> list[bytes]:
        devices = SimulatedCabinet(wired, tmp_path, LoopClock(), memory=Memory(), on_change=lambda: None, echo=echo)
        devices.open()
        try:
            wire = Wire(SerialPort(str(tmp_path / "tty-coin")))
            buses = {address: Bus(wire.tap(), PatientClock()) for address in (2, 3, 40)}
            for address, bus in buses.items():
                await bus.open()
                await bus.detect_framing(address)
                assert bus.echo is echo
            asked = (bus.request(address, Header.CATEGORY, sizes=range(30)) for address, bus in buses.items())
            said = await asyncio.gather(*asked)
            for bus in buses.values():
                bus.close()
            return said
        finally:
            devices.close()

    assert asyncio.run(scene()) == [b"Coin Acceptor", b"Payout", b"Bill Validator"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("tty")) == []
