import asyncio
from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from drivers.simulated.cctalk.coin_acceptor import COIN_VALUES_CENTS
from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.loop_rules import LoopRules
from tests.rigs.party import Party

NAMES = ("coins", "hopper", "bills")


class SharedLife(LoopRules):
    """Any order of coins, notes, payouts, power cuts, restarts, bad frames and pulled plugs on one wire."""

    def __init__(self) -> None:
        super().__init__()
        self.party = Party()
        self.forgotten = 0
        self.paying: asyncio.Task[object] | None = None
        self.notes = 0

    @initialize(echo=st.booleans())
    def start(self, *, echo: bool) -> None:
        self.party = Party(echo=echo)
        self.loop.run_until_complete(self.party.start())

    @rule(values=st.lists(st.sampled_from(COIN_VALUES_CENTS), min_size=1, max_size=5))
    def coins(self, values: list[int]) -> None:
        for value_cents in values:
            self.do(partial(self.party.slot.device.insert, value_cents))
            self.live(0.2)

    @rule(value_cents=st.sampled_from([500, 2000]))
    def note(self, value_cents: int) -> None:
        self.notes += 1
        self.do(partial(self.party.bills.device.insert, value_cents))

    @precondition(lambda self: self.paying is None)
    @rule(coins=st.integers(1, 6))
    def pay(self, coins: int) -> None:
        self.paying = self.loop.create_task(self.party.desk.attempts(coins))

    @rule(seconds=st.sampled_from([0.003, 0.05, 0.3, 1.0, 4.0]))
    def wait(self, seconds: float) -> None:
        self.live(seconds)

    @rule(
        kind=st.sampled_from(list(Kind)),
        way=st.sampled_from(list(Way)),
        frames=st.integers(1, 4),
        delay_s=st.sampled_from([0.05, 0.3]),
    )
    def misbehave(self, kind: Kind, way: Way, frames: int, delay_s: float) -> None:
        self.party.incident.delay_s = delay_s
        self.party.incident.inject(kind, frames, way=way)

    @rule(name=st.sampled_from(NAMES), on=st.booleans())
    def power(self, name: str, *, on: bool) -> None:
        party = self.party
        if name == "coins" and not on and party.slot.device.powered:
            # What the device has not reported yet is gone with its memory.
            self.forgotten += len(party.slot.accepted) - len(party.slot.books.credited) - self.forgotten
        device = {"coins": party.slot.device, "hopper": party.desk.device, "bills": party.bills.device}[name]
        self.do(lambda: device.power(on=on))

    @rule(name=st.sampled_from(NAMES))
    def restart(self, name: str) -> None:
        """A driver falls over whatever it was doing: its share of the line is closed under it."""
        if name == "coins":
            self.do(self.party.slot.driver.stop)
        elif name == "hopper":
            self.do(self.party.desk.hopper.stop)
        else:
            self.loop.run_until_complete(self.party.bills.kill())
            self.do(self.party.bills.run)

    @rule(seconds=st.sampled_from([0.0, 0.5, 3.0]))
    def pull_the_plug(self, seconds: float) -> None:
        self.do(self.party.line.unplug)
        self.live(seconds)
        self.do(self.party.line.plug)

    def teardown(self) -> None:
        """Let everything work again: each book is right, whatever happened to the two others."""
        party = self.party
        party.incident.forget()
        self.do(lambda: party.line.device.power(on=True))
        self.live(60.0)
        if self.paying is not None:
            self.loop.run_until_complete(asyncio.wait_for(self.paying, 300.0))
        self.live(10.0)
        left = iter(party.slot.accepted)
        assert all(value in left for value in party.slot.books.credited), "a credit without its coin"
        missing = len(party.slot.accepted) - len(party.slot.books.credited)
        assert 0 <= missing <= self.forgotten + party.slot.books.lost
        assert not party.slot.device.inhibited, "a device that works again takes coins again"
        assert party.desk.books.paid + party.desk.books.strays == len(party.desk.tray)
        books = party.bills.books
        assert books.escrow is None
        unsettled = sum(abs(item or 0) for item in books.open_items) + 5000 * books.open_items.count(None)
        assert abs(sum(party.bills.stacked) - books.credit_cents) <= unsettled
        assert len(party.bills.stacked) + len(party.bills.returned) == self.notes
        self.loop.run_until_complete(party.end())
        self.loop.close()


TestSharedLife = SharedLife.TestCase
TestSharedLife.settings = settings(max_examples=25, stateful_step_count=25)
