"""numba's compiler with the types that it takes away, and a cache that no change of a rule outlives."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba
from numba.core import config

_SOURCES = Path(__file__).parents[1]
_CACHE = Path.home() / ".cache" / "cabinet" / "kernels"

Function = TypeVar("Function", bound=Callable[..., object])


def _digest() -> str:
    """Return a digest of all sources of the games: numba itself looks at a function's own file alone."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_SOURCES.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


config.CACHE_DIR = str(_CACHE / _digest())


def compiled(function: Function) -> Function:
    """Compile `function` when it is first called; its machine code is kept for the next time."""
    return cast("Function", numba.njit(cache=True, nogil=True, _nrt=False)(function))


def inlined(function: Function) -> Function:
    """Compile `function` into its callers: for what a call, and its counting of references, would cost too much."""
    return cast("Function", numba.njit(inline="always", _nrt=False)(function))
