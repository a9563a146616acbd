"""A report to a venue that precedes its commit cannot be written: mypy refuses it, for each call of the link."""

import inspect
import re
from pathlib import Path

import pytest

from controller.features.venue.relay import CALLS
from controller.features.venue.reports import Reports
from tests.rigs.typed import early, refused

QUESTIONS = frozenset({"newest_event", "newest_row", "offers", "fetch", "wanted"})
"""What only asks the venue."""
BESIDE = frozenset({"enrol", "locked"})
"""The calls of a cabinet without a session or without books."""
CODE = """
from collections.abc import Sequence

from controller.features.venue.calls import Json
from controller.features.venue.handing_over import Books
from controller.features.venue.offer_journal import OfferResult
from controller.features.venue.outbox import OutEvent, OutReading, OutRow, unsent_events
from controller.features.venue.pools import AnsweredClaim, Meter, OpenClaim
from controller.features.venue.reports import Progress, Reports
from controller.features.venue.ticket_journal import Claim, Fact

async def report(
    venue: Reports, books: Books, progress: Progress, status: Json, meters: Sequence[Meter], claim: OpenClaim,
    events: Sequence[OutEvent], readings: Sequence[OutReading], rows: Sequence[OutRow],
    claims: Sequence[AnsweredClaim], result: OfferResult, facts: Sequence[Fact], asked: Claim,
) -> None:
    await venue.hello(progress, "", {})  # early
    await venue.beat(1, status)  # early
    await venue.put(1, meters)  # early
    await venue.claim(1, claim)  # early
    await venue.events(1, events)  # early
    await venue.events(1, await books.do(unsent_events))  # early
    await venue.events(1, await books.commit(unsent_events))
    await venue.meters(1, readings)  # early
    await venue.ledger(1, rows)  # early
    await venue.witness(1, (1, b""))  # early
    await venue.rebase(1, (1, b"", ""))  # early
    await venue.give_back(1, claims)  # early
    await venue.reported(1, {1: 1})  # early
    await venue.offer_result(1, result)  # early
    await venue.round(1, 1, None)  # early
    await venue.tickets(1, facts)  # early
    await venue.ticket_claim(1, asked, "")  # early
"""


@pytest.mark.processes
def test_a_report_takes_a_receipt(tmp_path: Path) -> None:
    """Each line that reports a bare value is an error, and the one with a receipt is none."""
    assert refused(CODE, tmp_path) == early(CODE)


def test_each_report_is_named_here() -> None:
    """By the methods of the reports and by the protocol's calls: a new one must be written above or be a question."""
    methods = {name for name, _ in inspect.getmembers(Reports, inspect.isfunction) if not name.startswith("_")}
    reports = set(re.findall(r"venue\.(\w+)\(", CODE))
    assert methods == reports | QUESTIONS
    assert reports | (QUESTIONS & CALLS) | BESIDE == CALLS
