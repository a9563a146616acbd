"""`cabinet tune`: strips for targets, held to what the exact mathematics says of them."""

import ast
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count
from math import isclose
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from gamekit import catalogue
from gamekit.declared.line_game import LineGameMaths
from gamekit.declared.maths import LawMaths
from gamekit.maths import load_maths
from gamekit.tuning.fixed import Distance, Fixed, FixedError, SymbolRule, TuneFile, fixed, read
from gamekit.tuning.line_sums import mean_of
from gamekit.tuning.measure import Layout, Measure, exact_figures
from gamekit.tuning.moves import neighbour, settled
from gamekit.tuning.picture import picture
from gamekit.tuning.running import Job, UntunableError, choices, line_maths, search, tunable_maths, what_is_fixed
from gamekit.tuning.source import SourceError, edits, with_weights
from gamekit.tuning.targets import Figures, Targets
from gamekit.tuning.ways_measure import WaysMeasure
from gamekit.tuning.weights import table_of, weighed, with_table
from tests.rigs.game_folders import look_out_of

pytestmark = pytest.mark.sampled(2)

cascades = pytest.mark.parametrize("studio", ["cascades"], indirect=True)
NEAR = ["--rtp", "94.2", "--hit", "0.315", "--free-spins", "1:130"]


@pytest.fixture
def studio(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A studio's folder with a new game of lines, or of another kind, Lagoon; afterwards it is not found any more."""
    folder = tmp_path / "studio"
    made = CliRunner().invoke(
        main, ["new-game", "lagoon", "--kind", getattr(request, "param", "lines"), "--in", str(folder)]
    )
    try:
        assert made.exit_code == 0, made.output
        yield folder
    finally:
        look_out_of(folder)
        for module in [name for name in sys.modules if name.startswith("games.lagoon")]:
            del sys.modules[module]


@pytest.fixture
def neptune() -> Measure:
    """Neptune's figures at all lines."""
    maths = line_maths("neptune")
    return Measure(maths, what_is_fixed(maths), 15)


def tune(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["tune", "lagoon", "--jobs", "1", "--chains", "1", "--choices", "1", *arguments])


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def layout_of(measure: Measure) -> Layout:
    return tuple(map(measure.fixed.reel, count(), measure.maths.base.strips().strips))


def test_a_new_game_is_tuned_and_par_says_the_same(studio: Path) -> None:
    """Fresh processes read the written strips: `par` has the targets met, and the very figures that were shown."""
    before = contents(studio / "lagoon")
    result = tune(*NEAR)
    assert result.exit_code == 0, result.output
    after = contents(studio / "lagoon")
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"strips.py", "pays.py"}
    assert after["pays.py"] == before["pays.py"].replace("MATHS_VERSION = 1", "MATHS_VERSION = 2")
    cabinet = [sys.executable, "-m", "controller", "--games", str(studio)]
    shown = subprocess.run(
        [*cabinet, "par", "lagoon", "--format", "json", "--rounds", "0"], capture_output=True, check=True
    )
    sheet = json.loads(shown.stdout)
    bet = sheet["bets"][-1]
    assert sheet["maths_version"] == 2
    assert abs(float(bet["rtp_percent"]) - 94.2) <= 0.01
    assert bet["hit_frequency"] == pytest.approx(0.315, rel=0.01)
    assert 1 / bet["triggers"]["free_spins"] == pytest.approx(130, rel=0.011)
    cells = next(line for line in result.output.splitlines() if line.startswith("│ 1")).split()
    assert cells[3:10:2] == [
        bet["rtp_percent"],
        f"{bet['hit_frequency']:.4f}",
        f"{bet['sigma']:.4f}",
        f"{1 / bet['triggers']['free_spins']:.2f}",
    ]
    # What the sample's test holds of its strips is still so, and what is written is formatted.
    test = studio / "lagoon" / "tests" / "test_lagoon.py"
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-k", "twice", str(test)], check=True, capture_output=True)
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--check", "--line-length", "120", studio / "lagoon" / "strips.py"],
        check=True,
        capture_output=True,
    )
    assert f"cabinet --games {studio} figures lagoon" in result.output


