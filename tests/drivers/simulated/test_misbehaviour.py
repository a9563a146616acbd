"""Faults in the frames of a line: ordered for the next ones, or by chance with a random source of one's own."""

import random

import pytest

from drivers.simulated.misbehaviour import Kind, Misbehaviour, Piece, Way

FRAME = bytes(range(20))


@pytest.mark.parametrize("by_chance", [False, True])
@pytest.mark.parametrize("kind", Kind)
def test_what_befalls_a_frame(kind: Kind, by_chance: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Lost, one bit flipped, late, twice, cut short, or within noise; a frame of the other direction is let alone."""
    line = Misbehaviour(chance=random.Random(4))
    if by_chance:
        line.rate(kind, 1.0)
    else:
        line.inject(kind)
    assert line.mangle(Way.TO_DEVICE, FRAME) == [Piece(0.0, FRAME)]
    pieces = line.mangle(Way.TO_HOST, FRAME)
    flipped = sum((one ^ other).bit_count() for piece in pieces for one, other in zip(piece.data, FRAME, strict=False))
    holds = {
        Kind.DROP: not pieces,
        Kind.CORRUPT: flipped == 1,
        Kind.DELAY: pieces == [Piece(0.3, FRAME)],
        Kind.REPEAT: pieces == [Piece(0.0, FRAME)] * 2,
        Kind.CUT: len(pieces) == 1 and FRAME.startswith(pieces[0].data) and pieces[0].data != FRAME,
        Kind.NOISE: len(pieces) == 1 and FRAME in pieces[0].data and pieces[0].data != FRAME,
    }
    assert holds[kind]


def test_a_rate_is_kept_by_the_given_source_and_repeats_with_its_seed() -> None:
    """Of a thousand frames about a fifth are lost, the same ones in a second run; none once that is forgotten."""
    lost = []
    for _ in range(2):
        line = Misbehaviour(chance=random.Random(11))
        line.rate(Kind.DROP, 0.2)
        lost.append([not line.mangle(Way.TO_HOST, FRAME) for _ in range(1000)])
    assert lost[0] == lost[1]
    assert 150 < sum(lost[0]) < 250
    line.forget()
    assert all(line.mangle(Way.TO_HOST, FRAME) for _ in range(1000))


@pytest.mark.parametrize("probability", [-0.1, 1.1])
def test_a_rate_is_a_probability(probability: float) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match="give 0 to 1"):
        Misbehaviour().rate(Kind.DROP, probability)
