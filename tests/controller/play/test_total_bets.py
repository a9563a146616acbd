"""Games that are bet by their total: steps, MAX BET, memory and stake on the machine."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.configuration.cabinet_toml import Games
from controller.rounds.draws import seeded_source
from controller.session import betting
from gamekit.catalogue import load, names
from games.mystery_elves.pays import TOTAL_BETS
from tests.rigs.machine import Rig
from tests.rigs.virtual_cabinet import only

UNITS = {"mystery_elves": 10, "witch_feature": 50, "star_quarry": 20}
HIGHEST = {"mystery_elves": 8_000, "witch_feature": 8_000, "star_quarry": 10_000}


@pytest.mark.parametrize("name", names())
def test_only_these_games_are_bet_by_their_total(name: str) -> None:
    """Their units are what all lines cost at a cent a coin, their usual bets rise in units up to the highest."""
    game = load(name)
    assert (game.total_bets is not None) == (name in UNITS)
    if game.total_bets is not None:
        rule = game.total_bets
        assert rule.unit_cents == UNITS[name] == game.line_counts[-1] * game.coins_per_line[-1]
        assert (len(game.line_counts), len(game.coins_per_line), rule.highest_cents) == (1, 1, HIGHEST[name])
        assert all(cents % rule.unit_cents == 0 for cents in rule.usual_cents)
        assert list(rule.usual_cents) == sorted(set(rule.usual_cents))
        assert rule.usual_cents[-1] == rule.highest_cents


@pytest.mark.parametrize("name", names())
@given(
    controls=st.lists(st.sampled_from(("bet", "lines", "coin_value", "max")), max_size=40),
    credit=st.integers(0, 99_999),
)
def test_every_step_leads_to_a_bet_on_offer(name: str, controls: list[str], credit: int) -> None:
    """However the bet is stepped, it is one that the configuration offers, within the range that the lobby shows."""
    game, games = load(name), Games()
    bet = betting.first_bet(game, games)
    lowest, highest = betting.bet_range(game, games)
    for control in controls:
        bet = betting.most(game, games, bet, credit) if control == "max" else betting.stepped(game, games, bet, control)
        assert betting.is_offered(game, games, bet)
        assert lowest <= bet.cents <= highest
    assert betting.lowest_bet(game, games).cents == lowest


async def test_bet_steps_up_and_round_and_lines_steps_down(tmp_path: Path) -> None:
    """There is no coin value to choose; at the lowest bet LINES is dark."""
    async with Rig(tmp_path, config=only(tmp_path, "mystery_elves")) as rig:
        await rig.game(500)
        assert (rig.machine.play.bet.cents, rig.screen.view.terms.bets_cents) == (100, TOTAL_BETS.usual_cents)
        assert "coin_value" not in rig.screen.view.controls
        seen = [rig.machine.play.bet.cents]
        while rig.machine.play.bet.cents > 10:
            assert rig.front.lit["lines"] == "on"
            await rig.press("lines")
            seen.append(rig.machine.play.bet.cents)
        assert seen == sorted((cents for cents in TOTAL_BETS.usual_cents if cents <= 100), reverse=True)
        assert "lines" not in rig.front.lit
        seen = []
        for _ in TOTAL_BETS.usual_cents:
            await rig.press("bet")
            seen.append(rig.machine.play.bet.cents)
        assert seen == [*TOTAL_BETS.usual_cents[1:], TOTAL_BETS.usual_cents[0]]


async def test_the_stake_is_the_total_bet(tmp_path: Path) -> None:
    """A coin is a tenth of the bet in Mystery Elves, a fiftieth in Witch Feature, a twentieth in Star Quarry."""
    following = {"mystery_elves": 150, "witch_feature": 150, "star_quarry": 160}
    for name, unit in UNITS.items():
        folder = tmp_path / name
        folder.mkdir()
        async with Rig(folder, config=only(folder, name), draws=seeded_source(1)) as rig:
            await rig.game(2000)
            await rig.press("bet")
            await rig.press("spin")
            (row,) = await rig.rows("SELECT stake_cents, lines, coins_per_line, coin_value_cents FROM rounds")
            assert row == (following[name], unit, 1, following[name] // unit)


async def test_the_lowest_total_bet_is_offered(tmp_path: Path) -> None:
    """With credit for less than the bet the dialog offers the lowest one on offer."""
    async with Rig(tmp_path, config=only(tmp_path, "witch_feature")) as rig:
        await rig.game(500)
        while rig.machine.play.bet.cents <= 500:
            await rig.press("bet")
        await rig.press("spin")
        assert (rig.shown, rig.screen.view.terms.lowest_bet_cents) == ("lowest_bet", 50)
        await rig.press("spin")
        assert (rig.shown, rig.machine.play.bet.cents) == ("idle", 50)


async def test_a_total_bet_that_is_no_longer_offered_is_forgotten(tmp_path: Path) -> None:
    """After a change of the configuration nobody plays a bet that it does not name; the credit stays."""
    async with Rig(tmp_path, config=only(tmp_path, "mystery_elves")) as rig:
        await rig.game(2000)
        assert rig.machine.play.bet.cents == 100
        games = msgspec.structs.replace(rig.config.games, bets_cents={"mystery_elves": (200, 400)})
        rig.config = msgspec.structs.replace(rig.config, games=games)
        await rig.restart(until="idle")
        assert (rig.machine.play.bet.cents, rig.credit) == (200, 2000)
        assert rig.screen.view.lobby.bet_ranges == {"mystery_elves": (200, 400)}


async def test_each_total_bet_remembers_its_own(tmp_path: Path) -> None:
    """Witch Feature's potions are kept for the bet they were collected at, however often the bet changes."""
    async with Rig(tmp_path, config=only(tmp_path, "witch_feature")) as rig:
        await rig.game(5000)
        for number in range(24):
            await rig.press("bet" if number % 2 else "lines")
            await rig.press("spin")
            await rig.until_true(lambda: rig.shown in ("idle", "offer"))
            while rig.shown == "offer":
                await rig.press("spin", 1.5)
            await rig.until("idle", 120.0)
        rows = await rig.rows("SELECT coin_value_cents, memory_before, memory_after FROM rounds ORDER BY id")
        kept: dict[object, object] = {}
        for value, before, after in rows:
            assert before == kept.get(value, "null")
            kept[value] = after
        assert len(kept) > 1
        assert len(set(kept.values())) > 1