@pytest.mark.parametrize("studio", ["ways"], indirect=True)
def test_ways_without_cascades_are_tuned(studio: Path) -> None:
    """A new game of ways: its PAR sheet has return, hit frequency and free spins as asked for, in the next version."""
    before = contents(studio / "lagoon")
    result = tune("--rtp", "95", "--hit", "0.455", "--free-spins", "1:110")
    assert result.exit_code == 0, result.output
    changed = {name for name, text in contents(studio / "lagoon").items() if text != before[name]}
    assert changed == {"strips.py", "pays.py"}
    cabinet = [sys.executable, "-m", "controller", "--games", str(studio)]
    shown = subprocess.run(
        [*cabinet, "par", "lagoon", "--format", "json", "--rounds", "0"], capture_output=True, check=True
    )
    sheet = json.loads(shown.stdout)
    bet = sheet["bets"][-1]
    assert sheet["maths_version"] == 2
    assert float(bet["rtp_percent"]) == pytest.approx(95, abs=0.01)
    assert bet["hit_frequency"] == pytest.approx(0.455, rel=0.01)
    assert 1 / bet["triggers"]["free_spins"] == pytest.approx(110, rel=0.011)


def measured_lagoon() -> tuple[WaysMeasure, Layout]:
    """Return what measures the studio's game of ways, and its strips."""
    maths = tunable_maths("lagoon")
    assert isinstance(maths, LawMaths)
    measure = WaysMeasure(maths, what_is_fixed(maths), 20)
    return measure, tuple(map(measure.fixed.reel, count(), maths.declared.reels.strips))


def moved(layout: Layout, measure: WaysMeasure, whim: random.Random) -> Layout:
    """Return a neighbour of `layout`."""
    found = neighbour(layout, measure.fixed, whim)
    assert found is not None
    return (*layout[: found[0]], found[1], *layout[found[0] + 1 :])


@pytest.mark.parametrize("studio", ["ways"], indirect=True)
def test_estimates_of_ways_are_exact_but_for_sigma(studio: Path) -> None:
    """Where nothing falls, what was played of another layout adds nothing."""
    assert studio.is_dir()
    measure, layout = measured_lagoon()
    _, played = measure.played(layout)
    whim = random.Random(7)
    for _ in range(10):
        layout = moved(layout, measure, whim)
        estimate, exact = measure.estimate(layout, played), measure.exact(layout)
        assert estimate.rtp == pytest.approx(exact.rtp, rel=1e-9)
        assert estimate.hit == pytest.approx(exact.hit, rel=1e-9)
        assert estimate.free_spins == pytest.approx(exact.free_spins, rel=1e-9)


@pytest.mark.proof
@cascades
def test_cascades_are_tuned(studio: Path) -> None:
    """Within 200 steps; the law of the strips that are found has the figures shown, and meets both targets."""
    assert studio.is_dir()
    known = tunable_maths("lagoon")
    job = Job("lagoon", what_is_fixed(known), Targets(rtp=0.95, hit=0.40), 20, seed=1, chains=1)
    found = choices(job, search(job, jobs=1, steps=200, wanted=1))
    assert len(found) == 1
    maths = found[0].maths
    exact = maths.figures(maths.stakes[0], "")
    assert float(exact.mean) / 20 == pytest.approx(0.95, abs=0.0001)
    assert float(exact.hit_frequency) == pytest.approx(0.40, rel=0.01)
    assert exact.variance is not None
    sigma = found[0].figures.sigma
    assert sigma == pytest.approx(float(exact.variance) ** 0.5 / 20, rel=1e-12)
    assert found[0].figures == Figures(
        rtp=float(exact.mean / 20),
        hit=float(exact.hit_frequency),
        sigma=sigma,
        free_spins=float(exact.triggers["free_spins"]),
    )
    assert all(map(job.held.within, count(), found[0].layout))


@cascades
def test_cascades_whose_figures_take_too_long_are_refused(studio: Path) -> None:
    """What is compiled before the first figures does not count among their seconds."""
    assert studio.is_dir()
    job = Job("lagoon", what_is_fixed(tunable_maths("lagoon")), Targets(rtp=0.95), 20, seed=1, chains=1)
    with pytest.raises(UntunableError, match="processor seconds"):
        search(job, jobs=1, steps=1, wanted=1, slowest=0.0)


