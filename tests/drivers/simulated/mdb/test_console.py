"""MDB devices in a simulated cabinet: one line for all, a hand's words, what they keep."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from drivers.clock import LoopClock
from drivers.simulated.acts import Acts
from drivers.simulated.cabinet import SimulatedCabinet
from drivers.simulated.mdb.bridge import MdbBridge
from drivers.simulated.memory import Memory
from drivers.wiring import BillValidator, CoinAcceptor, Door, Hopper, Pins, Wiring
from tests.rigs.devices_process import ask, devices

PORT = "tty-coin"
PINS = Pins(factory="simulated", buttons={}, doors={"main": Door(pin=6)}, keys={}, tower={}, meters={})
WIRED = Wiring(
    pins=PINS,
    coin_acceptor=CoinAcceptor(port=PORT, protocol="mdb"),
    bill_validator=BillValidator(port=PORT, protocol="mdb"),
    hopper=Hopper(port=PORT, protocol="mdb", coin_value_cents=100),
)


class There:
    """A cabinet under mains, a hand, and a host's end of its bridge."""

    def __init__(self, run: Path, wiring: Wiring, memory: Memory) -> None:
        self.run = run
        self.cabinet = SimulatedCabinet(wiring, run, LoopClock(), memory=memory, on_change=lambda: None)
        self.acts = Acts(self.cabinet, LoopClock())

    async def say(self, *lines: str, bridge: str = "bridge") -> str:
        """Send lines one after the other and return the last answer; the first becomes the master."""
        device = self.cabinet._fitted[bridge].device
        assert isinstance(device, MdbBridge)
        line = Heard()
        device.connect(line)
        for said in ("M,1", *lines):
            line.text = ""
            device.receive(said.encode() + b"\n")
            await asyncio.sleep(0.5)
        return line.text.strip()


class Heard:
    """A line's end that keeps what came."""

    def __init__(self) -> None:
        self.text = ""

    def send(self, data: bytes) -> None:
        """Keep it."""
        self.text += data.decode()


@contextmanager
def there(wiring: Wiring = WIRED, memory: Memory | None = None) -> Iterator[There]:
    """A cabinet that is closed afterwards."""
    with TemporaryDirectory(prefix="hw") as directory:
        opened = There(Path(directory), wiring, memory or Memory())
        opened.cabinet.open()
        try:
            yield opened
        finally:
            opened.cabinet.close()


async def test_all_hang_on_one_bridge_and_take_what_a_hand_brings() -> None:
    """Coins to tubes and cash box, a note in escrow and in the stacker, a payout into the tray."""
    with there() as one:
        assert sorted(link.name for link in one.run.iterdir() if link.is_symlink()) == ["tty-cards", "tty-coin"]
        await asyncio.sleep(1)
        assert await one.say("R,0B") == "p,0B"
        assert await one.say("R,0C,FFFFFFFF", "R,34,FFFFFFFF") == "p,ACK"
        for act in ("coin 1", "coin 2", "note 10"):
            await one.acts.do(act)
        await asyncio.sleep(1)
        assert (one.cabinet.front().cash_box_cents, one.cabinet.front().hopper_coins) == (200, 161)
        assert one.cabinet.front().bill_slot == "escrow"
        assert await one.say("R,33") == "p,0691"
        assert await one.say("R,35,01") == "p,ACK"
        await one.say("R,0D,23")
        await asyncio.sleep(1)
        front = one.cabinet.front()
        assert (front.stacked_cents, front.tray_cents, front.tray_coins, front.hopper_coins) == (1000, 200, 2, 159)
        await one.acts.do("coin 0.50")
        await one.acts.do("mains off")
        assert one.cabinet.front().coin_return_cents == 50


async def test_tubes_and_the_stackers_count_are_kept() -> None:
    """What the memory holds is in the tubes of the next process; a new cabinet's are filled."""
    with there() as one:
        await asyncio.sleep(1)
        await one.say("R,0C,FFFFFFFF", "R,34,FFFF0000")
        await one.acts.do("coin 0.20")
        await one.acts.do("note 5")
        await one.acts.do("fill 3")
        await asyncio.sleep(2)
        memory = one.cabinet.memory()
    assert memory.payout_stock == {"10": 40, "20": 41, "50": 40, "100": 43}
    assert (memory.stacker_bills, memory.stacked_cents) == (1, 500)
    with there(memory=memory) as again:
        await asyncio.sleep(1)
        assert await again.say("R,36") == "p,0001"
        assert await again.say("R,0A") == "p,00002829282B" + "00" * 12


async def test_what_goes_wrong_is_at_hand() -> None:
    """Each trouble of the changer, the validator and the bridge by its name; others are named."""
    with there() as one:
        await asyncio.sleep(1)
        for name, device in (("coin", "coin"), ("bill", "bill"), ("bridge", "bridge")):
            assert one.cabinet._fitted[device].faults
            with pytest.raises(ValueError, match=f"{name} knows no fault 'flu'; there are"):
                await one.acts.do(f"fault {device} flu")
        for act in (
            "coin escrow_lever",
            "coin slugs 2",
            "bill cheated",
            "coin acceptor_unplugged",
            "bridge answer_spoilt",
        ):
            await one.acts.do(f"fault {act}")
        assert await one.say("R,0B") == "p,NACK"
        assert await one.say("R,0B") == "p,060B0122"
        await one.acts.do("fault bill dead")
        assert await one.say("R,33") == "p,NACK"
        await one.acts.do("fault coin empty")
        assert (one.cabinet.front().hopper_coins, one.cabinet.memory().payout_stock["50"]) == (0, 40)
        await one.acts.do("fault coin empty off")
        assert one.cabinet.front().hopper_coins == 160
        await one.acts.do("fault bridge unplugged")
        assert not (one.run / PORT).is_symlink()


async def test_a_validator_alone_has_a_bridge_of_its_own() -> None:
    """On its own port, beside ccTalk devices on theirs."""
    wired = Wiring(
        pins=PINS,
        coin_acceptor=CoinAcceptor(port=PORT),
        bill_validator=BillValidator(port="tty-bill", protocol="mdb"),
        hopper=Hopper(port="tty-hopper", coin_value_cents=100),
    )
    with there(wired) as one:
        await asyncio.sleep(1)
        assert await one.say("R,33") == "p,0906"
        assert await one.say("R,0B") == "p,NACK"


TABLES = """
[coin_acceptor]
port = "tty-coin"
protocol = "mdb"
[bill_validator]
port = "tty-coin"
protocol = "mdb"
"""


@pytest.mark.processes
def test_the_devices_process_has_a_bridge_on_its_terminal() -> None:
    """Any program that writes lines to the terminal is heard; the first answer is lost, as said at the start."""
    with TemporaryDirectory(prefix="hw") as directory:
        run = Path(directory)
        with devices(run, TABLES, "bridge silent 1"):
            terminal = run / PORT
            assert bytes.fromhex(ask(terminal, b"V\nM,1\n".hex(), 7)) == b"m,ACK\r\n"
            # a peripheral needs 200 ms before it answers
            answers = (bytes.fromhex(ask(terminal, b"R,09\n".hex(), 8)) for _ in range(1000))
            assert b"p,031978" in answers
