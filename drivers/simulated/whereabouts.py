"""Where each coin, note and ticket of a simulated device physically is, as a hand that opens it would find it.

Nothing that a device counts or reports goes into this: a device may lie about its money, its whereabouts never do.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol, runtime_checkable

Piece = int | str
"""A coin or note, by its value in cents, or a ticket, by the number in its barcode."""


class Spot(StrEnum):
    """A place where money lies."""

    PATH = "path"
    """Inside the device: being read, in escrow, on its way, jammed."""
    STORE = "store"
    """What it can pay out again: hopper, tubes, note store."""
    CASH_BOX = "cash_box"
    """The note cassette or the coins' cash box."""
    RETURNED = "returned"
    """Given back to who put it in, or pulled out again."""
    BELOW = "below"
    """Fallen out of a coin acceptor into what lies below it: a hopper or the cash box."""
    PAID = "paid"
    """Given out into the tray or the player's hand."""
    LOOSE = "loose"
    """Fallen into the cabinet, where a technician finds it."""
    TAKEN = "taken"
    """Taken out, or carried away with the device, by a technician."""


Money = Mapping[Spot, Counter[Piece]]


@runtime_checkable
class HasMoney(Protocol):
    """A device that holds money or gave it back."""

    def money(self) -> Money:
        """What lies where, whatever it counts or reports."""


def cents(money: Money) -> dict[str, int]:
    """Return the worth of what lies at each spot, in cents; tickets are worth nothing, empty spots are left out."""
    worth = {
        str(spot): sum(piece * count for piece, count in pieces.items() if isinstance(piece, int))
        for spot, pieces in money.items()
    }
    return {spot: value for spot, value in worth.items() if value}


def together(*moneys: Money) -> dict[Spot, Counter[Piece]]:
    """Return what lies at each spot of all of them."""
    lies: dict[Spot, Counter[Piece]] = {}
    for money in moneys:
        for spot, pieces in money.items():
            lies.setdefault(spot, Counter()).update(pieces)
    return {spot: +pieces for spot, pieces in lies.items() if +pieces}


class Whereabouts:
    """The pieces that were put into a device, by spot."""

    def __init__(self) -> None:
        self._lies: dict[Spot, Counter[Piece]] = {spot: Counter() for spot in Spot}

    def __repr__(self) -> str:
        return f"<Whereabouts {cents(self._lies)}>"

    def put(self, piece: Piece, spot: Spot, count: int = 1) -> None:
        """Have `count` pieces come to `spot` from outside."""
        self._lies[spot][piece] += count

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return what lies where; empty spots are left out."""
        return {spot: +pieces for spot, pieces in self._lies.items() if +pieces}
