"""Tickets in the simulated ID-003 validator, from a host's end of its line, by the public constants."""

import asyncio
from collections import defaultdict

import pytest

from drivers.simulated.id003.barcode import Inhibit
from drivers.simulated.id003.bill_validator import Habits
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from tests.rigs.id003_host import ACK, FUNCTION, TAKE_ALL, Id003Host
from tests.rigs.vectors import of_drivers

TICKET, LONG = "004759625755877102", "123456789012345678901234"
ESCROW = "13 6F 30 30 34 37 35 39 36 32 35 37 35 35 38 37 37 31 30 32"
ANY_LENGTH, LONG_ONES = "C6 01 FF", "C5 08 00"
NOT_SET, UNKNOWN, CHARACTERS, INHIBITED, DENOMINATION = "17 91", "17 92", "17 93", "17 79", "17 76"
READY = (FUNCTION, TAKE_ALL)


def rows() -> dict[str, list[str]]:
    """The frames of the vectors by their kind."""
    kinds = defaultdict(list)
    for kind, frame, *_ in of_drivers("id003_ticket_vectors.tsv"):
        kinds[kind].append(frame)
    return kinds


async def test_every_set_and_get_of_the_vectors_is_answered() -> None:
    """A setting is echoed byte for byte, and asked for it is as it was set; an unknown command is answered as there."""
    host = await Id003Host().open()
    kept = {}
    for frame in rows()["set"]:
        raw = bytes.fromhex(frame)
        assert await host.send(raw) == raw
        kept[raw[2]] = raw[3:-2]
    for frame in rows()["get"]:
        raw = bytes.fromhex(frame)
        assert bytes.fromhex(await host.ask(f"{raw[2]:02X}")) == raw[2:3] + kept[raw[2] + 0x40]
    for unknown in ("8F", "C6 01", "C6 02 12", "C6 01 05", "C6 01 13", "C7", "C7 00 00"):
        await host.ask(unknown)
        assert [host.heard[-1]] == rows()["refused"]


async def test_every_status_of_the_vectors_that_this_device_can_say_is_said() -> None:
    """Byte for byte: each ticket in escrow and stacked, and each reason to reject one but those it has no eye for."""
    host = await Id003Host().open()
    for _, _, digits, *_ in (row for row in of_drivers("id003_ticket_vectors.tsv") if row[0] == "escrow"):
        await host.reset(ANY_LENGTH, LONG_ONES, TAKE_ALL)
        await host.put_in(digits)
        assert await host.ask("42") == ACK
        await host.until("15")
        assert await host.ask(ACK) == ""
        await host.until("16")
        await host.until("11")
    for settings in ((), (TAKE_ALL,), READY):
        await host.reset(*settings)
        await host.put_in("123456")
        await host.until("11")
    host.device.unreadable = 1
    await host.put_in(TICKET)
    kinds = rows()
    said = set(host.heard)
    assert said >= {*kinds["escrow"], *kinds["vend"]}
    # start and stop bit, "not set", upside down and the paper's length: nothing here has such a ticket
    assert {frame[9:11] for frame in set(kinds["reject"]) - said} == {"94", "95", "96", "9B", "9D"}


@pytest.mark.parametrize(
    ("settings", "ticket", "answer"),
    [
        ((), TICKET, INHIBITED),
        ((FUNCTION,), TICKET, INHIBITED),
        ((TAKE_ALL,), TICKET, NOT_SET),
        ((FUNCTION, "C7 02"), TICKET, INHIBITED),
        ((FUNCTION, "C7 03"), TICKET, INHIBITED),
        ((FUNCTION, "C7 00"), TICKET, ESCROW),
        ((FUNCTION, "C7 01"), TICKET, ESCROW),
        (READY, TICKET, ESCROW),
        ((TAKE_ALL, FUNCTION), TICKET, ESCROW),
        (READY, TICKET[:-1], CHARACTERS),
        (READY, LONG, CHARACTERS),
        ((*READY, LONG_ONES), LONG, "13 6F"),
        ((ANY_LENGTH, TAKE_ALL), LONG, CHARACTERS),
        ((ANY_LENGTH, TAKE_ALL), "123456", "13 6F"),
        ((*READY, "C0 FF FF"), TICKET, ESCROW),
    ],
)
async def test_a_ticket_is_taken_only_as_the_host_has_set_it_up(
    settings: tuple[str, ...], ticket: str, answer: str
) -> None:
    """Function set, tickets not inhibited, the right number of characters; what is rejected lies in the hand again."""
    host = await Id003Host().open(*settings)
    assert (await host.put_in(ticket)).startswith(answer)
    taken = answer.startswith("13")
    assert (host.device.escrow_ticket, host.device.escrow_cents) == (ticket if taken else "", 0)
    if not taken:
        await host.until("11")
    assert (host.returned, host.stacked) == ([] if taken else [ticket], [])


