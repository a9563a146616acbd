"""Whoever looks at a machine before and after its journal was archived sees the same, page by page."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from controller.features.archive.archiving import decide, finish
from controller.features.diagnostics.device_test import DeviceTestPage
from controller.journal import ledger, money, payouts
from controller.journal.event_catalogue import Event
from controller.journal.event_words import add_english
from controller.journal.open_items import add_item
from controller.journal.reports import EXPORTED
from controller.journal.rounds import recorded_round
from controller.journal.store import Store, read_only
from controller.journal.transaction import Transaction
from controller.rounds.replay import parts
from controller.service import tree
from controller.service.lists import MOST
from controller.service.page import Page
from controller.service.serviced_machine import ServicedMachine
from tests.rigs.archived_books import lived
from tests.rigs.machine import Rig
from ui.protocol.messages import ServiceRow

ROUNDS = 1_150
"""More than stay in the journal."""
PAGING = ("Older", "Newer", "Newest")
"""Rows that lead on through a list, of which an archived past is the end."""
OF_THE_ROWS = ("A.1", "H.2", "M.7", "U.6")
"""Pages of the number of ledger rows, of events, two more with an archive, and of archives."""

Pages = dict[str, list[ServiceRow]]


def much_played(folder: Path) -> None:
    """Lay books of many rounds, with whatever else happens, by the journal's own functions."""
    lived(folder)
    path = folder / "journal.sqlite"
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        store.transact(lambda tx: add_item(tx, "note_unknown", 500, Event.NOTE_UNEXPECTED))
        for first in range(0, ROUNDS, 50):
            store.transact(lambda tx: _fifty(tx, first))  # noqa: B023 - run at once


def _fifty(tx: Transaction, first: int) -> None:
    """Fifty copies of the first round that was played, each with its money, and a coin, a payout and an event."""
    wagered = tx.execute("SELECT stake_cents FROM rounds WHERE id = 1").fetchone()[0]
    columns = "game, maths_version, maths_hash, lines, coins_per_line, coin_value_cents, price, stake_cents"
    money.coins_taken(tx, 1, first % 255 + 1, (200,) * 5, 0)
    for _ in range(50):
        money.coins_taken(tx, 1, (money.coin_counter(tx, 1) or 0) % 255 + 1, (200,), 0)
        cursor = tx.execute(
            f"INSERT INTO rounds ({columns}, state, credit_before_cents, memory_before, started_ms)"  # noqa: S608
            f" SELECT {columns}, 'open', ?, memory_before, ? FROM rounds WHERE id = 1",
            (tx.credit_cents, first),
        )
        number = cursor.lastrowid
        tx.post("stake", credit=-wagered, meters={"stakes": wagered, "games": 1}, round_id=number)
        tx.execute(
            "INSERT INTO segments SELECT ?, number, answer, draws, 0, 0, steps_sha256, at_ms FROM segments"
            " WHERE round_id = 1",
            (number,),
        )
        tx.execute(
            "UPDATE rounds SET state = 'settled', memory_after = 'null', credit_after_cents = ? WHERE id = ?",
            (tx.credit_cents, number),
        )
    payouts.begin_payout(tx, "hand_pay", 100)
    payouts.confirm_hand_pay(tx)
    tx.log("clock_jumped", f"by {first}")


def archive(folder: Path) -> None:
    """Archive the journal in `folder`, at the present time of the machine's clock."""
    path = folder / "journal.sqlite"
    with closing(Store(path, lambda: 0, simulated=True)) as store:
        store.transact(lambda tx: decide(tx, folder / "archive", "so"))
    assert finish(path, lambda: 0)


def lines_below(page: Page, tx: Transaction, machine: ServicedMachine, seen: Pages) -> None:
    """Read a page, and every page that its rows lead to."""
    lines = page.read(tx, machine)
    rows = [line.row for line in lines if line.label not in PAGING]
    seen[f"{_place(page.code)} {page.title} {len(seen)}"] = [replace(row, code=_place(row.code)) for row in rows]
    for line in lines:
        if isinstance(line.leads, Page) and line.label not in PAGING:
            lines_below(line.leads, tx, machine, seen)


def _place(code: str) -> str:
    """Return a page's code without the number of an event's ledger row: the start adds its own after the archive's."""
    return "H.6" if code.startswith("H.6.") else code


