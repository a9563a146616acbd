"""Buying Mystery Elves' Hold and Win: asked about, staked at once, kept and replayed (games/mystery_elves/RULES.md)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.books.audit import audit
from controller.rounds.draws import seeded_source
from games.mystery_elves.pays import BUY_PRICE
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only

BET_CENTS = 10


@asynccontextmanager
async def elves(folder: Path, cents: int) -> AsyncIterator[Rig]:
    """A cabinet with Mystery Elves alone at the lowest bet, with this credit."""
    async with Rig(folder, config=only(folder, "mystery_elves"), draws=seeded_source(3)) as rig:
        await rig.game(cents)
        while rig.machine.play.bet.cents > BET_CENTS:
            await rig.press("lines")
        yield rig


async def to_the_end(rig: Rig) -> None:
    """Press SPIN at every offer until the round is over, and collect what may be gambled."""
    for _ in range(80):
        if rig.shown == "idle":
            return
        await rig.press({"offer": "spin", "gamble_offer": "collect"}.get(rig.shown, ""), 1.0)
    raise AssertionError(f"still {rig.shown}")


@pytest.mark.requirement("M2")
@pytest.mark.parametrize("yes", ["spin", "buy:yes"])
async def test_a_bought_round_stakes_its_price_once(tmp_path: Path, yes: str) -> None:
    """BUY asks, YES stakes 70 bets in one transaction, and the feature is won in that round."""
    async with elves(tmp_path, 1000) as rig:
        price = BUY_PRICE * BET_CENTS
        assert rig.screen.view.terms.buy_cents == price
        await rig.press("buy")
        assert (rig.shown, rig.screen.view.terms.buy_cents, rig.credit) == ("confirm", price, 1000)
        assert rig.front.lit == {"spin": "blink", "collect": "on", "service": "on"}
        await rig.press(yes)
        assert await rig.rows("SELECT price, stake_cents, credit_before_cents FROM rounds") == [
            (BUY_PRICE, price, 1000)
        ]
        await to_the_end(rig)
        assert b"RespinsWon" in b"".join(bytes(step) for show in rig.screen.shows for step in show)
        (row,) = await rig.rows("SELECT state, win_cents FROM rounds")
        assert row == ("settled", rig.credit - 1000 + price)
        assert await rig.meter("stakes") == price
    assert audit(tmp_path / "journal.sqlite", lambda _what, _done, _total: None).failures == []


@pytest.mark.requirement("G5")
@pytest.mark.parametrize("no", ["collect", "buy:no"])
async def test_nothing_is_bought_without_a_yes(tmp_path: Path, no: str) -> None:
    """NO leads back to the game with nothing staked and nothing paid out."""
    async with elves(tmp_path, 1000) as rig:
        await rig.press("buy")
        await rig.press(no)
        assert (rig.shown, rig.credit, await rig.meter("games")) == ("idle", 1000, 0)


async def test_only_what_the_credit_affords_is_sold(tmp_path: Path) -> None:
    """With a cent less than the price BUY is dead; a higher bet has a higher price."""
    async with elves(tmp_path, 500) as rig:
        assert "buy" not in rig.machine.states.controls
        await rig.note(500)
        assert "buy" in rig.machine.states.controls
        await rig.press("bet")
        assert (rig.screen.view.terms.buy_cents, "buy" in rig.machine.states.controls) == (1400, False)


@pytest.mark.requirement("P9")
async def test_two_presses_buy_once(tmp_path: Path) -> None:
    """A second YES on the same picture is dropped."""
    async with elves(tmp_path, 5000) as rig:
        await rig.press("buy")
        for _ in range(3):
            rig.machine.states.press("buy:yes")
        await rig.until("round")
        await to_the_end(rig)
        assert await rig.rows("SELECT count(*), sum(stake_cents) FROM rounds") == [(1, BUY_PRICE * BET_CENTS)]


async def test_nothing_is_sold_in_autospin_nor_in_other_games(tmp_path: Path) -> None:
    """BUY is a control of the idle Mystery Elves only."""
    async with elves(tmp_path, 5000) as rig:
        await rig.press("auto")
        assert "buy" not in rig.machine.states.controls
        await rig.press("auto:start")
        for _ in range(40):
            assert "buy" not in rig.machine.states.controls
            await rig.machine.clock.sleep(0.1)
        prices = await rig.rows("SELECT DISTINCT price FROM rounds")
        assert prices == [(1,)]
    for name in ("neptune", "witch_feature"):
        folder = tmp_path / name
        folder.mkdir()
        async with Rig(folder, config=only(folder, name)) as rig:
            await rig.game(5000)
            assert ("buy" in rig.machine.states.controls, rig.screen.view.terms.buy_cents) == (False, 0)


async def test_a_bought_round_survives_cuts(tmp_path: Path) -> None:
    """Cut after every press, the round goes on where it was; its price is staked once."""
    async with elves(tmp_path, 1000) as rig:
        await rig.press("buy")
        await rig.press("buy:yes")
        for _ in range(60):
            await rig.restart()
            await rig.until_true(lambda: rig.shown in ("offer", "gamble_offer"), 30.0)
            if rig.shown == "gamble_offer":
                break
            await rig.press("spin", 0.3)
        await to_the_end(rig)
        (row,) = await rig.rows("SELECT price, stake_cents, state, win_cents FROM rounds")
        assert row == (BUY_PRICE, BUY_PRICE * BET_CENTS, "settled", rig.credit - 1000 + BUY_PRICE * BET_CENTS)
