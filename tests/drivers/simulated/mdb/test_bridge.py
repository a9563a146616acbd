"""The simulated MDB bridge: its lines, what it refuses, and what goes wrong on either side of it."""

import asyncio

import pytest

from drivers.simulated.mdb.bridge import BridgeHabits, MdbBridge
from drivers.simulated.mdb.coin_changer import SimulatedChanger
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.mdb_host import NO_ANSWER, SILENCE, Deposit, MdbHost

ALL_COINS = "0C FF FF FF FF"


async def ready() -> tuple[MdbHost, SimulatedChanger]:
    """A changer that takes every coin, and its host."""
    changer = SimulatedChanger(stock={10: 20, 20: 20, 50: 20, 100: 20})
    host = await MdbHost(changer).open()
    assert await host.coins() == [0x0B]
    assert await host.ask(ALL_COINS) == "ACK"
    return host, changer


async def test_requests_are_refused_until_it_is_a_master() -> None:
    """Nothing reaches the bus before M,1, and nothing after M,0 or a restart."""
    changer = SimulatedChanger()
    host = MdbHost(changer)
    host.bridge.power(on=True)
    await host.line.port.open()
    await host.pause(1)
    assert await host.say("R,0B") == NO_ANSWER
    assert await host.say("M,2") == "m,NACK"
    assert await host.say("R,0B") == NO_ANSWER
    assert await host.say("M,1") == "m,ACK"
    assert await host.say("R,0B") == "p,0B"
    assert await host.say("M,0") == "m,ACK"
    assert await host.say("R,0B") == NO_ANSWER
    assert await host.say("M,1") == "m,ACK"
    assert await host.say("F,RESET") == SILENCE
    await host.pause(1)
    assert await host.say("R,0B") == NO_ANSWER


@pytest.mark.parametrize(
    "line",
    ["R", "R,", "R,0", "R,0B,", "R,0B,F", "R,0B,GG", "R,0B0B", "R,0C,+0+0", "R,0C," + "00" * 60, "R,10", "R,0B,00"],
)
async def test_a_request_that_nobody_can_answer(line: str) -> None:
    """Not hexadecimal, too long, for nobody, or with data that the command has not: no answer, and the next is one."""
    host, _changer = await ready()
    assert await host.say(line) == NO_ANSWER
    assert await host.say("r,0B") == SILENCE
    assert await host.say("R,0b") == "p,ACK"


async def test_lines_may_come_in_pieces_and_together() -> None:
    """Answers come in the order of the lines, with either line end; a line that is too long is none."""
    host, _changer = await ready()
    for byte in b"\r\nR,0B\r":
        await host.line.port.write(bytes((byte,)))
        await host.pause(0.001)
    await host.line.port.write(b"\nV\nR,0F,05\n" + b"R" * 500 + b"\nH\n")
    await host.pause(0.5)
    heard = (await host.line.port.read(0)).split(b"\r\n")
    assert [line[:3] for line in heard] == [b"p,A", b"v,4", b"p,0", b"h,4", b""]


async def test_an_event_is_kept_until_the_bridge_has_heard_it() -> None:
    """A spoilt answer on the bus, or a lost ACK, loses nothing; a line lost on the way to the host does."""
    host, changer = await ready()
    for trouble, heard in (("answer_spoilt", "NACK"), ("request_spoilt", "NACK"), ("ack_lost", "410000")):
        changer.tubes.fill(1, -changer.tubes.held[1])
        changer.troubles()["tube_sensor"](2)
        await host.coins()
        changer.insert(20)
        await host.pause(0.5)
        host.bridge.troubles()[trouble](1)
        assert (await host.ask("0B"))[:4] == heard[:4]
        assert await host.coins() == [Deposit("cash box", 1, 0)]
        assert await host.coins() == []
    changer.insert(20)
    await host.pause(0.5)
    host.bridge.troubles()["answer_spoilt"](1)
    assert await host.ask("0B") == "NACK"
    assert len(await host.data("09")) == 23, "another answer, acknowledged, is not that of the poll"
    assert await host.coins() == [Deposit("cash box", 1, 0)]
    changer.insert(20)
    await host.pause(0.5)
    host.bridge.troubles()["silent"](1)
    assert await host.say("R,0B") == SILENCE
    assert await host.coins() == []


