"""eSSP's key exchange, packets and counts, against published figures and against other code than the driver's."""

import random
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as Blocks
from cryptography.hazmat.primitives.ciphers import algorithms, modes

from drivers.clock import LoopClock
from drivers.errors import IdentityError, KeyLostError, NoReplyError, WireError
from drivers.simulated.memory_line import MemoryLine
from drivers.simulated.misbehaviour import Kind, Misbehaviour, Way
from drivers.ssp.cipher import MAX_SEALED, Cipher
from drivers.ssp.exchange import KeyExchange, is_prime, prime
from drivers.ssp.key import MAKERS_KEY, FixedKey, fixed_key, is_fixed_key
from drivers.ssp.link import SspLink
from drivers.ssp.protocol import Command, FrameParser
from tests.rigs.ssp_peer import EsspPeer, checksum
from tests.rigs.vectors import vectors

SPP_16 = 18_446_744_073_709_551_557  # the largest prime below 2^64
COMPOSITES = (1, 9, 561, 3_215_031_751, 3_825_123_056_546_413_051, 18_446_744_073_709_551_556)


def draws(seed: int) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


class Fixed(KeyExchange):
    """An exchange with given numbers, as a published example has them."""

    def __init__(self, generator: int, modulus: int, secret: int) -> None:
        self.generator, self.modulus, self._secret = generator, modulus, secret
        self.public = pow(generator, secret, modulus)


def test_published_keys_are_reproduced() -> None:
    """The figures of decapod-atm/ssp's test of known keys (src/keys.rs)."""
    exchange = Fixed(0x7FCC_9EE3, 0x7F1C_7181, 0x7F2B_CEEC)

    assert exchange.public == 0x0C04_3F46
    assert exchange.negotiated(0x634C_0016) == 0x7BF4_9046
    assert FixedKey().joined(0x7BF4_9046).hex() == "67452301674523014690f47b00000000"


def test_the_manuals_numbers_are_in_its_frames() -> None:
    """GA138, pages 126 to 128 and 136: numbers travel with the low byte first; generator and modulus are prime."""
    said: dict[str, list[bytes]] = {}
    for page, section, who, raw in vectors("ssp_ga138.tsv"):
        if who == "H" and page in {"126", "127", "128", "136"}:
            (frame,) = FrameParser().feed(bytes.fromhex(raw))
            said.setdefault(section, []).append(frame.data)

    assert said["Set Generator"] == [bytes((Command.SET_GENERATOR,)) + (982_451_653).to_bytes(8, "little")]
    assert said["Set Modulus"] == [bytes((Command.SET_MODULUS,)) + (1_287_821).to_bytes(8, "little")]
    assert said["Request Key Exchange"][0][0] == Command.KEY_EXCHANGE
    assert said["Ssp Set Encryption Key"] == [b"\x60" + MAKERS_KEY.to_bytes(8, "little")]
    assert is_prime(982_451_653)
    assert is_prime(1_287_821)


@pytest.mark.parametrize("number", [2, 3, 37, 41, 982_451_653, 2_147_483_647, SPP_16])
def test_primes_are_primes(number: int) -> None:
    """Small ones, the manual's own, and the largest of 64 bits."""
    assert is_prime(number)


@pytest.mark.parametrize("number", COMPOSITES)
def test_what_fools_weaker_tests_is_no_prime(number: int) -> None:
    """A Carmichael number, and strong pseudoprimes to the first four and nine bases."""
    assert not is_prime(number)


def test_drawn_primes_have_all_their_bits() -> None:
    """64 of them, and 31 where a device multiplies no wider; the generator is the greater one."""
    for bits in (64, 31):
        exchange = KeyExchange(draws(bits), bits)
        assert {exchange.generator.bit_length(), exchange.modulus.bit_length()} == {bits}
        assert exchange.generator > exchange.modulus
        assert is_prime(exchange.generator)
        assert is_prime(exchange.modulus)
    assert prime(64, draws(1)) != prime(64, draws(2))


def test_both_sides_arrive_at_one_key() -> None:
    """Whatever the secrets are; a device whose number is trivial is refused."""
    for seed in range(20):
        host, secret = KeyExchange(draws(seed)), random.Random(seed).getrandbits(64)
        theirs = pow(host.generator, secret, host.modulus)
        assert host.negotiated(theirs) == pow(host.public, secret, host.modulus)
    for trivial in (0, 1, host.modulus, host.modulus + 1):
        with pytest.raises(WireError, match="protects nothing"):
            host.negotiated(trivial)


