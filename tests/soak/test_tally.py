"""The soak's tally: a cent by which the books differ from the hand's tally is reported, once; nothing is guessed."""

import pytest

from controller.journal.open_items import OpenItem, Resolution
from tests.soak.tally import UNASKED_S, Devices, Tally, TallyError


def devices(**cents: int) -> Devices:
    """Devices that hold nothing but what is said; the hopper's coins were poured in."""
    return Devices(**{**dict.fromkeys(("stacked", "tray", "returned", "hopper", "poured", "overpaid"), 0), **cents})


def item(number: int, kind: str, cents: int | None) -> OpenItem:
    """An open item."""
    return OpenItem(number, 0, kind, cents, "what happened")


def test_books_that_agree_are_taken() -> None:
    """Notes and coins in their boxes, coins in the tray: every cent is where the books say."""
    tally = Tally()
    tally.notes_put = 2000
    tally.coin(1.0, 200, accepted=True)
    tally.coin(1.0, 100, accepted=False)
    meters = {"notes_in": 2000, "coins_in": 200, "hopper_out": 300}
    tally.check(meters, devices(stacked=2000, returned=100, tray=300, hopper=700, poured=1000))


@pytest.mark.parametrize(
    ("meters", "words"),
    [
        ({"notes_in": 2001, "coins_in": 200}, "the stacker and notes in"),
        ({"notes_in": 2000, "coins_in": 199}, "coins accepted and coins in"),
        ({"notes_in": 2000, "coins_in": 200, "hopper_out": 100}, "the tray"),
        ({"notes_in": 2000, "coins_in": 200, "hand_pay": 1}, "hand_pay"),
        ({"notes_in": 2000, "coins_in": 200, "found_in": 1}, "found"),
    ],
)
def test_a_cent_that_is_lost_or_doubled_is_reported_once(meters: dict[str, int], words: str) -> None:
    """By what it is of; the next comparison reports only what is new."""
    tally = Tally()
    tally.notes_put = 2000
    tally.coin(1.0, 200, accepted=True)
    with pytest.raises(TallyError, match=words):
        tally.check(meters, devices(stacked=2000))
    tally.check(meters, devices(stacked=2000))


@pytest.mark.parametrize(("booked", "either"), [(True, 1), (False, 0)])
def test_an_act_that_was_cut_off_may_be_booked_or_not(booked: bool, either: int) -> None:  # noqa: FBT001 - a case
    """What the books say after the cut holds; half of it never does."""
    tally = Tally()
    tally.begin("hand_pay", 500)
    meters = {"hand_pay": 500 if booked else 0}
    tally.cut_off(meters)
    tally.check(meters, devices())
    assert tally.either == either
    with pytest.raises(TallyError, match="hand_pay"):
        tally.check({"hand_pay": meters["hand_pay"] + 250}, devices())


@pytest.mark.parametrize(("before_s", "forgotten"), [(UNASKED_S / 2, True), (UNASKED_S * 2, False)])
def test_only_coins_right_before_a_mains_cut_may_be_forgotten(before_s: float, forgotten: bool) -> None:  # noqa: FBT001
    """An acceptor that lost its power forgets what it was not yet asked for; older coins must be in the books."""
    tally = Tally()
    tally.coin(100.0 - before_s, 200, accepted=True)
    tally.mains_at = 100.0
    if forgotten:
        tally.check({}, devices())
        assert tally.forgotten == 200
    else:
        with pytest.raises(TallyError, match="200 cents of coins are missing"):
            tally.check({}, devices())


def test_without_a_mains_cut_no_coin_may_be_forgotten() -> None:
    """A crash leaves the acceptor its memory."""
    tally = Tally()
    tally.coin(100.0, 200, accepted=True)
    with pytest.raises(TallyError, match="coins accepted and coins in"):
        tally.check({}, devices())


def test_open_items_are_resolved_as_they_truly_are() -> None:
    """The attendant looks into the stacker, the acceptor's box and the tray."""
    tally = Tally()
    items = [item(1, "note_unknown", 500), item(2, "note_unknown", 2000), item(3, "payout_held", 900)]
    looks = devices(stacked=2000, tray=300)
    found = [tally.resolution(one, items, {}, looks) for one in items]
    assert found == [(Resolution.RETURNED, 0), (Resolution.PAID, 2000), (Resolution.LEFT, 300)]
    held, rest = item(3, "payout_held", 900), item(4, "payout_rest", 700)
    assert tally.resolution(held, [held], {}, devices(tray=0)) == (Resolution.KEPT, 0)
    assert tally.resolution(rest, [rest], {}, devices(tray=0)) == (Resolution.CREDITED, 700)


def test_notes_without_an_item_are_reported() -> None:
    """Money in the stacker that is neither credited nor an open item is lost money."""
    items = [item(1, "note_unknown", 500)]
    with pytest.raises(TallyError, match="2000 cents of notes lie in the stacker uncredited"):
        Tally().resolution(items[0], items, {}, devices(stacked=2000))
