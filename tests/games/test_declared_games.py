"""Declared games: exact figures against brute force on small reels, and against the play."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod

import msgspec
import pytest

from gamekit.agreement import judge
from gamekit.beats import CascadeFell, ReelsLanded
from gamekit.cascades import CascadeRules, Falling
from gamekit.catalogue import names
from gamekit.declared.declaration import Declaration, FreeSpins, HoldAndWin, LineWins
from gamekit.declared.game import DeclaredScene, declared_game
from gamekit.declared.line_game import LineGameMaths
from gamekit.declared.maths import LawMaths, declared_maths
from gamekit.declared.reach import DeclaredReach
from gamekit.exact.definition import DefinitionError, ScatterRules
from gamekit.exact.tails import ROUNDING
from gamekit.exact.ways import ways_won
from gamekit.hold_and_win import HoldPaid, HoldRules, RespinsWon
from gamekit.kernels.cycle import cycle_sums, first_windows, reel_windows
from gamekit.kernels.declared import declared_kernel
from gamekit.lines import LineRules
from gamekit.maths import Maths, load_maths
from gamekit.play import Answer, Beat, Offer, Play, Stake, Step
from gamekit.reels import Reels
from gamekit.simulate import play_rounds, seeded_draw
from gamekit.ways import WaysEvaluator, WaysRules
from gamekit.weights import WeightedTable

PAYS = {"A": {3: 2, 4: 6}, "B": {3: 3, 4: 8}, "C": {3: 4, 4: 12}, "D": {3: 5, 4: 20}}
LINES = LineWins(((1, 1, 1, 1), (0, 0, 0, 0), (0, 1, 0, 1)), LineRules(pays=PAYS | {"W": {4: 50}}, wild="W"))
WAYS = WaysRules(pays=PAYS, wild="W")
REELS = Reels(("ASBDCHA", "BCWADHS", "CADWBSH", "DSABCHD"), 2)
# More stops than a number has bits, on the first reel and on a later one; one reel ends where a block of them does.
LONG_REELS = Reels(("ASBDCHA" * 9 + "BA", "BCWADHS", ("CADWBSH" * 18)[:124], "DSABCHD"), 2)
SCATTER = ScatterRules(symbol="S", pays={2: 1, 3: 5}, free_spins={3: 3, 4: 4})
# In cascades scatters gather: those that come later are counted too.
GATHERED = ScatterRules(symbol="S", pays={3: 2, 4: 4, 5: 5, 6: 6}, free_spins={4: 1, 5: 1, 6: 1})
HOLD = HoldAndWin(
    rules=HoldRules(4, 2, ("H", "x", "x", "x"), "H", respins=2),
    least=3,
    values=WeightedTable({1: 3, 5: 1}),
    full=20,
)
STICKY = FreeSpins(multiplier=2, sticky=True, retrigger=False)
FALLING = {"cascades": CascadeRules((1, 2, 3)), "free_spins": FreeSpins(cascades=CascadeRules((2, 4)))}

DECLARED = {
    "lines alone": Declaration(maths_version=1, reels=REELS, wins=LINES),
    "lines": Declaration(maths_version=1, reels=REELS, wins=LINES, scatter=SCATTER, free_spins=FreeSpins(multiplier=2)),
    "lines, expanding": Declaration(maths_version=1, reels=REELS, wins=LINES, scatter=SCATTER, expanding=True),
    "lines, sticky": Declaration(maths_version=1, reels=REELS, wins=LINES, scatter=SCATTER, free_spins=STICKY),
    "lines, hold": Declaration(maths_version=1, reels=REELS, wins=LINES, hold=HOLD),
    "ways alone": Declaration(maths_version=1, reels=REELS, wins=WaysRules(pays=PAYS, wild="W", wild_multiplier=3)),
    "ways": Declaration(maths_version=1, reels=REELS, wins=WAYS, scatter=SCATTER, free_spins=FreeSpins(multiplier=3)),
    "ways, sticky and expanding": Declaration(
        maths_version=1, reels=REELS, wins=WAYS, scatter=SCATTER, expanding=True, free_spins=STICKY
    ),
    "ways, hold": Declaration(maths_version=1, reels=REELS, wins=WAYS, scatter=SCATTER, hold=HOLD),
    "cascades": Declaration(maths_version=1, reels=REELS, wins=WAYS, scatter=GATHERED, **FALLING),  # type: ignore[arg-type]  # by name
    "cascades, hold": Declaration(maths_version=1, reels=REELS, wins=WAYS, scatter=GATHERED, hold=HOLD, **FALLING),  # type: ignore[arg-type]  # by name
}
STAKE = Stake(lines=3, coins_per_line=2)
CASCADING = [
    name for name in names() if isinstance(known := load_maths(name), LawMaths) and known.declared.cascades is not None
]


def maths_of(name: str) -> LineGameMaths | LawMaths:
    return maths_on(DECLARED[name])


def maths_on(declared: Declaration) -> LineGameMaths | LawMaths:
    game = declared_game(declared, "small", "Small", idle=(0,) * 4, line_counts=(3,), coins_per_line=(2,))
    return declared_maths(game, declared)


SPECTRAL = [
    name for name in DECLARED if isinstance(found := maths_of(name), LawMaths) and not found.declared.free_spins.sticky
]
"""Those whose reach is the spectrum's, and not `gamekit.declared.line_reach`'s or a bound from below."""


@pytest.fixture(params=DECLARED)
def maths(request: pytest.FixtureRequest) -> LineGameMaths | LawMaths:
    return maths_of(request.param)


def paid_spin(play: Play, stops: tuple[int, ...]) -> Iterator[Step]:
    """Yield the steps of a paid spin at `stops`; hold and win is played with the first of all numbers."""
    numbers = iter(stops)
    steps = play(STAKE, lambda _: next(numbers, 0), None)
    holding = False
    answer = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration:
            return
        holding = isinstance(step, RespinsWon) or (holding and not isinstance(step, HoldPaid))
        answer = Answer(0) if isinstance(step, Offer) else None
        if answer is not None and not holding:
            return
        yield step


def test_every_combination_of_the_paid_spin_is_in_the_figures(maths: LineGameMaths | LawMaths) -> None:
    """Mean, hit frequency, triggers and largest win are those of the play at each combination of stops."""
    play = maths.game.play
    won: Counter[int] = Counter()
    hits = Counter[str]()
    for stops in product(*map(range, REELS.lengths)):
        steps = list(paid_spin(play, stops))
        names = {type(step).__name__ for step in steps}
        coins = sum(step.coins for step in steps if isinstance(step, Beat) and not isinstance(step, HoldPaid))
        won[coins] += 1
        hits["any"] += coins > 0 or bool(names & {"FreeSpinsWon", "RespinsWon"})
        hits["free_spins"] += "FreeSpinsWon" in names
        hits["hold_and_win"] += "RespinsWon" in names
        hits["cascade"] += "CascadeFell" in names
    whole = sum(won.values())
    figures = maths.figures(STAKE, "")
    base = {part.name: figure for part, figure in zip(maths.parts, figures.parts, strict=True)}
    alone = sum(base[name].mean for name in ("lines", "ways", "cascades", "scatter") if name in base)
    assert alone == Fraction(sum(coins * ways for coins, ways in won.items()), whole)
    assert figures.hit_frequency == Fraction(hits["any"], whole)
    for name, chance in figures.triggers.items():
        assert chance == Fraction(hits[name], whole), name
    law = maths.spin_wins(STAKE)
    assert law.ways == {coins // 2: ways for coins, ways in sorted(won.items())}
    if "hold_and_win" not in base:
        assert (figures.largest.coins, figures.largest.chance) == (max(won), Fraction(won[max(won)], whole))


def test_the_mean_needs_no_variance_and_a_miss_is_one_less(maths: LineGameMaths | LawMaths) -> None:
    """Mean and near misses are those of the figures, and of the last window at each combination of stops."""
    figures = maths.figures(STAKE, "")
    assert maths.mean(STAKE, "") == figures.mean
    game = maths.game
    shown: Counter[tuple[str, int]] = Counter()
    for stops in product(*map(range, REELS.lengths)):
        scene = game.advance(game.idle, STAKE, ReelsLanded(stops))
        for step in paid_spin(game.play, stops):
            if isinstance(step, CascadeFell):
                scene = game.advance(scene, STAKE, step)
        assert isinstance(scene, DeclaredScene)
        for symbol in "SH":
            shown[symbol, sum(column.count(symbol) for column in scene.window)] += 1
    needed = {"free_spins": "S", "hold_and_win": "H"}
    misses = maths.near_misses(STAKE)
    assert [miss.name for miss in misses] == [name for name in figures.triggers if name != "cascade"]
    for miss in misses:
        least = int(miss.needs.split()[0])
        assert miss.missed == Fraction(shown[needed[miss.name], least - 1], prod(REELS.lengths))
        assert miss.met == figures.triggers[miss.name]


@pytest.mark.parametrize(("most", "ended"), [(3, True), (50, False)])
def test_the_longest_chain_is_that_of_every_combination(most: int, ended: bool) -> None:  # noqa: FBT001 - a case
    """Whether the limit of falls ends any chain is worked out, and the window at the limit is paid and stays."""
    rules = CascadeRules((1, 2, 3), most=most)
    declared = Declaration(maths_version=1, reels=REELS, wins=WAYS, scatter=GATHERED, cascades=rules)
    game = declared_game(declared, "small", "Small", idle=(0,) * 4, line_counts=(3,), coins_per_line=(2,))
    maths = LawMaths(game, declared)
    falls, won = 0, 0
    for stops in product(*map(range, REELS.lengths)):
        steps = list(paid_spin(game.play, stops))
        falls = max(falls, sum(isinstance(step, CascadeFell) for step in steps))
        won += sum(step.coins for step in steps if isinstance(step, Beat))
    assert (maths.spins.falls, falls == most) == (falls, ended)
    assert sum(coins * ways for coins, ways in maths.spin_wins(STAKE).ways.items()) * 2 == won


@pytest.mark.proof
@pytest.mark.parametrize("name", CASCADING)
def test_no_chain_of_a_game_is_ended_by_the_limit_of_falls(name: str) -> None:
    """Over every combination of stops, paid and free: the rules say "until nothing wins"."""
    maths = load_maths(name)
    assert isinstance(maths, LawMaths)
    for rules in (maths.declared.cascades, maths.declared.free_cascades):
        assert rules is not None
        assert maths.spins.falls < rules.most


def test_the_play_lies_inside_the_intervals(maths: LineGameMaths | LawMaths) -> None:
    """Six thousand rounds: every part and trigger in its jointly 99 % interval, whose width is the exact sigma's."""
    tally = play_rounds(maths, STAKE, seeded_draw(random.Random(11)), 6_000)
    report = judge(maths, STAKE, tally, seed=11)
    assert [part.name for part in report.parts if not part.inside] == []
    assert [trigger.name for trigger in report.triggers if not trigger.inside] == []


