"""The two kinds of answer to a host's poll: `Report` for a committed change, `Plain` for no change.

A `Report` cannot be constructed without the receipt of its transaction, and an order is acknowledged only with a
`Report` (`accepted`). An answer sent before its commit therefore fails in mypy.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from controller.journal.receipt import Receipt
from drivers.sas.frames import Poll, ack, nack

Arrival = Callable[[], Awaitable[object]]
"""Called once the host has the answer; returns when its own change is durable."""


class Plain(NamedTuple):
    """An answer that reports no change: a refusal, or what was stored before the poll."""

    frame: bytes
    arrived: Arrival | None = None


class Report(NamedTuple):
    """An answer that reports a change made by its poll, with the receipt of that transaction."""

    frame: bytes
    receipt: Receipt[object]
    arrived: Arrival | None = None


Answer = Plain | Report
Handler = Callable[[Poll], Awaitable[Answer | None]]
"""Answers a poll that may change something; None sends no answer."""
Reader = Callable[[Poll], bytes | None]
"""Answers a poll from memory with a complete frame; None sends no answer."""
Handlers = Mapping[int, Handler]
Readers = Mapping[int, Reader]


def accepted(address: int, receipt: Receipt[object]) -> Report:
    """Return the acknowledgement of an order that was carried out."""
    return Report(ack(address), receipt)


def refused(address: int) -> Plain:
    """Return the NACK to an order that was not carried out."""
    return Plain(nack(address))
