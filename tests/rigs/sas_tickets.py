"""The host's side of tickets: it gives numbers, reads records, decides what a ticket is worth, and keeps books of it.

Written from docs/sas.md, section 2, alone. A ticket is worth something once its record was read (4D), and no longer
once the machine has reported that it is redeemed (71).
"""

import asyncio
from dataclasses import dataclass, field

from tests.rigs.sas_fields import FrameError, Values
from tests.rigs.sas_host import SasHost

VALIDATE, PRINTED, TICKET_IN, TICKET_DONE = 0x57, 0x3D, 0x67, 0x68
"""The exceptions that a host of tickets acts upon (section 2.3)."""
CASH_OUT, NUMBER, RECORD, ESCROW, REDEEM = 0x57, 0x58, 0x4D, 0x70, 0x71
WANTED, TAKEN = 0x00, 0x00
READ_AND_MARK = 0x00
CASHABLE, NOT_IN_SYSTEM, QUERY = 0x00, 0x82, 0xFF
HELD, REDEEMED, PENDING, NO_INFORMATION = 0x00, 0x00, 0x40, 0xFF
SYSTEM = 37
"""This host's id, the first two digits of its numbers; 00 refuses."""


@dataclass
class Issued:
    """A number that the host has given: what it was to be worth, whether its record came, and whether it is paid."""

    cents: int
    validated: bool = False
    redeemed: bool = False
    here: bool = True
    """Whether this machine was to print it, and not another one."""


@dataclass
class TicketBooks:
    """The host's own books of tickets, from the wire alone."""

    issued: dict[str, Issued] = field(default_factory=dict)
    pending: str = ""
    """The number of the ticket that was granted and whose end is not known."""

    @property
    def out_cents(self) -> int:
        """What this machine has printed in all."""
        return sum(one.cents for one in self.issued.values() if one.validated and one.here)

    @property
    def in_cents(self) -> int:
        """What was redeemed in all."""
        return sum(one.cents for one in self.issued.values() if one.redeemed)

    def of_another(self, number: str, cents: int) -> None:
        """Book a ticket that another machine has printed."""
        self.issued[number] = Issued(cents, validated=True, here=False)

    def worth(self, number: str) -> int:
        """What the ticket with that number is worth now, 0 for nothing."""
        one = self.issued.get(number)
        return one.cents if one is not None and one.validated and not one.redeemed else 0


def number_in(values: Values) -> str:
    """The 18 digits of a ticket: system id and number."""
    return f"{values['system_id']:02d}{values['number']:016d}"


class TicketHost:
    """A host that validates the tickets of one machine; what it is told to refuse or to leave unanswered it does."""

    def __init__(self, host: SasHost) -> None:
        self.host = host
        self.books = TicketBooks()
        self.denies = False
        """Whether it gives no numbers."""
        self.mute = False
        """Whether it decides nothing at all."""
        self.answers: list[Values] = []
        """What the machine has answered to 58 and 71, in order."""
        self._next = 1

    async def run(self, every_s: float = 0.05) -> None:
        """Poll for ever, and act upon what is reported; after a silence it asks for what it may have missed."""
        was_silent = True
        while True:
            try:
                code = await self.host.next_exception()
                if code is not None and was_silent:
                    await self.recover()
                was_silent = code is None
                if code:
                    await self.heard(code)
            except FrameError:
                was_silent = True
            await asyncio.sleep(every_s)

    async def recover(self) -> None:
        """Read the records that are not read, and what became of a ticket that was granted."""
        await self.read_records()
        await self.read_end()

    async def heard(self, code: int) -> None:
        """Act upon an exception."""
        if code == PRINTED:
            await self.read_records()
        elif code == TICKET_DONE:
            await self.read_end()
        elif code == VALIDATE and not self.mute:
            await self.validate()
        elif code == TICKET_IN and not self.mute:
            await self.decide()

    async def validate(self) -> None:
        """Give the cash-out that waits its number, or refuse it."""
        wanted = await self.host.ask(CASH_OUT)
        if wanted is None or wanted["type"] != WANTED:
            return
        if self.denies:
            await self._sent(NUMBER, system_id=0, number=0)
            return
        await self.give(wanted["cents"])

    async def give(self, cents: int) -> None:
        """Give a cash-out of so much its number."""
        number = 9_000_000_000_000_000 + self._next * 7_919
        self._next += 1
        self.books.issued[f"{SYSTEM:02d}{number:016d}"] = Issued(cents)
        await self._sent(NUMBER, system_id=SYSTEM, number=number)

    async def read_records(self) -> None:
        """Read records until there is none; each is booked once, however often it is read."""
        for _ in range(100):
            record = await self.host.ask(RECORD, function=READ_AND_MARK)
            if record is None or not record["number"]:
                return
            one = self.books.issued.get(number_in(record))
            assert one is not None, f"a record of a number that was never given: {record}"
            assert one.cents == record["cents"], f"a record of another amount: {record}"
            one.validated = True
        raise AssertionError("the records do not end")

    async def decide(self) -> None:
        """Grant the ticket in escrow what the books say that it is worth, or reject it."""
        ticket = await self.host.ask(ESCROW)
        if ticket is None or ticket["status"] != HELD:
            return
        number = number_in(ticket)
        await self.read_records()  # it may have been printed just before
        await self.judge(number)

    async def judge(self, number: str) -> None:
        """Grant a ticket what the books say that it is worth, or reject it."""
        cents = self.books.worth(number)
        if cents:
            self.books.pending = number
        await self.redeem(number, CASHABLE if cents else NOT_IN_SYSTEM, cents)

    async def redeem(self, number: str, code: int, cents: int) -> Values | None:
        """Send the decision about a ticket."""
        return await self._sent(
            REDEEM, code=code, cents=cents, parsing=0, system_id=int(number[:2]), number=int(number[2:])
        )

    async def read_end(self) -> Values | None:
        """Ask what became of the newest ticket, and book it once; one that is pending is asked for again later."""
        end = await self._sent(REDEEM, code=QUERY)
        if end is None or end["status"] == PENDING:
            return end
        if self.books.pending and end.get("number") and number_in(end) == self.books.pending:
            if end["status"] == REDEEMED:
                one = self.books.issued[self.books.pending]
                assert not one.redeemed, "redeemed twice"
                assert end["cents"] == one.cents
                one.redeemed = True
            self.books.pending = ""
        elif end["status"] == NO_INFORMATION:
            self.books.pending = ""
        return end

    async def _sent(self, command: int, **values: object) -> Values | None:
        answer = await self.host.ask(command, **values)
        if answer is not None:
            self.answers.append({"command": command, **answer})
        return answer
