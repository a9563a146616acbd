"""The soak's books are written on the loop's own thread, whatever the journal does there by itself."""

import threading
from pathlib import Path
from typing import ClassVar

from controller.journal.journal import Journal
from controller.journal.store import Store
from tests.rigs.books import laid
from tests.soak.day_loop import AtOnce, run_day


class Watched(Store):
    """A store that notes on which threads it is tidied, and whether that was due."""

    tidied: ClassVar[list[tuple[int, bool]]]

    def tidy(self) -> None:
        """Tidy as a store does."""
        self.tidied.append((threading.get_ident(), self.is_untidy))
        super().tidy()


def test_no_checkpoint_comes_between_the_steps_of_a_transaction(tmp_path: Path) -> None:
    """One on another thread finds the connection within a transaction when the machine is busy, and locks it up."""
    tidied: list[tuple[int, bool]] = []
    kind = type("Watching", (Watched,), {"tidied": tidied})

    async def lived() -> None:
        path = laid(tmp_path / "journal.sqlite")
        journal = Journal(lambda: kind(path, lambda: 0, simulated=True), thread=AtOnce())
        while not any(due for _, due in tidied):
            await journal.do(lambda tx: tx.post("coin", credit=200, meters={"coins_in": 200}))
        journal.close()

    run_day(lived())
    assert {thread for thread, _ in tidied} == {threading.get_ident()}