def test_blocks_are_aes_as_published() -> None:
    """FIPS 197's example block, by the same call that seals packets."""
    key, plain = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
    sealing = Blocks(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305
    assert (sealing.update(plain) + sealing.finalize()).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"


@pytest.mark.parametrize("size", [1, 2, 9, 10, 25, 26, MAX_SEALED])
def test_a_packet_has_its_count_its_packing_and_its_checksum(size: int) -> None:
    """Opened by hand, block by block: length, count, data, packing, and a checksum over all of these."""
    key, data = bytes(range(16)), bytes(range(size))
    packet = Cipher(key, draws(1)).seal(data, 0x01020304)
    opening = Blocks(algorithms.AES(key), modes.ECB()).decryptor()  # noqa: S305
    body = opening.update(packet[1:]) + opening.finalize()

    assert (packet[0], len(body) % 16, body[0]) == (0x7E, 0, size)
    assert body[1:5] == bytes.fromhex("04030201")
    assert body[5 : 5 + size] == data
    assert body[-2:] == checksum(body[:-2])
    assert Cipher(key, draws(2)).open(packet) == (0x01020304, data)


def test_what_fits_no_frame_is_not_sealed() -> None:
    """One byte more than the longest frame has room for."""
    with pytest.raises(ValueError, match=f"at most {MAX_SEALED} fit"):
        Cipher(bytes(16), draws(1)).seal(bytes(MAX_SEALED + 1), 0)


def test_a_spoilt_or_foreign_packet_is_not_opened() -> None:
    """Each of its bits turned, cut short at each byte, and sealed with another key."""
    cipher = Cipher(bytes(range(16)), draws(1))
    packet = cipher.seal(b"\x07", 5)
    for at in range(len(packet) * 8):
        spoilt = bytearray(packet)
        spoilt[at // 8] ^= 1 << at % 8
        assert cipher.open(bytes(spoilt)) is None
    assert all(cipher.open(packet[:size]) is None for size in range(len(packet)))
    assert Cipher(bytes(16), draws(1)).open(packet) is None


def test_no_key_is_shown() -> None:
    """Neither the fixed half nor the secret nor the key is in what logs and errors print."""
    fixed = fixed_key("0011223344556677")
    shown = f"{fixed!r} {FixedKey()!r} {KeyExchange(draws(1))!r} {Cipher(bytes(range(16)), draws(1))!r}"
    assert "4433221100" not in shown
    assert "0011223344556677" not in shown
    assert str(0x0011223344556677) not in shown
    assert is_fixed_key("0123456701234567")
    assert not is_fixed_key("0x23456701234567")
    assert fixed_key("").is_makers


async def linked(peer: EsspPeer, misbehaviour: Misbehaviour | None = None) -> SspLink:
    """A link with a device, synchronised."""
    line = MemoryLine(peer, misbehaviour)
    await line.port.open()
    link = SspLink(line.port, LoopClock(), 0.05, address=peer.address, random=draws(7))
    await link.sync()
    return link


async def test_commands_are_sealed_once_a_key_is_agreed() -> None:
    """The device opens what the link seals, and the other way round, with counts that step together."""
    peer = EsspPeer(16)
    link = await linked(peer)
    assert await link.negotiate(FixedKey())
    assert link.sealed
    for _ in range(300):
        answer = await link.command(Command.SERIAL_NUMBER)
        assert answer.data == (4711).to_bytes(4, "big")
    assert (peer.count, len(peer.carried)) == (301, 301)
    assert {command for command, _ in peer.carried} == {Command.SERIAL_NUMBER}


async def test_a_device_without_encryption_is_none() -> None:
    """It does not know the commands: the link stays plain."""

    class Plain(EsspPeer):
        def _negotiate(self, command: int, number: int) -> bytes:
            del command, number
            return b"\xf2"

    link = await linked(Plain(0))
    assert not await link.negotiate(FixedKey())
    assert not link.sealed
    assert (await link.command(Command.SERIAL_NUMBER)).ok


async def test_a_device_with_narrow_arithmetic_gets_smaller_primes() -> None:
    """Its key differs with 64 bits, as the first sealed command shows; with 31 bits both agree."""
    peer = EsspPeer(16, widest=32)
    link = await linked(peer)
    assert await link.negotiate(FixedKey())
    assert (peer.negotiations, link.sealed) == (2, True)


async def test_another_fixed_key_is_named() -> None:
    """A device whose fixed half was changed ignores what is sealed; the right one opens it."""
    peer = EsspPeer(16, fixed=(0x0011223344556677).to_bytes(8, "little"))
    link = await linked(peer)
    with pytest.raises(IdentityError, match=r"another one than its maker's; set `ssp_key`"):
        await link.negotiate(FixedKey())
    assert await (await linked(peer)).negotiate(fixed_key("0011223344556677"))


async def test_a_device_that_lost_its_key_is_spoken_to_anew() -> None:
    """It says so (FA), and did nothing; the next conversation has a new key."""
    peer = EsspPeer(16)
    link = await linked(peer)
    await link.negotiate(FixedKey())
    peer.power(on=True)
    with pytest.raises(KeyLostError):
        await link.command(Command.PAYOUT_AMOUNT, b"")
    assert Command.PAYOUT_AMOUNT not in {command for command, _ in peer.carried}
    await link.sync()
    assert await link.negotiate(FixedKey())
    assert (await link.command(Command.SERIAL_NUMBER)).ok


async def test_a_device_that_lost_count_falls_silent() -> None:
    """What it ignores is an error after few attempts; the next conversation has a new key."""
    peer = EsspPeer(16)
    link = await linked(peer)
    await link.negotiate(FixedKey())
    peer.count += 1
    with pytest.raises(NoReplyError):
        await link.command(Command.SERIAL_NUMBER)
    await link.sync()
    assert await link.negotiate(FixedKey())


async def test_a_plain_answer_to_a_sealed_command_is_none() -> None:
    """What is forged in plain beside an encrypted line says nothing."""

    class Forged(EsspPeer):
        forges = False

        def _send(self, head: int, data: bytes) -> None:
            super()._send(head, b"\xf0\xee\x01" if self.forges else data)

    peer = Forged(0)
    link = await linked(peer)
    await link.negotiate(FixedKey())
    peer.forges = True
    with pytest.raises(NoReplyError):
        await link.command(Command.POLL)


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", list(Way))
async def test_sealed_commands_survive_a_bad_line(kind: Kind, way: Way) -> None:
    """Every frame of either way is spoilt, lost, doubled, cut or late in turn: each command is carried out once."""
    peer, misbehaviour = EsspPeer(16), Misbehaviour()
    link = await linked(peer, misbehaviour)
    misbehaviour.inject(kind, way=way)
    assert await link.negotiate(FixedKey())
    before = len(peer.carried)
    for _ in range(10):
        misbehaviour.inject(kind, way=way)
        assert (await link.command(Command.SERIAL_NUMBER)).data == (4711).to_bytes(4, "big")
    assert len(peer.carried) - before == 10
