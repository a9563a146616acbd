"""Checks a game's tables and mathematics; each fault names its file and the remedy.

`faults_of_start` is fast enough for a supervisor's every start (`withdraw_unfit`), `faults` checks everything.
`ui.checking` checks what the display needs of a game.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from common.error_words import error_words
from gamekit import catalogue, figures, highlights
from gamekit.catalogue import UnknownGameError
from gamekit.maths import BeatRules, Maths, load_maths
from gamekit.play import Answer, Beat, Claim, Draw, Game, Memory, Offer, Scene, Stake, Step
from gamekit.simulate import play_rounds, seeded_draw

ROUNDS = 300
"""Rounds of the production play at the lowest and at the highest bet."""
HUNDRED_PERCENT = 100 * 10**6
"""In millionths of a percent."""
SHOWN = 40
"""Rounds whose every step is folded into the scene, as a display does."""
TRIES = 1_000
"""Stops that are tried for an idle screen which wins nothing."""
MOST_STEPS = 100_000
"""A round that has not ended after so many steps never ends."""


class Fault(msgspec.Struct, frozen=True):
    """A fault of a game: the file, and what to change there."""

    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def withdraw_unfit() -> dict[str, str]:
    """Withdraw each game that fails the check at start; return all unavailable games with the reasons."""
    for name in catalogue.names():
        if found := faults_of_start(name):
            catalogue.withdraw(name, str(found[0]))
    return catalogue.missing()


def faults_of_start(name: str) -> list[Fault]:
    """Return the faults that make a game unplayable: in its package, its tables, or figures of another maths."""
    try:
        game = catalogue.load(name)
    except UnknownGameError as error:
        return [Fault(str(_file(name, "__init__.py")), str(error))]
    try:
        found = list(_of_tables(game))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a game's code raises is its author's to read
        return [Fault(str(_file(name, "__init__.py")), f"GAME cannot be read: {said(error)}")]
    try:
        figures.check(game)
    except figures.StaleFiguresError as error:
        found.append(Fault(str(figures.file_of(name)), str(error)))
    return found


def faults(name: str) -> list[Fault]:
    """Return all faults of a game's tables, play, scene, mathematics and figures."""
    found = faults_of_start(name)
    if any(fault.file.endswith(".py") for fault in found):
        return found
    game = catalogue.load(name)
    try:
        maths = load_maths(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a game's code raises is its author's to read
        return [*found, Fault(str(_file(name, "maths.py")), f"MATHS cannot be loaded: {said(error)}")]
    for check, part in (
        (_of_maths, "maths.py"),
        (_of_play, "play.py"),
        (_of_idle, "__init__.py"),
        (_of_scene, "scene.py"),
    ):
        try:
            found += check(game, maths)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - see above
            found.append(Fault(str(_file(name, part)), f"{said(error)}; mend it and check again"))
    return found


def faults_of_highlights(name: str) -> list[Fault]:
    """Return the faults of a game's highlights, without which the game can still be played."""
    file = str(_file(name, highlights.FILE))
    try:
        game = catalogue.load(name)
        for highlight in highlights.highlights_of(game):
            highlights.replay(game, highlight)
    except highlights.StaleHighlightsError as error:
        return [Fault(file, str(error))]
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a game's code raises is its author's to read
        return [Fault(file, f"a round ends in {said(error)}; mend it and run `cabinet highlights {name}`")]
    return []


def said(error: BaseException) -> str:
    """Return the message of an error in a game's own code."""
    return f"{type(error).__name__}: {error_words(error)}"


def _file(name: str, part: str) -> Path:
    try:
        return catalogue.folder_of(name) / part
    except UnknownGameError:
        return Path(name, part)


def _of_tables(game: Game) -> Iterator[Fault]:
    file = str(_file(game.name, "__init__.py"))
    for field in ("line_counts", "coins_per_line"):
        values = getattr(game, field)
        if not values or min(values) < 1 or list(values) != sorted(set(values)):
            yield Fault(file, f"GAME.{field} is {values}; give whole numbers above 0, rising")
    if game.reels < 1 or game.rows < 1:
        yield Fault(file, f"GAME has {game.reels} reels of {game.rows} rows; give one or more of each")
    if game.maths_version < 1:
        yield Fault(file, f"GAME.maths_version is {game.maths_version}; begin with 1")


def _of_maths(game: Game, maths: Maths) -> Iterator[Fault]:
    file = str(_file(game.name, "maths.py"))
    if maths.game is not game:
        yield Fault(file, f"MATHS is that of {maths.game.name}; give it this game's GAME")
    BeatRules.of(maths)
    try:
        kept = figures.figures_of(game.name)
    except figures.StaleFiguresError:
        return  # `faults_of_start` has said so
    # Exact figures of all bets and states take minutes for some games, so the stored ones of this maths are checked.
    for millionths in {kept.usual_return, *(one.millionths for one in kept.special_returns)}:
        if not 0 < millionths < HUNDRED_PERCENT:
            yield Fault(file, f"returns {millionths / 10**6:.4f} %; change strips or pays until it is below 100")
    have = {(one.lines, one.coins_per_line, one.price) for one in kept.promises}
    lacks = [stake for stake in maths.stakes if (stake.lines, stake.coins_per_line, stake.price) not in have]
    if lacks:
        where = str(figures.file_of(game.name))
        yield Fault(where, f"promises nothing at {len(lacks)} bets; yield them in reach.py, run cabinet figures")


def _of_play(game: Game, maths: Maths) -> Iterator[Fault]:
    for stake in (maths.stakes[0], maths.stakes[-1]):
        for state in maths.states:
            play_rounds(maths, stake, seeded_draw(random.Random(1)), max(1, ROUNDS // len(maths.states)), state)  # noqa: S311 - a check
    if game.buy_price < 0 or game.gamble_cap_cents < 0:
        yield Fault(str(_file(game.name, "__init__.py")), "buy_price and gamble_cap_cents are 0 or more")


def _of_idle(game: Game, maths: Maths) -> Iterator[Fault]:
    """Check that the reels show no winning combination before the first spin and after a full clear (C9)."""
    stops: Sequence[int] | None = getattr(game.idle, "stops", None)
    if not stops:
        return
    won, lengths = _spun(game, maths, stops)
    if won:
        luck = random.Random(1)  # noqa: S311 - a proposal, which every run makes alike
        others = (tuple(map(luck.randrange, lengths)) for _ in range(TRIES))
        better = next((other for other in others if not _spun(game, maths, other)[0]), None)
        mend = "choose others, that win nothing" + ("" if better is None else f", as {better} do")
        yield Fault(
            str(_file(game.name, "__init__.py")), f"the stops of the idle screen, {tuple(stops)}, {won}; {mend}"
        )


def _spun(game: Game, maths: Maths, stops: Sequence[int]) -> tuple[str, list[int]]:
    """Return the win of a spin at the highest bet that lands on `stops` (empty for none), and the reels' lengths."""
    left = iter(stops)
    lengths: list[int] = []

    def draw(bound: int, /) -> int:
        lengths.append(bound)
        return next(left, bound - 1)

    for step in game.play(maths.stakes[-1], draw, maths.memory(maths.states[0])):
        if not isinstance(step, Beat) or step.coins:
            won = f"pay {step.coins} coins" if isinstance(step, Beat) else "begin a feature"
            return won, lengths[: len(stops)]
    return "", lengths[: len(stops)]


def _of_scene(game: Game, maths: Maths) -> Iterator[Fault]:
    """Play rounds as the controller does: each step and scene is encoded and decoded, and each step is folded."""
    file = str(_file(game.name, "scene.py"))
    source = random.Random(2)  # noqa: S311 - a check
    scene_of = msgspec.json.Decoder(game.scene_type)
    scene: Scene = game.idle
    for number in range(SHOWN):
        stake = maths.stakes[-1 if number % 2 else 0]
        memory = maths.memory(maths.states[number % len(maths.states)])
        for step in steps_of(game, stake, memory, seeded_draw(source), source):
            scene = game.advance(scene, stake, step)
            again = scene_of.decode(msgspec.json.encode(scene))
            if msgspec.json.encode(again) != msgspec.json.encode(scene):
                yield Fault(
                    file, f"the scene after {type(step).__name__} is not the same once it has travelled as JSON"
                )
                return


def steps_of(game: Game, stake: Stake, memory: Memory, draw: Draw, choices: random.Random) -> Iterator[Step]:
    """Yield the steps of a round with random answers, each encoded and decoded.

    Raises `ValueError` if a round does not end, or a step is not of the game's `step_type`.
    """
    step_of = msgspec.json.Decoder(game.step_type)
    play = game.play(stake, draw, memory)
    answer: Answer | None = None
    for _ in range(MOST_STEPS):
        try:
            step = play.send(answer)
        except StopIteration:
            return
        answer = None
        travelled: Step = step_of.decode(msgspec.json.encode(step))
        if msgspec.json.encode(travelled) != msgspec.json.encode(step):
            raise ValueError(f"{type(step).__name__} is not the same once it has travelled as JSON")
        yield travelled
        if isinstance(step, Claim):
            answer = Answer(0 if game.pool is None else game.pool.seed_coins)
        elif isinstance(step, Offer):
            answer = Answer(choices.choice(step.choices))
    raise ValueError(f"a round has not ended after {MOST_STEPS:,} steps")
