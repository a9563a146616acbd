"""The printed content of a ticket, in the cabinet's language."""

from typing import Final

from controller.configuration.cabinet_toml import Config
from controller.journal.tickets import Ticket
from drivers.capabilities import Slip
from ui.protocol.values import dated, moment, written

_WORDS: Final = {
    "en": ("CASH-OUT TICKET", "Machine", "Ticket", "Printed", "Valid until", "Does not expire"),
    "de": ("AUSZAHLUNGS-TICKET", "Gerät", "Ticket", "Gedruckt", "Gültig bis", "Verfällt nicht"),
}


def slip(ticket: Ticket, config: Config, venue: tuple[str, ...]) -> Slip:
    """Return the slip of a ticket: the venue's lines, amount, number with barcode, machine, and both times."""
    site = config.cabinet
    title, machine, number, printed, until, never = _WORDS[site.language]
    dates = site.written_dates
    expiry = never if ticket.expires_ms is None else f"{until} {_local(ticket.expires_ms, dates)}"
    return Slip(
        title=title,
        lines=(
            *venue,
            f"{machine} {site.number or site.name}  {number} {ticket.id}",
            f"{printed} {_local(ticket.issued_ms, dates)}",
            expiry,
            grouped(ticket.number),
        ),
        amount=written(ticket.cents, site.written_money),
        barcode=ticket.number,
    )


def grouped(number: str) -> str:
    """Return a ticket's number grouped for reading: two digits, then groups of four."""
    return " ".join((number[:2], *(number[at : at + 4] for at in range(2, len(number), 4))))


def _local(at_ms: int, dates: str) -> str:
    return dated(moment(at_ms, seconds=False), dates)
