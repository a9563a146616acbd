"""Faults of a serial line and of the coin chutes."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

LINE: Final = (
    Row(
        name="drop",
        how=How.NEXT,
        event="A frame, or a chunk of bytes, is lost in one direction.",
        money="None; what it said has to be asked for again, where that is possible.",
        source="any serial line",
        test="test_misbehaviour.py::test_what_befalls_a_frame",
    ),
    Row(
        name="corrupt",
        how=How.NEXT,
        event="One bit of a frame flips.",
        money="As lost, where a checksum covers it.",
        source="any serial line",
        test="test_misbehaviour.py::test_what_befalls_a_frame",
    ),
    Row(
        name="delay",
        how=How.NEXT,
        event="A frame comes 0.3 s late.",
        money="None; it may be taken for another answer.",
        source="any serial line",
        test="test_misbehaviour.py::test_what_befalls_a_frame",
    ),
    Row(
        name="repeat",
        how=How.NEXT,
        event="A frame comes twice.",
        money="None; it may be taken for another answer.",
        source="any serial line",
        test="test_misbehaviour.py::test_what_befalls_a_frame",
    ),
    Row(
        name="cut",
        how=How.NEXT,
        event="The end of a frame is lost.",
        money="As lost.",
        source="any serial line",
        test="test_misbehaviour.py::test_what_befalls_a_frame",
    ),
    Row(
        name="noise",
        how=How.NEXT,
        event="Random bytes come before and after a frame.",
        money="None.",
        source="any serial line",
        test="test_misbehaviour.py::test_what_befalls_a_frame",
    ),
    Row(
        name="unplugged",
        how=How.LASTS,
        event="The plug is pulled out: the port is gone until it is plugged in again.",
        money="None.",
        source="any serial line; udev",
        test="test_hardware.py::test_unplugged_line_is_gone_until_it_is_plugged_in",
    ),
)
CHUTES: Final = (
    Row(
        name="diverter_stuck",
        how=How.LASTS,
        event="The diverter stays where it is, whatever its output says.",
        money="Coins fall into the hopper where the box was meant, or the other way round.",
        source="field: a bent flap",
        test="test_money.py::test_a_stuck_diverter_sends_coins_elsewhere",
    ),
)
