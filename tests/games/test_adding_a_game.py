"""A sixth game, as docs/adding-a-game.md says: three reels, one bonus, free spins; played, replayed, proved."""

import random
from collections.abc import Generator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import msgspec
import pytest

from controller.journal.rounds import RecordedRound, RecordedSegment, Segment, Wager
from controller.rounds.draws import ReplayMismatchError
from controller.rounds.engine import Round
from controller.rounds.engine import replay as replay_round
from gamekit import beats
from gamekit.agreement import judge
from gamekit.declared.line_game import LineGameMaths
from gamekit.exact.definition import PickRules, ScatterRules, SpinDefinition, count_symbols
from gamekit.free_spins import Spin, SpinResult, play_free_spins
from gamekit.identity import maths_hash
from gamekit.lines import LineEvaluator, LineRules
from gamekit.maths import BASE, BeatRules, Part
from gamekit.par import par_sheet
from gamekit.picks import open_objects
from gamekit.play import Answer, Draw, Game, Memory, Scene, Stake, Step
from gamekit.reels import Reels
from gamekit.scatters import ScatterCounter
from gamekit.simulate import UnownedWinError, play_rounds, seeded_draw
from gamekit.spin_scene import SpinScene, fold_spin, paid
from gamekit.weights import WeightedTable
from ui.protocol.values import Bet

REELS = Reels([list("WABABCABSF"), list("ABWACBSABF"), list("BAACWBABSF")], 3)
LINES = ((1, 1, 1), (0, 0, 0), (2, 2, 2))
RULES = LineRules(pays={"A": {3: 2}, "B": {3: 3}, "C": {3: 20}}, wild="W", features={"F": 3})
SCATTER_PAYS = {2: 1, 3: 5}
FREE_SPINS = {3: 4}
PRIZES = WeightedTable({2: 3, 8: 1})

_lines = LineEvaluator(REELS, LINES, RULES)
_scatters = ScatterCounter(REELS, "S")


def play(stake: Stake, draw: Draw, _memory: Memory) -> Generator[Step, Answer | None, Memory]:
    won = yield from spin(stake, draw, 1)
    if won.free_spins:
        yield from play_free_spins(won.free_spins, lambda: spin(stake, draw, 2))
    return None


def spin(stake: Stake, draw: Draw, multiplier: int) -> Spin:
    stops = REELS.spin(draw)
    yield beats.ReelsLanded(stops)
    coins = 0
    hits = _lines.hits(stops, stake.lines)
    for hit in hits:
        if hit.pay:
            coins += hit.pay * stake.coins_per_line * multiplier
            win = hit.pay * stake.coins_per_line * multiplier
            yield beats.LineWin(hit.line + 1, hit.symbol, hit.run, multiplier, coins=win)
    count = _scatters.count(stops)
    if count in SCATTER_PAYS:
        coins += SCATTER_PAYS[count] * stake.coins
        yield beats.ScatterWin("S", count, _scatters.cells(stops), coins=SCATTER_PAYS[count] * stake.coins)
    for hit in hits:
        if not hit.pay:
            yield beats.PicksWon(hit.line + 1, "F", 1, 3)
            coins += yield from open_objects(1, 3, lambda: PRIZES.draw(draw) * stake.coins_per_line)
    if count in FREE_SPINS:
        yield beats.FreeSpinsWon(FREE_SPINS[count], retrigger=multiplier > 1)
    return SpinResult(coins, FREE_SPINS.get(count, 0))


def advance(scene: Scene, _stake: Stake, step: Step) -> SpinScene:
    assert isinstance(scene, SpinScene)
    if isinstance(step, beats.PicksWon | beats.PickOpened | beats.PicksEnded):
        return paid(scene, step.coins)
    return fold_spin(scene, step)


GAME = Game(
    name="tiny",
    title="Tiny",
    maths_version=1,
    maths_hash=maths_hash(strips=REELS.strips, lines=LINES, pays=RULES.pays, prizes=PRIZES.weights),
    reels=3,
    rows=3,
    line_counts=(1, 2, 3),
    coins_per_line=(1, 2),
    play=play,
    step_type=(
        beats.ReelsLanded
        | beats.LineWin
        | beats.ScatterWin
        | beats.PicksWon
        | beats.PickOpened
        | beats.PicksEnded
        | beats.FreeSpinsWon
        | beats.FreeSpinBegins
        | beats.FreeSpinsEnded
        | beats.Continue
        | beats.Pick
    ),
    scene_type=SpinScene,
    memory_type=None,
    idle=SpinScene(stops=(0, 0, 0)),
    advance=advance,
)

_base = SpinDefinition(
    counts=count_symbols(REELS),
    rows=3,
    lines=LINES,
    rules=RULES,
    scatter=ScatterRules(symbol="S", pays=SCATTER_PAYS, free_spins=FREE_SPINS),
    picks=PickRules(
        name="picks",
        picks={"F": {3: 1}},
        mean=PRIZES.mean,
        variance=PRIZES.variance,
        largest=8,
        largest_chance=Fraction(1, 4),
    ),
    reels=REELS,
)
MATHS = LineGameMaths(game=GAME, base=_base, free=replace(_base, multiplier=2))
STAKE = Stake(lines=3, coins_per_line=2, coin_value_cents=10)