async def test_a_payout_whose_ack_is_lost_is_made_all_the_same() -> None:
    """The host hears NACK in both cases and must count tubes: a request that was spoilt pays nothing."""
    host, changer = await ready()
    host.bridge.troubles()["request_spoilt"](1)
    assert await host.ask("0D 23") == "NACK"
    await host.pause(1)
    assert (await host.tubes())[1][3] == 20
    host.bridge.troubles()["answer_spoilt"](1)
    assert await host.ask("0D 23") == "NACK"
    await host.pause(1)
    assert (await host.tubes())[1][3] == 18
    assert changer.tubes.paid_out[3] == 2


async def test_the_bridge_can_ask_a_peripheral_once_more() -> None:
    """With RET a spoilt answer costs nothing."""
    host, _changer = await ready()
    host.bridge.habits = BridgeHabits(asks_again=True)
    host.bridge.troubles()["answer_spoilt"](1)
    assert (await host.data("09"))[0] == 3


async def test_late_lines_and_garbage() -> None:
    """A late line comes after a later one; garbage has a line end."""
    host, _changer = await ready()
    host.bridge.troubles()["late"](1)
    assert await host.say("R,09") == SILENCE
    assert await host.say("R,0B") == "p,ACK"
    await host.pause(2)
    assert (await host.line.port.read(0)).startswith(b"p,03")
    host.bridge.troubles()["garbage"](1)
    assert await host.say("R,0B") not in {"p,ACK", SILENCE}
    assert await host.say("R,0B") == "p,ACK"


@pytest.mark.parametrize(("half_bytes", "answer"), [(True, "p,ACK"), (False, "p,NACK")])
async def test_a_last_digit_alone_is_a_byte_or_refused(*, half_bytes: bool, answer: str) -> None:
    """R,0C with seven digits: all coin types, and the last four by hand, or nothing."""
    changer = SimulatedChanger()
    host = await MdbHost(changer, habits=BridgeHabits(half_bytes=half_bytes)).open()
    assert await host.say("R,0C,FFFF00F") == answer
    assert changer.enabled == (0xFFFF if half_bytes else 0)


async def test_a_slow_peripheral_needs_a_longer_answer_time() -> None:
    """F,RESPTIMEOUT makes the bridge wait; its range is 10 to 1000 ms; a request that was not waited for is obeyed."""
    host, changer = await ready()
    changer.answer_s = 0.02
    assert await host.ask("0C 00 00 00 00") == "NACK"
    assert changer.enabled == 0
    assert [await host.say(f"F,RESPTIMEOUT,{ms}") for ms in ("9", "1001", "", "x", "100")] == [*["f,NACK"] * 4, "f,ACK"]
    assert await host.ask("0B") == "ACK"


async def test_a_bus_reset_resets_every_peripheral() -> None:
    """R,RESET: each reports that it was reset, and takes nothing."""
    host, changer = await ready()
    assert await host.say("R,RESET") == SILENCE
    await host.pause(0.5)
    assert await host.coins() == [0x0B]
    assert changer.enabled == 0


async def test_power_may_fail_at_any_byte_of_a_line() -> None:
    """Whatever had come of it is forgotten, and the next line is heard whole."""
    line = b"R,0D,13\n"
    for length in range(len(line) + 1):
        host, changer = await ready()
        await host.line.port.write(line[:length])
        await asyncio.sleep(0.001 * length)
        await host.cut()
        assert await host.coins() == [0x0B]
        assert changer.tubes.held[3] == 20 - changer.tubes.paid_out[3]


async def test_a_restart_while_the_mains_fail() -> None:
    """The restart's end does not bring back the power."""
    bridge = MdbBridge([])
    line = MemoryLine(bridge)
    bridge.power(on=True)
    await line.port.open()
    bridge.troubles()["restart"](1)
    bridge.power(on=False)
    await asyncio.sleep(3)
    await line.port.write(b"V\n")
    assert await line.port.read(1) == b""
    bridge.power(on=True)
    await line.port.write(b"V\n")
    assert (await line.port.read(1)).startswith(b"v,")
