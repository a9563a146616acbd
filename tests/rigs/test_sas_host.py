"""The SAS host itself: what it confirms, repeats, counts, measures and breaks, against a puppet of a machine."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.rigs import sas_frames
from tests.rigs.sas_aft import AftHost, NoAnswerError
from tests.rigs.sas_fields import FrameError
from tests.rigs.sas_host import Kind, SasHost, Timing, differences
from tests.rigs.sas_links import BitLink, PtyHostLink
from tests.rigs.sas_puppet import Puppet, PuppetLine, on_bits
from tests.rigs.sas_tally import Aft, Tally


def host_of(link: object) -> SasHost:
    """A host on that link, by the loop's time."""
    return SasHost(link, now=asyncio.get_running_loop().time)  # type: ignore[arg-type]


def fitted() -> tuple[SasHost, Puppet]:
    """A host and a puppet on a link with the wake-up bit."""
    link, puppet = on_bits()
    return host_of(link), puppet


async def test_exceptions_are_fetched_and_confirmed_once() -> None:
    """Each is counted as the host's next other poll confirms it, and the machine's queue is empty then."""
    host, puppet = fitted()
    puppet.queue.extend([0x11, 0x12, 0x11])
    assert await host.collect() == [0x11, 0x12, 0x11]
    assert dict(host.tally.confirmed) == {0x11: 2, 0x12: 1}
    assert not puppet.queue


async def test_the_same_poll_again_is_no_second_event() -> None:
    """A repeated general poll is answered by the same exception, which counts once."""
    host, puppet = fitted()
    puppet.queue.extend([0x11, 0x12])
    await host.confirm()
    first, second = await host.general_poll(), await host.repeat()
    assert (first.exception, second.exception, puppet.queue[0]) == (0x11, 0x11, 0x11)
    assert not host.tally.confirmed
    assert await host.collect() == [0x12]
    assert dict(host.tally.confirmed) == {0x11: 1, 0x12: 1}


async def test_a_long_poll_confirms_an_exception() -> None:
    """Any other poll does, and a line without a wake-up bit changes nothing of it."""
    line = PuppetLine()
    host, puppet = host_of(line.link), line.puppet
    puppet.queue.append(0x51)
    puppet.answers[0x1A] = lambda: sas_frames.answer(1, 0x1A, credits=12)
    await host.confirm()
    assert (await host.general_poll()).exception == 0x51
    done = await host._poll(sas_frames.request(1, 0x1A), 0x1A)
    assert (done.kind, host.tally.confirmed[0x51]) == (Kind.FRAME, 1)


async def test_an_unconfirmed_exception_is_not_counted_at_a_cut() -> None:
    """It must come again; one confirmed without a later answer is in doubt, one with a later answer is certain."""
    host, puppet = fitted()
    puppet.queue.extend([0x11, 0x12, 0x13])
    await host.next_exception()
    host.cut()
    puppet.lose_power()
    assert (sum(host.tally.confirmed.values()), sum(host.tally.doubtful.values())) == (0, 0)
    assert await host.next_exception() == 0x11
    assert await host.next_exception() == 0x12
    await host.confirm()
    host.cut()
    assert (host.tally.confirmed[0x11], host.tally.confirmed[0x12], host.tally.doubtful[0x12]) == (1, 0, 1)


async def test_an_event_in_real_time_delays_a_long_poll() -> None:
    """The event is kept with its data, confirmed, and the poll asked again."""
    host, puppet = fitted()
    puppet.real_time = True
    puppet.queue.extend([0x7B, 0x82])
    puppet.answers[0x1A] = lambda: sas_frames.answer(1, 0x1A, credits=12)
    assert await host.ask(0x1A) == {"credits": 12}
    assert [event.code for event in host.tally.events] == [0x7B, 0x82]
    assert dict(host.tally.confirmed) == {0x7B: 1, 0x82: 1}


async def test_a_broken_answer_is_asked_for_again() -> None:
    """The same poll goes out again, and the machine repeats the same bytes."""
    host, puppet = fitted()
    puppet.spoils = 2
    puppet.answers[0x11] = lambda: sas_frames.answer(1, 0x11, coin_in=77)
    assert await host.ask(0x11) == {"coin_in": 77}
    assert [done.kind for done in host.exchanges] == [Kind.BROKEN, Kind.BROKEN, Kind.FRAME]


async def test_a_busy_machine_is_asked_later() -> None:
    """Address and a zero without a CRC mean busy."""
    host, puppet = fitted()
    puppet.busy = 2
    assert await host.order(0x01) is True
    assert [done.kind for done in host.exchanges] == [Kind.BUSY, Kind.BUSY, Kind.ACK]


