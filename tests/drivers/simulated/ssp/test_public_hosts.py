"""What public hosts ask the simulated SSP devices, in their order (`hosts_ssp.tsv`), and GA138's worked examples."""

from collections.abc import Callable

import pytest

from drivers.simulated.note_path import Paper
from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.simulated.ssp.recycler import SimulatedRecycler
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from tests.rigs.public_hosts import hosts, play, steps
from tests.rigs.ssp_host import SspHost
from tests.rigs.vectors import vectors

EUROS = b"EUR" * 4
VALUES = b"".join(value.to_bytes(4, "little") for value in (5, 10, 20, 50))


def ignore(_what: Paper) -> None:
    """Nobody watches."""


Make = Callable[[], SspHost]


def validator() -> SspHost:
    """A validator that can encrypt, and a host."""
    habits = SspHabits(encrypts=True, acknowledges=True)
    return SspHost(SimulatedSspValidator(returned=ignore, stacked=ignore, habits=habits), 0)


def recycler() -> SspHost:
    """A recycler with two notes of 10.00, and a host."""
    return SspHost(SimulatedRecycler(returned=ignore, stacked=ignore, note_out=ignore, stored={1000: 2}), 0)


def hopper() -> SspHost:
    """A SMART Hopper and a host."""
    return SspHost(SimulatedSmartHopper(stock={100: 10}), 16)


def example(page: str, who: str) -> bytes:
    """The data of the manual's frame on a page, of the host or the slave."""
    (raw,) = [
        bytes.fromhex(frame) for at, _section, side, frame in vectors("ssp_ga138.tsv") if (at, side) == (page, who)
    ]
    return raw[3:-2]


@pytest.mark.parametrize("device", [validator, recycler])
async def test_unit_data(device: Make) -> None:
    """0D: type, firmware, currency, multiplier and protocol, in the places of the manual's example (page 77)."""
    host = await device().open()
    await host.sync()
    assert await host.plain(0x06, 7) == b"\xf0"
    answer = await host.plain(*example("77", "H"))
    printed = example("77", "S")
    assert printed == b"\xf0\x00" + b"0300EUR" + b"\x01\x00\x00" + b"\x07"
    unit_type = b"\x00" if device is validator else b"\x06"
    assert answer == b"\xf0" + unit_type + b"0333EUR" + b"\x01\x00\x00" + b"\x07"


@pytest.mark.parametrize(
    ("protocol", "answer"),
    [(5, b"\x04\x05\x0a\x14\x32"), (6, b"\x04" + bytes(4) + EUROS + VALUES), (8, b"\x04" + bytes(4) + EUROS + VALUES)],
)
async def test_channel_values(protocol: int, answer: bytes) -> None:
    """0E: a value for each channel (page 78); from protocol 6 on zeros, currencies and full values (page 79)."""
    host = await validator().open()
    await host.sync()
    assert await host.plain(0x06, protocol) == b"\xf0"
    assert await host.plain(*example("78", "H")) == b"\xf0" + answer
    printed = example("78", "S")
    assert (printed[1], len(printed)) == (7, 2 + 7)


async def test_what_else_a_validator_is_asked() -> None:
    """Security (page 80) and re-teach data by channel, bezel and lamp (72, 73, 88), counters (119), build (130)."""
    host = await validator().open()
    await host.sync()
    assert example("80", "S") == b"\xf0\x07\x02\x02\x00\x02\x00\x02\x02"
    assert await host.plain(*example("80", "H")) == b"\xf0\x04\x02\x02\x02\x02"
    assert await host.plain(0x10) == b"\xf0\x04" + bytes(4)
    for page in ("72", "73", "88", "119"):
        assert await host.plain(*example(page, "H")) == example(page, "S")
    assert await host.plain(0x54, 1) == b"\xf3"
    assert await host.plain(0x58) == b"\xf0\x05" + bytes(20)
    assert await host.plain(0x4F) == b"\xf0\x00\x00\x01"
    assert await host.plain(0x19) == b"\xf0"


async def test_the_setup_follows_the_protocol_that_the_host_sets() -> None:
    """05: the version in its last fixed byte, and the expanded channels from version 6 on only."""
    host = await validator().open()
    await host.sync()
    for protocol, expanded in ((5, b""), (6, EUROS + VALUES), (7, EUROS + VALUES)):
        assert await host.plain(0x06, protocol) == b"\xf0"
        setup = await host.plain(0x05)
        assert (setup[24], setup[25:]) == (protocol, expanded)
    assert await host.plain(0x06, 9) == b"\xf8"


