"""The simulated EBDS validator, from a host's end of its line: the vectors' replies byte for byte, and its rules."""

import asyncio

import pytest

from drivers.currency import EURO
from drivers.simulated.ebds.bill_validator import FAULTS, EbdsHabits, SimulatedEbdsValidator
from drivers.simulated.ebds.frames import decode, encode, parity
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.note_path import Paper
from drivers.simulated.validators import fitted_validator
from drivers.wiring import BillValidator as Settings
from tests.rigs.vectors import vectors

TICKET = "004759625755877102"
POLL, STACK, RETURN, NOT_ESCROW = "10 7F 1C 00", "10 7F 3C 00", "10 7F 5C 00", "10 7F 0C 00"
EXTENDED, STACK_EXTENDED = "10 7F 1C 10", "10 7F 3C 10"
TICKETS, STACK_TICKETS = "10 7F 1C 02", "10 7F 3C 02"
POLICY_B, STACK_B, POLICY_C = "10 7F 1C 04", "10 7F 3C 04", "10 7F 1C 08"
DISABLED = "10 00 1C 00"
RESET = "60 7F 7F 7F"
IDLE = "20 01 10 00 00 01 02"
ALL_INHIBITED = " 00" * 19


class Bench:
    """A validator with power and a host's end of its line; what goes over it is given as hexadecimal."""

    def __init__(self, **habits: object) -> None:
        self.returned: list[Paper] = []
        self.stacked: list[Paper] = []
        self.device = SimulatedEbdsValidator(
            returned=self.returned.append,
            stacked=self.stacked.append,
            # the model and the revision of the vectors
            habits=EbdsHabits(model=1, revision=2, **habits),  # type: ignore[arg-type]
        )
        self.line = MemoryLine(self.device)
        self._ack = 0

    async def open(self, poll: str = POLL) -> "Bench":
        """Switch on and poll until the self-test is over."""
        self.device.power(on=True)
        await self.line.port.open()
        for _ in range(12):
            heard = await self.ask(poll)
        assert heard[9:11] == "00"
        return self

    async def send(self, raw: bytes) -> bytes:
        """Put a whole frame on the line; return what comes back, without parity."""
        await self.line.port.write(parity(raw))
        await asyncio.sleep(0.1)
        return bytes(value & 0x7F for value in await self.line.port.read(0))

    async def ask(self, command: str) -> str:
        """Send a new message: control byte and data; return those of the reply, its ACK bit proved and left out."""
        self._ack ^= 1
        heard = await self.repeat(command)
        if not heard:
            return ""
        control, *data = bytes.fromhex(heard)
        assert control & 1 == self._ack
        return bytes((control & ~1, *data)).hex(" ").upper()

    async def repeat(self, command: str) -> str:
        """Send a message with the ACK bit of the one before."""
        control, *data = bytes.fromhex(command)
        raw = await self.send(encode(control | self._ack, bytes(data)))
        frame = decode(raw)
        return bytes((frame.control, *frame.data)).hex(" ").upper() if frame else raw.hex(" ").upper()

    async def until(self, begins: str, poll: str = POLL) -> str:
        """Poll until a reply begins so, and return it."""
        for _ in range(60):
            heard = await self.ask(poll)
            if heard.startswith(begins):
                return heard
        raise AssertionError(f"{begins} never came")

    async def in_escrow(self, paper: Paper, poll: str = POLL) -> str:
        """Insert something, wait until it is in escrow, and return that reply."""
        if isinstance(paper, str):
            self.device.insert_ticket(paper)
        else:
            self.device.insert(paper)
        for _ in range(6):
            heard = await self.ask(poll)
        assert self.device.slot == "escrow"
        return heard


