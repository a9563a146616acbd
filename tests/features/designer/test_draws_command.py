"""`cabinet draws` writes what the generator gives and what a game makes of it."""

from click.testing import CliRunner

from controller.cli import main
from controller.features.designer.draws import STAKE
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


def test_each_draw_has_its_point_of_play() -> None:
    """The round counts up from 1, and its first five draws are the reels, after the stake; later ones name their step.

    They are the same columns of bound and value, which a battery reads without `--points`.
    """
    done = CliRunner().invoke(main, ["draws", "--game", "neptune", "--count", "5000", "--points"])
    lines = [line.split() for line in done.stdout.splitlines()]
    assert (done.exit_code, len(lines)) == (0, 5000)
    bounds = [str(len(strip)) for strip in REELS.strips]
    whole = int(lines[-1][2])
    for number in range(1, whole):
        of_round = [line for line in lines if int(line[2]) == number]
        assert [line[0] for line in of_round[:5]] == bounds
        assert [line[3] for line in of_round].count(STAKE) == len(bounds)
    assert {(bound, after) for bound, _, _, after in lines if bound == "3132"} == {("3132", "Pick")}
    assert "FreeSpinBegins" in {after for _, _, _, after in lines}


def test_bytes_have_no_point_of_play() -> None:
    """It is said in words."""
    done = CliRunner().invoke(main, ["draws", "--game", "neptune", "--count", "5", "--raw", "--points"])
    assert done.exit_code == 2
    assert "leave --points out" in done.output
