"""Coins that an acceptor may have taken and forgotten: what is recorded of them, and who may decide."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from controller.errors import LockingError
from controller.journal.actor import Actor, Role
from controller.journal.errors import RefusedError
from controller.journal.event_catalogue import Event
from controller.journal.open_items import OpenItem, Resolution, add_item, open_items
from controller.service.attendant import PAGES
from controller.service.page import Line, MenuTransaction, Submission
from tests.rigs.virtual_cabinet import VirtualCabinet

READY_S = 8.0
DEAREST = 200


async def play(folder: Path, scene: Callable[[VirtualCabinet], Awaitable[None]]) -> None:
    cabinet = VirtualCabinet(folder)
    await cabinet.start()
    await asyncio.sleep(READY_S)
    await scene(cabinet)
    await cabinet.kill()


async def items(cabinet: VirtualCabinet) -> list[OpenItem]:
    assert cabinet.supervisor is not None
    return await cabinet.supervisor.journal.do(open_items)


async def coins(cabinet: VirtualCabinet, value_cents: int, count: int, *, taken: bool) -> None:
    """Put coins in, five a second."""
    for _ in range(count):
        assert cabinet.coins.insert(value_cents) is taken
        await asyncio.sleep(0.2)


async def dark(cabinet: VirtualCabinet) -> None:
    """Six coins are put into an acceptor that has its power again and that nobody has enabled."""
    cabinet.coins.power(on=False)
    await asyncio.sleep(3.0)
    cabinet.coins.power(on=True)
    for _ in range(6):
        assert not cabinet.coins.insert(200)
    await asyncio.sleep(READY_S)


async def test_coins_given_back_by_a_dark_acceptor_are_no_lost_events(tmp_path: Path) -> None:
    """Its counter began again. In doubt is what it took since its last answer: one item, however often it happens."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 8, taken=True)
        for _ in range(3):
            await dark(cabinet)
            (item,) = await items(cabinet)
            assert (item.kind, item.least_cents) == ("coins_forgotten", 0)
            assert "buffer code 2, code 2, code 2, code 2, code 2" in item.text
        assert cabinet.credit == 800
        assert cabinet.returned_cents == 3 * 6 * 200
        assert cabinet.coins.insert(50)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 850

    await play(tmp_path, scene)


async def test_after_a_loss_of_power_nobody_knows_what_an_enabled_acceptor_took(tmp_path: Path) -> None:
    """The program may have been dead for long before: one item, however often it happens."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 8, taken=True)
        for given_back in (6, 9, 6):
            await cabinet.crash()
            cabinet.mains(on=False)
            await asyncio.sleep(3.0)
            cabinet.mains(on=True)
            for _ in range(given_back):
                assert not cabinet.coins.insert(200)
            await cabinet.start()
            await asyncio.sleep(READY_S)
            (item,) = await items(cabinet)
            assert (item.kind, item.least_cents, item.amount_cents) == ("coins_forgotten", 0, None)
        assert cabinet.credit == 800
        assert cabinet.coins.insert(50)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 850

    await play(tmp_path, scene)


async def test_coins_into_a_cabinet_whose_program_is_dead_are_an_item_after_the_mains_fail(tmp_path: Path) -> None:
    """They are in the box, and the acceptor has forgotten them."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await cabinet.crash()
        await coins(cabinet, 200, 8, taken=True)
        cabinet.mains(on=False)
        cabinet.mains(on=True)
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert cabinet.credit == 0
        (item,) = await items(cabinet)
        assert (item.kind, item.amount_cents) == ("coins_forgotten", None)

    await play(tmp_path, scene)


