"""No draw depends on earlier outcomes, on the bet or on how one plays: for every game, whatever came before.

The same bytes of the generator give the same numbers. A play sees its bet, its draws, the answers and what the bet
carries, and no clock, credit or history. What Witch Feature carries is the rules' and on the screen before the stake;
it decides what a spin may win and never which stops are drawn.
"""

import ast
import random
from collections.abc import Callable, Generator, Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.rounds.randomness import WatchedGenerator
from gamekit.catalogue import load, names
from gamekit.maths import load_maths
from gamekit.play import Answer, Draw, Game, Memory, Offer, Play, Stake, Step

pytestmark = pytest.mark.requirement("R10")

SEEDS = range(40)
FEW_SEEDS = SEEDS[:3]
COIN_VALUES_CENTS = (1, 5, 200)
HIDDEN = {
    "asyncio", "contextvars", "controller", "datetime", "drivers", "os", "pathlib", "random", "secrets", "socket",
    "sqlite3", "subprocess", "sys", "threading", "time", "ui", "uuid", "venue",
}  # fmt: skip
"""What a play would need to see more than it is given."""


class Recorded:
    """The cabinet's generator over the bytes of a seed, and the draws taken from it."""

    def __init__(self, seed: int) -> None:
        self._generator = WatchedGenerator(random.Random(seed).randbytes)  # the same bytes every time
        self.draws: list[tuple[int, int]] = []

    def draw(self, bound: int, /) -> int:
        """Draw below `bound`."""
        self.draws.append((bound, self._generator.draw(bound)))
        return self.draws[-1][1]


def first(offer: Offer) -> int:
    """Answer with the first choice."""
    return next(iter(offer.choices), 0)


def last(offer: Offer) -> int:
    """Answer with the last choice; a win is gambled no further."""
    return first(offer) if offer.gamble or not offer.choices else offer.choices[-1]


def draws_of(
    game: Game, stake: Stake, seed: int, memory: Memory = None, choose: Callable[[Offer], int] = first
) -> list[tuple[int, int]]:
    """Return bound and value of each draw of a round."""
    recorded = Recorded(seed)
    play = game.play(stake, recorded.draw, memory)
    answer: Answer | None = None
    while True:
        try:
            step = play.send(answer)
        except StopIteration:
            return recorded.draws
        answer = Answer(choose(step)) if isinstance(step, Offer) else None


def stops_of(game: Game, stake: Stake, seed: int, memory: Memory = None) -> Sequence[int]:
    """Return the stops of a paid spin: the first draws of its round, one for each reel."""
    recorded = Recorded(seed)
    for step in game.play(stake, recorded.draw, memory):
        stops: Sequence[int] | None = getattr(step, "stops", None)
        if stops is not None:
            assert len(recorded.draws) == game.reels
            assert [value for _, value in recorded.draws] == list(stops)
            return stops
    raise AssertionError("no reels landed")


def memories(name: str) -> list[Memory]:
    """Return what a bet may carry into a round, nothing among it."""
    maths = load_maths(name)
    return [None, *(maths.memory(state) for state in maths.states if state)]


def is_independent(game: Game, carried: Sequence[Memory]) -> None:
    """Fail where stops depend on the bet, on what it carries, or on what was played before."""
    for seed in FEW_SEEDS:
        expected = stops_of(game, game.stakes()[0], seed)
        for stake in game.stakes():
            assert stops_of(game, stake, seed) == expected
        for memory in carried:
            assert stops_of(game, game.stakes()[-1], seed, memory) == expected
    stake = game.stakes()[-1]
    before = [draws_of(game, stake, seed) for seed in SEEDS]
    for seed in SEEDS:
        draws_of(game, stake, 1000 + seed)
    assert before == [draws_of(game, stake, seed) for seed in SEEDS]


@pytest.mark.parametrize("name", names())
def test_stops_depend_on_no_bet_no_history_and_nothing_carried(name: str) -> None:
    """At every bet, in every state and after any rounds the same bytes stop the reels at the same places."""
    is_independent(load(name), memories(name))


@pytest.mark.parametrize("choose", [first, last])
@pytest.mark.parametrize("name", names())
def test_every_number_of_a_round_is_the_next_of_the_generator(name: str, choose: Callable[[Offer], int]) -> None:
    """Nothing is drawn and thrown away, looked at first, or used twice: asked for the same bounds it gives the same."""
    game = load(name)
    stakes = game.stakes()
    for seed, memory in zip(SEEDS, memories(name) * len(SEEDS), strict=False):
        drawn = draws_of(game, stakes[seed % len(stakes)], seed, memory, choose)
        again = Recorded(seed)
        assert drawn == [(bound, again.draw(bound)) for bound, _ in drawn]