@pytest.mark.parametrize("maths", SPECTRAL, indirect=True)
def test_the_mean_of_the_spectrum_is_the_return(maths: LineGameMaths | LawMaths) -> None:
    """The distribution of whole plays that "win up to" comes from has the mean of the exact figures."""
    assert isinstance(maths, LawMaths)
    reach = DeclaredReach(maths, 2**13)
    tail = reach.spectra.tail(reach.spectrum(STAKE))
    assert float(sum(tail[1:])) == pytest.approx(float(maths.figures(STAKE, "").mean) / 2, rel=1e-6)
    (promise,) = reach.promises()
    assert tail[promise.coins // 2] - ROUNDING >= 1 / 50_000_000


@pytest.mark.proof
@pytest.mark.parametrize("name", [name for name in DECLARED if not name.startswith("lines")])
def test_the_kernel_plays_the_same_rounds(name: str) -> None:
    """Every figure of the tally, and the state in which the generator is left."""
    maths = maths_of(name)
    kernel = declared_kernel(maths)
    ours, theirs = random.Random(4), random.Random(4)
    compiled = kernel.play(STAKE, ours, 2_000)
    assert msgspec.to_builtins(compiled) == msgspec.to_builtins(play_rounds(maths, STAKE, seeded_draw(theirs), 2_000))
    assert ours.getstate() == theirs.getstate()


@pytest.mark.parametrize("reels", [REELS, LONG_REELS], ids=["short", "long"])
def test_the_compiled_cycle_has_the_sums_of_the_law(reels: Reels) -> None:
    """`cabinet tune` goes by it: each sum by tag, of the paid and the free spin."""
    maths = maths_on(replace(DECLARED["cascades"], reels=reels))
    assert isinstance(maths, LawMaths)
    for compiled, free in zip(cycle_sums(maths.declared), (False, True), strict=True):
        known = maths.spins.law(free=free, lines=3).sums
        assert compiled.by_tag == known.by_tag
        assert dict(compiled.hits) == {tag: known.hits[tag] for tag in compiled.by_tag}


@pytest.mark.parametrize("name", ["ways", "ways alone", "cascades", "wins for one reel and for four"])
def test_first_windows_are_those_of_every_combination(name: str) -> None:
    """Mean, chance to win, and scatters beside none, by `cabinet tune`: against the law of the same game's ways."""
    later = WaysRules(pays={"A": {1: 1, 2: 2, 3: 3, 4: 4}, "B": {4: 7}, "C": {2: 1, 3: 1, 4: 1}}, wild="W")
    declared = {**DECLARED, "wins for one reel and for four": Declaration(maths_version=1, reels=REELS, wins=later)}[
        name
    ]
    rules, scatter = declared.wins, declared.scatter.symbol
    assert isinstance(rules, WaysRules)
    first = first_windows([reel_windows(strip, REELS.rows, rules, scatter) for strip in REELS.strips], rules)
    shown: list[Counter[tuple[tuple[str, ...], int]]] = [
        Counter((column, column.count(scatter)) for column in (REELS.column(reel, stop) for stop in range(length)))
        for reel, length in enumerate(REELS.lengths)
    ]
    ways = ways_won(shown, rules)
    whole = prod(REELS.lengths)
    losing: Counter[int] = Counter()
    scatters: Counter[int] = Counter()
    for (tag, coins), count in ways.items():
        scatters[tag] += count
        losing[tag] += count * (coins == 0)
    assert first.win == pytest.approx(sum(coins * count for (_, coins), count in ways.items()) / whole, rel=1e-12)
    assert first.wins == pytest.approx(1 - sum(losing.values()) / whole, rel=1e-12)
    assert [round(chance * whole) for chance in first.losing] == [losing[tag] for tag in range(len(first.losing))]
    assert [round(chance * whole) for chance in first.scatters] == [scatters[tag] for tag in range(len(first.scatters))]


def rounds(maths: Maths, seeds: range) -> Iterator[list[Step]]:
    for seed in seeds:
        draw = seeded_draw(random.Random(seed))
        play = maths.game.play(STAKE, draw, None)
        steps: list[Step] = []
        answer = None
        while True:
            try:
                step = play.send(answer)
            except StopIteration:
                break
            steps.append(step)
            answer = Answer(0) if isinstance(step, Offer) else None
        yield steps


def test_steps_and_scenes_travel_and_a_replay_is_the_same(maths: LineGameMaths | LawMaths) -> None:
    """The same draws give the same bytes; each step and scene survives its way as JSON; the scene adds all coins up."""
    game = maths.game
    steps_as = msgspec.json.Decoder(game.step_type)
    scene_as = msgspec.json.Decoder(game.scene_type)
    encode: Callable[[object], bytes] = msgspec.json.encode
    for steps, again in zip(rounds(maths, range(40)), rounds(maths, range(40)), strict=True):
        assert list(map(encode, steps)) == list(map(encode, again))
        assert [encode(steps_as.decode(encode(step))) for step in steps] == list(map(encode, steps))
        scene = reduce(lambda known, step: game.advance(known, STAKE, step), steps, game.idle)
        assert isinstance(scene, DeclaredScene)
        assert scene.round_win == sum(step.coins for step in steps if isinstance(step, Beat))
        assert encode(scene_as.decode(encode(scene))) == encode(scene)
        assert (scene.mode, scene.held_wilds, scene.holding) == ("base", (), False)


def test_strips_carry_on_above_the_window() -> None:
    """What vanishes makes room for what is above it; the strip is a loop."""
    falling = Falling(Reels(("ABCDE", "ABCDE"), 3), (0, 2))
    assert falling.window == (("A", "B", "C"), ("C", "D", "E"))
    falling.fall({(0, 1), (0, 2), (1, 0)})
    assert falling.window == (("D", "E", "A"), ("B", "D", "E"))
    falling.fall({(0, 0)})
    assert falling.window == (("C", "E", "A"), ("B", "D", "E"))


def test_ways_are_counted_by_hand() -> None:
    """Two A, then an A and a wild, then two: 2 x (1 + 3) x 2, at 2 coins a way; B runs through two reels alone."""
    rules = WaysRules(pays=PAYS, wild="W", wild_multiplier=3)
    ways = WaysEvaluator(REELS, rules)
    (hit,) = ways.hits([("A", "A"), ("A", "W"), ("A", "A"), ("D", "S")])
    assert (hit.symbol, hit.run, hit.ways, hit.pay) == ("A", 3, 8, 32)
    assert ways.cells([("A", "A"), ("A", "W"), ("A", "A"), ("D", "S")], hit) == tuple(product((0, 1, 2), (0, 1)))
    assert ways.hits([("B", "S"), ("B", "W"), ("S", "H"), ("B", "B")]) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"wins": LINES, "cascades": CascadeRules((1,))}, "cascades go with ways"),
        ({"free_spins": FreeSpins(cascades=CascadeRules((2,)))}, "give the paid spin its own"),
        ({"free_spins": FreeSpins(sticky=True)}, "without retrigger"),
        ({"wins": WaysRules(pays=PAYS), "expanding": True}, "name the wild"),
        ({"cascades": CascadeRules((1,)), "expanding": True}, "neither cascades nor picks"),
        ({"wins": LineWins(LINES.lines, LineRules(pays=PAYS, features={"T": 3}))}, "picks are won on lines"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(changes: dict[str, object], words: str) -> None:
    """The message says what to change."""
    parts: dict[str, object] = {"maths_version": 1, "reels": REELS, "wins": WAYS, **changes}
    with pytest.raises(DefinitionError, match=words):
        Declaration(**parts)  # type: ignore[arg-type]  # by name


def test_a_wild_on_reel_1_is_refused_on_ways() -> None:
    """It would pay as every symbol at once."""
    with pytest.raises(ValueError, match="reel 1"):
        WaysEvaluator(Reels(("WAB", "ABC"), 2), WaysRules(pays={"A": {2: 1}}, wild="W"))