@cascades
def test_neighbours_of_cascades_are_estimated(studio: Path) -> None:
    """By what was played of one layout: its own figures and its neighbours' hit frequency exactly, the rest roughly."""
    assert studio.is_dir()
    measure, layout = measured_lagoon()
    figures, played = measure.played(layout)
    assert msgspec.structs.astuple(measure.estimate(layout, played)) == pytest.approx(msgspec.structs.astuple(figures))
    whim = random.Random(5)
    for _ in range(10):
        other = moved(layout, measure, whim)
        estimate, exact = measure.estimate(other, played), measure.exact(other)
        assert estimate.hit == pytest.approx(exact.hit, rel=1e-9)
        assert estimate.rtp == pytest.approx(exact.rtp, abs=0.15)


@pytest.mark.proof
def test_the_same_seed_finds_the_same_strips(studio: Path) -> None:
    """A dry run writes nothing; the strips depend on the seed alone."""
    before = contents(studio / "lagoon")
    result = tune(*NEAR, "--dry-run", "--plot", str(studio / "plot.svg"))
    assert result.exit_code == 0, result.output
    assert contents(studio / "lagoon") == before
    assert (studio / "plot.svg").read_text("utf-8").startswith("<svg ")
    tables = [tune(*NEAR, "--dry-run", "--seed", seed).stdout.partition("┏")[2] for seed in ("1", "2")]
    assert tables[0] == result.stdout.partition("┏")[2]
    assert tables[0] != tables[1]


@pytest.mark.proof
@pytest.mark.processes
def test_processes_change_nothing(studio: Path) -> None:
    """Two chains in one process and in two find the same layouts at the same steps."""
    assert studio.is_dir()
    job = Job("lagoon", what_is_fixed(line_maths("lagoon")), Targets(rtp=0.943), 10, seed=4, chains=2)
    alone, shared = (search(job, jobs=jobs, steps=200, wanted=2) for jobs in (1, 2))
    assert [chain.found for chain in alone] == [chain.found for chain in shared]
    assert [chain.step for chain in alone] == [chain.step for chain in shared]
    assert choices(job, alone)


def test_targets_out_of_reach_are_said_and_nothing_is_written(studio: Path) -> None:
    """A return of 20 % is not to be had with half to double of each symbol: the nearest is shown, and the mend."""
    before = contents(studio / "lagoon")
    result = tune("--rtp", "20", "--steps", "50")
    assert result.exit_code == 1
    assert "nothing was written" in result.output
    assert "tune.toml" in result.output
    assert "nearest" in result.output
    assert contents(studio / "lagoon") == before


def test_with_every_reel_fixed_only_what_is_there_can_be_met(studio: Path) -> None:
    """The strips as they are miss 95 %; what they return is met at once."""
    (studio / "lagoon" / "tune.toml").write_text("fixed_reels = [1, 2, 3, 4, 5]\n")
    missed = tune("--rtp", "95", "--steps", "50")
    assert missed.exit_code == 1
    assert "RTP % 94.835794 for 95.000000" in missed.output
    before = contents(studio / "lagoon")
    met = tune("--rtp", "94.84")
    assert met.exit_code == 0
    assert "as they are: nothing was written" in met.output
    assert contents(studio / "lagoon") == before


@pytest.mark.proof
def test_what_the_author_fixes_stays(studio: Path) -> None:
    """A fixed reel, counts, stacks and distances of `tune.toml` hold on the strips that are written."""
    (studio / "lagoon" / "tune.toml").write_text(
        "fixed_reels = [1]\nstops = [34, 46]\n"
        "[symbols.wild]\ncounts = [1, 3, 3, 3, 3]\nstack = 3\n[symbols.star]\ncounts = [1, 1, 1, 2, 1]\n"
        '[[apart]]\nsymbols = ["wild", "star"]\nstops = 3\n'
    )
    reel = load_maths("lagoon").base.strips().strips[0]  # type: ignore[attr-defined]
    result = tune("--rtp", "95", "--hit", "0.32")
    assert result.exit_code == 0, result.output
    folder = studio / "lagoon"
    text = ast.parse((folder / "strips.py").read_text("utf-8"))
    constants = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in text.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, (ast.Dict, ast.Tuple))
    }
    strips = constants["_STRIPS"]
    assert tuple(constants["_LETTERS"][letter] for letter in strips[0]) == reel
    for number, strip in enumerate(strips[1:], start=1):
        loop = strip + strip[:2]
        assert 34 <= len(strip) <= 46
        assert strip.count("W") == 3
        assert "WWW" in loop
        assert strip.count("S") == (2 if number == 3 else 1)
        assert not any({"W", "S"} <= set(loop[stop : stop + 3]) for stop in range(len(strip)))


