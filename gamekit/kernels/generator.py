"""Python's Mersenne Twister (MT19937) for kernels: the draws of `gamekit.simulate.seeded_draw`, block by block.

A source is one array: the 624 words of `random.Random.getstate()`, the number of words used, then the same words
tempered, ready to be drawn. A block of 624 words is generated at once (Matsumoto and Nishimura, 1998). All arithmetic
uses unsigned 32-bit words, which the compiler vectorizes and which need no check for negative indices.
"""

import random

import numpy as np
import numpy.typing as npt

from gamekit.kernels.compiled import compiled, inlined

WORDS = 624
_USED = WORDS
_TEMPERED = WORDS + 1
_MIDDLE = 397
_U32 = np.uint32
_TWIST = _U32(0x9908B0DF)
_UPPER = _U32(0x80000000)
_LOWER = _U32(0x7FFFFFFF)
_ONE = _U32(1)
_WORD_BITS = 32

Source = npt.NDArray[np.uint32]


def source_of(generator: random.Random) -> Source:
    """Return a source in the state of `generator`."""
    _, words, _ = generator.getstate()
    source = np.zeros(_TEMPERED + WORDS, dtype=np.uint32)
    source[: WORDS + 1] = words
    _temper(source)
    return source


def give_back(source: Source, generator: random.Random) -> None:
    """Put `generator` into the state of `source`."""
    version, _, gauss = generator.getstate()
    generator.setstate((version, tuple(source[: WORDS + 1].tolist()), gauss))


@compiled
def _temper(source: Source) -> None:
    for place in range(WORDS):
        word = source[place]
        word ^= word >> _U32(11)
        word ^= (word << _U32(7)) & _U32(0x9D2C5680)
        word ^= (word << _U32(15)) & _U32(0xEFC60000)
        source[_TEMPERED + place] = word ^ (word >> _U32(18))


@inlined
def _twisted(word: np.uint32, following: np.uint32, other: np.uint32) -> np.uint32:
    joined = (word & _UPPER) | (following & _LOWER)
    return other ^ (joined >> _ONE) ^ ((joined & _ONE) * _TWIST)


@compiled
def _next_block(source: Source) -> None:
    for place in range(WORDS - _MIDDLE):
        source[place] = _twisted(source[place], source[place + 1], source[place + _MIDDLE])
    for place in range(WORDS - _MIDDLE, WORDS - 1):
        source[place] = _twisted(source[place], source[place + 1], source[place + _MIDDLE - WORDS])
    source[WORDS - 1] = _twisted(source[WORDS - 1], source[0], source[_MIDDLE - 1])
    _temper(source)


@inlined
def _word(source: Source) -> np.uint64:
    used = source[_USED]
    if used >= WORDS:
        _next_block(source)
        used = _U32(0)
    source[_USED] = used + _ONE
    return np.uint64(source[np.uint64(used) + np.uint64(_TEMPERED)])


@compiled
def _two_words(source: Source, bits: int) -> np.uint64:
    # A function of its own: inlining the second and third word into every draw makes kernels compile 50 % slower.
    low = _word(source)
    return low | ((_word(source) >> np.uint64(2 * _WORD_BITS - bits)) << np.uint64(_WORD_BITS))


@inlined
def draw_bits(source: Source, bits: int) -> np.uint64:
    """Return `random.Random.getrandbits(bits)`, for 1 to 62 bits."""
    if bits <= _WORD_BITS:
        return _word(source) >> np.uint64(_WORD_BITS - bits)
    return _two_words(source, bits)


@inlined
def draw_below(source: Source, bound: int, bits: int) -> int:
    """Return an unbiased integer in `range(bound)`, by rejection; `bits` is the bit length of `bound`."""
    while True:
        value = np.int64(draw_bits(source, bits))
        if value < bound:
            return value  # type: ignore[return-value]  # an integer in compiled code


@compiled
def draw(source: Source, bound: int) -> int:
    """Return an unbiased integer in `range(bound)`."""
    bits = 0
    while bound >> bits:
        bits += 1
    return draw_below(source, bound, bits)
