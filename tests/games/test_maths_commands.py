"""`cabinet par` and `cabinet simulate` as a user calls them."""

import json

import pytest
from click.testing import CliRunner

from controller.features.designer.par import par
from controller.features.designer.simulate import simulate


def test_par_writes_json_with_the_agreed_keys() -> None:
    """`par neptune --format json` is one JSON object, identity first, with all bets."""
    result = CliRunner().invoke(par, ["neptune", "--format", "json"])
    assert result.exit_code == 0
    sheet = json.loads(result.stdout)
    assert {
        "game",
        "maths_version",
        "maths_hash",
        "bets",
        "hit_frequency",
        "sigma",
        "volatility_index_90",
        "triggers",
        "max_win",
        "max_win_odds",
    } <= set(sheet)
    assert len(sheet["bets"]) == 75
    assert {
        "stake",
        "lines",
        "coins_per_line",
        "rtp_percent",
        "parts",
        "hit_frequency",
        "sigma",
        "max_win",
        "max_win_odds",
    } <= set(sheet["bets"][0])
    assert sheet["bets"][74]["rtp_percent"] == "96.560000"


def test_par_prints_a_table_by_default() -> None:
    """Without a format a person reads the bets, the return and the trigger rates."""
    result = CliRunner().invoke(par, ["neptune"])
    assert result.exit_code == 0
    assert result.stdout.count("96.560000") == 75
    assert "free_spins: one in 100.01 paid spins" in result.stdout


@pytest.mark.parametrize("game", ["neptune", "mystery_elves"])
def test_no_figure_is_cut(game: str) -> None:
    """Whatever the terminal's width: columns of parts were too narrow for two digits before the point."""
    result = CliRunner(env={"COLUMNS": "80"}).invoke(par, [game, "--rounds", "0"])
    assert result.exit_code == 0
    assert "…" not in result.stdout


def test_simulate_reports_each_part() -> None:
    """The report names the rounds, the maths and each part; agreement ends with exit code 0."""
    result = CliRunner().invoke(simulate, ["neptune", "--rounds", "3000", "--jobs", "1", "--seed", "5"])
    assert result.exit_code == 0
    assert "3,000 rounds, 15 lines x 1, seed 5" in result.stdout
    assert all(part in result.stdout for part in ("lines", "scatter", "treasure", "free_treasure"))


@pytest.mark.parametrize(("seed", "outside", "code"), [(1, False, 0), (119, True, 0), (18150, True, 1)])
def test_simulate_fails_only_outside_the_jointly_99_99_percent_interval(seed: int, *, outside: bool, code: int) -> None:
    """A treasure in the free spins of a single round leaves the 99 % interval, two of them the 99.99 % one as well."""
    result = CliRunner().invoke(simulate, ["neptune", "--rounds", "1", "--jobs", "1", "--seed", str(seed)])
    assert ("NO" in result.stdout, result.exit_code) == (outside, code)


def test_simulate_refuses_a_bet_the_game_does_not_take() -> None:
    """Sixteen lines are refused by name of what there is."""
    result = CliRunner().invoke(simulate, ["neptune", "--rounds", "10", "--lines", "16"])
    assert result.exit_code == 2
    assert "Neptune has 1 to 15 lines, not 16" in result.stderr


def test_an_unknown_game_is_refused() -> None:
    """A game that does not exist is a usage error that names those that do."""
    result = CliRunner().invoke(par, ["atlantis"])
    assert result.exit_code == 2
    assert "neptune" in result.stderr
