"""Exceptions wait for their host in the books: in order, over restarts, none lost without a word (protocols.md §3)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.features.sas import queue as host_queue
from controller.journal.store import Store

PORT, OTHER, OVERFLOW = "host_port", "host_port_2", 0x70
PRIORITIES = (0x69, 0x6F)
DOORS = st.integers(0x11, 0x1E)
ACKNOWLEDGE, RESTART = -1, -2


class Books:
    """A journal that can be closed and opened again, as after a power cut between two transactions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store = self._opened()

    def _opened(self) -> Store:
        return Store(self.path, lambda: 0, simulated=True, create=True)

    def restart(self) -> None:
        """Open the journal again."""
        self.store.close()
        self.store = self._opened()

    def queue(self, code: int, port: str = PORT) -> None:
        """Have an exception wait."""
        priority = code in PRIORITIES
        self.store.transact(lambda tx: host_queue.queue(tx, port, code, priority=priority, overflow=OVERFLOW))

    def waiting(self, port: str = PORT) -> list[int]:
        """Return the codes that wait, in order."""
        return [each.code for each in self.store.transact(lambda tx: host_queue.waiting(tx, port))]

    def acknowledge(self) -> None:
        """Acknowledge the first one, where there is one."""
        waiting = self.store.transact(lambda tx: host_queue.waiting(tx, PORT))
        if waiting:
            self.store.transact(lambda tx: host_queue.acknowledge(tx, PORT, waiting[0].number))

    def clear(self) -> None:
        """Forget everything."""
        self.store.transact(lambda tx: host_queue.forget(tx, frozenset()))


@pytest.fixture
def books(tmp_path: Path) -> Iterator[Books]:
    """An empty journal."""
    made = Books(tmp_path / "journal.sqlite")
    yield made
    made.store.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(steps=st.lists(st.one_of(DOORS, st.sampled_from((*PRIORITIES, ACKNOWLEDGE, ACKNOWLEDGE, RESTART))), max_size=40))
def test_every_exception_waits_in_order_until_it_is_acknowledged(books: Books, steps: list[int]) -> None:
    """Those with priority first, over any restarts; none twice after its acknowledgement."""
    books.clear()
    first: list[int] = []
    others: list[int] = []
    for step in steps:
        if step == RESTART:
            books.restart()
        elif step == ACKNOWLEDGE:
            books.acknowledge()
            (first or others)[:1] = []
        else:
            books.queue(step)
            (first if step in PRIORITIES else others).append(step)
        assert books.waiting() == first + others


def test_fifty_wait_and_the_oldest_makes_room_with_a_word(books: Books) -> None:
    """The overflow is reported once, before all others; it drops none with priority."""
    books.queue(0x69)
    for number in range(host_queue.MOST):
        books.queue(0x11 + number % 2)
    assert len(books.waiting()) == host_queue.MOST + 1
    for _ in range(3):
        books.queue(0x13)
    waiting = books.waiting()
    assert waiting[:2] == [0x69, OVERFLOW]
    assert len(waiting) == host_queue.MOST + 2
    assert waiting[-3:] == [0x13] * 3


def test_each_port_has_a_queue_of_its_own(books: Books) -> None:
    """What waits for one host is not the other's, and a port that is configured no more is forgotten."""
    books.queue(0x11)
    books.queue(0x12, OTHER)
    assert (books.waiting(), books.waiting(OTHER)) == ([0x11], [0x12])
    books.store.transact(lambda tx: host_queue.forget(tx, frozenset({OTHER})))
    assert (books.waiting(), books.waiting(OTHER)) == ([], [0x12])


def test_exceptions_with_priority_are_bounded_too(books: Books) -> None:
    """A host that locks and cancels without end fills nothing; it hears that some were dropped."""
    for _ in range(2 * host_queue.MOST):
        books.queue(0x6F)
    assert len(books.waiting()) == host_queue.MOST
    assert books.waiting().count(OVERFLOW) == 1
