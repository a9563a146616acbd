"""The journal itself as the books of a coin acceptor, for drills: each call is a transaction that the cabinet runs."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from controller.journal import money
from controller.journal.store import Store
from controller.journal.transaction import HARD_METER_OF, Transaction
from drivers.capabilities import CoinMemory, CoinReport, CoinWay
from tests.rigs.cctalk_books import BooksLockedError
from tests.rigs.coin_windows import WindowBook

T = TypeVar("T")


class CoinJournal(WindowBook):
    """A `CoinListener` on an open journal; a page is what one acceptor brought since the page began.

    `lost` events of it are open items. The next `lock` commits fail. `at_commit` is called with the number of each
    commit from 1 on, and 0 before and 1 after it; what it answers true to never returns, as a process that died.
    """

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.lock = 0
        self.commits = 0
        self.at_commit: Callable[[int, int], bool] = lambda _number, _done: False
        self.lost = self.lost_cents = self.boots = 0
        self._store = store
        self._do(lambda tx: money.coins_fall(tx, CoinWay.CASH_BOX))
        (self._since,) = self._do(lambda tx: tx.execute("SELECT coalesce(max(seq), 0) FROM ledger").fetchone())

    async def coin_memory(self, serial: int) -> CoinMemory | None:
        """What was committed last."""
        return self.with_window(serial, self._do(lambda tx: money.coin_memory(tx, serial, self.boot)))

    async def coins_wanted(self, serial: int) -> None:
        """Commit that coins may come."""
        await self._commit(lambda tx: money.coins_rest(tx, serial, rest=False))

    async def coins_at_rest(self, serial: int) -> None:
        """Commit that none may."""
        await self._commit(lambda tx: money.coins_rest(tx, serial, rest=True))

    def mains_cut(self) -> None:
        """The computer is started anew."""
        self.boots += 1

    @property
    def boot(self) -> str:
        """What names this start of the computer."""
        return f"boot {self.boots}"

    async def coin_way(self) -> CoinWay:
        """Where coins were last said to fall."""
        return self._do(money.coin_way)

    async def coin_diagnostic(self, serial: int) -> str:
        """No test is drilled here."""
        del serial
        return ""

    async def set_coin_diagnostic(self, serial: int, test: str) -> None:
        """No test is drilled here."""

    async def coins(self, report: CoinReport) -> None:
        """Commit counter and credit together."""

        def act(tx: Transaction) -> None:
            money.book_coins(tx, report, self.boot)
            self.lost += report.lost
            self.lost_cents += report.lost_cents or 0

        await self._commit(act)

    async def coins_fall(self, way: CoinWay) -> None:
        """Commit where they fall from now on."""
        await self._commit(lambda tx: money.coins_fall(tx, way))

    # what this page says

    @property
    def credited(self) -> list[int]:
        """The coins credited, oldest first."""
        return [value for value, _ in self._coins()]

    @property
    def fell(self) -> list[str]:
        """Which way each credited coin fell."""
        return [way for _, way in self._coins()]

    def balance(self) -> None:
        """Prove the self-audit, and that the drop meter counts what did not go to the hopper."""

        def act(tx: Transaction) -> None:
            tx.audit()
            figures = dict(tx.execute("SELECT name, value FROM meters").fetchall())
            dropped = figures.get("coins_in", 0) - figures.get("coins_to_hopper", 0)
            (owed,) = tx.execute("SELECT coalesce(sum(owed), 0) FROM hard_meters WHERE name = 'drop'").fetchone()
            assert HARD_METER_OF["coins_in"] == "drop"
            assert owed == dropped

        self._do(act)

    def _coins(self) -> list[tuple[int, str]]:
        sql = (
            "SELECT credit_delta, json_extract(data, '$.way') FROM ledger WHERE kind = 'coin' AND seq > ? ORDER BY seq"
        )
        return self._do(lambda tx: tx.execute(sql, (self._since,)).fetchall())

    async def _commit(self, act: Callable[[Transaction], T]) -> T:
        self.commits += 1
        number = self.commits
        if self.at_commit(number, 0):
            await asyncio.get_running_loop().create_future()
        if self.lock:
            self.lock -= 1
            raise BooksLockedError
        result = self._do(act)
        if self.at_commit(number, 1):
            await asyncio.get_running_loop().create_future()
        return result

    def _do(self, act: Callable[[Transaction], T]) -> T:
        return self._store.transact(act)
