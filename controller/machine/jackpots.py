"""The progressive jackpots for the game's flow: the cabinet's own pools, or those of a keeper (the venue's link).

A claim of a linked pool is stored before anything of it is shown, and paid once the venue has answered. Until then this
cabinet waits: for `PATIENCE_S` without a message, then with one for the player and the attendant.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from controller.faults import VENUE_LEFT, ActiveFault
from controller.journal.errors import RefusedError
from controller.journal.parts import has_linked_pools, leave_linked_pools, pools_of
from controller.journal.pools import MILLI, JournalPools, PoolKey, pools_cents
from controller.journal.transaction import Transaction
from controller.machine.conditions import Conditions
from controller.machine.journal_port import JournalPort
from controller.machine.state_machine import StateMachine
from drivers.clock import Clock
from gamekit.play import PoolRule

PATIENCE_S = 5.0
"""How long the venue's answer may take before the screen says that the amount will follow."""
LOOK_S = 1.0


class Keeper(Protocol):
    """Keeps the linked pools, as the machine sees it; no method waits."""

    @property
    def confirmed(self) -> bool:
        """Whether an answered claim may be paid: the venue has confirmed the cabinet's epoch since the start."""

    @property
    def amounts(self) -> Mapping[PoolKey, int]:
        """The value of each pool at the last successful query, in 1/1000 cent."""

    def closed(self, key: PoolKey) -> str:
        """Return the message code for why no new round may be played for a pool, or an empty string."""

    def active(self) -> list[ActiveFault]:
        """Return the conditions of the venue that stop play or need a person, as faults with their places."""

    def ask_now(self) -> None:
        """Request the answers of stored claims at once."""


class PoolReport(NamedTuple):
    """A linked pool for the service menu: its game, coin value in cents, amount in 1/1000 cent, and state."""

    game: str
    coin: int
    amount: int
    state: str


class VenueReport(NamedTuple):
    """The link's state for the service menu; times are by the cabinet's clock.

    `error` is the message of the venue or the line. `row` and `put` are what the venue certainly has: the newest ledger
    row, and by pool the newest contribution of the epoch; they are empty without a session.
    """

    since_ms: int | None
    beat_ms: int | None
    error: str
    pools: tuple[PoolReport, ...]
    row: int = 0
    put: Mapping[int, int] = {}


class VenueDesk(Protocol):
    """The venue's link for the service menu."""

    def report(self) -> VenueReport:
        """Return the link's state."""

    def refuse_unless_handed_over(self, tx: Transaction) -> None:
        """Raise `RefusedError` unless the venue certainly has all of these books that other books would not have."""

    def look_again(self) -> None:
        """Check again whether the books contain what a technician has accepted."""

    async def enrol(self, code: str) -> int:
        """Enrol with a one-time code; return the cabinet's number. Raises `RefusedError`."""


class Jackpots:
    """The pools of one machine; without a keeper they are its own."""

    def __init__(self, journal: JournalPort, conditions: Conditions, states: StateMachine, clock: Clock) -> None:
        self.waits = False
        self._journal = journal
        self._conditions = conditions
        self._states = states
        self._clock = clock
        self._keeper: Keeper | None = None
        self._joined = False

    def __repr__(self) -> str:
        return f"<Jackpots {'linked' if self._keeper is not None else 'own'}{' waiting' if self.waits else ''}>"

    def fit(self, keeper: Keeper) -> None:
        """Play for the pools of `keeper`, from the next start on."""
        self._keeper = keeper

    def at_start(self, tx: Transaction) -> None:
        """Return to the cabinet's own pools if there is no keeper any more, unless a round is still open."""
        self._joined = has_linked_pools(tx)
        if self._keeper is None and self._joined:
            try:
                self._joined = not leave_linked_pools(tx)
            except RefusedError:  # the round may wait for the venue's answer: put [venue] back into cabinet.toml
                self._joined = True

    def active(self) -> list[ActiveFault]:
        """Return the conditions of a jackpot or the venue that stop play."""
        waiting = [ActiveFault("jackpot_waits", "")] if self.waits else []
        return waiting if self._keeper is None else [*waiting, *self._keeper.active()]

    def closed(self, key: PoolKey) -> str:
        """Return the message code for why no new round may be played for a pool, or an empty string."""
        if self._keeper is not None:
            return self._keeper.closed(key)
        return VENUE_LEFT if self._joined else ""

    async def cents(self, rules: Mapping[PoolKey, PoolRule]) -> dict[PoolKey, int]:
        """Return the value of each of these pools in whole cents, or the seed of a pool that was never seen."""
        if self._keeper is None and not self._joined:
            return await self._journal.do(lambda tx: pools_cents(tx, rules)) if rules else {}
        amounts = {} if self._keeper is None else self._keeper.amounts
        return {
            key: amounts.get(key, rule.seed_coins * key.coin_value_cents * MILLI) // MILLI
            for key, rule in rules.items()
        }

    async def answer(self, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> int:
        """Return the coins that a round's `number`-th claim is paid; this may wait until the venue is back."""
        began = self._clock.now()
        try:
            while True:
                coins, linked = await self._journal.do(lambda tx: _ask(tx, key, rule, round_id, number))
                if coins is not None and (not linked or (self._keeper is not None and self._keeper.confirmed)):
                    return coins
                if self._keeper is not None:
                    self._keeper.ask_now()
                if self._clock.now() - began >= PATIENCE_S:
                    self._wait(waits=True)
                await self._states.next_input(LOOK_S)
        finally:
            self._wait(waits=False)

    def _wait(self, *, waits: bool) -> None:
        if waits is not self.waits:
            self.waits = waits
            self._conditions.update()
            self._states.new_turn()


def _ask(tx: Transaction, key: PoolKey, rule: PoolRule, round_id: int, number: int) -> tuple[int | None, bool]:
    pools = pools_of(tx, round_id)
    return pools.ask(key, rule, round_id, number), not isinstance(pools, JournalPools)
