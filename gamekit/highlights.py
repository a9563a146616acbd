"""A game's highlights: rounds that the attract show replays when nobody plays (`cabinet highlights GAME`).

They are stored in `highlights.json` in the game's folder, each as the seed of its draws and its bet: the production
play reproduces the round from these. The file carries the hash of its maths and is ignored with any other maths.
"""

import random
from pathlib import Path
from typing import NamedTuple

import msgspec

from common.error_words import error_words
from gamekit import catalogue
from gamekit.catalogue import UnknownGameError
from gamekit.play import Answer, Beat, Claim, Game, Memory, Offer, Scene, Stake, Step
from gamekit.simulate import answer_fairly, seeded_draw

FILE = "highlights.json"
LEAST = 6
"""A game has at least so many."""
MOST_STEPS = 4_000
"""A round that takes more steps is none for attract."""


class Highlight(msgspec.Struct, frozen=True, kw_only=True):
    """A round, shown from its segment `first` on: `seed` determines its draws, and it starts with `memory`.

    `kind` says what it shows: the name of a step, or `WIN` for a win without a feature.
    """

    kind: str
    lines: int
    coins_per_line: int
    seed: int
    first: int = 0
    memory: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def stake(self) -> Stake:
        """The bet at one cent per coin, without gamble."""
        return Stake(lines=self.lines, coins_per_line=self.coins_per_line, gamble_cap_cents=0)


class Highlights(msgspec.Struct, frozen=True, kw_only=True):
    """The highlights of the game whose maths has this hash."""

    maths_hash: str
    rounds: tuple[Highlight, ...]


class StaleHighlightsError(ValueError):
    """A game has no highlights, or those of another maths; the message has the remedy."""


class Played(NamedTuple):
    """A replayed highlight.

    `scene` is the screen before it, `offer` the offer open at that point, `won` the coins that the round has won so
    far. Each of `segments` ends with an offer or with the end of the round.
    """

    scene: Scene
    offer: Offer | None
    won: int
    segments: tuple[tuple[Step, ...], ...]


def file_of(game: str) -> Path:
    """Return the file of the highlights of the game called `game`."""
    return catalogue.folder_of(game) / FILE


def highlights_of(game: Game) -> tuple[Highlight, ...]:
    """Return the highlights of `game`; raises `StaleHighlightsError`."""
    mend = f"run `cabinet highlights {game.name}`"
    try:
        kept = msgspec.json.decode(file_of(game.name).read_bytes(), type=Highlights)
    except (OSError, ValueError, RecursionError, UnknownGameError) as error:
        raise StaleHighlightsError(f"cannot be read ({error_words(error)}): {mend}") from error
    if kept.maths_hash != game.maths_hash:
        raise StaleHighlightsError(f"keeps the highlights of another maths: {mend}")
    if len(kept.rounds) < LEAST:
        raise StaleHighlightsError(f"has {len(kept.rounds)} of {LEAST} highlights: {mend}")
    return kept.rounds


def segments_of(game: Game, stake: Stake, seed: int, memory: Memory) -> list[list[Step]]:
    """Play a round with the draws of `seed`; return its steps by segment.

    A round with more than `MOST_STEPS` steps is cut off.
    """
    draw = seeded_draw(random.Random(seed))  # noqa: S311 - shown, never paid
    play = game.play(stake, draw, memory)
    answer: Answer | None = None
    segments: list[list[Step]] = [[]]
    for _ in range(MOST_STEPS):
        try:
            step = play.send(answer)
        except StopIteration:
            break
        answer = None
        segments[-1].append(step)
        if isinstance(step, Offer):
            answer = answer_fairly(step, draw, game.pool)
            segments.append([])
    play.close()
    return [segment for segment in segments if segment]


def replay(game: Game, highlight: Highlight) -> Played:
    """Replay a highlight with the game's production code.

    Raises `StaleHighlightsError` if the game has no such round.
    """
    stake = highlight.stake
    try:
        memory = msgspec.json.decode(highlight.memory, type=game.memory_type | None) if game.memory_type else None
    except ValueError as error:
        raise StaleHighlightsError(f"has a memory that is not of {game.name}: {error}") from error
    segments = segments_of(game, stake, highlight.seed, memory)
    if highlight.first >= len(segments) or any(isinstance(step, Claim) for part in segments for step in part):
        raise StaleHighlightsError(f"has no round of {game.name} by the seed {highlight.seed}")
    scene, won = game.idle if game.seated is None else game.seated(game.idle, memory), 0
    for step in (step for segment in segments[: highlight.first] for step in segment):
        scene = game.advance(scene, stake, step)
        won += step.coins if isinstance(step, Beat) else 0
    before = segments[highlight.first - 1][-1] if highlight.first else None
    offer = before if isinstance(before, Offer) else None
    return Played(scene, offer, won, tuple(map(tuple, segments[highlight.first :])))
