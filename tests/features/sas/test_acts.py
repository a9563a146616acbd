"""What a host does at the cabinet: seen on the screen, logged with the host as the person, and nothing of it costs."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from controller.features.sas.configuration import HostPort
from controller.journal.actor import Role
from drivers.sas.numbers import bcd
from tests.rigs.hosted import PORT, HostedRig
from tests.rigs.service_menu import Hand

ACK, NACK = b"\x01", b"\x81"


async def test_a_disabled_machine_stands_still_and_goes_on(tmp_path: Path) -> None:
    """No money is taken and no game begun; the round and the credit are there again when it is enabled."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.0)
        assert await rig.sas.ask(0x01) == ACK
        assert rig.shown == "tilted"
        assert "host_off" in rig.notices()
        assert not await rig.note(1000)
        await rig.restart(until="tilted")
        assert "host_off" in rig.notices()
        assert await rig.sas.ask(0x02) == ACK
        await rig.until("idle")
        ((state,),) = await rig.rows("SELECT state FROM rounds")
        assert state == "settled"
        assert await rig.events("host_act") == [
            "By the host: the machine is disabled",
            "By the host: the machine is enabled",
        ]
        sql = "SELECT data ->> '$.by.role', data ->> '$.by.name' FROM ledger WHERE data ->> '$.code' = 'host_act'"
        assert set(await rig.rows(sql)) == {("host", "host_port")}


async def test_what_is_asked_for_twice_is_done_once(tmp_path: Path) -> None:
    """The second poll is acknowledged, and is no event."""
    async with HostedRig(tmp_path) as rig:
        for _ in range(2):
            assert await rig.sas.ask(0x07) == ACK
        assert await rig.events("host_act") == ["By the host: notes off"]


async def test_notes_are_off_and_coins_are_not(tmp_path: Path) -> None:
    """06 and 07 are about notes; the validator refuses them all meanwhile, and play goes on."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x07) == ACK
        assert (rig.front.notes, rig.front.coins, rig.shown) == (frozenset(), True, "attract")
        assert not await rig.note(1000)
        assert await rig.sas.ask(0x06) == ACK
        assert await rig.note(1000)


async def test_only_the_notes_that_the_host_names_are_taken(tmp_path: Path) -> None:
    """08 has a bit for each value; a note whose bit is not set goes back, over a restart too."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x08, bytes.fromhex("10 00 00 00 00")) == ACK
        assert rig.front.notes == frozenset({2000})
        await rig.restart(until="attract")
        assert not await rig.note(1000)
        assert await rig.note(2000)


async def test_a_host_that_names_no_note_has_switched_notes_off(tmp_path: Path) -> None:
    """08 with no bit set, or none of a note that is taken here: with the notice that 07 has, until one is named."""
    async with HostedRig(tmp_path) as rig:
        for mask in ("00 00 00 00", "01 00 00 00"):
            assert await rig.sas.ask(0x08, bytes.fromhex(mask + "00")) == ACK
            assert (rig.front.notes, rig.notices()) == (frozenset(), {"host_notes"})
        await rig.restart(until="attract")
        assert rig.notices() >= {"host_notes"}
        assert await rig.sas.ask(0x08, bytes.fromhex("10 00 00 00 00")) == ACK
        assert "host_notes" not in rig.notices()
        assert rig.front.notes == frozenset({2000})


async def test_the_menu_names_the_notes_that_a_host_has_switched_off(tmp_path: Path) -> None:
    """H.7 has a line for each of the cabinet's notes that is not taken."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x08, bytes.fromhex("10 00 00 00 00")) == ACK
        hand = Hand(rig)
        await hand.turn(Role.ATTENDANT)
        await hand.go("H.7")
        off = [dict(row.figures)["value_cents"] for row in hand.page.rows if row.label == "Note of {value_cents}"]
        assert off == [500, 1000, 5000]


async def test_sound_is_off_and_the_players_choice_is_kept(tmp_path: Path) -> None:
    """The view is muted while the host wants it so."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x03) == ACK
        assert rig.screen.view.output.muted
        assert await rig.sas.ask(0x04) == ACK
        await rig.game(1000)
        assert not rig.screen.view.output.muted
        assert await rig.sas.ask(0x05) == NACK


async def test_maintenance_stops_the_machine(tmp_path: Path) -> None:
    """As its notice says, until the host ends it."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x0A) == ACK
        assert "host_maintenance" in rig.notices()
        assert await rig.sas.ask(0x0B) == ACK
        assert rig.shown == "attract"


async def test_a_game_that_is_off_is_finished_and_not_begun_again(tmp_path: Path) -> None:
    """The round on its reels ends and pays; with the only game off the machine stands still."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("spin", 0.0)
        assert await rig.sas.ask(0x09, bcd(1, 2) + b"\x00") == ACK
        assert "host_games" in rig.notices()
        assert (await rig.sas.ask(0x56))[1] == 0
        assert await rig.sas.ask(0x09, bcd(1, 2) + b"\x01") == ACK
        await rig.until("idle")
        assert await rig.rows("SELECT state FROM rounds") == [("settled",)]
        assert await rig.sas.ask(0x09, bcd(99, 2) + b"\x00") == b""


