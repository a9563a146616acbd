"""eSSP on the device's side: what ITL's public library enciphers, and who is answered what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.simulated.ssp.bill_validator import SimulatedSspValidator, SspHabits
from drivers.simulated.ssp.encryption import Encryption, aes_key, decipher, encipher, is_prime
from drivers.simulated.ssp.smart_hopper import SimulatedSmartHopper
from tests.rigs.ssp_host import GENERATOR, MAKERS_KEY, MODULUS, SspHost

LIBRARYS_KEY = aes_key(MAKERS_KEY, 0x7BF49046)
LIBRARYS = {
    (0, "07"): "7E B9 89 5E C1 8F B8 3C 99 93 EF CD EB 17 0F 9D 64",
    (1, "33 F4 01 00 00 45 55 52 58"): "7E 7F 0A A8 FA 0E EC 8B 62 68 FB 12 4A B7 A2 53 B5",
    (0x01020304, "56"): "7E D5 9B 69 A8 11 A0 A6 3B F2 08 8B 71 34 61 84 54",
    (255, "01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10 11 12"): (
        "7E 07 D6 A9 DB C7 D1 60 7A A8 2D CD F3 19 90 3E 1E FC BD BF CD D1 E0 78 A9 70 A2 F9 E9 F3 EB EE C0"
    ),
}
"""Packets that ITL's library (in eSSP6 1.0.8 on PyPI) enciphered: what they carry, with which count."""

UNKNOWN_HOST, POLL, PAYOUT = 0x7BF4, 0x07, (0x33, 0x64, 0, 0, 0)


def _hopper() -> SspHost:
    return SspHost(SimulatedSmartHopper(), 16)


@pytest.mark.parametrize(("carried", "packet"), LIBRARYS.items(), ids=str)
def test_what_the_librarys_hosts_encipher_is_understood(carried: tuple[int, str], packet: str) -> None:
    """Count and command come out; another key understands nothing."""
    count, command = carried
    assert decipher(LIBRARYS_KEY, bytes.fromhex(packet)) == (count, bytes.fromhex(command))
    assert decipher(aes_key(MAKERS_KEY, 1), bytes.fromhex(packet)) is None


@given(st.binary(min_size=1, max_size=200), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1))
def test_what_is_enciphered_is_deciphered(data: bytes, count: int, negotiated: int) -> None:
    """Whole blocks behind STEX, whatever the length, with the packing the rest of a block."""
    packet = encipher(aes_key(MAKERS_KEY, negotiated), count, data)
    assert (packet[0], (len(packet) - 1) % 16) == (0x7E, 0)
    assert decipher(aes_key(MAKERS_KEY, negotiated), packet) == (count, data)


@given(st.integers(0, 5000))
def test_primes_are_told_from_other_numbers(number: int) -> None:
    """As trial division does."""
    assert is_prime(number) == (number > 1 and all(number % factor for factor in range(2, int(number**0.5) + 1)))


@pytest.mark.parametrize("number", [GENERATOR, MODULUS, 0x7FCC9EE3, 0x7F1C7181, 2**61 - 1, 18446744073709551557])
def test_the_primes_of_the_manual_and_of_public_hosts(number: int) -> None:
    """Pages 126 and 127, a public test's, and the largest of 64 bits."""
    assert is_prime(number)
    assert not is_prime(number - 1)


