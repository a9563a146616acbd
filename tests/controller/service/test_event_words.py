"""H.2: every event that the code can write has words in both languages, with amounts as the cabinet writes them."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from gettext import NullTranslations
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.faults import in_words, known_faults
from controller.features.diagnostics.events import DiagnosticEvent
from controller.journal.actor import Role
from controller.journal.event_catalogue import Event, EventKind, every_event
from controller.journal.event_log import LoggedEvent
from controller.journal.event_words import Words, add_english, describe
from controller.journal.transaction import Transaction
from tests.rigs.event_calls import EVENTS, event_calls, named_events
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from ui import text
from ui.baking import catalogues
from ui.languages import Languages
from ui.protocol.messages import Snapshot, encode
from ui.protocol.values import Money

EURO = Money(decimal=",", thousands=".")


@pytest.fixture
def german(tmp_path: Path) -> Iterator[None]:
    """The display speaks German, and forgets it."""
    catalogues.compile_to(tmp_path)
    text.speak(Languages(tmp_path).catalogue("de"), EURO)
    yield
    text.speak(NullTranslations(), Money())


def event(code: str, words: str, place: str = "") -> LoggedEvent:
    """An event as the log has it, without figures."""
    return LoggedEvent(1, code, words, place, 0)


def logged(kind: EventKind, place: str = "", /, **figures: str | int) -> LoggedEvent:
    """An event as the log has it."""
    return LoggedEvent(1, kind.code, kind.key, place, 0, figures)


def words_of(says: Words) -> str:
    """What the display shows of it."""
    return (
        text.outcome(says.template, dict(says.figures), says.place) if says.figures else text.translate(*_plain(says))
    )


def _plain(says: Words) -> tuple[str, str]:
    return says.template, says.place


ADDED = {
    "record": {"test"},
    "_record": {"test", "title"},
    "_changed": {"name", "role"},
    "_changed_card": {"name", "card"},
    "_log": {"name", "card"},
    "_moved": {"before", "after"},
    "_close": {"item", "way", "who"},
    "hold_printed": {"cents", "tickets"},
    "_came_back": {"test", "back", "missing"},
    "_event": {"test"},
    "written": {"name", "stick", "who"},
    "CutWire": {"setting"},
}
"""The figures that a function adds to those of its caller."""


def test_every_event_is_recorded_with_the_figures_of_its_template() -> None:
    """Wherever the code records one."""
    calls = event_calls()
    assert len(calls) > 100
    for call in calls:
        lacks = call.event.fields - call.figures - ADDED.get(call.function, set()) - {"place"}
        assert not lacks or call.passes_on, f"{call.line} records {call.event.name} without {sorted(lacks)}"


def test_every_event_is_recorded_somewhere() -> None:
    """An event that nothing records any more has no template."""
    assert named_events() >= set(EVENTS)


def test_no_figure_takes_the_name_of_what_every_row_holds() -> None:
    """Who did what and where is the ledger's own."""
    assert not {"code", "text", "by", "where", "times"} & frozenset[str]().union(
        *(event.fields for event in every_event())
    )


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("code", sorted(known_faults()))
def test_every_fault_says_in_german_what_and_where(code: str) -> None:
    """By the catalogue's words; its detail, where it says more, follows it as it was written."""
    says = describe(event(code, "the device says 42", "hopper"))
    assert says.known
    shown = words_of(says)
    assert "{" not in shown
    assert shown != in_words(code, "hopper")
    assert describe(event(code, in_words(code, "hopper"), "hopper")).detail == ""


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (logged(Event.PAYOUT_BEGUN, kind="hopper", amount_cents=123450), "Auszahlung begonnen, Hopper: 1.234,50 €"),
        (logged(Event.LARGE_WIN, "game", round=12, won_cents=100000), "Großer Gewinn von 1.000,00 € in Spiel 12"),
        (logged(Event.PAID_ALL, "hopper", amount_cents=2000), "Der Hopper zahlte 20,00 € ganz aus"),
        (
            logged(Event.PAID_PART_BECAUSE, paid_cents=500, amount_cents=2000, state="short", reason="empty"),
            "Der Hopper zahlte 5,00 € von 20,00 €: nicht alles ausgezahlt (er ist leer)",
        ),
        (logged(Event.OPENED_UNPOWERED, "logic"), "Logiktür wurde geöffnet, während der Strom aus war"),
    ],
)
def test_an_event_is_shown_in_german_with_amounts_as_the_cabinet_writes_them(event: LoggedEvent, shown: str) -> None:
    """Codes among its figures, its place and its amounts in the reader's words."""
    assert words_of(describe(event)) == shown


