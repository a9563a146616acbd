"""The page has rounds drawn by the display's program: again after a failure, in the reader's language, not for ever."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.conf import settings
from django.test import Client, override_settings

from tests.rigs.postgres import VenueDatabase
from tests.rigs.round_records import record
from tests.rigs.venue_floor import enrolled
from tests.rigs.venue_page import logged_in, text_of
from venue.page import redrawing
from venue.page.roles import Role

DISPLAY = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[-1])
given = json.loads(sys.stdin.read())
(folder / "given.json").write_text(json.dumps(given))
if not (folder.parent / "mended").exists():
    sys.exit("the art is missing")
(folder / "01.png").write_bytes(b"PNG")
shot = {"name": "01.png", "win_cents": 5, "answer": None}
(folder / "round.json").write_text(json.dumps({"shots": [shot], "matches": True, "message": ""}))
"""


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Path]:
    """A folder of pictures, and a display's program that fails until the file `mended` is in it."""
    place = tmp_path / "spool"
    place.mkdir()
    config = msgspec.structs.replace(
        settings.CONFIG, spool=place, display=(sys.executable, "-c", DISPLAY), currency="GBP"
    )
    with override_settings(CONFIG=config):
        yield place


@pytest.fixture
def carl(site: VenueDatabase) -> Iterator[Client]:
    """A cashier, for whom cabinet 1 has handed over a round."""
    client = logged_in(Role.CASHIER, "carl")
    with enrolled(site, 1) as cabinet:
        client.post("/rounds/ask", {"cabinet": "1", "round": "1001"})
        cabinet.call("round", cabinet.session, 1001, msgspec.json.encode(record("neptune")).decode())
        yield client


def shown(client: Client, language: str = "en") -> str:
    """Return the round's page once nothing is being drawn."""
    for _ in range(500):
        page = text_of(client.get("/rounds/1/1001/", headers={"Accept-Language": language}).content)
        if "being drawn" not in page and "werden gezeichnet" not in page:
            return page
        _drawn()
    raise AssertionError("the pictures are drawn for ever")


def _drawn() -> None:
    import threading  # noqa: PLC0415

    for thread in threading.enumerate():
        if thread.name == "redraw":
            thread.join(10)


@pytest.mark.parametrize(
    "again",
    [
        lambda client: client.post("/rounds/1/1001/"),
        lambda client: client.post("/rounds/ask", {"cabinet": "1", "round": "1001"}),
    ],
)
@pytest.mark.usefixtures("site")
def test_what_could_not_be_drawn_is_drawn_when_asked_again(
    carl: Client, spool: Path, again: Callable[[Client], Any]
) -> None:
    """A failure stays on the page until somebody asks again; then the round is drawn."""
    assert "Could not be drawn the art is missing" in shown(carl)
    (spool / "mended").touch()
    assert "Could not be drawn" in shown(carl), "not by itself: each look would start the program"
    again(carl)
    assert "Reproduces every recorded hash" in shown(carl)


@pytest.mark.usefixtures("site")
def test_a_round_is_drawn_in_the_reader_s_language_and_the_venue_s_money(carl: Client, spool: Path) -> None:
    """The display's program is told both; each language has its own pictures."""
    (spool / "mended").touch()
    shown(carl)
    shown(carl, "de")
    english, german = (json.loads((spool / f"1-1001-{one}" / "given.json").read_text()) for one in ("en", "de"))
    assert (english["language"], german["language"]) == ("en", "de")
    assert english["money"] == {"symbol": "£", "decimal": ".", "thousands": ",", "symbol_first": True}
    assert (german["money"]["decimal"], german["money"]["thousands"]) == (",", ".")


@pytest.mark.usefixtures("site")
def test_pictures_are_removed_when_nobody_looks_at_them(carl: Client, spool: Path) -> None:
    """After a month without a look the folder goes; a look keeps it."""
    (spool / "mended").touch()
    shown(carl)
    made = spool / "1-1001-en" / redrawing.MADE
    os.utime(made, (0, 0))
    shown(carl)
    now = made.stat().st_mtime
    assert now > 0
    redrawing.tidy(now + redrawing.KEPT_S - 1)
    assert made.exists()
    redrawing.tidy(now + redrawing.KEPT_S + 1)
    assert list(spool.iterdir()) == [spool / "mended"]


def test_without_a_display_the_page_says_so(carl: Client) -> None:
    """The record alone is shown, and that drawing is not set up."""
    assert "Drawing is not set up on this machine" in shown(carl)
