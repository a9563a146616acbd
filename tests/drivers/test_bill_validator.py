import asyncio
import itertools

import pytest

from drivers.capabilities import Verdict
from drivers.errors import DriverError, IdentityError, NoReplyError, WireError
from drivers.simulated.id003 import bill_validator as simulated
from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.id003.frames import ENQ, Command, Frame, Status, encode
from tests.rigs.bill_rig import NOTE, Rig, check_accounted, run_rig, until_stacking

"""Why a note that an earlier conversation left without a word is released, where there is one."""


async def test_a_note_is_credited_once_and_acknowledged_after_that() -> None:
    """Escrow, credit, acknowledgement, in this order and once; the note ends in the cash box."""

    async def scene(rig: Rig) -> None:
        rig.device.insert(NOTE)
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.calls == [
        "acknowledged",
        "never ordered",
        "escrow 2000",
        "dialogue id003",
        "stacked",
        "acknowledged",
    ]
    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


async def test_the_device_gets_its_ack_only_after_the_commit() -> None:
    """While the credit is not durable the validator stays at vend valid (invariant 3)."""

    async def scene(rig: Rig) -> None:
        async def slow(_number: int, when: str) -> None:
            if rig.books.calls[-1] == "stacked" and when == "before":
                await asyncio.sleep(5)
                assert rig.device.status is Status.VEND_VALID

        rig.books.at_call = slow
        rig.device.insert(NOTE)
        await rig.settle()

    rig = await run_rig(scene)

    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


async def test_notes_one_after_another() -> None:
    """Two notes of the same value are two credits."""

    async def scene(rig: Rig) -> None:
        for _ in range(2):
            rig.device.insert(NOTE)
            await rig.settle(3)

    rig = await run_rig(scene)

    assert (rig.books.credit_cents, rig.stacked) == (2 * NOTE, [NOTE, NOTE])


@pytest.mark.parametrize("habits", [None, Habits(silence_s=1e9)])
async def test_a_verdict_that_takes_long(habits: Habits | None) -> None:
    """HOLD keeps the note beyond the escrow time-out of 10 s until the listener has decided."""

    async def scene(rig: Rig) -> None:
        rig.books.verdict_after_s = 25
        rig.device.insert(NOTE)
        await rig.settle(40)

    rig = await run_rig(scene, habits)

    check_accounted(rig)
    assert rig.books.credit_cents == NOTE


async def test_a_note_that_leaves_while_its_verdict_is_awaited() -> None:
    """A note whose power is cut before the verdict is not stacked when the verdict comes, and is certainly returned."""

    async def scene(rig: Rig) -> None:
        rig.books.verdict_after_s = 6
        rig.device.insert(NOTE)
        await rig.settle(2)
        rig.device.power(on=False)
        await rig.settle(1)
        rig.device.power(on=True)
        await rig.settle()

    rig = await run_rig(scene)

    assert (rig.returned, rig.books.credit_cents) == ([NOTE], 0)
    check_accounted(rig)


async def test_a_verdict_that_comes_too_late_is_not_carried_out() -> None:
    """A note that went back while its verdict was awaited was never ordered to be stacked: returned, no open item."""

    async def scene(rig: Rig) -> None:
        rig.books.verdict_after_s = 6
        rig.device.insert(NOTE)
        await rig.settle(2)
        rig.device._reject()
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.reasons == ["it left the escrow, and was never ordered to be stacked"]
    check_accounted(rig)


async def test_a_refused_note_is_returned() -> None:
    """RETURN gives the note back without credit, and the reason says so."""

    async def scene(rig: Rig) -> None:
        rig.books.verdict = Verdict.RETURN
        rig.device.insert(NOTE)
        await rig.settle()

    rig = await run_rig(scene)

    assert (rig.returned, rig.books.reasons) == ([NOTE], ["it was not taken"])
    check_accounted(rig)


