"""What happens at the cabinet reaches its host as exceptions, each until it is acknowledged."""

import asyncio
from pathlib import Path

from controller.faults import DOOR_CLOSED, DOOR_OPEN, POWER_RESET, known_faults, sas_exception
from controller.journal.event_catalogue import Event
from controller.journal.faults import fault_over, raise_fault
from drivers.sas import frames
from drivers.wiring import DOORS
from tests.rigs.hosted import ALL, GENERAL, HostedRig
from tests.rigs.machine import PlainHopper, Rig
from tests.rigs.sas_answers import read_event

REPORTED = sorted(
    (code, place)
    for code, fault in known_faults().items()
    for place in (fault.sas_at or {"hopper": None})
    if sas_exception(code, place) is not None and code not in {DOOR_OPEN, DOOR_CLOSED, POWER_RESET}
)
"""Every fault that has an exception, with each place that has one of its own."""


async def test_every_fault_is_reported_as_its_table_says(tmp_path: Path) -> None:
    """One exception for each fault, when it is raised and not when it is repeated."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        for code, place in REPORTED:
            for _ in range(2):
                await rig.journal.do(lambda tx: raise_fault(tx, code, place))  # noqa: B023 - run at once
            assert await rig.sas.exceptions() == [sas_exception(code, place)], (code, place)


async def test_a_cash_box_that_is_back_is_reported(tmp_path: Path) -> None:
    """1B when it is taken out, 1C when it is in again."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        await rig.journal.do(lambda tx: raise_fault(tx, "stacker_open", "bill_validator"))
        assert await rig.sas.exceptions() == [0x1B]
        await rig.journal.do(lambda tx: fault_over(tx, "stacker_open", "bill_validator"))
        assert await rig.sas.exceptions() == [0x1C]


async def test_books_that_begin_anew_are_reported_once(tmp_path: Path) -> None:
    """7A at the first start after a full clear, a restored backup or a rebuilding, whose meters do not go on."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        words = {"who": "technician", "reason": "a test", "generation": 2, "row": 1}
        await rig.journal.do(lambda tx: tx.event(Event.FULL_CLEAR, **words))
        await rig.restart(until="attract")
        assert sorted(await rig.sas.exceptions()) == [0x17, 0x7A]
        await rig.restart(until="attract")
        assert await rig.sas.exceptions() == [0x17]


async def test_doors_are_reported_opened_and_closed(tmp_path: Path) -> None:
    """Each door, in the order of what happened."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        for door in DOORS:
            await rig.door(is_open=True, name=door)
            await rig.door(is_open=False, name=door)
        assert await rig.sas.exceptions() == [0x11, 0x12, 0x19, 0x1A, 0x15, 0x16, 0x1D, 0x1E, 0x1D, 0x1E]


async def test_a_game_and_a_note_are_reported(tmp_path: Path) -> None:
    """The note by its value, the chosen game, and each game's start and end."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        await rig.game(2000)
        assert await rig.sas.exceptions() == [0x4A, 0x8C]
        await rig.press("spin")
        await rig.until("idle")
        assert await rig.sas.exceptions() == [0x7E, 0x7F]


async def test_in_real_time_exceptions_carry_their_data(tmp_path: Path) -> None:
    """The note with country, code and count; a game's end with its win. Its start has no public form."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x0E, b"\x01") == b"\x01"
        while (event := await polled(rig)).code:
            pass
        await rig.game(2000)
        event = await polled(rig)
        assert (event.code, event.data.hex()) == (0x4F, "390400000001")
        event = await polled(rig)
        assert (event.code, event.data.hex()) == (0x8C, "0001")
        await rig.press("spin")
        await rig.until("idle")
        event = await polled(rig)
        ((win,),) = await rig.rows("SELECT win_cents FROM rounds")
        assert (event.code, int(event.data.hex())) == (0x7F, win)
        assert (await polled(rig)).code == 0
        assert await rig.sas.ask(0x0E, b"\x00") == b"\x01"
        assert await rig.sas.poll() == 0


async def polled(rig: HostedRig) -> frames.Event:
    """Return the event that a general poll gets in real time."""
    await rig.line.ask(ALL)
    return read_event(await rig.line.ask(GENERAL))


async def test_a_hand_pay_is_reported_from_the_button_to_the_key(tmp_path: Path) -> None:
    """The button, that it is pending, and its reset; 1B has the amount meanwhile."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.sas.exceptions()
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.exceptions() == [0x66, 0x51]
        assert (await rig.sas.ask(0x1B))[2:7].hex() == "0000002000"
        await rig.turn_key("attendant")
        await rig.until_true(lambda: rig.credit == 0)
        assert await rig.sas.exceptions() == [0x52]
        assert (await rig.sas.ask(0x1B))[2:7].hex() == "0000000000"


async def test_a_payout_of_the_hopper_is_reported_by_its_button_alone(tmp_path: Path) -> None:
    """Coins have no exception of their own."""
    async with HostedRig(tmp_path, hopper=PlainHopper()) as rig:
        await rig.game(500)
        await rig.sas.exceptions()
        await rig.press("collect")
        await rig.until_true(lambda: rig.credit == 0)
        assert await rig.sas.exceptions() == [0x66]


async def test_menus_and_calls_are_reported(tmp_path: Path) -> None:
    """The attendant's menu opened and left, and the lamp of a player's call."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        await rig.press("service", 1.0)
        await rig.press("service", 1.0)
        assert await rig.sas.exceptions() == [0x71, 0x72]


async def test_exceptions_outlast_a_power_cut_and_are_never_sent_again(tmp_path: Path) -> None:
    """What the host has not acknowledged waits over the cut, behind it the power's own; what it has is gone."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.exceptions()
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        await rig.line.ask(ALL)
        assert await rig.line.ask(GENERAL) == b"\x11"
        await rig.restart(until="attract")
        assert await rig.sas.exceptions() == [0x11, 0x12, 0x17]
        await rig.restart(until="attract")
        assert await rig.sas.exceptions() == [0x17]


async def test_a_cabinet_without_a_host_port_keeps_no_queue(tmp_path: Path) -> None:
    """Nothing is written for a host that does not exist, and what waited for one is forgotten at the next start."""
    async with HostedRig(tmp_path) as rig:
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        assert await rig.rows("SELECT count(*) FROM host_exceptions") != [(0,)]
    async with Rig(tmp_path) as plain:
        before = await plain.rows("SELECT count(*) FROM host_exceptions")
        await plain.door(is_open=True, name="logic")
        assert await plain.rows("SELECT count(*) FROM host_exceptions") == before


async def test_the_link_is_an_event(tmp_path: Path) -> None:
    """A host that polls, and one that is gone, are in the log."""
    async with HostedRig(tmp_path) as rig:
        await rig.sas.poll()
        await asyncio.sleep(7.0)
        assert await rig.events("host_link") == [
            "The host at host port polls this machine",
            "The host at host port is gone: nothing is polled any more",
        ]
