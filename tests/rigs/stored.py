"""Whole cabinets whose device stores money: their books as a collector reads them, and an end in the middle."""

import asyncio

from controller.journal import periods, stored_money
from controller.journal.open_items import open_items
from controller.journal.transaction import Transaction, hard_figures
from tests.rigs.money_cabinets import RecyclerCabinet, SmartHopperCabinet

START_UP_S = 12.0
STORED = {500: 2, 1000: 3, 2000: 1}
STORED_CENTS = 6000


class Audited:
    """A cabinet and its books, read as a collector reads them."""

    def __init__(self, cabinet: RecyclerCabinet | SmartHopperCabinet) -> None:
        self.cabinet = cabinet

    async def read(self) -> dict[str, int]:
        """The meters, with the drop, what is stored by the books, and the open items."""
        assert self.cabinet.supervisor is not None

        def read(tx: Transaction) -> dict[str, int]:
            figures = periods.lifetime(tx)
            store = stored_money.store_of(tx)
            assert store is not None
            items = sum(item.amount_cents or 0 for item in open_items(tx))
            drop = hard_figures(figures).get("drop", 0)
            return {**figures, "drop": drop, "stored": store.cents, "items": items, "wanted": store.keep is not None}

        return await self.cabinet.supervisor.journal.do(read)

    async def want(self, keep: int) -> None:
        assert self.cabinet.supervisor is not None
        await self.cabinet.supervisor.machine.journal.do(lambda tx: stored_money.want(tx, keep, "technician"))

    async def events(self) -> list[str]:
        assert self.cabinet.supervisor is not None
        rows = await self.cabinet.supervisor.journal.do(
            lambda tx: tx.execute("SELECT text FROM events WHERE code LIKE 'store_%' ORDER BY seq").fetchall()
        )
        return [text for (text,) in rows]

    async def over(self) -> dict[str, int]:
        """Let everything come to rest; return the figures."""
        for _ in range(120):
            await asyncio.sleep(1.0)
            figures = await self.read()
            if not figures["wanted"] and self.cabinet.payer.store.operation is None:
                break
        await asyncio.sleep(3.0)
        return await self.read()


async def end(cabinet: RecyclerCabinet, *, mains: bool) -> None:
    """Kill the program, or cut the power, and start again."""
    await cabinet.crash()
    if mains:
        cabinet.mains(on=False)
        await asyncio.sleep(1.0)
        cabinet.mains(on=True)
    await cabinet.start()
