"""Each ledger row names who has caused it and from where, however late and with what else it is recorded."""

import json
from contextvars import copy_context
from pathlib import Path

from controller.journal.actor import CONSOLE, ORIGIN, Actor, Role, acting
from controller.journal.event_catalogue import Event
from controller.journal.transaction import Transaction
from controller.machine.journal_port import JournalPort
from tests.rigs.machine import Rig

BEN = Actor(Role.ATTENDANT, 3, "Ben")


async def causes(rig: Rig) -> list[tuple[str, str | None, str | None]]:
    """Return the place, the person and the origin of each event of these tests, oldest first."""
    rows = await rig.rows("SELECT data FROM ledger WHERE data ->> '$.code' = 'latch_reset' ORDER BY seq")
    events = [json.loads(str(data)) for (data,) in rows]
    return [(event["place"], event.get("by", {}).get("name"), event.get("where")) for event in events]


def happen(place: str, tx: Transaction) -> None:
    tx.event(Event.LATCH_RESET, place=place)


async def test_posts_that_share_a_transaction_keep_their_own_actors(tmp_path: Path) -> None:
    """What Ben's key posts is Ben's; what the cabinet and a console post before and after it is not."""

    def from_console(journal: JournalPort) -> None:
        ORIGIN.set(CONSOLE)
        journal.post(lambda tx: happen("console", tx))

    async with Rig(tmp_path) as rig:
        journal = rig.machine.journal
        journal.post(lambda tx: happen("before", tx))
        with acting(BEN):
            journal.post(lambda tx: happen("ben", tx))
        copy_context().run(from_console, journal)
        journal.post(lambda tx: happen("after", tx))
        await rig.until_true(lambda: journal.posts.empty)
        await journal.do(lambda tx: happen("later", tx))
        assert await causes(rig) == [
            ("before", None, None),
            ("ben", "Ben", None),
            ("console", None, CONSOLE),
            ("after", None, None),
            ("later", None, None),
        ]


async def test_the_meters_part_of_a_transaction_has_no_actor(tmp_path: Path) -> None:
    """A transaction of Ben's that owes pulses is his; what the hard meters' task does in it is the cabinet's own."""
    async with Rig(tmp_path) as rig:
        rig.journal.rider = lambda tx: happen("meters", tx)
        with acting(BEN):
            await rig.machine.journal.do(lambda tx: (happen("ben", tx), tx.post("found", meters={"found_in": 0})))
        assert await causes(rig) == [("ben", "Ben", None), ("meters", None, None)]
