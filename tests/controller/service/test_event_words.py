"""H.2: every event that the code can write has words in both languages, with amounts as the cabinet writes them."""

import re
from collections import defaultdict
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.faults import CATALOGUE, in_words
from controller.journal.actor import Role
from controller.journal.event_log import LoggedEvent
from controller.journal.transaction import Transaction
from controller.service.event_table import FAULT_FORMS, FORMS
from controller.service.event_words import Told, told
from tests.rigs.event_writers import Sample, samples
from tests.rigs.machine import Rig
from tests.rigs.service_menu import Hand
from ui import text
from ui.baking import catalogues
from ui.languages import Languages
from ui.messages import Money, Snapshot, encode

SAMPLES = samples()
FAULTS = "controller.journal.faults:"
EURO = Money(decimal=",", thousands=".")


@pytest.fixture
def german(tmp_path: Path) -> Iterator[None]:
    """The display speaks German, and forgets it."""
    catalogues.compile_to(tmp_path)
    text.speak(Languages(tmp_path).catalogue("de"), EURO)
    yield
    text.speak(NullTranslations(), Money())


def event(code: str, words: str, place: str = "") -> LoggedEvent:
    """An event as the log has it."""
    return LoggedEvent(1, code, words, place, 0)


def words_of(says: Told) -> str:
    """What the display shows of it."""
    return text.outcome(says.template, dict(says.figures), says.place) if says.figures else text.told(*_plain(says))


def _plain(says: Told) -> tuple[str, str]:
    return says.template, says.place


def test_every_event_that_the_code_writes_has_words() -> None:
    """Of each line that writes one, every text is known under one of its codes, and every code has a known text."""
    by_line: dict[str, list[Sample]] = defaultdict(list)
    for sample in SAMPLES:
        if not sample.line.startswith(FAULTS) or sample.code == "fault_cleared":
            by_line[sample.line].append(sample)
    assert len(by_line) > 40
    for line, written in by_line.items():
        known = [sample for sample in written if told(event(sample.code, sample.text, "main")).known]
        lacks = {sample.text for sample in written} - {sample.text for sample in known}
        assert not lacks, f"{line} writes {lacks}: give it a form in controller/service/event_table.py, and its German"
        assert {sample.code for sample in written} == {sample.code for sample in known}, line


def test_no_form_is_left_over() -> None:
    """A kind of event that nothing writes any more has no words."""
    assert FORMS.keys() <= {sample.code for sample in SAMPLES}
    assert FAULT_FORMS.keys() <= CATALOGUE.keys()


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_fault_says_in_german_what_and_where(code: str) -> None:
    """By the catalogue's words; its detail, where it says more, stands behind it as it was written."""
    says = told(event(code, "the device says 42", "hopper"))
    assert says.known
    shown = words_of(says)
    assert "{" not in shown
    assert shown != in_words(code, "hopper")
    assert told(event(code, in_words(code, "hopper"), "hopper")).detail == ""


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("code", "written", "shown"),
    [
        ("payout_begun", "hopper of 123450 cents", "Auszahlung begonnen, Hopper: 1.234,50 €"),
        ("payout_ended", "hopper paid 500 of 2000 cents: short empty", None),
        ("large_win", "round 12 won 100000 cents", "Großer Gewinn von 1.000,00 € in Spiel 12"),
        ("setting", "limits.large_win_cents: 100000 \u2192 250000 by technician", None),
        ("payout_ended", "hopper paid 2000 of 2000 cents: done done", "Der Hopper zahlte 20,00 € ganz aus"),
        ("service_credit", "500 cents of service credit given by the attendant", None),
        ("open_item", "A note of 2000 cents was to be stacked; the line was cut", None),
        ("hopper_refill", "100 coins of 100 cents put into the hopper by the technician", None),
        ("rebuilt", "rebuilt from the second copy at row 7 with a credit of 2350 cents: lost", None),
    ],
)
def test_amounts_are_written_as_the_cabinet_writes_money(code: str, written: str, shown: str | None) -> None:
    """No bare cents on the screen, in German words."""
    says = words_of(told(event(code, written, "hopper")))
    assert "€" in says
    assert "cent" not in says
    assert shown in (None, says)


@pytest.mark.usefixtures("german")
def test_a_cleared_fault_is_named_with_its_place() -> None:
    """Its code is nothing that an attendant knows."""
    says = words_of(told(event("fault_cleared", "hopper_empty cleared by attendant", "hopper")))
    assert "hopper_empty" not in says
    assert "{" not in says


@example("test_pulse_cut", "0", "")
@given(st.sampled_from(sorted({*FORMS, *CATALOGUE, "something new"})), st.text(), st.text())
def test_whatever_a_journal_holds_is_told(code: str, written: str, place: str) -> None:
    """An older form, another kind, any text: at worst it stands in English, and nothing breaks."""
    says = told(event(code, written, place))
    if says.figures:
        assert text.outcome(says.template, dict(says.figures), says.place)
    if not says.known:
        assert says.template == written


@given(st.integers(-(10**12), 10**12), st.integers(0, 10**12))
def test_the_figures_are_those_that_were_written(paid: int, amount: int) -> None:
    """What is read from a text is what was put into it."""
    says = told(event("payout_ended", f"hopper paid {paid} of {amount} cents: short jammed"))
    assert (says.figures["paid_cents"], says.figures["amount_cents"]) == (paid, amount)


async def test_the_books_and_the_console_keep_their_form(tmp_path: Path) -> None:
    """The row of the ledger is as it was written; each event leads to a page that has it word for word."""
    async with Rig(tmp_path) as rig:
        long = "hopper_jam: " + "a very long reason that no row of the screen has room for, " * 4

        def write(tx: Transaction) -> None:
            tx.event("payout_begun", "hopper of 2000 cents", data={"kind": "hopper", "amount_cents": 2000})
            tx.event("check_out", f"check-out FAIL: {long}")
            tx.event("of another program", "{odd} {place} words", place="somewhere")

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
        told_whole = " ".join(row.label for row in hand.page.rows[1:] if not row.value)
        assert " ".join(f"check-out FAIL: {long}".split()) in told_whole
        assert encode(Snapshot(turn=1, view=rig.screen.view))
        assert await rig.events("payout_begun") == ["hopper of 2000 cents"]