def pages(tx: Transaction, machine: ServicedMachine) -> Iterator[tuple[str, Pages]]:
    """Yield each page of the menu by its code, with all that lie under it; device tests are empty before they run."""
    for code, page in sorted(tree.pages().items()):
        if not isinstance(page, DeviceTestPage):
            seen: Pages = {}
            lines_below(page, tx, machine, seen)
            yield code, seen


async def seen_of(folder: Path) -> tuple[dict[str, Pages], dict[str, object]]:
    """Start a machine on the journal in `folder`; return its pages, and its view with all that exports hold."""
    found: dict[str, Pages] = {}
    shown: dict[str, object] = {}

    rig = Rig(folder)
    try:
        await rig.start(until=None)
        await rig.until_true(rig.machine.states.up.is_set)
        found.update(await rig.journal.do(lambda tx: dict(pages(tx, rig.service.machine))))
        shown["view"] = msgspec.json.encode(rig.screen.view)
        shown["session"] = rig.machine.play.session
        shown["faults"] = [(fault.code, fault.place, fault.present) for fault in rig.machine.conditions.faults]
        await rig.journal.do(lambda tx: add_english(tx._connection))
        for name, sql in EXPORTED.items():
            shown[name] = (await rig.rows(sql))[-(MOST if name in ("rounds", "payouts", "events") else 10_000) :]
        await rig.journal.do(lambda tx: ledger.self_audit(tx._connection))
    finally:
        await rig.kill()

    return found, shown


async def test_every_page_and_the_screen_show_the_same(tmp_path: Path) -> None:
    """Of a long past too: each page of the menu and each under it, the snapshot, and what an export holds."""
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    much_played(tmp_path / "before")
    with closing(sqlite3.connect(tmp_path / "before" / "journal.sqlite")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(tmp_path / "before" / "journal.sqlite", tmp_path / "after")
    shutil.copy(tmp_path / "before" / "key", tmp_path / "after")
    archive(tmp_path / "after")
    before, shown_before = await seen_of(tmp_path / "before")
    after, shown_after = await seen_of(tmp_path / "after")
    assert before.keys() == after.keys()
    assert sum(map(len, before.values())) > MOST  # pages of rounds, games, bets, settings
    for code in before.keys() - set(OF_THE_ROWS):
        assert after[code] == before[code], code
    for code in OF_THE_ROWS:
        assert _rows_of(after[code]) >= _rows_of(before[code]) - _moving(before[code]), code
    assert (shown_before.pop("archives"), bool(shown_after.pop("archives"))) == ([], True)
    anchors_before, anchors_after = shown_before.pop("anchors"), shown_after.pop("anchors")
    assert anchors_before != anchors_after  # the archive has the older ones
    events_before, events_after = shown_before.pop("events"), shown_after.pop("events")
    assert isinstance(events_before, list)
    assert isinstance(events_after, list)
    assert [row[2:] for row in events_after if row[2] != "books_archived"][-100:] == [row[2:] for row in events_before][
        -100:
    ]
    assert shown_after == shown_before


def _rows_of(found: Pages) -> set[tuple[str, str, str, int | None]]:
    return {(row.label, row.value, row.place, row.cents) for lines in found.values() for row in lines}


def _moving(found: Pages) -> set[tuple[str, str, str, int | None]]:
    """Return the rows with the length of the ledger, and the last one of a list that is full."""
    rows = {
        (row.label, row.value, row.place, row.cents)
        for lines in found.values()
        for row in lines
        if "edger" in row.label or row.label == "Key of this machine"
    }
    full = [lines[-1] for lines in found.values() if len(lines) >= MOST]
    return rows | {(row.label, row.value, row.place, row.cents) for row in full}


@pytest.mark.requirement("L1")
def test_a_round_that_went_along_is_shown_on_the_reels_again(tmp_path: Path) -> None:
    """The recall replays it from the draws that were taken over, step by step, and reproduces every hash."""
    lived(tmp_path)
    path = tmp_path / "journal.sqlite"
    with read_only(path) as connection:
        before = [len(parts(recorded_round(Transaction(connection, 0), number))) for number in (1, 2, 3)]
    archive(tmp_path)
    with read_only(path) as connection:
        assert [len(parts(recorded_round(Transaction(connection, 0), number))) for number in (1, 2, 3)] == before
