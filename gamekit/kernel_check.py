"""Compares a kernel with the production code: both play the same rounds, and every figure must match."""

from collections.abc import Callable, Iterator

import msgspec

from gamekit import catalogue
from gamekit.checking import ROUNDS, Fault, said
from gamekit.chunks import CHUNK_ROUNDS, Run, generator_of
from gamekit.kernels.finding import Compiled, find_kernel
from gamekit.maths import load_maths
from gamekit.simulate import play_rounds, seeded_draw


def differences(
    run: Run, kernel: Compiled, rounds: int, progress: Callable[[int], None] = lambda _: None
) -> Iterator[str]:
    """Play `rounds` rounds with `kernel` and with the production code, chunk by chunk; yield each difference.

    All figures of the tallies and the final states of the generators are compared.
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


def faults_of_kernel(name: str) -> list[Fault]:
    """Play some rounds with a game's kernel and return what is wrong; nothing is checked without a kernel or numba.

    The first compilation may take a minute. A cabinet does not need this check: a kernel is never installed there.
    """
    file = str(catalogue.folder_of(name) / "kernel.py")
    try:
        kernel = find_kernel(name)
        if kernel is None:
            return []
        maths = load_maths(name)
        played = {(stake, state) for stake in (maths.stakes[0], maths.stakes[-1]) for state in maths.states[:1]}
        return [
            Fault(file, f"{difference}; play as play.py does")
            for stake, state in sorted(played, key=str)
            for difference in differences(Run.of(name, stake, 1, state), kernel, ROUNDS)
        ]
    except Exception as error:  # noqa: BLE001 - whatever a game's code raises is its author's to read
        return [Fault(file, f"KERNEL does not play: {said(error)}")]
