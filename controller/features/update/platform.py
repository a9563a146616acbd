"""The platform of a cabinet's program, which its package does not contain: interpreter, libraries, shared objects."""

import os
import re
import site
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from controller.features.update.installed import HOME, PLATFORM
from controller.features.update.manifest import Manifest, measured

PRELOAD = "/etc/ld.so.preload"
"""Read by the dynamic loader for every process; usually it does not exist."""

MAPS = Path("/proc/self/maps")
_MAPPED = re.compile(r"\s(/\S+) \(0x[0-9a-f]+\)$", re.MULTILINE)
_AT_ONCE = 200


def platform_of(executable: str, folders: Iterable[str], home: str = HOME) -> Manifest:
    """Return the manifest of the platform as it is now.

    `executable` is the interpreter and `folders` its module folders; what lies below `home` belongs to the release. The
    manifest lists those folders, the interpreter, and each shared object that the dynamic loader would load for them or
    for the release, with the links that lead there. Raises `ManifestError` and `OSError`.
    """
    trees = outermost(folder for folder in folders if not _is_below(folder, home))
    interpreter = os.path.realpath(executable)
    files = {PRELOAD, *chain(executable)}
    objects = [interpreter]
    for folder in (home, *trees):
        for path in _files(folder):
            if os.path.islink(path):  # noqa: PTH114 - thousands of names
                files.update(chain(path))
            elif ".so" in path.rpartition("/")[2]:
                objects.append(path)
    for library in shared_objects(objects):
        files.update(chain(library))
    # beside the interpreter, Python checks whether it runs from its build tree
    away = {PRELOAD, f"{Path(interpreter).parent}/pybuilddir.txt"}
    there = {path for path in files if os.path.lexists(path) and not _is_below(path, home)}
    plan = Manifest(kind=PLATFORM, version=sys.version.split()[0], trees=trees, absent=tuple(sorted(away - there)))
    return measured(plan, there)


def library_folders() -> Iterator[str]:
    """Return the folders in which this interpreter looks for modules, even if they do not exist."""
    yield from (folder for folder in sys.path if folder)
    yield from site.getsitepackages([sys.prefix, sys.base_prefix, "/usr"])


def outermost(folders: Iterable[str]) -> tuple[str, ...]:
    """Return the folders that are not below another one, in order."""
    named = sorted({os.path.normpath(folder) for folder in folders})
    return tuple(folder for folder in named if not any(_is_below(folder, other) for other in named if other != folder))


def chain(path: str) -> Iterator[str]:
    """Return a file by its resolved folder, and if it is a link each of its targets in turn."""
    seen: set[str] = set()
    while True:
        parent, _, name = path.rpartition("/")
        path = f"{os.path.realpath(parent or '/').rstrip('/')}/{name}"
        if path in seen or not (Path(path).is_symlink() or Path(path).is_file()):
            return
        seen.add(path)
        yield path
        if not Path(path).is_symlink():
            return
        path = os.path.normpath(os.path.join(Path(path).parent, os.readlink(path)))  # noqa: PTH115, PTH118 - names


def shared_objects(objects: Sequence[str]) -> set[str]:
    """Return the shared objects that the dynamic loader loads for these files, by name; raise `OSError`."""
    found: set[str] = set()
    for first in range(0, len(objects), _AT_ONCE):
        said = subprocess.run(  # noqa: S603 - the system's own tool, on files that root has put there
            ["/usr/bin/ldd", *objects[first : first + _AT_ONCE]],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it complains about files that are not dynamic
            env={"LC_ALL": "C"},
            text=True,
            check=False,
        )
        found.update(_MAPPED.findall(said.stdout))
    return found


def running_files(maps: Path = MAPS) -> frozenset[str]:
    """Return the files whose code this process may run; a replaced file's name ends in ` (deleted)`.

    Memory of libffi is not a file (`/memfd:`).
    """
    lines = (line.split(None, 5) for line in maps.read_text(encoding="utf-8", errors="surrogateescape").splitlines())
    return frozenset(
        parts[5]
        for parts in lines
        if len(parts) == 6 and "x" in parts[1] and parts[5].startswith("/") and not parts[5].startswith("/memfd:")  # noqa: PLR2004
    )


def imported_files(modules: Iterable[object] | None = None) -> frozenset[str]:
    """Return the files from which this process has imported modules, by their resolved names."""
    files = (getattr(module, "__file__", None) for module in (modules or tuple(sys.modules.values())))
    named = (file.rpartition("/") for file in files if isinstance(file, str) and file.startswith("/"))
    return frozenset(f"{os.path.realpath(folder or '/').rstrip('/')}/{name}" for folder, _, name in named)


def _is_below(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)


def _files(folder: str) -> Iterator[str]:
    for above, folders, names in os.walk(folder):
        links = (name for name in folders if Path(above, name).is_symlink())
        yield from (f"{above}/{name}" for name in (*names, *links))
