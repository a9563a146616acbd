"""The soaked cabinet's host: what it heard too seldom, too often or not at all, and a cent of its own, are found."""

import random

import pytest

from tests.rigs.sas_aft import IN_HOUSE_TO_MACHINE
from tests.rigs.sas_tally import Aft
from tests.soak.host import DayHost, HostError

DOOR, STARTED, NOTE_20, ANY_NOTE = 0x11, 0x7E, 0x4A, 0x4F


def heard(*codes: int, happened: tuple[int, ...], doubtful: tuple[int, ...] = (), real_time: bool = False) -> DayHost:
    """A host that has heard these exceptions, of which so many happened."""
    host = DayHost(lambda: 0.0, random.Random(1))
    for code in codes:
        host.host.tally.confirm(code)
    host.host.tally.doubtful.update(doubtful)
    host.causes.counts.update(happened)
    host.real_time = real_time
    return host


def test_what_was_heard_as_often_as_it_happened_is_right() -> None:
    """Each once; the next comparison begins there."""
    host = heard(DOOR, DOOR, NOTE_20, happened=(DOOR, DOOR, NOTE_20))
    for _ in range(2):
        host.compare_exceptions()


@pytest.mark.parametrize(("codes", "happened"), [((DOOR,), (DOOR, DOOR)), ((DOOR, DOOR), (DOOR,)), ((), (STARTED,))])
def test_what_was_lost_or_told_twice_is_found(codes: tuple[int, ...], happened: tuple[int, ...]) -> None:
    """By its code."""
    with pytest.raises(HostError, match="heard"):
        heard(*codes, happened=happened).compare_exceptions()


@pytest.mark.parametrize(("happened", "repeated"), [((DOOR,), 1), ((DOOR, DOOR), 0)])
def test_one_confirmed_just_before_a_cut_may_have_come_again(happened: tuple[int, ...], repeated: int) -> None:
    """Not more than that."""
    host = heard(DOOR, happened=happened, doubtful=(DOOR,))
    host.compare_exceptions()
    assert (host.doubts, host.repeated) == (1, repeated)
    with pytest.raises(HostError):
        heard(DOOR, happened=(DOOR,) * 3, doubtful=(DOOR,)).compare_exceptions()


def test_an_overflow_that_was_told_explains_what_is_missing_and_nothing_else() -> None:
    """Those dropped are fewer; the next loss needs another overflow."""
    host = heard(DOOR, 0x70, happened=(DOOR,) * 3)
    host.compare_exceptions()
    host.causes.counts[DOOR] += 1
    with pytest.raises(HostError, match="11: heard 3 to 3 times, happened 4 times"):
        host.compare_exceptions()


def test_in_real_time_a_note_has_one_event_and_a_start_none() -> None:
    """Afterwards each is counted by itself again."""
    host = heard(ANY_NOTE, happened=(NOTE_20, STARTED), real_time=True)
    host.compare_exceptions()
    host.compare_exceptions()
    with pytest.raises(HostError):
        heard(ANY_NOTE, ANY_NOTE, happened=(NOTE_20,), real_time=True).compare_exceptions()


@pytest.mark.parametrize(("books", "right"), [(500, True), (700, True), (499, False), (701, False)])
def test_between_a_cut_and_a_start_the_books_hold_what_the_host_knows_of(books: int, right: bool) -> None:  # noqa: FBT001
    """And at most what it has not heard of yet."""
    host = heard(happened=())
    tally = host.host.tally
    tally.asked("T1", IN_HOUSE_TO_MACHINE, 500)
    tally.ended({"id": "T1", "status": Aft.FULL, "cashable": 500, "restricted": 0, "nonrestricted": 0})
    tally.asked("T2", IN_HOUSE_TO_MACHINE, 200)
    if right:
        host.within({"host_in": books})
    else:
        with pytest.raises(HostError, match="host_in"):
            host.within({"host_in": books})
