"""Credit that a host takes in the moment in which the player presses: the press finds too little, and nothing else."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, TypeVar

import pytest

from controller.configuration.tickets import Tickets
from controller.features.sas import transfers as host_transfers
from controller.features.sas.transfers import Transfer
from controller.journal.errors import RefusedError
from controller.journal.store import Store
from controller.journal.transaction import Transaction
from drivers.sas.transfers import IN_HOUSE_OUT
from tests.rigs.hosted import HostedRig
from tests.rigs.machine import PlainHopper, PlainPrinter

T = TypeVar("T")
CREDIT = 1000


class TakenStore(Store):
    """A store in which the host's transfer out of `cents` commits just before transaction `at` (0: the next one)."""

    at: ClassVar[int | None] = None
    cents: ClassVar[int] = CREDIT
    taken: ClassVar[bool] = False

    def transact(self, act: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `act`, after the transfer where that is due."""
        cls = type(self)
        if cls.at is not None:
            cls.at -= 1
            if cls.at < 0:
                cls.at = None
                try:
                    super().transact(lambda tx: host_transfers.move(tx, "host_port", out(cls.cents), into=False))
                except RefusedError:
                    pass
                else:
                    cls.taken = True
        return super().transact(act, durable=durable)


def out(cents: int) -> Transfer:
    """A whole transfer to the host."""
    return Transfer(
        position=0,
        transaction_id="A1",
        kind=IN_HOUSE_OUT,
        status=0,
        cents=cents,
        asked_cents=cents,
        flags=0,
        expiration="08182026",
        pool="0030",
        total_cents=0,
        at_ms=0,
    )


def cabinet(folder: Path, pays: str) -> HostedRig:
    """A cabinet that pays by hand, by hopper, or by ticket."""
    if pays == "ticket":
        tickets = Tickets(pays="all", takes=True, least_cents=100)
        return HostedRig(folder, printer=PlainPrinter(), tickets=tickets)
    return HostedRig(folder, hopper=PlainHopper() if pays == "hopper" else None)


@pytest.mark.parametrize("cents", [CREDIT, CREDIT - 1])
@pytest.mark.parametrize(
    ("control", "pays"), [("spin", ""), ("collect", ""), ("collect", "hopper"), ("collect", "ticket")]
)
async def test_a_transfer_before_any_step_of_a_press_locks_nothing(
    tmp_path: Path, control: str, pays: str, cents: int
) -> None:
    """Whatever has been looked at before: what is staked or paid is looked at as it is taken."""
    steps_taken = 0
    for at in range(6):
        folder = tmp_path / str(at)
        folder.mkdir()
        rig = cabinet(folder, pays)
        store = rig.store = type("Taken", (TakenStore,), {"cents": cents})
        async with rig:
            await rig.game(CREDIT)
            await rig.sas.exceptions()
            store.at = at
            await rig.press(control, 0.0)
            await asyncio.sleep(10.0)
            assert rig.shown in ("idle", "handpay", "lowest_bet"), f"before step {at}"
            assert rig.machine.journal.lock is None, f"before step {at}"
            await rig.journal.do(lambda tx: tx.prove())
            steps_taken += store.taken
            if store.taken:
                assert rig.credit <= CREDIT - cents
    assert steps_taken


async def test_the_player_reads_that_the_credit_is_too_low(tmp_path: Path) -> None:
    """As for any credit that does not suffice; no round is begun."""
    rig = HostedRig(tmp_path)
    store = rig.store = type("Taken", (TakenStore,), {})
    async with rig:
        await rig.game(CREDIT)
        store.at = 0
        await rig.press("spin", 0.0)
        await rig.until_true(lambda: store.taken)
        await asyncio.sleep(1.0)
        assert (rig.shown, rig.screen.view.message) == ("idle", "credit_below_lowest_bet")
        assert await rig.rows("SELECT count(*) FROM rounds") == [(0,)]