async def test_every_reply_of_the_vectors_that_a_validator_of_four_notes_can_send_is_sent() -> None:
    """Byte for byte, with either ACK bit: idle, each note's life, the faults, power-up, invalid command."""
    sent = set()
    plain = Bench()
    send = plain.line.send

    def listen(data: bytes) -> None:
        sent.add(bytes(value & 0x7F for value in data))
        send(data)

    plain.line.send = listen  # type: ignore[method-assign]
    await plain.open()
    for cents in (500, 1000, 2000, 5000):
        await plain.in_escrow(cents)
        await plain.ask(POLL)
        await plain.ask(STACK)
        await plain.until("20 11")
        await plain.until("20 01")
        await plain.in_escrow(cents)
        await plain.ask(RETURN)
        await plain.until("20 41")
        await plain.ask(POLL)
    for fault in FAULTS:
        for _ in range(2):
            await plain.ask(POLL)
            plain.device.set_fault(fault, on=True)
            await plain.ask(POLL)
            plain.device.set_fault(fault, on=False)
    for _ in range(2):
        await plain.ask("70 06 7F 1C 00")
        await plain.ask("70 7E 7F 1C 00")
        plain.device.unreadable = 1
        plain.device.insert(500)
        await plain.until("20 01 12")
        await plain.ask(POLL)
    plain.device.power(on=False)
    plain.device.power(on=True)
    await plain.ask(POLL)
    await plain.ask(POLL)
    await plain.until(IDLE)
    wanted = {bytes.fromhex(raw) for raw, source in vectors("ebds.tsv") if source == "pyramid"}
    either = sent | {with_ack(raw) for raw in sent}
    beyond = wanted - either
    unsaid = {raw for raw in beyond if raw[2] == 0x71 or raw[5] >> 3 > len((500, 1000, 2000, 5000)) or raw[3] == 0x51}
    # a barcode, notes five to seven in escrow and stacked, and everything at once, which no device says
    assert len(unsaid) == 8
    # an escrow without a number is no note's; "stacked" without one is sent below
    assert [raw[3:6].hex(" ") for raw in sorted(beyond - unsaid)] == ["04 10 00", "11 10 00"]


def with_ack(raw: bytes) -> bytes:
    """Return a frame with the other ACK bit."""
    frame = decode(raw)
    assert frame is not None
    return encode(frame.control ^ 1, frame.data)


async def test_the_vectors_barcode_message_is_sent() -> None:
    """Its 28 characters are letters too: what a ticket of this bench never has is put under the reader by hand."""
    (wanted,) = [bytes.fromhex(raw) for raw, source in vectors("ebds.tsv") if raw.startswith("02 28")]
    bench = await Bench().open(TICKETS)
    bench.device._barcode = wanted[10:38].decode()
    assert await bench.ask("70 01 7F 1C 02") == wanted[2:-2].hex(" ").upper().replace("71", "70", 1)


async def test_every_command_of_the_vectors_is_answered_or_resets() -> None:
    """Each message of a host gets one reply of its own ACK bit; a soft reset gets none, and what is unknown a flag."""
    for raw, source in vectors("ebds.tsv"):
        frame = bytes.fromhex(raw)
        if "reply" in source or "8bit" in source or source == "pyramid":
            continue
        bench = await Bench().open()
        heard = await bench.send(with_ack(frame) if frame[2] & 1 == bench._ack else frame)
        if frame[2:6] == bytes.fromhex("60 7F 7F 7F"):
            assert heard == b"", source
            continue
        reply = decode(heard)
        assert reply is not None, source
        assert reply.kind == {0x10: 0x20, 0x60: 0x60, 0x70: 0x70}.get(frame[2] & 0x70, 0x20) or frame[3] == 3, source
        known = frame[2] & 0x70 != 0x50
        assert reply.kind != 0x20 or bool(reply.data[2] & 2) != known, source


async def test_a_wrong_checksum_or_parity_is_met_with_silence() -> None:
    """Nothing is answered and nothing carried out."""
    bench = await Bench().open()
    await bench.in_escrow(500)
    good = encode(0x10 | bench._ack ^ 1, bytes((0x7F, 0x3C, 0)))
    assert await bench.send(good[:-1] + bytes((good[-1] ^ 1,))) == b""
    await bench.line.port.write(good)
    await asyncio.sleep(0.1)
    assert (await bench.line.port.read(0), bench.device.slot) == (b"", "escrow")
    assert await bench.send(good) != b""
    assert bench.device.slot == "stacking"


async def test_the_fitted_device_speaks_as_the_port_is_configured() -> None:
    """`parity = "none"`, as on a pty: asked and answered without parity."""
    device = fitted_validator(
        Settings(port="", protocol="ebds", parity="none"), currency=EURO, returned=print, stacked=print
    )
    line = MemoryLine(device)
    device.power(on=True)
    await line.port.open()
    await line.port.write(encode(0x11, bytes((0x7F, 0x1C, 0))))
    await asyncio.sleep(0.1)
    assert decode(await line.port.read(0)) is not None


async def test_a_repeated_message_gets_the_last_reply_again_and_moves_nothing() -> None:
    """The ACK bit says what is new: an order under the old one is none, and "stacked" stays until the bit toggles."""
    bench = await Bench().open()
    escrow = await bench.in_escrow(2000)
    assert escrow == "20 04 10 18 00 01 02"
    assert (await bench.repeat(STACK))[3:] == escrow[3:]
    assert bench.device.slot == "escrow"
    await bench.ask(STACK)
    stacked = await bench.until("20 11")
    assert stacked == "20 11 10 18 00 01 02"
    for _ in range(3):
        assert (await bench.repeat(POLL))[3:] == stacked[3:]
    assert await bench.ask(POLL) == IDLE
    assert (bench.stacked, bench.returned) == ([2000], [])