async def test_every_two_frames_to_the_device_are_a_poll_apart() -> None:
    """Commands squeezed between polls upset real devices: each frame keeps 100 ms from the exchange before it."""

    async def scene(rig: Rig) -> None:
        rig.device.insert(NOTE)
        await rig.settle(3)

    times = (await run_rig(scene)).port.written_at
    gaps = [round(later - earlier, 3) for earlier, later in itertools.pairwise(times)]

    assert len(gaps) > 50
    assert set(gaps) == {0.1}


async def test_only_the_accepted_notes_are_taken() -> None:
    """A note that is not accepted is rejected by the device itself; the others still pass."""

    async def scene(rig: Rig) -> None:
        assert rig.driver is not None
        rig.driver.accept(frozenset({500, 1000}))
        await rig.settle(2)
        rig.device.insert(NOTE)
        await rig.settle(3)
        rig.device.insert(500)
        await rig.settle(3)

    rig = await run_rig(scene)

    assert (rig.returned, rig.stacked, rig.books.credit_cents) == ([NOTE], [500], 500)
    assert rig.books.reasons == ["the validator rejected it: such notes are not taken now"]


async def test_disabling_does_not_touch_the_note_inside() -> None:
    """With a note in escrow the listener decides; the device is inhibited once it rests, and enabled again."""

    async def scene(rig: Rig) -> None:
        assert rig.driver is not None
        rig.device.insert(NOTE)
        await rig.settle(0.5)
        rig.driver.accept(frozenset())
        await rig.settle(5)
        rig.device.insert(500)
        assert rig.returned == [500]
        rig.driver.accept(frozenset({500}))
        await rig.settle(2)
        assert rig.device.status is Status.IDLE

    rig = await run_rig(scene)

    assert rig.books.credit_cents == NOTE


async def test_an_unseen_reset_is_set_up_again() -> None:
    """A validator that rests disabled against its inhibits gets them again."""

    async def scene(rig: Rig) -> None:
        rig.device._settings.keep(Command.SET_INHIBIT, b"\x01")
        rig.device._rest()
        await rig.settle(3)
        assert rig.device.status is Status.IDLE

    await run_rig(scene)


async def test_unsolicited_enquiries_are_survived() -> None:
    """A device in interrupt mode that sends ENQ whenever it likes still has its note credited once."""

    async def scene(rig: Rig) -> None:
        rig.device._settings.keep(Command.SET_MODE, b"\x01")
        rig.device.insert(NOTE)
        for _ in range(300):
            await rig.settle(0.013)
            rig.line.send(encode(ENQ))

    check_accounted(await run_rig(scene))


@pytest.mark.requirement("B2")
async def test_a_vend_valid_that_nobody_asked_for_is_an_open_item() -> None:
    """A credit message without an escrow credits nothing, and an attendant sees it."""

    async def scene(rig: Rig) -> None:
        rig.device._note_cents = NOTE
        rig.device._store()
        await rig.settle()

    rig = await run_rig(scene)

    assert (rig.books.credit_cents, rig.books.open_items[:1]) == (0, [None])


async def test_a_single_vend_valid_credits_nothing() -> None:
    """One forged or late vend valid between honest answers moves no money."""

    async def scene(rig: Rig) -> None:
        await until_stacking(rig)
        rig.device.status = Status.VEND_VALID
        await rig.settle(0.1)
        rig.device._go(Status.REJECTING, b"\x75", after=1.0, then=rig.device._given_back)
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.credit_cents == 0
    check_accounted(rig)


@pytest.mark.requirement("B1", "B2")
@pytest.mark.parametrize("tail", [b"\x63", b""], ids=["with code", "without"])
async def test_stacked_without_vend_valid(tail: bytes) -> None:
    """A device that skips vend valid: the note we saw in escrow and had stacked is credited, once."""

    async def scene(rig: Rig) -> None:
        await until_stacking(rig)
        rig.stacked.append(NOTE)
        rig.device._forget_note()
        rig.device._go(Status.STACKED, tail, after=0.5, then=rig.device._rest)
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.credit_cents == NOTE
    check_accounted(rig)