async def test_one_of_two_games_that_is_off_is_not_on_offer(tmp_path: Path) -> None:
    """Its player finishes the round, and is led to the one game that is left."""
    async with TwoGames(tmp_path) as rig:
        await rig.note(2000)
        await rig.until("lobby")
        await rig.press("game:neptune")
        await rig.until("idle")
        await rig.press("spin", 0.0)
        assert await rig.sas.ask(0x09, bcd(1, 2) + b"\x00") == ACK
        await rig.until_true(lambda: rig.screen.view.game == "mystery_elves")
        assert await rig.rows("SELECT state FROM rounds") == [("settled",)]
        assert rig.screen.view.lobby.games == ("mystery_elves",)
        assert await rig.sas.ask(0x09, bcd(1, 2) + b"\x01") == ACK
        assert rig.screen.view.lobby.games == ("neptune", "mystery_elves")


class TwoGames(HostedRig):
    """A machine with two games."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        games = msgspec.structs.replace(self.config.games, enabled=("neptune", "mystery_elves"))
        self.config = msgspec.structs.replace(self.config, games=games)


async def test_a_host_confirms_a_hand_pay(tmp_path: Path) -> None:
    """94 is the attendant's key; the amount leaves the credit, once."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        assert (await rig.sas.ask(0x94)) == b"\x02"
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.ask(0x94) == b"\x00"
        await rig.until_true(lambda: rig.credit == 0)
        assert await rig.meter("hand_pay") == 2000
        assert "By the host: hand-pay confirmed" in await rig.events("host_act")


async def test_a_host_gives_a_hand_pay_back_to_the_credit(tmp_path: Path) -> None:
    """A8 chooses the way, 94 takes it; nothing is paid."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        assert await rig.sas.ask(0xA8, b"\x01") == b"\x02"
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.ask(0xA8, b"\x01") == b"\x00"
        assert await rig.sas.ask(0x94) == b"\x00"
        await rig.until("idle")
        assert (rig.credit, await rig.meter("hand_pay")) == (2000, 0)


async def test_a_reset_method_is_that_of_the_hand_pay_for_which_it_was_chosen(tmp_path: Path) -> None:
    """What was chosen for a hand-pay that the attendant has confirmed does not hold for the next one."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.ask(0xA8, b"\x01") == b"\x00"
        await rig.turn_key("attendant")
        await rig.until_true(lambda: rig.credit == 0)
        await asyncio.sleep(5.0)
        await rig.game(1000)
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.ask(0x94) == b"\x00"
        await rig.until_true(lambda: rig.credit == 0)
        assert await rig.meter("hand_pay") == 3000


async def test_a_reset_method_outlasts_a_restart(tmp_path: Path) -> None:
    """The hand-pay that waits again goes back to the credit; chosen otherwise before that, it is paid."""
    async with HostedRig(tmp_path) as rig:
        await rig.game(2000)
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.ask(0xA8, b"\x01") == b"\x00"
        await rig.restart(until="handpay")
        await rig.sas.poll()
        assert await rig.sas.ask(0x94) == b"\x00"
        await rig.until("idle")
        assert (rig.credit, await rig.meter("hand_pay")) == (2000, 0)
        await rig.press("collect")
        await rig.until("handpay")
        for method in (b"\x01", b"\x00"):
            assert await rig.sas.ask(0xA8, method) == b"\x00"
        assert await rig.sas.ask(0x94) == b"\x00"
        await rig.until_true(lambda: rig.credit == 0)


async def test_the_clock_is_set_by_poll_and_by_broadcast(tmp_path: Path) -> None:
    """7F sets it with its event; a date that does not exist is refused."""
    async with HostedRig(tmp_path) as rig:
        assert await rig.sas.ask(0x7F, bytes.fromhex("01 31 20 26 23 59 58")) == ACK
        assert len(rig.host.set_to) == 1
        assert await rig.sas.ask(0x7F, bytes.fromhex("02 31 20 26 23 59 58")) == NACK
        assert len(await rig.events("clock_set")) == 1


@pytest.mark.parametrize("command", [0x01, 0x02, 0x03, 0x06, 0x07, 0x0A, 0x0B])
async def test_a_host_may_do_only_what_the_configuration_names(tmp_path: Path, command: int) -> None:
    """All else is refused with a NACK, and changes nothing."""
    async with HostedRig(tmp_path, settings=HostPort(port="memory")) as rig:
        assert await rig.sas.ask(command) == NACK
        assert await rig.sas.ask(0x09, bcd(1, 2) + b"\x00") == NACK
        assert await rig.sas.ask(0x74, bytes.fromhex("FF 00 00 00")) == b""
        assert (await rig.events("host_act"), rig.shown) == ([], "attract")


async def test_a_hand_pay_is_not_confirmed_by_a_host_that_may_not(tmp_path: Path) -> None:
    """It is told that it cannot, and the attendant is waited for."""
    settings = msgspec.structs.replace(PORT, may=())
    async with HostedRig(tmp_path, settings=settings) as rig:
        await rig.game(2000)
        await rig.press("collect")
        await rig.until("handpay")
        assert await rig.sas.ask(0x94) == b"\x01"
        await asyncio.sleep(1.0)
        assert (rig.shown, rig.credit) == ("handpay", 2000)
