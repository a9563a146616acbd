"""What a host has heard of a machine: exceptions, meters and transfers, from the wire alone.

An exception counts once it is confirmed, which the host does by its next other poll (`protocols.md` section 3). One
that was confirmed just as the machine lost its power may come again: it is in doubt and counted apart.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from tests.rigs.sas_fields import Values
from tests.rigs.sas_frames import Event

IDLE = frozenset({0x00, 0x1F})
"""Exceptions that mean that there is none (sas.md section 6)."""

FALLING = frozenset({0x0C, 0x1B, 0x25, 0x26, 0x3E, 0x3F, *range(0x58, 0x79), 0x7F})
"""Meters that are a present figure and not a lifetime's: they may fall (section 5.1)."""


class Aft(IntEnum):
    """Transfer status bytes that decide what the host does next (section 1.3)."""

    FULL = 0x00
    PARTIAL = 0x01
    PENDING = 0x40
    CANCELLED = 0x80
    NOT_UNIQUE = 0x81
    NOT_NOW = 0x87
    NOT_COMPATIBLE = 0xC0
    NO_INFORMATION = 0xFF


TO_MACHINE = frozenset({0x00, 0x10, 0x11, 0x40})
TO_HOST = frozenset({0x80, 0x90})
"""Transfer types by the way the money goes (section 1.1)."""


@dataclass
class Transfer:
    """One transaction id: what the host asked, and how it ended."""

    id: str
    type: int
    asked_cents: int
    status: int | None = None
    """The final status; None while the host has heard none."""
    moved_cents: int = 0
    ends: int = 0
    """How often a final status with money was booked: more than once never."""

    @property
    def done(self) -> bool:
        """Whether money moved for certain."""
        return self.status in (Aft.FULL, Aft.PARTIAL)


@dataclass
class Tally:
    """The host's own books of one machine."""

    confirmed: Counter[int] = field(default_factory=Counter)
    doubtful: Counter[int] = field(default_factory=Counter)
    events: list[Event] = field(default_factory=list)
    """What came in real time, with its data."""
    meters: dict[int, int] = field(default_factory=dict)
    fallen: list[str] = field(default_factory=list)
    """Lifetime meters that were read lower than before, and not by rolling over."""
    transfers: dict[str, Transfer] = field(default_factory=dict)

    def confirm(self, code: int) -> None:
        """Count an exception of which the machine has been given the confirmation."""
        if code not in IDLE:
            self.confirmed[code] += 1

    def doubt(self, code: int) -> None:
        """Take back an exception's confirmation: the machine may not have had it before its power went."""
        if code not in IDLE:
            self.confirmed[code] -= 1
            self.doubtful[code] += 1

    def read(self, meters: Mapping[int, int | None]) -> None:
        """Keep meters as they were read now."""
        for code, value in meters.items():
            if value is None:
                continue
            before = self.meters.get(code, 0)
            if value < before and code not in FALLING and not _rolled(before, value):
                self.fallen.append(f"{code:02X} fell from {before} to {value}")
            self.meters[code] = value

    def asked(self, transaction: str, type_: int, cents: int) -> Transfer:
        """Keep that a transfer was asked for."""
        return self.transfers.setdefault(transaction, Transfer(transaction, type_, cents))

    def ended(self, answer: Values) -> None:
        """Book the final status of a transfer, once however often it is repeated."""
        transfer = self.transfers.get(answer["id"])
        if transfer is None:
            return
        moved = answer["cashable"] + answer["restricted"] + answer["nonrestricted"]
        status = answer["status"]
        if transfer.done and status == Aft.NOT_UNIQUE:
            return  # asked for again: it is the last logged success, and moves nothing (section 1.3)
        if transfer.done:
            assert (transfer.status, transfer.moved_cents) == (status, moved), f"{transfer} ended otherwise: {answer}"
            return
        transfer.status = status
        if transfer.done:
            transfer.moved_cents = moved
            transfer.ends += 1

    @property
    def to_machine_cents(self) -> int:
        """What the host has given the machine."""
        return sum(one.moved_cents for one in self.transfers.values() if one.type in TO_MACHINE)

    @property
    def to_host_cents(self) -> int:
        """What the host has got from the machine."""
        return sum(one.moved_cents for one in self.transfers.values() if one.type in TO_HOST)


def _rolled(before: int, value: int) -> bool:
    """Whether a meter that fell has begun again behind its last digit."""
    top = 10 ** (10 if before >= 10**8 else 8)
    return before > top * 0.9 and value < top * 0.1
