"""What a host may hear next: a model of the queue of exceptions, over power cuts, and the host that is held to it.

Rules from docs/protocols.md section 3 and docs/sas.md section 6: first in, first out; those with priority
first; none is dropped before its implied acknowledgement; an overflow drops the oldest and reports 70. That 50 wait,
and that an acknowledgement is durable once the next general poll is answered, is what docs/host-port.md promises.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.rigs.sas_host import Exchange, SasHost

MOST = 50
OVERFLOW = 0x70
PRIORITY = frozenset({0x3F, 0x56, 0x57, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6F, OVERFLOW, 0x8F})


class Queue(NamedTuple):
    """One thing that the machine may hold; `told` is the class of the exception that the host was told last."""

    first: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    told: str = ""

    @property
    def next(self) -> int:
        """What a poll must report now: what was told and not acknowledged, else the first."""
        if self.told:
            return (self.first if self.told == "first" else self.others)[0]
        return (*self.first, *self.others, 0)[0]

    def put(self, code: int) -> list["Queue"]:
        """What the queue may be with one more."""
        if code in PRIORITY:
            return [self._replace(first=(*self.first, code))]
        if len(self.others) < MOST:
            return [self._replace(others=(*self.others, code))]
        first = self.first if OVERFLOW in self.first else (*self.first, OVERFLOW)
        dropped = [Queue(first, (*self.others[1:], code), "" if self.told == "others" else self.told)]
        if self.told == "others":  # the oldest is the one that the host was told: it, or the oldest behind it
            dropped.append(Queue(first, (self.others[0], *self.others[2:], code), self.told))
        return dropped

    def tell(self) -> "Queue":
        """The next one was told."""
        return self if self.told or not self.next else self._replace(told="first" if self.first else "others")

    def acknowledge(self) -> "Queue":
        """The host has acknowledged what it was told."""
        match self.told:
            case "first":
                return Queue(self.first[1:], self.others)
            case "others":
                return Queue(self.first, self.others[1:])
        return self

    def untell(self) -> "Queue":
        """The power was cut, or the loop broken: what was told and not acknowledged waits again."""
        return self._replace(told="")


class QueueError(AssertionError):
    """The machine has told an exception that cannot be next."""


class StrictHost(SasHost):
    """A host that fails at the first exception which is not the next one, or is told again though acknowledged."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.may_be: frozenset[Queue] = frozenset({Queue()})
        """Every queue that agrees with what was heard; more than one only after a cut."""
        self.told = 0
        self._unsure: frozenset[Queue] = frozenset()
        """What it may be if the newest acknowledgement was not yet durable when the power was cut."""

    def put(self, *codes: int) -> None:
        """Something has happened that the machine must report."""
        for code in codes:
            self.may_be = frozenset(after for queue in self.may_be for after in queue.put(code))
            self._unsure = frozenset(after for queue in self._unsure for after in queue.put(code))

    def may_put(self, *codes: int) -> None:
        """All of it may have happened, or nothing."""
        before, unsure = self.may_be, self._unsure
        self.put(*codes)
        self.may_be |= before
        self._unsure |= unsure

    def cut(self) -> None:
        """The machine has lost its power."""
        super().cut()
        self.may_be = frozenset(queue.untell() for queue in self.may_be | self._unsure)
        self._unsure = frozenset()

    def _loop_broken(self) -> None:
        super()._loop_broken()
        self.may_be = frozenset(queue.untell() for queue in self.may_be)

    @property
    def is_empty(self) -> bool:
        """Whether everything has been told and acknowledged for certain."""
        return self.may_be == {Queue()}

    def _confirm(self) -> None:
        if self._pending is not None:
            self._unsure |= self.may_be
            self.may_be = frozenset(queue.acknowledge() for queue in self.may_be)
        super()._confirm()

    async def _poll(self, data: bytes, command: int | None) -> Exchange:
        done = await super()._poll(data, command)
        if done.exception is not None:
            self._hear(done.exception, command)
        return done

    def _hear(self, code: int, command: int | None) -> None:
        agreeing = frozenset(queue.tell() for queue in self.may_be if queue.next == code)
        if not agreeing:
            wanted = sorted({f"{queue.next:02X}" for queue in self.may_be})
            raise QueueError(f"{code:02X} was told where {' or '.join(wanted)} is next: {_shown(self.may_be)}")
        self.may_be = agreeing
        self.told += code != 0
        if command is None:
            self._unsure = frozenset()


def _shown(queues: frozenset[Queue]) -> Sequence[str]:
    return [
        f"{bytes(queue.first).hex(' ')} | {bytes(queue.others).hex(' ')} ({queue.told or 'none'} told)"
        for queue in sorted(queues)
    ]
