"""Records of rounds as a cabinet hands them to its venue, played by the production engine from a seed."""

import random
from functools import cache
from itertools import count
from typing import Any

from controller.rounds.engine import Round, stake_of, wager_on
from gamekit.catalogue import load
from gamekit.play import Claim
from ui.protocol.values import Bet


@cache
def seed_of(name: str) -> int:
    """Return the first seed whose round of a game has a feature and a win."""
    return next(seed for seed in count() if (played := _played(name, seed)[0]).feature and played.win_cents)


def _bet(name: str) -> Bet:
    """Return the bet of a game's records: the most lines, the fewest coins, 5 cents a coin."""
    game = load(name)
    return Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=5)


def _played(name: str, seed: int) -> tuple[Round, list[dict[str, Any]]]:
    """Play a round to its end, the first choice as every answer; return it and its recorded segments."""
    game = load(name)
    wager = wager_on(game, _bet(name), gamble_cap_cents=game.gamble_cap_cents or None)
    played, chance = Round(game, stake_of(wager), "null"), random.Random(seed)
    segments: list[dict[str, Any]] = []
    answer: int | None = None
    while not played.ended:
        segment = played.advance(answer, chance.randrange)
        draws = [list(drawn) for drawn in segment.draws]
        segments.append(
            {"answer": answer, "draws": draws, "win_cents": segment.win_cents, "sha256": segment.digest.hex()}
        )
        if played.offer is not None:
            claims = isinstance(played.offer, Claim) and game.pool is not None
            answer = game.pool.seed_coins if claims and game.pool else played.offer.choices[0]
    return played, segments


def record(name: str, seed: int | None = None) -> dict[str, Any]:
    """Return the record of a round at the most lines and 5 cents a coin; the first choice answers every offer."""
    game, bet = load(name), _bet(name)
    played, segments = _played(name, seed_of(name) if seed is None else seed)
    return {
        "round": 1001,
        "game": name,
        "maths_version": game.maths_version,
        "maths_hash": game.maths_hash,
        "bet": {"lines": bet.lines, "coins_per_line": bet.coins_per_line, "coin_value_cents": bet.coin_value_cents},
        "price": 1,
        "gamble_cap_cents": game.gamble_cap_cents or None,
        "companion": 1 if game.companions else None,
        "state": "settled",
        "win_cents": played.win_cents,
        "credit_before_cents": 12_350,
        "memory_before": "null",
        "memory_after": "null",
        "segments": segments,
    }
