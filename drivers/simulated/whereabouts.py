"""The physical place of each coin, note and ticket of a simulated device, as found by opening it.

It is independent of what a device counts or reports: a device may report wrong amounts, this record stays true.
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
    """In a store from which it can be paid out: hopper, tubes, note store."""
    CASH_BOX = "cash_box"
    """The note cassette or the coins' cash box."""
    RETURNED = "returned"
    """Returned to the person who put it in, or pulled out."""
    BELOW = "below"
    """Fallen out of a coin acceptor into what lies below it: a hopper or the cash box."""
    PAID = "paid"
    """Paid into the tray or the player's hand."""
    LOOSE = "loose"
    """Fallen into the cabinet, where a technician finds it."""
    TAKEN = "taken"
    """Taken out, or carried away with the device, by a technician."""


Money = Mapping[Spot, Counter[Piece]]


@runtime_checkable
class HasMoney(Protocol):
    """A device that holds money or gave it back."""

    def money(self) -> Money:
        """Return what physically lies at each spot, independent of the device's counts and reports."""


def cents(money: Money) -> dict[str, int]:
    """Return the value of what lies at each spot, in cents; tickets count as 0, empty spots are left out."""
    worth = {
        str(spot): sum(piece * count for piece, count in pieces.items() if isinstance(piece, int))
        for spot, pieces in money.items()
    }
    return {spot: value for spot, value in worth.items() if value}


def together(*moneys: Money) -> dict[Spot, Counter[Piece]]:
    """Return the sum, spot by spot, of what lies in several devices."""
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
        """Add `count` pieces from outside at `spot`."""
        self._lies[spot][piece] += count

    def money(self) -> dict[Spot, Counter[Piece]]:
        """Return the pieces at each spot; empty spots are left out."""
        return {spot: +pieces for spot, pieces in self._lies.items() if +pieces}
