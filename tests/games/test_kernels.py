"""The games' kernels: the same draws, the same tallies and the same generators as the production code."""

import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controller.features.designer.simulate import simulate as simulate_command
from gamekit.chunks import CHUNK_ROUNDS, Played, Run, go_on, simulate
from gamekit.designer.sample import recorded
from gamekit.kernel_check import differences
from gamekit.kernels import compiled
from gamekit.kernels.finding import kernel_of
from gamekit.kernels.generator import draw, draw_bits, give_back, source_of
from gamekit.maths import load_maths
from gamekit.play import Stake
from gamekit.simulate import Tally, seeded_draw
from games.neptune.kernel import KERNEL as NEPTUNE
from tests.rigs.game_folders import having_kernels

pytestmark = pytest.mark.sampled(6)

ROUNDS = 5_000
"""Proofs play a million (`tests/proofs/test_kernels.py`)."""


@given(seed=st.integers(0, 2**40), bits=st.lists(st.integers(1, 62), min_size=1, max_size=700))
def test_a_source_draws_what_python_draws(seed: int, bits: list[int]) -> None:
    """Bits of any number, over the ends of blocks; the generator is given back in the same state."""
    ours, theirs = random.Random(seed), random.Random(seed)
    theirs.getrandbits(32)
    ours.getrandbits(32)
    source = source_of(ours)
    assert [int(draw_bits(source, count)) for count in bits] == [theirs.getrandbits(count) for count in bits]
    give_back(source, ours)
    assert ours.getstate() == theirs.getstate()


@given(seed=st.integers(0, 2**40), bounds=st.lists(st.integers(1, 2**40), max_size=100))
def test_a_source_draws_below_any_bound(seed: int, bounds: list[int]) -> None:
    """As `seeded_draw` does, by rejection."""
    theirs = seeded_draw(random.Random(seed))
    source = source_of(random.Random(seed))
    assert [draw(source, bound) for bound in bounds] == [theirs(bound) for bound in bounds]


