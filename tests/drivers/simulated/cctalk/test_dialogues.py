"""The specification's worked dialogues (part 3, pages 38 to 40 and 52 to 58), held with the simulated devices."""

from collections.abc import Callable

import pytest

from drivers.simulated.cctalk.bill_validator import CATEGORIES, BillHabits, SimulatedCctalkBills
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.device import CctalkDevice, Identity
from drivers.simulated.cctalk.frames import Frame, Framing, Header, encode
from drivers.simulated.cctalk.hopper import SimulatedHopper
from tests.rigs.cctalk_host import Host, dialogue, hold

SR5I = Identity(
    category=b"Coin Acceptor",
    product=b"SR5i",
    build=b"STD01   ",
    manufacturer=b"Money Controls",
    serial=12345678,
    software=b"CRS-F1-V1.09",
    comms=bytes((1, 4, 2)),
)
COINS = [b"GB200A", b"GB100A", b"GB050B", b"GB020A", b"Token ", b"GB010B"]
ARDAC6 = Identity(
    category=b"Bill Acceptor",
    product=b"Ardac6",
    build=b"Standard",
    manufacturer=b"MCI",
    serial=1605,
    software=b"AEN-F1-V4.44",
    comms=bytes((1, 4, 4)),
    checksum=bytes.fromhex("5F 04 43 3A"),
)
COIN_CORE = (254, 246, 245, 244, 242, 241, 232, 231, 230, 229, 228, 227, 216, 197, 192, 184, 4, 1)
BILL_CORE = (254, 246, 245, 244, 242, 241, 216, 197, 192, 4, 1)
BILL_MORE = (249, 247, 232, 231, 230, 228, 227, 213, 159, 157, 156, 154, 153, 152, 145, 141, 129)
HOPPER_CORE = (254, 246, 245, 244, 242, 241, 236, 217, 216, 192, 172, 171, 169, 168, 166, 164, 163, 4, 1)
MULTI_DROP = (251, 250)
DATA = {
    231: b"\xff\xff",
    228: b"\x01",
    184: b"\x01",
    164: b"\xa5",
    157: b"\x01",
    156: b"EU",
    154: b"\x00",
    153: b"\x03",
    251: b"\x09",
}


def _bills(identity: Identity = ARDAC6, habits: BillHabits | None = None) -> SimulatedCctalkBills:
    device = SimulatedCctalkBills(
        returned=lambda _paper: None, stacked=lambda _paper: None, identity=identity, habits=habits
    )
    device.bill_ids = [f"EU{euros:04}A".encode() for euros in (5, 10, 20, 50, 100, 200, 500)]
    return device


async def test_a_coin_acceptors_dialogue() -> None:
    """From the first poll to a rejected coin, as pages 38 to 40 print it."""
    device = SimulatedCoinAcceptor(identity=SR5I, starts_normal=True)
    device.coin_ids = COINS
    host = await Host(device).open()
    for position in (1, 5):
        await host.ask(encode(Frame(2, 1, Header.SORTER_PATH, bytes((position, 5)))).hex())
    lines = dialogue("p3", 38, 39, 40)
    first = next(number for number, line in enumerate(lines) if line.answer.startswith("01 0B 02 00 01 01"))
    await hold(
        host,
        lines,
        {
            first: lambda: device.insert(10) and None,
            first + 1: lambda: device.insert(10) and None,
            first + 2: lambda: device.insert(200) and None,
            first + 3: lambda: device.reject(1),
        },
    )


async def test_a_bill_validators_dialogue() -> None:
    """Identity, bills, a stacked bill, one that is not recognised and one that the transport rejects (52 to 54)."""
    device = _bills()
    host = await Host(device).open()
    lines = dialogue("p3", 52, 53, 54)
    stacked = next(number for number, line in enumerate(lines) if line.answer.startswith("01 0B 28 00 02"))

    def reject(code: int) -> None:
        device.reject_code, device.unreadable = code, 1
        device.insert(500)

    before = {stacked - 2: lambda: device.insert(2000), stacked: lambda: None}
    before |= {stacked + 1: lambda: reject(2), stacked + 2: lambda: reject(3)}
    await hold(host, lines, before)