def played(seed: int) -> tuple[Round, list[Segment]]:
    """Play a round to its end as the controller does, and return it with its segments."""
    source = random.Random(seed)
    draw = seeded_draw(source)
    round_ = Round(GAME, STAKE, "null")
    segments = [round_.advance(None, draw)]
    while round_.offer is not None:
        segments.append(round_.advance(source.choice(round_.offer.choices), draw))
    return round_, segments


def recorded(segments: list[Segment]) -> RecordedRound:
    """Return the round as the journal would keep it."""
    return RecordedRound(
        id=1,
        wager=Wager(
            game=GAME.name,
            maths_version=GAME.maths_version,
            maths_hash=GAME.maths_hash,
            bet=Bet(lines=STAKE.lines, coins_per_line=STAKE.coins_per_line, coin_value_cents=STAKE.coin_value_cents),
        ),
        state="open",
        win_cents=sum(segment.win_cents for segment in segments),
        credit_before_cents=1000,
        memory_before="null",
        memory_after=None,
        segments=tuple(
            RecordedSegment(
                answer=segment.answer,
                draws=segment.draws,
                steps_sha256=segment.digest,
                win_cents=segment.win_cents,
            )
            for segment in segments
        ),
    )


def rich_round() -> tuple[Round, list[Segment]]:
    """Return the first round that plays free spins and a pick."""
    for seed in range(20_000):
        round_, segments = played(seed)
        steps = b"".join(bytes(step) for segment in segments for step in segment.steps)
        if b"FreeSpinsEnded" in steps and b"PickOpened" in steps:
            return round_, segments
    raise LookupError("no such round")


def test_the_controller_plays_it() -> None:
    """The round runs in segments, its scene counts every coin, and the win in cents is coins x coin value."""
    round_, segments = rich_round()
    assert round_.ended
    assert len(segments) > 4
    scene = round_.final_scene
    assert isinstance(scene, SpinScene)
    assert scene.round_win * STAKE.coin_value_cents == round_.win_cents == sum(part.win_cents for part in segments)


def test_a_replay_from_any_segment_stands_where_it_stood() -> None:
    """Cut after any segment, the same draws and answers lead to the same scene and the same win."""
    _, segments = rich_round()
    for length in range(1, len(segments) + 1):
        again = replay_round(GAME, recorded(segments[:length]))
        assert again.win_cents == sum(segment.win_cents for segment in segments[:length])
        assert again.steps == segments[length - 1].steps
        assert again.ended == (length == len(segments))


def test_a_replay_that_differs_is_refused() -> None:
    """One other draw in the record, and the round is not taken for the same."""
    _, segments = rich_round()
    (bound, value), *rest = segments[0].draws
    changed = msgspec.structs.replace(segments[0], draws=((bound, (value + 1) % bound), *rest))
    forged = recorded([changed, *segments[1:]])
    honest = msgspec.structs.replace(forged.segments[0], steps_sha256=segments[0].digest)
    with pytest.raises(ReplayMismatchError):
        replay_round(GAME, msgspec.structs.replace(forged, segments=(honest, *forged.segments[1:])))


def test_its_par_is_that_of_the_full_cycle() -> None:
    """The return at each bet, by the PAR sheet, is that of all thousand stop combinations played out by hand."""
    sheet = par_sheet(MATHS)
    assert len({bet.rtp_percent for bet in sheet.bets}) == 1
    stake = Stake(lines=3, coins_per_line=1)
    mean, spins, multiplied = Fraction(0), Fraction(0), Fraction(0)
    for stops in product(range(10), repeat=3):
        lines = sum(hit.pay for hit in _lines.hits(stops, 3))
        picks = sum(not hit.pay for hit in _lines.hits(stops, 3)) * PRIZES.mean
        scatter = SCATTER_PAYS.get(_scatters.count(stops), 0) * stake.coins
        mean += Fraction(lines + scatter + picks, 1000)
        multiplied += Fraction(2 * lines + scatter + picks, 1000)
        spins += Fraction(FREE_SPINS.get(_scatters.count(stops), 0), 1000)
    figures = MATHS.figures(stake, "")
    assert mean + spins * multiplied / (1 - spins) == figures.mean
    assert figures.mean / 3 < 1


def test_its_simulation_agrees() -> None:
    """Twenty thousand rounds of the play lie inside the jointly 99.99 % intervals, part by part."""
    tally = play_rounds(MATHS, STAKE, seeded_draw(random.Random(3)), 20_000)
    report = judge(MATHS, STAKE, tally, seed=3)
    assert [part.name for part in report.parts if part.alarm] == []
    assert sum(tally.wins) == 20_000


class Forgetful(LineGameMaths):
    """The same game, whose maths has forgotten that scatters pay."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts but the scatters'."""
        return tuple(part for part in super().parts if "scatter" not in part.name)


def test_a_win_that_no_part_owns_is_an_error() -> None:
    """A simulation never loses a win: where the maths forgets a beat that pays, it stops."""
    with pytest.raises(UnownedWinError, match="no part of the return owns ScatterWin"):
        play_rounds(Forgetful(GAME, _base, _base), STAKE, seeded_draw(random.Random(3)), 1000)


class Doubled(LineGameMaths):
    """The same game, whose maths counts its line wins twice."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts, and the lines again."""
        return (*super().parts, Part("again", ((BASE, beats.LineWin),)))


def test_a_win_that_two_parts_own_is_an_error() -> None:
    """No win is counted twice: two parts that own the same beat are refused."""
    with pytest.raises(ValueError, match="again: LineWin in 'base' already belongs to another part"):
        BeatRules.of(Doubled(GAME, _base, _base))
