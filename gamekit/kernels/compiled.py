"""numba's compiler with static types, and a cache that is discarded when any rule changes."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import config

_SOURCES = tuple(Path(__file__).parents[2] / folder for folder in ("gamekit", "games"))
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cabinet" / "kernels"

Function = TypeVar("Function", bound=Callable[..., object])


def _digest() -> str:
    """Return a digest of all sources of the games and the kit: numba itself checks only a function's own file."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(path for folder in _SOURCES for path in folder.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_FOLDER = _CACHE / _digest()
config.CACHE_DIR = str(_FOLDER)  # type: ignore[attr-defined]


@contextmanager
def compiling() -> Iterator[None]:
    """Hold a lock while code is compiled: another process waits, then loads the code from the cache.

    If sources have changed since this process began, its compiled code may match neither version: the cache is
    discarded.
    """
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with (_FOLDER / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
        if _digest() != _FOLDER.name:
            discarded = _FOLDER.with_name(f"{_FOLDER.name}.{os.getpid()}")
            _FOLDER.rename(discarded)
            shutil.rmtree(discarded)


# numba's runtime (NRT) is off: counting references to arrays makes a draw cost twenty times as much. Without it,
# compiled code cannot create arrays, sets or lists; an attempt fails with "NRT required but not enabled".
_OPTIONS: Mapping[str, Any] = {"_nrt": False, "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """Compile `function` at its first call; the machine code is cached for later processes."""
    return cast("Function", numba.njit(cache=True, nogil=True, **_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Compile `function` into its callers, where a call with its reference counting would cost too much."""
    return cast("Function", numba.njit(forceinline=True, nogil=True, **_OPTIONS)(function))
