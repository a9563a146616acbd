"""Doubling a win on the machine: by buttons alone, by touch alone, with what is at risk shown and never credited."""

from pathlib import Path

import pytest

from controller.play.playing import ABSENT_MINUTES
from games.double_up import BLACK, COLLECT, HALVE, RED
from games.play import Draw
from tests.controller.machine_rig import Rig
from tests.controller.virtual_cabinet import only
from tests.games.bewitched_table import MOONS, MOONS_AND_MERLINS, jackpot
from tests.games.table import Script
from tests.virtual_time import run_virtual

RED_CARD, BLACK_CARD = 0, 1


def bewitched(folder: Path, *values: int) -> Rig:
    """A cabinet with Bewitched alone, whose rounds draw `values` and then zeros."""
    script = Script([*values, *[0] * 50])

    def draws(_round: int, _segment: int) -> Draw:
        return script

    return Rig(folder, draws=draws, cabinet=only(folder, "bewitched"))


async def to_the_double(rig: Rig) -> int:
    """Spin to the offer to double; return the credit there."""
    await rig.game(2000)
    await rig.press("spin")
    await rig.until("offer")
    return rig.credit


def test_what_is_at_risk_is_shown_and_not_credited(tmp_path: Path) -> None:
    """The line win stands in WIN and at risk from the reels on, the credit has none of it before COLLECT."""

    async def play() -> None:
        async with bewitched(tmp_path, *MOONS) as rig:
            credit = await to_the_double(rig)
            view = rig.screen.view
            assert credit == 2000 - rig.machine.bet.cents == view.credit_cents
            assert view.at_risk_cents == view.win_cents > 0
            assert {"choice:0", "choice:1", "choice:2", "collect", "spin", "lines", "bet"} <= set(view.controls)
            assert rig.front.lit["collect"] == "on"
            at_risk = view.at_risk_cents
            await rig.press("collect")
            await rig.until("idle")
            assert rig.credit == rig.screen.view.credit_cents == credit + at_risk
            assert (rig.screen.view.win_cents, rig.screen.view.at_risk_cents) == (at_risk, 0)

    run_virtual(play())


@pytest.mark.parametrize("by", ["buttons", "fingers"])
def test_a_right_guess_doubles_and_a_wrong_one_loses(tmp_path: Path, by: str) -> None:
    """RED by cursor or by touch: the amount at risk doubles; BLACK on a red card then loses all of it."""

    async def play() -> None:
        async with bewitched(tmp_path, *MOONS, RED_CARD, RED_CARD) as rig:
            credit = await to_the_double(rig)
            at_risk = rig.screen.view.at_risk_cents
            assert rig.screen.view.focus == f"choice:{COLLECT}"
            await (guess(rig, "bet", "spin") if by == "buttons" else guess(rig, f"choice:{RED}"))
            await rig.until("offer")
            assert (rig.screen.view.at_risk_cents, rig.screen.view.win_cents) == (2 * at_risk, 2 * at_risk)
            assert rig.credit == credit
            await (guess(rig, "lines", "spin") if by == "buttons" else guess(rig, f"choice:{BLACK}"))
            await rig.until("idle")
            assert (rig.credit, rig.screen.view.win_cents, rig.screen.view.at_risk_cents) == (credit, 0, 0)
            assert await rig.rows("SELECT answer FROM segments ORDER BY number") == [(None,), (RED,), (BLACK,)]

    run_virtual(play())


async def guess(rig: Rig, *controls: str) -> None:
    """Press these controls one after the other."""
    for control in controls:
        assert control in rig.machine.controls
        await rig.press(control)


def test_only_a_gamble_has_collect(tmp_path: Path) -> None:
    """While vials are to be taken COLLECT is dead (B9), though a win stands at risk; attendant and sound live."""

    async def play() -> None:
        async with bewitched(tmp_path, *MOONS_AND_MERLINS, jackpot(15)) as rig:
            await to_the_double(rig)
            assert {"service", "sound"} <= rig.machine.controls
            assert "collect" not in rig.machine.controls
            assert f"choice:{HALVE}" in rig.machine.controls, "the vials are numbered from 0"

    run_virtual(play())


def test_an_absent_player_collects_and_never_gambles(tmp_path: Path) -> None:
    """After 120 powered-on hours what is at risk is credited, while vials of the same round are drawn fairly."""

    async def play() -> None:
        async with bewitched(tmp_path, *MOONS) as rig:
            credit = await to_the_double(rig)
            at_risk = rig.screen.view.at_risk_cents
            await rig.journal.do(
                lambda tx: tx.execute("UPDATE rounds SET waited_minutes = ?", (ABSENT_MINUTES - 1,)).rowcount
            )
            await rig.until("idle", 240.0)
            assert rig.credit == credit + at_risk
            assert await rig.rows("SELECT answer FROM segments ORDER BY number") == [(None,), (COLLECT,)]

    run_virtual(play())


def test_a_cut_while_a_win_is_doubled_changes_nothing(tmp_path: Path) -> None:
    """The guess that is durable stands, the next one waits again, and nothing at risk has become credit."""

    async def play() -> None:
        async with bewitched(tmp_path, *MOONS, RED_CARD) as rig:
            credit = await to_the_double(rig)
            at_risk = rig.screen.view.at_risk_cents
            await rig.press(f"choice:{RED}")
            await rig.until("offer")
            await rig.restart(until="offer")
            assert (rig.screen.view.at_risk_cents, rig.credit) == (2 * at_risk, credit)
            await rig.press("collect")
            await rig.until("idle")
            assert rig.credit == credit + 2 * at_risk

    run_virtual(play())
