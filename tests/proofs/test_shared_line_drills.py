"""Drills of a shared ccTalk line: coins, a note and a payout at once, and something goes wrong at a frame of it.

Whatever it is, and whichever of the three devices it strikes, each one's books are right, and the two others' too.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from drivers.simulated.misbehaviour import Kind, Way
from tests.rigs.party import Party

pytestmark = pytest.mark.proof

NOTE = 2000
COINS_OUT = 2
SPOTS = 14
"""Frames of each way at which each trouble is tried, spread over the whole dialogue."""

Trouble = Callable[[Party, Way], object]


class Life(Party):
    """One case."""

    def __init__(self, *, echo: bool) -> None:
        super().__init__(echo=echo)
        self.forgotten = 0
        self.lived: dict[Way, int] = {}

    def cut(self, *devices: Any) -> None:
        """These devices lose power for a second."""
        if self.slot.device in devices:
            self.forgotten += len(self.slot.accepted) - len(self.slot.books.credited) - self.forgotten
        for device in devices:
            device.power(on=False)
            asyncio.get_running_loop().call_later(1.0, partial(device.power, on=True))

    def pull(self) -> None:
        """The one plug of all of them."""
        self.line.unplug()
        asyncio.get_running_loop().call_later(1.0, self.line.plug)


def inject(party: Party, way: Way, *, kind: Kind, frames: int = 1, delay_s: float = 0.3) -> None:
    """The next frames go wrong."""
    party.incident.delay_s = delay_s
    party.incident.inject(kind, frames, way=way)


TROUBLES: dict[str, Callable[[Life, Way], object]] = {
    **{kind.value: partial(inject, kind=kind) for kind in Kind},
    "very late": partial(inject, kind=Kind.DELAY, delay_s=0.9),
    "eight lost": partial(inject, kind=Kind.DROP, frames=8),
    "coin acceptor's power": lambda life, _way: life.cut(life.slot.device),
    "hopper's power": lambda life, _way: life.cut(life.desk.device),
    "validator's power": lambda life, _way: life.cut(life.bills.device),
    "all power": lambda life, _way: life.cut(life.slot.device, life.desk.device, life.bills.device),
    "coin acceptor's driver": lambda life, _way: life.slot.driver.stop(),
    "hopper's driver": lambda life, _way: life.desk.hopper.stop(),
    "plug": lambda life, _way: life.pull(),
}


async def play(way: Way, at: int, trouble: Callable[[Life, Way], object], *, echo: bool = False) -> Life:
    """Live through one case, and let everything come to rest."""
    life = Life(echo=echo)

    await life.start()
    life.incident.expect(way, at, lambda: trouble(life, way))
    before = dict(life.incident.carried)
    paying = asyncio.create_task(life.desk.attempts(COINS_OUT))
    life.bills.device.insert(NOTE)
    for value_cents in (200, 50, 100, 10):
        life.slot.device.insert(value_cents)
        await asyncio.sleep(0.35)
    await asyncio.sleep(0.4)
    life.lived = {each: count - before[each] for each, count in life.incident.carried.items()}
    await asyncio.sleep(1.2)
    life.incident.forget()
    await asyncio.wait_for(paying, 300.0)
    await asyncio.sleep(14.0)
    assert life.slot.device.insert(100), "a device that works again takes coins again"
    await asyncio.sleep(1.5)
    await life.end()

    return life


def account(life: Life, where: str) -> None:
    """Hold each device's books to what lies where."""
    coins = life.slot.books
    left = iter(life.slot.accepted)
    assert all(value in left for value in coins.credited), f"{where}: a credit without its coin"
    missing = len(life.slot.accepted) - len(coins.credited)
    assert missing <= life.forgotten + coins.lost, f"{where}: {missing} coins missing"
    paid = life.desk.books
    assert paid.paid + paid.strays == len(life.desk.tray), f"{where}: {paid.paid} paid, tray {life.desk.tray}"
    bills = life.bills
    assert bills.books.escrow is None, where
    assert len(bills.stacked) + len(bills.returned) == 1, where
    if not bills.books.open_items:
        assert bills.books.credit_cents == sum(bills.stacked), where
    else:
        assert bills.books.credit_cents == 0, where


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_what_strikes_one_device_harms_no_others_books(
    trouble: str, record_property: Callable[[str, Any], None]
) -> None:
    """Lost, late, garbled, repeated frames, power cuts, restarts and the plug, at frames all over the dialogue."""
    cases = 0
    for way, most in (await play(Way.TO_HOST, -1, lambda _life, _way: None)).lived.items():
        for at in range(0, most, max(1, most // SPOTS)):
            life = await play(way, at, TROUBLES[trouble], echo=at % 2 == 1)
            account(life, f"{trouble} at frame {at} {way}")
            cases += 1
    record_property("proof", f"shared ccTalk line: {trouble} at {cases} frames")
