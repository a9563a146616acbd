"""How the C library returns the memory of released pictures to the system."""

import ctypes

_M_MMAP_THRESHOLD = -3
"""`malloc.h` of glibc."""
_OWN_PAGES_FROM = 128 * 1024
"""glibc's initial threshold in bytes. By default glibc raises it with each larger block that is freed, up to 32 MiB."""


def give_pictures_pages_of_their_own() -> bool:
    """Map every block from 128 KiB on separately, so that freeing unmaps it; return False if libc is not glibc.

    Otherwise the pictures of a closed game stay in the process as holes between smaller blocks: after each game had
    been opened once, the process held 250 MiB more.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and mallopt(_M_MMAP_THRESHOLD, _OWN_PAGES_FROM) == 1
