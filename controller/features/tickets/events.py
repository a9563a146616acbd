"""The events of tickets and slips."""

from controller.journal.event_catalogue import EventKind


class TicketEvent(EventKind):
    """What tickets and slips log."""

    TICKET_REFUSED = "ticket", "Ticket {ticket} not taken: {reason}"
    SLIP_SENT = "slip", "Slip {slip} sent to the printer: {what}"
    SLIP_COPIED = "slip", "Copy {copy} of slip {slip} sent to the printer: {what}"
    SLIP_LOST = "slip", "Slip {slip} ({what}): {reason}"