async def test_what_was_not_heard_is_said_until_it_is() -> None:
    """A question between "stacked" and its poll takes nothing away from it, and no note is drawn in meanwhile."""
    bench = await Bench().open()
    await bench.in_escrow(1000)
    await bench.ask(STACK)
    await asyncio.sleep(1)
    assert (await bench.ask("70 06 7F 1C 00")).startswith("70 06 01 10 00")
    bench.device.insert(500)
    assert bench.returned == [500]
    assert await bench.ask(POLL) == "20 11 10 10 00 01 02"
    assert await bench.ask(POLL) == IDLE


async def test_extended_notes_are_reported_with_their_value_and_taken_by_their_inhibits() -> None:
    """In escrow and stacked, 70 02 with the index 0; a note that is not enabled is drawn in and rejected."""
    bench = await Bench().open(EXTENDED)
    row = "00 45 55 52 30 30 32 2B 30 31 00 41 41 41 41 00 00 00"
    assert await bench.in_escrow(2000, EXTENDED) == f"70 02 04 10 00 00 01 02 {row}"
    await bench.ask(STACK_EXTENDED)
    assert await bench.until("70 02", EXTENDED) == f"70 02 11 10 00 00 01 02 {row}"
    assert await bench.ask("70 03 7F 1C 10" + ALL_INHIBITED) == IDLE
    bench.device.insert(500)
    await bench.until("20 01 12", EXTENDED)
    assert (bench.stacked, bench.returned) == ([2000], [500])


async def test_the_note_table_ends_with_zeros_and_the_value_table_has_seven_rows() -> None:
    """As the crate `ebds` reads them."""
    bench = await Bench().open()
    assert (await bench.ask("70 02 7F 1C 10 04")).endswith("04 45 55 52 30 30 35 2B 30 31 00 41 41 41 41 00 00 00")
    assert (await bench.ask("70 02 7F 1C 10 05")).endswith(" 00" * 18)
    table = bytes.fromhex(await bench.ask("70 06 7F 1C 00"))[8:]
    assert [table[at : at + 10] for at in range(0, 70, 10)] == [
        b"\x01EUR005+00",
        b"\x02EUR001+01",
        b"\x03EUR002+01",
        b"\x04EUR005+01",
        *(bytes((index,)).ljust(10, b"\x00") for index in (5, 6, 7)),
    ]


async def test_a_device_without_extended_notes_calls_them_invalid() -> None:
    """It says so with its flag and goes on with numbers."""
    bench = await Bench(extended=False, value_table=False).open()
    for question in ("70 02 7F 1C 10 01", "70 03 7F 1C 10" + ALL_INHIBITED, "70 06 7F 1C 00"):
        assert await bench.ask(question) == "20 01 10 02 00 01 02"
    assert await bench.in_escrow(500, EXTENDED) == "20 04 10 08 00 01 02"


async def test_a_ticket_is_reported_by_its_barcode() -> None:
    """In escrow, and again with "stacked" where the device does so; with barcodes off it is rejected."""
    barcode = (TICKET + "(" * 10).encode().hex(" ").upper()
    for repeats in (True, False):
        bench = await Bench(stacked_names_ticket=repeats).open(TICKETS)
        assert await bench.in_escrow(TICKET, TICKETS) == f"70 01 04 10 00 00 01 02 {barcode}"
        await bench.ask(STACK_TICKETS)
        expected = f"70 01 11 10 00 00 01 02 {barcode}" if repeats else "20 11 10 00 00 01 02"
        assert await bench.until(expected[:8], TICKETS) == expected
        assert await bench.ask(POLL) == IDLE
        bench.device.insert_ticket(TICKET)
        await bench.until("20 01 12")
        assert (bench.stacked, bench.returned) == ([TICKET], [TICKET])


async def test_without_denominations_or_polls_nothing_is_drawn_in() -> None:
    """A mask of zero disables; five seconds without a host do as well, and give back what waits in escrow."""
    bench = await Bench().open()
    await bench.ask(DISABLED)
    bench.device.insert(500)
    assert (bench.returned, bench.device.slot) == ([500], "")
    await bench.ask(POLL)
    await bench.in_escrow(1000)
    await asyncio.sleep(10)
    bench.device.insert(2000)
    assert bench.returned == [500, 1000, 2000]
    assert (await bench.ask(POLL))[3:5] == "41"