@pytest.mark.parametrize(("page", "code", "silent"), [(56, 9, False), (57, 2, True)])
async def test_what_is_returned_and_a_host_that_was_silent(page: int, code: int, silent: bool) -> None:  # noqa: FBT001
    """A bill that was tampered with (56), and a host that did not poll for five seconds (57)."""
    device = _bills()
    host = await Host(device).open()
    await host.ask("28 02 01 E7 FF FF F0")
    await host.ask("28 01 01 E4 01 F1")
    lines = dialogue("p3", page)

    def reject() -> None:
        device.reject_code, device.unreadable = code, 1
        device.insert(500)

    seen = next(number for number, line in enumerate(lines) if line.answer.startswith("01 0B 28 00 02"))
    if not silent:
        await hold(host, lines, {seen: reject})
        return
    await hold(host, lines[: seen + 1], {seen: reject})
    await host.ask("03 00 01 FE FE", wait_s=5.1)
    again = next(number for number, line in enumerate(lines) if line.answer.startswith("01 0B 28 00 04"))
    await hold(host, lines[seen + 1 : again], {})
    reject()
    await host.ask("00 00 01 FE 01", wait_s=0.5)
    await hold(host, lines[again : again + 1], {})
    await hold(host, lines[again + 1 :], {0: lambda: None})


async def test_a_stacker_that_is_full() -> None:
    """It inhibits itself, is emptied and enabled again, behind a ticket's events (58 and 59)."""
    device = _bills(habits=BillHabits(inhibits_when_full=True))
    host = await Host(device).open()
    await host.ask("28 01 01 E4 01 F1")
    lines = dialogue("p3", 58, 59)
    numbers = {line.answer[12:14]: number for number, line in enumerate(lines) if line.answer.startswith("01 0B")}
    await hold(
        host,
        lines,
        {
            numbers["02"]: lambda: device.insert_ticket("475962575587710231"),
            numbers["03"]: lambda: None,
            numbers["05"]: lambda: device.set_fault("stacker_full", on=True),
            numbers["06"]: lambda: device._record(0, 11),
            numbers["07"]: lambda: device._record(0, 12),
        },
    )


@pytest.mark.parametrize("framing", Framing)
@pytest.mark.parametrize(
    ("device", "core"),
    [
        (SimulatedCoinAcceptor, (*COIN_CORE, *MULTI_DROP)),
        (_bills, (*BILL_CORE, *BILL_MORE, *MULTI_DROP)),
        (SimulatedHopper, (*HOPPER_CORE, *MULTI_DROP)),
    ],
    ids=["coins", "bills", "hopper"],
)
async def test_the_whole_core_set_is_answered(
    device: Callable[[], CctalkDevice], core: tuple[int, ...], framing: Framing
) -> None:
    """Each request of appendix 13, and each of its class, has an answer in its own framing, and none in the other."""
    for header in core:
        made = device()
        made.framing = framing
        host = await Host(made).open()
        for other in Framing:
            request = encode(Frame(made.address, 1, header, DATA.get(header, b"")), other)
            heard = bytes.fromhex(await host.ask(request.hex()))
            assert bool(heard) == (other is framing), f"{header} with {other}"
            if heard:
                assert (heard[0], heard[3]) == (1, 0), f"an ACK to {header}"


async def test_what_meets_silence() -> None:
    """An unknown header, data where none belong and a spoilt checksum: a hopper says NAK, and only to a dispense."""
    coins, hopper = SimulatedCoinAcceptor(), SimulatedHopper()
    host, other = await Host(coins).open(), await Host(hopper).open()
    for request in ("02 00 01 63 9A", "02 01 01 FE 00 FE", "02 00 01 FE FE"):
        assert await host.ask(request) == ""
    assert await other.ask("03 09 01 A7 00 00 00 00 00 00 00 00 01 4B") == "01 00 03 05 F7"


@pytest.mark.parametrize("category", CATEGORIES)
async def test_both_names_of_a_bill_validator(category: bytes) -> None:
    """It says what its identity says."""
    host = await Host(_bills(ARDAC6._replace(category=category))).open()
    assert bytes.fromhex(await host.ask("28 00 01 F5 E2"))[4:-1] == category


async def test_a_validator_without_escrow_stacks_at_once() -> None:
    """Mode 1 leaves the escrow out: the bill is credited without an order."""
    device = _bills()
    host = await Host(device).open()
    for request in ("28 02 01 E7 FF FF F0", "28 01 01 E4 01 F1", "28 01 01 99 01 3C"):
        assert await host.ask(request) == "01 00 28 00 D7"
    assert await host.ask("28 00 01 98 3F") == "01 01 28 00 01 D5"
    device.insert(2000)
    assert (await host.ask("28 00 01 FE D9", wait_s=1.5), device.slot) == ("01 00 28 00 D7", "")
    assert await host.ask("28 00 01 9F 38") == "01 0B 28 00 01 03 00 00 00 00 00 00 00 00 00 C8"