@pytest.mark.parametrize("name", names())
def test_the_coin_s_value_changes_no_draw_of_a_round(name: str) -> None:
    """At each value of a coin a whole round draws the same, features and all."""
    game = load(name)
    for seed in range(100):
        rounds = [
            draws_of(game, replace(game.stakes()[-1], coin_value_cents=value), seed) for value in COIN_VALUES_CENTS
        ]
        assert rounds == [rounds[0]] * len(rounds)


@pytest.mark.parametrize("name", names())
def test_the_coins_on_a_line_change_no_draw_of_a_round(name: str) -> None:
    """Nor do more coins. In Bewitched they buy chances of the jackpot: a table of the same bound with other entries."""
    game = load(name)
    most = [stake for stake in game.stakes() if stake.lines == game.line_counts[-1]]
    for seed in range(100):
        rounds = [draws_of(game, stake, seed) for stake in (most[0], most[-1])]
        shared = min(map(len, rounds)) if name == "bewitched" else len(rounds[0])
        assert rounds[0][:shared] == rounds[1][:shared]
        assert name == "bewitched" or len(rounds[0]) == len(rounds[1])


def test_what_is_carried_is_the_rules_and_shown() -> None:
    """Only Witch Feature carries something between rounds, and its scene shows it before a stake."""
    carrying = [name for name in names() if load(name).memory_type is not None]
    assert carrying == ["witch_feature"]
    game = load("witch_feature")
    assert game.seated is not None
    shown = [bytes_of(game.seated(game.idle, memory)) for memory in memories("witch_feature")[1:]]
    assert len(set(shown)) == len(shown) == 40
    rules = (Path(__file__).parents[2] / "games" / "witch_feature" / "RULES.md").read_text()
    assert "each bet" in rules or "every bet" in rules


def bytes_of(scene: object) -> str:
    """Return all that a scene shows, comparable."""
    return repr(scene)


def modules_of(name: str) -> set[str]:
    """Return the modules that a game's play is made of, by following its imports."""
    play = load(name).play
    module = getattr(play, "__module__", type(play).__module__)
    waiting, found = [module, f"games.{name}.definition"], set[str]()
    while waiting:
        module = waiting.pop()
        spec = find_spec(module) if module not in found else None
        if spec is None or spec.origin is None:
            continue
        found.add(module)
        waiting += [each for each in imported(Path(spec.origin)) if each.startswith(("games.", "gamekit."))]
    return found


def imported(source: Path) -> set[str]:
    """Return the modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.requirement("S8")
@pytest.mark.parametrize("name", names())
def test_a_play_can_see_nothing_else(name: str) -> None:
    """No module of a play imports a clock, a generator of its own, files, or the cabinet."""
    modules = modules_of(name)
    assert "gamekit.reels" in modules
    for module in modules:
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        assert {each.split(".")[0] for each in imported(Path(spec.origin))} & HIDDEN == set(), module


def spoilt(play: Play, changed: Callable[[Stake, Draw], Draw]) -> Play:
    """Return a play whose draws are `changed`."""

    def played(stake: Stake, draw: Draw, memory: Memory = None) -> Generator[Step, Answer | None, Memory]:
        return play(stake, changed(stake, draw), memory)

    return played


def test_a_play_that_looks_at_the_bet_is_seen() -> None:
    """One that stops the reels elsewhere at a high bet fails."""
    game = load("neptune")

    def changed(stake: Stake, draw: Draw) -> Draw:
        return draw if stake.coins < 75 else lambda bound: (draw(bound) + 1) % bound

    with pytest.raises(AssertionError):
        is_independent(replace(game, play=spoilt(game.play, changed)), [None])


def test_a_play_that_remembers_is_seen() -> None:
    """One that throws a number away in every third round fails, whatever that is good for."""
    game, rounds = load("neptune"), count()

    def changed(_stake: Stake, draw: Draw) -> Draw:
        if next(rounds) % 3 == 0:
            draw(2)
        return draw

    with pytest.raises(AssertionError):
        is_independent(replace(game, play=spoilt(game.play, changed)), [None])
