import pytest

from drivers.simulated.id003.frames import Command, Status, encode
from tests.rigs.bill_rig import NOTE, Rig, run_rig


async def test_the_hand_sees_what_becomes_of_its_note() -> None:
    """The slot answers in words, the escrow in cents; an unknown note or fault is an error that names the choices."""
    rig = Rig()
    rig.device.insert(NOTE)
    assert rig.returned == [NOTE]
    await rig.start()
    rig.books.verdict_after_s = 2
    assert (rig.device.slot, rig.device.escrow_cents) == ("", 0)
    rig.device.insert(NOTE)
    assert rig.device.slot == "accepting"
    await rig.settle(1)
    assert (rig.device.slot, rig.device.escrow_cents) == ("escrow", NOTE)
    rig.device.power(on=False)
    assert (rig.device.slot, rig.device.escrow_cents) == ("stuck", 0)
    with pytest.raises(ValueError, match="there are 5, 10, 20, 50 EUR"):
        rig.device.insert(100)
    with pytest.raises(ValueError, match="no such fault: fire; there are stacker_full"):
        rig.device.set_fault("fire", on=True)
    await rig.end()


async def test_an_unpolled_device_gives_the_note_back() -> None:
    """After 3 s without a host the note in escrow goes back by itself."""

    async def scene(rig: Rig) -> None:
        rig.books.verdict_after_s = 100
        rig.device.insert(NOTE)
        await rig.settle(0.6)
        await rig.kill()
        await rig.settle(2.5)
        assert rig.returned == []
        await rig.settle(1.5)
        assert rig.returned == [NOTE]

    await run_rig(scene)


async def test_an_undecided_note_times_out_as_a_rejection() -> None:
    """A host that polls but never decides gets the note rejected with reason 79 after 10 s."""

    async def scene(rig: Rig) -> None:
        await rig.kill()
        heard = bytearray()

        class Ear:
            def send(self, data: bytes) -> None:
                heard.extend(data)

        rig.device.connect(Ear())
        rig.device.insert(NOTE)
        for _ in range(110):
            rig.device.receive(encode(Command.POLL))
            await rig.settle(0.1)
        assert encode(Status.REJECTING, b"\x79") in heard
        assert rig.returned == [NOTE]

    await run_rig(scene)
