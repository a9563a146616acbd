"""`cabinet draws` writes what the generator gives and what a game makes of it."""

from click.testing import CliRunner

from controller.cli import main
from gamekit.catalogue import load
from games.neptune.strips import REELS


def test_raw_draws_are_bytes() -> None:
    """As many bytes as were asked for, across the size of a chunk."""
    done = CliRunner().invoke(main, ["draws", "--game", "neptune", "--count", "70000", "--raw"])
    assert (done.exit_code, len(done.stdout_bytes)) == (0, 70_000)


def test_scaled_draws_are_a_games_own() -> None:
    """Each line is a bound that the game draws with and a value below it; rounds begin with the five reels."""
    done = CliRunner().invoke(main, ["draws", "--game", "neptune", "--count", "5000"])
    lines = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert (done.exit_code, len(lines)) == (0, 5000)
    assert all(0 <= value < bound for bound, value in lines)
    bounds = tuple(len(strip) for strip in REELS.strips)
    assert bounds == tuple(bound for bound, _ in lines[:5])
    assert {bound for bound, _ in lines} <= {*bounds, 3132}
    assert load("neptune").reels == len(bounds)
