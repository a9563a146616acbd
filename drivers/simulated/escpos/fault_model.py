"""Faults of a ticket printer that speaks ESC/POS."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

ROWS: Final = (
    Row(
        name="cover_open",
        how=How.LASTS,
        event="The cover is opened: the line that was printed is printed anew when it is shut.",
        money="Half a ticket until then; two barcodes on one paper are possible.",
        source="Epson, DLE EOT 2",
        test="escpos/test_paper.py::test_an_open_cover_stops_the_ticket_and_closing_it_goes_on",
    ),
    Row(
        name="paper_jam",
        how=How.LASTS,
        event="The paper jams: recoverable by DLE ENQ when the cause is gone.",
        money="Half a ticket; the line is printed anew.",
        source="Epson, DLE EOT 3, DLE ENQ",
        test="escpos/test_paper.py::test_a_paper_jam_is_torn_out_and_the_line_printed_anew",
    ),
    Row(
        name="cutter_jam",
        how=How.LASTS,
        event="The cutter jams: recoverable by DLE ENQ when the cause is gone.",
        money="A printed ticket that is not cut.",
        source="Epson, DLE EOT 3, DLE ENQ",
        test="escpos/test_paper.py::test_a_cutter_jam_waits_for_recovery",
    ),
    Row(
        name="overheated",
        how=How.LASTS,
        event="The head is too hot: it goes on by itself.",
        money="Half a ticket until then.",
        source="Epson, DLE EOT 3",
        test="escpos/test_paper.py::test_a_hot_head_pauses",
    ),
    Row(
        name="unrecoverable",
        how=How.LASTS,
        event="It is broken until it is repaired.",
        money="Half a ticket.",
        source="Epson, DLE EOT 3",
        test="escpos/test_paper.py::test_a_broken_printer_does_nothing",
    ),
    Row(
        name="paper_left",
        how=How.HAND,
        event="The roll ends after so many millimetres.",
        money="Half a ticket.",
        source="Epson, DLE EOT 4, GS r 1",
        test="escpos/test_paper.py::test_paper_end_is_half_a_ticket",
    ),
    Row(
        name="cut_while_printing",
        how=How.ALWAYS,
        event="A power cut: the bytes in its buffer are gone, what is printed stays.",
        money="Half a ticket, or none, while the host thinks that it is printed.",
        source="Epson, receive buffer",
        test="escpos/test_paper.py::test_a_power_cut_leaves_what_was_printed",
    ),
)

FAULT_MODEL: Final = {"ESC/POS printer": ROWS}