@pytest.mark.parametrize("name", ["bewitched", "witch_feature", "mona_lisa_jewels", "mystery_elves"])
def test_a_game_of_its_own_mathematics_is_refused(name: str) -> None:
    """Whose figures do not follow from a LineGameMaths cannot be tuned, and that is said."""
    result = CliRunner().invoke(main, ["tune", name, "--rtp", "95"])
    assert result.exit_code == 1
    assert "cannot be tuned" in result.output


def test_a_game_whose_figures_take_too_long_is_refused(studio: Path) -> None:
    """The first exact figures are timed."""
    assert studio.is_dir()
    job = Job("lagoon", what_is_fixed(line_maths("lagoon")), Targets(rtp=0.95), 10, seed=1, chains=1)
    with pytest.raises(UntunableError, match="processor seconds"):
        search(job, jobs=1, steps=1, wanted=1, slowest=0.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Ask for something"),
        (["--free-spins", "150"], "1:150"),
        (["--hit", "0.3", "--weights", "X"], "--rtp"),
        (["--rtp", "95", "--lines", "7"], "1, 5, 10 lines, not 7"),
        (["--rtp", "94.84", "--choose", "9", "--steps", "1000"], "1 choices, and no 9"),
    ],
)
def test_a_wrong_call_is_said(studio: Path, arguments: list[str], words: str) -> None:
    """Each is refused with what to write instead."""
    assert studio.is_dir()
    result = tune(*arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_one_line_sums_are_the_exact_ones(neptune: Measure) -> None:
    """On every reel the shares of symbols give the line's exact mean and picks; so does every neighbour's."""
    layout = layout_of(neptune)
    whim = random.Random(3)
    worths = neptune.worths(layout)
    for _ in range(30):
        found = neighbour(layout, neptune.fixed, whim)
        assert found is not None
        number, reel = found
        changed = (*layout[:number], reel, *layout[number + 1 :])
        analysis = neptune.on(changed).analysis._base
        sums = mean_of(worths[number], neptune.shares(number, reel))
        assert isclose(sums[0], analysis.line_mean, rel_tol=1e-12)
        assert isclose(sums[3], analysis.picks_mean, rel_tol=1e-12)
        scatters = neptune.scatters(list(map(neptune.scatters_on, count(), changed)))
        exact = neptune.on(changed).analysis
        assert isclose(scatters[0].starts, exact.triggers(15)["free_spins"], rel_tol=1e-12)


def test_the_measured_figures_are_those_of_the_par_sheet(neptune: Measure) -> None:
    """Return, hit frequency, sigma and free spins of the present strips."""
    layout = layout_of(neptune)
    maths = neptune.maths
    figures = exact_figures(maths, maths.stakes[-1])
    sums = mean_of(neptune.worths(layout)[0], neptune.shares(0, layout[0]))
    scatters = neptune.scatters(list(map(neptune.scatters_on, count(), layout)))
    assert isclose(neptune.rtp(sums, scatters), figures.rtp, rel_tol=1e-12)
    assert isclose(neptune.hit(layout), figures.hit, rel_tol=1e-12)
    assert isclose(neptune.sigma(layout), figures.sigma, rel_tol=1e-12)
    assert isclose(scatters[0].starts, figures.free_spins, rel_tol=1e-12)


def test_free_spins_on_other_strips_keep_theirs() -> None:
    """Where free spins have strips of their own, the paid spin's alone are tuned, and the return is still exact."""
    maths = line_maths("neptune")
    reels = type(maths.base.strips())(maths.base.strips().strips, maths.base.rows)
    apart = LineGameMaths(game=maths.game, base=maths.base, free=replace(maths.free, reels=reels))
    measure = Measure(apart, what_is_fixed(maths), 15)
    layout = layout_of(measure)
    number, reel = neighbour(layout, measure.fixed, random.Random(1)) or (0, layout[0])
    changed = (*layout[:number], reel, *layout[number + 1 :])
    assert measure.on(changed).free is apart.free
    sums = mean_of(measure.worths(changed)[0], measure.shares(0, changed[0]))
    scatters = measure.scatters(list(map(measure.scatters_on, count(), changed)))
    assert isclose(measure.rtp(sums, scatters), exact_figures(measure.on(changed), maths.stakes[-1]).rtp, rel_tol=1e-12)


def test_neptunes_strips_say_what_is_fixed(neptune: Measure) -> None:
    """No symbol is twice in a window; half to double of each; the idle screen's stops remain."""
    held = neptune.fixed
    assert {size for sizes in held.stacks for size in sizes} == {1}
    assert [stops for _, stops in held.distances] == [3] * 11
    treasure = held.symbols.index("treasure")
    assert (held.least[0][treasure], held.most[0][treasure]) == (2, 6)
    assert all(fewest > stop for (fewest, _), stop in zip(held.stops, (5, 16, 17, 2, 11), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_every_neighbour_keeps_to_what_is_fixed(neptune: Measure, seed: int) -> None:
    """A hundred moves on, no window shows a symbol twice, and counts and lengths are within their bounds."""
    whim = random.Random(seed)
    layout = layout_of(neptune)
    for _ in range(100):
        found = neighbour(layout, neptune.fixed, whim)
        assert found is not None
        layout = (*layout[: found[0]], found[1], *layout[found[0] + 1 :])
    for number, reel in enumerate(layout):
        strip = neptune.fixed.strip(number, reel)
        assert neptune.fixed.within(number, reel)
        assert all(len({*(*strip, *strip[:2])[stop : stop + 3]}) == 3 for stop in range(len(strip)))


STRIPS = (tuple("WWWABCABCAB"), tuple("BWWWCABACAB"))


def held(**told: object) -> Fixed:
    return fixed(STRIPS, 3, TuneFile(**told))  # type: ignore[arg-type]


def test_stacks_are_one_entry_and_come_back() -> None:
    """A symbol always in threes is a stack; a strip that begins within one is turned, and shows the same loop."""
    rules = held()
    assert rules.stacks[0][rules.symbols.index("W")] == 3
    for strip in (*STRIPS, tuple("WABCABCABWW")):
        back = rules.strip(0, rules.reel(0, strip))
        assert "".join(back) in "".join(strip * 2)
        assert rules.reel(0, strip).count(rules.symbols.index("W")) == 1


def test_too_tight_is_said() -> None:
    """Nine of a symbol ten stops apart fit on no reel; the message names the reel."""
    rules = held(symbols={"A": SymbolRule(apart=10, counts=(4, 4))})
    with pytest.raises(FixedError, match="reel 1"):
        settled(tuple(map(rules.reel, count(), STRIPS)), rules, random.Random(1))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"symbols": {"Z": SymbolRule()}}, "'Z' is on no reel"),
        ({"apart": (Distance(("A", "Z"), 3),)}, "'Z' is on no reel"),
        ({"fixed_reels": (3,)}, "no reel 3"),
        ({"symbols": {"A": SymbolRule(counts=(3,))}}, "a number for each reel"),
        ({"symbols": {"A": SymbolRule(least=(5, 5), most=(4, 4))}}, "at least 5 and at most 4"),
        ({"symbols": {"W": SymbolRule(counts=(4, 3))}}, "no stacks of 3"),
        ({"stops": (20, 10)}, "the fewest, then the most"),
    ],
)
def test_what_contradicts_itself_is_said(told: dict[str, object], words: str) -> None:
    """Each with the key it is about."""
    with pytest.raises(FixedError, match=words):
        held(**told)


