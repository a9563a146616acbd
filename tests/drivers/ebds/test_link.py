import asyncio

import pytest

from drivers.clock import LoopClock
from drivers.ebds.link import ATTEMPTS, FIRST_ATTEMPTS, REPLY_S, EbdsLink
from drivers.ebds.protocol import ACK_BIT, Auxiliary, Extended, Frame, FrameParser, Type, encode
from drivers.errors import NoReplyError
from drivers.simulated.line import Line
from drivers.simulated.memory_line import MemoryLine

POLL = bytes((0, 0x1C, 0x10))


class Counting:
    """A device that numbers its answers; `delays` are how long it takes for each, None for one that is lost."""

    def __init__(self, *delays: float | None) -> None:
        self.delays = list(delays)
        self.turned = False
        self.requests: list[Frame] = []
        self.answers = 0
        self._line: Line | None = None

    def connect(self, line: Line) -> None:
        self._line = line

    def power(self, *, on: bool) -> None:
        """Always on."""

    def receive(self, data: bytes) -> None:
        (request,) = FrameParser().feed(data)
        self.requests.append(request)
        self.answers += 1
        delay = self.delays.pop(0) if self.delays else 0.0
        if delay is not None and self._line is not None:
            head = Type.OMNIBUS_REPLY | int(request.ack != self.turned)
            asyncio.get_running_loop().call_later(delay, self._line.send, encode(head, bytes((self.answers,))))


async def linked(*delays: float | None) -> tuple[EbdsLink, Counting]:
    """A link to a device that answers after these times."""
    device = Counting(*delays)
    link = EbdsLink(MemoryLine(device).port, LoopClock(), 0.1, even_parity=False)
    await link.open()
    return link, device


async def test_the_ack_bit_turns_with_each_answer_and_with_nothing_else() -> None:
    """A lost answer is asked for again under the same bit."""
    link, device = await linked(0.0, None, None, 0.0, 0.0)

    assert [(await link.poll(POLL)).data for _ in range(3)] == [b"\x01", b"\x04", b"\x05"]
    assert [request.ack for request in device.requests] == [False, True, True, True, False]


async def test_an_answer_under_the_other_bit_is_none() -> None:
    """It belongs to the message before."""
    link, device = await linked()
    device.turned = True

    with pytest.raises(NoReplyError, match="check its power and its cable"):
        await link.poll(POLL, attempts=2)
    assert not link.flag


async def test_a_late_answer_answers_nothing_later() -> None:
    """What comes once the question was repeated and answered is thrown away, also where the bit is the same again."""
    link, _ = await linked(REPLY_S + 0.25, 0.0, 0.0, 0.1)

    assert [(await link.poll(POLL)).data for _ in range(3)] == [b"\x02", b"\x03", b"\x04"]


async def test_a_question_that_need_not_be_known_is_given_up_soon() -> None:
    """A device may be silent about what it does not know; only polls are asked for long."""
    link, device = await linked(*[None] * (2 * FIRST_ATTEMPTS + ATTEMPTS))

    assert await link.auxiliary(Auxiliary.VARIANT_NAME) is None
    assert await link.extended(Extended.NOTE, POLL) is None
    assert link.heard == []
    with pytest.raises(NoReplyError):
        await link.poll(POLL)
    assert {request.head & ACK_BIT for request in device.requests} == {0}


async def test_extended_answers_are_kept_for_their_events() -> None:
    """They bear the device's state as polls do."""
    link, _ = await linked()

    answer = await link.extended(Extended.NOTE, POLL)

    assert answer is not None
    assert link.heard == [answer]
