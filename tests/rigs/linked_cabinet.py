"""A cabinet of little more than books and a link: it bets, wins jackpots, voids, and is killed anywhere."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from controller.configuration.tickets import Tickets
from controller.features.venue.calls import Venue
from controller.features.venue.handing_over import keep_readings
from controller.features.venue.link import Link
from controller.features.venue.membership import accept, is_joined
from controller.features.venue.reports import Reports
from controller.journal import rounds
from controller.journal.actor import Role
from controller.journal.journal import _Durable
from controller.journal.open_items import Resolution, open_items
from controller.journal.parts import pools_for_new_round, pools_of
from controller.journal.pools import PoolKey
from controller.journal.receipt import Receipt
from controller.journal.resolutions import resolve_item
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from drivers.clock import LoopClock
from tests.rigs.books import laid, segment, wager
from tests.rigs.pool_contract import KEY, RULE

T = TypeVar("T")
_NEWEST = "SELECT pool, seq FROM venue_meters WHERE seq > 0 AND epoch = (SELECT epoch FROM venue)"


class KilledError(BaseException):
    """The process ends here: nothing catches it."""


class Steps:
    """Counts the steps of a cabinet, and kills it before the one that is named."""

    def __init__(self, kill_at: int = 0) -> None:
        self.number = 0
        self.kill_at = kill_at

    def step(self) -> None:
        """Come to the next step."""
        self.number += 1
        if self.number == self.kill_at:
            raise KilledError


class StoreBooks:
    """A `Store` as the link's books; each transaction is two steps, before it and after it."""

    def __init__(self, store: Store, steps: Steps) -> None:
        self.path = store.path
        self._store = store
        self._steps = steps

    async def do(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run one transaction."""
        self._steps.step()
        result = self._store.transact(act, durable=durable)
        self._steps.step()
        await asyncio.sleep(0)
        return result

    async def commit(self, act: Callable[[Transaction], T]) -> Receipt[T]:
        """Run one transaction; the store makes all of them durable."""
        return _Durable(await self.do(act))


class LinkedCabinet:
    """The cabinet; `start`, `kill` and `restart` it, and `drain` until everything has arrived. `async with` runs it."""

    identity = "ab" * 32
    info: Mapping[str, Any] = {"name": "test"}

    def __init__(self, folder: Path, venue: Venue, *, key: PoolKey = KEY, now_ms: int = 0) -> None:
        self.path = folder / "journal.sqlite"
        self.venue = venue
        self.key = key
        self.now_ms = now_ms
        self.steps = Steps()
        self.changes = 0
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.kill()

    async def status(self) -> Receipt[Mapping[str, Any]]:
        """Little to report."""
        return _Durable({"state": "idle"})

    async def changed(self) -> None:
        """Count the changes."""
        self.changes += 1

    async def start(self) -> None:
        """Open the books, with money the first time, and begin the link."""
        new = not self.path.exists()
        self.store = Store(laid(self.path), lambda: self.now_ms, simulated=True)
        if new:
            self.do(lambda tx: tx.post("coin", credit=10_000_000, meters={"coins_in": 10_000_000}))
        self.books = StoreBooks(self.store, self.steps)
        self.link = Link(self.books, Reports(self.venue), LoopClock(), self, jitter=lambda: 0.5)
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.link.run())
                tasks.create_task(keep_readings(self.books, LoopClock()))
        except* KilledError:
            pass

    async def kill(self) -> None:
        """End it wherever it is."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._task = None
        self.store.close()

    async def restart(self) -> None:
        """Kill it and start it again."""
        await self.kill()
        self.steps = Steps()
        await self.start()

    @property
    def is_killed(self) -> bool:
        """Whether a step has killed the link."""
        return self._task is None or self._task.done()

    def do(self, act: Callable[[Transaction], T]) -> T:
        """Run one transaction of the game's."""
        return self.store.transact(act)

    async def until(self, holds: Callable[[], bool], seconds: float = 300.0) -> None:
        """Let time pass until `holds()`; fail after `seconds` of it, or where the link has died."""
        for _ in range(int(seconds / 0.25)):
            if holds():
                return
            if self._task is not None and self._task.done():
                self._task.result()
            await asyncio.sleep(0.25)
        raise AssertionError(f"nothing comes: {self.link.state}")

    # play

    @property
    def may_play(self) -> bool:
        """Whether the machine would let a round of the linked pool begin."""
        return not self.link.closed(self.key)

    @property
    def open_round(self) -> int:
        """The open round, 0 for none."""
        row = self.do(lambda tx: tx.execute("SELECT id FROM rounds WHERE state = 'open'").fetchone())
        return int(row[0]) if row else 0

    def bet(self, cents: int, *, jackpot: bool = False) -> int:
        """Begin a round, and end it unless it has won the jackpot; return its number."""

        def act(tx: Transaction) -> int:
            pools = pools_for_new_round(tx)
            assert pools.playable(self.key)
            number = rounds.begin(tx, wager(cents), "null", segment(0, ends=not jackpot))
            pools.contribute(self.key, RULE, number, cents)
            return number

        return self.do(act)

    def go_on(self) -> bool:
        """Let the open round's jackpot be paid, where it is answered; return whether no round is open any more."""
        number = self.open_round
        if not number:
            return True
        coins = self.do(lambda tx: pools_of(tx, number).ask(self.key, RULE, number, 1))
        self.link.ask_now()
        if coins is None or not self.link.state.confirmed:
            return False

        def act(tx: Transaction) -> None:
            assert pools_of(tx, number).claim(self.key, RULE, number, 1) == coins
            rounds.proceed(tx, number, segment(coins * self.key.coin_value_cents, ends=True, answer=coins))

        self.do(act)
        return True

    async def finish(self) -> None:
        """Play the open round to its end."""
        await self.until(self.go_on)

    def void(self) -> None:
        """Void the open round, as one that cannot be replayed."""
        number = self.open_round
        if number:
            self.do(lambda tx: (rounds.void(tx, number, "a test"), pools_of(tx, number).void(self.key, number)))

    def accept(self) -> None:
        """A technician accepts what the venue contradicts."""
        self.do(lambda tx: accept(tx, "Ada", Tickets()))
        self.link.try_now()

    def resolve(self, way: Resolution) -> None:
        """Decide every open item in this way, where that is possible."""
        for item in self.do(open_items):
            if way in item.ways:
                self.do(
                    lambda tx: resolve_item(
                        tx,
                        item.id,  # noqa: B023 - called in this pass
                        way,
                        Role.TECHNICIAN,
                        amount_cents=item.amount_cents or 0,  # noqa: B023
                        reason="a test",
                    )
                )

    # what is in the books

    def rows(self, sql: str) -> list[Any]:
        """Ask the books."""
        return self.do(lambda tx: tx.execute(sql).fetchall())

    @property
    def joined(self) -> bool:
        """Whether the cabinet plays for the venue's pools."""
        return self.do(is_joined)

    @property
    def claims(self) -> dict[tuple[int, int, int], tuple[int, int, int, int] | None]:
        """Each claim with its pool, award, hit and seed; None for one without an answer."""
        sql = "SELECT epoch, round_id, number, pool, award, hit, seed FROM venue_claims"
        return {(row[0], row[1], row[2]): None if row[4] is None else tuple(row[3:]) for row in self.rows(sql)}

    @property
    def paid_cents(self) -> int:
        """What rounds and attendants have paid for jackpots: all wins, since nothing else wins here."""
        (row,) = self.rows(
            "SELECT coalesce((SELECT value FROM meters WHERE name = 'wins'), 0)"
            " - coalesce((SELECT value FROM meters WHERE name = 'wins_voided'), 0)"
        )
        return int(row[0])

    def is_drained(self) -> bool:
        """Whether the venue has everything, as far as the cabinet knows."""
        unsent = self.rows(
            "SELECT (SELECT count(*) FROM venue_events WHERE sent = 0)"
            " + (SELECT count(*) FROM venue_claims WHERE state = 'asked')"
        )[0][0]
        head, _ = self.do(lambda tx: tx.head)
        meters = dict(self.rows(_NEWEST))
        return (
            not unsent
            and meters == self.link._put
            and self.link.state.since_ms is not None
            and self.link._handing_over.row == head
        )
