"""What befalls a ticket on its way, with each protocol that reads tickets: the books against the whereabouts.

Whole cabinets on virtual time. A ticket that its player has not got back is credit, or an open item that holds it; one
that came back credits nothing, and what is put in after it is judged by itself.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from controller.journal.open_items import TICKET, open_items
from drivers.simulated.fault_model.rows import befalling
from drivers.validator_protocols import ticket_readers
from tests.rigs.known_protocols import note_mishaps
from tests.rigs.ticket_cabinet import WORTH, TicketCabinet
from tests.rigs.virtual_cabinet import but_coins

pytestmark = pytest.mark.sampled(2)

ROWS = {protocol: note_mishaps(protocol) for protocol in ticket_readers()}
EACH_RUN = {"jam_in_stacker", "end_unreported", "cassette_out_on_the_way", "buffer_overflow"}
"""The mishaps that are played in each run with a copy of the ticket behind it, the others in `make proofs`."""
NOTE = 500
WAIT_S = 20.0
STUCK_S = 320.0
"""By then the end of a ticket is not waited for any more."""


def mishaps() -> Iterator[ParameterSet]:
    """Each protocol with each mishap of its fault model, and nothing behind the ticket, a note, or its copy."""
    for protocol, rows in ROWS.items():
        for name in sorted(befalling(rows)):
            for second in ("", "note", "copy"):
                each = name in EACH_RUN and second == "copy"
                yield pytest.param(protocol, name, second, marks=() if each else pytest.mark.proof)


@pytest.mark.parametrize(("protocol", "mishap", "second"), [*mishaps()])
async def test_a_ticket_that_meets_a_mishap_is_credit_or_an_item(
    tmp_path: Path, protocol: str, mishap: str, second: str
) -> None:
    """Whatever is put in after it; in the end the device starts anew."""
    cabinet = TicketCabinet(tmp_path, protocol)
    supervisor = await cabinet.start()
    try:
        await cabinet.until(lambda: cabinet.state == "attract")
        await asyncio.sleep(8.0)
        cabinet.bills.insert(WORTH)
        await cabinet.until(lambda: cabinet.credit == WORTH)
        await asyncio.sleep(3.0)
        number = await cabinet.print_ticket()
        await asyncio.sleep(3.0)
        cabinet.bills.mishaps.next(mishap)
        cabinet.bills.insert_ticket(number)
        await asyncio.sleep(WAIT_S)
        copies = 0
        if second == "note":
            cabinet.bills.insert(NOTE)
        elif second == "copy" and number not in cabinet.returned_tickets:
            cabinet.bills.insert_ticket(number)
            copies = 1
        await asyncio.sleep(WAIT_S)
        cabinet.bills.brown_out()
        await asyncio.sleep(STUCK_S)
        items = but_coins(await supervisor.journal.do(open_items))
        held = sum(item.amount_cents or 0 for item in items if item.kind == TICKET)
        notes = NOTE if second == "note" and cabinet.stacked_cents > WORTH else 0
        ticket = cabinet.credit - notes
        back = cabinet.returned_tickets.count(number) > copies
        said = (ticket, held, cabinet.stacked_tickets, cabinet.returned_tickets, items)
        assert ticket in (0, WORTH), said
        assert ticket + held <= WORTH, said
        assert back or ticket + held == WORTH, said
        assert not (back and ticket) or mishap == "pulled_after_credit", said
        await supervisor.journal.do(lambda tx: tx.prove())
    finally:
        await cabinet.kill()