@pytest.mark.parametrize("device", [validator, recycler, hopper])
async def test_the_order_of_a_public_hosts_own_example(device: Make) -> None:
    """SYNC, the protocol version plain, the keys, then all enciphered (npm, encrypted-smiley-secure-protocol)."""
    host = await device().open()
    assert await host.sync() == b"\xf0"
    assert await host.plain(0x06, 6) == b"\xf0"
    for command, number in ((0x4A, 982_451_653), (0x4B, 1_287_821)):
        assert await host.plain(command, *number.to_bytes(8, "little")) == b"\xf0"
    answer = await host.plain(0x4C, *pow(982_451_653, 77_777, 1_287_821).to_bytes(8, "little"))
    shared = pow(int.from_bytes(answer[1:], "little"), 77_777, 1_287_821)
    host.key = host.fixed.to_bytes(8, "little") + shared.to_bytes(8, "little")
    for words in ("0C", "05"):
        assert (await host.asked(words)).startswith("F0")
    if device is not validator:
        value = "E8 03 00 00" if device is recycler else "64 00 00 00"
        assert await host.asked(f"3B 00 {value} 45 55 52") == "F0"
        assert (await host.asked("22")).startswith("F0")
    assert await host.asked("0A") == "F0"
    assert (await host.asked("07")).startswith("F0")


@pytest.mark.parametrize("device", [recycler, hopper])
async def test_a_payout_answers_general_questions_without_a_key_and_pays_nothing(device: Make) -> None:
    """The maker's own library asks for keys first, others for the version, the setup or the serial number."""
    host = await device().open()
    await host.sync()
    for command in ((0x06, 6), (0x05,), (0x0C,), (0x20,), (0x21,), (0x4F,), (0x07,), (0x0A,), (0x09,)):
        assert (await host.plain(*command))[0] == 0xF0
    for command in ((0x33, *bytes(8)), (0x46, 0, 0x58), (0x3F,), (0x52,), (0x3D, *bytes(10)), (0x34, *bytes(9))):
        assert await host.plain(*command) == b"\xfa"


async def test_what_else_a_smart_hopper_is_asked() -> None:
    """Counters (58), coin stir (page 145) and baud rate (135)."""
    host = await hopper().open()
    await host.negotiate()
    assert (await host.plain(0x58))[:2] == b"\xf0\x01"
    for page in ("145", "135", "119"):
        assert await host.plain(*example(page, "H")) == example(page, "S")
    assert await host.plain(0x0D) == b"\xf2"


class SspPeer:
    """A device of the name, and what a hand, a tray and a cash box do and see."""

    def __init__(self, name: str) -> None:
        self.papers: dict[str, list[Paper]] = {"stacked": [], "returned": [], "paid": []}
        stacked, returned, paid = (self.papers[which].append for which in ("stacked", "returned", "paid"))
        if name == "validator":
            self.host = SspHost(SimulatedSspValidator(returned=returned, stacked=stacked), 0)
        elif name == "recycler":
            self.host = SspHost(SimulatedRecycler(returned=returned, stacked=stacked, note_out=paid), 0)
        else:
            self.host = SspHost(SimulatedSmartHopper(stock={50: 4, 100: 5, 200: 2}, coin_out=paid), 16)

    async def ask(self, said: str) -> str:
        """Send a command, plain or enciphered; return the data of the answer."""
        how, _, command = said.partition(" ")
        if how == "keys":
            await self.host.negotiate()
            return "F0"
        if how == "key":
            return await self.host.asked(command)
        answer = await (self.host.sync() if how == "sync" else self.host.plain(*bytes.fromhex(command)))
        return answer.hex(" ").upper()

    def hand(self, act: str, what: str) -> None:
        """Put a note in."""
        assert act == "note"
        self.host.device.insert(int(what))  # type: ignore[attr-defined]

    def fact(self, name: str) -> str:
        """How much money went where, in cents."""
        return str(sum(paper for paper in self.papers[name] if isinstance(paper, int)))


@pytest.mark.parametrize(("host", "device"), hosts("hosts_ssp.tsv"))
async def test_a_public_host(host: str, device: str) -> None:
    """Each command has the answer that GA138 gives it, and the money is where the host believes it."""
    peer = SspPeer(device)
    await peer.host.open()
    await play(steps("hosts_ssp.tsv", host, device), peer)
