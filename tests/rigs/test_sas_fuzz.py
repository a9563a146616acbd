"""The fuzzed polls are wrong, all of them, and as many bytes as are asked for."""

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.rigs.sas_fields import FrameError
from tests.rigs.sas_frames import unsealed
from tests.rigs.sas_fuzz import SEEDS, fuzz, wrong


@given(st.integers(), st.sampled_from(SEEDS))
def test_no_spoilt_poll_has_its_crc(seed: int, frame: bytes) -> None:
    """A machine that acts on one of them has not looked at the CRC."""
    spoilt = wrong(frame, random.Random(seed))
    assert spoilt != frame
    try:
        unsealed(spoilt)
    except FrameError:
        return
    raise AssertionError(spoilt.hex(" "))


def test_a_seed_gives_the_same_bytes() -> None:
    """So many as asked, and again the same."""
    first = b"".join(fuzz(5, 10_000))
    assert len(first) == 10_000
    assert first == b"".join(fuzz(5, 10_000))
    assert first != b"".join(fuzz(6, 10_000))
