"""Faults of the bridge of an MDB bus."""

from typing import Final

from drivers.simulated.fault_model.rows import How, Row

ROWS: Final = (
    Row(
        name="request_spoilt",
        how=How.NEXT,
        event="A peripheral hears a request with a wrong checksum, and keeps silent.",
        money="None.",
        source="MDB/ICP 4.3, 2.2",
        test="mdb/test_bridge.py::test_an_event_is_kept_until_the_bridge_has_heard_it",
    ),
    Row(
        name="answer_spoilt",
        how=How.NEXT,
        event="The bridge hears an answer with a wrong checksum: p,NACK.",
        money="None; the peripheral reports it again.",
        source="MDB/ICP 4.3, 2.2",
        test="mdb/test_bridge.py::test_an_event_is_kept_until_the_bridge_has_heard_it",
    ),
    Row(
        name="ack_lost",
        how=How.NEXT,
        event="The bridge's ACK does not reach the peripheral, which reports the same again.",
        money="None; reported twice.",
        source="MDB/ICP 4.3, 2.2",
        test="mdb/test_bridge.py::test_an_event_is_kept_until_the_bridge_has_heard_it",
    ),
    Row(
        name="late",
        how=How.NEXT,
        event="The bridge's line comes 2 s late.",
        money="None; it may be taken for another answer.",
        source="Qibixx, General",
        test="mdb/test_bridge.py::test_late_lines_and_garbage",
    ),
    Row(
        name="garbage",
        how=How.NEXT,
        event="The bridge's line is garbage.",
        money="The event in it is gone: the bridge has acknowledged it.",
        source="Qibixx, General",
        test="mdb/test_bridge.py::test_late_lines_and_garbage",
    ),
    Row(
        name="silent",
        how=How.NEXT,
        event="The bridge's line is lost.",
        money="The event in it is gone: the bridge has acknowledged it.",
        source="Qibixx, General",
        test="mdb/test_bridge.py::test_an_event_is_kept_until_the_bridge_has_heard_it",
    ),
    Row(
        name="restart",
        how=How.HAND,
        event="The bridge restarts: deaf for a second, and no master.",
        money="None.",
        source="Qibixx, General",
        test="mdb/test_bridge.py::test_a_restart_while_the_mains_fail",
    ),
)
