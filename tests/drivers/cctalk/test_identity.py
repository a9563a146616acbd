"""What a device says of itself, asked by the core set's requests; devices that leave some unanswered are served."""

import asyncio
from collections import Counter
from itertools import combinations

import pytest

from drivers.cctalk.bus import Bus
from drivers.cctalk.link import Identity, identify
from drivers.cctalk.protocol import Header
from drivers.clock import LoopClock
from drivers.errors import NoReplyError, WireError
from drivers.probe import who_answers
from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.device import Refusal
from drivers.simulated.memory_line import MemoryLine
from tests.rigs.coin_slot import Slot
from tests.rigs.stalled_line import StalledLine

NAMES = (
    Header.MANUFACTURER,
    Header.PRODUCT_CODE,
    Header.BUILD_CODE,
    Header.SOFTWARE_REVISION,
    Header.COMMS_REVISION,
)


class Taciturn(SimulatedCoinAcceptor):
    """An acceptor that is silent to some requests; `asked` is all that it was asked."""

    silent_to: frozenset[int] = frozenset(NAMES)

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        self.asked = {*getattr(self, "asked", ()), header}
        return Refusal.SILENCE if header in self.silent_to else super().answer(header, data)


async def test_an_acceptor_that_says_nothing_of_itself_takes_coins() -> None:
    """Category and serial number are what money needs; the rest is for people."""
    slot = Slot(device=Taciturn)
    async with slot.served():
        await asyncio.sleep(30.0)  # each silence is heard twice, and what may come late is waited for
        slot.device.insert(100)
        await asyncio.sleep(1.0)
        assert str(slot.driver.identity) == f"Coin Acceptor, serial number {slot.device.identity.serial}"
    assert slot.books.credited == slot.accepted == [100]
    assert slot.falls == []
    assert {*NAMES, Header.CATEGORY, Header.SERIAL_NUMBER} <= slot.device.asked  # type: ignore[attr-defined]


class Lapsing(SimulatedCoinAcceptor):
    """An acceptor whose answers to one question are lost, so many times."""

    question = Header.PRODUCT_CODE
    losing = 0

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        if header == self.question and self.losing:
            self.losing -= 1
            return Refusal.SILENCE
        return super().answer(header, data)


@pytest.mark.parametrize("question", NAMES)
@pytest.mark.parametrize("lost", range(1, 6))
async def test_answers_that_are_lost_make_no_other_device(question: Header, lost: int) -> None:
    """A loose line or a busy machine, for as long as one question takes and more: it is who it was."""
    device = Lapsing()
    device.question, device.losing = question, lost
    line = MemoryLine(device)
    device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    found = await identify(bus, 2, category="Coin Acceptor", serial=0)
    bus.close()
    said = device.identity
    assert (found.product, found.build, found.manufacturer, found.software, found.comms) == (
        *(text.decode().strip() for text in (said.product, said.build, said.manufacturer, said.software)),
        said.comms,
    )


@pytest.mark.parametrize("silent", [set(), *map(set, combinations(NAMES, 1)), set(NAMES)], ids=lambda s: str(sorted(s)))
async def test_the_identity_has_what_was_answered(silent: set[Header]) -> None:
    """Each missing answer leaves one thing out, in the driver and in the doctor's search."""
    device = Taciturn()
    device.silent_to = frozenset(silent)
    said = device.identity
    line = MemoryLine(device)
    device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    found = await identify(bus, 2, category="Coin Acceptor", serial=0)
    bus.close()
    texts = {
        Header.MANUFACTURER: (said.manufacturer, found.manufacturer),
        Header.PRODUCT_CODE: (said.product, found.product),
        Header.BUILD_CODE: (said.build, found.build),
        Header.SOFTWARE_REVISION: (said.software, found.software),
    }
    heard = await who_answers("memory", lambda _settings: line.port, LoopClock(), first="cctalk")
    (device_found,) = heard.devices
    for header, (true, text) in texts.items():
        expected = "" if header in silent else true.decode().strip()
        assert text == expected
        if expected:
            assert expected in str(device_found)
    assert found.comms == (b"" if Header.COMMS_REVISION in silent else said.comms)
    issue = f"ccTalk {said.comms[1]}.{said.comms[2]}"
    assert (issue in str(device_found)) == (Header.COMMS_REVISION not in silent)
    assert device_found.serial == found.serial == said.serial