@pytest.mark.parametrize(("bits", "note", "ticket"), [("00", "13", "13"), ("01", "17 79", "13"), ("02", "13", "17 79")])
async def test_the_bar_inhibit_is_for_notes_and_for_tickets(bits: str, note: str, ticket: str) -> None:
    """Bit 0 keeps notes out and bit 1 tickets (H)."""
    for paper, answer in ((2000, note), (TICKET, ticket)):
        host = await Id003Host().open(FUNCTION, f"C7 {bits}")
        assert (await host.put_in(paper)).startswith(answer)


async def test_a_reset_and_a_power_cut_forget_how_tickets_were_set_up() -> None:
    """Both are off again, and asked for the bar inhibit it says that tickets are kept out."""
    host = await Id003Host().open(*READY)
    for cut in (False, True):
        if cut:
            host.device.power(on=False)
            host.device.power(on=True)
        await host.reset()
        assert (await host.ask("86"), await host.ask("87")) == ("86 00 00", "87 02")
        assert await host.put_in(TICKET) == INHIBITED
        await host.until("11")
        await host.reset(*READY)
        assert await host.put_in(TICKET) == ESCROW
        await host.ask("43")
        await host.until("11")


async def test_a_device_that_starts_with_tickets_let_in_needs_the_function_alone() -> None:
    """The other reading of what is not public."""
    host = await Id003Host(Habits(unset_bar_inhibit=Inhibit(0))).open()
    assert await host.put_in(TICKET) == NOT_SET
    await host.until("11")
    await host.reset(FUNCTION)
    assert await host.put_in(TICKET) == ESCROW


async def test_without_a_reader_a_ticket_is_unknown_paper() -> None:
    """No command about barcodes is known, a ticket goes back as a note that is none, and notes are taken."""
    host = await Id003Host(Habits(reader=False)).open()
    for command in (FUNCTION, TAKE_ALL, "86", "87"):
        assert await host.ask(command) == "4B"
    assert await host.put_in(TICKET) == DENOMINATION
    await host.until("11")
    assert host.returned == [TICKET]
    assert await host.put_in(2000) == "13 63"


async def test_an_unreadable_ticket_comes_back_and_the_next_one_is_read() -> None:
    """Rejected as unknown, whatever is wrong with it besides."""
    host = await Id003Host().open(*READY)
    host.device.unreadable = 2
    assert [await host.put_in(TICKET), await host.until("11"), await host.put_in("123456")] == [UNKNOWN, "11", UNKNOWN]
    await host.until("11")
    assert await host.put_in(TICKET) == ESCROW


async def test_nothing_is_drawn_in_by_a_device_that_is_inhibited_or_busy() -> None:
    """The ticket stays in the hand: inhibited, with another paper inside, and without power."""
    host = await Id003Host().open(*READY)
    assert await host.ask("C3 01") == "C3 01"
    host.device.insert_ticket(TICKET)
    await host.ask("C3 00")
    await host.put_in(2000)
    host.device.insert_ticket(TICKET)
    host.device.power(on=False)
    host.device.insert_ticket(TICKET)
    assert host.returned == [TICKET] * 3


