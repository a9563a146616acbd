"""The wheels of a cabinet on aarch64, resolved from pyproject.toml and constraints.txt: `python -m image.wheels DIR`.

pip takes wheels for another machine (`--platform`), but evaluates the markers of requirements for the machine that it
runs on, so what aarch64 alone needs would be left out. Here the markers are evaluated for the cabinet, and pip fetches
each pinned release by itself. A wheel that has no header library where it should is refused: for Python 3.13 pip would
take lgpio 0.0.0.2, which is empty.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

from controller.features.demo.pip_install import own_environment

ROOT = Path(__file__).parents[1]
EXTRAS = ("pi", "fleet", "printer")
"""What `systemd/stage` installs besides."""

GLIBC = {"3.11": 36, "3.13": 41}
"""The minor version of Debian's C library beside each Python: Bookworm's and Trixie's."""

HEADER = ("lgpio", "adafruit-lgpio")
AARCH64 = 183
"""The machine number of an ELF file for aarch64 (elf(5))."""


class LockError(ValueError):
    """The lock does not resolve for a machine; the message names the requirement."""


class Wheel(NamedTuple):
    """A release's wheel for a machine: its file name, and what it requires, as its metadata has it."""

    file: str
    requires: tuple[str, ...]


Find = Callable[[str, str, str], Wheel]
"""Returns the wheel of a name and version for a Python ("3.13") on aarch64; raises `LockError`."""


def environment(python: str) -> dict[str, str]:
    """Return the markers' values on a cabinet with that Python."""
    return {
        "implementation_name": "cpython",
        "implementation_version": f"{python}.0",
        "os_name": "posix",
        "platform_machine": "aarch64",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": "Linux",
        "platform_version": "",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }


def platforms(python: str) -> list[str]:
    """Return the platform tags that a cabinet's pip accepts, best first."""
    newest = GLIBC[python]
    tags = [f"manylinux_2_{minor}_aarch64" for minor in range(newest, 16, -1)]
    return [*tags, "manylinux2014_aarch64", "linux_aarch64"]


def tags(python: str) -> set[Tag]:
    """Return every tag that a cabinet's pip accepts."""
    major, minor = (int(part) for part in python.split("."))
    accepted = platforms(python)
    return {
        *cpython_tags((major, minor), platforms=accepted),
        *compatible_tags((major, minor), interpreter=f"cp{major}{minor}", platforms=accepted),
    }


def pinned(constraints: str) -> dict[str, str]:
    """Return the version of each release in the lock's text, by canonical name."""
    pins = (line.split("==") for line in constraints.splitlines() if "==" in line)
    return {canonicalize_name(name): version.strip() for name, version in pins}


def wanted(pyproject: Mapping[str, Any], extras: Iterable[str] = EXTRAS) -> list[str]:
    """Return the requirements of a cabinet in pyproject.toml; an extra may name the project with others."""
    project = pyproject["project"]
    lines = [*project["dependencies"]]
    for extra in extras:
        for line in project["optional-dependencies"][extra]:
            requirement = Requirement(line)
            if requirement.name == project.get("name"):
                lines += wanted({"project": {**project, "dependencies": []}}, sorted(requirement.extras))
            else:
                lines.append(line)
    return lines


