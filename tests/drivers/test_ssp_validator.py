import pytest

from drivers.errors import IdentityError
from drivers.simulated.ssp_validator import FAULTS, SimulatedSspValidator, SspHabits
from drivers.ssp import Command
from drivers.ssp_setup import Channels, channels
from tests.drivers.bill_rig import DeviceRig
from tests.drivers.test_validator_dialogues import ssp
from tests.virtual_time import run_virtual


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_faults_come_and_go(fault: str) -> None:
    """Each fault is raised while the device tells it, and cleared when it no longer does."""

    async def main() -> None:
        rig = ssp(SspHabits())(None)
        await rig.start()
        rig.device.set_fault(fault, on=True)
        await rig.settle(0.5)
        assert rig.books.raised == [fault]
        assert set(rig.books.faults) == ({fault} - {"cheated"})  # a fraud is told once
        rig.device.set_fault(fault, on=False)
        await rig.settle(5)
        assert rig.books.faults == {}
        await rig.end()

    run_virtual(main())


def test_the_manuals_own_set_up_answer_is_read() -> None:
    """GA138's example: pounds in channels of 5, 10 and 20."""
    data = bytes.fromhex("00 30313030 474250 000001 03 050A14 020202 400000 05")

    assert channels(data) == Channels("GBP", {1: 500, 2: 1000, 3: 2000})


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "no validator's .nothing"),
        ("03 30313030 474250 000001 03 050A14 020202 400000 05", "unit type 03"),
        ("00 30313030 474250 000001 03 050A", "names 3 channels and ends after"),
        ("00 30313030 474250 010000 01 FF 02 000064 05", "channel 1 would be worth"),
        ("00 30313030 455552 000001 02 0500 0202 000064 06 455552 474250 05000000 0A000000", "2 currencies"),
        ("00 30313030 455552 000001 02 0500 0202 000064 06 455552", "not the value of each"),
    ],
)
def test_a_set_up_answer_that_makes_no_sense_is_refused(data: str, words: str) -> None:
    """A hopper, a cut answer, an impossible value and two currencies are errors that say which."""
    with pytest.raises(ValueError, match=words):
        channels(bytes.fromhex(data))


def test_another_device_is_refused() -> None:
    """A device that does not answer the set-up request is no validator, and the fault says so."""

    class Deaf(SimulatedSspValidator):
        def _told(self, command: int) -> bytes | None:
            return None if command == Command.SETUP else super()._told(command)

    async def main() -> DeviceRig[SimulatedSspValidator]:
        rig: DeviceRig[SimulatedSspValidator] = DeviceRig(
            "ssp", lambda returned, stacked: Deaf(returned=returned, stacked=stacked)
        )
        await rig.start()
        return await rig.end()

    rig = run_virtual(main())

    assert isinstance(rig.deaths[0], IdentityError)
    assert "F2 to the set-up request (05)" in rig.books.faults["wrong_device"]