@pytest.mark.parametrize("stack", ["41", "42"])
@pytest.mark.parametrize("names", [False, True])
async def test_a_ticket_is_stacked_and_waits_for_the_ack(stack: str, names: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Vend valid lasts until the host has heard it; then the ticket is forgotten, and a late ACK moves nothing."""
    host = await Id003Host(Habits(names_stacked=names)).open(*READY)
    await host.put_in(TICKET)
    assert await host.ask(stack) == ACK
    vend = await host.until("15")
    assert vend == ("15" + ESCROW[2:] if names else "15")
    for _ in range(50):
        assert await host.ask("11") == vend
    assert await host.ask(stack) == "4B"
    await host.ask(ACK)
    await host.until("16")
    await host.until("11")
    await host.ask(ACK)
    assert (host.stacked, host.returned, host.device.slot) == ([TICKET], [], "")


async def test_what_the_host_and_the_hand_do_with_a_ticket_in_escrow() -> None:
    """Held longer, returned, pulled back, left undecided for 10 s (rejected, 79), left alone for 3 s (returned)."""
    host = await Id003Host().open(*READY)
    await host.put_in(TICKET)
    for _ in range(3):
        for _ in range(100):
            await host.ask("11")
        assert await host.ask("44") == ACK
    assert (await host.ask("11"), host.device.escrow_ticket) == ("19", TICKET)
    assert await host.ask("43") == ACK
    await host.until("18")
    await host.until("11")
    assert host.returned == [TICKET]
    await host.put_in(TICKET)
    host.device.pull_back()
    await host.until("11")
    await host.put_in(TICKET)
    for _ in range(190):
        await host.ask("11")
    assert await host.until("17") == INHIBITED
    await host.until("11")
    await host.put_in(TICKET)
    await asyncio.sleep(4)
    assert (host.returned, host.stacked) == ([TICKET] * 4, [])


@pytest.mark.parametrize("returns", [True, False])
async def test_the_mains_fail_at_any_position(returns: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """The status at power-up says where the ticket is, the reset moves it, and no cut loses or doubles one."""
    seen = set()
    for step in range(1, 45):
        host = await Id003Host(Habits(returns_after_cut=returns)).open(*READY)
        host.device.insert_ticket(TICKET)
        for at in range(step):
            await host.ask("42" if at == 12 else ACK if at == 30 else "11")
        gone = host.device.slot == ""
        host.device.power(on=False)
        assert (host.device.slot, host.device.escrow_ticket) == ("" if gone else "stuck", "")
        host.device.power(on=True)
        where = await host.ask("11")
        seen.add(where)
        assert (where == "40") is gone
        assert await host.ask("40") == ACK
        for setting in ("C5 02 00", *READY, "C3 00"):
            await host.ask(setting)
        if where == "42" or (where == "41" and not returns):
            assert await host.until("15") == "15"
            await host.ask(ACK)
        await host.until("11")
        assert (host.stacked, host.returned) == (([], [TICKET]) if where == "41" and returns else ([TICKET], []))
        assert await host.put_in(TICKET) == ESCROW
    assert seen == {"40", "41", "42"}


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
async def test_a_spoilt_line_moves_no_ticket(kind: Kind, way: Way) -> None:
    """A spoilt order to stack is not obeyed as another one: the ticket is stacked, or given back in the end."""
    misbehaviour = Misbehaviour(delay_s=0.2)
    host = await Id003Host(misbehaviour=misbehaviour).open(*READY)
    await host.put_in(TICKET)
    misbehaviour.inject(kind, way=way)
    await host.line.port.write(bytes.fromhex("FC 05 42 39 36"))
    await asyncio.sleep(1)
    assert host.returned == []
    await asyncio.sleep(20)
    assert host.stacked + host.returned == [TICKET]


@pytest.mark.parametrize("number", ["", "12345", "1" * 25, "12345A", "12345\u0665"])
async def test_what_no_barcode_holds_is_refused(number: str) -> None:
    """Six to twenty-four digits, and nothing else."""
    host = await Id003Host().open(*READY)
    with pytest.raises(ValueError, match="no such ticket"):
        host.device.insert_ticket(number)
    assert (host.device.slot, host.returned) == ("", [])
