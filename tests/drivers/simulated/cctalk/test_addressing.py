"""A host looks for devices on the line (part 1, MDCES; Azkoyen Modular X6, pages 20 and 21; SCH2, page 32)."""

import random

from drivers.simulated.cctalk.coin_acceptor import SimulatedCoinAcceptor
from drivers.simulated.cctalk.hopper import SimulatedHopper
from drivers.simulated.cctalk.party_line import PartyLine
from tests.rigs.cctalk_host import Host

WHO_IS_THERE = "00 00 01 FD 02"
WHO_IS_2 = "02 00 01 FC 01"
POLL_2, POLL_3 = "02 00 01 FE FF", "03 00 01 FE FE"
ACK_2, ACK_3 = "01 00 02 00 FD", "01 00 03 00 FC"


async def test_all_devices_say_where_they_are() -> None:
    """Each says its bare address after four milliseconds times that, and then hears nothing until all have."""
    host = await Host(PartyLine([SimulatedHopper(), SimulatedCoinAcceptor()])).open()
    assert await host.listen(WHO_IS_THERE, 1.1) == [(8, "02"), (12, "03")]
    assert [await host.ask(POLL_2), await host.ask(POLL_3)] == ["", ""]
    assert [await host.ask(POLL_2), await host.ask(POLL_3)] == [ACK_2, ACK_3]


async def test_two_devices_at_one_address_are_told_apart() -> None:
    """Both answer within a second at moments of their own, and one is readdressed until the next start."""
    first = SimulatedCoinAcceptor()
    second = SimulatedCoinAcceptor()
    second._chance = random.Random(1)
    host = await Host(PartyLine([first, second])).open()
    heard = await host.listen(WHO_IS_2, 1.3)
    assert [said for _at, said in heard] == ["02", "02"]
    assert heard[0][0] != heard[1][0]


async def test_an_address_is_changed_until_the_next_start() -> None:
    """Page 46 of part 1: the ACK still comes from the old address; power and a reset forget the new one."""
    device = SimulatedCoinAcceptor()
    host = await Host(device).open()
    assert await host.ask("02 01 01 FB 03 FE") == ACK_2
    assert [await host.ask(POLL_2), await host.ask(POLL_3)] == ["", ACK_3]
    assert await host.ask("03 00 01 01 FB") == ACK_3
    assert (await host.ask(POLL_2), device.address) == (ACK_2, 2)
    for nobodys in ("02 01 01 FB 00 01", "02 01 01 FB 01 00", "02 00 01 FB 02"):
        assert (await host.ask(nobodys), device.address) == ("", 2)


async def test_a_random_address_is_nobodys_usual_one() -> None:
    """It is above 2, and the device answers there."""
    device = SimulatedCoinAcceptor()
    host = await Host(device).open()
    assert await host.ask("02 00 01 FA 03") == ACK_2
    assert 3 <= device.address <= 255
    assert await host.ask(POLL_2) == ""


async def test_what_others_say_is_no_frame() -> None:
    """A byte of an address poll's answer does not stay in the way of the next frame."""
    hopper, coins = SimulatedHopper(), SimulatedCoinAcceptor()
    host = await Host(PartyLine([hopper, coins])).open()
    assert [said for _at, said in await host.listen(WHO_IS_2, 1.3)] == ["02"]
    assert await host.ask(POLL_3) == ACK_3
