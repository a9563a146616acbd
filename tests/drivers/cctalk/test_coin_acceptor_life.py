import asyncio
from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from drivers.simulated.cctalk.coin_acceptor import COIN_VALUES_CENTS
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.coin_slot import Slot
from tests.rigs.loop_rules import LoopRules


class CoinLife(LoopRules):
    """Any order of coins, crashes, resets, refusals, locked books and bad frames."""

    def __init__(self) -> None:
        super().__init__()
        self.slot = Slot()
        self.serving: asyncio.Task[None] | None = None
        self.forgotten = 0

    @initialize()
    def start(self) -> None:
        self.do(lambda: self.slot.device.power(on=True))
        self.boot()
        self.live(2.0)

    @precondition(lambda self: self.serving is None)
    @rule()
    def boot(self) -> None:
        self.serving = self.loop.create_task(self.slot.serve())

    @precondition(lambda self: self.serving is not None)
    @rule()
    def crash(self) -> None:
        assert self.serving is not None
        self.loop.run_until_complete(self.slot.crash(self.serving))
        self.serving = None

    @rule(values=st.lists(st.sampled_from(COIN_VALUES_CENTS), min_size=1, max_size=7))
    def insert(self, values: list[int]) -> None:
        for value_cents in values:
            self.do(partial(self.slot.device.insert, value_cents))

    @rule(code=st.sampled_from([1, 2, 14, 20, 130]))
    def reject(self, code: int) -> None:
        self.do(lambda: self.slot.device.reject(code))

    @rule(seconds=st.sampled_from([0.003, 0.02, 0.1, 0.3, 1.0, 3.0]))
    def wait(self, seconds: float) -> None:
        self.live(seconds)

    @rule(
        kind=st.sampled_from(list(Kind)),
        way=st.sampled_from(list(Way)),
        frames=st.integers(1, 4),
        delay_s=st.sampled_from([0.05, 0.3, 0.8]),
    )
    def misbehave(self, kind: Kind, way: Way, frames: int, delay_s: float) -> None:
        self.slot.misbehaviour.delay_s = delay_s
        self.slot.misbehaviour.inject(kind, frames, way=way)

    @rule(on=st.booleans())
    def power(self, *, on: bool) -> None:
        if not on and self.slot.device.powered:
            # What the device has not reported yet is gone with its memory.
            self.forgotten += len(self.slot.accepted) - len(self.slot.books.credited) - self.forgotten
        self.do(lambda: self.slot.device.power(on=on))

    @rule(enabled=st.booleans())
    def accept(self, *, enabled: bool) -> None:
        self.slot.accept(enabled=enabled)

    @rule(lock=st.integers(0, 2), lose_reply=st.integers(0, 1))
    def trouble_with_the_books(self, lock: int, lose_reply: int) -> None:
        self.slot.books.lock, self.slot.books.lose_reply = lock, lose_reply

    def teardown(self) -> None:
        """Let everything work again; then nothing was booked twice and every gap is accounted for."""
        slot = self.slot
        slot.misbehaviour.forget()
        slot.books.lock = slot.books.lose_reply = 0
        self.do(lambda: slot.device.power(on=True))
        if self.serving is None:
            self.boot()
        slot.accept(enabled=True)
        self.live(12.0)
        self.crash()
        self.loop.close()
        left = iter(slot.accepted)
        assert all(value in left for value in slot.books.credited), "a credit without its coin"
        missing = len(slot.accepted) - len(slot.books.credited)
        assert 0 <= missing <= self.forgotten + slot.books.lost
        assert not slot.device.inhibited, "a device that works again takes coins again"


TestCoinLife = CoinLife.TestCase
TestCoinLife.settings = settings(max_examples=60, stateful_step_count=30)
