"""The machine's tickets: the desk that prints and takes them, if a feature adds one, their validator and printer."""

from typing import Final, Protocol

from controller.journal.errors import RefusedError
from controller.journal.receipt import Receipt
from controller.journal.tickets import Ticket
from controller.journal.transaction import Transaction
from drivers.capabilities import PrintEnd, Slip, TicketPrinter, Verdict

NO_TICKETS: Final = "no_tickets"
"""The fault code if nothing can be printed and only tickets pay."""
DAY_MS: Final = 86_400_000
TOO_MUCH: Final = "ticket_beyond"
NOT_NOW: Final = "ticket_not_now"
"""Why a ticket is refused: the credit would be too high, and no tickets are taken now."""


class Validator(Protocol):
    """The validator of tickets, if it is not the machine itself."""

    @property
    def prints(self) -> bool:
        """Whether it can currently give a ticket its number."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines printed below the title, in order; an empty line stands for the configured one."""

    async def number(self, cents: int) -> Receipt[Ticket] | str:
        """Return the begun ticket of the payout in progress with its number, or a reason's code if there is none."""

    async def in_escrow(self, number: str) -> str:
        """Return why a ticket is rejected, as a reason's code; empty once the order to stack it is durable."""


class TicketDesk(Protocol):
    """Pays credit by tickets, and takes them."""

    def pays(self, cents: int, *, whole: bool) -> bool:
        """Whether that amount is paid by ticket: the `whole` credit, or what the hopper has left of it."""

    @property
    def takes(self) -> bool:
        """Whether tickets are currently accepted."""

    def begin_own(self, tx: Transaction) -> Ticket:
        """Record the ticket of the payout in progress with a number chosen by the cabinet."""

    async def begin(self, cents: int) -> Receipt[Ticket] | str:
        """Return the ticket of the payout in progress, or why there is none."""

    def slip(self, ticket: Ticket) -> Slip:
        """Return what is printed on a ticket."""

    async def in_escrow(self, number: str) -> Verdict:
        """Decide about a ticket in escrow; on `STACK` the order to stack it is durable."""


class SlipPrinter:
    """The ticket printer as the cabinet uses it: it prints nothing that is not durable."""

    def __init__(self, printer: TicketPrinter) -> None:
        self._printer = printer

    def __repr__(self) -> str:
        return f"<SlipPrinter {self._printer!r}>"

    @property
    def ready(self) -> bool:
        """Whether the printer answers, has paper and reports no error."""
        return self._printer.ready

    async def print(self, slip: Receipt[Slip]) -> PrintEnd:
        """Print a slip once (`TicketPrinter.print`)."""
        return await self._printer.print(slip.result)


class Tickets:
    """The desk of one machine, None if it has none, and the `validator`, None if the machine is its own."""

    def __init__(self) -> None:
        self.desk: TicketDesk | None = None
        self.validator: Validator | None = None

    def __repr__(self) -> str:
        return f"<Tickets {self.desk!r}>"

    @property
    def takes(self) -> bool:
        """Whether tickets are currently accepted."""
        return self.desk is not None and self.desk.takes

    def begin_own(self, tx: Transaction) -> Ticket:
        """Record the ticket of the payout in progress with a number chosen by the cabinet."""
        if self.desk is None:
            raise RefusedError("No ticket is being printed")
        return self.desk.begin_own(tx)

    async def in_escrow(self, number: str) -> Verdict:
        """Decide about a ticket in escrow (`TicketDesk.in_escrow`); without a desk it is returned."""
        return Verdict.RETURN if self.desk is None else await self.desk.in_escrow(number)