class Nameless(SimulatedCoinAcceptor):
    """An acceptor whose first answers to request 245 are bare acknowledgements; `nameless` says how many."""

    nameless = 0

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        if header == Header.CATEGORY and self.nameless:
            self.nameless -= 1
            return b""
        return super().answer(header, data)


async def test_an_empty_answer_to_who_it_is_is_asked_again() -> None:
    """A bare acknowledgement is mostly the late one to another question: it says nothing of a kind."""
    device = Nameless()
    device.nameless = 2
    line = MemoryLine(device)
    device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    found = await identify(bus, 2, category="Coin Acceptor", serial=0)
    assert found.category == "Coin Acceptor"
    device.nameless = 1000
    with pytest.raises(NoReplyError, match="device 2 does not say what it is") as silent:
        await identify(bus, 2, category="Coin Acceptor", serial=0)
    assert str(silent.value).startswith(f"{line.port.path}: ")
    bus.close()
    heard = await who_answers("memory", lambda _settings: line.port, LoopClock(), first="cctalk")
    assert heard.devices == ()


async def test_a_device_that_does_not_say_what_it_is_is_silent_and_no_wrong_one() -> None:
    """The fault is that of no answer, which goes by itself; coins are taken once it speaks."""
    slot = Slot(device=Nameless)
    slot.device.nameless = 30  # type: ignore[attr-defined]
    async with slot.served():
        await asyncio.sleep(60.0)
        slot.device.insert(100)
        await asyncio.sleep(1.0)
    assert slot.books.credited == [100]
    assert "wrong_device" not in slot.books.faults


async def test_a_stranger_that_says_nothing_is_no_swapped_plug() -> None:
    """Where the coin acceptor is missing, an empty answer of a hopper's address names no other device."""
    device = Nameless(address=3)
    device.nameless = 1000
    line = MemoryLine(device)
    device.power(on=True)
    bus = Bus(line.port, LoopClock())
    await bus.open()
    with pytest.raises(NoReplyError, match="device 2 does not answer"):
        await identify(bus, 2, category="Coin Acceptor", serial=0)
    bus.close()


class Late(SimulatedCoinAcceptor):
    """An acceptor that is late with its answers from the `late_at`-th question on, `times` in all."""

    late_at = times = 0
    asked = 0

    def answer(self, header: int, data: bytes) -> bytes | Refusal:
        self.asked += 1
        if self.asked == self.late_at:
            self.mishaps.next("late_reply", self.times)
        return super().answer(header, data)


async def identified(line: MemoryLine) -> Identity | str:
    """Who the coin acceptor on the line says that it is, or the name of the error with which that ended."""
    bus = Bus(line.port, LoopClock())
    await bus.open()
    try:
        return await identify(bus, 2, category="Coin Acceptor", serial=0)
    except (NoReplyError, WireError) as error:
        return type(error).__name__
    finally:
        bus.close()


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_late_answer_makes_no_other_device(times: int) -> None:
    """At whichever question it is late: an identity is believed when two answers in a row agree."""
    ended = Counter[str]()
    for late_at in range(1, 25):
        device = Late()
        device.late_at, device.times = late_at, times
        line = MemoryLine(device)
        device.power(on=True)
        found = await identified(line)
        if isinstance(found, str):
            ended[found] += 1
        else:
            said = device.identity
            texts = (said.manufacturer, said.product, said.build, said.software)
            assert (found.manufacturer, found.product, found.build, found.software) == tuple(
                text.decode().strip() for text in texts
            )
            assert (found.serial, found.comms) == (said.serial, said.comms)
            ended["found"] += 1
    assert ended["found"] > 12


@pytest.mark.parametrize("seconds", [0.45, 0.85, 1.3])
async def test_a_device_that_stood_still_is_no_other_one(seconds: float) -> None:
    """Once it goes on it answers all that it was asked meanwhile: two late answers that agree are still late."""
    ended = Counter[str]()
    for at in range(1, 25):
        device = SimulatedCoinAcceptor()
        line = StalledLine(device)
        line.stall(seconds, at=at)
        device.power(on=True)
        ended[str(await identified(line))] += 1
    assert {*ended} <= {"Open Cabinet SIMCOIN V01, serial number 4711, software SIM-V1.00", "NoReplyError", "WireError"}
    assert max(ended.values()) > 12
