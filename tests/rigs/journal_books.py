"""The journal itself as the books of a hopper, for drills: every call is the transaction that the cabinet runs."""

from collections.abc import Callable
from typing import TypeVar

from controller.hardware import hopper_books
from controller.journal import money, payouts
from controller.journal.faults import fault_over, raise_fault
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from drivers.capabilities import PayoutEnd, PayoutOrder, PayoutOutcome
from tests.rigs.cctalk_books import BooksLockedError

VALUE_CENTS = 100
SURE = ("hopper_overpaid",)
UNSURE = ("payout_held", "payout_undecided", "hopper_recount")

T = TypeVar("T")


class JournalBooks:
    """What a hopper's driver needs, on an open journal; a page is one order from its beginning.

    `announced` dispenses of this page; the next `lock` commits fail.
    """

    def __init__(self, store: Store) -> None:
        self.announced = 0
        self.lock = 0
        self.end: PayoutEnd | None = None
        self._store = store
        self._since = self._do(_position)

    def begin(self, coins: int, serial: int) -> None:
        """Put money in and begin its payout by hopper `serial`, counted at 0; earlier faults are cleared away."""

        def act(tx: Transaction) -> None:
            tx.execute("DELETE FROM faults")
            assert hopper_books.counted(tx, serial, 0, VALUE_CENTS)
            money.note_stacking(tx, coins * VALUE_CENTS)
            money.note_stacked(tx, coins * VALUE_CENTS)
            money.note_acknowledged(tx)
            payouts.begin_payout(tx, "hopper", coins * VALUE_CENTS, VALUE_CENTS)

        self._do(act)

    def order(self, coins: int) -> PayoutOrder:
        """The open payout, which is of so many coins."""
        order = hopper_books.order_of(self._do(payouts.required_payout))
        assert order.coins == coins
        return order

    async def ended(self, outcome: PayoutOutcome) -> None:
        """Write the payout's end with its faults, and pay what is left by hand."""

        def act(tx: Transaction) -> None:
            hopper_books.ended(tx, outcome)
            if tx.credit_cents:
                payouts.begin_payout(tx, "hand_pay", tx.credit_cents)
                payouts.confirm_hand_pay(tx)

        self._do(act)
        self.end = outcome.end

    async def device_fault(self, device: str, code: str, *, present: bool, detail: str = "") -> None:
        """Raise or clear."""
        self._do(lambda tx: raise_fault(tx, code, device, detail) if present else fault_over(tx, code, device))

    async def device_found(self, device: str, identity: str) -> None:
        """Identities are not drilled here."""

    async def dispensing(self, serial: int, event_counter: int, lifetime: int) -> None:
        """Commit the announcement."""
        self._commit(lambda tx: hopper_books.dispensing(tx, serial, event_counter, lifetime, VALUE_CENTS))
        self.announced += 1

    async def coin_paid(self, paid: int) -> None:
        """Commit one more coin."""
        self._commit(lambda tx: payouts.coin_paid(tx, paid))

    async def hopper_counted(self, serial: int, lifetime: int) -> bool:
        """Compare with the count kept, and keep the new one."""
        return self._commit(lambda tx: hopper_books.counted(tx, serial, lifetime, VALUE_CENTS))

    # what this page says

    @property
    def booked(self) -> int:
        """Coins on the meters since the page began."""
        return self._do(_position)[0] - self._since[0]

    @property
    def overpaid(self) -> int:
        """Coins in open items that are sure to have left."""
        return self._items(SURE)

    @property
    def unsure(self) -> int | None:
        """Coins that open items say may have left; None where one of them knows no amount."""
        rows = self._rows("SELECT kind, amount_cents FROM open_items WHERE id > ?", self._since[1])
        if any(kind in UNSURE and amount is None for kind, amount in rows):
            return None
        return self._items(UNSURE)

    def logged_codes(self) -> set[str]:
        """Codes of every event since the page began."""
        return {str(code) for (code,) in self._rows("SELECT code FROM events WHERE seq > ?", self._since[2])}

    def balance(self) -> None:
        """Prove the self-audit, and that nothing is left on the credit or open."""

        def act(tx: Transaction) -> None:
            tx.audit()
            assert tx.credit_cents == 0
            assert payouts.open_payout(tx) is None

        self._do(act)

    def _items(self, kinds: tuple[str, ...]) -> int:
        rows = self._rows("SELECT kind, amount_cents FROM open_items WHERE id > ?", self._since[1])
        return sum(amount or 0 for kind, amount in rows if kind in kinds) // VALUE_CENTS

    def _rows(self, sql: str, since: int) -> list[tuple[str, int]]:
        return self._do(lambda tx: tx.execute(sql, (since,)).fetchall())

    def _commit(self, act: Callable[[Transaction], T]) -> T:
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
        return self._do(act)

    def _do(self, act: Callable[[Transaction], T]) -> T:
        return self._store.transact(act)


def _position(tx: Transaction) -> tuple[int, int, int]:
    """The state of the books: coins paid ever, the newest open item, the newest ledger row."""
    sql = (
        "SELECT (SELECT coalesce(max(value), 0) FROM meters WHERE name = 'hopper_coins'),"
        " (SELECT coalesce(max(id), 0) FROM open_items), (SELECT coalesce(max(seq), 0) FROM ledger)"
    )
    coins, item, row = tx.execute(sql).fetchone()
    return coins, item, row
