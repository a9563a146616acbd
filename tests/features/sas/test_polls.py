"""Hosts read the journal's own figures, in the widths and the order of their polls."""

from decimal import Decimal
from pathlib import Path

import msgspec

from controller.features.sas.meters import BILL_POLLS, METERS, SINGLE_POLLS, of_games
from drivers.sas import frames, meters
from drivers.sas.meters import Selection
from drivers.sas.numbers import bcd, from_bcd
from gamekit.catalogue import names
from gamekit.figures import base_percent
from tests.rigs.hosted import ADDRESS, PORT, HostedRig
from tests.rigs.machine import PlainHopper
from tests.rigs.paths import ROOT
from tests.rigs.sas_answers import read_figures, selecting

SIZES = {
    0x0F: 28,
    **dict.fromkeys(range(0x10, 0x18), 8),
    0x18: 8,
    0x19: 24,
    0x1A: 8,
    0x1B: 24,
    0x1C: 36,
    0x1E: 28,
    0x1F: 24,
    0x20: 8,
    0x2A: 8,
    0x2B: 8,
    **dict.fromkeys(BILL_POLLS, 8),
    0x46: 8,
    0x48: 10,
    0x51: 6,
    0x55: 6,
    0x7E: 11,
    0xB1: 5,
}
"""The bytes of each whole answer (protocols.md, section 3; sas.md, sections 3 and 5)."""


async def played(rig: HostedRig) -> None:
    """Put money in and play a few games."""
    await rig.game(3000)
    for _ in range(4):
        await rig.press("spin")
        await rig.until("idle")


async def test_every_answer_has_its_size(tmp_path: Path) -> None:
    """Also before anything was counted, and with a game's number where there is one."""
    async with HostedRig(tmp_path) as rig:
        for command, size in SIZES.items():
            await rig.sas.ask(command)
            assert (command, len(rig.line.said[-1])) == (command, size)
        for command, size in ((0x2D, 10), (0xA0, 12)):
            await rig.sas.ask(command, bcd(0, 2))
            assert (command, len(rig.line.said[-1])) == (command, size)
        for command, size in ((0x52, 22), (0x53, 26)):
            await rig.sas.ask(command, bcd(1, 2))
            assert (command, len(rig.line.said[-1])) == (command, size)


async def test_each_meter_is_the_journals_own(tmp_path: Path) -> None:
    """Stakes, wins, games, notes, hand-pays and the credit, after play and a cash-out."""
    async with HostedRig(tmp_path) as rig:
        await played(rig)
        for command, name in ((0x11, "stakes"), (0x12, "wins"), (0x15, "games"), (0x46, "notes_in")):
            assert await rig.sas.number(command) == await rig.meter(name), name
        assert await rig.sas.number(0x1A) == rig.credit
        won, lost = await rig.sas.number(0x16), await rig.sas.number(0x17)
        ((winning,),) = await rig.rows("SELECT count(*) FROM rounds WHERE state = 'settled' AND win_cents > 0")
        assert (won, won + lost) == (winning, 4)
        assert await rig.sas.number(0x13) == 3000
        await rig.press("collect")
        await rig.until("handpay")
        await rig.turn_key("attendant")
        await rig.until_true(lambda: rig.credit == 0)
        assert from_bcd((await rig.sas.ask(0x2D, bcd(0, 2)))[2:]) == await rig.meter("hand_pay") > 0
        assert await rig.sas.number(0x10) == await rig.meter("hand_pay")


async def test_selected_meters_agree_with_single_polls_before_and_after_a_restart(tmp_path: Path) -> None:
    """2F, 6F and AF give the same figures, 6F says which are not supported; a start reads them from the books."""
    codes = tuple(code for code in METERS if code < 0x40)
    async with HostedRig(tmp_path) as rig:
        await played(rig)
        before = await all_figures(rig, codes)
        for poll, code in SINGLE_POLLS.items():
            if code in before:
                assert await rig.sas.number(poll) == before[code], hex(code)
        await rig.restart(until="idle")
        after = await all_figures(rig, codes)
        assert {**after, 0x25: 0} == {**before, 0x25: 0}
        answer = await ask_meters(rig, meters.EXTENDED, Selection(0, (0x00, 0x0F)))
        assert dict(answer.values)[0x0F] is None
        answer = await ask_meters(rig, meters.SELECTED, Selection(0, (0x00, 0x0F)))
        assert [code for code, _ in answer.values] == [0x00]


async def all_figures(rig: HostedRig, codes: tuple[int, ...]) -> dict[int, int | None]:
    """Return these meters of the machine."""
    found: dict[int, int | None] = {}
    for at in range(0, len(codes), 10):
        answer = await ask_meters(rig, meters.EXTENDED_AGAIN, Selection(0, codes[at : at + 10]))
        found |= dict(answer.values)
    return found


