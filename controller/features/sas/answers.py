"""Answers to a host's polls by what they say: a change that is durable, or nothing that a power cut could undo.

A `Report` cannot be made without the receipt of its transaction, and only a `Report` accepts what a host has ordered
(`accepted`): an answer that precedes its commit fails in mypy.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from controller.journal.receipt import Receipt
from drivers.sas.frames import Poll, ack, nack

Arrival = Callable[[], Awaitable[object]]
"""What is due once the host has an answer; returns when that is durable."""


class Plain(NamedTuple):
    """An answer that reports no change: a refusal, or what the books held before the poll."""

    frame: bytes
    arrived: Arrival | None = None


class Report(NamedTuple):
    """An answer that reports what its poll has changed, with the receipt of the transaction that did it."""

    frame: bytes
    receipt: Receipt[object]
    arrived: Arrival | None = None


Answer = Plain | Report
Handler = Callable[[Poll], Awaitable[Answer | None]]
"""Answers a poll that may change something, with None for silence."""
Reader = Callable[[Poll], bytes | None]
"""Answers a poll from what is in memory with a whole frame, or None for silence."""
Handlers = Mapping[int, Handler]
Readers = Mapping[int, Reader]


def accepted(address: int, receipt: Receipt[object]) -> Report:
    """Return the answer to an order that was carried out."""
    return Report(ack(address), receipt)


def refused(address: int) -> Plain:
    """Return the answer to an order that is not carried out."""
    return Plain(nack(address))