async def test_silence_is_an_answer_of_its_own() -> None:
    """A poll that the machine has not, another's address, a spoilt or cut frame: silence, which ends in time."""
    host, puppet = fitted()
    assert await host.ask(0x1F) is None
    puppet.answers[0x6F] = lambda **_: None
    with pytest.raises(FrameError):
        await host.read_meters([0x00])
    assert (await host.to_another(2, None)).kind is Kind.SILENCE
    assert host.silences == 3
    assert host._now() < 1002


async def test_what_an_order_gets_is_a_bare_address() -> None:
    """ACK and NACK are told apart by the top bit; a frame is neither."""
    host, puppet = fitted()
    puppet.answers[0x09] = lambda **_: b"\x81"
    assert await host.order(0x09, game=1, enabled=0) is False
    puppet.answers[0x08] = lambda **_: sas_frames.sealed(b"\x01\x08\x00")
    with pytest.raises(FrameError):
        await host.order(0x08, denominations=3, action=0)


async def test_meters_are_read_in_two_polls_by_turns() -> None:
    """More than fit one poll are asked with 6F and AF; unknown ones are None, and a meter that falls is noted."""
    host, puppet = fitted()
    figures = {code: code * 3 for code in range(14)}

    def meters(command: int) -> object:
        return lambda game, codes: sas_frames.answer(
            1, command, game=game, meters={code: figures.get(code) for code in codes}
        )

    puppet.answers |= {0x6F: meters(0x6F), 0xAF: meters(0xAF)}  # type: ignore[dict-item]
    assert await host.read_meters([*range(14), 0x99]) == {**figures, 0x99: None}
    assert [frame[1] for frame in puppet.heard if frame[0] == 1] == [0x6F, 0xAF]
    figures |= {0x05: 2, 0x0C: 0}
    await host.read_meters([0x05, 0x0C])
    assert host.tally.fallen == ["05 fell from 15 to 2"]


def test_a_meter_that_rolls_over_has_not_fallen() -> None:
    """Behind eight nines it begins again."""
    tally = Tally()
    tally.read({0: 99_999_990})
    tally.read({0: 10})
    assert not tally.fallen


async def test_latency_and_gaps_are_measured() -> None:
    """By the host's own clock: from the poll to the answer's first byte, and between its bytes."""
    host, puppet = fitted()
    puppet.after_s = 0.015
    await host.next_exception()
    assert host.latencies() == [pytest.approx(0.015)]
    assert host.exchanges[-1].longest_gap == 0.0


async def test_chirps_are_heard_while_nobody_polls() -> None:
    """The machine's own address, unasked, is a chirp; anything else is a stray byte."""
    link = BitLink(lambda _pairs: None)
    host = host_of(link)
    loop = asyncio.get_running_loop()
    for at in (5.0, 5.2, 5.4):
        loop.call_later(at, link.arrive, [(1, True)])
    loop.call_later(5.5, link.arrive, [(7, False)])
    assert await host.silence(6.0) == [pytest.approx(at) for at in (5.0, 5.2, 5.4)]
    assert host.strays == b"\x07"


async def test_a_wake_up_bit_in_an_answer_is_noted() -> None:
    """A machine sets it in chirps alone."""
    link = BitLink(lambda _pairs: asyncio.get_running_loop().call_later(0.001, link.arrive, [(0, True)]))  # type: ignore[arg-type, func-returns-value]
    host = host_of(link)
    await host.general_poll()
    assert len(host.wakes) == 1


async def test_garbage_takes_the_time_of_the_line() -> None:
    """Ten thousand bytes take 5.7 s at 19,200 baud; what the machine says to them is returned."""
    heard = bytearray()
    link = BitLink(lambda pairs: heard.extend(byte for byte, _ in pairs))
    host = host_of(link)
    before = host._now()
    assert await host.garbage(bytes(10_000)) == b""
    assert host._now() - before == pytest.approx(10_000 * 11 / 19_200, rel=0.05)
    assert len(heard) == 10_001  # with the poll of address 0 before them


async def test_faults_are_what_they_say() -> None:
    """A wrong CRC is one, a cut frame lacks its end, an unknown poll has a CRC where one is wanted."""
    sent: list[bytes] = []
    host = host_of(BitLink(lambda pairs: sent.append(bytes(byte for byte, _ in pairs))))
    await host.spoilt(0x01)
    await host.cut_short(3, 0x01)
    await host.unknown(0xC7)
    await host.unknown(0xC7, with_crc=False)
    await host.hesitant(0.02, 0x02)
    frames = [data for data in sent if data != b"\x80"]
    assert frames[0][:3] == bytes.fromhex("010151")
    assert frames[0][3] != 0x08
    assert frames[1] == bytes.fromhex("010151")
    assert (frames[2], frames[3]) == (sas_frames.sealed(b"\x01\xc7"), b"\x01\xc7")
    assert frames[4] + frames[5] == bytes.fromhex("0102CA3A")


