"""The set-up guide's test of the panel: each button is lit alone until it is pressed, on the cabinet's own pins."""

from pathlib import Path

from controller.features.diagnostics import panel
from controller.features.doctor.guide.steps import TITLES
from controller.features.doctor.guide_journal import Step
from drivers.wiring import BUTTONS
from tests.rigs.technician import Technician, books, technician_at


async def come_to_the_test(technician: Technician) -> tuple[object, ...]:
    """Open the menu and the guide's test of the panel; return the books before it."""
    await technician.open()
    before = await technician.machine.journal.do(books)
    await technician.go("U.14")
    await technician.enter(TITLES[Step.PANEL])
    await technician.enter(panel.TITLE)
    assert technician.page.code == panel.CODE
    return before


async def blinks(technician: Technician, name: str) -> None:
    """Wait until the lamp of that button is lit, and no other is."""
    await technician.cabinet.until(lambda: technician.lit() == {name})


def results(technician: Technician) -> list[str]:
    """What came of each button, in the order of the panel."""
    return [row.value for row in sorted(technician.page.rows, key=lambda row: row.code) if row.code.startswith("I")]


async def test_every_lit_button_is_pressed_in_turn(tmp_path: Path) -> None:
    """One lamp blinks at a time; all pressed, the test leaves by itself, has moved no money, and is an event."""
    async with technician_at(tmp_path) as technician:
        before = await come_to_the_test(technician)
        for pressed, name in enumerate(BUTTONS):
            assert results(technician)[: pressed + 1] == [*[panel.WORKS] * pressed, panel.PRESS]
            await blinks(technician, name)
            await technician.cabinet.tap(name)
        assert results(technician) == [panel.WORKS] * len(BUTTONS)
        assert technician.page.rows[0].label == panel.ALL_WELL
        await technician.cabinet.until(lambda: technician.page.code != panel.CODE)
        assert technician.page.title == TITLES[Step.PANEL]
        assert await technician.machine.journal.do(books) == before
        assert (await technician.events())[-1] == f"{panel.CODE} {panel.TITLE}: ended; buttons that work: 8 of 8"


async def test_a_wrong_button_is_named_and_a_dead_one_left_out(tmp_path: Path) -> None:
    """A press of another button than the lit one says which it was; by touch the lit one is left out."""
    async with technician_at(tmp_path) as technician:
        await come_to_the_test(technician)
        await blinks(technician, BUTTONS[0])
        await technician.cabinet.tap(BUTTONS[-1])
        wrong = next(row for row in technician.page.rows if row.tone == "bad")
        assert (wrong.label, wrong.place) == (panel.WRONG, technician.page.rows[-1].place)
        assert results(technician)[0] == panel.PRESS
        at = next(number for number, row in enumerate(technician.page.rows) if row.label == panel.LEAVE_OUT)
        await technician.touch(f"service:row:{at}")
        await blinks(technician, BUTTONS[1])
        assert results(technician)[:2] == [panel.DOES_NOT, panel.PRESS]
        assert all(row.label != panel.WRONG for row in technician.page.rows)