async def ask_meters(rig: HostedRig, command: int, wanted: Selection) -> meters.Figures:
    """Ask for selected meters."""
    await rig.sas.ask(command, selecting(ADDRESS, command, wanted).data)
    return read_figures(rig.line.said[-1])


async def test_games_have_meters_of_their_own_that_add_up(tmp_path: Path) -> None:
    """The games' coin in is the machine's; a game that is not known is not answered."""
    async with HostedRig(tmp_path) as rig:
        await played(rig)
        stakes = 0
        for game in range(1, len(names()) + 1):
            row = await rig.sas.ask(0x52, bcd(game, 2))
            stakes += from_bcd(row[2:6])
        assert stakes == await rig.meter("stakes") > 0
        assert await rig.sas.ask(0x52, bcd(len(of_games()), 2)) == b""
        assert await rig.sas.ask(0x52, b"\xaa\xaa") == b""


async def test_meters_count_credits_of_the_accounting_denomination(tmp_path: Path) -> None:
    """With 0.10 a stake of 2.00 is twenty credits; amounts in cents stay cents."""
    settings = msgspec.structs.replace(PORT, denomination_cents=10)
    async with HostedRig(tmp_path, settings=settings) as rig:
        await rig.game(3000)
        assert await rig.sas.number(0x1A) == 300
        assert (await rig.sas.ask(0x1F))[5] == 0x03


async def test_meters_roll_over_after_eight_digits() -> None:
    """A meter of 4 BCD bytes goes back to zero after 99,999,999, one of 5 bytes after 9,999,999,999."""
    figures = meters.Figures(0, ((0x00, 100_000_001), (0xA0, 10_000_000_002)))
    answer = read_figures(meters.figures_answer(1, meters.SELECTED, figures))
    assert answer.values == ((0x00, 1), (0xA0, 2))


async def test_bills_hopper_and_door_are_read(tmp_path: Path) -> None:
    """Notes by value, the last note, the hopper's state, and openings of the main door."""
    async with HostedRig(tmp_path, hopper=PlainHopper()) as rig:
        await rig.game(2500)
        assert await rig.sas.number(0x35) == 1
        assert await rig.sas.number(0x33) == 1
        assert await rig.sas.number(0x20) == 25
        assert (await rig.sas.ask(0x48)).hex() == "390200000001"
        assert (await rig.sas.ask(0x4F)).hex() == "0200ff"
        await rig.door(is_open=True)
        await rig.door(is_open=False)
        row = await rig.sas.ask(0x1C)
        assert [from_bcd(row[at : at + 4]) for at in (24, 28)] == [1, await rig.meter("power_ups")]


async def test_the_machine_says_what_it_is(tmp_path: Path) -> None:
    """Version and serial number, games, features, denominations."""
    async with HostedRig(tmp_path) as rig:
        serial = await rig.sas.ask(0x54)
        assert serial[1:4] == b"602"
        assert len(serial) - 1 == serial[0]
        assert await rig.sas.ask(0x51) == bcd(len(names()), 2)
        assert (await rig.sas.ask(0x56))[1:] == bytes((1,)) + bcd(1, 2)
        features = await rig.sas.ask(0xA0, bcd(0, 2))
        assert features[3] & 0x40
        assert (await rig.sas.ask(0xB2))[1] == len(rig.config.games.coin_values_cents)
        through = await rig.sas.ask(0xB0, bytes.fromhex("02 00 56"))
        assert through[1:3] == bytes((0x01, 0x56))
        assert (await rig.sas.ask(0xB0, bytes.fromhex("02 00 1F")))[2:4] == bytes((0x00, 0x01))


async def test_what_is_not_public_is_not_answered(tmp_path: Path) -> None:
    """Tickets, authentication, progressives and legacy transfers are silence, and the line goes on."""
    async with HostedRig(tmp_path) as rig:
        for command in (0x3D, 0x57, 0x70, 0x27, 0x28, 0x29, 0x6A):
            assert await rig.sas.ask(command) == b""
        await rig.line.ask(bytes.fromhex("00 80 01 00 00 00 01 00"))
        assert await rig.sas.ask(0x1A) != b""


def test_base_percentages_are_those_of_the_par_sheets() -> None:
    """What 1F and 53 say of a game is what its sheet says, to the nearest hundredth of a percent."""
    for game in names():
        sheet = msgspec.json.decode((ROOT / "games" / game / "par.json").read_bytes())
        assert base_percent(game) == f"{round(Decimal(sheet['bets'][0]['rtp_percent']) * 100):04d}", game


def test_every_answered_poll_has_a_known_request() -> None:
    """A poll that is answered is one that the line's reader can find."""
    for command in (*SIZES, *SINGLE_POLLS):
        assert command in frames.READS
