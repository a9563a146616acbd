"""eSSP, the encryption of SSP, on the device's side (GA138: encryption layer, encryption keys; pages 126 to 128).

The key has 16 bytes: a fixed part, which is non-volatile, and the part from a Diffie-Hellman exchange, both low byte
first. AES-128 in ECB mode enciphers `eLENGTH eCOUNT eDATA ePACKING eCRC`; STEX before it is plain. Host and device
count the packets: a command carries the device's current count, its reply the next one, which is also the count of the
next command (as in ITL's public library).
"""

import secrets
from collections.abc import Callable
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from drivers.simulated.ssp.frames import checksum

STEX: Final = 0x7E
FIXED_KEY: Final = 0x0123456701234567
"""The factory setting of the key's fixed part."""
NUMBER_BYTES: Final = 8
BLOCK: Final = 16

_COUNT_BYTES: Final = 4
_AROUND_DATA: Final = 1 + _COUNT_BYTES + 2
_COUNTS: Final = 1 << 8 * _COUNT_BYTES
_WITNESSES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""With these bases Miller and Rabin's test is exact for every number of 64 bits."""


def is_prime(number: int) -> bool:
    """Return whether a number below 2**64 is prime."""
    if number < max(_WITNESSES) + 1:
        return number in _WITNESSES
    if any(number % witness == 0 for witness in _WITNESSES):
        return False
    odd, halves = number - 1, 0
    while odd % 2 == 0:
        odd, halves = odd // 2, halves + 1
    return all(_passes(number, witness, odd, halves) for witness in _WITNESSES)


def _passes(number: int, witness: int, odd: int, halves: int) -> bool:
    power = pow(witness, odd, number)
    if power in {1, number - 1}:
        return True
    for _ in range(halves - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def aes_key(fixed: int, negotiated: int) -> bytes:
    """Return the 16 bytes of the key."""
    return fixed.to_bytes(NUMBER_BYTES, "little") + negotiated.to_bytes(NUMBER_BYTES, "little")


def encipher(key: bytes, count: int, data: bytes, packing: Callable[[int], bytes] = secrets.token_bytes) -> bytes:
    """Return the data of a packet that carries `data` encrypted, STEX first."""
    open_text = bytes((len(data),)) + count.to_bytes(_COUNT_BYTES, "little") + data
    open_text += packing(-(len(open_text) + 2) % BLOCK)
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305  (the protocol's own mode)
    return bytes((STEX,)) + cipher.update(open_text + checksum(open_text)) + cipher.finalize()


def decipher(key: bytes, packet: bytes) -> tuple[int, bytes] | None:
    """Return count and data of a packet from `encipher`, None if it was enciphered with another key or not at all."""
    blocks = packet[1:]
    if not blocks or len(blocks) % BLOCK:
        return None
    cipher = Cipher(algorithms.AES(key), modes.ECB()).decryptor()  # noqa: S305  (the protocol's own mode)
    open_text = cipher.update(blocks) + cipher.finalize()
    length = open_text[0]
    if checksum(open_text[:-2]) != open_text[-2:] or length + _AROUND_DATA > len(open_text):
        return None
    return int.from_bytes(open_text[1 : 1 + _COUNT_BYTES], "little"), open_text[5 : 5 + length]


class Encryption:
    """A device's keys and count; only `fixed` is non-volatile.

    `draw(n)` returns the random number below `n` for an exchange.
    """

    def __init__(self, fixed: int = FIXED_KEY, *, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self.fixed = fixed
        self.count = 0
        self._draw = draw
        self._generator = 0
        self._modulus = 0
        self._key: bytes | None = None

    def __repr__(self) -> str:
        return f"<Encryption {'agreed' if self.agreed else 'without a key'}, count {self.count}>"

    @property
    def agreed(self) -> bool:
        """Whether a key has been negotiated."""
        return self._key is not None

    def forget(self) -> None:
        """Clear the negotiated key, as after a start."""
        self.count = self._generator = self._modulus = 0
        self._key = None

    def set_fixed(self, number: int) -> bool:
        """Store a new fixed part for later exchanges."""
        self.fixed = number
        return True

    def set_generator(self, number: int) -> bool:
        """Store the generator of the next exchange if it is prime; return whether it is."""
        self._generator = number if is_prime(number) else 0
        return bool(self._generator)

    def set_modulus(self, number: int) -> bool:
        """Store the modulus of the next exchange if it is prime; return whether it is."""
        self._modulus = number if is_prime(number) else 0
        return bool(self._modulus)

    def exchange(self, host_number: int) -> int | None:
        """Derive a key from the host's intermediate number; return the device's, None without both primes."""
        if not (self._generator and self._modulus):
            return None
        secret = self._draw(1 << 8 * NUMBER_BYTES)
        self._key = aes_key(self.fixed, pow(host_number, secret, self._modulus))
        self.count = 0
        return pow(self._generator, secret, self._modulus)

    def open(self, packet: bytes) -> bytes | None:
        """Return the data of a host's packet and count it, None for one to drop; forget the key after a wrong checksum.

        A wrong inner checksum means that the host has another key or none: no packet is accepted until a new key is
        negotiated. A packet with another count is dropped without effect.
        """
        if self._key is None:
            return None
        opened = decipher(self._key, packet)
        if opened is None:
            self._key = None
            return None
        count, data = opened
        if count != self.count or not data:
            return None
        self.count = (self.count + 1) % _COUNTS
        return data

    def sealed(self) -> Callable[[bytes], bytes]:
        """Return a function that encrypts a reply with the current key and count, or leaves it plain without a key."""
        key, count = self._key, self.count
        return lambda data: data if key is None else encipher(key, count, data)
