"""Days are written in one format, `cabinet.dates`: on paper, on every screen, and where one is typed (NS04 1.16.27)."""

import re
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from controller.configuration.cabinet_toml import Config
from controller.configuration.separators import DATE_FORMATS
from controller.features.tickets.attendant_slips import paper_of
from controller.features.tickets.printing import slip
from controller.features.tickets.slip_journal import AttendantSlip, SlipKind
from controller.journal.tickets import Ticket
from controller.service.typed_days import DATE, ORDERS, day_entry, read_day
from tests.rigs.machine import Rig
from tests.rigs.paths import ROOT
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import only
from ui.protocol.values import dated

WRITTEN = {
    "language": "2026-11-09",
    "yyyy-mm-dd": "2026-11-09",
    "dd/mm/yyyy": "09/11/2026",
    "dd/mm/yy": "09/11/26",
    "mm/dd/yyyy": "11/09/2026",
    "mm/dd/yy": "11/09/26",
    "dd.mm.yyyy": "09.11.2026",
    "dd.mm.yy": "09.11.26",
}
"""9 November 2026 in each format, in English."""


def at_ms() -> int:
    """Return a moment of local time, as paper has it: the venue's page sets the zone of the process that runs it."""
    return int(datetime(2026, 11, 9, 7, 5, 3).timestamp() * 1000)  # noqa: DTZ001 - local


FOR_PROGRAMS = [
    "controller/features/venue/command.py",
    "controller/system/clock_watch.py",
    "controller/system/host.py",
    "ui/protocol/values.py",
]
"""Where a day is ISO 8601 for a shell, the ledger or the system, and the one place for people."""


def house(folder: Path, dates: str, language: str = "en") -> Config:
    """Return the sample cabinet with this format of days."""
    config = only(folder, "neptune")
    return msgspec.structs.replace(
        config, cabinet=msgspec.structs.replace(config.cabinet, dates=dates, language=language)
    )


def test_every_format_that_may_be_chosen_is_written_here() -> None:
    """None is left out of the tests below; in German the language's own is with dots."""
    assert list(WRITTEN) == ["language", *DATE_FORMATS]
    assert house(ROOT, "language", "de").cabinet.written_dates == "dd.mm.yyyy"
    assert house(ROOT, "dd/mm/yy", "de").cabinet.written_dates == "dd/mm/yy"


@pytest.mark.parametrize("dates", WRITTEN)
def test_paper_has_the_cabinet_s_format(tmp_path: Path, dates: str) -> None:
    """A ticket to the minute, printed and valid until; an attendant's slip to the second."""
    config, day = house(tmp_path, dates), WRITTEN[dates]
    ticket = slip(Ticket(1, "001234567890123456", 500, "printed", at_ms(), at_ms(), None), config, ())
    assert (f"Printed {day} 07:05" in ticket.lines, f"Valid until {day} 07:05" in ticket.lines) == (True, True)
    paper = paper_of(AttendantSlip(SlipKind.HAND_PAY, 1, at_ms(), "attendant", 500, {}), config)
    assert f"{day} 07:05:03" in paper.lines


@pytest.mark.parametrize("dates", WRITTEN)
def test_only_a_day_that_words_begin_with_is_written_anew(tmp_path: Path, dates: str) -> None:
    """With its time or without; versions, numbers and whatever stands later in the words stay as they are."""
    form, day = house(tmp_path, dates).cabinet.written_dates, WRITTEN[dates]
    assert dated("2026-11-09", form) == day
    assert dated("2026-11-09 07:05:03   Neptune", form) == f"{day} 07:05:03   Neptune"
    for words in ("", "12", "2026-11-0912", "1.2026-11-09", "state 2026-11-09"):
        assert dated(words, form) == words


@pytest.mark.parametrize(
    ("dates", "typed"), [("yyyy-mm-dd", "20261109"), ("dd/mm/yy", "9112026"), ("mm/dd/yyyy", "11092026")]
)
def test_a_day_is_typed_in_the_order_in_which_it_is_written(dates: str, typed: str) -> None:
    """A leading nought may be missing; no figure beyond the limits and no day that there is not is taken."""
    assert read_day(typed, dates) == datetime(2026, 11, 9)  # noqa: DTZ001 - of no zone
    entry = day_entry(DATE, dates)
    assert entry.limits is not None
    assert entry.limits[0] <= int(typed) <= entry.limits[1]
    for edge, day in zip(entry.limits, (datetime(2020, 1, 1), datetime(2099, 12, 31)), strict=True):  # noqa: DTZ001
        assert read_day(str(edge), dates) == day
    with pytest.raises(ValueError, match="data"):
        read_day("202613320", dates)
    for year in (1970, 2019, 2100, 2120):
        with pytest.raises(ValueError, match="is not from 2020 to 2099"):
            read_day(f"{datetime(year, 6, 15):{ORDERS[dates[0]].form}}", dates)  # noqa: DTZ001 - of no zone


async def test_the_screen_and_the_menu_have_the_format(tmp_path: Path) -> None:
    """The view names it for all that the display writes; the clock is set by a day typed in its order."""
    async with Rig(tmp_path, config=house(tmp_path, "dd/mm/yy")) as rig:
        assert rig.screen.view.locale.dates == "dd/mm/yy"
        hand = Hand(rig)
        await hand.technician()
        await hand.go("U.1")
        await hand.enter("Set the clock")
        assert hand.page.entry == "Date: day, month, year as 8 digits"
        await hand.type("22112026")
        await hand.type("0905")
        for key in ("lines", "spin"):
            await rig.press(key)
        await rig.until_true(lambda: hand.page.message == "The clock is set")
        assert rig.host.set_to == [datetime(2026, 11, 22, 9, 5).astimezone().timestamp() * 1000]


def test_one_place_decides_how_a_day_is_written() -> None:
    """No other module of controller and display puts a day together for people: `ui.protocol.values` does."""
    own = re.compile(r"%d[./-]|[./-]%d\b(?!T)")
    found = [
        str(path.relative_to(ROOT))
        for folder in ("controller", "ui")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if own.search(path.read_text("utf-8"))
    ]
    assert found == FOR_PROGRAMS
