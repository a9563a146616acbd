"""M.3, M.6 and the occurrence meters: what the totals beside the books say is what the rounds add up to."""

import sqlite3
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from controller.journal import rounds
from controller.journal.actor import Role
from controller.journal.money import coins_taken, note_stacked, note_stacking
from controller.journal.store import Store
from controller.journal.totals import by_bet, days, win_sizes
from controller.journal.totals_schema import BEYOND, ROUNDS_A_FOLD
from controller.journal.transaction import Transaction
from controller.rounds.draws import seeded_source
from controller.service import tree
from controller.service.page import Page
from gamekit.catalogue import load
from tests.rigs.books import laid
from tests.rigs.machine import Rig
from tests.rigs.rounds import spin
from tests.rigs.seeds import CHESTS
from tests.rigs.service_menu import Hand
from ui.protocol.values import Bet, Money, written

pytestmark = pytest.mark.requirement("M5", "M6")

DAY_MS = 86_400_000
NOON_MS = 1_760_000_000_000
GROWING = ("SCAN rounds", "SCAN ledger", "SCAN segments", "SCAN events", "SCAN anchors")
"""What a plan says of a table that grows with every round, where it looks at all of it."""


def wager(coin_value_cents: int = 5) -> rounds.Wager:
    """Neptune on all lines."""
    game = load("neptune")
    return rounds.Wager(
        game=game.name,
        maths_version=game.maths_version,
        maths_hash=game.maths_hash,
        bet=Bet(lines=15, coins_per_line=2, coin_value_cents=coin_value_cents),
    )


def segment(win_cents: int, *, ends: bool = True) -> rounds.Segment:
    """A whole round in one segment, or its beginning."""
    return rounds.Segment(answer=None, draws=(), steps=(), win_cents=win_cents, memory="null" if ends else None)


def test_totals_are_what_the_rounds_add_up_to(tmp_path: Path) -> None:
    """By bet, by size of the win and by the cabinet's day; a void round counts nowhere, its day gives it back."""
    now = [NOON_MS]
    store = Store(laid(tmp_path / "journal.sqlite"), lambda: now[0], simulated=True)
    store.transact(lambda tx: coins_taken(tx, 1, 1, (50_000, 200), 0))
    for win in (0, 150, 151, 5_000, 20_000):
        store.transact(lambda tx: rounds.begin(tx, wager(), "null", segment(win)))  # noqa: B023 - called at once
    now[0] += DAY_MS
    store.transact(lambda tx: rounds.begin(tx, wager(10), "null", segment(0)))
    store.transact(lambda tx: rounds.void(tx, rounds.begin(tx, wager(10), "null", segment(70, ends=False)), "broken"))
    totals = store.transact(by_bet)
    assert [(total.bet_cents, total.games, total.stakes_cents, total.wins_cents) for total in totals] == [
        (150, 5, 750, 25_301),
        (300, 1, 300, 0),
    ]
    sizes = {size: games for size, games in store.transact(win_sizes).items() if games}
    assert sizes == {0: 2, 1: 1, 2: 1, 50: 1, BEYOND: 1}
    newest, first = store.transact(lambda tx: days(tx, 9))
    assert (first.games, first.stakes_cents, first.wins_cents, first.coins_cents) == (5, 750, 25_301, 50_200)
    assert (newest.games, newest.stakes_cents, newest.wins_cents, newest.coins_cents) == (1, 300, 0, 0)
    assert first.day < newest.day
    store.close()


def test_totals_are_the_same_before_and_after_each_fold(tmp_path: Path) -> None:
    """They lag by no round and count none twice, wherever rounds are added to them at once, the last of them void."""
    now = [NOON_MS]
    store = Store(laid(tmp_path / "journal.sqlite"), lambda: now[0], simulated=True)
    store.transact(lambda tx: coins_taken(tx, 1, 1, (90_000,), 0))
    bets: Counter[int] = Counter()
    won: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    played: Counter[str] = Counter()
    for number in range(1, 2 * ROUNDS_A_FOLD + 5):
        now[0] += DAY_MS // 50
        value, win = 5 + 5 * (number % 3 == 0), 150 * (number % 4 == 0)
        is_void = number % ROUNDS_A_FOLD in (0, 1, ROUNDS_A_FOLD - 1)
        begun = store.transact(lambda tx: rounds.begin(tx, wager(value), "null", segment(win, ends=not is_void)))  # noqa: B023 - called at once
        played[time.strftime("%Y-%m-%d", time.localtime(now[0] / 1000))] += not is_void
        if is_void:
            store.transact(lambda tx: rounds.void(tx, begun, "broken"))  # noqa: B023 - called at once
        else:
            stake = 30 * value
            bets[stake] += 1
            won[stake] += win
            sizes[0 if not win else 1] += 1
        totals = store.transact(by_bet)
        assert {total.bet_cents: (total.games, total.wins_cents) for total in totals} == {
            stake: (games, won[stake]) for stake, games in bets.items()
        }
        assert {size: games for size, games in store.transact(win_sizes).items() if games} == sizes
        shown = store.transact(lambda tx: days(tx, 9))
        assert {day.day: day.games for day in shown} == played
    folded = store.transact(lambda tx: tx.execute("SELECT sum(games) FROM win_sizes_folded").fetchone()[0])
    assert 0 < folded < sum(bets.values())
    store.close()


