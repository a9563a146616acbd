"""What befalls a note in the simulated ID-003 validator, by its status codes and by where the note lies."""

import pytest

from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.whereabouts import Spot
from tests.drivers.simulated.id003.bench import (
    ACK,
    IDLE,
    INITIALIZE,
    NOTE,
    POLL,
    RETURN,
    RETURNING,
    STACK_1,
    STACK_2,
    STACKED,
    STACKING,
    VEND_VALID,
    Bench,
)

RECOVERY = "C5 02 00"


async def bench(*settings: str, habits: Habits | None = None) -> Bench:
    """A validator that takes notes, with one in escrow."""
    device = Bench(habits)
    await device.open(*settings)
    return await device.escrow()


async def test_nothing_befalls_it_unasked() -> None:
    """Vend valid, stacked, at rest; returned on order."""
    host = await bench()
    assert host.lies() is Spot.PATH
    assert await host.follow(STACK_1) == [STACKING, VEND_VALID, STACKED, IDLE]
    assert host.lies() is Spot.CASH_BOX
    await host.escrow(2000)
    assert await host.follow(RETURN) == [RETURNING, IDLE]
    assert host.lies(2000) is Spot.RETURNED


@pytest.mark.parametrize("order", [STACK_1, STACK_2])
@pytest.mark.parametrize(
    ("mishap", "after", "spot"),
    [
        ("jam_on_the_way", [STACKING, "45"], Spot.PATH),
        ("jam_in_stacker", [STACKING, "46"], Spot.PATH),
        ("cassette_out_on_the_way", [STACKING, "44"], Spot.LOOSE),
        ("pulled_on_the_way", [STACKING, "48", IDLE], Spot.RETURNED),
        ("returned_in_spite", [RETURNING, IDLE], Spot.RETURNED),
        ("residual_note", ["17 7C", IDLE], Spot.RETURNED),
        ("end_unreported", [STACKING, IDLE], Spot.CASH_BOX),
        ("jam_after_credit", [STACKING, VEND_VALID, "46"], Spot.PATH),
        ("pulled_after_credit", [STACKING, VEND_VALID, STACKED, "48", IDLE], Spot.RETURNED),
    ],
)
async def test_what_befalls_a_note_after_the_order(mishap: str, after: list[str], spot: Spot, order: str) -> None:
    """The statuses that follow 41 or 42, and where the note really is."""
    host = await bench()
    host.device.mishaps.next(mishap)
    assert await host.follow(order) == after
    assert host.lies() is spot
    assert host.device.mishaps.happened == {mishap: 1}
    assert host.stacked == ([NOTE] if spot is Spot.CASH_BOX else [])
    assert host.returned == ([NOTE] if spot is Spot.RETURNED else [])


async def test_stacked_though_return_was_ordered() -> None:
    """43 is acknowledged, and vend valid follows."""
    host = await bench()
    host.device.mishaps.next("stacked_in_spite")
    assert await host.follow(RETURN) == [STACKING, VEND_VALID, STACKED, IDLE]
    assert host.lies() is Spot.CASH_BOX


@pytest.mark.parametrize(("mishap", "answer"), [("order_refused", "4A"), ("order_ignored", ACK)])
@pytest.mark.parametrize("order", [STACK_1, STACK_2, RETURN])
async def test_an_order_that_is_not_obeyed(order: str, mishap: str, answer: str) -> None:
    """Communication error, or even an acknowledgement: the note stays in escrow, and the next order is obeyed."""
    host = await bench()
    host.device.mishaps.next(mishap)
    assert await host.ask(order) == answer
    assert (await host.ask(POLL))[:2] == "13"
    assert (await host.follow(STACK_1))[-2:] == [STACKED, IDLE]


@pytest.mark.parametrize(
    ("then", "power_up", "after", "spot"),
    [
        ("", "42", [INITIALIZE, "46"], Spot.PATH),
        ("start_stacks", "42", [INITIALIZE, STACKING, VEND_VALID, STACKED, IDLE], Spot.CASH_BOX),
        ("start_returns", "42", [INITIALIZE, RETURNING, IDLE], Spot.RETURNED),
    ],
)
async def test_a_start_leaves_stacks_or_returns_what_is_jammed(
    then: str, power_up: str, after: list[str], spot: Spot
) -> None:
    """Power off and on: 42, and after the reset the jam again, vend valid (with power recovery) or returning."""
    host = await bench(RECOVERY)
    host.device.mishaps.next("jam_in_stacker")
    await host.follow(STACK_2)
    host.device.power(on=False)
    host.device.power(on=True)
    assert await host.ask(POLL) == power_up
    if then:
        host.device.mishaps.next(then)
    assert await host.ask("40") == ACK
    for setting in (RECOVERY, "C3 00"):
        assert await host.ask(setting) == setting
    assert await host.follow() == after
    assert host.lies() is spot


