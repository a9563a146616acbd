"""The host's side of eSSP's key exchange: Diffie-Hellman with primes of up to 64 bits (GA138, "Encryption Keys").

The host chooses generator and modulus, both prime, and a secret. Each side sends generator^secret mod modulus and
computes the same number, which is the negotiated half of the AES key.
"""

from collections.abc import Callable
from typing import Final

from drivers.errors import WireError

Randomness = Callable[[int], bytes]
"""Returns the given number of random bytes: `os.urandom`, or a substitute in tests."""

KEY_BYTES: Final = 8
SIZES: Final = (64, 31)
"""Bits of the primes, tried in this order.

The manual allows 64 bits. The maker's own host library stays below 2^31, so that products fit into 64-bit arithmetic: a
device without wider multiplication computes another key from larger primes, which shows with the first encrypted
command.
"""

_WITNESSES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases that make the Miller-Rabin test deterministic for all numbers below 2^64 (Sorenson and Webster, 2015)."""


def is_prime(number: int) -> bool:
    """Return whether `number`, below 2^64, is prime."""
    if number < _WITNESSES[-1] + 1:
        return number in _WITNESSES
    odd, twos = number - 1, 0
    while not odd % 2:
        odd, twos = odd // 2, twos + 1
    return all(_bears_out(number, witness, odd, twos) for witness in _WITNESSES)


def _bears_out(number: int, witness: int, odd: int, twos: int) -> bool:
    power = pow(witness, odd, number)
    if power in {1, number - 1}:
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def prime(bits: int, random: Randomness) -> int:
    """Return a prime of exactly `bits` bits."""
    while True:
        drawn = int.from_bytes(random(KEY_BYTES), "little") >> 8 * KEY_BYTES - bits
        candidate = drawn | 1 << bits - 1 | 1
        if is_prime(candidate):
            return candidate


class KeyExchange:
    """One key exchange: `generator`, `modulus` and `public` are sent; the secret is never sent or shown."""

    def __init__(self, random: Randomness, bits: int = SIZES[0]) -> None:
        first = second = prime(bits, random)
        while second == first:
            second = prime(bits, random)
        # the maker's libraries swap them if the generator is smaller
        self.generator, self.modulus = max(first, second), min(first, second)
        self._secret = prime(bits, random)
        self.public = pow(self.generator, self._secret, self.modulus)

    def __repr__(self) -> str:
        return f"<KeyExchange of {self.modulus.bit_length()} bits>"

    def negotiated(self, theirs: int) -> int:
        """Return the shared number; raise `WireError` if the device's public value is trivial."""
        if theirs % self.modulus in {0, 1}:
            raise WireError(f"the device's key {theirs:016X} protects nothing: reset it")
        return pow(theirs, self._secret, self.modulus)