@pytest.mark.requirement("M5")
async def test_games_and_bets_are_reported_with_their_theory(tmp_path: Path) -> None:
    """Stakes, wins, what came back and what does in theory; from the game to the coin value to the bet."""
    async with Rig(tmp_path, draws=seeded_source(CHESTS)) as rig:
        await rig.game(5000)
        await spin(rig)
        await rig.press("bet")
        await spin(rig)
        ((stake, win),) = await rig.rows("SELECT sum(stake_cents), sum(win_cents) FROM rounds")
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.3")
        shown = {row.label: row for row in hand.page.rows}
        assert (shown["Neptune"].count, shown["Staked"].cents, shown["Won"].cents) == (2, stake, win)
        assert shown["Returned in theory"].value == "96.56 %"
        await hand.enter("M.3.1")
        await hand.enter("M.3.1.1")
        bets = hand.page.rows[1:]
        assert [row.place for row in bets] == ["15 \u00d7 1", "15 \u00d7 2"]
        assert all(row.value.endswith("/ 96.56 %") for row in bets)
        assert sum((row.count or 0) * (row.cents or 0) for row in bets) == stake


@pytest.mark.requirement("M6")
async def test_games_are_counted_since_power_up_and_since_the_door(tmp_path: Path) -> None:
    """From zero after a start, and after the main door was shut."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        await rig.until("idle")
        await spin(rig)
        await rig.restart(until="idle")
        await spin(rig)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.1")
        shown = {row.label: row.count for row in hand.page.rows}
        assert shown["Games since power-up"] == 1
        assert shown["Games since the main door was shut"] == 2


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
async def test_every_chart_opens(tmp_path: Path, number: int) -> None:
    """M.6: its rows are figures, which the display draws as bars."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.6")
        await hand.enter(f"M.6.{number}")
        assert hand.page.chart
        assert sum((row.cents or 0) + (row.count or 0) for row in hand.page.rows) > 0 or number == 2
        assert all(row.cents is not None or row.count is not None for row in hand.page.rows)


class Explained(Transaction):
    """A transaction that asks SQLite how it goes about each question, and keeps what it scans from end to end."""

    def __init__(self, tx: Transaction) -> None:
        super().__init__(tx._connection, tx.at_ms)
        self.scans: list[str] = []

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Run a statement, and look at its plan."""
        plan = super().execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
        self.scans += [f"{row[3]}: {sql}" for row in plan if row[3].startswith(GROWING)]
        return super().execute(sql, parameters)


@pytest.mark.parametrize("code", ["M.1", "M.2", "M.3", "M.6", "H.1", "H.2", "H.3", "H.4", "H.6"])
async def test_no_page_looks_at_every_round(tmp_path: Path, code: str) -> None:
    """With 100,000 rounds in the books a page opens as fast as with ten: each table that grows is searched."""
    async with Rig(tmp_path) as rig:
        await rig.game(2000)
        await spin(rig)

        def read(tx: Transaction) -> list[str]:
            asked = Explained(tx)
            for line in tree.pages()[code].read(asked, rig.service.machine):
                if isinstance(line.leads, Page):
                    line.leads.read(asked, rig.service.machine)
            return asked.scans

        assert await rig.journal.do(read) == []


@pytest.mark.requirement("M1")
async def test_a_meter_has_more_than_ten_digits(tmp_path: Path) -> None:
    """What it counts beyond ten digits is in the books, on its page and in its words, to the cent."""
    cents = 98_765_432_109_87
    async with Rig(tmp_path) as rig:
        await rig.journal.do(lambda tx: note_stacking(tx, cents))
        await rig.journal.do(lambda tx: note_stacked(tx, cents))
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.1")
        assert [row.cents for row in hand.page.rows if row.label == "Notes in"] == [cents]
    assert written(cents, Money()) == "98,765,432,109.87 €"
