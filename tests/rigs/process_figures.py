"""What a process holds: memory, surfaces and file handles."""

import ctypes
import gc
import os
from collections import Counter
from pathlib import Path

import pygame

_PAGE = os.sysconf("SC_PAGE_SIZE")


def live_surfaces() -> list[pygame.Surface]:
    """Return every surface that a tracked object refers to, once each; surfaces are not tracked themselves."""
    gc.unfreeze()
    gc.collect()
    found: dict[int, pygame.Surface] = {}
    for container in gc.get_objects():
        for one in gc.get_referents(container):
            if isinstance(one, pygame.Surface):
                found[id(one)] = one
    return list(found.values())


def pixel_bytes(surfaces: list[pygame.Surface]) -> int:
    """Return the memory of the pixels; subsurfaces have none of their own."""
    return sum(one.get_pitch() * one.get_height() for one in surfaces if one.get_parent() is None)


def resident(pid: int | None = None) -> int:
    """Return the resident memory of a process in bytes; of this one after the C library has given back what is free."""
    if pid is None:
        ctypes.CDLL(None).malloc_trim(0)
    return int(Path(f"/proc/{pid or 'self'}/statm").read_text().split()[1]) * _PAGE


def handles(pid: int | None = None) -> Counter[str]:
    """Return the open file handles of a process, this one by default, by kind: files by their names."""
    kinds: Counter[str] = Counter()
    for handle in Path(f"/proc/{pid or 'self'}/fd").iterdir():
        try:
            target = str(handle.readlink())
        except FileNotFoundError:  # closed meanwhile, as the directory's own is
            continue
        kinds[target.partition(":[")[0] if ":[" in target else Path(target).name] += 1
    return kinds


def fonts(kinds: Counter[str]) -> int:
    """Return how many of these handles are typefaces: each size of one that was drawn with keeps its own."""
    return sum(count for kind, count in kinds.items() if kind.endswith(".ttf"))