async def test_a_pty_carries_polls_and_answers(tmp_path: Path) -> None:
    """A machine opens the host's path like a port; what nobody reads is thrown away on demand."""
    loop = asyncio.get_running_loop()
    link = PtyHostLink(tmp_path / "sas")
    host = host_of(link)
    machine = os.open(tmp_path / "sas", os.O_RDWR | os.O_NOCTTY)
    loop.add_reader(machine, lambda: os.write(machine, b"\x11" if os.read(machine, 64)[-1] == 0x81 else b""))
    loop.in_flight = lambda: True  # type: ignore[attr-defined] # the kernel gets real time to carry it
    try:
        assert await host.next_exception() == 0x11
        loop.remove_reader(machine)
        link.send(b"\x80" * 9)
        link.forget()
        os.set_blocking(machine, False)
        with pytest.raises(BlockingIOError):
            os.read(machine, 9)
    finally:
        loop.remove_reader(machine)
        os.close(machine)
        link.close()


def completed(status: int, cents: int, transaction: str) -> bytes:
    """A machine's full answer 72."""
    return sas_frames.answer(
        1, 0x72, position=0, status=status, receipt=0xFF, type=0, cashable=cents, restricted=0, nonrestricted=0,
        flags=0, asset=5, id=transaction, date=7122020, time=21501, expiration=0, pool=b"\0\0", total_cashable=cents,
        total_restricted=0, total_nonrestricted=0,
    )  # fmt: skip


async def test_a_transfer_is_booked_once_however_often_it_is_heard() -> None:
    """Pending, then final, then repeated by the closing poll: the host's books move by its amount once."""
    host, puppet = fitted()
    states = [Aft.PENDING, Aft.PENDING, Aft.FULL, Aft.FULL]
    puppet.answers[0x72] = lambda **_: completed(states.pop(0), 500, "A1")
    transfer = await AftHost(host, asset=5).transfer("A1", 0x00, 500)
    assert (transfer.status, transfer.ends, host.tally.to_machine_cents, host.tally.to_host_cents) == (0, 1, 500, 0)
    sent = [sas_frames.read_request(frame).values for frame in puppet.heard if frame[:2] == b"\x01\x72"]
    assert [one["code"] for one in sent] == [0x00, 0xFE, 0xFE, 0xFF]


async def test_a_refused_transfer_moves_nothing() -> None:
    """The short answer with a status is the end of it."""
    host, puppet = fitted()
    puppet.answers[0x72] = lambda **_: sas_frames.answer(1, 0x72, position=0, status=Aft.NOT_NOW)
    transfer = await AftHost(host, asset=5).transfer("A1", 0x00, 500)
    assert (transfer.status, transfer.moved_cents) == (Aft.NOT_NOW, 0)


async def test_a_transfer_cut_off_is_asked_for_again() -> None:
    """What the machine has logged is booked, what it never had is not."""
    host, puppet = fitted()
    aft = AftHost(host, asset=5)
    puppet.answers[0x72] = lambda **_: None
    for transaction in ("A1", "A2"):
        with pytest.raises(NoAnswerError):
            await aft.start(transaction, 0x00, 300)
    puppet.answers[0x72] = lambda **_: completed(Aft.FULL, 300, "A1")
    await aft.recover()
    assert host.tally.to_machine_cents == 300
    assert host.tally.transfers["A2"].status == Aft.NO_INFORMATION


async def test_what_runs_polls_for_ever() -> None:
    """Each exception is handed on as it is fetched."""
    host, puppet = fitted()
    seen: list[int] = []

    async def take(code: int) -> None:
        seen.append(code)

    puppet.queue.extend([0x11, 0x12])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(host.run(0.2, take), 2.0)
    assert seen == [0x11, 0x12]


def test_readings_of_the_same_figure_are_compared() -> None:
    """Only what both have."""
    assert differences({"won": 1, "lost": 2}, {"won": 3, "games": 4}) == {"won": (1, 3)}


def test_the_host_waits_as_the_pages_say() -> None:
    """Its patience is longer than the machine's 20 ms and 5 ms."""
    timing = Timing()
    assert timing.answer > 0.02
    assert timing.gap > 0.005