@pytest.mark.usefixtures("german")
def test_a_cleared_fault_is_named_with_its_place() -> None:
    """Its code is nothing that an attendant knows."""
    says = words_of(describe(logged(Event.FAULT_CLEARED, "hopper", fault="hopper_empty", who="attendant")))
    assert "hopper_empty" not in says
    assert "{" not in says


@pytest.mark.parametrize("kind", [*every_event()])
def test_every_event_has_english_words_for_exports(kind: EventKind) -> None:
    """Made of its figures by the query itself; a fault's detail and words that are no event's key stay as they are."""
    figures = {name: 5 if name.endswith("_cents") else "red" for name in kind.fields - {"place"}}
    amounts = {name: "5 cents" for name in figures if name.endswith("_cents")}
    wanted = kind.template.format(**{**figures, **amounts, "place": "hopper"})
    with closing(sqlite3.connect(":memory:")) as connection:
        add_english(connection)
        rows = [(kind.code, kind.key, figures), (kind.code, "other words", {}), ("hopper_jam", "code 7", {})]
        sql = "SELECT event_words(?, ?, 'hopper', ?)"
        english = [
            connection.execute(sql, (code, words, msgspec.json.encode(data).decode())).fetchone()[0]
            for code, words, data in rows
        ]
    assert english == [wanted, "other words", "code 7"]


@example("test_pulse_cut", "0", "", {})
@example("payout_begun", "payout_begun", "", {})
@example("payout_begun", "payout_begun", "", {"kind": None, "amount_cents": [1]})
@given(
    st.sampled_from(sorted({*known_faults(), *(kind.code for kind in every_event()), "something new"})),
    st.sampled_from([kind.key for kind in every_event()]) | st.text(),
    st.text(),
    st.dictionaries(
        st.sampled_from(sorted(frozenset[str]().union(*(kind.fields for kind in every_event())))), st.text()
    ),
)
def test_whatever_a_journal_holds_is_shown(code: str, written: str, place: str, figures: dict[str, object]) -> None:
    """Any text, any figures, or none: at worst it is shown as it was written, and nothing breaks."""
    says = describe(LoggedEvent(1, code, written, place, 0, figures))
    if says.figures:
        assert text.outcome(says.template, dict(says.figures), says.place)
    if not says.known:
        assert says.template == written


async def test_the_books_and_the_console_keep_their_form(tmp_path: Path) -> None:
    """The row of the ledger is as it was written; each event leads to a page that has it word for word."""
    async with Rig(tmp_path) as rig:
        long = "hopper_jam: " + "a very long reason that no row of the screen has room for, " * 4

        def write(tx: Transaction) -> None:
            tx.event(Event.PAYOUT_BEGUN, kind="hopper", amount_cents=2000)
            tx.event(DiagnosticEvent.CHECK_OUT_FAILED, reason=long)
            tx.log("of another program", "{odd} {place} words", place="somewhere")

        await rig.journal.do(write)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.2")
        rows = {row.code: row for row in hand.page.rows}
        begun = rows["payout_begun"]
        assert (begun.label, begun.figures["amount_cents"]) == ("Payout begun, {kind}: {amount_cents}", 2000)
        assert (rows["of another program"].label, rows["of another program"].figures) == ("{odd} {place} words", {})
        await hand.enter("check_out")
        assert re.fullmatch(r"H\.2\.0\.\d+", hand.page.code)
        whole = " ".join(row.label for row in hand.page.rows[1:] if not row.value)
        assert " ".join(long.split()) in " ".join(whole.split())
        assert encode(Snapshot(turn=1, view=rig.screen.view))
        assert await rig.events("payout_begun") == ["Payout begun, hopper: 2000 cents"]
