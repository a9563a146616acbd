"""Finds a seed with which a demo soon shows everything of interest.

A demo's draws depend only on its seed, the round and the segment (`controller.rounds.draws.seeded_source`), so rounds
can be tried in advance with the production code.
"""

from collections.abc import Iterator
from itertools import islice

import msgspec

from controller.rounds.draws import DrawSource, seeded_source
from controller.rounds.engine import Round
from gamekit.play import Game, Stake

_SEEDS = 20_000
_LATEST_WIN = 3
_LATEST_FEATURE = 8
_MOST_OFFERS = 13


class NoSuchSeedError(LookupError):
    """No seed gives such a story."""


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a round: its win, and the number of its offers."""

    win_cents: int
    offers: int


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """The rounds of a demo with this `seed`, counted from 0.

    Round `win` is the first that pays more than its stake; the next one pays something and is interrupted; round
    `feature` is the first with an offer.
    """

    seed: int
    win: int
    feature: int


def outcomes(game: Game, stake: Stake, source: DrawSource, first: int = 0) -> Iterator[Outcome]:
    """Play rounds of `game` from round `first` on, without end, with the first choice of every offer."""
    memory = "null"
    number = first
    while True:
        played = Round(game, stake, memory)
        segment = played.advance(None, source(number, 0))
        offers = 0
        while played.offer is not None:
            offers += 1
            segment = played.advance(played.offer.choices[0], source(number, played.segments))
        memory = segment.memory or "null"
        yield Outcome(played.win_cents, offers)
        number += 1


def find_story(game: Game, stake: Stake, first: int = 0) -> Story:
    """Return the story of the first seed whose win, interrupted round and feature come early enough.

    `first` is the number of rounds already in the journal. Raises `NoSuchSeedError` after 20,000 seeds.
    """
    for seed in range(_SEEDS):
        story = _story_of(
            seed, stake, list(islice(outcomes(game, stake, seeded_source(seed), first), _LATEST_FEATURE + 1))
        )
        if story is not None:
            return story
    raise NoSuchSeedError(
        f"none of {_SEEDS} seeds of {game.name} brings win and feature soon enough; name one: cabinet demo --seed N"
    )


def _story_of(seed: int, stake: Stake, rounds: list[Outcome]) -> Story | None:
    win = next((number for number, outcome in enumerate(rounds) if outcome.win_cents > stake.coins), None)
    feature = next((number for number, outcome in enumerate(rounds) if outcome.offers), None)
    if win is None or feature is None or win > _LATEST_WIN or feature < win + 2:
        return None
    short = rounds[feature].offers <= _MOST_OFFERS
    return Story(seed=seed, win=win, feature=feature) if short and rounds[win + 1].win_cents else None