@pytest.mark.parametrize("ending", ["crash", "lock", "mains"])
async def test_an_inhibited_acceptor_that_gave_coins_back_forgot_none(tmp_path: Path, ending: str) -> None:
    """A door was open, or the books had locked: five coins and more came back, whatever ended the program."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 3, taken=True)
        assert cabinet.supervisor is not None
        if ending == "lock":
            cabinet.supervisor.machine.parts.journal.lock_up(LockingError("the disk failed"))
        else:
            cabinet.door("main", is_open=True)
        await asyncio.sleep(3.0)
        await coins(cabinet, 200, 3, taken=False)
        await cabinet.crash()
        await coins(cabinet, 200, 6, taken=False)
        if ending == "mains":
            cabinet.mains(on=False)
            cabinet.mains(on=True)
            await coins(cabinet, 200, 6, taken=False)
        cabinet.door("main", is_open=False)
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert await items(cabinet) == []
        assert cabinet.credit == 300

    await play(tmp_path, scene)


@pytest.mark.parametrize("starts_normal", [False, True])
@pytest.mark.parametrize("before", [0, 1, 8])
async def test_a_coin_followed_at_once_by_a_reset_is_an_item(
    before: int, *, starts_normal: bool, tmp_path: Path
) -> None:
    """The acceptor forgets it before it is read, the first coin of its life too; the item's bounds hold its value.

    So does one whose master inhibit is in normal operation after a reset, which shows in the coins' inhibits alone.
    """

    async def scene(cabinet: VirtualCabinet) -> None:
        cabinet.coins.starts_normal = starts_normal
        await coins(cabinet, 100, before, taken=True)
        assert cabinet.coins.insert(DEAREST)
        cabinet.coins.power(on=False)
        cabinet.coins.power(on=True)
        await asyncio.sleep(READY_S)
        assert cabinet.credit == 100 * before
        (item,) = await items(cabinet)
        assert (item.kind, item.proved, item.least_cents) == ("coins_forgotten", False, 0)
        assert item.amount_cents is not None
        assert DEAREST <= item.amount_cents <= 4 * DEAREST
        assert cabinet.coins.insert(50)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 100 * before + 50

    await play(tmp_path, scene)


async def test_an_inhibited_acceptor_forgets_no_coin(tmp_path: Path) -> None:
    """While a door is open no coin is taken: a technician may switch the acceptor off and on."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 3, taken=True)
        cabinet.door("main", is_open=True)
        await asyncio.sleep(3.0)
        await dark(cabinet)
        assert await items(cabinet) == []
        cabinet.door("main", is_open=False)
        await asyncio.sleep(READY_S)
        assert cabinet.coins.insert(50)
        await asyncio.sleep(1.0)
        assert cabinet.credit == 350

    await play(tmp_path, scene)


async def test_an_acceptor_left_at_rest_forgets_no_coin(tmp_path: Path) -> None:
    """After a stop in order it is inhibited: switched off and on before the next start, it has lost nothing."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 3, taken=True)
        assert cabinet.supervisor is not None
        await cabinet.stop()
        cabinet.coins.power(on=False)
        cabinet.coins.power(on=True)
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert await items(cabinet) == []
        await coins(cabinet, 100, 1, taken=True)
        await asyncio.sleep(1.0)
        await cabinet.crash()
        cabinet.coins.power(on=False)
        cabinet.coins.power(on=True)
        await cabinet.start()
        await asyncio.sleep(READY_S)
        (item,) = await items(cabinet)
        assert (item.kind, item.least_cents) == ("coins_forgotten", 0)
        assert item.amount_cents is not None
        assert item.amount_cents <= 3 * DEAREST

    await play(tmp_path, scene)


async def test_twelve_lost_coins_read_as_twelve(tmp_path: Path) -> None:
    """Seventeen coins while the supervisor was down: five are read, twelve were lost, and each may be the dearest."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 115, taken=True)
        await cabinet.crash()
        for _ in range(17):
            assert cabinet.coins.insert(50)
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert cabinet.credit == 11_500 + 5 * 50
        (item,) = await items(cabinet)
        assert (item.kind, item.least_cents, item.amount_cents) == ("coins_lost", 0, 12 * DEAREST)
        assert item.text.startswith("Events that the coin acceptor lost, perhaps coins: 12, ")
        assert "counter 115 to 132, buffer 0.50, 0.50, 0.50, 0.50, 0.50, before it 1.00, 1.00" in item.text

    await play(tmp_path, scene)


