"""A kernel held against production: the same rounds by both, figure by figure."""

from collections.abc import Callable, Iterator

import msgspec

from games.chunks import CHUNK_ROUNDS, Run, generator_of
from games.kernels.finding import Compiled
from games.maths import load_maths
from games.simulate import play_rounds, seeded_draw


def differences(
    run: Run, kernel: Compiled, rounds: int, progress: Callable[[int], None] = lambda _: None
) -> Iterator[str]:
    """Play `rounds` rounds by `kernel` and by production, chunk by chunk; yield what is not equal.

    Compared are every figure of the tallies and the state in which each leaves its generator.
    """
    maths = load_maths(run.game)
    for chunk, start in enumerate(range(0, rounds, CHUNK_ROUNDS)):
        size = min(CHUNK_ROUNDS, rounds - start)
        ours, theirs = generator_of(run, chunk), generator_of(run, chunk)
        compiled = msgspec.to_builtins(kernel.play(run.stake, ours, size, run.state))
        played = msgspec.to_builtins(play_rounds(maths, run.stake, seeded_draw(theirs), size, run.state))
        for figure, value in played.items():
            if compiled[figure] != value:
                yield f"chunk {chunk}, {figure}: {compiled[figure]} by the kernel, {value} by production"
        if ours.getstate() != theirs.getstate():
            yield f"chunk {chunk}: the generators end in different states"
        progress(size)
