"""Setup of an MDB bill validator: its identity, its bills and which of them it may accept."""

from typing import Final

from drivers.currency import Currency, foreign
from drivers.errors import IdentityError
from drivers.mdb import protocol
from drivers.mdb.link import MdbLink
from drivers.mdb.protocol import Bill, BillSetup, Expansion, Identification, mask

IDENTIFY: Final = bytes((Bill.EXPANSION, Expansion.IDENTIFICATION))


class MdbBillSetup:
    """Identifies and enables the device; `values_cents` are the bill values in the cabinet's currency by type."""

    def __init__(self, link: MdbLink, currency: Currency, *, serial: int) -> None:
        self._link = link
        self._currency = currency
        self._serial = serial
        self._applied: frozenset[int] | None = None
        self.values_cents: dict[int, int] = {}
        self.number = 0
        """Serial number of the connected device."""
        self.known = False

    def __repr__(self) -> str:
        return f"<MdbBillSetup known={self.known} takes={sorted(self._applied or ())}>"

    @property
    def inhibited(self) -> bool:
        """Whether the device is known to be inhibited."""
        return self._applied == frozenset()

    def forget(self) -> None:
        """Forget the setup: the device was reset and must be set up again."""
        self._applied = None
        self.known = False

    async def identify(self) -> str:
        """Read the device's setup and identification, check them, and return its identity in words.

        Raise `IdentityError` for a wrong serial number, a device without bills or without escrow, `CurrencyError` for
        foreign bills.
        """
        link = self._link
        found = await link.agreed(bytes((Bill.SETUP,)), protocol.bill_setup)
        who = await link.agreed(IDENTIFY, protocol.identification)
        self._check(found, who)
        self.values_cents, self.number = found.values_cents, who.number
        self.known = True
        return f"{who}, level {found.level}"

    def _check(self, found: BillSetup, who: Identification) -> None:
        if self._serial not in {0, who.number}:
            raise IdentityError(
                f"{self._link.path}: the bill validator has serial number {who.number} ({who.serial}), cabinet.toml "
                f"says {self._serial}: put the right device back, or correct `serial`"
            )
        if found.currency != self._currency.code:
            raise foreign(self._link.path, [f"bills of {found.currency}"], self._currency)
        if not found.values_cents:
            raise IdentityError(f"{self._link.path}: the bill validator knows no bill: have it programmed")
        if not found.has_escrow:
            raise IdentityError(
                f"{self._link.path}: the bill validator has no escrow: fit one that holds a bill until it is accepted"
            )

    async def inhibit(self) -> None:
        """Inhibit all bills."""
        await self.apply(frozenset())

    async def apply(self, accepted_cents: frozenset[int]) -> None:
        """Enable exactly these bills, each with escrow; raise what the link raises."""
        kinds = frozenset(kind for kind, cents in self.values_cents.items() if cents in accepted_cents)
        if kinds == self._applied:
            return
        self._applied = None
        await self._link.order(bytes((Bill.BILL_TYPE,)) + mask(kinds) * 2)
        self._applied = kinds