@pytest.mark.parametrize(("unread_s", "most_cents"), [(45.0, 12 * DEAREST), (56.0, None)])
async def test_lost_coins_have_no_bound_once_the_counter_may_have_wrapped(
    tmp_path: Path, unread_s: float, most_cents: int | None
) -> None:
    """At five coins a second 255 events take 51 s: after that, twelve may be 267 (protocols.md, 1, request 229)."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 30, taken=True)
        cabinet.lines["coin"].unplug()
        await asyncio.sleep(unread_s - 17 * 0.2)
        await coins(cabinet, 50, 17, taken=True)
        cabinet.lines["coin"].plug()
        await asyncio.sleep(READY_S)
        (item,) = await items(cabinet)
        assert (item.kind, item.least_cents, item.amount_cents) == ("coins_lost", 0, most_cents)
        assert item.text.startswith("Events that the coin acceptor lost, perhaps coins: 12, ")

    await play(tmp_path, scene)


@pytest.mark.parametrize(
    ("kind", "most_cents", "words"),
    [
        *((kind, None, "Nobody knows this amount") for kind in ("payout_undecided", "hopper_recount", "coins_lost")),
        ("coins_lost", 400, "This amount is not proved"),
        ("note_unexpected", 2000, "This amount is not proved"),
    ],
)
async def test_no_way_of_an_unproved_item_is_the_attendants(
    tmp_path: Path, kind: str, most_cents: int | None, words: str
) -> None:
    """Coins that left the hopper included, where the ways book nothing; what is said fits what is known."""

    async def scene(cabinet: VirtualCabinet) -> None:
        assert cabinet.supervisor is not None
        journal, machine = cabinet.supervisor.journal, cabinet.supervisor.service.machine
        await journal.do(lambda tx: add_item(tx, kind, most_cents, Event.NOTE_UNEXPECTED, least_cents=0))
        (read,) = (page.read for page in PAGES if page.code == "A.8")
        lines: list[Line] = list(await journal.do(lambda tx: read(tx, machine)))
        acts = [line.leads for line in lines if isinstance(line.leads, MenuTransaction)]
        assert len(acts) >= 2
        submission = Submission(Actor(Role.ATTENDANT), {"amount": "100", "reason": "found nothing"})
        for act in acts:
            with pytest.raises(RefusedError, match=f"{words}: the technician must decide"):
                await journal.do(lambda tx, act=act: act.do(tx, submission))
        assert len(await items(cabinet)) == 1

    await play(tmp_path, scene)


async def test_what_is_not_proved_takes_the_technician(tmp_path: Path) -> None:
    """The attendant's key books nothing of it, gives nothing back and voids nothing (A.8)."""

    async def scene(cabinet: VirtualCabinet) -> None:
        await coins(cabinet, 100, 1, taken=True)
        await cabinet.crash()
        for _ in range(7):
            assert cabinet.coins.insert(50)
        await cabinet.start()
        await asyncio.sleep(READY_S)
        assert cabinet.supervisor is not None
        journal, machine = cabinet.supervisor.journal, cabinet.supervisor.service.machine
        (read,) = (page.read for page in PAGES if page.code == "A.8")
        lines: list[Line] = list(await journal.do(lambda tx: read(tx, machine)))
        assert [(line.label, line.cents) for line in lines[1:3]] == [("At least", 0), ("At most", 2 * DEAREST)]
        acts = [line.leads for line in lines if isinstance(line.leads, MenuTransaction)]
        assert len(acts) == 3
        for act in acts:
            submission = Submission(Actor(Role.ATTENDANT), {"amount": "100", "reason": "found nothing"})
            with pytest.raises(RefusedError, match="technician"):
                await journal.do(lambda tx, act=act, submission=submission: act.do(tx, submission))
        assert len(await items(cabinet)) == 1
        technician = Submission(Actor(Role.TECHNICIAN), {"amount": "100", "reason": ""})
        await journal.do(lambda tx: acts[0].do(tx, technician))
        assert await items(cabinet) == []

    await play(tmp_path, scene)


def test_merged_is_nobodys_choice() -> None:
    """No kind of item offers it."""
    kinds = ("coins_lost", "coins_forgotten", "note_unknown", "payout_undecided", "hopper_recount")
    for kind in kinds:
        assert Resolution.MERGED not in OpenItem(1, 0, kind, 100, "").ways
