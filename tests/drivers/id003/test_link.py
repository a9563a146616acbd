import pytest

from drivers.clock import LoopClock
from drivers.errors import NoReplyError
from drivers.id003.link import Id003Link
from drivers.id003.protocol import Command, Frame, Status
from drivers.simulated.id003.bill_validator import SimulatedBillValidator
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Way


def connected() -> tuple[Id003Link, SimulatedBillValidator, MemoryLine]:
    device = SimulatedBillValidator(returned=lambda _: None, stacked=lambda _: None)
    line = MemoryLine(device)
    device.power(on=True)
    return Id003Link(line.port, LoopClock(), 0.1), device, line


async def test_a_reply_that_came_twice_does_not_answer_the_next_poll() -> None:
    """What is in the port when a poll goes out is old, and is thrown away."""
    link, device, line = connected()
    await link.open()
    line.misbehaviour.inject(Kind.REPEAT, 3)
    for _ in range(3):
        assert await link.poll() == Frame(Status.POWER_UP)
    device.status = Status.DISABLED
    assert await link.poll() == Frame(Status.DISABLED)


async def test_an_answer_behind_noise_that_begins_like_a_frame() -> None:
    """A false start of a long frame hides the answer only until the reply's time is over."""
    link, device, line = connected()
    await link.open()
    device.connect(NoisyLine(line))
    assert await link.poll() == Frame(Status.POWER_UP)


class NoisyLine:
    """Puts the start of a frame of 240 bytes before everything the device says."""

    def __init__(self, line: MemoryLine) -> None:
        self._line = line

    def send(self, data: bytes) -> None:
        self._line.send(b"\xfc\xf0" + data)


async def test_settings_are_repeated_until_echoed() -> None:
    """Two lost echoes are made up for; a refusal and a third loss are reported as not set."""
    link, _, line = connected()
    await link.open()
    assert await link.command(Command.RESET)
    line.misbehaviour.inject(Kind.DROP, 2, way=Way.TO_DEVICE)
    assert await link.set(Command.SET_INHIBIT, b"\x01")
    line.misbehaviour.inject(Kind.DROP, 3)
    assert not await link.set(Command.SET_INHIBIT, b"\x01")
    assert not await link.set(Command.SET_INHIBIT, b"\x01\x02")


async def test_a_question_that_stays_unanswered_is_an_error_that_names_it() -> None:
    """Not answering is distinguished from not knowing the command."""
    link, _, line = connected()
    await link.open()
    assert await link.get(Command.STACK_1) is None
    line.misbehaviour.inject(Kind.DROP, 3)
    with pytest.raises(NoReplyError, match="memory: the validator answers polls, but not command 8A"):
        await link.get(Command.GET_CURRENCIES)
