import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from drivers.capabilities import PayoutEnd
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.cash_desk import Desk
from tests.rigs.loop_rules import LoopRules


class PayoutLife(LoopRules):
    """Any order of crashes, power cuts, bad frames and locked books while a payout is going on."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.coins = 0
        self.paying: asyncio.Task[PayoutEnd] | None = None

    @initialize(coins=st.integers(1, 12), lifetime=st.sampled_from([0, (1 << 24) - 4]))
    def start(self, coins: int, lifetime: int) -> None:
        self.coins = coins
        self.desk.device.lifetime = lifetime
        self.desk.device.power(on=True)
        self.paying = self.loop.create_task(self.desk.cash_out(coins))
        self.live(1.0)

    @rule(seconds=st.sampled_from([0.003, 0.02, 0.1, 0.2, 0.5, 2.0]))
    def wait(self, seconds: float) -> None:
        self.live(seconds)

    @rule(
        kind=st.sampled_from(list(Kind)),
        way=st.sampled_from(list(Way)),
        frames=st.integers(1, 3),
        delay_s=st.sampled_from([0.05, 0.3]),
    )
    def misbehave(self, kind: Kind, way: Way, frames: int, delay_s: float) -> None:
        self.desk.incident.delay_s = delay_s
        self.desk.incident.inject(kind, frames, way=way)

    @precondition(lambda self: self.paying is not None)
    @rule()
    def crash(self) -> None:
        self.desk.crashed.set()
        self.live(0.01)

    @rule(on=st.booleans())
    def power(self, *, on: bool) -> None:
        self.desk.device.power(on=on)

    @rule(lock=st.integers(0, 2))
    def lock_the_books(self, lock: int) -> None:
        self.desk.books.lock = lock

    def teardown(self) -> None:
        """Let everything work again: what is booked is what fell, and it is the order, or what the end says."""
        if self.paying is None:
            return
        desk = self.desk
        desk.incident.forget()
        desk.books.lock = 0
        desk.device.power(on=True)
        end = self.loop.run_until_complete(asyncio.wait_for(self.paying, 300.0))
        self.live(5.0)
        self.loop.close()
        assert desk.books.paid == len(desk.tray)
        assert (len(desk.tray) == self.coins) is (end is PayoutEnd.DONE)
        assert end in {PayoutEnd.DONE, PayoutEnd.STOPPED}


TestPayoutLife = PayoutLife.TestCase
TestPayoutLife.settings = settings(max_examples=60, stateful_step_count=20)
