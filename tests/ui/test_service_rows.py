"""Rows and questions of the service menu: nothing runs out of its row, and everything can be touched."""

from gettext import NullTranslations

import pygame
import pytest

from controller.journal.ledger import MOST
from tests.ui.programme_service import SCREENS
from tests.ui.rehearsal import MONEY, Rehearsal, neptune_view
from ui import text
from ui.layout import SHAPES
from ui.lettering import GOLD
from ui.protocol.messages import ServicePage, ServiceRow
from ui.protocol.values import Money
from ui.scenes.service_brush import BAD
from ui.scenes.service_rows import figures_of, label_of

HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def gold(rehearsal: Rehearsal) -> pygame.Rect:
    """Places of letters in the colour of figures."""
    first, *others = pygame.mask.from_threshold(rehearsal.picture(), GOLD, (24, 24, 24, 255)).get_bounding_rects()
    return first.unionall(others)


@pytest.mark.parametrize("shape", SHAPES)
def test_long_figures_keep_to_their_row(shape: str) -> None:
    """A hash as long as they come is within its row, below its label where the monitor is narrow."""
    rehearsal = Rehearsal(shape=shape)
    rows = (ServiceRow(label="Cabinet", value=HASH),)
    rehearsal.view(neptune_view(service=ServicePage(code="U.7", title="", who="", rows=rows), state="service_menu"))
    figures = gold(rehearsal)
    width, height = SHAPES[shape].canvas
    assert figures.left > 30
    assert figures.right < width - 30
    assert figures.height > (16 if height > width else 12)


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_meter_shows_all_its_digits(shape: str) -> None:
    """The largest number that the journal can hold, as money and as a count, is within its row on M.1."""
    rehearsal = Rehearsal(shape=shape)
    rows = (ServiceRow(label="Coin in (stakes)", cents=MOST), ServiceRow(label="Games played", count=MOST))
    assert [figures_of(row, Money(symbol="kr")) for row in rows] == [
        "92,233,720,368,547,758.07 kr",
        "9,223,372,036,854,775,807",
    ]
    rehearsal.view(neptune_view(service=ServicePage(code="M.1", title="", who="", rows=rows), state="service_menu"))
    figures = gold(rehearsal)
    width, height = SHAPES[shape].canvas
    assert figures.left > 30
    assert figures.right < width - 30
    assert figures.height > (16 if height > width else 12)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_and_yes_are_touched(shape: str) -> None:
    """Each is where its words are, and is large enough for a finger."""
    rehearsal = Rehearsal(shape=shape)
    SCREENS["question"](rehearsal)
    rehearsal.picture()
    width, height = SHAPES[shape].canvas
    felt = [rehearsal.scene_manager.touch(width / 2, y, rehearsal.now) for y in range(0, height, 40)]
    for name in ("service:no", "service:yes"):
        assert felt.count(name) >= 2


@pytest.mark.parametrize("yes", [False, True])
def test_yes_to_what_is_dangerous_is_red_wherever_the_cursor_stands(*, yes: bool) -> None:
    """A finger may touch YES while NO is chosen: the warning is there before the touch."""
    rehearsal = Rehearsal()
    rows = (ServiceRow(label="Void the credit", leads=True, tone="bad"),)
    page = ServicePage(code="U.5", title="", who="", rows=rows, question="Take the credit away?", yes=yes)
    rehearsal.view(neptune_view(service=page, state="service_menu", controls=("service:no", "service:yes")))
    assert pygame.mask.from_threshold(rehearsal.picture(), BAD, (24, 24, 24, 255)).count() > 50


def test_only_a_place_that_begins_a_label_gets_a_capital() -> None:
    """The code of an event and the name of a package stay as they are."""
    labels = (
        ServiceRow(label="door_open: opened main"),
        ServiceRow(label="{place}", place="main door"),
        ServiceRow(label="Status", code="A.1"),
    )
    assert [label_of(row) for row in labels] == ["door_open: opened main", "Main door", "A.1   Status"]


def test_measured_figures_are_written_as_money_is() -> None:
    """A percentage with the cabinet's decimal sign; a version is no figure."""
    rows = [ServiceRow(label="", value=value) for value in ("32.50 % / 95.10 %", "2.2 ms", "3.5", "0.480 s")]
    text.speak(NullTranslations(), MONEY["de"])
    try:
        figures = [figures_of(row, MONEY["de"]) for row in rows]
    finally:
        text.speak(NullTranslations(), Money())
    assert figures == ["32,50 % / 95,10 %", "2,2 ms", "3.5", "0,480 s"]


def test_days_are_written_as_the_cabinet_writes_them() -> None:
    """In a label, a value, a detail and a message of the menu, and on the player's pages; nothing else changes."""
    text.speak(NullTranslations(), Money(), "dd/mm/yy")
    row = ServiceRow(label="2026-11-09 07:05:03   Neptune", value="2026-11-09 07:05:03")
    assert (label_of(row), figures_of(row, Money())) == ("09/11/26 07:05:03   Neptune", "09/11/26 07:05:03")
    assert text.moment("2026-11-09 07:05") == "09/11/26 07:05"
    assert text.day("2026-11-09") == "09/11/26"
    assert text.outcome("Set to {at}", {"at": "2026-11-09 07:05:03 UTC"}) == "Set to 09/11/26 07:05:03 UTC"
    assert figures_of(ServiceRow(label="Version", value="1.2026-11-09"), Money()) == "1.2026-11-09"
    text.speak(NullTranslations(), Money())
