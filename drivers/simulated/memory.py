"""The state of a simulated cabinet that outlives its devices' process."""

import msgspec

from drivers.simulated.front import TrayTicket


class Memory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The saved state of a cabinet: meter wheels, note and coin stocks, a hopper's lifetime count, tickets.

    `payout_stock` is what an eSSP payout device or a coin changer holds, by value, `stacker_bills` what an MDB
    validator has counted. `paper_mm` is what is left on the ticket printer's roll, None for a new one;
    `tickets_printed` counts all pieces.
    """

    meters: dict[str, int] = {}
    hopper_coins: int = 500
    hopper_lifetime: int = 0
    payout_stock: dict[str, int] = {}
    stacked_cents: int = 0
    stacked_tickets: int = 0
    stacker_bills: int = 0
    cash_box_cents: int = 0
    latched: bool = False
    paper_mm: int | None = None
    tickets: tuple[TrayTicket, ...] = ()
    tickets_printed: int = 0

    @property
    def stock_by_value(self) -> dict[int, int]:
        """`payout_stock` by value in cents."""
        return {int(value): count for value, count in self.payout_stock.items()}
