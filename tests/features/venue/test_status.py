"""The status of a beat: what the cabinet knows of itself is in it, and what it does not know is left out."""

from pathlib import Path
from typing import Any

from controller.features.venue.status import Watches, status_of
from controller.journal.errors import CorruptJournalError
from tests.rigs.machine import Rig

UNKNOWN = {"books", "trial"}


def status(rig: Rig, watches: Watches) -> dict[str, Any]:
    """The status at 5000 ms."""
    return dict(status_of(rig.machine.parts, rig.config.cabinet, watches, 5000))


async def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    """Books that were not proved yet, no update, no sensor, no figure of the card's wear."""
    async with Rig(tmp_path) as rig:
        said = status(rig, Watches())
        assert UNKNOWN.isdisjoint(said)
        assert {"temperature_c", "card_wear_percent"}.isdisjoint(said["health"])
        assert said["health"]["disk_free_mb"] >= 0
        assert (said["state"], said["software"]["state"], said["clock_ms"]) == ("attract", "running", 5000)


async def test_what_is_known_is_said(tmp_path: Path) -> None:
    """Proved books, an update under way, the temperature in whole degrees, software that differs."""
    watches = Watches(
        books_proved_ms=lambda: 4000,
        temperature_c=lambda: 61.4,
        card_wear_percent=lambda: 20,
        is_authentic=lambda: False,
        trial=lambda: "asked",
    )
    async with Rig(tmp_path) as rig:
        said = status(rig, watches)
        assert said["books"] == {"proved_at_ms": 4000, "whole": True}
        assert (said["health"]["temperature_c"], said["health"]["card_wear_percent"]) == (61, 20)
        assert (said["trial"], said["software"]["state"]) == ("asked", "differs")


async def test_books_that_do_not_balance_are_said_to_differ(tmp_path: Path) -> None:
    """Whatever was proved before the cabinet locked."""
    async with Rig(tmp_path) as rig:
        rig.machine.journal.lock_up(CorruptJournalError("the books differ"))
        said = status(rig, Watches(books_proved_ms=lambda: 4000))
        assert (said["books"], said["software"]["state"]) == ({"whole": False}, "locked")