@pytest.mark.parametrize(
    ("hand", "spot"), [("jam_to_box", Spot.CASH_BOX), ("jam_to_mouth", Spot.RETURNED), ("jam_to_hand", Spot.TAKEN)]
)
@pytest.mark.parametrize("powered", [True, False])
async def test_a_jam_cleared_by_hand_leaves_no_trace(hand: str, spot: Spot, powered: bool) -> None:  # noqa: FBT001
    """With power the status goes from 46 to rest; without, the power-up is 40: nothing says where the note went."""
    host = await bench()
    host.device.mishaps.next("jam_in_stacker")
    await host.follow(STACK_2)
    host.device.power(on=powered)
    host.device.troubles()[hand](1)
    assert host.lies() is spot
    host.device.power(on=True)
    assert await host.ask(POLL) == (IDLE if powered else "40")
    await host.reset()
    for cents in (500, NOTE):
        await host.escrow(cents)
        assert (await host.follow(STACK_1))[-1] == IDLE


@pytest.mark.parametrize(("recovery", "after"), [("02", [VEND_VALID, STACKED, IDLE]), ("00", [IDLE])])
async def test_a_brown_out_after_the_end_was_reached(recovery: str, after: list[str]) -> None:
    """Its supply fails as vend valid begins: 42, and vend valid again only with the option "power recovery"."""
    option = f"C5 {recovery} 00"
    host = await bench(option)
    host.device.mishaps.next("reset_after_end")
    assert (await host.follow(STACK_2, seconds=1.0))[-1] == "42"
    assert host.lies() is Spot.CASH_BOX
    assert await host.ask("40") == ACK
    for setting in (option, "C3 00"):
        assert await host.ask(setting) == setting
    heard = await host.follow()
    assert heard[-len(after) :] == after
    assert host.stacked == [NOTE]


@pytest.mark.parametrize(
    ("then", "spot"), [("", Spot.RETURNED), ("start_stacks", Spot.CASH_BOX), ("start_returns", Spot.RETURNED)]
)
@pytest.mark.parametrize(("order", "power_up"), [("", "41"), (STACK_2, "41")])
async def test_a_cut_with_a_note_before_the_lever(order: str, power_up: str, then: str, spot: Spot) -> None:
    """41, bill in acceptor: returned or stacked after the reset, as the device does this time."""
    host = await bench()
    if order:
        assert await host.ask(order) == ACK
    host.device.power(on=False)
    assert host.lies() is Spot.PATH
    host.device.power(on=True)
    assert await host.ask(POLL) == power_up
    if then:
        host.device.mishaps.next(then)
    await host.ask("40")
    assert await host.ask("C3 00") == "C3 00"
    assert (await host.follow())[-1] == IDLE
    assert host.lies() is spot


async def test_another_note_comes_first_where_an_end_was_never_reported() -> None:
    """The device is at rest at once, for another note and for one of the same value."""
    host = await bench()
    host.device.mishaps.next("end_unreported", 2)
    await host.follow(STACK_1)
    for cents in (NOTE, 500):
        await host.escrow(cents)
        await host.follow(STACK_1)
    assert (host.stacked, host.returned) == ([NOTE, NOTE, 500], [])


async def test_not_recognised_by_chance_with_the_reason_that_is_set() -> None:
    """Rejecting with 73 (bills remain in the head) in place of 76."""
    host = Bench()
    await host.open()
    host.device.reject_code = 0x73
    host.device.mishaps.rate("unreadable", 1.0)
    assert await host.put_in(NOTE) == "17 73"
    assert await host.until(IDLE) == IDLE
    assert host.lies() is Spot.RETURNED


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("stacker_full", "43"),
        ("stacker_open", "44"),
        ("acceptor_jam", "45"),
        ("stacker_jam", "46"),
        ("pause", "47"),
        ("cheated", "48"),
        ("failure", "49 A2"),
    ],
)
async def test_a_lasting_fault(fault: str, status: str) -> None:
    """Its status as long as it lasts; meanwhile notes come back from the mouth."""
    host = Bench()
    await host.open()
    host.device.troubles()[fault](1)
    assert await host.ask(POLL) == status
    host.device.insert(NOTE)
    assert host.lies() is Spot.RETURNED
    host.device.troubles()[fault](0)
    assert await host.ask(POLL) == IDLE


@pytest.mark.parametrize("hand", ["pulled_back", "brown_out"])
async def test_a_note_in_escrow_and_a_hand_or_a_brown_out(hand: str) -> None:
    """Pulled back it is returned; after an instant without supply the device says 41."""
    host = await bench()
    host.device.troubles()[hand](1)
    assert await host.ask(POLL) == (RETURNING if hand == "pulled_back" else "41")
    if hand == "brown_out":
        await host.reset()
    await host.until(IDLE)
    assert host.lies() is Spot.RETURNED


async def test_another_device_in_its_place() -> None:
    """40, and it is at rest after a reset; what was inside is carried away."""
    host = await bench()
    host.device.troubles()["swapped"](1)
    assert await host.ask(POLL) == "40"
    await host.reset()
    assert host.lies() is Spot.TAKEN