def resolve(requirements: Iterable[str], pins: Mapping[str, str], python: str, find: Find) -> dict[str, Wheel]:
    """Return the wheel of every release that a cabinet with that Python needs; raise `LockError` for the first gap."""
    found: dict[str, Wheel] = {}
    done: set[tuple[str, str]] = set()
    queue = [(Requirement(line), "") for line in requirements]
    while queue:
        requirement, extra = queue.pop(0)
        if requirement.marker and not requirement.marker.evaluate({**environment(python), "extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name not in pins:
            raise LockError(f"{requirement} has no release in constraints.txt: add `{name}==VERSION`")
        if pins[name] not in requirement.specifier:
            raise LockError(f"constraints.txt has {name}=={pins[name]}, but {requirement} is required")
        if name not in found:
            wheel = found[name] = find(name, pins[name], python)
            if not parse_wheel_filename(wheel.file)[3] & tags(python):
                raise LockError(f"{wheel.file} does not fit Python {python} on aarch64")
        for part in ("", *sorted(requirement.extras)):
            if (name, part) not in done:
                done.add((name, part))
                queue += [(Requirement(line), part) for line in found[name].requires]
    return found


def downloaded(folder: Path) -> Find:
    """Return a `Find` that keeps wheels in `folder` and has pip fetch those that are not there."""

    def find(name: str, version: str, python: str) -> Wheel:
        path = kept(folder, name, version, python)
        if path is None:
            done = subprocess.run(  # noqa: S603 - pip
                download(folder, f"{name}=={version}", python),
                env=own_environment(),
                capture_output=True,
                text=True,
                check=False,
            )
            path = kept(folder, name, version, python)
            if path is None:
                raise LockError(
                    f"no wheel of {name} {version} for Python {python} on aarch64: {done.stderr.strip()[-400:]}"
                )
        if name in HEADER:
            refuse_stub(path, python)
        return Wheel(path.name, tuple(required(path)))

    return find


def download(folder: Path, requirement: str, python: str) -> list[str]:
    """Return pip's command that fetches a release's wheel for a cabinet."""
    accepted = [word for platform in platforms(python) for word in ("--platform", platform)]
    return [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"),
        *("--only-binary=:all:", "--implementation=cp", f"--python-version={python}", *accepted),
        *("--dest", str(folder), requirement),
    ]


def kept(folder: Path, name: str, version: str, python: str) -> Path | None:
    """Return the wheel in `folder` of a release for a cabinet, if there is one."""
    for path in sorted(folder.glob("*.whl")):
        named, release, _build, fits = parse_wheel_filename(path.name)
        if (named, str(release)) == (name, version) and fits & tags(python):
            return path
    return None


def required(wheel: Path) -> Iterator[str]:
    """Yield what a wheel's metadata requires."""
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        yield from HeaderParser().parsestr(archive.read(member).decode()).get_all("Requires-Dist") or ()


def refuse_stub(wheel: Path, python: str) -> None:
    """Raise `LockError` unless the wheel has lgpio's compiled module for that Python on aarch64."""
    library = f"_lgpio.cpython-{python.replace('.', '')}-aarch64-linux-gnu.so"
    with zipfile.ZipFile(wheel) as archive:
        if library not in archive.namelist():
            raise LockError(f"{wheel.name} has no {library}: it is the empty stub, with which no pin ever moves")
        head = archive.read(library)[:20]
    if head[:4] != b"\x7fELF" or int.from_bytes(head[18:20], "little") != AARCH64:
        raise LockError(f"{wheel.name}: {library} is no library for aarch64")


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def project_files(extras: Iterable[str] = EXTRAS) -> tuple[list[str], dict[str, str]]:
    """Return this tree's requirements and pins."""
    return wanted(_pyproject(), extras), pinned((ROOT / "constraints.txt").read_text(encoding="utf-8"))


def build_requirement() -> str:
    """Return the build backend, `NAME==VERSION`; it is not installed on a cabinet."""
    (line,) = _pyproject()["build-system"]["requires"]
    return str(line)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the wheels of a cabinet, and what builds the project's own; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m image.wheels", description="A cabinet's wheels for aarch64.")
    parser.add_argument("folder", type=Path, help="where the wheels are kept")
    parser.add_argument("--python", default="3.13", choices=sorted(GLIBC))
    parser.add_argument(
        "--index", type=Path, help="save file names and requirements there, for tests without a network"
    )
    parser.add_argument("--extra", action="append", help=f"these extras of the project instead of {', '.join(EXTRAS)}")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    requirements, pins = project_files(options.extra or EXTRAS)
    try:
        found = resolve(requirements, pins, options.python, downloaded(options.folder))
    except LockError as error:
        sys.stderr.write(f"wheels: {error}\n")
        return 1
    backend = build_requirement()
    if kept(options.folder, *backend.split("=="), options.python) is None:
        command = [word for word in download(options.folder, backend, options.python) if word != "--no-deps"]
        subprocess.run(command, env=own_environment(), check=True)  # noqa: S603 - pip
    if options.index is not None:
        index = json.loads(options.index.read_text(encoding="utf-8")) if options.index.exists() else {}
        index[options.python] = {name: [wheel.file, *wheel.requires] for name, wheel in sorted(found.items())}
        options.index.write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write("".join(f"{wheel.file}\n" for wheel in sorted(found.values())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