@pytest.mark.requirement("B2")
async def test_stacked_seen_first_credits_nothing() -> None:
    """A report "stacked" as the first thing a new driver hears closes the books' open note as unknown."""

    async def scene(rig: Rig) -> None:
        await until_stacking(rig)
        await rig.kill()
        rig.device._forget_note()
        rig.stacked.append(NOTE)
        rig.device._go(Status.STACKED, after=2.0, then=rig.device._rest)
        rig.run()
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.open_items == [NOTE]
    check_accounted(rig, open_items_allowed=True)


async def test_a_rejection_that_leaves_the_stacker_possible_is_no_return() -> None:
    """Reject 7C after the stack command does not say where the note is: an open item."""

    async def scene(rig: Rig) -> None:
        await until_stacking(rig)
        rig.device._go(Status.REJECTING, b"\x7c", after=1.0, then=rig.device._given_back)
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.open_items == [NOTE]


async def test_a_rejection_while_stacking_is_a_return() -> None:
    """The device says that it gives the note back: no credit, no open item, the reason in words."""

    async def scene(rig: Rig) -> None:
        await until_stacking(rig)
        rig.device._go(Status.REJECTING, b"\x75", after=1.0, then=rig.device._given_back)
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.reasons == ["the validator rejected it: it was not carried evenly"]
    check_accounted(rig)


@pytest.mark.parametrize("fault", sorted(set(simulated.FAULTS) - {"pause"}))
async def test_faults_come_and_go(fault: str) -> None:
    """Each fault is reported once it shows and cleared when it goes, without a note and without a restart."""

    async def scene(rig: Rig) -> None:
        rig.device.set_fault(fault, on=True)
        await rig.settle(1)
        detail = "the stacker motor has failed" if fault == "failure" else ""
        assert rig.books.faults == {fault: detail}
        rig.device.set_fault(fault, on=False)
        await rig.settle(1)
        assert rig.books.faults == {}
        assert rig.device.status is Status.IDLE

    assert (await run_rig(scene)).deaths == []


async def test_a_rejection_right_after_a_credit_is_another_notes() -> None:
    """Where the polls missed that the device rested in between, the credited note is not taken for the rejected one."""

    async def scene(rig: Rig) -> None:
        rig.device.insert(NOTE)
        while rig.device.status is not Status.STACKED:
            await rig.settle(0.01)
        rig.device._note_cents = 500
        rig.device._reject()
        await rig.settle()

    rig = await run_rig(scene)

    assert rig.books.calls[-3:] == ["stacked", "acknowledged", "returned"]
    assert (rig.books.credit_cents, rig.books.open_items) == (NOTE, [])


async def test_a_pause_is_no_fault() -> None:
    """A second note held against the mouth is nobody's fault."""

    async def scene(rig: Rig) -> None:
        rig.device.set_fault("pause", on=True)
        await rig.settle(1)
        assert rig.books.faults == {}

    await run_rig(scene)


async def test_a_silent_device_is_reported_and_found_again() -> None:
    """No answer for some seconds is a fault and ends the driver's run; its return clears the fault."""

    async def scene(rig: Rig) -> None:
        rig.device.power(on=False)
        await rig.settle(10)
        assert "check its power and its cable" in rig.books.faults["no_reply"]
        assert {type(death) for death in rig.deaths} == {NoReplyError}
        rig.device.power(on=True)
        await rig.settle(10)
        assert (rig.books.faults, rig.device.status) == ({}, Status.IDLE)

    await run_rig(scene)


class Odd(simulated.SimulatedBillValidator):
    """A device that answers the questions of the set-up in its own way."""

    answers: dict[int, Frame]

    def _answer_request(self, code: int) -> None:
        if code in self.answers:
            self._send(self.answers[code].code, self.answers[code].data)
        else:
            super()._answer_request(code)


