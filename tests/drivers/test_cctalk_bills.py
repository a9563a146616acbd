from pathlib import Path

import pytest

from drivers import bill_events, cctalk
from drivers.bill_events import Meaning, bill_value, meaning
from drivers.coin_events import NOTHING, Reading, progress
from drivers.errors import IdentityError, WireError
from drivers.simulated.cctalk_bills import FAULTS, BillHabits, SimulatedCctalkBills
from drivers.simulated.cctalk_device import Identity
from tests.drivers.bill_rig import NOTE, DeviceRig, check_accounted
from tests.drivers.test_validator_dialogues import cctalk as make
from tests.virtual_time import run_virtual

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "cctalk_spec_v47.tsv"
EU = bytes((100, 0, 2))


@pytest.mark.skipif(not VECTORS.exists(), reason=f"the shared test vectors are not at {VECTORS}")
def test_the_specifications_dialogue_is_one_note_of_twenty_and_one_coupon() -> None:
    """Its worked dialogues (part 3, pages 54 to 58) give one credit of 20 euro; coupons and statuses are none."""
    lines = [line.split("\t") for line in VECTORS.read_text().splitlines() if line.startswith("p3\t5")]
    frames = [(page, cctalk.decode(bytes.fromhex(raw))) for _, page, way, raw, *_ in lines if way == "RX"]
    readings = [(page, Reading.parse(frame.data)) for page, frame in frames if len(frame.data) == 11]
    credited: list[int] = []
    last, on = 0, ""
    for page, reading in readings:
        last, on = (0 if page != on else last), page
        added = progress(last, reading)
        if added != NOTHING:
            credited += [
                first
                for first, second in reversed(reading.events[: added.fresh])
                if meaning(first, second) is Meaning.CREDIT and first != bill_events.COUPON
            ]
        last = reading.counter

    assert credited == [3]
    assert bill_value(b"EU0020A", "EU", EU) == NOTE


def test_a_note_is_worth_its_id_times_the_scaling_of_its_country() -> None:
    """Another country's note and an empty slot are worth nothing to us; half a cent is an error."""
    assert bill_value(b"EU0500A", "EU", EU) == 50000
    assert bill_value(b"GB0010A", "EU", EU) is None
    assert bill_value(b".......", "EU", EU) is None
    with pytest.raises(WireError, match="worth no whole cents"):
        bill_value(b"EU0005A", "EU", bytes((1, 0, 4)))
    with pytest.raises(WireError, match="2 bytes, 3 expected"):
        bill_value(b"EU0005A", "EU", b"\x64\x00")


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_is_told_and_mended(fault: str) -> None:
    """An event raises the fault; what mends it, or at the latest the next note stacked, clears it."""

    async def main() -> DeviceRig[SimulatedCctalkBills]:
        rig = make(BillHabits())(None)
        await rig.start()
        rig.device.set_fault(fault, on=True)
        await rig.settle(1)
        assert set(rig.books.faults) == {fault}
        rig.device.set_fault(fault, on=False)
        await rig.settle(1)
        rig.device.insert(NOTE)
        await rig.settle()
        assert rig.books.faults == {}
        return await rig.end()

    check_accounted(run_virtual(main()))


def test_another_device_is_refused() -> None:
    """A coin acceptor at the validator's address is named in the fault."""

    async def main() -> DeviceRig[SimulatedCctalkBills]:
        identity = Identity(category=b"Coin Acceptor", product=b"X", build=b"Y", serial=1)
        rig: DeviceRig[SimulatedCctalkBills] = DeviceRig(
            "cctalk",
            lambda returned, stacked: SimulatedCctalkBills(returned=returned, stacked=stacked, identity=identity),
        )
        await rig.start()
        return await rig.end()

    rig = run_virtual(main())

    assert isinstance(rig.deaths[0], IdentityError)
    assert "'Coin Acceptor', not a 'Bill Acceptor'" in rig.books.faults["wrong_device"]
