"""Slips for attendants: hand-pays, collections and meters on paper, each number once and then as a copy."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.configuration.tickets import Tickets
from controller.features.tickets import slip_journal as slips
from controller.journal import periods
from controller.journal.actor import Role
from controller.journal.ledger import ADDS, TAKES
from drivers.capabilities import PrintEnd, Slip
from tests.features.tickets.rig import clerk_of
from tests.rigs.machine import PlainPrinter, Rig
from tests.rigs.service_menu import Hand
from tests.rigs.virtual_cabinet import only


@asynccontextmanager
async def cabinet(
    folder: Path, *, by_itself: bool = False, language: str = "en"
) -> AsyncIterator[tuple[Rig, list[Slip]]]:
    """A cabinet with a printer, and its tray."""
    config = replace(only(folder, "neptune"), tickets=Tickets(slips=by_itself, lines=("Casino Nord",)))
    config = replace(config, cabinet=replace(config.cabinet, language=language, number="17"))
    printer = PlainPrinter()
    async with Rig(folder, config=config, printer=printer) as rig:
        yield rig, printer.tray


async def hand_paid(rig: Rig, cents: int) -> None:
    """Have the attendant pay so much by hand."""
    while rig.credit < cents:
        assert await rig.note(500)
    await rig.press("collect")
    await rig.until("handpay")
    await rig.turn_key("attendant")
    await rig.until_true(lambda: rig.credit == 0)
    await rig.until_true(lambda: rig.shown in ("attract", "lobby", "idle"))


@pytest.mark.parametrize("by_itself", [True, False])
async def test_a_hand_pay_prints_its_slip_where_the_house_wants_it(tmp_path: Path, *, by_itself: bool) -> None:
    """Number, moment, machine and amount, once; without the setting nothing is printed unasked."""
    async with cabinet(tmp_path, by_itself=by_itself) as (rig, tray):
        await hand_paid(rig, 1500)
        await rig.machine.clock.sleep(6.0)
        assert len(tray) == by_itself
        if tray:
            ((row,),) = await rig.rows("SELECT seq FROM ledger WHERE kind = 'hand_pay'")
            (slip,) = tray
            assert (slip.title, slip.barcode) == ("HAND-PAY", "")
            assert "15.00" in slip.amount
            assert slip.lines[:2] == ("Casino Nord", f"Machine 17  Slip {row}")
            assert await rig.events("slip") == [f"Slip {row} sent to the printer: hand-pay"]


async def test_a_collection_prints_the_figures_of_its_period(tmp_path: Path) -> None:
    """What the period has counted, the drop largest; in the cabinet's language."""
    async with cabinet(tmp_path, by_itself=True, language="de") as (rig, tray):
        assert await rig.note(2000)
        await rig.journal.do(lambda tx: periods.close_period(tx, "attendant"))
        await rig.until_true(lambda: len(tray) == 1)
        (slip,) = tray
        assert slip.title == "LEERUNG"
        assert slip.amount == "20,00 €"
        assert {"Zeitraum 1", "Durch Aufsicht"} <= set(slip.lines)
        assert any(line.startswith("Scheine ein: ") and "20,00 €" in line for line in slip.lines)


async def test_a_second_slip_of_the_same_number_is_a_copy(tmp_path: Path) -> None:
    """From A.2, after the first one was printed, and after one that the printer did not report."""
    async with cabinet(tmp_path) as (rig, tray):
        await hand_paid(rig, 1500)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("A.2")
        for end, said in (
            (PrintEnd.NOT_PRINTED, "The printer is not ready: nothing was printed"),
            (PrintEnd.UNKNOWN, "The printer did not report the slip as printed"),
            (PrintEnd.PRINTED, "The slip is printed"),
        ):
            assert rig.printer is not None
            rig.printer.ends = [end]
            await hand.enter("Print slip")
            await rig.until_true(lambda: hand.page.message == said)  # noqa: B023 - in this pass
        assert [[line for line in slip.lines if "COPY" in line] for slip in tray] == [[], ["*** COPY 1 ***"]]


async def test_the_meters_are_printed_as_they_are(tmp_path: Path) -> None:
    """From M.2: the figures since the last collection, under a number of their own, by whom."""
    async with cabinet(tmp_path) as (rig, tray):
        assert await rig.note(2000)
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.2")
        for _ in range(2):
            await hand.enter("Print these figures")
            await rig.until_true(lambda: hand.page.message == "The slip is printed")
            await rig.press("bet")
        assert [slip.title for slip in tray] == ["METERS", "METERS"]
        assert tray[0].lines != tray[1].lines
        assert any(line.startswith("Notes in: ") and "20.00" in line for line in tray[0].lines)
        assert not any("COPY" in line for slip in tray for line in slip.lines)


async def test_a_printer_that_is_not_ready_prints_nothing_and_records_nothing(tmp_path: Path) -> None:
    """The slip stays an original."""
    async with cabinet(tmp_path) as (rig, tray):
        await hand_paid(rig, 1500)
        assert rig.printer is not None
        rig.printer.ready = False
        ((row,),) = await rig.rows("SELECT seq FROM ledger WHERE kind = 'hand_pay'")
        assert isinstance(row, int)
        assert await clerk_of(rig).print(slips.SlipKind.HAND_PAY, row) is PrintEnd.NOT_PRINTED
        assert (tray, await rig.events("slip")) == ([], [])


async def test_without_a_printer_the_menu_is_as_before(tmp_path: Path) -> None:
    """No line prints where nothing can."""
    async with Rig(tmp_path) as rig:
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("M.2")
        assert not [row.label for row in hand.page.rows if row.label.startswith("Print")]


@pytest.mark.parametrize("language", ["en", "de"])
async def test_a_slip_has_every_kind_of_money_that_was_counted(tmp_path: Path, language: str) -> None:
    """Each term of the books' equation has a line of its own name; one that was never counted needs none."""
    async with cabinet(tmp_path, language=language) as (rig, tray):
        await clerk_of(rig).print_meters("attendant")
        for number, name in enumerate((*ADDS, *TAKES), 1):
            cents = 1_000_000 * number if name in ADDS else -number
            await rig.journal.do(lambda tx: tx.post("test", credit=cents, meters={name: abs(cents)}))  # noqa: B023
        await clerk_of(rig).print_meters("attendant")
        plain, whole = ([line.partition(": ") for line in slip.lines if ": " in line][:-1] for slip in tray)
        assert len(plain) == len(slips.MAIN)
        assert len({name for name, _, _ in whole}) == len(whole) == len({*ADDS, *TAKES, *slips.MAIN})