def test_a_public_exchange() -> None:
    """The numbers of decapod-atm/ssp's test of known keys: its host and our device agree upon 7BF49046."""
    generator, modulus, host_secret = 0x7FCC9EE3, 0x7F1C7181, 0x7F2BCEEC
    host_number = pow(generator, host_secret, modulus)
    assert (host_number, pow(0x634C0016, host_secret, modulus)) == (0x0C043F46, 0x7BF49046)
    device = Encryption(draw=lambda below: below // 3)
    assert device.set_generator(generator)
    assert device.set_modulus(modulus)
    ours = device.exchange(host_number)
    assert ours is not None
    shared = pow(ours, host_secret, modulus)
    assert device.open(encipher(aes_key(MAKERS_KEY, shared), 0, b"\x07")) == b"\x07"


async def test_no_money_moves_before_a_key_is_agreed_upon() -> None:
    """FA to what wants encryption; the rest is answered plain; numbers that are not prime and a lone exchange."""
    host = await _hopper().open()
    assert await host.sync() == b"\xf0"
    for command in (0x33, 0x34, 0x38, 0x3F, 0x46, 0x52, 0x56, 0x57, 0x60):
        assert await host.plain(command) == b"\xfa"
    for command in (0x05, 0x0A, 0x0C, 0x20, 0x22):
        assert (await host.plain(command))[:1] == b"\xf0"
    assert await host.plain(0x99) == b"\xf2"
    assert await host.plain(0x4C, *bytes(8)) == b"\xf8"
    assert await host.plain(0x4A, *(GENERATOR + 1).to_bytes(8, "little")) == b"\xf4"
    assert await host.plain(0x4B, 1, 2, 3) == b"\xf3"
    host.key = bytes(16)
    assert await host.ask(POLL) == b"\xfa"
    await host.negotiate()
    assert (await host.ask(POLL))[:2] == b"\xf0\xf1"


async def test_money_is_refused_in_plain() -> None:
    """What the manual marks with an asterisk comes encrypted or meets FA; general commands come either way."""
    host = await _hopper().open()
    await host.negotiate()
    assert await host.plain(0x0A) == b"\xf0"
    assert await host.plain(*PAYOUT) == b"\xfa"
    assert (await host.plain(0x0C))[0] == 0xF0
    assert await host.ask(*PAYOUT) == b"\xf0"


async def test_a_repeated_packet_is_answered_again_and_not_obeyed_again() -> None:
    """The same flag is the same question: the same bytes come back, and one payout is made."""
    host = await _hopper().open()
    await host.negotiate()
    await host.ask(0x0A)
    packet = host.packet(host.enciphered(bytes(PAYOUT)))
    first = await host.say(packet)
    assert first[0] == 0x7E
    assert await host.say(packet) == first
    host.flag ^= 0x80
    host.count += 1
    await host.port.read(0.5)
    assert sum(host.device.store.paid_out.values()) == 1  # type: ignore[attr-defined]


async def test_a_packet_with_another_count_is_dropped() -> None:
    """It meets silence and changes nothing: the right count is still understood."""
    host = await _hopper().open()
    await host.negotiate()
    host.count = 5
    assert await host.ask(POLL) == b""
    host.count = 0
    assert (await host.ask(POLL))[0] == 0xF0


@pytest.mark.parametrize("forgetful", ["device", "host"])
async def test_either_side_starts_again_and_both_agree_anew(forgetful: str) -> None:
    """A device without power knows no key: FA. A host that forgot exchanges again; the count begins at 0."""
    host = await _hopper().open()
    await host.negotiate()
    await host.ask(POLL)
    if forgetful == "device":
        host.device.power(on=False)
        host.device.power(on=True)
        assert await host.ask(POLL) == b"\xfa"
    await host.negotiate(secret=4711)
    assert (await host.ask(POLL))[0] == 0xF0


async def test_another_fixed_part_understands_nothing() -> None:
    """The packet meets silence and the key is gone; a new exchange with the right part mends it."""
    host = await SspHost(SimulatedSmartHopper(encryption=Encryption(0x1122334455667788)), 16).open()
    await host.negotiate()
    assert await host.ask(POLL) == b""
    assert await host.ask(POLL) == b"\xfa"
    host.fixed = 0x1122334455667788
    await host.negotiate()
    assert (await host.ask(POLL))[0] == 0xF0


async def test_the_fixed_part_is_changed_and_given_back() -> None:
    """Page 136: only encrypted, for the exchanges to come, beyond a cut; page 137: only by an empty hopper."""
    host = await _hopper().open()
    await host.negotiate()
    assert await host.plain(0x60, *bytes(range(8))) == b"\xfa"
    assert await host.ask(0x60, *bytes(range(8))) == b"\xf0"
    assert (await host.ask(POLL))[0] == 0xF0
    host.device.power(on=False)
    host.device.power(on=True)
    host.fixed = int.from_bytes(bytes(range(8)), "little")
    await host.negotiate()
    assert await host.ask(0x61) == b"\xf5"
    host.device.store.held.clear()  # type: ignore[attr-defined]
    assert await host.ask(0x61) == b"\xf0"
    host.fixed = MAKERS_KEY
    await host.negotiate()
    assert (await host.ask(POLL))[:2] == b"\xf0\xf1"


async def test_a_validator_may_be_spoken_to_either_way() -> None:
    """Plain until a key is agreed upon; polls with acknowledgement only encrypted; a credit comes encrypted always."""
    device = SimulatedSspValidator(
        returned=lambda _paper: None,
        stacked=lambda _paper: None,
        habits=SspHabits(encrypts=True, acknowledges=True, stack_s=0.1),
    )
    host = await SspHost(device, 0).open()
    await host.sync()
    assert (await host.plain(POLL))[:2] == b"\xf0\xf1"
    assert await host.plain(0x56) == b"\xfa"
    await host.negotiate()
    assert await host.plain(0x02, 0xFF, 0xFF) == b"\xf0"
    assert await host.plain(0x0A) == b"\xf0"
    device.insert(1000)
    seen = b""
    for _ in range(200):
        answer = await host.plain(POLL)
        seen += host.deciphered(answer) if answer[0] == 0x7E else b""
    assert seen == b"\xf0\xee\x02\xeb"


async def test_a_validator_without_essp_knows_nothing_of_it() -> None:
    """F2 to each command of it."""
    device = SimulatedSspValidator(returned=lambda _paper: None, stacked=lambda _paper: None)
    host = await SspHost(device, 0).open()
    await host.sync()
    for command in (0x4A, 0x4B, 0x4C, 0x60):
        assert await host.plain(command, *bytes(8)) == b"\xf2"
    assert await host.plain(0x7E, *bytes(16)) == b"\xf2"
