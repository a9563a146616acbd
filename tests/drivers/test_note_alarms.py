import asyncio
from typing import Any

import pytest

from drivers.capabilities import Verdict
from drivers.clock import LoopClock
from drivers.id003.protocol import FAILURES, REJECT_IN_STACKER, REJECT_REASONS
from drivers.note_alarms import Back, NoteAlarms
from drivers.ssp.rejects import REJECT_REASONS as SSP_REASONS
from drivers.ssp.rejects import last_reject
from drivers.wiring import BillValidator as Settings
from tests.rigs.bill_rig import ALL, NOTE, Books, DeviceRig
from tests.rigs.validator_rigs import EACH, EACH_WITH_REASONS, EACH_WITHOUT, MakeRig


async def push(rig: DeviceRig[Any], times: int, *, pull: bool = False) -> None:
    """Push a note in again and again, and draw it back out of escrow."""
    for _ in range(times):
        rig.device.insert(NOTE)
        for _ in range(60):
            await rig.settle(0.05)
            if rig.device.slot in {"escrow", "holding"}:
                break
        if pull:
            await rig.settle(0.5)
            rig.device.pull_back()
        await rig.settle(6)


@pytest.mark.requirement("D8")
@EACH
async def test_a_note_drawn_out_of_escrow_again_and_again_is_an_alarm(make: MakeRig) -> None:
    """Three notes drawn back out within two minutes raise `note_yoyo`, once; nothing of them is credited."""
    rig = make(None)
    rig.books.verdict_after_s = 1.5
    await rig.start()
    await push(rig, 2, pull=True)
    assert rig.books.raised == []
    await push(rig, 1, pull=True)
    assert rig.books.raised == ["note_yoyo"]
    await push(rig, 2, pull=True)
    assert rig.books.raised == ["note_yoyo"]
    await push(rig, 1, pull=True)
    assert rig.books.raised == ["note_yoyo", "note_yoyo"]
    await rig.end()

    assert (rig.returned, rig.stacked, rig.books.credit_cents, rig.books.open_items) == ([NOTE] * 6, [], 0, [])


@pytest.mark.requirement("D8")
@EACH_WITH_REASONS
async def test_many_rejects_are_an_alarm(make: MakeRig) -> None:
    """Ten notes in a row that are not recognised raise `notes_rejected`; each said why it came back."""
    rig = make(None)
    await rig.start()
    rig.device.unreadable = 10
    await push(rig, 9)
    assert rig.books.raised == []
    await push(rig, 1)
    assert rig.books.raised == ["notes_rejected"]
    await rig.end()

    assert (rig.returned, rig.books.credit_cents) == ([NOTE] * 10, 0)
    assert all("recognised" in reason for reason in rig.books.reasons[-9:])


@EACH_WITHOUT
async def test_without_a_reason_each_rejected_note_counts(make: MakeRig) -> None:
    """A protocol that does not say why a note was rejected cannot leave those out that are not taken."""
    rig = make(None)
    rig.configure(rejected_notes=3)
    rig.accepted = ALL - {NOTE}
    await rig.start()
    await push(rig, 2)
    assert rig.books.raised == []
    rig.device.unreadable = 1
    await push(rig, 1)
    await rig.end()

    assert (rig.returned, rig.books.raised, rig.books.credit_cents) == ([NOTE] * 3, ["notes_rejected"], 0)


@EACH_WITH_REASONS
async def test_notes_that_the_cabinet_does_not_want_are_no_alarm(make: MakeRig) -> None:
    """Notes of a kind that is not taken, and notes that the cabinet refuses, are nobody's fraud."""
    rig = make(None)
    rig.configure(rejected_notes=2, yoyo_notes=2)
    rig.accepted = ALL - {NOTE}
    await rig.start()
    await push(rig, 4)
    assert rig.driver is not None
    rig.driver.accept(ALL)
    rig.books.verdict = Verdict.RETURN
    await rig.settle(3)
    await push(rig, 4)
    await rig.end()

    assert (rig.returned, rig.books.raised) == ([NOTE] * 8, [])


@EACH
async def test_a_power_cut_draws_no_note_on_a_string(make: MakeRig) -> None:
    """A note that the device gives back because its power failed is no attempt to cheat."""
    rig = make(None)
    rig.configure(yoyo_notes=1, rejected_notes=1)
    rig.books.verdict_after_s = 1.5
    await rig.start()
    rig.device.insert(NOTE)
    await rig.settle(1.0)
    rig.device.power(on=False)
    rig.device.power(on=True)
    await rig.settle(40)
    await rig.end()

    assert (rig.returned, rig.books.raised) == ([NOTE], [])


@EACH
async def test_good_notes_between_bad_ones_are_credited(make: MakeRig) -> None:
    """Alarms count; they never touch what is credited."""
    rig = make(None)
    await rig.start()
    rig.device.unreadable = 2
    await push(rig, 4)
    await rig.end()

    assert (rig.stacked, rig.books.credit_cents, rig.books.raised) == ([NOTE] * 2, 2 * NOTE, [])


async def alarms_after(seconds: list[float], **settings: int) -> list[str]:
    """The alarms that rejects at these times raise."""
    books = Books()
    alarms = NoteAlarms(Settings(port="p", **settings), LoopClock(), books)  # type: ignore[arg-type]
    began = asyncio.get_running_loop().time()
    for at in seconds:
        await asyncio.sleep(began + at - asyncio.get_running_loop().time())
        await alarms.came_back(Back.REJECTED, from_escrow=False, reason="it was not recognised")
    assert books.faults == {}
    return books.raised


async def test_the_window_slides_and_a_limit_of_0_is_off() -> None:
    """As many as the limit within the window are an alarm; one more, spread wider, is none."""
    assert await alarms_after([0, 30, 60], rejected_notes=3, alarm_window_s=60) == ["notes_rejected"]
    assert await alarms_after([0, 31, 62, 93, 124], rejected_notes=3, alarm_window_s=60) == []
    assert await alarms_after([0, 61, 62, 63], rejected_notes=3, alarm_window_s=60) == ["notes_rejected"]
    assert await alarms_after([0, 1, 2, 3, 4], rejected_notes=0) == []


@pytest.mark.requirement("D10")
def test_each_reason_has_plain_words() -> None:
    """Every documented reject reason and failure is reported in words; an unknown one by its code."""
    assert len(REJECT_REASONS) == 22
    assert REJECT_IN_STACKER in REJECT_REASONS
    assert set(FAILURES) == {0xA2, 0xA5, 0xA6, 0xA7, 0xAB, 0xAC, 0xAD, 0xAF, 0xB0, 0xB1, 0xB2, 0xB3}
    for code, words in SSP_REASONS.items():
        assert last_reject(code)[1] == f"the validator rejected it: {words}"
    assert last_reject(0x0E)[0] is Back.PULLED
    assert last_reject(0x77) == (Back.REJECTED, "the validator rejected it: code 77")
    assert last_reject(None)[1] == "the validator rejected it and does not say why"
