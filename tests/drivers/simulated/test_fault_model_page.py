"""docs/fault-model.md lists the fault model as its table has it."""

from drivers.simulated.fault_model.rows import How
from drivers.simulated.fault_model.table import FAULT_MODEL
from tests import fault_model_page


def test_the_lists_are_written_anew() -> None:
    """`make fault-model-page` writes them."""
    page = fault_model_page.PAGE.read_text("utf-8")
    assert fault_model_page.page(page) == page


def test_each_row_is_listed_once() -> None:
    """Rows that kinds have in common are one list, to which each of them links."""
    lines = list(fault_model_page.written())
    rows = {row for rows in FAULT_MODEL.values() for row in rows}
    assert sum(line.startswith("- **`") for line in lines) == len(rows)
    assert lines.count("## SSP recycler and SMART Hopper") == 1
    links = [line for line in lines if "(#ssp-recycler-and-smart-hopper)" in line]
    assert [line[:16] for line in links] == ["  SMART Hopper](", "- SMART Hopper ("]


def test_a_row_has_its_name_event_money_source_and_test() -> None:
    """As the page shows them; each way to trigger one has its sentence."""
    (row,) = FAULT_MODEL["coin chutes"]
    assert list(fault_model_page.item(row)) == [
        "- **`diverter_stuck`** (lasts): The diverter stays where it is, whatever its output says.",
        "    - Money: Coins fall into the hopper where the box was meant, or the other way round.",
        "    - Source: field: a bent flap",
        "    - Test: `test_money.py::test_a_stuck_diverter_sends_coins_elsewhere`",
    ]
    assert fault_model_page.ways().keys() == set(How)
