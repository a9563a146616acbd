"""Finds a game's kernel; numba is imported and code compiled only when a kernel is requested."""

import random
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

from gamekit import catalogue
from gamekit.play import Stake
from gamekit.simulate import Tally

if TYPE_CHECKING:  # neither is on a cabinet
    import numpy as np
    import numpy.typing as npt


class Compiled(Protocol):
    """A game's rules, compiled (`gamekit.kernels.kernel.Kernel`)."""

    def play(self, stake: Stake, generator: random.Random, rounds: int, state: str | None = None) -> Tally:
        """Return the tally of `rounds` rounds; `generator` is left where production would leave it."""
        ...

    def record(
        self, stake: Stake, generator: random.Random, rounds: int, state: str | None = None
    ) -> "npt.NDArray[np.int64]":
        """Return a row for each of `rounds` rounds: its coins, and a bit for each trigger that it showed."""
        ...


class NoKernelError(LookupError):
    """A game has no kernel here."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} has no kernel here: it needs games/{name}/kernel.py, and numba (pip install 'cabinet[kernels]')"
        )


def find_kernel(name: str) -> Compiled | None:
    """Return the kernel of the game called `name`; None where it has none, or where numba is not installed."""
    catalogue.load(name)
    if find_spec("numba") is None or not catalogue.has_module(name, "kernel"):
        return None
    kernel: Compiled = catalogue.module(name, "kernel").KERNEL
    return kernel


def kernel_of(name: str) -> Compiled:
    """Return the kernel of the game called `name`; raise `NoKernelError` where there is none."""
    kernel = find_kernel(name)
    if kernel is None:
        raise NoKernelError(name)
    return kernel
