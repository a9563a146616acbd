"""H: what has happened: rounds, events, notes and coins, payouts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from controller.journal.rounds import recorded_round
from controller.journal.transaction import Transaction
from controller.service.attendant import moment
from controller.service.leaf import Leaf, Line
from games.catalogue import NAMES as GAMES
from games.catalogue import load

if TYPE_CHECKING:
    from controller.machine import Machine

BEFORE = "before the round"
NAMES = {"coin": "Coin", "note": "Note", "hopper": "Hopper", "hopper_coin": "Hopper", "hand_pay": "Hand-pay"}
DRAWS_A_LINE = 5
MOST = 200
"""How many entries a page holds; the export holds all."""


def _rounds(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    """List the newest rounds, the one that is being played too; each leads to its own page (L1)."""
    rows = tx.execute(
        "SELECT id, game, stake_cents, state, started_ms FROM rounds ORDER BY id DESC LIMIT ?", (MOST,)
    ).fetchall()
    return [
        Line(_title(game), f"{state}   {moment(at_ms)}", cents=stake, leads=_round(number))
        for number, game, stake, state, at_ms in rows
    ] or (Line("No game was played yet"),)


def _round(number: int) -> Leaf:
    return Leaf(f"H.1.{number}", "Round", lambda tx, _machine: _steps_of(tx, number))


def _steps_of(tx: Transaction, number: int) -> Sequence[Line]:
    """Tell all of one round: stake, draws, answers and wins in their order, credit before and after (L2, L3)."""
    played = recorded_round(tx, number)
    wager = played.wager
    state, before, after, began = tx.execute(
        "SELECT state, credit_before_cents, credit_after_cents, started_ms FROM rounds WHERE id = ?", (number,)
    ).fetchone()
    (first,) = tx.execute("SELECT min(seq) FROM ledger WHERE round_id = ?", (number,)).fetchone()
    (last,) = tx.execute("SELECT coalesce(max(seq), 0) FROM ledger WHERE round_id = ?", (number - 1,)).fetchone()
    came = tx.execute(
        "SELECT kind, sum(credit_delta) FROM ledger WHERE seq > ? AND seq < ? AND credit_delta <> 0"
        " AND round_id IS NULL GROUP BY kind",
        (last, first),
    ).fetchall()
    lines = [
        Line(_title(wager.game), moment(began), tone="heading"),
        *(Line(NAMES.get(kind, kind), BEFORE, cents=cents) for kind, cents in came),
        Line("Credit before", cents=before),
        Line("Lines", count=wager.lines),
        Line("Coins per line", count=wager.coins_per_line),
        Line("Coin value", cents=wager.coin_value_cents),
        Line("Stake", cents=wager.stake_cents),
    ]
    for place, segment in enumerate(played.segments, start=1):
        lines.append(Line("Step", count=place, tone="heading"))
        if segment.answer is not None:
            lines.append(Line("Answer", count=segment.answer))
        for first in range(0, len(segment.draws), DRAWS_A_LINE):
            drawn = segment.draws[first : first + DRAWS_A_LINE]
            lines.append(Line("Draw", "  ".join(f"{value}/{bound}" for bound, value in drawn)))
        lines.append(Line("Win", cents=segment.win_cents))
    ended = () if after is None else (Line("Credit after", cents=after),)
    return (*lines, Line("Round", state, cents=played.win_cents, tone="heading"), *ended)


def _title(game: str) -> str:
    """Return what a game is called; one that this program has no more keeps its name."""
    return load(game).title if game in GAMES else game


def _events(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    rows = tx.execute(
        "SELECT events.code, events.text, place, at_ms FROM events JOIN ledger USING (seq) ORDER BY seq DESC LIMIT ?",
        (MOST,),
    ).fetchall()
    return [Line(f"{code}: {text} {place}".strip(), moment(at_ms)) for code, text, place, at_ms in rows]


def _money_in(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    rows = tx.execute(
        "SELECT kind, credit_delta, at_ms FROM ledger WHERE kind IN ('coin', 'note') ORDER BY seq DESC LIMIT ?", (MOST,)
    ).fetchall()
    return [Line(NAMES[kind], moment(at_ms), cents=cents) for kind, cents, at_ms in rows] or (
        Line("No money came yet"),
    )


def _payouts(tx: Transaction, _machine: "Machine") -> Sequence[Line]:
    rows = tx.execute(
        "SELECT kind, paid_cents, state, started_ms FROM payouts ORDER BY id DESC LIMIT ?", (MOST,)
    ).fetchall()
    return [Line(NAMES[kind], f"{state}   {moment(at_ms)}", cents=cents) for kind, cents, state, at_ms in rows] or (
        Line("Nothing was paid yet"),
    )


LEAVES = (
    Leaf("H.1", "Rounds", _rounds),
    Leaf("H.2", "Events", _events),
    Leaf("H.3", "Notes and coins", _money_in),
    Leaf("H.4", "Payouts", _payouts),
)