def test_a_tune_file_with_an_unknown_key_is_refused(tmp_path: Path) -> None:
    """A misspelt key is no silent wish."""
    assert read(tmp_path) == TuneFile()
    (tmp_path / "tune.toml").write_text("stop = [30, 40]\n")
    with pytest.raises(FixedError, match="stop"):
        read(tmp_path)


def test_errors_are_counted_in_tolerances() -> None:
    """0.01 % of return, 1 % of the rest; what is not asked for does not count."""
    targets = Targets(rtp=0.95, hit=0.3)
    figures = Figures(rtp=0.9502, hit=0.306, sigma=99.0, free_spins=0.0)
    assert targets.errors(figures) == pytest.approx({"rtp": 2.0, "hit": 2.0})
    assert targets.worst(figures) == pytest.approx(2.0)
    assert targets.cost(figures, 0.0) > targets.cost(figures, 1.0) > targets.cost(figures, 1.0, but="rtp")


def test_only_strips_and_version_are_rewritten(tmp_path: Path) -> None:
    """Long strips are broken as the formatter does; all else stays to the letter."""
    shutil.copy(catalogue.folder_of("witch_feature") / "strips.py", tmp_path)
    source = '"""Ä."""\n\nSIGNS = {"A": "ace", "B": "böse"}\nREELS: tuple[str, ...] = ("AB", "BA")  # kept\nTAIL = 1\n'
    (tmp_path / "strips.py").write_text(source, "utf-8")
    (tmp_path / "other.py").write_text("MATHS_VERSION = 41\n", "utf-8")
    before = [("ace", "böse"), ("böse", "ace")]
    planned, version = edits(tmp_path, before, [("ace",) * 130, ("böse", "böse", "ace")])
    assert version == 42
    assert {edit.file.name: edit.text for edit in planned} == {
        "other.py": "MATHS_VERSION = 42\n",
        "strips.py": source.replace(
            '("AB", "BA")', f'(\n    (\n        "{"A" * 110}"\n        "{"A" * 20}"\n    ),\n    "BBA",\n)'
        ),
    }
    with pytest.raises(SourceError, match="no tuple of strings"):
        edits(tmp_path, [("ace",)], before)
    (tmp_path / "other.py").unlink()
    with pytest.raises(SourceError, match="MATHS_VERSION"):
        edits(tmp_path, before, before)


