"""Rounds in the books: the stake with the first segment, further segments, and one end."""

import hashlib

import msgspec

from controller.journal.errors import RefusedError
from controller.journal.key_value import SETTINGS
from controller.journal.transaction import Transaction
from ui.protocol.values import Bet

_SHOWN = "round_shown"
_ALL = 2**63 - 1
COMPANION = "companion"
"""Key in a stake's ledger row: the companion that the player had chosen (Bewitched's witch)."""
GAMBLE_CAP = "gamble_cap_cents"
"""Key in a stake's ledger row: the highest amount that could be gambled in the round."""


class Wager(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of a round: the game and its mathematics, the bet, and the cap on the amount gambled.

    `gamble_cap_cents` is None in games without a gamble; the replay needs it (`gamekit.play.Stake`).
    """

    game: str
    maths_version: int
    maths_hash: str
    bet: Bet
    price: int = 1
    gamble_cap_cents: int | None = None

    @property
    def stake_cents(self) -> int:
        """The price of the round in cents: the whole bet, multiplied by the price of a bought feature."""
        return self.bet.cents * self.price


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a round: from the stake or an answer to the next offer or the end.

    `draws` are (bound, value) pairs, `steps` the encoded beats and offer, and `win_cents` the amount that the segment
    adds to the credit. `memory` is the game's new memory, encoded, if the round ends here.
    """

    answer: int | None
    draws: tuple[tuple[int, int], ...]
    steps: tuple[msgspec.Raw, ...]
    win_cents: int
    memory: str | None = None

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the encoded steps, which a replay must reproduce."""
        return hashlib.sha256(b"\n".join(bytes(step) for step in self.steps)).digest()


class RecordedSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A segment in the journal: the input of a replay and the results that it must reproduce."""

    answer: int | None
    draws: tuple[tuple[int, int], ...]
    win_cents: int
    steps_sha256: bytes


class RecordedRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round in the journal.

    `companion` is the one that the player had chosen, or None in games without companions.
    """

    id: int
    wager: Wager
    companion: int | None = None
    state: str
    win_cents: int
    credit_before_cents: int
    memory_before: str
    memory_after: str | None
    segments: tuple[RecordedSegment, ...]


class RoundRow(msgspec.Struct, frozen=True, kw_only=True):
    """A round in a list: `started_ms` is by the wall clock, `state` is `open`, `settled` or `void`."""

    id: int
    game: str
    started_ms: int
    stake_cents: int
    win_cents: int
    state: str


def begin(tx: Transaction, wager: Wager, memory_before: str, segment: Segment, *, companion: int | None = None) -> int:
    """Debit the stake and record the first segment in this transaction; return the round's number.

    The `companion` and the gamble cap are recorded in the stake's ledger row.
    """
    before = tx.audit()
    tx.refuse_in_play()
    stake = wager.stake_cents
    cursor = tx.execute(
        "INSERT INTO rounds (game, maths_version, maths_hash, lines, coins_per_line, coin_value_cents, price,"
        " stake_cents, state, credit_before_cents, memory_before, started_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)",
        (
            wager.game,
            wager.maths_version,
            wager.maths_hash,
            wager.bet.lines,
            wager.bet.coins_per_line,
            wager.bet.coin_value_cents,
            wager.price,
            stake,
            before,
            memory_before,
            tx.at_ms,
        ),
    )
    round_id = cursor.lastrowid
    if round_id is None:
        raise RefusedError("The round was not recorded")
    beside = {COMPANION: companion, GAMBLE_CAP: wager.gamble_cap_cents}
    tx.post(
        "stake",
        credit=-stake,
        meters={
            "stakes": stake,
            "games": 1,
            f"{wager.game}.stakes": stake,
            f"{wager.game}.games": 1,
        },
        round_id=round_id,
        data={key: value for key, value in beside.items() if value is not None},
    )
    _record(tx, round_id, wager, 0, segment)
    return round_id


def proceed(tx: Transaction, round_id: int, segment: Segment, *, absent: bool = False) -> None:
    """Record the next segment of the open round, and reset the time waited unless the player is `absent`."""
    recorded = _open(tx, round_id)
    if not absent:
        tx.execute("UPDATE rounds SET waited_minutes = 0 WHERE id = ?", (round_id,))
    _record(tx, round_id, recorded.wager, len(recorded.segments), segment)


def _record(tx: Transaction, round_id: int, wager: Wager, number: int, segment: Segment) -> None:
    win = segment.win_cents
    tx.execute("UPDATE rounds SET win_cents = win_cents + ? WHERE id = ?", (win, round_id))
    tx.execute(
        "INSERT INTO segments (round_id, number, answer, draws, win_cents, running_win_cents, steps_sha256, at_ms)"
        " SELECT ?, ?, ?, ?, ?, win_cents, ?, ? FROM rounds WHERE id = ?",
        (
            round_id,
            number,
            segment.answer,
            msgspec.json.encode(segment.draws).decode(),
            win,
            segment.digest,
            tx.at_ms,
            round_id,
        ),
    )
    if win:
        tx.post("win", credit=win, meters={"wins": win, f"{wager.game}.wins": win}, round_id=round_id)
    if segment.memory is not None:
        _settle(tx, round_id, wager, segment.memory)


def _settle(tx: Transaction, round_id: int, wager: Wager, memory: str) -> None:
    tx.execute(
        "UPDATE rounds SET state = 'settled', memory_after = ?, credit_after_cents = ?, ended_ms = ? WHERE id = ?",
        (memory, tx.credit_cents, tx.at_ms, round_id),
    )
    if memory != "null":
        tx.execute(
            "INSERT OR REPLACE INTO memories (game, bet, memory) VALUES (?, ?, ?)",
            (wager.game, _bet_key(wager.bet), memory),
        )


def void(tx: Transaction, round_id: int, reason: str) -> None:
    """Void the open round: return the stake, take back the wins, and keep all its rows for inspection."""
    recorded = _open(tx, round_id)
    stake, win, game = recorded.wager.stake_cents, recorded.win_cents, recorded.wager.game
    tx.post(
        "void",
        credit=stake - win,
        meters={"stakes_voided": stake, "wins_voided": win, "games_voided": 1, f"{game}.voided": 1},
        round_id=round_id,
        data={"reason": reason},
    )
    tx.execute(
        "UPDATE rounds SET state = 'void', void_reason = ?, credit_after_cents = ?, ended_ms = ? WHERE id = ?",
        (reason, tx.credit_cents, tx.at_ms, round_id),
    )


def record_shown(tx: Transaction, round_id: int) -> None:
    """Record that a round was shown to its end and need not be shown again after a power cut."""
    SETTINGS.store(tx, _SHOWN, str(round_id))


def was_shown(tx: Transaction, round_id: int) -> bool:
    """Return whether this round was shown to its end."""
    shown = SETTINGS.get(tx, _SHOWN)
    return shown is not None and int(shown) >= round_id


def waited_a_minute(tx: Transaction, round_id: int) -> int:
    """Add a powered-on minute to the open round's wait for its player; return the total minutes."""
    row = tx.execute(
        "UPDATE rounds SET waited_minutes = waited_minutes + 1 WHERE id = ? RETURNING waited_minutes", (round_id,)
    ).fetchone()
    if row is None:
        raise RefusedError("There is no round {number}", number=round_id)
    return int(row[0])


def recorded_round(tx: Transaction, round_id: int) -> RecordedRound:
    """Return one round with its segments; raise `RefusedError` if no round has this number."""
    row = tx.execute(
        "SELECT game, maths_version, maths_hash, lines, coins_per_line, coin_value_cents, price,"
        " state, win_cents, credit_before_cents, memory_before, memory_after,"
        " (SELECT data FROM ledger WHERE kind = 'stake' AND round_id = rounds.id) FROM rounds WHERE id = ?",
        (round_id,),
    ).fetchone()
    if row is None:
        raise RefusedError("There is no round {number}", number=round_id)
    game, version, digest, lines, coins, value, price, state, win, before, memory, after, staked = row
    beside = msgspec.json.decode(staked or b"{}")
    segments = tx.execute(
        "SELECT answer, draws, win_cents, steps_sha256 FROM segments WHERE round_id = ? ORDER BY number",
        (round_id,),
    )
    return RecordedRound(
        id=round_id,
        wager=Wager(
            game=game,
            maths_version=version,
            maths_hash=digest,
            bet=Bet(lines=lines, coins_per_line=coins, coin_value_cents=value),
            price=price,
            gamble_cap_cents=beside.get(GAMBLE_CAP),
        ),
        companion=beside.get(COMPANION),
        state=state,
        win_cents=win,
        credit_before_cents=before,
        memory_before=memory,
        memory_after=after,
        segments=tuple(
            RecordedSegment(
                answer=answer,
                draws=msgspec.json.decode(draws, type=tuple[tuple[int, int], ...]),
                win_cents=win_cents,
                steps_sha256=sha256,
            )
            for answer, draws, win_cents, sha256 in segments
        ),
    )


def ended_rounds(tx: Transaction, most: int) -> list[RoundRow]:
    """Return at most `most` ended rounds, newest first."""
    return _rows(tx, "state <> 'open' AND id < ?", _ALL, most)


def rounds_before(tx: Transaction, before: int, most: int) -> list[RoundRow]:
    """Return at most `most` rounds with a number below `before`, newest first."""
    return _rows(tx, "id < ?", before, most)


def _rows(tx: Transaction, condition: str, before: int, most: int) -> list[RoundRow]:
    rows = tx.execute(
        "SELECT id, game, started_ms, stake_cents, win_cents, state FROM rounds"  # noqa: S608 - literals of this module
        f" WHERE {condition} ORDER BY id DESC LIMIT ?",
        (before, most),
    )
    fields = RoundRow.__struct_fields__
    return [RoundRow(**dict(zip(fields, row, strict=True))) for row in rows]


def newest_number(tx: Transaction) -> int:
    """Return the number of the newest round, which is also the number of rounds begun."""
    (number,) = tx.execute("SELECT coalesce(max(id), 0) FROM rounds").fetchone()
    return int(number)


def win_cents(tx: Transaction, round_id: int) -> int:
    """Return the amount that a round has won so far."""
    (won,) = tx.execute("SELECT win_cents FROM rounds WHERE id = ?", (round_id,)).fetchone()
    return int(won)


def memory(tx: Transaction, game: str, bet: Bet) -> str:
    """Return the encoded memory of a game for a bet, or `null` for a bet that was never played."""
    row = tx.execute("SELECT memory FROM memories WHERE game = ? AND bet = ?", (game, _bet_key(bet))).fetchone()
    return "null" if row is None else str(row[0])


def _bet_key(bet: Bet) -> str:
    return f"{bet.lines}x{bet.coins_per_line}x{bet.coin_value_cents}"


def _open(tx: Transaction, round_id: int) -> RecordedRound:
    recorded = recorded_round(tx, round_id)
    if recorded.state != "open":
        raise RefusedError("Round {number} has ended", number=round_id)
    return recorded