async def test_a_note_that_is_not_enabled_is_rejected_and_without_escrow_mode_it_is_stacked_at_once() -> None:
    """Data 0 and the escrow bit of data 1."""
    bench = await Bench().open("10 01 1C 00")
    bench.device.insert(1000)
    await bench.until("20 01 12", "10 01 1C 00")
    await bench.ask(NOT_ESCROW)
    bench.device.insert(1000)
    assert await bench.until("20 11", NOT_ESCROW) == "20 11 10 10 00 01 02"


async def test_the_escrow_timeout_that_the_host_sets_gives_the_note_back() -> None:
    """70 04: seconds for notes, and for tickets."""
    bench = await Bench().open()
    assert await bench.ask("70 04 7F 1C 00 03 00") == "70 04 01 10 00 00 01 02"
    await bench.in_escrow(500)
    await bench.until("20 41")
    assert bench.returned == [500]


@pytest.mark.parametrize(
    ("poll", "seen"),
    [(POLL, "20 41 10 00"), (POLICY_B, "20 04 10 09"), (POLICY_C, "20 04 10 09")],
    ids=["A", "B", "C"],
)
async def test_power_up_with_a_note_in_escrow(poll: str, seen: str) -> None:
    """Policy A gives it back; B and C hold it, out of order, until the host has it stacked or returned."""
    bench = await Bench().open(poll)
    await bench.in_escrow(500, poll)
    bench.device.power(on=False)
    assert bench.device.slot == "stuck"
    bench.device.power(on=True)
    assert (await bench.ask(poll))[:11] == "20 01 10 01"
    await bench.until(seen, poll)
    if poll is not POLL:
        await bench.ask(STACK)
        assert await bench.until("20 11") == "20 11 10 08 00 01 02"
    assert (bench.stacked, bench.returned) == (([], [500]) if poll is POLL else ([500], []))


@pytest.mark.parametrize(("policy", "stack"), [(POLL, STACK), (POLICY_B, STACK_B)], ids=["A", "B"])
@pytest.mark.parametrize("after_s", [0.2, 1.0], ids=["stacking", "stacked"])
async def test_power_up_after_escrow(policy: str, stack: str, after_s: float) -> None:
    """What is beyond escrow is stacked; its value is reported under policy B only, and nothing at all under A."""
    bench = await Bench().open(policy)
    await bench.in_escrow(500, policy)
    await bench.ask(stack)
    await asyncio.sleep(after_s)
    for _ in range(2):
        bench.device.power(on=False)
        bench.device.power(on=True)
    heard = [await bench.ask(policy) for _ in range(40)]
    stacked = [reply for reply in heard if reply.startswith("20 11")]
    assert bench.stacked == [500]
    assert stacked == ([] if policy is POLL else ["20 11 10 08 00 01 02"])


async def test_a_device_may_report_stacked_without_a_value() -> None:
    """The other reading of policy A: the event comes, and no denomination."""
    bench = await Bench(reports_uncredited=True).open()
    await bench.in_escrow(500)
    await bench.ask(STACK)
    bench.device.power(on=False)
    bench.device.power(on=True)
    assert await bench.until("20 11") == "20 11 10 00 00 01 02"


async def test_a_soft_reset_is_not_answered_and_starts_again() -> None:
    """Deaf for a second, then as after power-up, whatever the ACK bit."""
    bench = await Bench().open()
    await bench.in_escrow(500)
    assert await bench.ask(RESET) == ""
    assert await bench.ask(POLL) == ""
    await asyncio.sleep(1)
    assert (await bench.ask(POLL))[:11] == "20 01 10 01"
    await bench.until("20 41")
    assert bench.returned == [500]


@pytest.mark.parametrize("fault", ["acceptor_jam", "stacker_open", "failure", "pause", "calibration"])
async def test_a_fault_keeps_the_note_where_it_is_until_it_ends(fault: str) -> None:
    """While it lasts nothing moves, no order is obeyed and nothing more is drawn in; then the note goes on."""
    bench = await Bench().open()
    await bench.in_escrow(500)
    bench.device.set_fault(fault, on=True)
    for _ in range(20):
        await bench.ask(STACK)
    assert (bench.device.slot, bench.stacked) == ("escrow", [])
    bench.device.set_fault(fault, on=False)
    await bench.ask(STACK)
    assert await bench.until("20 11") == "20 11 10 08 00 01 02"


async def test_pulled_back_and_unknown_faults() -> None:
    """The hand at the mouth takes the note back; a fault that there is not is named with those there are."""
    bench = await Bench().open()
    await bench.in_escrow(500)
    bench.device.pull_back()
    await bench.until("20 41")
    assert bench.returned == [500]
    with pytest.raises(ValueError, match="stacker_full"):
        bench.device.set_fault("fire", on=True)