@pytest.mark.parametrize("name", having_kernels())
def test_a_kernel_plays_what_production_plays(name: str) -> None:
    """At the lowest and the highest bet, bought ones included, and from the first and the last memory state."""
    maths = load_maths(name)
    stakes = {maths.stakes[0], maths.stakes[len(maths.stakes) // 2], maths.stakes[-1]}
    states = {maths.states[0], maths.states[-1]}
    kernel = kernel_of(name)
    for stake in stakes:
        for state in states:
            assert list(differences(Run.of(name, stake, 3, state), kernel, ROUNDS)) == [], (stake, state)


@pytest.mark.parametrize("name", having_kernels())
def test_a_kernel_records_what_production_records(name: str) -> None:
    """Coins and triggers, round by round, at the highest bet."""
    run = Run.of(name, load_maths(name).stakes[-1], 5, None)
    assert (recorded(run, 0, kernel_of(name), ROUNDS) == recorded(run, 0, None, ROUNDS)).all()


@pytest.mark.parametrize("cap_cents", [0, 20, 500])
def test_a_kernel_knows_when_a_win_waits_for_the_double_up(cap_cents: int) -> None:
    """Under a lower cap other picks are drawn at random: those of rounds whose win cannot be doubled."""
    stake = Stake(lines=15, coins_per_line=1, coin_value_cents=2, gamble_cap_cents=cap_cents)
    assert list(differences(Run.of("bewitched", stake, 1, None), kernel_of("bewitched"), 4 * ROUNDS)) == []


def test_a_kernel_that_plays_something_else_is_found() -> None:
    """Another multiplier, in one figure only; another bound of a draw, in the generator's state too."""
    run = Run.of("neptune", Stake(lines=15, coins_per_line=1), 1, None)
    dearer = replace(NEPTUNE, tables=lambda stake: NEPTUNE.tables(stake)._replace(coins_per_line=2))
    assert {line.split(":")[0].split(", ")[1] for line in differences(run, dearer, ROUNDS)} >= {"sums", "squares"}

    def fewer_stops(stake: Stake):  # noqa: ANN202 - the tables' type is the kernel's own
        tables = NEPTUNE.tables(stake)
        lengths = tables.reels.lengths.copy()
        lengths[0] -= 1
        return tables._replace(reels=tables.reels._replace(lengths=lengths))

    found = list(differences(run, replace(NEPTUNE, tables=fewer_stops), ROUNDS))
    assert found[-1] == "chunk 0: the generators end in different states"


@pytest.mark.parametrize("edited", [False, True])
def test_what_sources_that_have_changed_since_compile_is_not_kept(tmp_path: Path, edited: bool) -> None:  # noqa: FBT001
    """A process that compiles what it read before an edit leaves nothing in the cache that another would take."""
    kernels = tmp_path / "gamekit" / "kernels"
    kernels.mkdir(parents=True)
    (kernels.parent / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    shutil.copy(Path(compiled.__file__), kernels)
    program = (
        "from gamekit.kernels.compiled import compiled, compiling\n"
        "from pathlib import Path\n"
        f"if {edited}: Path({str(kernels / '__init__.py')!r}).write_text('RULE = 1')\n"
        "with compiling(): pass\n"
    )
    (tmp_path / "program.py").write_text(program)
    subprocess.run(
        [sys.executable, str(tmp_path / "program.py")], env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)}, check=True
    )
    assert len(list((tmp_path / "cabinet" / "kernels").iterdir())) == (not edited)


def test_a_simulation_hangs_on_its_seed_alone() -> None:
    """By kernel or production, in one process or two, whole or broken off and gone on with."""
    rounds = 21 * CHUNK_ROUNDS + 7
    stake = Stake(lines=10, coins_per_line=1)
    whole = simulate("mystery_elves", stake, rounds, seed=2, jobs=2, compiled=True)
    run = Run.of("mystery_elves", stake, 2, None)
    kept = [Played(run=run, chunks=0, tally=Tally.empty(load_maths("mystery_elves")))]
    go_on(kept[0], 3 * CHUNK_ROUNDS + 5, jobs=1, compiled=True, progress=lambda played, _: kept.append(played))
    assert [played.chunks for played in kept] == [0, 3, 3]
    assert [played.tally.rounds for played in kept] == [0, 3 * CHUNK_ROUNDS, 3 * CHUNK_ROUNDS]
    reread = msgspec.json.decode(msgspec.json.encode(kept[-1]), type=Played)
    assert go_on(reread, rounds, jobs=1, compiled=True) == whole
    assert all(before.tally.rounds <= after.tally.rounds for before, after in pairwise(kept))
    little = CHUNK_ROUNDS + 3
    assert simulate("mystery_elves", stake, little, seed=2, jobs=1) == simulate(
        "mystery_elves", stake, little, seed=2, jobs=1, compiled=True
    )


def test_the_command_goes_on_from_its_file(tmp_path: Path) -> None:
    """What has been played is not played again; a file of other rounds, or of none, is refused by name."""
    file = tmp_path / "run.json"
    call = ["neptune", "--jobs", "1", "--resume", str(file)]
    first = CliRunner().invoke(simulate_command, [*call, "--rounds", str(2 * CHUNK_ROUNDS)])
    assert first.exit_code == 0, first.output
    assert msgspec.json.decode(file.read_bytes(), type=Played).chunks == 2
    second = CliRunner().invoke(simulate_command, [*call, "--rounds", str(3 * CHUNK_ROUNDS)])
    assert f"{3 * CHUNK_ROUNDS:,} rounds" in second.output
    assert "by its kernel" in second.output
    other = CliRunner().invoke(simulate_command, [*call, "--rounds", "1000000", "--seed", "9"])
    assert (other.exit_code, "with seed 1, not 9" in other.output) == (2, True)
    less = CliRunner().invoke(simulate_command, [*call, "--rounds", "10"])
    assert (less.exit_code, "already holds 150,000 rounds" in less.output) == (2, True)
    file.write_text("{}")
    broken = CliRunner().invoke(simulate_command, [*call, "--rounds", "1000000"])
    assert (broken.exit_code, "holds no simulation" in broken.output) == (2, True)


def test_the_command_checks_a_kernel() -> None:
    """`--check` plays both and says that they are equal."""
    result = CliRunner().invoke(simulate_command, ["neptune", "--check", "1000"])
    assert (result.exit_code, "every figure is equal" in result.output) == (0, True), result.output
