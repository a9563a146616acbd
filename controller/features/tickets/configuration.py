"""The rules for `[tickets]` of `cabinet.toml`."""

from collections.abc import Iterator
from typing import Final

from controller.configuration.fields import Fields, Misfit, Problem, quoted
from controller.configuration.tickets import CABINET, VALIDATORS, VENUE, Tickets
from controller.features.tickets.printed_texts import printed
from drivers.validator_protocols import ticket_readers

__all__ = ["Tickets", "problems"]

MOST_TICKET_LINES: Final = 4


def problems(fields: Fields) -> Iterator[Problem]:
    """Report tickets without a printer or without a validator that reads them, and contradicting limits."""
    takes, pays = fields.get("tickets.takes", False), fields.get("tickets.pays", "nothing") != "nothing"
    fitted = "bill_validator.port" in fields
    if takes and not (fitted and fields.get("bill_validator.protocol", "id003") in ticket_readers()):
        wanted = f"needs a [bill_validator] that reads barcodes: one whose protocol is {quoted(ticket_readers())}"
        yield Problem("tickets.takes", wanted)
    if pays and "ticket_printer.port" not in fields:
        yield Problem("tickets.pays", "needs a [ticket_printer]; add one, or leave it 'nothing'")
    if fields.get("tickets.must_print") is True and (fields.get("tickets.pays") != "all" or "hopper.port" in fields):
        yield Problem(
            "tickets.must_print", "needs tickets that alone pay: pays = 'all', and no [hopper]; or leave it out"
        )
    if fields.get("tickets.slips") is True and "ticket_printer.port" not in fields:
        yield Problem("tickets.slips", "needs a [ticket_printer]; add one, or leave it out")
    validator = fields.get("tickets.validated_by", CABINET)
    if pays and not takes and validator == CABINET:
        yield Problem("tickets.pays", "prints tickets that nothing redeems; set takes too, or leave it 'nothing'")
    table = f"{validator}.host" if validator == VENUE else f"{validator}.port"
    if validator in VALIDATORS and validator != CABINET and table not in fields:
        yield Problem("tickets.validated_by", f"needs a [{validator}]; add it, or leave it 'cabinet'")
    least, most = fields.get("tickets.least_cents"), fields.get("tickets.most_cents")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield Problem("tickets.least_cents", f"is {least}, above most_cents, {most}; lower it", Misfit.VALUE)
    lines = fields.get("tickets.lines", ())
    if len(lines) > MOST_TICKET_LINES:
        yield Problem("tickets.lines", f"has {len(lines)} lines; a ticket has room for {MOST_TICKET_LINES}")
    yield from printed(fields)
