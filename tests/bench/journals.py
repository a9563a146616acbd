"""Journals of many rounds, made quickly: the same tables, transactions and plays, a thousand rounds a commit."""

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

from controller.journal import digests, money, rounds
from controller.journal.migrations import migrate
from controller.journal.schema import NAMES
from controller.journal.transaction import Transaction
from controller.rounds.draws import DrawSource, seeded_source
from controller.rounds.engine import Round, stake_of
from controller.session.session import Session, save_session
from gamekit.catalogue import load
from gamekit.play import Game
from tests.bench.figures import KEPT, Progress, silent
from ui.protocol.values import Bet

NOTE_CENTS = 5_000
_COMMIT_EVERY = 1_000


def journal_of(size: int, progress: Progress = silent) -> Path:
    """Return a journal of `size` Neptune rounds at the bet a new game begins with, made if it is not kept yet."""
    game = load("neptune")
    kept = KEPT / f"journal-{size}-{NAMES[-1]}-{game.maths_hash[:8]}.sqlite"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(".new")
        for left_over in KEPT.glob(f"{fresh.name}*"):
            left_over.unlink()
        migrate(fresh, simulated=True)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=OFF")  # a file that nobody relies on before it is whole
            _fill(connection, game, size, progress)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        fresh.rename(kept)
    return kept


def _fill(connection: sqlite3.Connection, game: Game, size: int, progress: Progress) -> None:
    wager = rounds.Wager(
        game=game.name,
        maths_version=game.maths_version,
        maths_hash=game.maths_hash,
        bet=Bet(lines=game.line_counts[-1], coins_per_line=game.coins_per_line[0], coin_value_cents=10),
    )
    session = Session(
        place="idle",
        game=wager.game,
        bet=wager.bet,
    )
    draws = seeded_source(1)
    for number in range(size):
        if number % _COMMIT_EVERY == 0:
            connection.execute("BEGIN IMMEDIATE")
        tx = Transaction(connection, number)
        if tx.credit_cents < wager.stake_cents:
            money.note_stacking(tx, NOTE_CENTS)
            money.note_stacked(tx, NOTE_CENTS)
            money.note_acknowledged(tx)
        _play(tx, game, wager, number, draws)
        if number % _COMMIT_EVERY == _COMMIT_EVERY - 1 or number == size - 1:
            save_session(tx, session)
            connection.execute("COMMIT")
            progress(number + 1, size)
    digests.begin(connection)


def _play(tx: Transaction, game: Game, wager: rounds.Wager, number: int, draws: DrawSource) -> None:
    """Play one round to its end, with the first of all choices."""
    played = Round(game, stake_of(wager), "null")
    round_id = rounds.begin(tx, wager, "null", played.advance(None, draws(number, 0)))
    for segment in count(1):
        if played.offer is None:
            return
        rounds.proceed(tx, round_id, played.advance(played.offer.choices[0], draws(number, segment)))