def test_where_one_file_cannot_be_written_all_are_as_they_were(studio: Path) -> None:
    """No half of the strips is left on a full disk, and the reason is said in words, without its number."""
    before = contents(studio / "lagoon")
    (studio / "lagoon" / "pays.py.part").mkdir()
    result = tune("--rtp", "94.2", "--steps", "200")
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == f"Error: {studio / 'lagoon' / 'pays.py.part'}: Is a directory"
    assert contents(studio / "lagoon") == before


def test_weights_bring_the_return_to_the_last_digits(neptune: Measure, tmp_path: Path) -> None:
    """Neptune's chests, weighed for 96.5 %: within 0.0001 %, in numbers of the same size, written in their places."""
    maths, stake = neptune.maths, neptune.maths.stakes[-1]
    table = table_of(maths, "CHEST_TABLE")
    other = weighed(maths, stake, table, Fraction(965, 1000))
    assert exact_figures(with_table(maths, other), stake).rtp == pytest.approx(0.965, abs=1e-6)
    assert list(other.weights) == list(table.weights)
    assert all(abs(after - table.weights[amount]) < 40 for amount, after in other.weights.items())
    before = (catalogue.folder_of("neptune") / "pays.py").read_text("utf-8")
    (tmp_path / "pays.py").write_text(before, "utf-8")
    (edit,) = with_weights(tmp_path, [], "CHEST_TABLE", other.weights)
    lines = list(zip(before.splitlines(), edit.text.splitlines(), strict=True))
    assert [new for old, new in lines if old != new] == [f"CHEST_TABLE = WeightedTable({other.weights})"]
    with pytest.raises(SourceError, match="NO_TABLE = WeightedTable"):
        with_weights(tmp_path, [], "NO_TABLE", other.weights)
    with pytest.raises(UntunableError, match="picks would have to be worth"):
        weighed(maths, stake, table, Fraction(3, 2))
    with pytest.raises(UntunableError, match="LINE_PAYS is no WeightedTable"):
        table_of(maths, "LINE_PAYS")


def test_weights_are_tuned_beside_strips() -> None:
    """Strips to 0.01 %, then the chests' weights: what is shown then is the return asked for."""
    result = CliRunner().invoke(
        main,
        ["tune", "neptune", "--rtp", "96.5", "--weights", "CHEST_TABLE", "--dry-run", "--jobs", "1", "--choices", "1"],
    )
    assert result.exit_code == 0, result.output
    shown = next(line for line in result.output.splitlines() if line.startswith("with weights"))
    assert float(shown.rsplit(" ", 1)[1]) == pytest.approx(96.5, abs=1e-4)


def test_the_picture_names_every_symbol(neptune: Measure) -> None:
    """Rows for symbols, columns for reels, with the lengths."""
    reels = neptune.maths.base.strips()
    drawn = picture("Neptune", reels, reels)
    assert all(symbol in drawn for symbol in neptune.fixed.symbols)
    assert "38 → 38 stops" in drawn
