"""The simulation: repeatable, independent of how it is shared out, and an honest judge."""

import json
from fractions import Fraction
from math import exp, factorial
from pathlib import Path

import msgspec
import pytest

from gamekit.agreement import judge, poisson_interval
from gamekit.catalogue import names
from gamekit.chunks import CHUNK_ROUNDS, simulate
from gamekit.play import Stake
from gamekit.simulate import Tally
from games.neptune.maths import MATHS

GAMES = Path(__file__).parents[2] / "games"
STAKE = Stake(lines=15, coins_per_line=1)


@pytest.fixture(scope="module")
def tally() -> Tally:
    return simulate("neptune", STAKE, 2 * CHUNK_ROUNDS + 1, seed=1, jobs=1)


def test_the_played_game_agrees_with_the_exact_one(tally: Tally) -> None:
    """A hundred thousand rounds lie inside the jointly 99.99 % intervals, part by part."""
    report = judge(MATHS, STAKE, tally, seed=1)
    assert report.rounds == 2 * CHUNK_ROUNDS + 1
    assert [part.name for part in report.parts if part.alarm] == []


def test_two_processes_play_the_same_rounds(tally: Tally) -> None:
    """The result hangs on the seed alone, not on the number of processes."""
    progress: list[int] = []
    shared = simulate("neptune", STAKE, 2 * CHUNK_ROUNDS + 1, seed=1, jobs=2, progress=progress.append)
    assert tally == shared
    assert sum(progress) == 2 * CHUNK_ROUNDS + 1


def test_another_seed_plays_other_rounds(tally: Tally) -> None:
    """Two seeds give two results."""
    assert tally.sums != simulate("neptune", STAKE, tally.rounds, seed=2, jobs=1).sums


@pytest.mark.parametrize("stake", [Stake(lines=1, coins_per_line=5), Stake(lines=7, coins_per_line=3)])
def test_other_bets_agree_too(stake: Stake) -> None:
    """Shares are per coin staked, whatever the bet."""
    played = simulate("neptune", stake, CHUNK_ROUNDS, seed=4, jobs=1)
    assert not judge(MATHS, stake, played, seed=4).alarm


@pytest.mark.parametrize("part", range(5))
def test_a_part_that_pays_too_much_is_caught(tally: Tally, part: int) -> None:
    """Twice the win in any one part raises the alarm for that part alone."""
    wrong = msgspec.structs.replace(tally, sums=list(tally.sums))
    wrong.sums[part] *= 2
    report = judge(MATHS, STAKE, wrong, seed=1)
    assert [part] == [number for number, judged in enumerate(report.parts) if judged.alarm]
    assert not report.inside


def test_rare_parts_are_judged_by_their_count() -> None:
    """Where fewer than 100 events are expected their count must lie in a Poisson interval."""
    few = simulate("neptune", STAKE, 2000, seed=9, jobs=1)
    report = judge(MATHS, STAKE, few, seed=9)
    counted = {part.name for part in report.parts if part.counted}
    assert {"treasure", "free_lines", "free_scatter", "free_treasure"} == counted
    assert not report.alarm
    flood = msgspec.structs.replace(few, events=[*few.events[:5], 40])
    assert [part.name for part in judge(MATHS, STAKE, flood, seed=9).parts if part.alarm] == ["free_treasure"]


def test_events_are_expected_as_often_as_they_come(tally: Tally) -> None:
    """The counts of a hundred thousand rounds lie near their exact means."""
    for seen, part in zip(tally.events, MATHS.figures(STAKE, "").parts, strict=True):
        mean = float(part.events * tally.rounds)
        assert abs(seen - mean) < 4 * mean**0.5


@pytest.mark.parametrize("mean", [0.2, 3.0, 42.0, 99.0])
def test_poisson_intervals_hold_what_they_promise(mean: float) -> None:
    """Less than half the doubt lies on either side, and one count fewer on a side would leave more."""
    doubt = float(Fraction(1, 600))
    low, high = poisson_interval(mean, doubt)

    def chance(count: int) -> float:
        return exp(-mean) * mean**count / factorial(count)

    below = sum(chance(count) for count in range(low))
    within = sum(chance(count) for count in range(low, high + 1))
    assert below < doubt / 2
    assert below + chance(low) >= doubt / 2
    assert 1 - below - within <= doubt / 2 + 1e-12
    assert 1 - below - within + chance(high) > doubt / 2 - 1e-12


def test_a_wrong_trigger_rate_is_caught(tally: Tally) -> None:
    """Every trigger of a hundred thousand rounds is inside its interval; one that came a third more often is not."""
    report = judge(MATHS, STAKE, tally, seed=1)
    assert [trigger.name for trigger in report.triggers] == [trigger.name for trigger in MATHS.triggers]
    assert [trigger.name for trigger in report.triggers if trigger.alarm] == []
    for number, trigger in enumerate(report.triggers):
        wrong = msgspec.structs.replace(tally, triggers=list(tally.triggers))
        wrong.triggers[number] = tally.triggers[number] * 4 // 3
        judged = judge(MATHS, STAKE, wrong, seed=1)
        assert [one.name for one in judged.triggers if one.alarm] == [trigger.name]
        assert judged.alarm
        assert not judged.inside


@pytest.mark.parametrize("name", names())
def test_every_trigger_of_a_game_is_counted(name: str) -> None:
    """The kept ten million rounds have a count for each trigger of the sheet, beside its exact chance."""
    report = json.loads((GAMES / name / "simulated.json").read_text("utf-8"))["report"]
    sheet = json.loads((GAMES / name / "par.json").read_text("utf-8"))
    stake = report["stake"]
    rows = [row for row in sheet["bets"] if all(row[key] == stake[key] for key in ("lines", "coins_per_line", "price"))]
    counted = {trigger["name"]: trigger for trigger in report["triggers"]}
    assert set(counted) == {trigger for row in rows for trigger in row["triggers"]}
    for trigger, found in counted.items():
        assert found["events"] > 0
        assert not found["alarm"]
        rates = [row["triggers"][trigger] * report["rounds"] for row in rows if trigger in row["triggers"]]
        assert min(rates) * 0.999 <= found["expected"] <= max(rates) * 1.001