@pytest.mark.parametrize(
    ("command", "answer", "words"),
    [
        (Command.GET_CURRENCIES, Frame(0x8A, bytes.fromhex("61E00109")), "exponent 9"),
        (Command.GET_VERSION, Frame(Status.INVALID_COMMAND), "knows no command for its version"),
    ],
)
async def test_another_device_is_refused(command: Command, answer: Frame, words: str) -> None:
    """What cannot be our validator is reported as the wrong device, with what is wrong about it."""
    rig = Rig()
    odd = Odd(returned=rig.returned.append, stacked=rig.stacked.append)
    odd.answers = {command: answer}
    rig.line.device = rig.device = odd
    odd.connect(rig.line)
    await rig.start()
    assert words in rig.books.faults["wrong_device"]
    assert {type(death) for death in rig.deaths} == {IdentityError}
    odd.answers = {}
    await rig.settle(10)
    assert (rig.books.faults, odd.status) == ({}, Status.IDLE)
    await rig.end()


async def test_a_device_that_does_not_obey_the_inhibit_is_given_up() -> None:
    """A validator that cannot be inhibited is no validator to take money with."""

    class Deaf(simulated.SimulatedBillValidator):
        def _set(self, frame: Frame) -> None:
            if frame.code != Command.SET_INHIBIT:
                super()._set(frame)

    rig = Rig()
    rig.line.device = deaf = Deaf(returned=rig.returned.append, stacked=rig.stacked.append)
    deaf.connect(rig.line)
    rig.device = deaf
    await rig.start()
    await rig.end()

    assert {type(death) for death in rig.deaths} == {WireError}
    assert "does not echo setting C3" in str(rig.deaths[0])


async def test_an_unknown_note_or_ticket_is_given_back_unasked() -> None:
    """What is not in the currency table has no value: it goes back and the listener is not asked."""

    async def scene(rig: Rig) -> None:
        rig.device.insert(NOTE)
        rig.device._go(Status.ESCROW, b"\x6f" + b"123456789012345678")
        await rig.settle()

    rig = await run_rig(scene)

    assert (rig.returned, rig.stacked) == ([NOTE], [])
    assert [call for call in rig.books.calls if call.startswith("escrow")] == []


async def test_stop_releases_the_line() -> None:
    """After `stop`, which may come twice, the run ends and the port can be opened by another."""

    async def scene(rig: Rig) -> None:
        assert rig.driver is not None
        rig.down_s = 1000
        rig.driver.stop()
        rig.driver.stop()
        await rig.settle(1)
        assert isinstance(rig.deaths[-1], DriverError)
        await rig.line.port.open()

    await run_rig(scene)


@pytest.mark.requirement("P8")
async def test_a_failed_self_test_at_power_up_keeps_every_note_out() -> None:
    """A validator that fails after power-up is never enabled, tested anew every half minute, and comes back."""

    async def main() -> Rig:
        rig = Rig()
        rig.device.set_fault("failure", on=True)
        await rig.start()
        assert rig.books.faults == {"failure": "the stacker motor has failed"}
        for _ in range(20):
            await rig.settle(4)
            assert rig.device.status is not Status.IDLE
            rig.device.insert(NOTE)
        assert rig.returned == [NOTE] * 20
        rig.device.set_fault("failure", on=False)
        await rig.settle(10)
        assert (rig.books.faults, rig.device.status) == ({}, Status.IDLE)
        return await rig.end()

    assert (await main()).books.found == [simulated.VERSION.decode()]


@pytest.mark.parametrize("status", sorted(Status))
@pytest.mark.parametrize("data", [b"", b"\xa2", b"\x7f\x7f"], ids=["bare", "one byte", "two bytes"])
async def test_every_status_is_survived_at_any_time(status: Status, data: bytes) -> None:
    """Whatever a device shows for a while, with whatever data, moves no money, and it is served again afterwards."""

    async def scene(rig: Rig) -> None:
        rig.device._go(status, data, after=4.0, then=rig.device._rest)
        await rig.settle(30)
        rig.books.open_items.clear()
        assert (rig.books.credit_cents, rig.books.faults) == (0, {})
        rig.device.insert(NOTE)
        await rig.settle()

    rig = await run_rig(scene)

    assert (rig.books.credit_cents, rig.stacked) == (NOTE, [NOTE])
    # Escrow and rejecting mean nothing without their code: such a device counts as silent.
    assert bool(rig.deaths) == (not data and status in {Status.ESCROW, Status.REJECTING})
